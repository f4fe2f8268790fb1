#include "leaf_kernels.h"

#include <cmath>

#define FIRN_ROWS baseline
#include "leaf_kernel_rows.h"

namespace firn {

SplatBlock::SplatBlock(float support_, int channels_)
    : support(support_), channels(channels_), low(static_cast<int>(std::floor(-support_)) + 1) {}

const LeafKernels& leaf_kernels() {
#ifdef FIRN_AVX2_ROWS
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) return avx2::kernels;
#endif
    return baseline::kernels;
}

}  // namespace firn
