#pragma once
// Fake of <UT/UT_ParallelUtil.h>: https://www.sidefx.com/docs/hdk/_u_t___parallel_util_8h.html
// As the real one, a thin layer over TBB; only what both classic TBB and oneTBB have.

#include <SYS/SYS_Types.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

typedef tbb::split UT_Split;

template <typename T>
class UT_BlockedRange : public tbb::blocked_range<T> {
public:
    UT_BlockedRange(T begin_value, T end_value, size_t grainsize = 1)
        : tbb::blocked_range<T>(begin_value, end_value, grainsize) {}
    UT_BlockedRange(UT_BlockedRange& range, UT_Split splitter) : tbb::blocked_range<T>(range, splitter) {}
};

template <typename Range, typename Body>
void UTparallelFor(const Range& range, const Body& body, const int /*subscribe_ratio*/ = 2,
                   const int /*min_grain_size*/ = 1, const bool /*force_use_task_scope*/ = true) {
    tbb::parallel_for(range, body);
}

template <typename Range, typename Body>
void UTparallelForLightItems(const Range& range, const Body& body, const bool /*force_use_task_scope*/ = true) {
    tbb::parallel_for(range, body);
}

/// The body gets ranges of numbers from 0.
template <typename IntType, typename Body>
void UTparallelForEachNumber(IntType nitems, const Body& body, const bool /*force_use_task_scope*/ = true) {
    UTparallelFor(UT_BlockedRange<IntType>(0, nitems), body);
}

template <typename Range, typename Body>
void UTserialFor(const Range& range, const Body& body) {
    body(range);
}
