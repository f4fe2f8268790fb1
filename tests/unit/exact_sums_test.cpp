// Sums that do not depend on order or division: of reductions (FoldedSum) and of forces on bodies (ExactSum).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#define FIRN_LANES lanes1
#define FIRN_LANE_WIDTH 1
#include "devices/cpu_execution.h"
#include "particles/body_impulses.h"

namespace {

using namespace firn::lanes1;

struct Numbers {
    const float* values;
    Values<2> operator()(uint32_t i) const { return {{values[i], values[i] * values[i]}}; }
};

double sum(const std::vector<float>& values, int threads = 1) {
    Execution on(threads);
    double out[2];
    on.sum<2>(static_cast<uint32_t>(values.size()), Numbers{values.data()}, out);
    return out[0];
}

/// Over fifty powers of two, of both signs.
std::vector<float> wild_numbers(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i) {
        const float size =
            std::ldexp(1.0f + static_cast<float>(random() % 1000) / 1000, static_cast<int>(random() % 50) - 30);
        values.push_back(random() % 2 ? size : -size);
    }
    return values;
}

TEST(ReducedSums, AgreeWithQuadruplePrecision) {
    for (const size_t count : {1u, 7u, 2048u, 100000u}) {
        const std::vector<float> values = wild_numbers(count, 3);
        long double exact = 0, sizes = 0;
        for (const float v : values) {
            exact += v;
            sizes += std::abs(v);
        }
        // Each number may lose what is below 2^-40 of the largest.
        EXPECT_NEAR(sum(values), static_cast<double>(exact), static_cast<double>(sizes) * 1e-12) << count;
    }
    EXPECT_EQ(sum({}), 0);
    EXPECT_EQ(sum({0, 0, 0}), 0);
    EXPECT_EQ(sum({1e-30f, 2e-30f}), double(1e-30f) + double(2e-30f));
    EXPECT_EQ(sum({3e38f, 3e38f}), 2 * double(3e38f)) << "beyond what a float holds";
}

TEST(ReducedSums, DependNeitherOnOrderNorOnThreads) {
    std::vector<float> values = wild_numbers(50000, 5);
    const double before = sum(values);
    for (int round = 0; round < 20; ++round) {
        std::shuffle(values.begin(), values.end(), std::mt19937(static_cast<unsigned>(round)));
        ASSERT_EQ(sum(values, 1 + round % 2), before);
    }
}

TEST(ReducedSums, OfPartsJoinToTheSumOfTheWhole) {
    // As ranks would: each has some of the numbers, whose largest differ, and their sums are joined in any order.
    const std::vector<float> values = wild_numbers(9000, 7);
    const auto folded = [](const float* from, size_t count) {
        uint32_t largest = 0;
        for (size_t k = 0; k < count; ++k) largest = std::max(largest, size_bits(from[k]));
        FoldedSum part{fold_top(largest), {0, 0, 0}};
        for (size_t k = 0; k < count; ++k) {
            int32_t parts[FoldedSum::folds];
            fold(from[k] * fold_scale(part.top), parts);
            for (int f = 0; f < FoldedSum::folds; ++f) part.part[f] += parts[f];
        }
        return part;
    };
    const double whole = folded_value(folded(values.data(), values.size()));
    EXPECT_EQ(whole, sum(values));
    std::mt19937 random(11);
    for (int round = 0; round < 50; ++round) {
        std::vector<FoldedSum> parts;
        for (size_t at = 0; at < values.size();) {
            const size_t count = std::min<size_t>(1 + random() % 900, values.size() - at);
            parts.push_back(folded(values.data() + at, count));
            at += count;
        }
        std::shuffle(parts.begin(), parts.end(), random);
        FoldedSum total = parts[0];
        for (size_t k = 1; k < parts.size(); ++k) join(total, parts[k]);
        ASSERT_EQ(folded_value(total), whole);
    }
}

TEST(ReducedSums, AreNotANumberWhereOneSummandIsNot) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        std::vector<float> values(5000, 1.0f);
        values[4321] = bad;
        EXPECT_FALSE(std::isfinite(sum(values)));
    }
}

TEST(BodySums, AreExactInAnyOrder) {
    std::vector<float> values = wild_numbers(5000, 13);
    long double exact = 0;
    for (const float v : values) exact += v;
    values.push_back(1e30f);
    values.push_back(-1e30f);
    double first = 0;
    for (int round = 0; round < 10; ++round) {
        ExactSum total{};
        for (const float v : values) total.add(v);
        if (round == 0) first = total.value();
        ASSERT_EQ(total.value(), first);
        std::shuffle(values.begin(), values.end(), std::mt19937(static_cast<unsigned>(round)));
    }
    // 1e30 and -1e30 are gone without a trace, which no floating-point sum manages.
    EXPECT_NEAR(first, static_cast<double>(exact), 1e-9 * std::abs(static_cast<double>(exact)));
}

}  // namespace
