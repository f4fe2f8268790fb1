#pragma once
// Fake of <GA/GA_Iterator.h>: https://www.sidefx.com/docs/hdk/class_g_a___iterator.html

#include <GA/GA_Range.h>

class GA_API GA_Iterator {
public:
    GA_Iterator() = default;
    explicit GA_Iterator(const GA_Range& range) : myRange(range) { rewind(); }

    bool isValid() const { return myRange.isValid(); }
    void rewind();
    bool atEnd() const { return myAt >= myRange.endOffset(); }
    void advance();
    GA_Iterator& operator++() {
        advance();
        return *this;
    }
    GA_Offset getOffset() const { return offset(myAt); }
    GA_Offset operator*() const { return offset(myAt); }
    GA_Index getIndex() const;
    /// The next run of offsets within one page, end past the last; false = there is none.
    bool blockAdvance(GA_Offset& start, GA_Offset& end);
    /// The same over page borders.
    bool fullBlockAdvance(GA_Offset& start, GA_Offset& end);

private:
    bool active(GA_Offset place) const;
    /// The offset at a place of the iteration, which follows the order of the elements, not of their offsets.
    GA_Offset offset(GA_Offset place) const;
    GA_Range myRange;
    GA_Offset myAt = 0;
};
