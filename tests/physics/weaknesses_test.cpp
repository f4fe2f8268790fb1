// The six weaknesses of the published method (physics-notes.md), each measured in `published` and in the default.

#include "scenes/measure.h"
#include "scenes/snowball_drop.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Mode;
using firn::Parameters;

// 1. The soft surface.

double energy_of_resting_block(Mode mode) {
    const Parameters p = settings(0.02, mode);
    Engine engine(p);
    engine.add_body(floor_body(0.3, 0.02));
    engine.upload(snow_at(lattice_box(10, 10, 10, 0.02, {-0.1, 0, -0.1})));
    return kinetic_energy(run(engine, 2), particle_mass(p));
}

TEST(Weaknesses, RestingBlockRests) {
    const double standard = energy_of_resting_block(Mode::standard);
    const double published = energy_of_resting_block(Mode::published);
    note("default: J after 2 s", standard);
    note("published: J after 2 s", published);
    EXPECT_LT(standard, 1.6e-8);     // a tenth of a millimetre a second
    EXPECT_LT(standard, published);  // the remedy is for something
}

TEST(Weaknesses, SnowballHoldsTogetherAtHalfAMillisecond) {
    expect_ball_holds(0.5e-3);
}

TEST(Weaknesses, SnowballHoldsTogetherAtOneMillisecond) {
    expect_ball_holds(1e-3);
}

// 2. Hourglass modes.

/// Largest speed (m/s) two seconds after a 1 m cube of snow hit the floor.
double speed_of_dropped_cube(Mode mode) {
    const double dx = 0.0625, drop = 2.5;
    Engine engine(settings(dx, mode));
    engine.add_body(floor_body(2, dx));
    engine.upload(snow_at(lattice_box(16, 16, 16, dx, {-0.5, drop, -0.5})));
    const Particles snow = run(engine, std::sqrt(2 * drop / gravity) + 2);
    note(std::string(name(mode)) + ": height, m", height(snow));
    note(std::string(name(mode)) + ": spread, m", spread(snow));
    return largest_speed(snow);
}

TEST(Weaknesses, DroppedCubeComesToRest) {
    const double standard = speed_of_dropped_cube(Mode::standard);
    const double published = speed_of_dropped_cube(Mode::published);
    note("default: fastest, m/s", standard);
    note("published: fastest, m/s", published);
    EXPECT_LT(standard, 1e-3);  // issue 3
    EXPECT_LT(standard, published);
}

// What the remedy of the first must not break: snowfall packs.

struct Heap {
    double density;  ///< mean over the particles, as the engine sees it, kg/m^3
    double bulk;     ///< mass over the volume that the heap fills, kg/m^3
};

/// Single flakes rain into a square tube of 8 by 8 spacings, four at a time, and settle.
Heap snowfall(Mode mode) {
    const double dx = 0.02, top = 0.8;
    const int width = 8, batches = 200, flakes = 4;
    const Parameters p = settings(dx, mode);
    Engine engine(p);
    engine.add_body(open_box(width, static_cast<int>(top / dx), width, dx));
    std::mt19937 random(7);
    const auto across = [&] { return (std::generate_canonical<double, 53>(random) - 0.5) * (width - 1) * dx; };
    Particles snow;
    for (int batch = 0; batch < batches; ++batch) {
        for (int k = 0; k < flakes; ++k) {
            // One in each quarter of a stack, so that flakes of one batch are no neighbours.
            snow.position.push_back(narrow({across(), top - 0.1 + 2.5 * dx * k, across()}));
            snow.velocity.push_back({0, -3, 0});
        }
        grow_state(snow);
        engine.upload(snow);
        engine.advance(0.015);  // 4.5 cm at 3 m/s, more than the support
        engine.download(snow);
    }
    snow = run(engine, 1);
    Heap heap{0, 0};
    for (float rho : snow.density) heap.density += double(rho) / static_cast<double>(snow.count());
    const double volume = std::pow(width * dx, 2) * (height(snow) + 0.5 * dx);
    heap.bulk = static_cast<double>(snow.count()) * particle_mass(p) / volume;
    return heap;
}

TEST(Weaknesses, SnowfallPacks) {
    const Heap standard = snowfall(Mode::standard), published = snowfall(Mode::published);
    note("default: mean density, kg/m^3", standard.density);
    note("default: mass / volume, kg/m^3", standard.bulk);
    note("published: mean density, kg/m^3", published.density);
    note("published: mass / volume, kg/m^3", published.bulk);
    // Flakes that bear no more than their strength from the start settle less than the published ones, which give way
    // within their first steps: a third, and far from jamming.
    EXPECT_NEAR(standard.density, published.density, published.density / 3);
    EXPECT_GT(standard.density, 200);  // clamping the exponent alone jams at 130 (physics-notes.md, 1)
}

