#pragma once

// CUDA's execution object: how kernels are launched, sums formed and memory held on a card. The members are those of
// devices/cpu_execution.h; the kernels and the step are the CPU's own.

#include <utility>

#include "devices/buffer.h"
#include "devices/cuda_sort.h"
#include "devices/cuda_stream.h"
#include "devices/folded_sum.h"
#include "particles/lane.h"

namespace firn::FIRN_LANES {

/// Memory of the stream that the calling thread has entered.
struct StreamMemory {
    static constexpr size_t spare = 16;
    static void* allocate(size_t bytes) { return CudaStream::current().allocate(bytes); }
    static void free(void* memory) {
        if (memory) CudaStream::current().free(memory);
    }
};

template <class T>
using Buffer = BufferIn<T, StreamMemory>;

/// Threads of a block: four warps.
constexpr uint32_t block_threads = 128;
constexpr uint32_t warp_threads = 32;
/// Blocks that should fit on a multiprocessor at once: up to 80 registers a thread, and no spilling for more blocks.
constexpr uint32_t block_residents = 6;

template <class Kernel>
__global__ void __launch_bounds__(block_threads, block_residents) run_each(const Kernel kernel, const uint32_t count) {
    const uint32_t i = blockIdx.x * block_threads + threadIdx.x;
    if (i < count) kernel(i);
}

template <class Kernel>
__global__ void run_once(const Kernel kernel) {
    kernel();
}

/// Where the blocks of a reduction meet.
template <class Part>
struct Meeting {
    Part* parts;        ///< N for each block
    uint32_t* arrived;  ///< blocks; 0 between launches
};

constexpr uint32_t block_warps = block_threads / warp_threads;

__device__ __forceinline__ int32_t sum_in_warp(int32_t v) {
    for (uint32_t step = warp_threads / 2; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);
    return v;
}

template <class T>
__device__ __forceinline__ T largest_in_warp(T v) {
    for (uint32_t step = warp_threads / 2; step > 0; step /= 2) {
        const T other = __shfl_down_sync(~0u, v, step);
        v = other > v ? other : v;
    }
    return v;
}

/// The block has written its part: is it the last one to do so?
__device__ __forceinline__ bool arrive(uint32_t* arrived) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();  // the part is written before the block has arrived
        last = atomicAdd(arrived, 1u) + 1 == gridDim.x;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
}

/// The sum of one number of each thread, for thread 0.
__device__ __forceinline__ FoldedSum fold_block(float value) {
    __shared__ uint32_t largest[block_warps];
    __shared__ int32_t part[FoldedSum::folds][block_warps];
    const uint32_t warp = threadIdx.x / warp_threads;
    const bool first = threadIdx.x % warp_threads == 0;
    const uint32_t size = largest_in_warp(size_bits(value));
    if (first) largest[warp] = size;
    __syncthreads();
    uint32_t most = largest[0];
    for (uint32_t w = 1; w < block_warps; ++w) most = largest[w] > most ? largest[w] : most;
    FoldedSum sum{fold_top(most), {0, 0, 0}};
    int32_t parts[FoldedSum::folds] = {};
    if (sum.top != FoldedSum::not_finite) fold(value * fold_scale(sum.top), parts);
    for (int f = 0; f < FoldedSum::folds; ++f) {
        const int32_t of_warp = sum_in_warp(parts[f]);  // 128 numbers of 20 bits fit
        if (first) part[f][warp] = of_warp;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int f = 0; f < FoldedSum::folds; ++f) {
            for (uint32_t w = 0; w < block_warps; ++w) sum.part[f] += part[f][w];
        }
    }
    __syncthreads();  // before the next number needs the memory
    return sum;
}

