#pragma once
// Fake of <GA/GA_Primitive.h>: https://www.sidefx.com/docs/hdk/class_g_a___primitive.html
// Vertices are not elements of their own here: a primitive refers to points.

#include <GA/GA_Range.h>
#include <GA/GA_Types.h>
#include <UT/UT_Vector3.h>

#include <memory>
#include <vector>

class GA_Detail;

/// https://www.sidefx.com/docs/hdk/class_g_a___primitive_type_id.html
class GA_PrimitiveTypeId {
public:
    GA_PrimitiveTypeId(int id = -1) : myId(id) {}
    int get() const { return myId; }
    bool operator==(const GA_PrimitiveTypeId& other) const { return myId == other.myId; }
    bool operator!=(const GA_PrimitiveTypeId& other) const { return myId != other.myId; }

private:
    int myId;
};

/// https://www.sidefx.com/docs/hdk/class_g_a___offset_list_ref.html
class GA_OffsetListRef {
public:
    GA_OffsetListRef(GA_Offset first, GA_Size count) : myFirst(first), myCount(count) {}
    GA_Size entries() const { return myCount; }
    GA_Size size() const { return myCount; }
    GA_Offset operator()(GA_Size i) const { return myFirst + i; }

private:
    GA_Offset myFirst;
    GA_Size myCount;
};

class GA_API GA_Primitive {
public:
    virtual ~GA_Primitive();
    GA_Primitive& operator=(const GA_Primitive&) = delete;

    const GA_PrimitiveTypeId& getTypeId() const { return myType; }
    GA_Offset getMapOffset() const { return myOffset; }
    GA_Index getMapIndex() const;
    GA_Size getVertexCount() const { return static_cast<GA_Size>(myPoints.size()); }
    GA_Offset getPointOffset(GA_Size i) const { return myPoints[static_cast<size_t>(i)]; }
    GA_Index getPointIndex(GA_Size i) const;
    UT_Vector3 getPos3(GA_Size i) const;
    void setPos3(GA_Size i, const UT_Vector3& position);
    /// The corners' offsets, as GA_Detail counts them.
    GA_Range getVertexRange() const;
    GA_Detail& getDetail() const { return *myDetail; }
    void setPointOffset(GA_Size i, GA_Offset point) { myPoints[static_cast<size_t>(i)] = point; }

    // What the fake's details need.
    virtual std::unique_ptr<GA_Primitive> duplicate() const = 0;
    void place(GA_Detail& detail, GA_Offset offset, GA_Offset first_point) {
        myDetail = &detail;
        myOffset = offset;
        for (GA_Offset& p : myPoints) p += first_point;
    }
    void movePoint(GA_Size i, GA_Offset point) { myPoints[static_cast<size_t>(i)] = point; }
    void addPoint(GA_Offset point) { myPoints.push_back(point); }

protected:
    explicit GA_Primitive(GA_PrimitiveTypeId type) : myType(type) {}
    GA_Primitive(const GA_Primitive&) = default;

private:
    GA_PrimitiveTypeId myType;
    GA_Detail* myDetail = nullptr;
    GA_Offset myOffset = GA_INVALID_OFFSET;
    std::vector<GA_Offset> myPoints;
};
