// Snow that neither yields nor hardens is an elastic solid: columns and beams against the textbook, at two resolutions.

#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Parameters;

/// Nothing yields, nothing hardens.
Parameters elastic(double dx, double E, double nu, firn::Solver solver) {
    Parameters p = settings(dx);
    p.solver = solver;
    p.young_modulus = static_cast<float>(E);
    p.poisson_ratio = static_cast<float>(nu);
    p.hardening = 0;
    p.theta_c = p.theta_s = 0.9f;
    return p;
}

/// The equilibrium: whenever the kinetic energy has passed a maximum the snow is stopped there (kinetic damping), so
/// that no setting of the engine has to be changed to get there soon.
Particles settle(Engine& engine, double seconds) {
    Particles snow;
    double before = 0;
    for (double t = 0; t < seconds; t += 0.02) {
        engine.advance(0.02);
        engine.download(snow);
        const double energy = kinetic_energy(snow, 1);
        if (energy < before) {
            snow.velocity.assign(snow.count(), {});
            engine.upload(snow);
            before = 0;
        } else {
            before = energy;
        }
    }
    engine.advance(0.02);
    engine.download(snow);
    return snow;
}

/// How much shorter the middle of a free-standing column of 0.2 x 0.6 x 0.2 m gets under its weight, from its second
/// layer to its last but one, over what the theory says.
double column_ratio(int across, firn::Solver solver) {
    const double dx = 0.2 / across, H = 0.6, E = 140e3, rho = 400;
    Parameters p = elastic(dx, E, 0.2, solver);
    p.shear_tolerance = 1e-4f;  // on a slippery floor what the solve leaves over adds up to a drift
    Engine engine(p);
    Body floor = floor_body(0.3, dx);
    floor.friction = 0;
    engine.add_body(floor);
    const int layers = 3 * across;
    const std::vector<Float3> start = lattice_box(across, layers, across, dx, {-0.1, 0, -0.1});
    engine.upload(snow_at(start));
    const Particles snow = settle(engine, 1.5);
    EXPECT_LT(largest_speed(snow), 2e-3) << "not at rest yet";

    // Means over whole layers at a quarter and at three quarters of the height.
    const double y0 = 0.25 * H, y1 = 0.75 * H;
    double u0 = 0, u1 = 0, n0 = 0, n1 = 0;
    for (size_t i = 0; i < start.size(); ++i) {
        const double y = double(start[i].y), u = double(snow.position[i].y) - y;
        // The two layers around each height.
        if (std::abs(y - y0) < 0.6 * dx) u0 += u, ++n0;
        if (std::abs(y - y1) < 0.6 * dx) u1 += u, ++n1;
    }
    const double measured = u0 / n0 - u1 / n1;
    // sigma = rho g (H - y), the sides are free: integral of sigma / E.
    const auto theory = [&](double y) { return rho * gravity / E * (H * y - 0.5 * y * y); };
    return measured / (theory(y1) - theory(y0));
}

void expect_column_converges(firn::Solver solver) {
    const double coarse = column_ratio(6, solver), fine = column_ratio(12, solver);
    note("6 across: compression over theory", coarse);
    note("12 across: compression over theory", fine);
    // First order in the spacing at the free sides: at 12 across a sixth of the column is surface.
    EXPECT_NEAR(fine, 1, 0.15);
    EXPECT_LT(std::abs(fine - 1), std::abs(coarse - 1));  // converging
}

TEST(Elastic, ColumnUnderItsOwnWeightSplit) {
    expect_column_converges(firn::Solver::split);
}

TEST(Elastic, ColumnUnderItsOwnWeightCombined) {
    expect_column_converges(firn::Solver::combined);
}

/// Deflection of a free beam, loaded down in the middle and up at both ends, over that of a Timoshenko beam. By
/// symmetry each half is a cantilever, clamped at the middle, and no clamp has to be built.
double beam_ratio(int across, firn::Solver solver, double dt_max = 5e-3) {
    const double b = 0.1, L = 1, dx = b / across, E = 140e3, nu = 0.2, rho = 400;
    Parameters p = elastic(dx, E, nu, solver);
    p.gravity = {0, 0, 0};
    p.shear_tolerance = 1e-5f;
    p.dt_max = static_cast<float>(dt_max);
    Engine engine(p);
    const int n = 10 * across;
    Particles snow = snow_at(lattice_box(n, across, across, dx, {-0.5 * L, 0, 0}));
    const std::vector<Float3> start = snow.position;
    const double force = 0.25;  // N on each half; bends it by 1 % of the length
    const double slice = rho * b * b * dx;
    snow.acceleration.assign(snow.count(), {});
    for (size_t i = 0; i < start.size(); ++i) {
        const double x = std::abs(double(start[i].x));
        if (x < dx) snow.acceleration[i].y = static_cast<float>(-force / slice);
        if (x > 0.5 * L - dx) snow.acceleration[i].y = static_cast<float>(force / slice);
    }
    engine.upload(snow);
    snow = settle(engine, 2);
    EXPECT_LT(largest_speed(snow), 2e-3) << "not at rest yet";
    double middle = 0, ends = 0;
    int middles = 0, tips = 0;
    for (size_t i = 0; i < start.size(); ++i) {
        const double x = std::abs(double(start[i].x)), u = double(snow.position[i].y) - double(start[i].y);
        if (x < dx) middle += u, ++middles;
        if (x > 0.5 * L - dx) ends += u, ++tips;
    }
    const double measured = ends / tips - middle / middles;

    // The load acts in the middle of the last slice and of the two central ones: moment and shear in between.
    const double arm = 0.5 * L - 0.5 * dx, near = 0.5 * dx;
    const double I = std::pow(b, 4) / 12, G = E / (2 * (1 + nu)), kappa = 10 * (1 + nu) / (12 + 11 * nu);
    const int steps = 10000;
    double slope = 0, w = 0;
    for (int k = 0; k < steps; ++k) {
        const double ds = arm / steps, s = (k + 0.5) * ds;
        const double moment = force * (arm - s) - (s < near ? force * (near - s) : 0);
        slope += moment / (E * I) * ds;
        w += slope * ds + (s > near ? force / (kappa * G * b * b) * ds : 0);
    }
    // From the central slice, which itself lies a little off the clamp.
    return measured / w;
}

void expect_beam_converges(firn::Solver solver) {
    const double coarse = beam_ratio(4, solver), fine = beam_ratio(8, solver);
    note("4 across: deflection over theory", coarse);
    note("8 across: deflection over theory", fine);
    // The outermost layer, whose gradients are one-sided, carries most of the moment: half of it at 8 across.
    EXPECT_NEAR(fine, 1, 0.15);
    EXPECT_LT(std::abs(fine - 1), std::abs(coarse - 1));  // converging
}

TEST(Elastic, BeamInBendingSplit) {
    // Two solves after each other know of each other only a step later: the longer the step, the more of lambda is lost
    // (without it, as with nu = 0, the beam would bend 1.3 times as far). look_ahead halves that; a shorter step ends
    // it.
    const double long_step = beam_ratio(4, firn::Solver::split), short_step = beam_ratio(4, firn::Solver::split, 1e-3);
    note("4 across, 5 ms: deflection over theory", long_step);
    note("4 across, 1 ms: deflection over theory", short_step);
    EXPECT_NEAR(long_step, 1, 0.25);
    EXPECT_NEAR(short_step, 1, 0.1);
}

TEST(Elastic, BeamInBendingCombined) {
    expect_beam_converges(firn::Solver::combined);
}

}  // namespace
