#pragma once
// Fake of <GA/GA_SplittableRange.h>: https://www.sidefx.com/docs/hdk/class_g_a___splittable_range.html
// Cut at page borders only.

#include <GA/GA_Range.h>
#include <UT/UT_ParallelUtil.h>

#include <algorithm>

class GA_SplittableRange : public GA_Range {
public:
    GA_SplittableRange() = default;
    explicit GA_SplittableRange(const GA_Range& range) : GA_Range(range) {}
    GA_SplittableRange(GA_SplittableRange& range, UT_Split) : GA_Range(range) {
        const GA_PageNum first = GAgetPageNum(range.myStart), pages = range.getPageCount();
        const GA_Offset middle = (first + pages / 2) << GA_PAGE_BITS;
        range.myEnd = middle;
        myStart = middle;
    }
    GA_Size getPageCount() const { return myEnd > myStart ? GAgetPageNum(myEnd - 1) - GAgetPageNum(myStart) + 1 : 0; }
    GA_Range getPageElementRange(GA_Size page) const {
        const GA_Offset first = (GAgetPageNum(myStart) + page) << GA_PAGE_BITS;
        return GA_Range(*myDetail, myOwner, std::max(myStart, first), std::min<GA_Offset>(myEnd, first + GA_PAGE_SIZE));
    }
    bool canMultiThread() const { return getPageCount() > 1; }
    // As TBB wants its ranges.
    bool empty() const { return myEnd <= myStart; }
    bool is_divisible() const { return getPageCount() > 1; }
};
