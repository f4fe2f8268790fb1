// Snow between details and Particles.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <random>

#include "firn/engine.h"
#include "firn/error.h"
#include "particle_transfer.h"
#include "scenes/scenes.h"
#include "snow_details.h"

namespace {

firn::Particles random_snow(size_t count) {
    firn::Particles particles;
    std::mt19937 random(7);
    std::uniform_real_distribution<float> number(-1, 1);
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        array.resize(particles, count);
        for (size_t k = 0; k < count * static_cast<size_t>(array.components); ++k)
            array.data(particles)[k] = number(random);
    }
    for (size_t i = 0; i < count; ++i) particles.id[i] = static_cast<int64_t>(i) + (int64_t(1) << 40);
    return particles;
}

const std::vector<firn::ArrayRole> all = {firn::ArrayRole::required, firn::ArrayRole::state, firn::ArrayRole::input,
                                          firn::ArrayRole::result};

TEST(Transfer, EveryArrayComesBackToTheBit) {
    // Past some pages, and not a whole number of them.
    const firn::Particles snow = random_snow(5000);
    GU_Detail detail;
    detail.appendPointBlock(5000);
    firn::write_particles(detail, firn::point_blocks(detail), snow, {}, all);
    EXPECT_EQ(differences(snow_of(detail), snow), "");
    EXPECT_EQ(differences(firn::read_particles(detail, firn::point_blocks(detail)), snow), "");
}

TEST(Transfer, DestroyedPointsArePassedOver) {
    GU_Detail detail;
    detail.appendPointBlock(3000);
    for (const GA_Offset hole : {0, 1, 1023, 1024, 2047, 2999}) detail.destroyPointOffset(hole);
    const firn::Particles snow = random_snow(2994);
    const std::vector<firn::PointBlock> blocks = firn::point_blocks(detail);
    ASSERT_EQ(firn::point_count(blocks), 2994u);
    for (const firn::PointBlock& block : blocks)
        EXPECT_EQ(block.start / GA_PAGE_SIZE, (block.start + block.count - 1) / GA_PAGE_SIZE);
    firn::write_particles(detail, blocks, snow, {}, all);
    EXPECT_EQ(differences(snow_of(detail), snow), "");
    EXPECT_EQ(differences(firn::read_particles(detail, blocks), snow), "");
}

TEST(Transfer, HoudinisOwnKindsOfNumbersAreRead) {
    GU_Detail detail;
    add_points(detail, {{0, 0, 0}, {1, 0, 0}});
    GA_RWHandleI(detail.addIntTuple(GA_ATTRIB_POINT, "id", 1)).set(1, 12);
    GA_RWHandleD(
        detail.addFloatTuple(GA_ATTRIB_POINT, "young_modulus", 1, GA_Defaults(0.0), nullptr, nullptr, GA_STORE_REAL64))
        .set(1, 5e5);
    const firn::Particles snow = firn::read_particles(detail, firn::point_blocks(detail));
    EXPECT_EQ(snow.id[1], 12);
    EXPECT_EQ(snow.young_modulus[1], 5e5f);
    detail.addStringTuple(GA_ATTRIB_POINT, "pressure", 1);
    EXPECT_THROW(firn::read_particles(detail, firn::point_blocks(detail)), firn::Error);
}

TEST(Transfer, WhatTheArraysHeldBeforeIsGone) {
    firn::Particles into = random_snow(5000);
    GU_Detail detail;
    add_points(detail, {{1, 2, 3}, {4, 5, 6}});
    firn::read_particles(detail, firn::point_blocks(detail), into);
    EXPECT_EQ(into.count(), 2u);
    EXPECT_EQ(into.position[1].y, 5.0f);
    EXPECT_TRUE(into.id.empty() && into.velocity.empty() && into.strain.empty() && into.density.empty());
}

TEST(Transfer, NothingIsNothing) {
    GU_Detail detail;
    EXPECT_TRUE(firn::point_blocks(detail).empty());
    EXPECT_EQ(firn::read_particles(detail, {}).count(), 0u);
    EXPECT_EQ(firn::spacing_of(detail), 0.0f);
}

/// In and out together take well under a tenth of one substep; bench/transfer.cpp has the figures of a million.
TEST(Transfer, IsCheapBesideAStep) {
    using Clock = std::chrono::steady_clock;
    const auto seconds = [](const std::function<void()>& work) {
        const Clock::time_point start = Clock::now();
        work();
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    firn::Parameters parameters;
    parameters.substeps = 1;
    firn::Particles snow;
    snow.position = scenes::lattice_box(46, 46, 46, 0.02);
    firn::Engine engine(parameters, "cpu");
    engine.upload(snow);
    const double step = seconds([&] { engine.advance(1e-4); });
    engine.download(snow);
    GU_Detail detail;
    detail.appendPointBlock(static_cast<GA_Size>(snow.count()));
    const std::vector<firn::PointBlock> blocks = firn::point_blocks(detail);
    double in = 1e9, out = 1e9;
    firn::Particles back;
    for (int k = 0; k < 3; ++k) {
        out = std::min(out, seconds([&] { firn::write_particles(detail, blocks, snow, parameters, all); }));
        in = std::min(in, seconds([&] { firn::read_particles(detail, blocks, back); }));
    }
    std::printf("%zu particles: in %.2f ms, out %.2f ms, one substep %.0f ms: %.3f of it\n", snow.count(), 1e3 * in,
                1e3 * out, 1e3 * step, (in + out) / step);
#ifdef NDEBUG
    EXPECT_LT(in + out, 0.1 * step);
#endif
}

}  // namespace
