// Chunnoo 2022, 5.1: the scenes of the thesis, in three dimensions.

#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Parameters;
using firn::Solver;

const char* name_of(Solver solver) {
    return solver == Solver::split ? "split" : solver == Solver::combined ? "combined" : "explicit";
}

// 5.1.1: two snowballs of 9.375 cm, 30 cm apart and 5 cm off, at 2 m/s each.

constexpr double ball_spacing = 0.0125;

Particles snowballs(size_t& first) {
    Particles snow = snow_at(lattice_ball(0.09375, ball_spacing, {-0.15, 0.025, 0}), {2, 0, 0});
    first = snow.count();
    append(snow, snow_at(lattice_ball(0.09375, ball_spacing, {0.15, -0.025, 0}), {-2, 0, 0}));
    return snow;
}

Parameters collision_settings(Solver solver) {
    Parameters p = settings(ball_spacing);
    p.gravity = {0, 0, 0};
    p.solver = solver;
    return p;
}

struct Place {
    Double3 centre;
    double spread;  ///< root of the mean square distance to the centre, m
};

Place place(const Particles& p) {
    Place a{centre_of_mass(p), 0};
    for (const Float3& x : p.position) a.spread += dot(wide(x) - a.centre, wide(x) - a.centre);
    a.spread = std::sqrt(a.spread / static_cast<double>(p.count()));
    return a;
}

TEST(Collision, SplitAndCombinedPutTheMassInTheSamePlace) {
    std::vector<Place> left, right;
    for (const Solver solver : {Solver::split, Solver::combined}) {
        Engine engine(collision_settings(solver));
        size_t first = 0;
        const Particles before = snowballs(first);
        engine.upload(before);
        const Particles after = run_fixed(engine, 0.1, 2.5e-4);
        left.push_back(place(part(after, 0, first)));
        right.push_back(place(part(after, first, after.count())));
        const std::string which = name_of(solver);
        note(which + ": left ball, x", left.back().centre.x);
        note(which + ": left ball, y", left.back().centre.y);
        note(which + ": left ball, spread", left.back().spread);
        note(which + ": kinetic energy left", kinetic_energy(after, 1) / kinetic_energy(before, 1));
        EXPECT_LT(kinetic_energy(after, 1), 0.8 * kinetic_energy(before, 1));
        // Equal balls, point-symmetric about the origin: so is the outcome, but for the order of sums.
        EXPECT_LT(length(left.back().centre + right.back().centre), 0.1 * ball_spacing);
    }
    // The two differ in how they treat lambda, to first order in dt: half a spacing, a twentieth of the radius.
    EXPECT_LT(length(left[0].centre - left[1].centre), 0.5 * ball_spacing);
    EXPECT_LT(length(right[0].centre - right[1].centre), 0.5 * ball_spacing);
    EXPECT_NEAR(left[0].spread, left[1].spread, 0.05 * left[0].spread);
}

/// Kinetic energy at the end over that at the start, or 1e30 where the engine gave up.
double energy_ratio(Solver solver, double dt) {
    // Chunnoo's stability limits are those of the method without anything that damps.
    Parameters p = collision_settings(solver);
    Engine engine(p);
    size_t first = 0;
    const Particles before = snowballs(first);
    engine.upload(before);
    try {
        return kinetic_energy(run_fixed(engine, 0.1, dt), 1) / kinetic_energy(before, 1);
    } catch (const firn::Error& error) {
        std::printf("    %s\n", error.what());
        return 1e30;
    }
}

TEST(Collision, ImplicitIsStableWhereExplicitIsNot) {
    const double split = energy_ratio(Solver::split, 1e-3), combined = energy_ratio(Solver::combined, 1e-3);
    const double coarse = energy_ratio(Solver::explicit_step, 1e-3), fine = energy_ratio(Solver::explicit_step, 1e-4);
    note("split, 1 ms: energy left", split);
    note("combined, 1 ms: energy left", combined);
    note("explicit, 1 ms: energy left", coarse);
    note("explicit, 0.1 ms: energy left", fine);
    EXPECT_LT(split, 0.8);
    EXPECT_LT(combined, 0.8);
    EXPECT_GT(coarse, 1);  // no collision gives energy
    EXPECT_LT(fine, 0.8);  // it is the step that makes it unstable
}

