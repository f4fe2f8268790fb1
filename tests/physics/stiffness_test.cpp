// The advantage of an implicit method: stiff snow costs hardly more than soft snow.

#include "scenes/measure.h"

namespace {

using namespace scenes;

/// The bench's cube drop with 4,096 particles: 29 frames of 1/24 s.
RunCost drop_cube(double E) {
    const double dx = 0.0625;
    firn::Parameters p = settings(dx);
    p.young_modulus = static_cast<float>(E);
    firn::Engine engine(p);
    engine.add_body(floor_body(2, dx));
    engine.upload(snow_at(lattice_box(16, 16, 16, dx, {-0.5, 2.5, -0.5})));
    RunCost cost;
    run(engine, 29.0 / 24, &cost);
    return cost;
}

TEST(Stiffness, AHundredTimesStifferCostsHalfMore) {
    const RunCost soft = drop_cube(140e3), stiff = drop_cube(14e6);
    // Seconds from counts: what a substep and an iteration of each solve took in the soft run. The stiff run's own
    // clock would measure the machine's other work too.
    const double step = (soft.seconds.neighbours + soft.seconds.properties + soft.seconds.integrate) / soft.substeps;
    const double pressure = soft.seconds.pressure / soft.pressure_iterations;
    const double shear = soft.seconds.shear / soft.shear_iterations;
    const auto cost = [&](const RunCost& c) {
        return c.substeps * step + c.pressure_iterations * pressure + c.shear_iterations * shear;
    };
    for (const auto& [name, c] : {std::pair<std::string, RunCost>{"E", soft}, {"E x 100", stiff}}) {
        note(name + ": substeps", c.substeps);
        note(name + ": pressure iterations", c.pressure_iterations);
        note(name + ": shear iterations", c.shear_iterations);
    }
    note("cost of E x 100 over cost of E", cost(stiff) / cost(soft));
    EXPECT_LE(cost(stiff), 1.5 * cost(soft));  // issue 3
}

}  // namespace
