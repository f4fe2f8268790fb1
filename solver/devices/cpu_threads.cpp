#include "devices/cpu_threads.h"

#include <sys/mman.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "firn/error.h"

#ifdef FIRN_TSAN
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#endif

namespace firn {

struct Threads::Arena {
    explicit Arena(int count) : arena(count) {}
    tbb::task_arena arena;
};

namespace {

/// For ThreadSanitizer, which can't see into TBB: everything before run() happens before every body, and every body
/// happens before run() returns.
struct ForkAndJoin {
#ifdef FIRN_TSAN
    char start = 0, end = 0;
    void fork() {
        __tsan_release(&start);
    }
    void body_begins() {
        __tsan_acquire(&start);
    }
    void body_ends() {
        __tsan_release(&end);
    }
    void join() {
        __tsan_acquire(&end);
    }
#else
    void fork() {}
    void body_begins() {}
    void body_ends() {}
    void join() {}
#endif
};

/// No more than there are cores: more are slower, and TBB says so on the terminal.
int thread_count(int asked) {
    tbb::task_arena all;
    all.initialize();
    const int cores = std::max(1, all.max_concurrency());
    return asked > 0 ? std::min(asked, cores) : cores;
}

/// While it lives, numbers below 1e-38, which a float holds with fewer digits, count as zero to this thread: an x86
/// core takes a hundred times as long for them.
class TinyIsZero {
public:
#if defined(__SSE2__)
    TinyIsZero() {
        _mm_setcsr(before_ | flush_to_zero | denormals_are_zero);
    }
    ~TinyIsZero() {
        _mm_setcsr(before_);
    }
    TinyIsZero(const TinyIsZero&) = delete;
    TinyIsZero& operator=(const TinyIsZero&) = delete;

private:
    static constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
    const unsigned before_ = _mm_getcsr();
#endif
};

}  // namespace

Threads::Threads(int count) : arena_(new Arena(thread_count(count))), count_(thread_count(count)) {}

Threads::~Threads() {
    delete arena_;
}

void Threads::run(uint32_t items, uint32_t grain, Body body, const void* context) const {
    const uint32_t ranges = (items + grain - 1) / grain;
    const auto call = [=](uint32_t range) {
        const uint32_t begin = range * grain;
        body(context, begin, std::min(items, begin + grain));
    };
    if (count_ == 1 || ranges <= 1) {
        [[maybe_unused]] const TinyIsZero tiny;
        for (uint32_t range = 0; range < ranges; ++range) call(range);
        return;
    }
    ForkAndJoin order;
    order.fork();
    arena_->arena.execute([&] {
        tbb::parallel_for(tbb::blocked_range<uint32_t>(0, ranges), [&](const tbb::blocked_range<uint32_t>& r) {
            order.body_begins();
            [[maybe_unused]] const TinyIsZero tiny;
            for (uint32_t range = r.begin(); range != r.end(); ++range) call(range);
            order.body_ends();
        });
    });
    order.join();
}

// Least significant digit first, each digit: count per chunk, scan, scatter. The chunks do not depend on the threads,
// and a stable sort has only one answer.
void Threads::sort_pairs(uint64_t* keys, uint32_t* values, uint64_t* key_scratch, uint32_t* value_scratch,
                         uint32_t count, int bits) const {
    constexpr int digit_bits = 8;
    constexpr uint32_t digits = 1u << digit_bits;
    const uint32_t chunk = std::max<uint32_t>(16384, (count + 63) / 64);
    const uint32_t chunks = (count + chunk - 1) / chunk;
    std::vector<uint32_t> offsets(size_t(chunks) * digits);

    struct Pass {
        const uint64_t* keys;
        const uint32_t* values;
        uint64_t* key_out;
        uint32_t* value_out;
        uint32_t* offsets;
        uint32_t chunk;
        int shift;
    };
    Pass pass{keys, values, key_scratch, value_scratch, offsets.data(), chunk, 0};
    for (; pass.shift < bits; pass.shift += digit_bits) {
        run(
            count, chunk,
            [](const void* context, uint32_t begin, uint32_t end) {
                const Pass& p = *static_cast<const Pass*>(context);
                uint32_t* histogram = p.offsets + size_t(begin / p.chunk) * digits;
                std::fill(histogram, histogram + digits, 0u);
                for (uint32_t i = begin; i < end; ++i) ++histogram[(p.keys[i] >> p.shift) & (digits - 1)];
            },
            &pass);
        uint32_t total = 0;
        bool one_digit = false;
        for (uint32_t digit = 0; digit < digits; ++digit) {
            const uint32_t before = total;
            for (uint32_t c = 0; c < chunks; ++c) {
                uint32_t& entry = offsets[size_t(c) * digits + digit];
                const uint32_t n = entry;
                entry = total;
                total += n;
            }
            one_digit |= total - before == count;
        }
        if (one_digit) continue;  // nothing to move
        run(
            count, chunk,
            [](const void* context, uint32_t begin, uint32_t end) {
                const Pass& p = *static_cast<const Pass*>(context);
                uint32_t* offset = p.offsets + size_t(begin / p.chunk) * digits;
                for (uint32_t i = begin; i < end; ++i) {
                    const uint32_t to = offset[(p.keys[i] >> p.shift) & (digits - 1)]++;
                    p.key_out[to] = p.keys[i];
                    p.value_out[to] = p.values[i];
                }
            },
            &pass);
        std::swap(const_cast<uint64_t*&>(pass.keys), pass.key_out);
        std::swap(const_cast<uint32_t*&>(pass.values), pass.value_out);
    }
    if (pass.keys != keys) {
        std::memcpy(keys, pass.keys, size_t(count) * sizeof(uint64_t));
        std::memcpy(values, pass.values, size_t(count) * sizeof(uint32_t));
    }
}

void* allocate_aligned(size_t bytes) {
    // Large arrays on large pages where the system has them: neighbours of millions of particles are spread over more
    // small pages than the processor keeps addresses of.
    constexpr size_t large_page = size_t(2) << 20;
    const size_t alignment = bytes >= 2 * large_page ? large_page : 64;
    const size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (!memory) {
        throw Error("out of memory: " + std::to_string(rounded / 1000000) +
                    " MB more could not be had; simulate fewer particles or free memory");
    }
#ifdef MADV_HUGEPAGE
    if (alignment == large_page) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    std::memset(memory, 0, rounded);
    return memory;
}

void free_aligned(void* memory) noexcept {
    std::free(memory);
}

uint64_t memory_available() {
    uint64_t kilobytes = 0;
    if (std::FILE* file = std::fopen("/proc/meminfo", "r")) {
        char line[128];
        while (std::fgets(line, sizeof line, file)) {
            unsigned long long value = 0;
            if (std::sscanf(line, "MemAvailable: %llu kB", &value) == 1) kilobytes = value;
        }
        std::fclose(file);
    }
    return kilobytes ? kilobytes * 1024 : UINT64_MAX;
}

}  // namespace firn
