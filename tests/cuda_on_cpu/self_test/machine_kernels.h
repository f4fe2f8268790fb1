#pragma once

// Kernels that ask something of the machine: warps, barriers, atomics, memory, faults. Pointers are the device's.

#include <cuda_runtime_api.h>

#include <cstdint>

// Warps: `out` has one value for each of `threads` threads of one block.
void launch_shuffles(const std::uint32_t* in, std::uint32_t* up, std::uint32_t* down, std::uint32_t* across,
                     std::uint32_t* indexed, std::uint32_t distance, std::uint32_t width, std::uint32_t threads);
/// Only the lanes of `mask` take part; the others write 0xffffffff.
void launch_votes(const std::uint32_t* in, std::uint32_t mask, std::uint32_t* ballot, std::uint32_t* all,
                  std::uint32_t* any, std::uint32_t* match, std::uint32_t threads);
void launch_lane_masks(std::uint32_t* out, std::uint32_t threads);
/// Sums of 256 numbers for each of `blocks` blocks, by a tree in shared memory with a barrier in a loop.
void launch_block_sums(const float* in, float* out, std::uint32_t blocks, cudaStream_t stream = nullptr);
/// out[0] = how many threads of the block have an odd value, out[1] = whether all, out[2] = whether any.
void launch_barrier_reductions(const std::uint32_t* in, std::uint32_t* out, std::uint32_t threads);
void launch_named_barriers(std::uint32_t* out);
/// Dynamic shared memory, reversed.
void launch_reverse(const std::uint32_t* in, std::uint32_t* out, std::uint32_t count, std::uint32_t shared_bytes);

struct Atomics {
    std::uint32_t sum, smallest, largest, ones, all_ones, turned, wrapped, taken;
    std::int32_t signed_smallest;
    float float_sum;
    unsigned long long wide_sum;
};
void launch_atomics(Atomics* out, std::uint32_t blocks);
/// A lock that every block takes in turn.
void launch_lock(std::uint32_t* lock, std::uint32_t* counter, std::uint32_t blocks);
/// Each block waits for the one before it, as a scan with look-back does.
void launch_chain(volatile std::uint32_t* flags, std::uint32_t blocks);
/// Every thread writes its number to the same place: the last one wins.
void launch_race(std::uint32_t* out, std::uint32_t blocks, std::uint32_t threads);
/// A neighbour's value from shared memory without a barrier.
void launch_missing_barrier(std::uint32_t* out);

// Memory.
void launch_read(const std::uint32_t* in, std::int64_t index, std::uint32_t* out, cudaStream_t stream = nullptr);
void launch_write(std::uint32_t* out, std::int64_t index, std::uint32_t value, cudaStream_t stream = nullptr);
void launch_misaligned(const char* in, std::uint32_t* out);
void launch_shared_overrun(std::uint32_t* out, std::uint32_t index);
void launch_add(const std::uint32_t* in, std::uint32_t* out, std::uint32_t count, std::uint32_t what,
                cudaStream_t stream = nullptr);
/// An indexed table in local memory, a function that is called, a switch.
void launch_calls(const std::uint32_t* in, std::uint32_t* out, std::uint32_t count);
/// Constant and global variables.
void set_constant(const float (&values)[4]);
void launch_constants(float* out);

// Faults of their own.
void launch_exited_lane(std::uint32_t* out);
void launch_never(volatile std::uint32_t* flag);
void launch_assert(std::uint32_t value);
void launch_work(const float* in, float* out, std::uint32_t count);
