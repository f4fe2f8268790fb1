#pragma once

// The CPU's execution object: how kernels are launched, sums formed and memory held. Another processor brings a class
// with the same members; the kernels and the step do not change.

#include <chrono>
#include <cstring>
#include <utility>

#include "devices/buffer.h"
#include "devices/cpu_threads.h"
#include "devices/folded_sum.h"
#include "particles/lane.h"

namespace firn::FIRN_LANES {

/// The program's own memory, aligned for the widest lanes.
struct HostMemory {
    static constexpr size_t spare = 8;
    static void* allocate(size_t bytes) { return allocate_aligned(bytes); }
    static void free(void* memory) { free_aligned(memory); }
};

template <class T>
using Buffer = BufferIn<T, HostMemory>;

class Execution {
public:
    /// Roots and divisions cost a CPU more than reading four bytes.
    static constexpr bool keeps_slopes = true;
    /// One load reads one neighbour for every lane.
    static constexpr uint32_t list_block = lane_width;
    static constexpr bool compact_lists = false;
    /// Lanes run in step: short lists are filled up to the block's longest.
    static constexpr bool fills_lists = true;

    /// Adds integers that many kernels add to at once: the sum does not depend on the order.
    static void add(int64_t* to, int64_t value) { __atomic_fetch_add(to, value, __ATOMIC_RELAXED); }
    /// The largest of what is there and what many kernels bring at once.
    static void raise(uint32_t* to, uint32_t value) {
        uint32_t there = __atomic_load_n(to, __ATOMIC_RELAXED);
        while (there < value &&
               !__atomic_compare_exchange_n(to, &there, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }

    explicit Execution(int threads) : threads_(threads) {}

    int thread_count() const { return threads_.count(); }

    /// kernel(i) for the block of `lane_width` particles at i = 0, lane_width, ...; the last block may run past `count`
    /// into the padding that every array has.
    template <class Kernel>
    void for_each(uint32_t count, const Kernel& kernel) const {
        threads_.run(
            count, particle_grain,
            [](const void* context, uint32_t begin, uint32_t end) {
                const Kernel& k = *static_cast<const Kernel*>(context);
                for (uint32_t i = begin; i < end; i += lane_width) k(i);
            },
            &kernel);
    }

    /// kernel(i) for every single item.
    template <class Kernel>
    void for_each_item(uint32_t count, const Kernel& kernel) const {
        threads_.run(
            count, particle_grain,
            [](const void* context, uint32_t begin, uint32_t end) {
                const Kernel& k = *static_cast<const Kernel*>(context);
                for (uint32_t i = begin; i < end; ++i) k(i);
            },
            &kernel);
    }

    /// One item's work on the device: the scalars of a solver.
    template <class Kernel>
    void once(const Kernel& kernel) const {
        kernel();
    }

    /// out[k] = sum over the particles of kernel(i).v[k], exact but for one rounding (folded_sum.h): it depends neither
    /// on threads nor on the particles' order. `out` is the device's: the host does not wait.
    template <int N, class Kernel>
    void sum(uint32_t count, const Kernel& kernel, double* out) {
        add_up<N>(count, kernel, out);
    }

    /// The same, and then one item's work with the sums.
    template <int N, class Kernel, class Then>
    void sum(uint32_t count, const Kernel& kernel, double* out, const Then& then) {
        add_up<N>(count, kernel, out);
        then();
    }

    /// The largest kernel(i).v[k]; the lowest float when there is no particle. `out` is the device's.
    template <int N, class Kernel>
    void max(uint32_t count, const Kernel& kernel, double* out) {
        find_largest<N>(count, kernel, out);
    }

    /// The same, and behind it in `out` the first particle of each that has it.
    template <int N, class Kernel>
    void max_at(uint32_t count, const Kernel& kernel, double* out) {
        find_largest<N, true>(count, kernel, out);
    }

    /// The same for the host, which waits for it.
    template <int N, class Kernel>
    void max_to_host(uint32_t count, const Kernel& kernel, double* out) {
        find_largest<N>(count, kernel, out);
    }

    /// Inclusive sum, in place.
    void scan(uint64_t* values, uint32_t count) const {
        for (uint32_t i = 1; i < count; ++i) values[i] += values[i - 1];
    }
    void scan(uint32_t* values, uint32_t count) const {
        for (uint32_t i = 1; i < count; ++i) values[i] += values[i - 1];
    }

    void sort_pairs(uint64_t* keys, uint32_t* values, uint64_t* key_scratch, uint32_t* value_scratch, uint32_t count,
                    int bits) const {
        threads_.sort_pairs(keys, values, key_scratch, value_scratch, count, bits);
    }

    template <class T>
    T read(const T* device) const {
        return *device;
    }
    template <class T>
    void copy_in(T* device, const T* host, size_t count) const {
        if (count) std::memcpy(device, host, count * sizeof(T));
    }
    template <class T>
    void copy_out(T* host, const T* device, size_t count) const {
        if (count) std::memcpy(host, device, count * sizeof(T));
    }

    /// Whether a solver's flag is up. Where looking costs a round trip, the answer may be some iterations old;
    /// `likely` is how many the last solve took.
    bool seen(const int32_t* flag, int /*iteration*/, int /*likely*/) const { return *flag != 0; }

    /// A moment on the device's clock, behind all work so far.
    using Mark = double;
    Mark mark() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    /// Between two moments, once the host has waited for what followed the second.
    double seconds(Mark from, Mark to) const { return to - from; }

    uint64_t memory_free() const { return memory_available(); }
    /// Held by this object itself.
    size_t bytes() const { return sums_.bytes() + maxima_.bytes(); }

private:
    static constexpr uint32_t particle_grain = 512;
    static constexpr uint32_t reduce_grain = 2048;
    static constexpr float lowest = -3.402823466e38f;

    template <class Kernel, class Part>
    struct Reduction {
        const Kernel* kernel;
        Part* parts;  ///< N for each chunk
        uint32_t count;
    };
    static uint32_t chunks(uint32_t count) { return (count + reduce_grain - 1) / reduce_grain; }

    template <int N, class Kernel>
    void add_up(uint32_t count, const Kernel& kernel, double* out) {
        sums_.resize_generously(size_t(chunks(count)) * N);
        const Reduction<Kernel, FoldedSum> context{&kernel, sums_.data(), count};
        threads_.run(
            count, reduce_grain,
            [](const void* c, uint32_t begin, uint32_t end) {
                const auto& k = *static_cast<const Reduction<Kernel, FoldedSum>*>(c);
                alignas(64) float values[N][reduce_grain];
                Int largest[N] = {};
                for (uint32_t i = begin; i < end; i += lane_width) {
                    const Values<N> value = (*k.kernel)(i);
                    const Mask inside = below(i, k.count);
                    for (int n = 0; n < N; ++n) {
                        const Real v = select(inside, value.v[n], 0.0f);
                        store(values[n] + (i - begin), v);
                        const Int size = size_bits(v);
                        largest[n] = select(size > largest[n], size, largest[n]);
                    }
                }
                FoldedSum* const to = k.parts + size_t(begin / reduce_grain) * N;
                for (int n = 0; n < N; ++n) to[n] = folded(values[n], end - begin, largest[n]);
            },
            &context);
        for (int n = 0; n < N; ++n) {
            FoldedSum total{FoldedSum::lowest_top, {0, 0, 0}};
            for (uint32_t c = 0; c < chunks(count); ++c) join(total, sums_.data()[size_t(c) * N + n]);
            out[n] = folded_value(total);
        }
    }

    /// The sum of numbers in the core's own cache. What lies past `count` in the last block is zero.
    static FoldedSum folded(const float* values, uint32_t count, Int largest_lanes) {
        uint32_t largest = 0;
        for (uint32_t l = 0; l < lane_width; ++l) {
            const uint32_t size = lane(largest_lanes, l);
            largest = size > largest ? size : largest;
        }
        FoldedSum sum{fold_top(largest), {0, 0, 0}};
        if (sum.top == FoldedSum::not_finite) return sum;
        const float scale = fold_scale(sum.top);
        for (uint32_t k = 0; k < count; ++k) {
            int32_t part[FoldedSum::folds];
            fold(values[k] * scale, part);
            for (int f = 0; f < FoldedSum::folds; ++f) sum.part[f] += part[f];
        }
        return sum;
    }

    /// A part of a reduction: the largest value, and where in the chunk it is.
    struct Largest {
        float value;
        uint32_t at;
    };

    template <int N, bool with_place = false, class Kernel>
    void find_largest(uint32_t count, const Kernel& kernel, double* out) {
        maxima_.resize_generously(size_t(chunks(count)) * N);
        const Reduction<Kernel, Largest> context{&kernel, maxima_.data(), count};
        threads_.run(
            count, reduce_grain,
            [](const void* c, uint32_t begin, uint32_t end) {
                const auto& k = *static_cast<const Reduction<Kernel, Largest>*>(c);
                Values<N> most, at;
                for (int n = 0; n < N; ++n) {
                    most.v[n] = splat(lowest);
                    at.v[n] = splat(0.0f);
                }
                for (uint32_t i = begin; i < end; i += lane_width) {
                    const Values<N> value = (*k.kernel)(i);
                    const Mask inside = below(i, k.count);
                    for (int n = 0; n < N; ++n) {
                        const Real v = select(inside, value.v[n], lowest);
                        // Blocks of a chunk are few enough for a float to count them.
                        if (with_place) at.v[n] = select(v > most.v[n], splat(static_cast<float>(i - begin)), at.v[n]);
                        most.v[n] = FIRN_LANES::max(most.v[n], v);
                    }
                }
                Largest* const to = k.parts + size_t(begin / reduce_grain) * N;
                for (int n = 0; n < N; ++n) {
                    to[n] = {lowest, 0};
                    for (uint32_t l = 0; l < lane_width; ++l) {
                        const float v = lane(most.v[n], l);
                        const uint32_t place = begin + static_cast<uint32_t>(lane(at.v[n], l)) + l;
                        if (v > to[n].value || (v == to[n].value && place < to[n].at)) to[n] = {v, place};
                    }
                }
            },
            &context);
        for (int n = 0; n < N; ++n) {
            Largest most{lowest, 0};
            for (uint32_t c = 0; c < chunks(count); ++c) {
                const Largest part = maxima_.data()[size_t(c) * N + n];
                if (part.value > most.value) most = part;
            }
            out[n] = most.value;
            if (with_place) out[N + n] = most.at;
        }
    }

    Threads threads_;
    Buffer<FoldedSum> sums_;
    Buffer<Largest> maxima_;
};

}  // namespace firn::FIRN_LANES
