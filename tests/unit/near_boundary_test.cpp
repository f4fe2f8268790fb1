// Boundary particles that only exist where snow is near: the motion must be that with all of them, to the bit.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <set>

#include "firn/engine.h"
#include "scenes/scenes.h"

namespace {

using firn::Body;
using firn::Engine;
using firn::Float3;
using firn::Motion;
using firn::Parameters;
using firn::Particles;
using firn::SurfaceSource;

constexpr float dx = 0.05f;
constexpr double frame = 1.0 / 24;

Parameters parameters() {
    Parameters p;
    p.spacing = dx;
    return p;
}

/// A floor on a lattice, in bricks of 8 x 8.
class Floor final : public SurfaceSource {
public:
    explicit Floor(int half_bricks = 1 << 20) : half_(half_bricks) {}
    void find_bricks(const Float3& low, const Float3& high, std::vector<Brick>& out) const override {
        if (low.y > 0 || high.y < -dx) return;
        const auto at = [](float x) { return static_cast<int>(std::floor(x / (8 * dx))); };
        for (int z = std::max(at(low.z), -half_); z <= std::min(at(high.z), half_ - 1); ++z)
            for (int x = std::max(at(low.x), -half_); x <= std::min(at(high.x), half_ - 1); ++x)
                out.push_back({x, 0, z});
    }
    Particles make(const Brick& brick) const override {
        ++made;
        Particles p;
        for (int k = 0; k < 8; ++k) {
            for (int i = 0; i < 8; ++i) {
                p.position.push_back(
                    {(float(8 * brick[0] + i) + 0.5f) * dx, -0.5f * dx, (float(8 * brick[2] + k) + 0.5f) * dx});
                p.normal.push_back({0, 1, 0});
                p.volume.push_back(0.7f * dx * dx * dx);
            }
        }
        return p;
    }
    mutable int made = 0;

private:
    int half_;
};

/// The same particles, all of them, in the order of the bricks.
Body whole(const Floor& floor) {
    Body body;
    std::vector<SurfaceSource::Brick> bricks;
    floor.find_bricks({-1e3f, -1, -1e3f}, {1e3f, 1, 1e3f}, bricks);
    std::set<SurfaceSource::Brick> sorted(bricks.begin(), bricks.end());
    for (const SurfaceSource::Brick& brick : sorted) {
        const SurfaceSource::Particles p = floor.make(brick);
        body.position.insert(body.position.end(), p.position.begin(), p.position.end());
        body.normal.insert(body.normal.end(), p.normal.begin(), p.normal.end());
        body.volume.insert(body.volume.end(), p.volume.begin(), p.volume.end());
    }
    body.name = "floor";
    return body;
}

Body on_demand(std::shared_ptr<const Floor> floor) {
    Body body;
    body.name = "floor";
    body.source = std::move(floor);
    return body;
}

/// A block that slides over the floor, fast.
Particles sliding(float speed) {
    Particles snow = scenes::snow_at(scenes::lattice_box(6, 4, 6, dx, {-2, 0.02, -0.15}), {speed, 0, 0});
    return snow;
}

Particles after(Engine& engine, int frames) {
    for (int k = 0; k < frames; ++k) engine.advance(frame);
    Particles out;
    engine.download(out);
    return out;
}

void expect_same(const Particles& a, const Particles& b) {
    ASSERT_EQ(a.count(), b.count());
    EXPECT_EQ(std::memcmp(a.position.data(), b.position.data(), a.count() * sizeof(Float3)), 0);
    EXPECT_EQ(std::memcmp(a.velocity.data(), b.velocity.data(), a.count() * sizeof(Float3)), 0);
    EXPECT_EQ(std::memcmp(a.strain.data(), b.strain.data(), a.strain.size() * sizeof a.strain[0]), 0);
}

TEST(NearBoundary, SnowMovesAsOnTheWholeFloor) {
    const auto floor = std::make_shared<Floor>(10);
    Engine all(parameters()), some(parameters());
    all.add_body(whole(*floor));
    some.add_body(on_demand(floor));
    all.upload(sliding(8));
    some.upload(sliding(8));
    const Particles a = after(all, 12), b = after(some, 12);
    EXPECT_GT(scenes::centre_of_mass(a).x, -1) << "it has to slide from brick to brick";
    expect_same(a, b);
}

TEST(NearBoundary, SnowMovesTheSameOnAFloorWithoutEnd) {
    const auto small = std::make_shared<Floor>(10), large = std::make_shared<Floor>();
    Engine one(parameters()), other(parameters());
    one.add_body(on_demand(small));
    other.add_body(on_demand(large));
    one.upload(sliding(8));
    other.upload(sliding(8));
    expect_same(after(one, 12), after(other, 12));
    // As many bricks as the way needs.
    EXPECT_LT(large->made, 300);
}

TEST(NearBoundary, ResumingInANewEngineChangesNothing) {
    Engine through(parameters()), first(parameters()), second(parameters());
    for (Engine* engine : {&through, &first, &second}) engine->add_body(on_demand(std::make_shared<Floor>()));
    through.upload(sliding(8));
    first.upload(sliding(8));
    const Particles middle = after(first, 5);
    second.upload(middle);
    expect_same(after(through, 10), after(second, 5));
}

TEST(NearBoundary, DoesNotDependOnThreads) {
    Particles known;
    for (const int threads : {1, 2}) {
        Parameters p = parameters();
        p.threads = threads;
        Engine engine(p);
        engine.add_body(on_demand(std::make_shared<Floor>()));
        engine.upload(sliding(8));
        const Particles now = after(engine, 6);
        if (threads == 1)
            known = now;
        else
            expect_same(known, now);
    }
}

TEST(NearBoundary, HoldsOnlyWhatIsNear) {
    Engine engine(parameters());
    const firn::BodyId id = engine.add_body(on_demand(std::make_shared<Floor>()));
    Particles snow = sliding(0);
    engine.upload(snow);
    const firn::FrameReport report = engine.advance(frame);
    const std::vector<Float3> here = engine.body_positions(id);
    EXPECT_EQ(report.boundary, here.size());
    EXPECT_GT(here.size(), 100u);
    EXPECT_LT(here.size(), 8000u);
    // All that is within reach of any particle is there.
    for (const Float3& p : snow.position) {
        size_t below = 0;
        for (const Float3& b : here) below += std::hypot(p.x - b.x, p.z - b.z) < 2 * dx ? 1 : 0;
        size_t expected = 0;
        const int i = static_cast<int>(std::floor(p.x / dx)), k = static_cast<int>(std::floor(p.z / dx));
        for (int z = k - 3; z <= k + 3; ++z)
            for (int x = i - 3; x <= i + 3; ++x)
                expected += std::hypot(p.x - (float(x) + 0.5f) * dx, p.z - (float(z) + 0.5f) * dx) < 2 * dx ? 1 : 0;
        EXPECT_EQ(below, expected);
    }
    // Far above, nothing is.
    for (Float3& p : snow.position) p.y += 50;
    engine.upload(snow);
    EXPECT_EQ(engine.advance(frame).boundary, 0u);
    EXPECT_TRUE(engine.body_positions(id).empty());
}

TEST(NearBoundary, FastBodiesAreThereInTime) {
    // A ram of one's own particles, in bricks, comes from far away and passes through the snow within a frame.
    Body ram;
    ram.name = "ram";
    ram.motion = Motion::rigid;
    for (int j = 0; j < 60; ++j)
        for (int k = 0; k < 60; ++k) {
            ram.position.push_back({0, (float(j) - 29.5f) * dx, (float(k) - 29.5f) * dx});
            ram.normal.push_back({1, 0, 0});
        }
    ram.placement.translation[0] = -30;
    Engine engine(parameters());
    const firn::BodyId id = engine.add_body(ram);
    engine.upload(scenes::snow_at(scenes::lattice_box(6, 6, 6, dx, {0, 0, 0})));
    firn::Transform end = ram.placement;
    end.translation[0] = 3;
    EXPECT_EQ(engine.advance(frame).boundary, 0u);
    engine.move_body(id, end);
    engine.advance(frame);
    Particles out;
    engine.download(out);
    for (const Float3& p : out.position) EXPECT_GT(p.x, 2.9f);
}

TEST(NearBoundary, BodiesThatComeSlowlyAreThereInTime) {
    // From out of reach, a little in each frame. An engine that gets its state anew in each frame looks each time.
    Parameters p = parameters();
    p.gravity = {0, 0, 0};
    Body plate = whole(Floor(5));
    plate.motion = Motion::rigid;
    plate.placement.translation[1] = -2;
    Engine lazy(p), eager(p);
    const firn::BodyId one = lazy.add_body(plate), other = eager.add_body(plate);
    const Particles snow = scenes::snow_at(scenes::lattice_box(4, 4, 4, dx, {0, 0.02, 0}));
    lazy.upload(snow);
    eager.upload(snow);
    firn::Transform at = plate.placement;
    Particles a, b;
    EXPECT_EQ(lazy.advance(frame).boundary, 0u);
    EXPECT_EQ(eager.advance(frame).boundary, 0u);
    for (int k = 0; k < 24; ++k) {
        at.translation[1] = -2 + 0.1 * k;
        lazy.move_body(one, at);
        eager.move_body(other, at);
        lazy.advance(frame);
        eager.advance(frame);
        eager.download(b);
        eager.upload(b);
    }
    lazy.download(a);
    eager.download(b);
    EXPECT_GT(scenes::centre_of_mass(a).y, 0.3) << "the plate has to push it";
    expect_same(a, b);
}

TEST(NearBoundary, ManyFarBodiesDoNotChangeTheMotion) {
    Engine none(parameters()), many(parameters());
    const auto floor = std::make_shared<Floor>();
    none.add_body(on_demand(floor));
    many.add_body(on_demand(floor));
    for (int k = 0; k < 200; ++k) {
        Body ball = scenes::placed(scenes::floor_body(0.2, dx), {0.1 * k, 0, 0}, {0.5 * k, 20, 0});
        ball.name = "ball" + std::to_string(k);
        many.add_body(ball);
    }
    none.upload(sliding(3));
    many.upload(sliding(3));
    const Particles a = after(none, 4), b = after(many, 4);
    expect_same(a, b);
    EXPECT_EQ(none.advance(frame).boundary, many.advance(frame).boundary);
}

TEST(NearBoundary, RefusesWhatMakesNoSense) {
    Engine engine(parameters());
    Body both = on_demand(std::make_shared<Floor>());
    both.position.push_back({});
    EXPECT_THROW(engine.add_body(both), firn::Error);
    Body endless = on_demand(std::make_shared<Floor>());
    endless.motion = Motion::rigid;
    const firn::BodyId id = engine.add_body(endless);
    engine.move_body(id, scenes::turn({0, 0, 0}, {0, 1, 0}));
    EXPECT_THROW(engine.move_body(id, scenes::turn({0, 0, 0.1})), firn::Error);
}

}  // namespace
