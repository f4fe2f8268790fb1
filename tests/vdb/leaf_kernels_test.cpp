// Volumes must not depend on the processor that made them: the loops for AVX2 give the bits of the plain ones.

#if defined(__x86_64__)

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "vdb/grids/leaf_kernels.h"

namespace {

using namespace firn;

struct Cloud {
    std::vector<NearParticle> near;
    std::vector<Float3> local, vector;
    std::vector<float> scalar;

    explicit Cloud(size_t count) {
        std::mt19937 random(7);
        std::uniform_real_distribution<float> inside(0, 8), around(-8, 16), value(-1, 1);
        for (size_t k = 0; k < count; ++k) {
            near.push_back({around(random), around(random), around(random), static_cast<uint32_t>(k)});
            local.push_back({inside(random), inside(random), inside(random)});
            vector.push_back({value(random), value(random), value(random)});
            scalar.push_back(value(random));
        }
    }
};

/// What every kernel writes, one after the other.
std::vector<float> results(const LeafKernels& kernels, float support) {
    const Cloud c(200);
    const size_t count = c.near.size();
    std::vector<float> all;
    const auto keep = [&](const std::vector<float>& sums) { all.insert(all.end(), sums.begin(), sums.end()); };
    std::vector<float> sums(leaf_voxels), weights(leaf_voxels), values(3 * leaf_voxels);
    kernels.add(c.near.data(), count, c.scalar.data(), support, sums.data());
    kernels.add_scalar(c.near.data(), count, c.scalar.data(), support, weights.data(), values.data());
    kernels.add_vector(c.near.data(), count, c.vector.data(), support, weights.data(), values.data());
    kernels.add_vector_wide(c.near.data(), count, c.vector.data(), 6.5f, 1e-3f, VoxelBox{{1, 0, 2}, {6, 7, 5}},
                            weights.data(), values.data());
    keep(sums);
    keep(weights);
    keep(values);
    std::vector<float> squared(leaf_voxels, 100.0f);
    kernels.nearest(c.near.data(), count, 5.0f, squared.data());
    keep(squared);
    if (support > 4) return all;
    for (const int channels : {1, 2, 4}) {
        const SplatBlock block(support, channels);
        std::vector<float> block_sums(static_cast<size_t>(block.floats()) + 2 * splat_margin, 0.0f);
        float* inside = block_sums.data() + splat_margin;
        const Float3 leaf{8, 0, 8};
        if (channels == 1) kernels.splat(block, leaf, c.local.data(), count, c.scalar.data(), inside);
        if (channels == 2) kernels.splat_scalar(block, leaf, c.local.data(), count, c.scalar.data(), inside);
        if (channels == 4) kernels.splat_vector(block, leaf, c.local.data(), count, c.vector.data(), inside);
        keep(block_sums);
        constexpr int around = leaves_around_tile * leaves_around_tile * leaves_around_tile;
        std::vector<float> leaves(static_cast<size_t>(around * channels * leaf_voxels));
        float* leaf_sums[around];
        for (int k = 0; k < around; ++k) leaf_sums[k] = leaves.data() + k * channels * leaf_voxels;
        leaf_sums[5] = nullptr;
        kernels.move_block(block, SplatRows{{0, 1}, {splat_edge, splat_edge - 1}}, inside, leaf_sums);
        keep(leaves);
        keep(block_sums);
    }
    return all;
}

TEST(LeafKernels, ForAvx2GiveTheBitsOfThePlainOnes) {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
    for (const float support : {4.0f, 3.6f, 3.0f, 2.0f, 1.3f, 7.5f}) {
        const std::vector<float> plain = results(baseline::kernels, support), wide = results(avx2::kernels, support);
        ASSERT_EQ(plain.size(), wide.size());
        EXPECT_EQ(std::memcmp(plain.data(), wide.data(), plain.size() * sizeof(float)), 0) << "support " << support;
    }
}

/// A block's sums arrive where they belong, and the block is empty afterwards.
TEST(LeafKernels, MoveABlockToTheLeavesAroundIt) {
    const SplatBlock block(4, 1);
    std::vector<float> memory(static_cast<size_t>(block.floats()) + 2 * splat_margin, 0.0f);
    float* sums = memory.data() + splat_margin;
    for (int k = 0; k < block.floats(); ++k) sums[k] = static_cast<float>(k + 1);
    constexpr int edge = leaves_around_tile, around = edge * edge * edge;
    std::vector<float> leaves(around * leaf_voxels);
    float* leaf[around];
    for (int k = 0; k < around; ++k) leaf[k] = leaves.data() + k * leaf_voxels;
    leaf_kernels().move_block(block, SplatRows{{0, 0}, {splat_edge, splat_edge}}, sums, leaf);

    for (int x = -leaf_edge; x < 3 * leaf_edge; ++x) {
        for (int y = -leaf_edge; y < 3 * leaf_edge; ++y) {
            for (int z = -leaf_edge; z < 3 * leaf_edge; ++z) {
                const int at[3] = {x - block.low, y - block.low, z - block.low};
                bool is_in_block = true;
                for (const int a : at) is_in_block &= a >= 0 && a < splat_edge;
                const int expected = is_in_block ? (at[0] * splat_edge + at[1]) * splat_edge + at[2] + 1 : 0;
                const int i = x + leaf_edge, j = y + leaf_edge, k = z + leaf_edge;
                const float found = leaf[(i / 8 * edge + j / 8) * edge + k / 8][i % 8 * 64 + j % 8 * 8 + k % 8];
                ASSERT_EQ(found, static_cast<float>(expected)) << x << ' ' << y << ' ' << z;
            }
        }
    }
    for (const float left : memory) ASSERT_EQ(left, 0.0f);
}

}  // namespace

#endif
