#pragma once

// Which scratch arrays of a step share memory. Plain: the same plan holds on every device, and tests look at it.

#include <cstddef>
#include <cstdint>

namespace firn {

/// Where in a step an array lives. Stages count up from 0 in the order in which they happen.
struct Lifetime {
    uint8_t first = 0;  ///< stage that writes it
    uint8_t last = 0;   ///< stage that reads it for the last time
};

/// Lives through the whole step and beyond it.
constexpr Lifetime always{0, 255};

/// Arrays that only some settings need get memory of their own, once it is needed.
enum class ScratchPool : uint8_t { main, second, third, fourth };
constexpr size_t scratch_pools = 4;

/// One row of a method's table of scratch arrays.
struct ScratchArray {
    const char* name = "";
    uint8_t words = 0;  ///< of four bytes, per particle
    Lifetime lifetime = {};
    /// The row whose memory it takes over, each particle reading its own old value before it writes the new one;
    /// -1 = none. A row comes after the one that it takes over.
    int8_t takes_over = -1;
    ScratchPool pool = ScratchPool::main;
};

constexpr size_t most_scratch_arrays = 80;

/// The place of each row: `word[row]` words of the particles come before it in its pool.
struct WorkspacePlan {
    uint16_t word[most_scratch_arrays];
    uint16_t words[scratch_pools];  ///< of a pool, per particle
};

/// Rows that never live at the same time share memory. With `separate`, every row has memory of its own.
WorkspacePlan plan_workspace(const ScratchArray* rows, size_t count, bool separate);

}  // namespace firn
