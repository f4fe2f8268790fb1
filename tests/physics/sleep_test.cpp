// Snow that rests falls asleep and costs next to nothing; whatever would move it, wakes it.

#include <chrono>
#include <cstring>

#include "firn/materials.h"
#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::FrameReport;
using firn::Parameters;

const double frame = 1.0 / 24;

Parameters of_preset(const char* preset, double dx) {
    Parameters p = settings(dx);
    firn::apply(firn::find_preset(preset).material, p);
    return p;
}

/// A bed of snow on a floor, `half` spacings to each side of the middle.
Particles bed(int half, int deep, double dx) {
    return snow_at(lattice_box(2 * half, deep, 2 * half, dx, {-half * dx, 0, -half * dx}));
}

size_t asleep(const Particles& snow, const Parameters& p) {
    return static_cast<size_t>(
        std::count_if(snow.calm.begin(), snow.calm.end(), [&](float calm) { return calm >= p.sleep_after; }));
}

class Sleeps : public testing::TestWithParam<const char*> {};

TEST_P(Sleeps, ABlockAtRestCostsNothingAndItsFloorBearsItsWeight) {
    const double dx = 0.05;
    const Parameters p = of_preset(GetParam(), dx);
    Engine engine(p);
    const uint32_t floor = engine.add_body(floor_body(12 * dx, dx));
    engine.upload(bed(5, 10, dx));
    const Particles early = run(engine, 3);
    RunCost cost;
    const Particles late = run(engine, 1, &cost);
    note(std::string(GetParam()) + ": share asleep after 3 s", double(asleep(early, p)) / double(early.count()));
    EXPECT_EQ(asleep(early, p), early.count());
    EXPECT_EQ(cost.shear_iterations, 0);
    EXPECT_EQ(largest_speed(late), 0);
    for (size_t i = 0; i < late.count(); ++i) ASSERT_EQ(late.position[i].y, early.position[i].y);
    const double weight = double(early.count()) * particle_mass(p) * 9.81;
    const firn::BodyLoad load = engine.body_load(floor);
    note(std::string(GetParam()) + ": load of the floor over the weight that sleeps on it", -load.force[1] / weight);
    EXPECT_NEAR(-load.force[1] / weight, 1, 0.02);
    EXPECT_LT(std::hypot(load.force[0], load.force[2]), 0.02 * weight);
    EXPECT_GT(late.density[0], 0);
}
INSTANTIATE_TEST_SUITE_P(Sleep, Sleeps, testing::Values("powder", "dry", "wet", "packed", "slush", "crust", "ice"),
                         [](const auto& of) { return std::string(of.param); });

/// What falls on snow that sleeps lands as on snow that is awake, and only what is near wakes.
TEST(Sleep, ABallLandsAsOnSnowThatIsAwake) {
    const double dx = 0.03;
    Particles end[2];
    double seconds[2];
    for (int k = 0; k < 2; ++k) {
        Parameters p = of_preset("dry", dx);
        if (k == 0) p.sleep_after = 0;
        Engine engine(p);
        engine.add_body(floor_body(52 * dx, dx));
        engine.upload(snow_at(lattice_box(100, 5, 20, dx, {-50 * dx, 0, -10 * dx})));
        Particles snow = run(engine, 1);
        if (k == 1) note("share asleep before the ball comes", double(asleep(snow, p)) / double(snow.count()));
        const size_t before = snow.count();
        append(snow, snow_at(lattice_ball(0.12, dx, {0, 0.5, 0}), {1, -4, 0}));
        grow_state(snow);
        engine.upload(snow);
        const auto start = std::chrono::steady_clock::now();
        end[k] = run(engine, 1);
        seconds[k] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        size_t moved = 0;
        for (size_t i = 0; i < before; ++i) moved += length(wide(end[k].position[i]) - wide(snow.position[i])) > 1e-6;
        note(k ? "share of the bed that the ball moves, asleep before" : "the same, awake before",
             double(moved) / double(before));
        if (k) {
            EXPECT_LT(double(moved) / double(before), 0.5);
        }
        // The ball itself.
        end[k].position.erase(end[k].position.begin(), end[k].position.begin() + static_cast<std::ptrdiff_t>(before));
    }
    note("time, asleep over awake", seconds[1] / seconds[0]);
    for (int axis = 0; axis < 3; ++axis)
        for (const double share : {0.05, 0.5, 0.95}) {
            const double awake = percentile(component(end[0].position, axis), share),
                         slept = percentile(component(end[1].position, axis), share);
            EXPECT_NEAR(slept, awake, 0.1 * dx);  // where a lump comes to lie; the bed beneath is several spacings deep
        }
}