/// Sums of kernel(i), then one thread's work with them. Each block leaves its part, and the last block to arrive joins
/// all parts.
template <int N, class Kernel, class Then>
__global__ void __launch_bounds__(block_threads, block_residents)
    run_sum(const Kernel kernel, const uint32_t count, const Meeting<FoldedSum> meeting, double* const out,
            const Then then) {
    const uint32_t i = blockIdx.x * block_threads + threadIdx.x;
    Values<N> values;
    for (int n = 0; n < N; ++n) values.v[n] = 0.0f;
    if (i < count) values = kernel(i);
    for (int n = 0; n < N; ++n) {
        const FoldedSum sum = fold_block(values.v[n]);
        if (threadIdx.x == 0) meeting.parts[size_t(blockIdx.x) * N + n] = sum;
    }
    if (!arrive(meeting.arrived)) return;

    __shared__ FoldedSum joined[block_threads];
    for (int n = 0; n < N; ++n) {
        FoldedSum total{FoldedSum::lowest_top, {0, 0, 0}};
#pragma unroll 1  // more of it would cost registers in the kernel, which matters more
        for (uint32_t b = threadIdx.x; b < gridDim.x; b += block_threads) {
            const FoldedSum* const from = meeting.parts + size_t(b) * N + n;
            FoldedSum part{__ldcg(&from->top), {0, 0, 0}};
            for (int f = 0; f < FoldedSum::folds; ++f)
                part.part[f] = __ldcg(reinterpret_cast<const long long*>(&from->part[f]));
            join(total, part);
        }
        joined[threadIdx.x] = total;
        __syncthreads();
        if (threadIdx.x == 0) {
#pragma unroll 1
            for (uint32_t t = 1; t < block_threads; ++t) join(total, joined[t]);
            out[n] = folded_value(total);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        *meeting.arrived = 0;
        then();
    }
}

/// The largest kernel(i), in the same way.
template <int N, class Kernel>
__global__ void __launch_bounds__(block_threads, block_residents)
    run_max(const Kernel kernel, const uint32_t count, const Meeting<float> meeting, double* const out) {
    __shared__ float part[N][block_warps];
    const uint32_t thread = threadIdx.x, warp = thread / warp_threads;
    const uint32_t i = blockIdx.x * block_threads + thread;
    constexpr float lowest = -3.402823466e38f;
    const auto block_largest = [&](const float* values) {
        for (int n = 0; n < N; ++n) {
            const float v = largest_in_warp(values[n]);
            if (thread % warp_threads == 0) part[n][warp] = v;
        }
        __syncthreads();
        if (thread > 0) return;
        for (int n = 0; n < N; ++n) {
            for (uint32_t w = 1; w < block_warps; ++w) part[n][0] = part[n][w] > part[n][0] ? part[n][w] : part[n][0];
        }
    };

    Values<N> values;
    for (int n = 0; n < N; ++n) values.v[n] = lowest;
    if (i < count) values = kernel(i);
    block_largest(values.v);
    if (thread == 0) {
        for (int n = 0; n < N; ++n) meeting.parts[size_t(blockIdx.x) * N + n] = part[n][0];
    }
    if (!arrive(meeting.arrived)) return;

    for (int n = 0; n < N; ++n) values.v[n] = lowest;
#pragma unroll 1
    for (uint32_t b = thread; b < gridDim.x; b += block_threads) {
        for (int n = 0; n < N; ++n) {
            const float v = __ldcg(meeting.parts + size_t(b) * N + n);
            values.v[n] = v > values.v[n] ? v : values.v[n];
        }
    }
    __syncthreads();
    block_largest(values.v);
    if (thread == 0) {
        for (int n = 0; n < N; ++n) out[n] = part[n][0];
        *meeting.arrived = 0;
    }
}

/// A value and a place as one number: the larger value wins, and of equal ones the first place.
__device__ __forceinline__ unsigned long long placed_key(float value, uint32_t place) {
    const uint32_t bits = __float_as_uint(value);
    const uint32_t ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return static_cast<unsigned long long>(ordered) << 32 | (~place & 0xffffffffu);
}

/// The largest kernel(i), and behind them the first i of each.
template <int N, class Kernel>
__global__ void __launch_bounds__(block_threads, block_residents)
    run_max_at(const Kernel kernel, const uint32_t count, const Meeting<unsigned long long> meeting,
               double* const out) {
    using Key = unsigned long long;
    __shared__ Key part[N][block_warps];
    const uint32_t thread = threadIdx.x, warp = thread / warp_threads;
    const uint32_t i = blockIdx.x * block_threads + thread;
    const auto block_largest = [&](const Key* keys) {
        for (int n = 0; n < N; ++n) {
            const Key key = largest_in_warp(keys[n]);
            if (thread % warp_threads == 0) part[n][warp] = key;
        }
        __syncthreads();
        if (thread > 0) return;
        for (int n = 0; n < N; ++n) {
            for (uint32_t w = 1; w < block_warps; ++w) part[n][0] = part[n][w] > part[n][0] ? part[n][w] : part[n][0];
        }
    };

    Key keys[N];
    for (int n = 0; n < N; ++n) keys[n] = 0;
    if (i < count) {
        const Values<N> values = kernel(i);
        for (int n = 0; n < N; ++n) keys[n] = placed_key(values.v[n], i);
    }
    block_largest(keys);
    if (thread == 0) {
        for (int n = 0; n < N; ++n) meeting.parts[size_t(blockIdx.x) * N + n] = part[n][0];
    }
    if (!arrive(meeting.arrived)) return;

    for (int n = 0; n < N; ++n) keys[n] = 0;
#pragma unroll 1
    for (uint32_t b = thread; b < gridDim.x; b += block_threads) {
        for (int n = 0; n < N; ++n) {
            const Key key = __ldcg(meeting.parts + size_t(b) * N + n);
            keys[n] = key > keys[n] ? key : keys[n];
        }
    }
    __syncthreads();
    block_largest(keys);
    if (thread == 0) {
        for (int n = 0; n < N; ++n) {
            const uint32_t ordered = static_cast<uint32_t>(part[n][0] >> 32);
            out[n] = __uint_as_float(ordered & 0x80000000u ? ordered & 0x7fffffffu : ~ordered);
            out[N + n] = ~static_cast<uint32_t>(part[n][0]);
        }
        *meeting.arrived = 0;
    }
}

/// What follows a reduction that nothing follows.
struct Nothing {
    __device__ void operator()() const {}
};

class Execution {
public:
    /// A card computes roots and divisions faster than it reads four bytes.
    static constexpr bool keeps_slopes = false;
    /// A warp reads its particles' neighbours side by side.
    static constexpr uint32_t list_block = warp_threads;
    /// Two bytes for a neighbour instead of four: the lists are most of what the solves read.
    static constexpr bool compact_lists = true;
    static constexpr bool fills_lists = false;

    __host__ __device__ static void add(int64_t* to, int64_t value) {
#ifdef __CUDA_ARCH__
        atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
#else
        *to += value;
#endif
    }
    __host__ __device__ static void raise(uint32_t* to, uint32_t value) {
#ifdef __CUDA_ARCH__
        if (*to < value) atomicMax(to, value);
#else
        *to = *to < value ? value : *to;
#endif
    }

    /// On the stream that the calling thread has entered; the number is not used.
    explicit Execution(int) : stream_(CudaStream::current()) {
        arrived_.resize(1);
        result_.resize(8);
    }

    int thread_count() const {
        return 0;
    }

    template <class Kernel>
    void for_each(uint32_t count, const Kernel& kernel) const {
        if (count == 0) return;
        run_each<<<blocks(count), block_threads, 0, stream_.handle()>>>(kernel, count);
        check_cuda(cudaGetLastError(), "launch");
    }
    template <class Kernel>
    void for_each_item(uint32_t count, const Kernel& kernel) const {
        for_each(count, kernel);
    }
    template <class Kernel>
    void once(const Kernel& kernel) const {
        run_once<<<1, 1, 0, stream_.handle()>>>(kernel);
        check_cuda(cudaGetLastError(), "launch");
    }

    template <int N, class Kernel>
    void sum(uint32_t count, const Kernel& kernel, double* out) {
        add_up<N>(count, kernel, out, Nothing{});
    }
    template <int N, class Kernel, class Then>
    void sum(uint32_t count, const Kernel& kernel, double* out, const Then& then) {
        add_up<N>(count, kernel, out, then);
    }
    template <int N, class Kernel>
    void max(uint32_t count, const Kernel& kernel, double* out) {
        const uint32_t grid = count ? blocks(count) : 1;
        maxima_.resize(size_t(grid) * most_maxima);
        static_assert(N <= most_maxima, "the parts of a reduction need more room");
        run_max<N><<<grid, block_threads, 0, stream_.handle()>>>(kernel, count,
                                                                 Meeting<float>{maxima_.data(), arrived_.data()}, out);
        check_cuda(cudaGetLastError(), "launch");
    }
    template <int N, class Kernel>
    void max_at(uint32_t count, const Kernel& kernel, double* out) {
        const uint32_t grid = count ? blocks(count) : 1;
        placed_maxima_.resize(size_t(grid) * N);
        run_max_at<N><<<grid, block_threads, 0, stream_.handle()>>>(
            kernel, count, Meeting<unsigned long long>{placed_maxima_.data(), arrived_.data()}, out);
        check_cuda(cudaGetLastError(), "launch");
    }
    template <int N, class Kernel>
    void max_to_host(uint32_t count, const Kernel& kernel, double* out) {
        max<N>(count, kernel, result_.data());
        copy_out(out, result_.data(), N);
    }

    void scan(uint64_t* values, uint32_t count) const {
        cuda_scan(stream_, values, count);
    }
    void scan(uint32_t* values, uint32_t count) const {
        cuda_scan(stream_, values, count);
    }
    void sort_pairs(uint64_t* keys, uint32_t* values, uint64_t* key_scratch, uint32_t* value_scratch, uint32_t count,
                    int bits) const {
        cuda_sort_pairs(stream_, keys, values, key_scratch, value_scratch, count, bits);
    }

    template <class T>
    T read(const T* device) const {
        T value;
        stream_.read(&value, device, sizeof(T));
        return value;
    }
    template <class T>
    void copy_in(T* device, const T* host, size_t count) const {
        stream_.write(device, host, count * sizeof(T));
    }
    template <class T>
    void copy_out(T* host, const T* device, size_t count) const {
        stream_.read(host, device, count * sizeof(T));
    }

    /// From the iteration on that is likely the last, and at times before, a copy of the flag is sent behind the work;
    /// it is looked at when the next one is sent, so that the card always has work while the host waits.
    bool seen(const int32_t* flag, int iteration, int likely) {
        if (iteration == 0) flag_sent_ = false;
        if (iteration + 1 < likely && iteration % 8 != 7) return false;
        const bool up = flag_sent_ && stream_.receive_flag() != 0;
        if (!up) stream_.send_flag(flag);
        flag_sent_ = true;
        return up;
    }

    using Mark = int;
    Mark mark() const {
        return stream_.mark();
    }
    double seconds(Mark from, Mark to) const {
        return stream_.seconds(from, to);
    }

    uint64_t memory_free() const {
        return stream_.memory_free();
    }
    size_t bytes() const {
        return sums_.bytes() + maxima_.bytes() + placed_maxima_.bytes() + stream_.scratch_bytes();
    }

private:
    static uint32_t blocks(uint32_t count) {
        return (count + block_threads - 1) / block_threads;
    }

    /// The most numbers that any search for the largest asks for.
    static constexpr int most_maxima = 6;

    template <int N, class Kernel, class Then>
    void add_up(uint32_t count, const Kernel& kernel, double* out, const Then& then) {
        const uint32_t grid = count ? blocks(count) : 1;
        sums_.resize(size_t(grid) * N);
        run_sum<N><<<grid, block_threads, 0, stream_.handle()>>>(
            kernel, count, Meeting<FoldedSum>{sums_.data(), arrived_.data()}, out, then);
        check_cuda(cudaGetLastError(), "launch");
    }

    CudaStream& stream_;
    bool flag_sent_ = false;
    Buffer<FoldedSum> sums_;
    Buffer<float> maxima_;
    Buffer<unsigned long long> placed_maxima_;
    Buffer<double> result_;
    Buffer<uint32_t> arrived_;
};

}  // namespace firn::FIRN_LANES
