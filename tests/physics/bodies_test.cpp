// Bodies that move: they push the snow, and feel it.

#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Motion;
using firn::Parameters;

constexpr double dx = 0.02;
constexpr int width = 12, layers = 8;

Body plate_on_snow(Motion motion) {
    Body plate = sheet_body({-4 * dx, (layers + 0.5) * dx, -4 * dx}, {dx, 0, 0}, 8, {0, 0, dx}, 8);
    for (Float3& n : plate.normal) n = {0, -1, 0};
    plate.motion = motion;
    plate.name = "plate";
    return plate;
}

struct Pressed {
    Particles snow;
    firn::BodyLoad plate, box;  ///< of the last frame
};

/// A plate goes 3 cm down into a box of snow in 0.3 s, then stays for `rest` seconds.
Pressed press(Motion motion, double rest) {
    Engine engine(settings(dx));
    const firn::BodyId box = engine.add_body(open_box(width, layers + 4, width, dx));
    const Body body = plate_on_snow(motion);
    const firn::BodyId plate = engine.add_body(body);
    engine.upload(snow_at(lattice_box(width, layers, width, dx, {-0.5 * width * dx, 0, -0.5 * width * dx})));
    const auto frame = [&](double y, double seconds) {
        if (motion == Motion::rigid) {
            engine.move_body(plate, turn({}, {0, y, 0}));
        } else {
            std::vector<Float3> goal = body.position;
            for (Float3& x : goal) x.y += static_cast<float>(y);
            engine.move_body(plate, goal);
        }
        engine.advance(seconds);
    };
    for (int k = 1; k <= 10; ++k) frame(-0.003 * k, 0.03);
    for (double t = 0; t < rest; t += 0.05) frame(-0.03, 0.05);
    Pressed result;
    engine.download(result.snow);
    result.plate = engine.body_load(plate);
    result.box = engine.body_load(box);
    return result;
}

TEST(Bodies, PlatePressesSnowDownAndFeelsIt) {
    const Pressed moving = press(Motion::rigid, 0);
    double under = -1;
    for (const Float3& x : moving.snow.position)
        if (std::abs(double(x.x)) < 3 * dx && std::abs(double(x.z)) < 3 * dx) under = std::max(under, double(x.y));
    note("highest snow under the plate, m", under);
    note("force on the plate, N", moving.plate.force[1]);
    note("force on the box, N", moving.box.force[1]);
    // The plate's surface is at 13 cm; a particle's place is the middle of its half spacing.
    EXPECT_LT(under, layers * dx - 0.03 + 0.1 * dx);
    EXPECT_GT(moving.plate.force[1], 0);
    EXPECT_LT(moving.box.force[1], -moving.plate.force[1]);  // the load and the weight
}

TEST(Bodies, ForcesBalanceAtRest) {
    const Pressed still = press(Motion::rigid, 1);
    const double weight = particle_mass(settings(dx)) * static_cast<double>(still.snow.count()) * gravity;
    note("weight of the snow, N", weight);
    note("force on the plate, N", still.plate.force[1]);
    note("force on the box, N", still.box.force[1]);
    // Nothing moves any more: the two carry the weight. They press with 25 times the weight on each other; a fifth of a
    // percent of that is what a step's rest of motion leaves, by chance.
    EXPECT_NEAR(still.plate.force[1] + still.box.force[1], -weight, 0.002 * std::abs(still.box.force[1]));
}

TEST(Bodies, RigidAndDeformingDescriptionsAgree) {
    const Pressed rigid = press(Motion::rigid, 0), deforming = press(Motion::deforming, 0);
    double apart = 0;
    for (size_t i = 0; i < rigid.snow.count(); ++i)
        apart = std::max(apart, length(wide(rigid.snow.position[i]) - wide(deforming.snow.position[i])));
    note("largest distance between the two, m", apart);
    note("force on the rigid plate, N", rigid.plate.force[1]);
    note("force on the deforming plate, N", deforming.plate.force[1]);
    // The same motion, rounded at other places; plasticity makes some of the rounding grow.
    EXPECT_LT(apart, 0.05 * dx);
    EXPECT_NEAR(rigid.plate.force[1], deforming.plate.force[1], 0.01 * std::abs(rigid.plate.force[1]));
}

}  // namespace
