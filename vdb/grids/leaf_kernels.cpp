#include "leaf_kernels.h"

#define FIRN_ROWS baseline
#include "leaf_kernel_rows.h"

namespace firn {

const LeafKernels& leaf_kernels() {
#ifdef FIRN_AVX2_ROWS
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) return avx2::kernels;
#endif
    return baseline::kernels;
}

}  // namespace firn
