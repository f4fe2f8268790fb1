#pragma once

// Sorting and scanning on a card, by CUB.

#include <cstdint>

namespace firn {

class CudaStream;

/// Stable, by the lowest `bits` bits of the keys. The scratch arrays hold as many.
void cuda_sort_pairs(CudaStream&, uint64_t* keys, uint32_t* values, uint64_t* key_scratch, uint32_t* value_scratch,
                     uint32_t count, int bits);

/// Inclusive sums, in place.
void cuda_scan(CudaStream&, uint32_t* values, uint32_t count);
void cuda_scan(CudaStream&, uint64_t* values, uint32_t count);

}  // namespace firn
