// Boundaries: their volumes, how they move between frames, what the snow does to them, and what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "boundary_bodies.h"
#include "firn/engine.h"
#include "firn/rigid_transform.h"
#include "reference/published_snow.h"
#include "scenes/scenes.h"

namespace {

using firn::Body;
using firn::Engine;
using firn::Float3;
using firn::Motion;
using firn::Particles;
using firn::Transform;
using scenes::Double3;

Double3 apply(const Transform& t, const Double3& p) {
    const double* r = t.rotation;
    return {r[0] * p.x + r[1] * p.y + r[2] * p.z + t.translation[0],
            r[3] * p.x + r[4] * p.y + r[5] * p.z + t.translation[1],
            r[6] * p.x + r[7] * p.y + r[8] * p.z + t.translation[2]};
}

double distance(const Transform& a, const Transform& b) {
    double most = 0;
    for (int k = 0; k < 9; ++k) most = std::max(most, std::abs(a.rotation[k] - b.rotation[k]));
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(a.translation[k] - b.translation[k]));
    return most;
}

/// Of the rotation that takes a to b, radians. From the chord, which keeps its digits for small angles.
double angle_between(const Transform& a, const Transform& b) {
    double square = 0;
    for (int k = 0; k < 9; ++k) square += (a.rotation[k] - b.rotation[k]) * (a.rotation[k] - b.rotation[k]);
    return 2 * std::asin(std::min(1.0, std::sqrt(square / 8)));
}

// ---- rigid motion

TEST(Bodies, InterpolationPassesThroughBothEnds) {
    const Transform a = scenes::turn({0.3, -1, 0.5}, {1, 2, 3}), b = scenes::turn({-1, 0.2, 2}, {-4, 0, 1});
    const double pivot[3] = {0.1, 0.2, 0.3};
    EXPECT_EQ(distance(firn::interpolate(a, b, pivot, 0), a), 0);
    EXPECT_EQ(distance(firn::interpolate(a, b, pivot, 1), b), 0);
    // And comes close to them: no jump at the ends. Speeds here are a few units per frame.
    EXPECT_LT(distance(firn::interpolate(a, b, pivot, 1e-9), a), 1e-7);
    EXPECT_LT(distance(firn::interpolate(a, b, pivot, 1 - 1e-9), b), 1e-7);
}

TEST(Bodies, InterpolationTurnsAtAnEvenRateTheShortWay) {
    const double pivot[3] = {0, 0, 0};
    for (const double turn : {1e-4, 0.5, 2.0, 3.1, 3.5, 6.0}) {
        const Double3 axis{2.0 / 3, -1.0 / 3, 2.0 / 3};
        const Transform a = scenes::turn({0.2, 0.1, -0.4});
        Transform b;
        // b = rotation by `turn` after a.
        for (int c = 0; c < 3; ++c) {
            const Double3 column = scenes::rotated({a.rotation[c], a.rotation[3 + c], a.rotation[6 + c]}, turn * axis);
            b.rotation[c] = column.x;
            b.rotation[3 + c] = column.y;
            b.rotation[6 + c] = column.z;
        }
        const double pi = 3.14159265358979323846, way = turn < pi ? turn : 2 * pi - turn;
        for (int k = 1; k <= 10; ++k) {
            const Transform before = firn::interpolate(a, b, pivot, (k - 1) / 10.0),
                            after = firn::interpolate(a, b, pivot, k / 10.0);
            EXPECT_NEAR(angle_between(before, after), way / 10, 1e-9) << "turn " << turn << ", tenth " << k;
        }
    }
}

