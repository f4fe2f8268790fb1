// CUB as nvcc compiled it, against the standard library, in order and in shuffled orders.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "control.h"
#include "cub_kernels.h"

namespace {

using namespace firn::cuda_on_cpu;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

class CudaOnCpuCub : public testing::TestWithParam<int> {
protected:
    void SetUp() override {
        reset();
        if (GetParam()) run_shuffled(u64(GetParam()));
    }
    void TearDown() override {
        EXPECT_EQ(take_problems(), std::vector<std::string>{});
        EXPECT_EQ(leaks(), std::vector<std::string>{});
    }
    std::mt19937_64 random{42};
    const std::vector<std::size_t> sizes{1, 31, 1000, 20000};
};

TEST_P(CudaOnCpuCub, SortsStably) {
    for (std::size_t n : sizes) {
        std::vector<u64> keys(n);
        for (u64& key : keys) key = random() % (n / 2 + 1) << 20;
        std::vector<u32> values(n), order(n);
        std::iota(values.begin(), values.end(), 0u);
        std::iota(order.begin(), order.end(), 0u);
        const std::vector<u64> before = keys;
        std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return before[a] < before[b]; });
        cub_sort(keys, values, 40);
        EXPECT_EQ(values, order);
        EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    }
}

TEST_P(CudaOnCpuCub, Scans) {
    for (std::size_t n : sizes) {
        std::vector<u32> words(n), sums(n);
        std::vector<u64> longs(n), long_sums(n);
        for (std::size_t k = 0; k < n; ++k) {
            words[k] = u32(random());
            longs[k] = random();
        }
        std::partial_sum(words.begin(), words.end(), sums.begin());
        EXPECT_EQ(cub_inclusive_scan(words), sums);
        std::exclusive_scan(longs.begin(), longs.end(), long_sums.begin(), u64(0));
        EXPECT_EQ(cub_exclusive_scan(longs), long_sums);
    }
}

TEST_P(CudaOnCpuCub, Reduces) {
    for (std::size_t n : sizes) {
        std::vector<double> doubles(n);
        std::vector<float> floats(n);
        for (std::size_t k = 0; k < n; ++k) {
            doubles[k] = double(random() % 1000) - 500;  // whole: sums are exact in any order
            floats[k] = float(doubles[k]) / 7;
        }
        EXPECT_EQ(cub_sum(doubles), std::accumulate(doubles.begin(), doubles.end(), 0.0));
        EXPECT_EQ(cub_max(floats), *std::max_element(floats.begin(), floats.end()));
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, CudaOnCpuCub, testing::Values(0, 1, 2), [](const auto& test) {
    return test.param ? "Shuffled" + std::to_string(test.param) : "InOrder";
});

}  // namespace