/// A plate that ploughs through a bed: what it has moved in the end, and the force that it took.
TEST(Sleep, APloughMovesItAsSnowThatIsAwake) {
    const double dx = 0.04;
    Particles end[2];
    double force[2];
    for (int k = 0; k < 2; ++k) {
        Parameters p = of_preset("packed", dx);  // stiff: the push runs through all of it at once
        if (k == 0) p.sleep_after = 0;
        Engine engine(p);
        engine.add_body(floor_body(30 * dx, dx));
        Body plate = wall_body(0, 6 * dx, dx, 8 * dx, dx);
        plate.motion = firn::Motion::rigid;
        const uint32_t plough = engine.add_body(plate);
        engine.move_body(plough, turn({}, {-1.5, 0, 0}));
        engine.advance(1e-3);
        engine.upload(bed(16, 4, dx));
        run(engine, 0.7);
        double work = 0;
        for (int step = 1; step <= 16; ++step) {
            engine.move_body(plough, turn({}, {-1.5 + 1.5 * step / 24, 0, 0}));
            engine.advance(frame);
            work -= engine.body_load(plough).force[0] / 16;
        }
        force[k] = work;
        engine.download(end[k]);
    }
    note("mean force of the plough, asleep before over awake", force[1] / force[0]);
    EXPECT_GT(force[0], 10);  // N
    EXPECT_NEAR(force[1] / force[0], 1, 0.02);
    double worst = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (const double share : {0.05, 0.5, 0.95})
            worst = std::max(worst, std::abs(percentile(component(end[1].position, axis), share) -
                                             percentile(component(end[0].position, axis), share)));
    note("largest shift of a percentile of the snow's place, spacings", worst / dx);
    EXPECT_LT(worst, 0.25 * dx);
}

/// Snow that comes to lie on snow that sleeps presses it as if it had been awake.
TEST(Sleep, ALoadPressesWhatSleepsBelow) {
    const double dx = 0.04;
    double top[2];
    for (int k = 0; k < 2; ++k) {
        Parameters p = of_preset("powder", dx);
        if (k == 0) p.sleep_after = 0;
        Engine engine(p);
        Body box = open_box(8, 40, 8, dx);
        box.friction = 0;
        engine.add_body(box);
        engine.upload(snow_at(lattice_box(8, 10, 8, dx, {-4 * dx, 0, -4 * dx})));
        Particles snow = run(engine, 1);
        const size_t below = snow.count();
        append(snow, snow_at(lattice_box(8, 10, 8, dx, {-4 * dx, 10.5 * dx, -4 * dx})));
        grow_state(snow);
        // Four times as heavy as what it lies on.
        snow.rest_density.assign(snow.count(), p.rest_density);
        std::fill(snow.rest_density.begin() + static_cast<std::ptrdiff_t>(below), snow.rest_density.end(),
                  4 * p.rest_density);
        engine.upload(snow);
        Particles end = run(engine, 1.5);
        end.position.resize(below);
        top[k] = highest(end);
    }
    note("height of powder below a load, asleep before over awake", top[1] / top[0]);
    EXPECT_NEAR(top[1] / top[0], 1, 0.01);
}

/// A block that slept until its floor was taken away, or gravity turned.
TEST(Sleep, WhatHoldsItNoLongerWakesIt) {
    const double dx = 0.05;
    const Parameters p = of_preset("packed", dx);
    for (const bool by_gravity : {false, true}) {
        Engine engine(p);
        const uint32_t floor = engine.add_body(floor_body(60 * dx, dx));
        engine.upload(bed(4, 5, dx));
        const Particles rest = run(engine, 1.5);
        ASSERT_EQ(asleep(rest, p), rest.count());
        Parameters tilted = p;
        tilted.gravity = {9.81f, 0, 0};
        if (by_gravity)
            engine.set_parameters(tilted);
        else
            engine.remove_body(floor);
        const Double3 way = centre_of_mass(run(engine, 0.25)) - centre_of_mass(rest);
        // Along the floor there is no friction when nothing presses.
        EXPECT_NEAR(by_gravity ? way.x : -way.y, 0.5 * 9.81 * 0.25 * 0.25, 0.02 * 0.3);
    }
}

}  // namespace