// 5.1.4: a slab that loses its support.

struct Tipping {
    double fallen;  ///< how far the outer end came down, m
    double stayed;  ///< how far the supported part did, m
    double gap;     ///< the widest that opened between two columns of the upper quarter, m
    int where;      ///< of it, in columns from the end of the support
};

/// A slab of nx by 14 by 3 spacings on a floor, `rows` rows of it missing under the `overhang` outermost columns.
Tipping tip(const Parameters& given, int nx, int overhang, int rows) {
    const double dx = 0.0125;
    const int ny = 14, nz = 3;
    Parameters p = given;
    p.spacing = static_cast<float>(dx);
    p.young_modulus = 600e3f;
    p.hardening = 20;
    p.theta_c = 0.019f;
    p.theta_s = 0.0055f;
    std::vector<Float3> lattice;
    for (const Float3& x : lattice_box(nx, ny, nz, dx, {-nx * dx, 0, -0.5 * nz * dx}))
        if (double(x.x) < -overhang * dx || double(x.y) > rows * dx) lattice.push_back(x);
    std::vector<Float3> start = lattice;
    jitter(start, 1.5 / 16 * dx);  // 3/16 of a spacing wide
    Engine engine(p);
    Body floor = sheet_body({-nx * dx - 0.1, -0.5 * dx, 0.1}, {dx, 0, 0}, nx + 20, {0, 0, -dx}, 16);
    floor.friction = 10;
    engine.add_body(floor);
    engine.upload(snow_at(start));
    const Particles snow = run_fixed(engine, 0.2, 1e-3);

    Tipping t{0, 0, 0, 0};
    int outer = 0, inner = 0;
    const size_t columns = static_cast<size_t>(nx);
    std::vector<double> column(columns, 0), filled(columns, 0);
    for (size_t i = 0; i < snow.count(); ++i) {
        const double moved = double(lattice[i].y) - double(snow.position[i].y);
        const int k = static_cast<int>(std::floor(double(lattice[i].x) / dx)) + nx;
        if (k >= nx - 2) t.fallen += moved, ++outer;
        if (k < nx - overhang - 6) t.stayed += moved, ++inner;
        if (double(lattice[i].y) < 0.75 * ny * dx) continue;
        column[static_cast<size_t>(k)] += double(snow.position[i].x);
        filled[static_cast<size_t>(k)] += 1;
    }
    t.fallen /= outer;
    t.stayed /= inner;
    for (size_t k = 1; k < columns; ++k) {
        const double gap = column[k] / filled[k] - column[k - 1] / filled[k - 1] - dx;
        if (gap > t.gap) t.gap = gap, t.where = static_cast<int>(k) - (nx - overhang);
    }
    return t;
}

void note_tipping(const std::string& which, const Tipping& t) {
    note(which + ": outer end came down, m", t.fallen);
    note(which + ": supported part came down, m", t.stayed);
    note(which + ": widest gap, m", t.gap);
    note(which + ": columns from the end of the support", t.where);
}

// Snow breaks at a stretch of half a percent; between columns of 12.5 mm a gap of 1.25 mm is a crack, not strain.
constexpr double crack = 1.25e-3;

TEST(Slab, PublishedCracksAsChunnoosDid) {
    // 41.57 x 17.23 cm, 15.83 cm of the lowest row removed.
    std::vector<Tipping> both;
    for (const Solver solver : {Solver::split, Solver::combined}) {
        Parameters p = settings(0.0125, firn::Mode::published);
        p.solver = solver;
        both.push_back(tip(p, 33, 13, 1));
        note_tipping(name_of(solver), both.back());
        EXPECT_GT(both.back().fallen, 0.00625);  // of the 12.5 mm there are; the floor is felt before it is touched
        EXPECT_LT(both.back().stayed, 0.004);
        EXPECT_GT(both.back().gap, crack);
        EXPECT_LE(std::abs(both.back().where), 5);
    }
    // For comparison, not judged: the default's surface is not soft, and it may hold (see below).
    note_tipping("default", tip(settings(0.0125), 33, 13, 1));
    // Where the mass goes: to a quarter of the way that it goes.
    EXPECT_NEAR(both[0].fallen, both[1].fallen, 0.25 * both[0].fallen);
}

