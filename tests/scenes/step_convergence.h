#pragma once

// The adaptive step against the same scene at a quarter of it.

#include "scenes/measure.h"

namespace scenes {

struct Outcome {
    double height, spread;
    int lost, count;
    double substeps;
};

inline firn::Parameters at_share_of_step(firn::Parameters p, float share) {
    p.cfl *= share;
    p.cfl_flight *= share;
    p.dt_max *= share;
    return p;
}

inline Outcome outcome(firn::Engine& engine, double seconds, double spacing) {
    RunCost cost;
    const Particles snow = run(engine, seconds, &cost);
    return {height(snow), spread(snow), lost_singles(snow, spacing), static_cast<int>(snow.count()), cost.substeps};
}

/// A 1 m cube, its bottom at 2.5 m, until a second after it hit the floor.
inline Outcome drop_cube(int cells, float share) {
    const double dx = 1.0 / cells, drop = 2.5;
    firn::Engine engine(at_share_of_step(settings(dx), share));
    engine.add_body(floor_body(2, dx));
    engine.upload(snow_at(lattice_box(cells, cells, cells, dx, {-0.5, drop, -0.5})));
    return outcome(engine, std::sqrt(2 * drop / gravity) + 1, dx);
}

/// A snowball of 10 cm radius at 5 m/s, 0.15 s.
inline Outcome throw_ball(double spacing, float share) {
    firn::Engine engine(at_share_of_step(settings(spacing), share));
    engine.add_body(floor_body(0.6, spacing));
    engine.upload(snow_at(lattice_ball(0.1, spacing, {0, 0.1 + 2 * spacing, 0}), {0, -5, 0}));
    return outcome(engine, 0.15, spacing);
}

inline void expect_same(const Outcome& whole, const Outcome& quarter) {
    note("substeps", whole.substeps);
    note("substeps at a quarter", quarter.substeps);
    note("height, m", whole.height);
    note("height at a quarter, m", quarter.height);
    note("spread, m", whole.spread);
    note("spread at a quarter, m", quarter.spread);
    note("lost", whole.lost);
    note("lost at a quarter", quarter.lost);
    EXPECT_NEAR(whole.height, quarter.height, 0.05 * quarter.height);  // issue 3: 5 %
    EXPECT_NEAR(whole.spread, quarter.spread, 0.05 * quarter.spread);
    // Of a handful of particles 5 % is less than one: below half a percent of the snow the two are the same.
    EXPECT_NEAR(whole.lost, quarter.lost, std::max(0.05 * quarter.lost, 0.005 * quarter.count));
}

}  // namespace scenes
