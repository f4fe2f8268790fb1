// Snow as a scene places it.

#include "snow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "firn/engine.h"
#include "firn/error.h"

namespace {

using firn::Float3;
using firn::Particles;
using firn::Scene;

Particles placed(const Scene& scene, int frame = 1) {
    firn::SnowPlacer placer(scene);
    Particles particles;
    int64_t next_id = 0;
    placer.place(frame, particles, next_id);
    EXPECT_EQ(static_cast<size_t>(next_id), particles.count());
    return particles;
}

Scene scene_of(const std::string& text) {
    return firn::parse_scene("[scene]\nspacing = 0.05\n" + text, "x.toml");
}

TEST(PlacedSnow, ABoxHasAsManyParticlesAsFit) {
    const Particles p = placed(scene_of("[[snow]]\nsize = [0.3, 0.2, 0.1]\nposition = [1, 0.1, 0]"));
    EXPECT_EQ(p.count(), 6u * 4 * 2);
    float low = 1e9f, high = -1e9f;
    for (const Float3& x : p.position) {
        low = std::min(low, x.y);
        high = std::max(high, x.y);
    }
    // It stands on y = 0: half a spacing above it.
    EXPECT_NEAR(low, 0.025, 1e-6);
    EXPECT_NEAR(high, 0.175, 1e-6);
}

TEST(PlacedSnow, RoundShapesHaveTheirVolume) {
    constexpr double pi = 3.14159265358979;
    const double cell = 0.05 * 0.05 * 0.05;
    const Particles ball = placed(scene_of("[[snow]]\nshape = \"sphere\"\nradius = 0.5"));
    EXPECT_NEAR(ball.count() * cell, 4.0 / 3 * pi * 0.125, 0.02 * 4.0 / 3 * pi * 0.125);
    const Particles drum = placed(scene_of("[[snow]]\nshape = \"cylinder\"\nradius = 0.5\nheight = 0.4"));
    EXPECT_NEAR(drum.count() * cell, pi * 0.25 * 0.4, 0.02 * pi * 0.25 * 0.4);
}

/// kg
double mass_of(const Particles& p, double spacing, double density = 400) {
    double sum = 0;
    for (size_t i = 0; i < p.count(); ++i) sum += p.rest_density.empty() ? density : double(p.rest_density[i]);
    return sum * spacing * spacing * spacing;
}

Scene at_spacing(const std::string& spacing, const std::string& text) {
    return firn::parse_scene("[scene]\nspacing = " + spacing + "\n" + text, "x.toml");
}

TEST(PlacedSnow, ABodyHasItsMassAndSizeAtAnySpacing) {
    constexpr double pi = 3.14159265358979;
    for (const std::string spacing : {"0.12", "0.08", "0.05", "0.031"}) {
        const double s = std::stod(spacing);
        const Particles cube = placed(at_spacing(spacing, "[[snow]]\nsize = [1, 1, 1]"));
        EXPECT_NEAR(mass_of(cube, s), 400, 0.5) << spacing;
        float top = 0;
        for (const Float3& x : cube.position) top = std::max(top, x.y);
        const double layers = std::round(1 / s);
        EXPECT_NEAR(2 * top * layers / (layers - 1), 1, 1e-4) << spacing;

        const double ball = 100 * 4.0 / 3 * pi * 0.125;
        const std::string sphere = "[[snow]]\nshape = \"sphere\"\nradius = 0.5\ndensity = 100";
        EXPECT_NEAR(mass_of(placed(at_spacing(spacing, sphere)), s), ball, 0.002 * ball) << spacing;
        EXPECT_NEAR(mass_of(placed(at_spacing(spacing, sphere + "\njitter = 0.5")), s), ball, 0.002 * ball) << spacing;
        EXPECT_NEAR(mass_of(placed(at_spacing(spacing, sphere + "\nfilling = \"relaxed\"")), s), ball, 0.01 * ball)
            << spacing;
        const std::string drum = "[[snow]]\nshape = \"cylinder\"\nradius = 0.4\nheight = 0.9";
        EXPECT_NEAR(mass_of(placed(at_spacing(spacing, drum)), s), 400 * pi * 0.16 * 0.9, 0.4) << spacing;
    }
}

TEST(PlacedSnow, NewSnowOfAnySpacingIsAtRest) {
    // With the stretch that some of these have, and at their corners, snow looks up to a third denser or looser.
    for (const std::string spacing : {"0.12", "0.112", "0.094", "0.08", "0.053", "0.05"}) {
        const Scene scene = at_spacing(spacing,
                                       "gravity = [0, 0, 0]\n[[snow]]\nsize = [1, 0.6, 0.5]\n"
                                       "[[snow]]\nshape = \"sphere\"\nradius = 0.5\nposition = [3, 0, 0]");
        const Particles snow = placed(scene);
        firn::Engine engine(scene.parameters);
        engine.upload(snow);
        engine.advance(0.002);
        Particles after;
        engine.download(after);
        for (size_t i = 0; i < after.count(); ++i) {
            ASSERT_NEAR(after.compaction[i], 1, 1e-5) << spacing << " " << i;
            ASSERT_EQ(after.damage[i], 0) << spacing << " " << i;
        }
    }
}

TEST(PlacedSnow, BodiesThatComeLaterLeaveTheDensityOfTheOthers) {
    const Scene scene = scene_of(
        "[[snow]]\nsize = [0.2, 0.2, 0.2]\n[[snow]]\nsize = [0.32, 0.2, 0.2]\nposition = [1, 0, 0]\nstart = 3\n"
        "[[snow]]\nsize = [1, 0.2, 1]\nposition = [5, 0, 0]\nrate = 10\nstart = 4");
    firn::SnowPlacer placer(scene);
    Particles particles;
    int64_t next_id = 0;
    placer.place(1, particles, next_id);
    EXPECT_TRUE(particles.rest_density.empty());
    placer.place(3, particles, next_id);
    placer.place(4, particles, next_id);
    ASSERT_EQ(particles.rest_density.size(), particles.count());
    EXPECT_EQ(particles.rest_density.front(), 400);
    EXPECT_NEAR(particles.rest_density[64], 400 * 0.32 / 0.3, 0.1);
    EXPECT_EQ(particles.rest_density.back(), 400) << "a flake weighs what its spacing says";
}

TEST(PlacedSnow, SpinIsAboutTheMiddle) {
    const Particles p = placed(
        scene_of("[[snow]]\nsize = [0.2, 0.2, 0.2]\nposition = [3, 0, 0]\nvelocity = [0, 5, 0]\nspin = [0, 0, 180]"));
    const double w = 3.14159265358979;
    for (size_t i = 0; i < p.count(); ++i) {
        EXPECT_NEAR(p.velocity[i].x, -w * p.position[i].y, 1e-4);
        EXPECT_NEAR(p.velocity[i].y, 5 + w * (p.position[i].x - 3), 1e-4);
    }
}

TEST(PlacedSnow, OneKindOfSnowCostsNoArrays) {
    const Particles same =
        placed(scene_of("[[snow]]\nsize = [0.2, 0.2, 0.2]\n[[snow]]\nsize = [0.2, 0.2, 0.2]\nposition = [1, 0, 0]"));
    EXPECT_TRUE(same.young_modulus.empty());
    EXPECT_TRUE(same.rest_density.empty());
    const Particles two = placed(scene_of(
        "[[snow]]\nsize = [0.2, 0.2, 0.2]\n[[snow]]\nsize = [0.2, 0.2, 0.2]\nposition = [1, 0, 0]\ndensity = 100"));
    ASSERT_EQ(two.rest_density.size(), two.count());
    EXPECT_EQ(two.rest_density.front(), 400);
    EXPECT_EQ(two.rest_density.back(), 100);
    EXPECT_TRUE(two.young_modulus.empty());
}

TEST(PlacedSnow, NoiseVariesAroundTheValueAndDependsOnTheSeed) {
    const auto with = [](const std::string& seed) {
        return placed(
            scene_of("[[snow]]\nmaterial = { noise = { amplitude = 0.5, scale = 0.2, seed = " + seed + " } }"));
    };
    const Particles a = with("1"), b = with("2"), again = with("1");
    ASSERT_EQ(a.young_modulus.size(), a.count());
    EXPECT_EQ(a.young_modulus, again.young_modulus);
    EXPECT_NE(a.young_modulus, b.young_modulus);
    EXPECT_TRUE(a.rest_density.empty()) << "not asked for";
    double sum = 0;
    for (const float E : a.young_modulus) {
        EXPECT_LE(E, 140e3f * std::exp(0.5f) * 1.0001f);
        EXPECT_GE(E, 140e3f * std::exp(-0.5f) * 0.9999f);
        sum += std::log(E / 140e3f);
    }
    EXPECT_NEAR(sum / static_cast<double>(a.count()), 0, 0.1);
}

TEST(PlacedSnow, BodiesAppearAtTheirFrame) {
    const Scene scene = scene_of("[[snow]]\nsize = [0.2, 0.2, 0.2]\nstart = 7");
    EXPECT_EQ(placed(scene, 1).count(), 0u);
    EXPECT_EQ(placed(scene, 7).count(), 64u);
    EXPECT_EQ(placed(scene, 8).count(), 0u);
}

TEST(PlacedSnow, ASourceGivesItsMassAndNeverOnTopOfOthers) {
    const Scene scene = scene_of("[[snow]]\nsize = [2, 1, 2]\nrate = 30\nend = 24\ndensity = 100");
    firn::SnowPlacer placer(scene);
    Particles particles;
    int64_t next_id = 0;
    for (int frame = 1; frame <= 30; ++frame) placer.place(frame, particles, next_id);
    // One second at 30 kg/s, of flakes that weigh 100 * 0.05^3 kg. Flakes that find no room are lost, few here.
    const double wanted = 30 / (100 * 0.05 * 0.05 * 0.05);
    EXPECT_NEAR(static_cast<double>(particles.count()), wanted, 0.02 * wanted);
    float nearest = 1e9f;
    for (size_t i = 0; i < particles.count(); ++i) {
        for (size_t k = 0; k < i; ++k) {
            const Float3 &a = particles.position[i], &b = particles.position[k];
            nearest = std::min(nearest, std::hypot(a.x - b.x, a.y - b.y, a.z - b.z));
        }
    }
    EXPECT_GE(nearest, 0.9f * 0.05f * 0.9999f);
    const std::set<int64_t> ids(particles.id.begin(), particles.id.end());
    EXPECT_EQ(ids.size(), particles.count());
}

TEST(PlacedSnow, TooSmallAndTooFarAreRefused) {
    EXPECT_THROW(placed(scene_of("[[snow]]\nsize = [0.01, 0.01, 0.01]")), firn::Error);
    EXPECT_THROW(placed(scene_of("[[snow]]\nposition = [900000, 0, 0]")), firn::Error);
    EXPECT_THROW(placed(scene_of("[[snow]]\nsize = [1e5, 1e5, 1e5]")), firn::Error);
}

TEST(Noise, IsSmoothAndBounded) {
    double before = firn::smooth_noise(0, 0.3, 0.7, 5), largest = 0;
    for (int k = 1; k < 5000; ++k) {
        const double now = firn::smooth_noise(0.01 * k, 0.3, 0.7, 5);
        largest = std::max(largest, std::abs(now));
        EXPECT_LE(std::abs(now), 1);
        // The ease has slope 15/8 at most and corners differ by 2: 0.01 * 15/8 * 2 * (2 + 2) / 3.
        EXPECT_LE(std::abs(now - before), 0.0501);
        before = now;
    }
    EXPECT_GT(largest, 0.4);
}

TEST(Appending, FillsUpWhatOnlyOneHas) {
    Particles a, b;
    a.position = {{1, 0, 0}};
    a.strain.resize(1);
    a.strain[0].xx = 3;
    b.position = {{2, 0, 0}, {3, 0, 0}};
    b.density = {5, 6};
    firn::append(a, b);
    ASSERT_EQ(a.count(), 3u);
    ASSERT_EQ(a.strain.size(), 3u);
    EXPECT_EQ(a.strain[0].xx, 3);
    EXPECT_EQ(a.strain[2].xx, 0);
    EXPECT_EQ(a.density, (std::vector<float>{0, 5, 6}));
    EXPECT_EQ(a.position[2].x, 3);
    EXPECT_TRUE(a.velocity.empty());
}

}  // namespace