TEST(Slab, CracksWhereSupportEnds) {
    // The published surface is soft and breaks at any overhang. By beam theory the stress at the root is
    // 3 rho g l^2 / h: 1.9 kPa in Chunnoo's slab, which snow of E theta_s = 3.3 kPa holds; 14 kPa in this one.
    std::vector<Tipping> both;
    for (const Solver solver : {Solver::split, Solver::combined}) {
        Parameters p = settings(0.0125);
        p.solver = solver;
        both.push_back(tip(p, 76, 32, 3));
        note_tipping(name_of(solver), both.back());
        EXPECT_GT(both.back().fallen, 0.019);  // half of the 37.5 mm there are
        EXPECT_LT(both.back().stayed, 0.004);
        EXPECT_GT(both.back().gap, crack);
        EXPECT_LE(std::abs(both.back().where), 5);
    }
    EXPECT_NEAR(both[0].fallen, both[1].fallen, 0.25 * both[0].fallen);
}

// 5.1.5: a slab on a weak layer, on a slope of 37 degrees.

/// How far the slab's centre moves down the slope in 0.2 s, m.
double slide_on_weak_layer(Solver solver, bool with_slab, double& weak_moved) {
    const double dx = 0.0125;
    const int nx = 21, nz = 8, weak = 3, strong = 10;  // 26.25 cm; 3.13 (here 3.75) and 12.5 cm high
    Parameters p = settings(dx);
    p.solver = solver;
    p.yield = firn::Yield::strain;  // Chunnoo's law; limits on stresses let the weak layer pack and carry more
    const double angle = 37 * 3.14159265358979 / 180;
    p.gravity = narrow({gravity * std::sin(angle), -gravity * std::cos(angle), 0});
    Engine engine(p);
    Body slope = sheet_body({-0.25, -0.5 * dx, 0.1}, {dx, 0, 0}, 52, {0, 0, -dx}, 16);
    slope.friction = 10;
    engine.add_body(slope);
    const int rows = with_slab ? weak + strong : weak;
    Particles snow = snow_at(lattice_box(nx, rows, nz, dx, {-0.5 * nx * dx, 0, -0.5 * nz * dx}));
    std::vector<bool> is_weak;
    for (const Float3& x : snow.position) {
        const bool w = double(x.y) < weak * dx;
        is_weak.push_back(w);
        snow.rest_density.push_back(w ? 100.0f : 400.0f);
        snow.young_modulus.push_back(w ? 10e3f : 600e3f);
        snow.poisson_ratio.push_back(w ? 0.3f : 0.2f);
        snow.theta_c.push_back(w ? 0.025f : 0.019f);
        snow.theta_s.push_back(w ? 0.0075f : 0.0055f);
    }
    const std::vector<Float3> before = snow.position;
    engine.upload(snow);
    snow = run_fixed(engine, 0.2, 5e-4);
    double moved[2] = {0, 0}, count[2] = {1e-30, 1e-30};
    for (size_t i = 0; i < before.size(); ++i) {
        moved[is_weak[i]] += double(snow.position[i].x) - double(before[i].x);
        count[is_weak[i]] += 1;
    }
    weak_moved = moved[1] / count[1];
    return moved[0] / count[0];
}

TEST(Slab, SlidesOnAWeakLayer) {
    double weak = 0;
    const double split = slide_on_weak_layer(Solver::split, true, weak);
    note("split: slab slid, m", split);
    note("split: weak layer moved, m", weak);
    const double combined = slide_on_weak_layer(Solver::combined, true, weak);
    note("combined: slab slid, m", combined);
    slide_on_weak_layer(Solver::split, false, weak);
    note("weak layer alone moved, m", weak);
    const double free = 0.5 * gravity * std::sin(37 * 3.14159265358979 / 180) * 0.04;
    note("a slab on ice would slide, m", free);
    // Chunnoo's slab, in two dimensions and with another friction, slid 5.11 cm.
    for (const double slid : {split, combined}) {
        EXPECT_GT(slid, 0.02);
        EXPECT_LT(slid, 0.9 * free);
    }
    EXPECT_NEAR(combined, split, 0.25 * split);
    EXPECT_LT(weak, 0.25 * split);  // "stable on its own"
}

}  // namespace