TEST(Bodies, InterpolationStaysRigidAndMovesThePivotStraight) {
    const Transform a = scenes::turn({0.3, -1, 0.5}, {1, 2, 3}), b = scenes::turn({-1, 0.2, 2}, {-4, 0, 1});
    const double pivot[3] = {0.1, 5, 0.3};
    const Double3 p{0.1, 5, 0.3}, from = apply(a, p), to = apply(b, p);
    for (double share = 0; share <= 1; share += 0.05) {
        const Transform t = firn::interpolate(a, b, pivot, share);
        EXPECT_NO_THROW(firn::validate(t, "t"));
        EXPECT_LT(scenes::length(apply(t, p) - (from + share * (to - from))), 1e-12);
        EXPECT_NEAR(scenes::length(apply(t, {1, 0, 0}) - apply(t, {0, 2, 0})), std::sqrt(5), 1e-12);
    }
}

TEST(Bodies, HalfATurnHasNoShortWayButStaysRigid) {
    const double pivot[3] = {0, 0, 0}, pi = 3.14159265358979323846;
    const Transform b = scenes::turn({0, pi, 0});
    const Transform half = firn::interpolate({}, b, pivot, 0.5);
    EXPECT_NO_THROW(firn::validate(half, "half"));
    EXPECT_NEAR(angle_between({}, half), pi / 2, 1e-6);
}

TEST(Bodies, ARigidBodyGoesWhereItIsSent) {
    firn::Parameters p;
    p.substeps = 4;
    Engine engine(p);
    Body body;
    body.motion = Motion::rigid;
    body.position = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    body.placement = scenes::turn({}, {5, 0, 0});
    const firn::BodyId id = engine.add_body(body);
    engine.upload({});
    EXPECT_NEAR(engine.body_positions(id)[0].x, 6, 1e-6);
    const Transform to = scenes::turn({0, 0, 0.5}, {5, 1, 0});
    engine.move_body(id, to);
    EXPECT_NEAR(engine.body_positions(id)[0].x, 6, 1e-6) << "not before the frame";
    engine.advance(0.1);
    for (size_t k = 0; k < 3; ++k) {
        const Double3 expected = apply(to, scenes::wide(body.position[k])),
                      got = scenes::wide(engine.body_positions(id)[k]);
        EXPECT_LT(scenes::length(expected - got), 1e-6);
    }
    engine.advance(0.1);  // without a call it stays
    EXPECT_NEAR(engine.body_positions(id)[0].y, apply(to, {1, 0, 0}).y, 1e-6);
}

TEST(Bodies, ADeformingBodyGoesWhereItIsSent) {
    Engine engine;
    Body body = scenes::floor_body(0.1, 0.02);
    body.motion = Motion::deforming;
    const firn::BodyId id = engine.add_body(body);
    std::vector<Float3> to = body.position;
    for (Float3& x : to) x.y += 0.03f * std::sin(20 * x.x);
    engine.move_body(id, to);
    engine.upload(scenes::snow_at({{0, 0.5f, 0}}));
    engine.advance(0.01);
    const std::vector<Float3> got = engine.body_positions(id);
    ASSERT_EQ(got.size(), to.size());
    for (size_t k = 0; k < to.size(); ++k) EXPECT_NEAR(got[k].y, to[k].y, 1e-8);
    engine.advance(0.01);
    EXPECT_NEAR(engine.body_positions(id)[3].y, to[3].y, 1e-8);
}

// ---- velocities: a surface that drags carries the snow at its own speed

