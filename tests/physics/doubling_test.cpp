// Two scenes in one that have nothing to do with each other: each moves as if it were alone.

#include "firn/materials.h"
#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Parameters;

constexpr double dx = 0.05;

/// A shot that fits into a few metres around its place.
enum class Shot { sliding, dropped, resting, falling, struck };

const char* name_of(Shot shot) {
    constexpr const char* names[] = {"sliding block", "dropped cube", "resting block", "falling flakes", "struck wall"};
    return names[static_cast<int>(shot)];
}

/// Puts it into the engine and the cloud, seen from `place`.
void add(Shot shot, const Double3& place, Engine& engine, Particles& snow) {
    const auto at = [&](const Double3& x) { return place + x; };
    const int wide_floor = 60;
    Body floor = sheet_body(at({-1.5, -0.5 * dx, 1.5}), {dx, 0, 0}, wide_floor, {0, 0, -dx}, wide_floor);
    floor.friction = 0.3f;
    engine.add_body(floor);
    switch (shot) {
        case Shot::sliding:
            append(snow, snow_at(lattice_box(8, 5, 8, dx, at({-1.2, 0, -0.2})), {2.5f, 0, 0}));
            break;
        case Shot::dropped:
            append(snow, snow_at(lattice_box(8, 8, 8, dx, at({-0.2, 0.1, -0.2})), {0, -5, 0}));
            break;
        case Shot::resting:
            append(snow, snow_at(lattice_box(8, 8, 8, dx, at({-0.2, 0, -0.2}))));
            break;
        case Shot::falling: {
            std::vector<Float3> flakes;
            for (int k = 0; k < 400; ++k)
                flakes.push_back(narrow(at({0.14 * (k % 8) - 0.5, 1 + 0.14 * (k / 64), 0.14 * (k / 8 % 8) - 0.5})));
            append(snow, snow_at(flakes, {0, -3, 0}));
            break;
        }
        case Shot::struck:
            append(snow, snow_at(lattice_box(16, 12, 4, dx, at({-0.4, 0, -0.1}))));
            append(snow, snow_at(lattice_ball(0.15, dx, at({0, 0.3, -0.5})), {0, 0, 6}));
            break;
    }
}

struct Outcome {
    Double3 centre;
    double height, width;  ///< 90th percentile of the heights; rms of what is across
};

Outcome outcome(const Particles& snow, size_t first, size_t count, const Double3& place) {
    Outcome of{{}, 0, 0};
    std::vector<double> heights;
    for (size_t i = first; i < first + count; ++i) {
        const Double3 x = wide(snow.position[i]) - place;
        of.centre = of.centre + (1.0 / static_cast<double>(count)) * x;
        heights.push_back(x.y);
    }
    for (size_t i = first; i < first + count; ++i) {
        const Double3 x = wide(snow.position[i]) - place - of.centre;
        of.width += (x.x * x.x + x.z * x.z) / static_cast<double>(count);
    }
    return {of.centre, percentile(heights, 0.9), std::sqrt(of.width)};
}

/// The first shot half a second later, alone or beside another.
Outcome half_a_second(Shot shot, const Shot* other) {
    Parameters p = settings(dx);
    p.substeps = 25;            // the step is the scene's: the same for both
    p.shear_tolerance = 1e-4f;  // together they end some passes later or earlier than alone: let that be little
    Engine engine(p);
    Particles snow;
    add(shot, {}, engine, snow);
    const size_t count = snow.count();
    if (other) add(*other, {20, 0, 7}, engine, snow);
    engine.upload(snow);
    return outcome(run(engine, 0.5), 0, count, {});
}

class Doubling : public testing::TestWithParam<Shot> {};

TEST_P(Doubling, LeavesEachHalfAlone) {
    const Outcome alone = half_a_second(GetParam(), nullptr);
    for (const Shot other : {Shot::sliding, Shot::dropped, Shot::resting, Shot::falling, Shot::struck}) {
        const Outcome beside = half_a_second(GetParam(), &other);
        const double moved = length(beside.centre - alone.centre);
        const std::string which = std::string(name_of(GetParam())) + " beside a " + name_of(other) + ": ";
        note(which + "centre moved, spacings", moved / dx);
        note(which + "width", beside.width / alone.width);
        // Both are solved until they are good enough together, so each ends a few passes later or earlier than alone.
        // What breaks then breaks a little differently.
        EXPECT_LT(moved, 0.02 * dx) << which;
        EXPECT_NEAR(beside.height, alone.height, 0.2 * dx) << which;  // of flakes: of some dozens that landed on others
        EXPECT_NEAR(beside.width, alone.width, 0.001 * alone.width) << which;
    }
}
INSTANTIATE_TEST_SUITE_P(Far, Doubling,
                         testing::Values(Shot::sliding, Shot::dropped, Shot::resting, Shot::falling, Shot::struck),
                         [](const auto& of) {
                             std::string name = name_of(of.param);
                             std::replace(name.begin(), name.end(), ' ', '_');
                             return name;
                         });

}  // namespace