// 5. Lifting plates.

/// Particles that hang on a plate which lay on a block of snow of its own size, was pressed on and lifted.
int snow_on_lifted_plate(Mode mode, float sticky) {
    const double dx = 0.02, top = 8 * dx;
    Engine engine(settings(dx, mode));
    Body floor = floor_body(0.3, dx);
    floor.friction = 1;  // the notes' value
    engine.add_body(floor);
    Body plate = sheet_body({-4 * dx, top + 0.5 * dx, -4 * dx}, {dx, 0, 0}, 8, {0, 0, dx}, 8);
    for (Float3& n : plate.normal) n = {0, -1, 0};
    plate.motion = firn::Motion::rigid;
    plate.friction = 1;
    plate.sticky = sticky;
    const firn::BodyId lid = engine.add_body(plate);
    engine.upload(snow_at(lattice_box(8, 8, 8, dx, {-4 * dx, 0, -4 * dx})));

    const auto move_to = [&](double y, double seconds) {
        engine.move_body(lid, turn({}, {0, y, 0}));
        engine.advance(seconds);
    };
    move_to(-dx, 0.1);
    move_to(-dx, 0.2);
    for (int k = 0; k < 16; ++k) move_to(-dx + 0.01 * (k + 1), 0.02);
    Particles snow;
    engine.download(snow);
    const std::vector<double> y = component(snow.position, 1);
    // The plate is 14 cm up; nothing that stayed on the floor reaches a third of that.
    return static_cast<int>(std::count_if(y.begin(), y.end(), [&](double a) { return a > top + 0.05; }));
}

TEST(Weaknesses, LiftedPlateTakesNoSnow) {
    const int standard = snow_on_lifted_plate(Mode::standard, 0);
    const int sticky = snow_on_lifted_plate(Mode::standard, 1);
    const int published = snow_on_lifted_plate(Mode::published, 0);
    note("default: particles lifted", standard);
    note("default, sticky: particles lifted", sticky);
    note("published: particles lifted", published);
    EXPECT_EQ(standard, 0);  // issue 3
    EXPECT_GT(published, 0);
    EXPECT_GE(sticky, standard);
}

// 4. Friction glues.

/// Share of its speed that a particle keeps which flies along a wall, one spacing above its surface.
double speed_kept_along_wall(Mode mode) {
    const double dx = 0.02;
    Parameters p = settings(dx, mode);
    p.gravity = {0, 0, 0};
    Engine engine(p);
    Body wall = floor_body(0.5, dx);
    wall.friction = 1;
    engine.add_body(wall);
    engine.upload(snow_at({{-0.3f, static_cast<float>(dx), 0}}, {2, 0, 0}));
    return double(run(engine, 0.25).velocity[0].x) / 2;
}

TEST(Weaknesses, FrictionDoesNotBrakeWhatFliesPast) {
    const double standard = speed_kept_along_wall(Mode::standard);
    const double published = speed_kept_along_wall(Mode::published);
    note("default: speed kept", standard);
    note("published: speed kept", published);
    // Not friction but the boundary's grain: its particles are bumps that push a little as the flake passes.
    EXPECT_NEAR(standard, 1, 1e-3);
    EXPECT_LT(published, 0.99);
}

// 3. The floor is only as strong as the snow.

/// Particles of a slab, thrown at 10 m/s, that are below a floor.
int through_floor(Mode mode) {
    const double dx = 0.02;
    Engine engine(settings(dx, mode));
    engine.add_body(floor_body(0.6, dx));
    engine.upload(snow_at(lattice_box(10, 10, 10, dx, {-0.1, 0.02, -0.1}), {0, -10, 0}));
    const Particles snow = run_fixed(engine, 0.1, 1e-3);
    const std::vector<double> y = component(snow.position, 1);
    return static_cast<int>(std::count_if(y.begin(), y.end(), [&](double a) { return a < -0.5 * dx; }));
}

TEST(Weaknesses, FastSnowDoesNotPassTheFloor) {
    const int standard = through_floor(Mode::standard), published = through_floor(Mode::published);
    note("default: through the floor", standard);
    note("published: through the floor", published);
    EXPECT_EQ(standard, 0);
    EXPECT_GT(published, 0);  // half a spacing in one step, and rho v^2 / 2 three times the snow's strength
}

}  // namespace