/// The velocity of a lone flake just above a strongly viscous floor after some steps, for a floor that moves.
Double3 dragged(Motion motion, const Double3& velocity, const Double3& spin) {
    firn::Parameters p;
    p.mode = firn::Mode::published;  // friction drags on all components, without contact
    p.gravity = {0, 0, 0};
    p.substeps = 5;
    Engine engine(p);
    Body body = scenes::floor_body(0.2, 0.02);
    body.motion = motion;
    body.friction = 1e6f;
    const firn::BodyId id = engine.add_body(body);
    engine.upload(scenes::snow_at({{0.05f, 0.015f, 0.02f}}));
    const double seconds = 1e-3;
    if (motion == Motion::rigid) {
        // About the body's centre, its pivot: (0, -dx/2, 0).
        const Transform turn = scenes::turn(seconds * spin);
        const Double3 centre{0, -0.01, 0}, moved = apply(turn, centre);
        Transform to = turn;
        const Double3 shift = centre - moved + seconds * velocity;
        to.translation[0] = shift.x, to.translation[1] = shift.y, to.translation[2] = shift.z;
        engine.move_body(id, to);
    } else if (motion == Motion::deforming) {
        std::vector<Float3> to = body.position;
        for (Float3& x : to) x = scenes::narrow(scenes::wide(x) + seconds * velocity);
        engine.move_body(id, to);
    }
    engine.advance(seconds);
    Particles out;
    engine.download(out);
    return scenes::wide(out.velocity[0]);
}

TEST(Bodies, SurfacesCarryTheirVelocity) {
    // nu_b = 1e6 leaves a part in a thousand or less of slip; positions in float over 0.2 ms cost 1e-4 m/s.
    const Double3 v{0.3, 0.05, -0.2};
    for (const Motion motion : {Motion::rigid, Motion::deforming}) {
        const Double3 got = dragged(motion, v, {});
        EXPECT_LT(scenes::length(got - v), 2e-3 * scenes::length(v) + 5e-4);
    }
    EXPECT_LT(scenes::length(dragged(Motion::still, v, {})), 1e-6);
    // Spin about the vertical: the flake is dragged by what is below it, w x r, to within the spread of the kernel.
    const Double3 spin{0, 4, 0};
    const Double3 expected = scenes::cross(spin, {0.05, 0, 0.02});
    EXPECT_LT(scenes::length(dragged(Motion::rigid, {}, spin) - expected), 0.1 * scenes::length(expected));
}

// ---- volumes

TEST(Bodies, VolumesAgainstBruteForce) {
    std::vector<std::vector<Float3>> clouds = {scenes::floor_body(0.1, 0.02).position,
                                               scenes::lattice_box(5, 4, 3, 0.02, {-0.05, -0.04, -0.03}),
                                               {{0, 0, 0}},
                                               std::vector<Float3>(5, Float3{1, 1, 1}),
                                               {{-0.04f, 0, 0}, {0, 0, 0}, {0.04f, 0, 0}, {1000, 0, 0}}};
    clouds.push_back(scenes::lattice_box(6, 6, 6, 0.015, {-0.05, 0.1, -0.2}));
    scenes::jitter(clouds.back(), 0.01);
    for (const std::vector<Float3>& cloud : clouds) {
        reference::Vectors exact;
        for (const Float3& x : cloud) exact.push_back({x.x, x.y, x.z});
        const reference::Scalars expected = reference::boundary_volumes(exact, 2.0 * 0.02f, 0.8f);
        const std::vector<float> got = firn::boundary_volumes(cloud, 0.02f, 0.8f);
        ASSERT_EQ(got.size(), cloud.size());
        // Computed in double: only the last conversion rounds.
        for (size_t b = 0; b < got.size(); ++b) EXPECT_NEAR(got[b], expected[b], 1e-7 * expected[b]);
    }
    EXPECT_TRUE(firn::boundary_volumes({}, 0.02f, 0.8f).empty());
}

TEST(Bodies, GivenVolumesAreUsed) {
    // Density at a lone flake: m W(0) + rho0 V_b W(r) with the volume that the host gave.
    firn::Parameters p;
    p.substeps = 1;
    p.mode = firn::Mode::published;
    Engine engine(p);
    Body body;
    body.position = {{0, 0, 0}};
    body.volume = {3e-6f};
    engine.add_body(body);
    engine.upload(scenes::snow_at({{0, 0.02f, 0}}));
    engine.advance(1e-6);
    Particles out;
    engine.download(out);
    const double mass = 400 * 8e-6;
    const double expected =
        mass * reference::kernel({0, 0, 0}, 0.04) + 400 * 3e-6 * reference::kernel({0, 0.02, 0}, 0.04);
    EXPECT_NEAR(out.density[0], expected, 1e-5 * expected);
}

