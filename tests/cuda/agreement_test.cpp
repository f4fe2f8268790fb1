// A card and the CPU run one source. Their roundings differ (fused multiply-adds, other sums), so that results agree to
// a tolerance after one step, and in their statistics after a hundred. Runs on an emulated card and on a real one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "card_scene.h"
#include "scenes/devices.h"

namespace {

using card::Engine;
using card::Particles;
using card::Scene;

class Card : public ::testing::Test {
protected:
    void SetUp() override {
        if (!scenes::device_exists("cuda")) GTEST_SKIP() << "this machine has no CUDA device: nothing was run on one";
    }
};

double largest(const std::vector<float>& values) {
    double most = 0;
    for (const float v : values) most = std::max(most, std::fabs(double(v)));
    return most;
}

/// The largest difference of two arrays of floats.
double furthest(const float* a, const float* b, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; ++i) most = std::max(most, std::fabs(double(a[i]) - double(b[i])));
    return most;
}

/// One step with solves driven far below the tolerances that are compared, so that no iteration more or less shows.
/// `loose`: by how much the passes of the joint solve end earlier, where loose grains can't be pulled.
void expect_agreement(Scene scene, const char* what, double loose = 1) {
    SCOPED_TRACE(what);
    scene.parameters.substeps = 1;
    scene.parameters.pressure_tolerance = 1e-7f;
    scene.parameters.pressure_iterations_max = 400;
    scene.parameters.shear_tolerance = 1e-6f;
    scene.parameters.shear_iterations_max = 200;
    const card::Outcome on_cpu = card::simulate(scene, 1, "cpu:1"), on_card = card::simulate(scene, 1, "cuda");
    const Particles &a = on_cpu.out, &b = on_card.out;
    ASSERT_EQ(a.count(), b.count());
    EXPECT_EQ(a.id, b.id);
    const size_t n = a.count();
    const double speed = scenes::largest_speed(a);
    // Sums of thirty neighbours in float: some 1e-6 of the largest term; strain and velocity are what the solves made
    // of them.
    EXPECT_LT(furthest(a.density.data(), b.density.data(), n), 3e-6 * largest(a.density));
    EXPECT_LT(furthest(a.compaction.data(), b.compaction.data(), n), 1e-4 * largest(a.compaction));
    EXPECT_LT(furthest(&a.velocity[0].x, &b.velocity[0].x, 3 * n), 3e-5 * loose * speed);
    // Two roundings of a coordinate of 0.2 m, and the velocity's error for one step.
    EXPECT_LT(furthest(&a.position[0].x, &b.position[0].x, 3 * n), 4e-8 + 3e-5 * loose * speed * card::frame);
    EXPECT_LT(furthest(&a.strain[0].xx, &b.strain[0].xx, 6 * n), 3e-6 * loose);
    EXPECT_LT(furthest(a.pressure.data(), b.pressure.data(), n), 1e-3 * loose * largest(a.pressure) + 1e-3);
    EXPECT_EQ(a.neighbours, b.neighbours);
    for (int c = 0; c < 3; ++c) {
        const double scale = std::fabs(on_cpu.load.force[1]) + 1e-3;
        EXPECT_NEAR(on_cpu.load.force[c], on_card.load.force[c], 1e-3 * scale);
        EXPECT_NEAR(on_cpu.load.torque[c], on_card.load.torque[c], 1e-3 * scale);
    }
}

TEST_F(Card, AgreesWithTheCpuAfterOneStep) {
    expect_agreement(Scene(), "default", 40);
}

TEST_F(Card, AgreesWithTheCpuInEverySolverAndMode) {
    Scene scene(0.05);
    scene.parameters.mode = firn::Mode::published;
    expect_agreement(scene, "published");
    scene.parameters.solver = firn::Solver::combined;
    expect_agreement(scene, "published, combined");
    scene.parameters = Scene().parameters;
    scene.parameters.solver = firn::Solver::combined;
    expect_agreement(scene, "combined");
    scene.parameters.solver = firn::Solver::explicit_step;
    scene.parameters.substeps = 1;
    for (float& E : scene.snow.young_modulus) E = 5e3f;  // or it would be unstable
    expect_agreement(scene, "explicit");
    scene = Scene(0.05);
    scene.parameters.pressure_model = firn::PressureModel::incompressible;
    scene.parameters.friction_model = firn::FrictionModel::viscous;
    expect_agreement(scene, "incompressible, viscous friction");
}

