#pragma once

// A snowball that hits a floor, in fixed steps: what the main weakness of the published method (physics-notes.md, 1)
// is measured with.

#include "scenes/measure.h"

namespace scenes {

struct DroppedBall {
    Particles snow;
    int count, singles, through;
};

/// Radius 10 cm, 5 m/s, the lowest particle two spacings above the floor, for 0.15 s: the dust has left by then.
inline DroppedBall drop_ball(firn::Mode mode, double spacing, double dt) {
    firn::Parameters p = settings(spacing, mode);
    firn::Engine engine(p);
    // Dust flies sideways at up to the speed of the impact: a floor of 1.6 m is under all of it.
    Body floor = floor_body(0.8, spacing);
    floor.friction = 1;
    engine.add_body(floor);
    engine.upload(snow_at(lattice_ball(0.1, spacing, {0, 0.1 + 2 * spacing, 0}), {0, -5, 0}));
    DroppedBall ball;
    ball.snow = run_fixed(engine, 0.15, dt);
    ball.count = static_cast<int>(ball.snow.count());
    ball.singles = lost_singles(ball.snow, spacing);
    // The floor's particles lie half a spacing below its surface; what is deeper than they are has passed.
    const std::vector<double> y = component(ball.snow.position, 1);
    ball.through = static_cast<int>(std::count_if(y.begin(), y.end(), [&](double a) { return a < -0.5 * spacing; }));
    return ball;
}

/// The limits: less than 2 % lost as singles, none through the floor; and the published method does worse.
inline void expect_ball_holds(double dt) {
    const double spacing = 0.01;
    const DroppedBall standard = drop_ball(firn::Mode::standard, spacing, dt);
    const DroppedBall published = drop_ball(firn::Mode::published, spacing, dt);
    note("particles", standard.count);
    note("default: singles", standard.singles);
    note("default: through the floor", standard.through);
    note("published: singles", published.singles);
    note("published: through the floor", published.through);
    EXPECT_LT(standard.singles, 0.02 * standard.count);
    EXPECT_EQ(standard.through, 0);
    EXPECT_LE(standard.singles, published.singles);
}

}  // namespace scenes
