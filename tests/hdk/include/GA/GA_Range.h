#pragma once
// Fake of <GA/GA_Range.h>: https://www.sidefx.com/docs/hdk/class_g_a___range.html

#include <GA/GA_Types.h>

class GA_Detail;
class GA_ElementGroup;
class GA_Iterator;

/// The elements of one kind between two offsets; those that were destroyed are passed over.
class GA_API GA_Range {
public:
    /// Marks iterations that delete what they come to.
    struct safedeletions {};

    GA_Range() = default;
    GA_Range(const GA_Detail& detail, GA_AttributeOwner owner, GA_Offset start, GA_Offset end,
             const GA_ElementGroup* group = nullptr)
        : myDetail(&detail), myOwner(owner), myStart(start), myEnd(end), myGroup(group) {}

    bool isValid() const { return myDetail != nullptr; }
    GA_AttributeOwner getOwner() const { return myOwner; }
    GA_Size getEntries() const;
    GA_Iterator begin() const;
    bool isEmpty() const { return getEntries() == 0; }

    const GA_Detail* detail() const { return myDetail; }
    GA_Offset startOffset() const { return myStart; }
    GA_Offset endOffset() const { return myEnd; }
    /// Those of a group alone; null = all.
    const GA_ElementGroup* group() const { return myGroup; }

protected:
    const GA_Detail* myDetail = nullptr;
    GA_AttributeOwner myOwner = GA_ATTRIB_INVALID;
    GA_Offset myStart = 0, myEnd = 0;
    const GA_ElementGroup* myGroup = nullptr;
};