/// Runs of particles that two bytes can't number: the lists become wide, the answer stays.
TEST_F(Card, AgreesWithTheCpuWhereParticlesCrowd) {
    Scene scene(0.03);
    scene.snow = scenes::snow_at(scenes::lattice_box(13, 13, 13, 0.0015, {0, 0.05, 0}));  // 2,197 in one cell
    scenes::jitter(scene.snow.position, 1e-4);
    scene.parameters.substeps = 1;
    scene.parameters.pressure_iterations_min = 1;
    scene.parameters.pressure_iterations_max = 1;
    scene.parameters.shear_iterations_max = 1;
    const Particles a = card::simulate(scene, 1, "cpu").out, b = card::simulate(scene, 1, "cuda").out;
    EXPECT_EQ(a.neighbours, b.neighbours);
    EXPECT_GT(largest(a.neighbours), 2000);
    // Two thousand terms of one sign, added one after the other.
    EXPECT_LT(furthest(a.density.data(), b.density.data(), a.count()), 1e-4 * largest(a.density));
}

TEST_F(Card, AgreesInItsStatisticsAfterAHundredSteps) {
    Scene scene;
    scene.parameters.substeps = 10;
    const Particles a = card::simulate(scene, 10, "cpu").out, b = card::simulate(scene, 10, "cuda").out;
    const double mass = scenes::particle_mass(scene.parameters), dx = scene.parameters.spacing;
    // Single particles part ways in a collision; what they do together does not.
    EXPECT_LT(scenes::length(scenes::centre_of_mass(a) - scenes::centre_of_mass(b)), 0.02 * dx);
    EXPECT_NEAR(scenes::kinetic_energy(a, mass), scenes::kinetic_energy(b, mass),
                0.02 * scenes::kinetic_energy(a, mass) + 1e-6);
    EXPECT_LT(scenes::length(scenes::momentum(a, mass) - scenes::momentum(b, mass)),
              0.01 * static_cast<double>(a.count()) * mass * scenes::largest_speed(a));
    EXPECT_NEAR(scenes::highest(a), scenes::highest(b), 0.1 * dx);
    EXPECT_NEAR(scenes::lowest(a), scenes::lowest(b), 0.1 * dx);
    double density_a = 0, density_b = 0;
    for (size_t i = 0; i < a.count(); ++i) {
        density_a += double(a.density[i]) / double(a.count());
        density_b += double(b.density[i]) / double(b.count());
    }
    EXPECT_NEAR(density_a, density_b, 2e-3 * density_a);
    for (size_t i = 0; i < a.count(); ++i) {
        ASSERT_LT(scenes::length(scenes::wide(a.position[i]) - scenes::wide(b.position[i])), 0.5 * dx) << i;
    }
}

TEST_F(Card, GivesTheSameBitsInEveryRun) {
    const Scene scene;
    const card::Outcome first = card::simulate(scene, 2, "cuda"), second = card::simulate(scene, 2, "cuda");
    EXPECT_EQ(card::differences(first.out, second.out), "");
    for (int c = 0; c < 3; ++c) EXPECT_EQ(first.load.force[c], second.load.force[c]);
}

TEST_F(Card, SaysWhatItIs) {
    const std::string text = Engine({}, "cuda:0").device();
    EXPECT_EQ(text.compare(0, 7, "cuda:0,"), 0) << text;
    EXPECT_NE(text.find("sm_"), std::string::npos) << text;
    EXPECT_NE(text.find("GB"), std::string::npos) << text;
    EXPECT_EQ(Engine({}, "auto").device(), text) << "auto takes the card";
    EXPECT_EQ(Engine({}, "auto").notice(), "");
}

}  // namespace
