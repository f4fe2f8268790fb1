#include "machine_kernels.h"

#include <cassert>

namespace {

using u32 = std::uint32_t;

__global__ void shuffles(const u32* in, u32* up, u32* down, u32* across, u32* indexed, u32 distance, u32 width) {
    const u32 i = threadIdx.x;
    const u32 value = in[i];
    up[i] = __shfl_up_sync(0xffffffffu, value, distance, int(width));
    down[i] = __shfl_down_sync(0xffffffffu, value, distance, int(width));
    across[i] = __shfl_xor_sync(0xffffffffu, value, int(distance), int(width));
    indexed[i] = __shfl_sync(0xffffffffu, value, int(distance), int(width));
}

__global__ void votes(const u32* in, u32 mask, u32* ballot, u32* all, u32* any, u32* match) {
    const u32 i = threadIdx.x;
    ballot[i] = all[i] = any[i] = match[i] = 0xffffffffu;
    if (!(mask >> (i & 31) & 1)) return;
    ballot[i] = __ballot_sync(mask, in[i] & 1);
    all[i] = u32(__all_sync(mask, in[i] & 1));
    any[i] = u32(__any_sync(mask, in[i] & 1));
    match[i] = __match_any_sync(mask, in[i]);
}

__global__ void lane_masks(u32* out) {
    u32 lane, less, less_or_equal, greater, equal;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(less));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(less_or_equal));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(greater));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(equal));
    u32* const to = out + 5 * threadIdx.x;
    to[0] = lane;
    to[1] = less;
    to[2] = less_or_equal;
    to[3] = greater;
    to[4] = equal;
}

__global__ void block_sums(const float* in, float* out) {
    __shared__ float part[256];
    const u32 i = threadIdx.x;
    part[i] = in[blockIdx.x * 256 + i];
    for (u32 half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (i < half) part[i] += part[i + half];
    }
    if (i == 0) out[blockIdx.x] = part[0];
}

__global__ void barrier_reductions(const u32* in, u32* out) {
    const int odd = int(in[threadIdx.x] & 1);
    const int count = __syncthreads_count(odd), all = __syncthreads_and(odd), any = __syncthreads_or(odd);
    if (threadIdx.x + 1 == blockDim.x) {
        out[0] = u32(count);
        out[1] = u32(all != 0);
        out[2] = u32(any != 0);
    }
}

// The first warp brings, the second fetches: two barriers by number, as warp specialisation uses them.
__global__ void named_barriers(u32* out) {
    __shared__ u32 box[32];
    const u32 lane = threadIdx.x & 31;
    for (u32 round = 0; round < 4; ++round) {
        if (threadIdx.x < 32) {
            box[lane] = round * 100 + lane;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[round * 32 + lane] = box[31 - lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}

__global__ void reverse(const u32* in, u32* out, u32 count) {
    extern __shared__ u32 row[];
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = row[count - 1 - threadIdx.x];
}

__global__ void atomics(Atomics* out) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out->sum, i);
    atomicMin(&out->smallest, i + 5);
    atomicMax(&out->largest, i);
    atomicOr(&out->ones, 1u << (i & 31));
    atomicAnd(&out->all_ones, ~(1u << (i & 7)));
    atomicXor(&out->turned, i);
    atomicInc(&out->wrapped, 9);
    atomicMin(&out->signed_smallest, -int(i));
    atomicAdd(&out->float_sum, 0.5f);
    atomicAdd(&out->wide_sum, 0x100000000ull);
    if (atomicCAS(&out->taken, 0u, i + 1) == 0) atomicAdd(&out->sum, 0u);
}

__global__ void lock_and_count(u32* lock, u32* counter) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0u, 1u) != 0) {
    }
    __threadfence();
    *counter = *counter + 1;
    __threadfence();
    atomicExch(lock, 0u);
}

__global__ void chain(volatile u32* flags) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x > 0) {
        while (flags[blockIdx.x - 1] == 0) {
        }
    }
    flags[blockIdx.x] = blockIdx.x == 0 ? 1 : flags[blockIdx.x - 1] + 1;
}

__global__ void race(u32* out) {
    *out = blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void missing_barrier(u32* out) {
    __shared__ volatile u32 row[64];
    row[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = row[63 - threadIdx.x];
}

__global__ void read_at(const u32* in, std::int64_t index, u32* out) {
    *out = in[index];
}

__global__ void write_at(u32* out, std::int64_t index, u32 value) {
    out[index] = value;
}

__global__ void misaligned(const char* in, u32* out) {
    *out = *reinterpret_cast<const volatile u32*>(in + 2);
}

__global__ void shared_overrun(u32* out, u32 index) {
    __shared__ volatile u32 row[32];
    row[index] = 1;
    *out = row[0];
}

__global__ void add(const u32* in, u32* out, u32 count, u32 what) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] + what;
}

