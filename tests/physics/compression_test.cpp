// Gissler 2020, 4.1.2: snow in a tube under its weight, under a load, and after the load is gone.

#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Mode;
using firn::Parameters;

constexpr double dx = 0.03;  // as in Table 1
constexpr int width = 6, layers = 20;

struct Heights {
    double start, gravity, loaded, unloaded;
    RunCost cost;
};

/// A column of 60 cm in a tube without friction. The load is 6 kPa, carried by the two topmost layers: as much as the
/// weight of 1.5 m of snow.
Heights compress(Parameters p, double dt) {
    Engine engine(p);
    Body tube = open_box(width, layers + 6, width, dx);
    tube.friction = 0;
    engine.add_body(tube);
    Particles snow = snow_at(lattice_box(width, layers, width, dx, {-0.5 * width * dx, 0, -0.5 * width * dx}));
    Heights h{height(snow), 0, 0, 0, {}};
    const auto go = [&](double seconds) {
        snow = dt > 0 ? run_fixed(engine, seconds, dt, &h.cost) : run(engine, seconds, &h.cost);
        return height(snow);
    };
    const double pressure = 6000, load = pressure / (double(p.rest_density) * 2 * dx);
    std::vector<bool> top;
    for (const Float3& x : snow.position) top.push_back(double(x.y) > (layers - 2) * dx);
    engine.upload(snow);
    h.gravity = go(0.9);
    snow.acceleration.assign(snow.count(), {});
    for (size_t i = 0; i < snow.count(); ++i)
        if (top[i]) snow.acceleration[i].y = static_cast<float>(-load);
    engine.upload(snow);
    h.loaded = go(0.9);
    snow.acceleration.clear();
    engine.upload(snow);
    h.unloaded = go(0.9);
    return h;
}

void note_heights(const std::string& what, const Heights& h) {
    note(what + ": height at the start, m", h.start);
    note(what + ": height under gravity, m", h.gravity);
    note(what + ": height under load, m", h.loaded);
    note(what + ": height after unloading, m", h.unloaded);
    note(what + ": pressure iterations", h.cost.pressure_iterations / h.cost.substeps);
    note(what + ": shear iterations", h.cost.shear_iterations / h.cost.substeps);
}

Parameters with_modulus(double E, Mode mode) {
    Parameters p = settings(dx, mode);
    p.young_modulus = static_cast<float>(E);
    return p;
}

std::vector<Heights> expect_softer_is_lower(Mode mode, double dt) {
    const Heights soft = compress(with_modulus(20e3, mode), dt), stiff = compress(with_modulus(140e3, mode), dt);
    note_heights("20 kPa", soft);
    note_heights("140 kPa", stiff);
    for (const Heights& h : {soft, stiff}) {
        EXPECT_LT(h.gravity, h.start);
        EXPECT_LT(h.loaded, h.gravity - 0.01 * h.start);  // a load that is seen
        // Unloading gives back the elastic part only: theta_c is 2.5 % of the height, and the rest stays.
        EXPECT_LT(h.unloaded, h.loaded + 0.04 * h.start);
        EXPECT_LT(h.unloaded, 0.5 * (h.loaded + h.gravity));
    }
    EXPECT_LT(soft.gravity, stiff.gravity);
    EXPECT_LT(soft.loaded, stiff.loaded);
    EXPECT_LT(soft.unloaded, stiff.unloaded);
    // physics-notes.md: 1.7 % at 140 kPa and 16 % at 20 kPa; a factor of two for what the tube and the surface do.
    EXPECT_LT(1 - stiff.gravity / stiff.start, 0.017 * 2);
    EXPECT_GT(1 - soft.gravity / soft.start, 0.16 / 2);
    EXPECT_LT(1 - soft.gravity / soft.start, 0.16 * 2);
    return {soft, stiff};
}

TEST(Compression, SofterIsLowerAndLoadStays) {
    const Heights stiff = expect_softer_is_lower(Mode::standard, 0).back();
    // An elastic column that can't spread loses rho g H / 2 M of its height. A tenth for the hardening (xi = 10 at a
    // mean strain of 0.4 % makes 4 %) and for the half spacing at each end.
    const Parameters p = with_modulus(140e3, Mode::standard);
    const double nu = p.poisson_ratio, M = 140e3 * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
    const double sag = double(p.rest_density) * 9.81 * layers * dx / (2 * M);
    EXPECT_NEAR(1 - stiff.gravity / stiff.start, sag, 0.1 * sag);
}

/// Iterations per step while the column settles under its weight.
RunCost settle(Parameters p, double shear_tolerance) {
    p.shear_tolerance = static_cast<float>(shear_tolerance);
    Engine engine(p);
    Body tube = open_box(width, layers + 6, width, dx);
    tube.friction = 1;
    engine.add_body(tube);
    engine.upload(snow_at(lattice_box(width, layers, width, dx, {-0.5 * width * dx, 0, -0.5 * width * dx})));
    RunCost cost;
    run_fixed(engine, 0.6, 1.5e-3, &cost);
    return cost;
}

TEST(Compression, PublishedKeepsTheLoadInTheIterationsOfTable1) {
    // The whole scene at 1.5 ms, 3 cm and tolerances of 1e-3. Table 1: 5.1 and 4.76 pressure iterations, 1.0 and 1.17
    // for shear; half to twice as many pressure iterations for a smaller column whose load comes and goes at once. The
    // paper gives no tolerance for the shear solve: one iteration leaves a tenth of the residual, the 1e-3 of physics
    // that is compared here takes between three and four (ShearIterationsFollowTheTolerance).
    const std::vector<Heights> columns = expect_softer_is_lower(Mode::published, 1.5e-3);
    EXPECT_GT(1 - columns.back().gravity / columns.back().start, 0.017 / 2);
    for (const Heights& h : columns) {
        EXPECT_GT(h.cost.pressure_iterations / h.cost.substeps, 2.4);
        EXPECT_LT(h.cost.pressure_iterations / h.cost.substeps, 10.2);
        EXPECT_GT(h.cost.shear_iterations / h.cost.substeps, 0.5);
        EXPECT_LT(h.cost.shear_iterations / h.cost.substeps, 4.5);
    }
}

TEST(Compression, ShearIterationsFollowTheTolerance) {
    // The paper does not say where its shear solve stops. While the column only settles, one iteration reaches a
    // residual of 0.1, and the further digits cost little more than one each.
    for (const double E : {20e3, 140e3}) {
        const std::string which = std::to_string(static_cast<int>(E)) + " Pa";
        const Parameters p = with_modulus(E, Mode::published);
        const RunCost loose = settle(p, 0.1), strict = settle(p, 1e-3);
        note(which + ": shear iterations to 0.1", loose.shear_iterations / loose.substeps);
        note(which + ": shear iterations to 1e-3", strict.shear_iterations / strict.substeps);
        EXPECT_LT(loose.shear_iterations / loose.substeps, 1.5);
        EXPECT_LT(strict.shear_iterations / strict.substeps, 3.5);
    }
}

TEST(Compression, IncompressiblePressureKeepsTheHeight) {
    Parameters p = with_modulus(140e3, Mode::standard);
    p.pressure_model = firn::PressureModel::incompressible;
    const Heights h = compress(p, 1.5e-3);
    note_heights("incompressible", h);
    // A few percent: the lattice settles, and the solve allows a density error of a thousandth per step.
    EXPECT_NEAR(h.gravity, h.start, 0.03 * h.start);
    EXPECT_NEAR(h.loaded, h.start, 0.03 * h.start);
    EXPECT_NEAR(h.unloaded, h.start, 0.03 * h.start);
}

}  // namespace
