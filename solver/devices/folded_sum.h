#pragma once

// Sums of floats that do not depend on their order, nor on how the numbers are divided among chunks, threads or
// processes: each number is cut into integers of 20 bits, and integers add up exactly. Where the cuts are depends on
// the largest number alone. A number keeps its 24 bits unless it is 2^36 times smaller than the largest, and counts as
// nothing once it is 2^60 times smaller.

#include <cstdint>

#include "particles/lane.h"

namespace firn::FIRN_LANES {

struct FoldedSum {
    static constexpr int folds = 3;
    static constexpr int32_t fold_bits = 20;
    static constexpr int32_t lowest_top = -5;  ///< of zeros and of all that a float holds below 2^-100
    static constexpr int32_t not_finite = 99;  ///< as `top`

    int32_t top;          ///< all numbers are below 2^(fold_bits * top)
    int64_t part[folds];  ///< in units of 2^(fold_bits * (top - 1 - k))
};

/// The `top` of numbers whose largest has these bits, without its sign.
FIRN_HD int32_t fold_top(uint32_t largest_bits) {
    const int32_t exponent = static_cast<int32_t>(largest_bits >> 23);  // the number is below 2^(exponent - 126)
    if (exponent == 255) return FoldedSum::not_finite;
    constexpr int32_t far = 10;  // keeps what is divided positive
    const int32_t top = (exponent - 126 + (far + 1) * FoldedSum::fold_bits - 1) / FoldedSum::fold_bits - far;
    return top < FoldedSum::lowest_top ? FoldedSum::lowest_top : top;
}

/// 2^n
FIRN_HD float power_of_two(int32_t n) {
    union {
        uint32_t bits;
        float number;
    } const as = {static_cast<uint32_t>(n + 127) << 23};
    return as.number;
}

/// What brings numbers of that top to fold().
FIRN_HD float fold_scale(int32_t top) {
    return power_of_two(-FoldedSum::fold_bits * (top - 1));
}

/// A number times fold_scale(), cut into its parts. Every operation is exact.
FIRN_HD void fold(float scaled, int32_t part[FoldedSum::folds]) {
    constexpr float radix = static_cast<float>(1 << FoldedSum::fold_bits);
    for (int k = 0; k < FoldedSum::folds; ++k) {
        part[k] = static_cast<int32_t>(scaled);  // towards zero: what is below one unit of the last part is nothing
        scaled = (scaled - static_cast<float>(part[k])) * radix;
    }
}

/// Adds two sums: the parts of the one with smaller numbers move down.
FIRN_HD void join(FoldedSum& sum, const FoldedSum& other) {
    FoldedSum small = other;
    if (other.top > sum.top) {
        small = sum;
        sum = other;
    }
    const int32_t down = sum.top - small.top;
    for (int k = down; k < FoldedSum::folds; ++k) sum.part[k] += small.part[k - down];
}

/// The sum as a number; not a number if one of the summands was not finite.
FIRN_HD double folded_value(const FoldedSum& sum) {
    if (sum.top == FoldedSum::not_finite) return ::nan("");
    double value = 0;
    for (int k = FoldedSum::folds; k-- > 0;) {
        const int32_t exponent = FoldedSum::fold_bits * (sum.top - 1 - k);
        value += double(sum.part[k]) * ::ldexp(1.0, exponent);
    }
    return value;
}

}  // namespace firn::FIRN_LANES