// ---- loads

/// A block at rest on three bodies: two halves of the floor, a lid that does not touch.
TEST(Bodies, TheLoadIsTheWeightOfABlockAtRest) {
    firn::Parameters p;
    p.spacing = 0.02f;
    p.threads = 1;
    Engine engine(p);
    const Body floor = scenes::floor_body(0.12, 0.02);
    Body halves[2];
    for (size_t b = 0; b < floor.position.size(); ++b) {
        Body& half = halves[floor.position[b].x < 0.02f ? 0 : 1];
        half.position.push_back(floor.position[b]);
        half.normal.push_back(floor.normal[b]);
    }
    // The volumes of one whole floor: a seam would press differently.
    const std::vector<float> volumes = firn::boundary_volumes(floor.position, p.spacing, p.boundary_volume);
    for (size_t b = 0; b < floor.position.size(); ++b) {
        halves[floor.position[b].x < 0.02f ? 0 : 1].volume.push_back(volumes[b]);
    }
    const firn::BodyId left = engine.add_body(halves[0]), right = engine.add_body(halves[1]);
    const firn::BodyId lid = engine.add_body(scenes::floor_body(0.1, 0.02, 0.5));
    // Shifted, so that torques do not vanish: the centre of the block is at (0.04, ., -0.02).
    engine.upload(scenes::snow_at(scenes::lattice_box(5, 5, 5, 0.02, {-0.01, 0, -0.07})));
    for (int k = 0; k < 10; ++k) engine.advance(0.04);
    Particles out;
    engine.download(out);
    ASSERT_LT(scenes::largest_speed(out), 5e-3) << "not yet at rest";
    const firn::BodyLoad a = engine.body_load(left), b = engine.body_load(right), none = engine.body_load(lid);

    const double mass = 125 * scenes::particle_mass(p), weight = mass * scenes::gravity;
    const Double3 centre = scenes::centre_of_mass(out);
    // At rest but for what still creeps: over the last frame the momentum may change by mass * 5 mm/s.
    const double slack = 0.01 * weight + mass * 5e-3 / 0.04;
    EXPECT_NEAR(a.force[1] + b.force[1], -weight, slack);
    EXPECT_NEAR(a.force[0] + b.force[0], 0, slack);
    EXPECT_NEAR(a.force[2] + b.force[2], 0, slack);
    EXPECT_LT(a.force[1], -0.1 * weight);
    EXPECT_LT(b.force[1], -0.1 * weight);
    // Torque about the origin of a weight W at the centre: r x (0, -W, 0) = (z W, 0, -x W).
    EXPECT_NEAR(a.torque[0] + b.torque[0], centre.z * weight, 0.1 * slack + 0.01 * weight * 0.05);
    EXPECT_NEAR(a.torque[2] + b.torque[2], -centre.x * weight, 0.1 * slack + 0.01 * weight * 0.05);
    for (int c = 0; c < 3; ++c) {
        EXPECT_EQ(none.force[c], 0);
        EXPECT_EQ(none.torque[c], 0);
    }
}

