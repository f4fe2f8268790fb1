#pragma once

// CUDA's execution object: how kernels are launched, sums formed and memory held on a card. The members are those of
// devices/cpu_execution.h; the kernels and the step are the CPU's own.

#include <utility>

#include "devices/buffer.h"
#include "devices/cuda_sort.h"
#include "devices/cuda_stream.h"
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
struct Meeting {
    double* partial;    ///< N for each block
    uint32_t* arrived;  ///< blocks; 0 between launches
};

template <bool Adds, class T>
__device__ __forceinline__ T joined(T a, T b) {
    return Adds ? a + b : (b > a ? b : a);
}

template <bool Adds, class T>
__device__ __forceinline__ T joined_in_warp(T v) {
    for (uint32_t step = warp_threads / 2; step > 0; step /= 2) v = joined<Adds>(v, __shfl_down_sync(~0u, v, step));
    return v;
}

/// Sums or maxima of kernel(i), then one thread's work with them. Each block leaves its part, and the last block to
/// arrive joins all parts, always in the order of the blocks: the shape depends on `count` alone.
template <int N, bool Adds, class Kernel, class Then>
__global__ void __launch_bounds__(block_threads, block_residents)
    run_reduction(const Kernel kernel, const uint32_t count, const Meeting meeting, double* const out,
                  const Then then) {
    constexpr uint32_t warps = block_threads / warp_threads;
    constexpr float start = Adds ? 0.0f : -3.402823466e38f;
    __shared__ double part[N][warps];
    __shared__ bool last;
    const uint32_t thread = threadIdx.x, warp = thread / warp_threads;
    const uint32_t i = blockIdx.x * block_threads + thread;

    Values<N> values;
    for (int n = 0; n < N; ++n) values.v[n] = start;
    if (i < count) values = kernel(i);
    for (int n = 0; n < N; ++n) {
        const float v = joined_in_warp<Adds>(values.v[n]);
        if (thread % warp_threads == 0) part[n][warp] = v;
    }
    __syncthreads();
    if (thread == 0) {
        for (int n = 0; n < N; ++n) {
            double total = part[n][0];
            for (uint32_t w = 1; w < warps; ++w) total = joined<Adds>(total, part[n][w]);
            meeting.partial[size_t(blockIdx.x) * N + n] = total;
        }
        __threadfence();  // the part is written before the block has arrived
        last = atomicAdd(meeting.arrived, 1u) + 1 == gridDim.x;
    }
    __syncthreads();
    if (!last) return;

    __threadfence();
    double total[N];
    for (int n = 0; n < N; ++n) total[n] = start;
#pragma unroll 1  // more of it would cost registers in the kernel, which matters more
    for (uint32_t b = thread; b < gridDim.x; b += block_threads) {
        for (int n = 0; n < N; ++n) {
            total[n] = joined<Adds>(total[n], __ldcg(meeting.partial + size_t(b) * N + n));
        }
    }
    for (int n = 0; n < N; ++n) {
        const double joined_total = joined_in_warp<Adds>(total[n]);
        if (thread % warp_threads == 0) part[n][warp] = joined_total;
    }
    __syncthreads();
    if (thread == 0) {
        for (int n = 0; n < N; ++n) {
            double all = part[n][0];
            for (uint32_t w = 1; w < warps; ++w) all = joined<Adds>(all, part[n][w]);
            out[n] = all;
        }
        *meeting.arrived = 0;
        then();
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
        reduce<N, true>(count, kernel, out, Nothing{});
    }
    template <int N, class Kernel, class Then>
    void sum(uint32_t count, const Kernel& kernel, double* out, const Then& then) {
        reduce<N, true>(count, kernel, out, then);
    }
    template <int N, class Kernel>
    void max(uint32_t count, const Kernel& kernel, double* out) {
        reduce<N, false>(count, kernel, out, Nothing{});
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
        return partial_.bytes() + stream_.scratch_bytes();
    }

private:
    static uint32_t blocks(uint32_t count) {
        return (count + block_threads - 1) / block_threads;
    }

    template <int N, bool Adds, class Kernel, class Then>
    void reduce(uint32_t count, const Kernel& kernel, double* out, const Then& then) {
        const uint32_t grid = count ? blocks(count) : 1;
        partial_.resize(size_t(grid) * 6);  // the most that any reduction asks for
        static_assert(N <= 6, "the parts of a reduction need more room");
        run_reduction<N, Adds><<<grid, block_threads, 0, stream_.handle()>>>(
            kernel, count, Meeting{partial_.data(), arrived_.data()}, out, then);
        check_cuda(cudaGetLastError(), "launch");
    }

    CudaStream& stream_;
    bool flag_sent_ = false;
    Buffer<double> partial_, result_;
    Buffer<uint32_t> arrived_;
};

}  // namespace firn::FIRN_LANES
