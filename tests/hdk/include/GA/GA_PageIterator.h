#pragma once
// Fake of <GA/GA_PageIterator.h>: https://www.sidefx.com/docs/hdk/_g_a___page_iterator_8h.html
// and https://www.sidefx.com/docs/hdk/class_g_a___page_iterator.html

#include <GA/GA_Iterator.h>
#include <GA/GA_SplittableRange.h>

class GA_PageIterator {
public:
    explicit GA_PageIterator(const GA_SplittableRange& range) : myRange(range), myPageCount(range.getPageCount()) {}
    void rewind() { myAt = 0; }
    bool atEnd() const { return myAt >= myPageCount; }
    void advance() { ++myAt; }
    GA_PageIterator& operator++() {
        advance();
        return *this;
    }
    GA_Offset getFirstOffsetInPage() const { return myRange.getPageElementRange(myAt).startOffset(); }
    auto begin() const { return GA_Iterator(myRange.getPageElementRange(myAt)); }

private:
    GA_SplittableRange myRange;
    GA_Size myAt = 0, myPageCount;
};

/// body(start, end) for each block of offsets.
template <typename Body>
void GAforEachPageBlock(GA_PageIterator& page_iterator, const Body& body) {
    for (; !page_iterator.atEnd(); page_iterator.advance()) {
        GA_Offset start, end;
        for (GA_Iterator it(page_iterator.begin()); it.blockAdvance(start, end);) body(start, end);
    }
}

/// body(GA_PageIterator&) for ranges of pages, each on a thread of its own.
template <typename Body>
void GAparallelForEachPage(const GA_Range& range, bool shouldthread, const Body& body) {
    const GA_SplittableRange pages(range);
    const auto run = [&](const GA_SplittableRange& part) {
        GA_PageIterator pit(part);
        body(pit);
    };
    if (shouldthread)
        UTparallelFor(pages, run);
    else
        UTserialFor(pages, run);
}