TEST(Bodies, EachSubstepsImpulseIsItsChangeOfMomentum) {
    // Two floors under one block, in frames of several substeps and, the same bits, in frames of one substep each.
    firn::Parameters p;
    p.substeps = 4;
    p.pressure_tolerance = p.shear_tolerance = 1e-5f;
    const double frame = 0.008, mass = scenes::particle_mass(p);
    const auto make = [&](Engine& engine) {
        engine.add_body(scenes::floor_body(0.2, 0.02));
        engine.add_body(scenes::floor_body(0.2, 0.02, 0.6));
        engine.upload(scenes::snow_at(scenes::lattice_box(5, 5, 5, 0.02, {-0.05, 0, -0.05}), {0.5f, -2, 0}));
    };
    Engine whole(p);
    make(whole);
    whole.advance(frame);
    const std::vector<firn::BodyImpulse> impulses = whole.body_impulses(0);
    ASSERT_EQ(impulses.size(), 4u);
    ASSERT_EQ(whole.body_impulses(1).size(), 4u);

    p.substeps = 1;
    Engine steps(p);
    make(steps);
    Particles before, after;
    steps.download(before);
    double pushed = 0;
    for (size_t k = 0; k < 4; ++k) {
        steps.advance(frame / 4);
        steps.download(after);
        const Double3 change = scenes::momentum(after, mass) - scenes::momentum(before, mass);
        const Double3 external{0, -125 * mass * scenes::gravity * frame / 4, 0};
        const Double3 impulse{impulses[k].impulse[0], impulses[k].impulse[1], impulses[k].impulse[2]};
        EXPECT_NEAR(impulses[k].dt, frame / 4, 1e-12);
        EXPECT_LT(scenes::length(change - external + impulse), 1e-3 * 125 * mass * 2) << k;
        // Nobody is near the upper floor.
        for (const double component : whole.body_impulses(1)[k].impulse) EXPECT_EQ(component, 0);
        pushed += impulses[k].impulse[1];
        before = after;
    }
    EXPECT_LT(pushed, -0.1 * 125 * mass * 2) << "no impact: it proves nothing";
    EXPECT_NEAR(whole.body_load(0).force[1], pushed / frame, 1e-9 * std::abs(pushed / frame));
    whole.advance(frame);
    EXPECT_EQ(whole.body_impulses(0).size(), 4u) << "those of the last frame only";
}

TEST(Bodies, HundredsOfBodiesShareTheLoadOfOne) {
    // The same floor as one body and cut into single particles: the same motion, bit for bit, and the same load in all.
    firn::Parameters p;
    const Body floor = scenes::floor_body(0.15, 0.02);
    const std::vector<float> volumes = firn::boundary_volumes(floor.position, p.spacing, p.boundary_volume);
    const auto land = [&](bool cut, double load[6]) {
        Engine engine(p);
        std::vector<firn::BodyId> ids;
        for (size_t b = 0; b < (cut ? floor.position.size() : 1); ++b) {
            Body part = floor;
            part.volume = volumes;
            if (cut) {
                part.position = {floor.position[b]};
                part.normal = {floor.normal[b]};
                part.volume = {volumes[b]};
            }
            ids.push_back(engine.add_body(part));
        }
        engine.upload(scenes::snow_at(scenes::lattice_box(4, 4, 4, 0.02, {-0.04, 0, -0.04}), {0, -1, 0}));
        engine.advance(0.02);
        for (const firn::BodyId id : ids) {
            const firn::BodyLoad part = engine.body_load(id);
            for (int c = 0; c < 3; ++c) {
                load[c] += part.force[c];
                load[3 + c] += part.torque[c];
            }
        }
        Particles out;
        engine.download(out);
        return out;
    };
    double one[6] = {}, many[6] = {};
    const Particles a = land(false, one), b = land(true, many);
    ASSERT_GT(floor.position.size(), 100u);
    for (size_t i = 0; i < a.count(); ++i) {
        ASSERT_EQ(a.position[i].x, b.position[i].x);
        ASSERT_EQ(a.position[i].y, b.position[i].y);
    }
    // Every particle's push is rounded to a float once for each body that it touches.
    const double scale = std::abs(one[1]);
    ASSERT_GT(scale, 0);
    for (int c = 0; c < 6; ++c) EXPECT_NEAR(many[c], one[c], 1e-5 * scale) << c;
}

