#pragma once

// Threads for the CPU device. The only file that knows TBB is cpu_threads.cpp: everything here is plain, so that
// kernels compiled for AVX2 share no inline function with the rest of the program.

#include <cstddef>
#include <cstdint>

#include "firn/memory.h"

namespace firn {

class Threads {
public:
    using Body = void (*)(const void* context, uint32_t begin, uint32_t end);

    /// `count` 0 = one for each core.
    explicit Threads(int count);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    int count() const { return count_; }

    /// Calls body(context, begin, end) for every range of `grain` items that [0, items) divides into. The division
    /// depends on `items` and `grain` alone, never on the number of threads.
    void run(uint32_t items, uint32_t grain, Body body, const void* context) const;

    /// Stable sort of (key, value) pairs by the lowest `bits` bits of the keys. The scratch arrays hold as many.
    void sort_pairs(uint64_t* keys, uint32_t* values, uint64_t* key_scratch, uint32_t* value_scratch, uint32_t count,
                    int bits) const;

private:
    struct Arena;
    Arena* arena_;
    int count_;
};

/// 64-byte aligned memory, zeroed. Throws firn::Error when there is none.
void* allocate_aligned(size_t bytes);
void free_aligned(void*) noexcept;

}  // namespace firn
