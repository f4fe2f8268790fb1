#pragma once
// Fake of <GA/GA_Range.h>: https://www.sidefx.com/docs/hdk/class_g_a___range.html

#include <GA/GA_Types.h>

class GA_Detail;

/// The elements of one kind between two offsets; those that were destroyed are passed over.
class GA_API GA_Range {
public:
    GA_Range() = default;
    GA_Range(const GA_Detail& detail, GA_AttributeOwner owner, GA_Offset start, GA_Offset end)
        : myDetail(&detail), myOwner(owner), myStart(start), myEnd(end) {}

    bool isValid() const { return myDetail != nullptr; }
    GA_AttributeOwner getOwner() const { return myOwner; }
    GA_Size getEntries() const;
    bool isEmpty() const { return getEntries() == 0; }

    const GA_Detail* detail() const { return myDetail; }
    GA_Offset startOffset() const { return myStart; }
    GA_Offset endOffset() const { return myEnd; }

protected:
    const GA_Detail* myDetail = nullptr;
    GA_AttributeOwner myOwner = GA_ATTRIB_INVALID;
    GA_Offset myStart = 0, myEnd = 0;
};