TEST(Bodies, TheLoadIsTheChangeOfMomentum) {
    // During an impact, in every mode and solver: what the floor gave the snow, the snow gave the floor.
    for (const firn::Mode mode : {firn::Mode::standard, firn::Mode::published})
        for (const firn::Solver solver : {firn::Solver::joint, firn::Solver::split, firn::Solver::combined}) {
            firn::Parameters p;
            p.mode = mode;
            p.solver = solver;
            p.pressure_tolerance = p.shear_tolerance = 1e-5f;
            Engine engine(p);
            Body floor = scenes::floor_body(0.2, 0.02);
            floor.friction = 0.3f;
            floor.adhesion = 0.5f;
            const firn::BodyId id = engine.add_body(floor);
            engine.upload(scenes::snow_at(scenes::lattice_box(5, 5, 5, 0.02, {-0.05, 0, -0.05}), {1, -2, 0}));
            const double seconds = 0.01, mass = scenes::particle_mass(p);
            engine.advance(seconds);
            Particles out;
            engine.download(out);
            const Double3 start = 125 * mass * Double3{1, -2, 0}, end = scenes::momentum(out, mass);
            const Double3 external{0, -125 * mass * scenes::gravity * seconds, 0};
            const firn::BodyLoad load = engine.body_load(id);
            const Double3 impulse = seconds * Double3{load.force[0], load.force[1], load.force[2]};
            // Snow against snow keeps momentum to rounding and to the solves' tolerance, of a momentum of 2 m/s.
            // The joint solve keeps momentum beside a boundary to its tolerance.
            const double allowed = solver == firn::Solver::joint ? 2e-3 : 1e-3;
            EXPECT_LT(scenes::length(end - start - external + impulse), allowed * scenes::length(start))
                << "mode " << static_cast<int>(mode) << " solver " << static_cast<int>(solver);
            EXPECT_GT(scenes::length(impulse), 0.1 * scenes::length(start)) << "no impact: it proves nothing";
        }
}

// ---- adding, removing, refusing

TEST(Bodies, ARemovedBodyIsGone) {
    firn::Parameters p;
    Engine engine(p);
    const firn::BodyId floor = engine.add_body(scenes::floor_body(0.1, 0.02));
    const firn::BodyId second = engine.add_body(scenes::floor_body(0.1, 0.02, -1));
    engine.upload(scenes::snow_at(scenes::lattice_box(3, 3, 3, 0.02, {-0.03, 0, -0.03})));
    engine.advance(0.05);
    Particles out;
    engine.download(out);
    EXPECT_GT(scenes::lowest(out), 0);
    engine.remove_body(floor);
    EXPECT_THROW(engine.body_load(floor), firn::Error);
    EXPECT_THROW(engine.remove_body(floor), firn::Error);
    EXPECT_NO_THROW(engine.body_load(second));
    for (int k = 0; k < 4; ++k) engine.advance(0.05);
    engine.download(out);
    EXPECT_LT(scenes::highest(out), -0.05) << "it falls through where the floor was";
    // A new body gets a number of its own.
    const firn::BodyId third = engine.add_body(scenes::floor_body(0.1, 0.02, -0.6));
    EXPECT_NE(third, floor);
    EXPECT_NE(third, second);
}

TEST(Bodies, ABodyWithoutParticlesDoesNothing) {
    Engine engine;
    Body empty;
    for (const Motion motion : {Motion::still, Motion::rigid, Motion::deforming}) {
        empty.motion = motion;
        engine.add_body(empty);
    }
    engine.upload(scenes::snow_at(scenes::lattice_box(3, 3, 3, 0.02)));
    EXPECT_NO_THROW(engine.advance(0.01));
}

std::string error_of_adding(const Body& body) {
    try {
        Engine engine;
        engine.add_body(body);
    } catch (const firn::Error& e) {
        return e.what();
    }
    return "";
}

void expect_says(const std::string& text, const std::vector<std::string>& words) {
    EXPECT_NE(text, "") << "nothing was refused";
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' in: " << text;
}

