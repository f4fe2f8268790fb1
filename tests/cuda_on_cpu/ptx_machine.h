#pragma once

// What translated kernels see of the machine that runs them: a thread, its memory, and the other threads of its warp
// and block. Every access is checked: inside a live allocation, aligned. A failed check throws KernelFault.

#include <string>

#include "device_memory.h"
#include "ptx_math.h"

namespace firn::cuda_on_cpu {

struct Dim3 {
    u32 x = 1, y = 1, z = 1;
};

/// What the threads of a block share.
struct BlockContext {
    Dim3 ntid, ctaid, nctaid;
    u32 threads = 1;
    u32 multiprocessors = 1;
    u32 shared_size = 0;          ///< bytes, static and dynamic
    u32 dynamic_shared = 0;       ///< where the dynamic part starts
    u32 dynamic_shared_size = 0;  ///< bytes
    unsigned char* shared = nullptr;
    const unsigned char* parameters = nullptr;
    u32 parameter_size = 0;
    const char* kernel = "";
};

enum class Collective : u8 { none, sync, ballot, all, any, uni, match_any, match_all, shuffle, reduce };
enum class Shuffle : u8 { up, down, bfly, idx };
enum class Reduction : u8 { add_u, min_u, max_u, min_s, max_s, and_b, or_b, xor_b };

/// What a thread waits for, and what it got.
struct Request {
    Collective collective = Collective::none;
    u8 kind = 0;  ///< Shuffle or Reduction
    u32 mask = 0;
    u64 a = 0;
    u32 b = 0, c = 0;
    u64 result = 0;
    bool inside = false;
};

class BlockScheduler;

struct Thread {
    Dim3 tid;
    u32 index = 0;  ///< in the block
    BlockContext* block = nullptr;
    unsigned char* local = nullptr;
    u32 local_size = 0;
    u32 local_top = 0;
    u32 spins = 0;
    u64 arena_limit = 0;  ///< 0 sends every access the slow way, which counts the sectors that it touches
    u64* visits = nullptr;
    BlockScheduler* scheduler = nullptr;
    Request request;

