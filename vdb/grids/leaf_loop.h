#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>

#include "firn/error.h"

namespace firn {

/// One for each number of threads, kept for good: TBB does not give back all of an arena's memory, and a run makes
/// grids by the thousand. `threads` 0 = all cores.
tbb::task_arena& arena_of(int threads);

/// Runs a body for many items on a given number of threads, and stops when the host asks for it. The host is asked from
/// the calling thread, between batches.
class LeafLoop {
public:
    /// `threads` 0 = all cores.
    LeafLoop(int threads, const std::function<bool()>& interrupted)
        : arena_(arena_of(threads)), interrupted_(interrupted) {}

    /// body(first, last) for ranges that together are [0, count). What a body does may not depend on the ranges.
    template <typename Body>
    void ranges(size_t count, const Body& body) {
        constexpr size_t batch = 8192;
        for (size_t begin = 0; begin < count; begin += batch) {
            ask();
            const size_t end = std::min(count, begin + batch);
            arena_.execute([&] {
                tbb::parallel_for(tbb::blocked_range<size_t>(begin, end, 16),
                                  [&](const tbb::blocked_range<size_t>& r) { body(r.begin(), r.end()); });
            });
        }
    }

    /// body(chunk) for each of a few large pieces of work.
    template <typename Body>
    void chunks(size_t count, const Body& body) {
        ask();
        arena_.execute([&] {
            tbb::parallel_for(
                tbb::blocked_range<size_t>(0, count, 1),
                [&](const tbb::blocked_range<size_t>& r) {
                    for (size_t chunk = r.begin(); chunk != r.end(); ++chunk) body(chunk);
                },
                tbb::simple_partitioner());
        });
    }

    /// Something that is parallel by itself, kept to the same threads.
    template <typename Body>
    void within(const Body& body) {
        ask();
        arena_.execute(body);
    }

    void ask() const {
        if (interrupted_ && interrupted_()) throw Error("interrupted");
    }

private:
    tbb::task_arena& arena_;
    const std::function<bool()>& interrupted_;
};

}  // namespace firn