TEST(Bodies, WrongLengthsAreRefused) {
    Body good = scenes::floor_body(0.1, 0.02);
    good.name = "ground";
    EXPECT_EQ(error_of_adding(good), "");
    const std::string count = std::to_string(good.position.size());
    Body body = good;
    body.normal.pop_back();
    expect_says(error_of_adding(body), {"ground", "normal", count});
    body = good;
    body.volume.assign(3, 1e-6f);
    expect_says(error_of_adding(body), {"ground", "volume", count, "3"});
    for (std::vector<float> Body::*each :
         {&Body::particle_friction, &Body::particle_adhesion, &Body::particle_bounce, &Body::particle_sticky}) {
        body = good;
        (body.*each).assign(2, 0.5f);
        expect_says(error_of_adding(body), {"ground", "2"});
    }
}

TEST(Bodies, WrongValuesAreRefused) {
    const float nan_value = std::numeric_limits<float>::quiet_NaN();
    Body good = scenes::floor_body(0.1, 0.02);
    good.name = "ground";
    Body body = good;
    body.position[7].y = nan_value;
    expect_says(error_of_adding(body), {"ground", "position", "7"});
    body = good;
    body.normal[5].y = nan_value;
    expect_says(error_of_adding(body), {"ground", "normal", "5"});
    body = good;
    body.volume.assign(good.position.size(), -1);
    expect_says(error_of_adding(body), {"ground", "volume"});
    for (float Body::*value : {&Body::friction, &Body::adhesion, &Body::bounce, &Body::sticky}) {
        body = good;
        body.*value = -0.1f;
        expect_says(error_of_adding(body), {"ground", "between 0 and"});
        body.*value = nan_value;
        expect_says(error_of_adding(body), {"ground"});
    }
    body = good;
    body.bounce = 1.1f;
    expect_says(error_of_adding(body), {"bounce", "1"});
}

TEST(Bodies, TransformsThatScaleShearOrMirrorAreRefused) {
    Body body = scenes::floor_body(0.1, 0.02);
    body.name = "plough";
    body.motion = Motion::rigid;
    body.placement.rotation[0] = 1.1;
    expect_says(error_of_adding(body), {"plough", "scales"});
    body.placement = {};
    body.placement.rotation[1] = 0.2;
    expect_says(error_of_adding(body), {"plough", "shears"});
    body.placement = {};
    body.placement.rotation[8] = -1;
    expect_says(error_of_adding(body), {"plough", "mirrors"});
    body.placement = {};
    body.placement.translation[0] = std::numeric_limits<double>::infinity();
    expect_says(error_of_adding(body), {"plough", "translation"});
    body.placement = {};
    Engine engine;
    const firn::BodyId id = engine.add_body(body);
    Transform bad;
    bad.rotation[4] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(engine.move_body(id, bad), firn::Error);
}

TEST(Bodies, TheWrongKindOfMotionIsRefused) {
    Engine engine;
    Body body = scenes::floor_body(0.1, 0.02);
    const firn::BodyId still = engine.add_body(body);
    body.motion = Motion::rigid;
    const firn::BodyId rigid = engine.add_body(body);
    body.motion = Motion::deforming;
    const firn::BodyId deforming = engine.add_body(body);
    EXPECT_THROW(engine.move_body(still, Transform{}), firn::Error);
    EXPECT_THROW(engine.move_body(deforming, Transform{}), firn::Error);
    EXPECT_THROW(engine.move_body(still, body.position), firn::Error);
    EXPECT_THROW(engine.move_body(rigid, body.position), firn::Error);
    EXPECT_THROW(engine.move_body(deforming, std::vector<Float3>(3)), firn::Error);
    std::vector<Float3> bad = body.position;
    bad[2].x = std::numeric_limits<float>::infinity();
    EXPECT_THROW(engine.move_body(deforming, bad), firn::Error);
    EXPECT_THROW(engine.move_body(99, Transform{}), firn::Error);
    EXPECT_THROW(engine.body_positions(99), firn::Error);
}

}  // namespace