    u32 lane() const { return index & 31; }
    /// Lets the others run. A thread that keeps looking at memory that another will write must do so.
    void sleep();
    void spin() {
        if (++spins % 16 == 0) sleep();
    }
};

enum class Access { load, store, atomic };

struct KernelFault {
    int error;  ///< cudaError_t
    std::string message;
};

[[noreturn]] void bad_access(const Thread&, const char* space, u64 address, u32 bytes);
[[noreturn]] void bad_branch(const Thread&);
[[noreturn]] void trap(const Thread&);
/// __assertfail(message, file, line, function, size of a character), each a pointer to the argument's bytes.
[[noreturn]] void assert_failed(const Thread&, unsigned char* message, unsigned char* file, unsigned char* line,
                                unsigned char* function, unsigned char* size);

// Memory.

unsigned char* in_global_slowly(Thread&, u64 address, u32 bytes, Access);
unsigned char* in_generic_slowly(Thread&, u64 address, u32 bytes, Access);

[[gnu::always_inline]] inline bool is_allocated(const Thread& t, u64 offset, u32 bytes) {
    return offset < t.arena_limit && (offset & (bytes - 1)) == 0 &&
           (offset & ((1u << granule_bits) - 1)) + bytes <= extents()[offset >> granule_bits];
}
[[gnu::always_inline]] inline unsigned char* in_global(Thread& t, u64 address, u32 bytes, Access access) {
    const u64 offset = address - arena_base;
    if (__builtin_expect(!is_allocated(t, offset, bytes), 0)) return in_global_slowly(t, address, bytes, access);
    return reinterpret_cast<unsigned char*>(backing_base + offset);
}
[[gnu::always_inline]] inline unsigned char* in_generic(Thread& t, u64 address, u32 bytes, Access access) {
    const u64 offset = address - arena_base;
    if (__builtin_expect(!is_allocated(t, offset, bytes), 0)) return in_generic_slowly(t, address, bytes, access);
    return reinterpret_cast<unsigned char*>(backing_base + offset);
}
[[gnu::always_inline]] inline unsigned char* in_shared(Thread& t, u32 offset, u32 bytes) {
    if (__builtin_expect(offset + u64(bytes) > t.block->shared_size || (offset & (bytes - 1)) != 0, 0)) {
        bad_access(t, "shared", offset, bytes);
    }
    return t.block->shared + offset;
}
[[gnu::always_inline]] inline unsigned char* in_local(Thread& t, u32 offset, u32 bytes) {
    if (__builtin_expect(offset + u64(bytes) > t.local_size || (offset & (bytes - 1)) != 0, 0)) {
        bad_access(t, "local", offset, bytes);
    }
    return t.local + offset;
}
inline unsigned char* in_parameters(Thread& t, u64 offset, u32 bytes) {
    if (offset + bytes > t.block->parameter_size || (offset & (bytes - 1)) != 0) {
        bad_access(t, "param", offset, bytes);
    }
    return const_cast<unsigned char*>(t.block->parameters) + offset;  // only read: PTX has no way to write there
}
/// A function's local variables; poisoned, as a stack is.
inline u32 enter_frame(Thread& t, u32 bytes) {
    const u32 frame = t.local_top;
    t.local_top += (bytes + 15) / 16 * 16;
    std::memset(t.local + frame, 0xff, bytes);
    return frame;
}
inline bool is_shared(u64 address) {
    return address - shared_window < window_size;
}
inline bool is_local(u64 address) {
    return address - local_window < window_size;
}
inline bool is_param(u64 address) {
    return address - param_window < window_size;
}
inline bool is_global(u64 address) {
    return address - shared_window >= 3 * window_size;
}

template <class T>
[[gnu::always_inline]] inline T get(const unsigned char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class T>
[[gnu::always_inline]] inline void put(unsigned char* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

/// The bytes of one access that other blocks see whole or not at all.
template <u32 Bytes>
struct Strong {
    alignas(Bytes) unsigned char bytes[Bytes];
};
template <u32 Bytes>
inline Strong<Bytes> load_strong(const unsigned char* from) {
    Strong<Bytes> out;
    if constexpr (Bytes == 16) {
        // Aligned and 16 bytes wide: one access on every processor with AVX.
        __asm__ volatile("movdqa %1, %%xmm0\n\tmovdqa %%xmm0, %0"
                         : "=m"(out)
                         : "m"(*reinterpret_cast<const Strong<16>*>(from))
                         : "xmm0");
    } else {
        using Word = std::conditional_t<Bytes == 1, u8,
                                        std::conditional_t<Bytes == 2, u16, std::conditional_t<Bytes == 4, u32, u64>>>;
        const Word word = __atomic_load_n(reinterpret_cast<const Word*>(from), __ATOMIC_ACQUIRE);
        std::memcpy(out.bytes, &word, Bytes);
    }
    return out;
}
template <u32 Bytes>
inline void store_strong(unsigned char* to, const Strong<Bytes>& value) {
    if constexpr (Bytes == 16) {
        __asm__ volatile("movdqa %1, %%xmm0\n\tmovdqa %%xmm0, %0"
                         : "=m"(*reinterpret_cast<Strong<16>*>(to))
                         : "m"(value)
                         : "xmm0");
    } else {
        using Word = std::conditional_t<Bytes == 1, u8,
                                        std::conditional_t<Bytes == 2, u16, std::conditional_t<Bytes == 4, u32, u64>>>;
        Word word;
        std::memcpy(&word, value.bytes, Bytes);
        __atomic_store_n(reinterpret_cast<Word*>(to), word, __ATOMIC_RELEASE);
    }
}
inline void fence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/// Returns what was there.
template <class T, class Change>
inline T atomically(unsigned char* place, Change change) {
    using Word = std::conditional_t<sizeof(T) == 4, u32, u64>;
    Word* const word = reinterpret_cast<Word*>(place);
    Word before = __atomic_load_n(word, __ATOMIC_RELAXED), after;
    do {
        after = bit_cast<Word>(change(bit_cast<T>(before)));
    } while (!__atomic_compare_exchange_n(word, &before, after, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return bit_cast<T>(before);
}
template <class T>
inline T wrapped_sum(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    } else {
        return a + b;
    }
}
template <class T>
inline T atomic_add(unsigned char* p, T v) {
    return atomically<T>(p, [=](T old) { return wrapped_sum(old, v); });
}
template <class T>
inline T atomic_exch(unsigned char* p, T v) {
    return atomically<T>(p, [=](T) { return v; });
}
template <class T>
inline bool bits_equal(T a, T b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class T>
inline T atomic_cas(unsigned char* p, T expected, T v) {
    return atomically<T>(p, [=](T old) { return bits_equal(old, expected) ? v : old; });
}
template <class T>
inline T atomic_min(unsigned char* p, T v) {
    return atomically<T>(p, [=](T old) { return v < old ? v : old; });
}
template <class T>
inline T atomic_max(unsigned char* p, T v) {
    return atomically<T>(p, [=](T old) { return v > old ? v : old; });
}
template <class T>
inline T atomic_and(unsigned char* p, T v) {
    return atomically<T>(p, [=](T old) { return T(old & v); });
}
template <class T>
inline T atomic_or(unsigned char* p, T v) {
    return atomically<T>(p, [=](T old) { return T(old | v); });
}
template <class T>
inline T atomic_xor(unsigned char* p, T v) {
    return atomically<T>(p, [=](T old) { return T(old ^ v); });
}
template <class T>
inline T atomic_inc(unsigned char* p, T v) {
    return atomically<T>(p, [=](T old) { return old >= v ? T(0) : T(old + 1); });
}
template <class T>
inline T atomic_dec(unsigned char* p, T v) {
    return atomically<T>(p, [=](T old) { return old == 0 || old > v ? v : T(old - 1); });
}

// The other threads.

/// Waits until every thread of the warp that `mask` names asks for the same, then the results are there.
void meet_warp(Thread&, Collective, u8 kind, u32 mask, u64 a, u32 b = 0, u32 c = 0);
/// Waits for `count` threads of the block (0 = all) at barrier `id`; how many brought `value`, and how many came.
void meet_block(Thread&, u32 id, u32 count, bool value);
void barrier_arrive(Thread&, u32 id, u32 count);

inline void sync_warp(Thread& t, u32 mask) {
    meet_warp(t, Collective::sync, 0, mask, 0);
}
inline u32 vote_ballot(Thread& t, bool value, u32 mask) {
    meet_warp(t, Collective::ballot, 0, mask, value);
    return u32(t.request.result);
}
inline bool vote_all(Thread& t, bool value, u32 mask) {
    meet_warp(t, Collective::all, 0, mask, value);
    return t.request.result != 0;
}
inline bool vote_any(Thread& t, bool value, u32 mask) {
    meet_warp(t, Collective::any, 0, mask, value);
    return t.request.result != 0;
}
inline bool vote_uni(Thread& t, bool value, u32 mask) {
    meet_warp(t, Collective::uni, 0, mask, value);
    return t.request.result != 0;
}
inline u32 match_any(Thread& t, u64 value, u32 mask) {
    meet_warp(t, Collective::match_any, 0, mask, value);
    return u32(t.request.result);
}
inline u32 match_all(Thread& t, u64 value, u32 mask) {
    meet_warp(t, Collective::match_all, 0, mask, value);
    return u32(t.request.result);
}
struct Shuffled {
    u32 value;
    bool inside;
};
inline Shuffled shuffle(Thread& t, Shuffle kind, u32 a, u32 b, u32 c, u32 mask) {
    meet_warp(t, Collective::shuffle, u8(kind), mask, a, b, c);
    return {u32(t.request.result), t.request.inside};
}
template <class T>
inline T reduce_warp(Thread& t, Reduction kind, T a, u32 mask) {
    meet_warp(t, Collective::reduce, u8(kind), mask, u32(a));
    return T(u32(t.request.result));
}
template <class T>
inline T reduce_add(Thread& t, T a, u32 mask) {
    return reduce_warp<T>(t, Reduction::add_u, a, mask);
}
template <class T>
inline T reduce_min(Thread& t, T a, u32 mask) {
    return reduce_warp<T>(t, std::is_signed_v<T> ? Reduction::min_s : Reduction::min_u, a, mask);
}
template <class T>
inline T reduce_max(Thread& t, T a, u32 mask) {
    return reduce_warp<T>(t, std::is_signed_v<T> ? Reduction::max_s : Reduction::max_u, a, mask);
}
template <class T>
inline T reduce_and(Thread& t, T a, u32 mask) {
    return reduce_warp<T>(t, Reduction::and_b, a, mask);
}
template <class T>
inline T reduce_or(Thread& t, T a, u32 mask) {
    return reduce_warp<T>(t, Reduction::or_b, a, mask);
}
template <class T>
inline T reduce_xor(Thread& t, T a, u32 mask) {
    return reduce_warp<T>(t, Reduction::xor_b, a, mask);
}
inline void barrier_sync(Thread& t, u32 id, u32 count) {
    meet_block(t, id, count, false);
}
inline u32 barrier_popc(Thread& t, u32 id, u32 count, bool value) {
    meet_block(t, id, count, value);
    return u32(t.request.result);
}
inline bool barrier_or(Thread& t, u32 id, u32 count, bool value) {
    meet_block(t, id, count, value);
    return t.request.result != 0;
}
inline bool barrier_and(Thread& t, u32 id, u32 count, bool value) {
    meet_block(t, id, count, !value);
    return t.request.result == 0;
}
u64 ticks();

// Tables that the translator writes.

struct Fixup {
    u32 offset;
    u32 variable;  ///< whose address goes there
    u64 addend;
};
struct Variable {
    const char* name;  ///< null: not in global memory
    u64 size, align;
    const unsigned char* initial;  ///< null = zeros
    const Fixup* fixups;
    u32 fixup_count;
    u64 address;  ///< given at registration
};
/// Of one basic block, per execution; see Cost in ptx_instructions.py.
struct BlockCost {
    u32 instructions, flops, special, double_flops, loaded, stored, shared, atomics;
};
struct BlockRange {
    u32 first, count;
};
struct ParameterPlace {
    u32 offset, size;
};
struct KernelCode {
    const char* name;
    void (*run)(Thread&, const unsigned char* parameters);
    const ParameterPlace* parameters;
    u32 parameter_count;
    u32 parameter_size;
    u32 shared_size;
    u32 local_size;
    u32 max_threads;
    bool waits;  ///< for other threads
    const BlockRange* ranges;
    u32 range_count;
};
struct ModuleCode {
    int target;  ///< compute capability times ten
    Variable* variables;
    u32 variable_count;
    const BlockCost* costs;
    u32 cost_count;
    const KernelCode* kernels;
    u32 kernel_count;
};
struct ModuleRegistration {
    explicit ModuleRegistration(const ModuleCode&);
};

}  // namespace firn::cuda_on_cpu