__noinline__ __device__ u32 collatz(u32 n) {
    u32 steps = 0;
    for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

__noinline__ __device__ void turn(float* row, int by) {
    float copy[8];
    for (int k = 0; k < 8; ++k) copy[k] = row[(k + by) & 7];
    for (int k = 0; k < 8; ++k) row[k] = copy[k];
}

__device__ u32 choose(u32 which, u32 x) {
    switch (which) {
        case 0:
            return x + 11;
        case 1:
            return x * 3;
        case 2:
            return x ^ 0x55;
        case 3:
            return x >> 2;
        case 4:
            return x << 5;
        case 5:
            return ~x;
        case 6:
            return x - 1000;
        case 7:
            return x | 0x1000;
        case 8:
            return x & 0xf0f0;
        default:
            return 0;
    }
}

__global__ void calls(const u32* in, u32* out, u32 count) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float row[8];
    for (int k = 0; k < 8; ++k) row[k] = float(k);
    turn(row, int(i));
    out[i] = collatz(in[i]) * 1000 + u32(row[in[i] & 7]) + choose(in[i] % 10, in[i]) * 0x100000;
}

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ u32 visits = 40;

__global__ void constants(float* out) {
    if (threadIdx.x == 0) visits += 2;
    __syncthreads();
    out[threadIdx.x] = weights[threadIdx.x] + float(visits);
}

__global__ void exited_lane(u32* out) {
    if (threadIdx.x == 3) return;
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, threadIdx.x, 1);
}

__global__ void never(volatile u32* flag) {
    while (*flag == 0) {
    }
}

__global__ void asserts(u32 value) {
    assert(value == 7);
}

/// 20 bytes to memory for each thread, one fma, one add, one division.
__global__ void work(const float* in, float* out, u32 count) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float4 v = reinterpret_cast<const float4*>(in)[i];
    out[i] = __fmaf_rn(v.x, v.y, v.z) / __fadd_rn(v.w, 1.0f);
}

}  // namespace

void launch_shuffles(const u32* in, u32* up, u32* down, u32* across, u32* indexed, u32 distance, u32 width,
                     u32 threads) {
    shuffles<<<1, threads>>>(in, up, down, across, indexed, distance, width);
}
void launch_votes(const u32* in, u32 mask, u32* ballot, u32* all, u32* any, u32* match, u32 threads) {
    votes<<<1, threads>>>(in, mask, ballot, all, any, match);
}
void launch_lane_masks(u32* out, u32 threads) {
    lane_masks<<<1, threads>>>(out);
}
void launch_block_sums(const float* in, float* out, u32 blocks, cudaStream_t stream) {
    block_sums<<<blocks, 256, 0, stream>>>(in, out);
}
void launch_barrier_reductions(const u32* in, u32* out, u32 threads) {
    barrier_reductions<<<1, threads>>>(in, out);
}
void launch_named_barriers(u32* out) {
    named_barriers<<<1, 64>>>(out);
}
void launch_reverse(const u32* in, u32* out, u32 count, u32 shared_bytes) {
    reverse<<<1, count, shared_bytes>>>(in, out, count);
}
void launch_atomics(Atomics* out, u32 blocks) {
    atomics<<<blocks, 128>>>(out);
}
void launch_lock(u32* lock, u32* counter, u32 blocks) {
    lock_and_count<<<blocks, 32>>>(lock, counter);
}
void launch_chain(volatile u32* flags, u32 blocks) {
    chain<<<blocks, 32>>>(flags);
}
void launch_race(u32* out, u32 blocks, u32 threads) {
    race<<<blocks, threads>>>(out);
}
void launch_missing_barrier(u32* out) {
    missing_barrier<<<1, 64>>>(out);
}
void launch_read(const u32* in, std::int64_t index, u32* out, cudaStream_t stream) {
    read_at<<<1, 1, 0, stream>>>(in, index, out);
}
void launch_write(u32* out, std::int64_t index, u32 value, cudaStream_t stream) {
    write_at<<<1, 1, 0, stream>>>(out, index, value);
}
void launch_misaligned(const char* in, u32* out) {
    misaligned<<<1, 1>>>(in, out);
}
void launch_shared_overrun(u32* out, u32 index) {
    shared_overrun<<<1, 1>>>(out, index);
}
void launch_add(const u32* in, u32* out, u32 count, u32 what, cudaStream_t stream) {
    add<<<(count + 127) / 128, 128, 0, stream>>>(in, out, count, what);
}
void launch_calls(const u32* in, u32* out, u32 count) {
    calls<<<(count + 127) / 128, 128>>>(in, out, count);
}
void set_constant(const float (&values)[4]) {
    cudaMemcpyToSymbol(weights, values, sizeof values);
}
void launch_constants(float* out) {
    constants<<<1, 4>>>(out);
}
void launch_exited_lane(u32* out) {
    exited_lane<<<1, 32>>>(out);
}
void launch_never(volatile u32* flag) {
    never<<<1, 1>>>(flag);
}
void launch_assert(u32 value) {
    asserts<<<1, 1>>>(value);
}
void launch_work(const float* in, float* out, u32 count) {
    work<<<(count + 127) / 128, 128>>>(in, out, count);
}
