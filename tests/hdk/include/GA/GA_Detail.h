#pragma once
// Fake of <GA/GA_Detail.h>: https://www.sidefx.com/docs/hdk/class_g_a___detail.html

#include <GA/GA_ATINumeric.h>
#include <GA/GA_ATIString.h>
#include <GA/GA_AttributeRef.h>
#include <GA/GA_ElementGroup.h>
#include <GA/GA_Iterator.h>
#include <GA/GA_Primitive.h>
#include <GA/GA_Range.h>
#include <GA/GA_Topology.h>
#include <UT/UT_Vector3.h>
#include <UT/UT_Vector4.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

class GA_AttributeOptions;
class UT_Options;

class GA_API GA_Detail {
public:
    GA_Detail();
    virtual ~GA_Detail();
    GA_Detail(const GA_Detail&) = delete;
    GA_Detail& operator=(const GA_Detail&) = delete;

    GA_Size getNumPoints() const { return myNumber[GA_ATTRIB_POINT]; }
    GA_Size getNumPrimitives() const { return myNumber[GA_ATTRIB_PRIMITIVE]; }
    GA_Size getNumPointOffsets() const { return static_cast<GA_Size>(myActive[GA_ATTRIB_POINT].size()); }
    GA_Range getPointRange(const GA_PointGroup* group = nullptr) const {
        return GA_Range(*this, GA_ATTRIB_POINT, 0, getNumPointOffsets(), group);
    }
    GA_Range getPrimitiveRange(const GA_PrimitiveGroup* group = nullptr) const {
        return GA_Range(*this, GA_ATTRIB_PRIMITIVE, 0, static_cast<GA_Offset>(myPrimitives.size()), group);
    }
    GA_Offset pointOffset(GA_Index index) const;
    GA_Index pointIndex(GA_Offset offset) const;
    GA_Offset primitiveOffset(GA_Index index) const;
    GA_Index primitiveIndex(GA_Offset offset) const;

    GA_Offset appendPoint() { return appendPointBlock(1); }
    GA_Offset appendPointOffset() { return appendPointBlock(1); }
    /// The first offset of a contiguous block.
    GA_Offset appendPointBlock(GA_Size npoints);
    /// Polygons whose corners are nowhere yet; the first one's offset.
    GA_Offset appendPrimitivesAndVertices(const GA_PrimitiveTypeId& type, GA_Size nprimitives, GA_Size nvertices_each,
                                          GA_Offset& vertex_block_start, bool closed_flag = false);
    // Corners counted over all primitives, in the order of their offsets.
    GA_Size getPrimitiveVertexCount(GA_Offset primitive) const { return getPrimitive(primitive)->getVertexCount(); }
    GA_OffsetListRef getPrimitiveVertexList(GA_Offset primitive) const;
    GA_Offset vertexPoint(GA_Offset vertex) const;
    GA_Topology& getTopology() { return myTopology; }
    const GA_Topology& getTopology() const { return myTopology; }
    /// What becomes of the primitives of points that are destroyed. Here they are left.
    enum GA_DestroyPointMode { GA_LEAVE_PRIMITIVES, GA_DESTROY_DEGENERATE, GA_DESTROY_DEGENERATE_INCOMPATIBLE };
    bool destroyPrimitiveOffset(GA_Offset offset, bool /*and_points*/ = false) {
        return destroyOne(GA_ATTRIB_PRIMITIVE, offset);
    }
    bool destroyPointOffset(GA_Offset offset, GA_DestroyPointMode = GA_LEAVE_PRIMITIVES) {
        return destroyOne(GA_ATTRIB_POINT, offset);
    }
    GA_Size destroyPrimitives(const GA_Range& range, bool /*and_points*/ = false) { return destroyAll(range); }
    GA_Size destroyPointOffsets(const GA_Range& range, GA_DestroyPointMode = GA_LEAVE_PRIMITIVES) {
        return destroyAll(range);
    }
    void clearAndDestroy();
    /// What is here now goes with destroyStashed(), unless clearAndDestroy() comes before.
    void stashAll() { myStashed = {getNumPointOffsets(), static_cast<GA_Size>(myPrimitives.size())}; }
    void destroyStashed();

    const GA_Attribute* getP() const { return myP; }
    GA_Attribute* getP() { return myP; }
    UT_Vector3 getPos3(GA_Offset point) const;
    void setPos3(GA_Offset point, const UT_Vector3& position);
    void setPos3(GA_Offset point, fpreal x, fpreal y, fpreal z) {
        setPos3(point, UT_Vector3(static_cast<fpreal32>(x), static_cast<fpreal32>(y), static_cast<fpreal32>(z)));
    }
    UT_Vector4 getPos4(GA_Offset point) const {
        const UT_Vector3 p = getPos3(point);
        return UT_Vector4(p.x(), p.y(), p.z());
    }

    const GA_Attribute* findAttribute(GA_AttributeOwner owner, const UT_StringRef& name) const;
    GA_Attribute* findAttribute(GA_AttributeOwner owner, const UT_StringRef& name);
    GA_ROAttributeRef findPointAttribute(const UT_StringRef& name) const {
        return findAttribute(GA_ATTRIB_POINT, name);
    }
    GA_RWAttributeRef findPointAttribute(const UT_StringRef& name) { return findAttribute(GA_ATTRIB_POINT, name); }
    GA_ROAttributeRef findPrimitiveAttribute(const UT_StringRef& name) const {
        return findAttribute(GA_ATTRIB_PRIMITIVE, name);
    }
    GA_RWAttributeRef findPrimitiveAttribute(const UT_StringRef& name) {
        return findAttribute(GA_ATTRIB_PRIMITIVE, name);
    }
    GA_ROAttributeRef findVertexAttribute(const UT_StringRef& name) const {
        return findAttribute(GA_ATTRIB_VERTEX, name);
    }
    GA_Attribute* findIntTuple(GA_AttributeOwner owner, const UT_StringRef& name, int min_size = 1, int max_size = -1);
    const GA_Attribute* findFloatTuple(GA_AttributeOwner owner, const UT_StringRef& name, int min_size = 1,
                                       int max_size = -1) const;
    GA_Attribute* findFloatTuple(GA_AttributeOwner owner, const UT_StringRef& name, int min_size = 1,
                                 int max_size = -1);

    GA_RWAttributeRef addFloatTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size,
                                    const GA_Defaults& defaults = GA_Defaults(0.0f),
                                    const UT_Options* creation_args = nullptr,
                                    const GA_AttributeOptions* attribute_options = nullptr,
                                    GA_Storage storage = GA_STORE_REAL32);
    GA_RWAttributeRef addIntTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size,
                                  const GA_Defaults& defaults = GA_Defaults(0),
                                  const UT_Options* creation_args = nullptr,
                                  const GA_AttributeOptions* attribute_options = nullptr,
                                  GA_Storage storage = GA_STORE_INT32);
    GA_RWAttributeRef addStringTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size);
    // Lists of any length for each element, and dictionaries: no handle of numbers or strings binds to them.
    GA_RWAttributeRef addFloatArray(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size = 1);
    GA_RWAttributeRef addIntArray(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size = 1);
    GA_RWAttributeRef addStringArray(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size = 1);
    GA_RWAttributeRef addDictTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size);
    bool destroyAttribute(GA_AttributeOwner owner, const UT_StringRef& name);

    GA_ElementGroupTable& getElementGroupTable(GA_AttributeOwner owner) { return myGroups[static_cast<size_t>(owner)]; }
    GA_PointGroup* newPointGroup(const UT_StringHolder& name) {
        return getElementGroupTable(GA_ATTRIB_POINT).make<GA_PointGroup>(name);
    }
    bool destroyPointGroup(GA_PointGroup* group) { return getElementGroupTable(GA_ATTRIB_POINT).destroy(group); }
    GA_PrimitiveGroup* newPrimitiveGroup(const UT_StringHolder& name) {
        return getElementGroupTable(GA_ATTRIB_PRIMITIVE).make<GA_PrimitiveGroup>(name);
    }

    void bumpDataIdsForAddOrRemove(bool points_added, bool vertices_added, bool primitives_added);
    void bumpAllDataIds();
    /// Takes over all of the other's elements and attributes; data ids stay theirs, because the data is.
    void replaceWith(const GA_Detail& src);
    exint getUniqueId() const { return myUniqueId; }
    /// Of the point attributes; the rest is small.
    int64 getMemoryUsage(bool inclusive) const;

    const GA_Primitive* getPrimitive(GA_Offset offset) const { return myPrimitives[static_cast<size_t>(offset)].get(); }
    GA_Primitive* getPrimitive(GA_Offset offset) { return myPrimitives[static_cast<size_t>(offset)].get(); }

    // What the fake's ranges, primitives and tests need.
    bool isActive(GA_AttributeOwner owner, GA_Offset offset) const {
        return owner == GA_ATTRIB_VERTEX || myActive[static_cast<size_t>(owner)][static_cast<size_t>(offset)];
    }
    GA_Primitive* adopt(std::unique_ptr<GA_Primitive> primitive, GA_Offset first_point = 0);
    /// Appends the elements of the other; attributes that only one has get their defaults.
    void append(const GA_Detail& src);
    const std::vector<std::unique_ptr<GA_Attribute>>& attributes(GA_AttributeOwner owner) const {
        return myAttributes[static_cast<size_t>(owner)];
    }
    /// The points in another order, at the offsets that they have: what a Sort SOP may do. No attribute changes, and so
    /// no attribute's id; `announced` = the topology's does.
    void reorderPoints(const std::vector<GA_Offset>& order, bool announced);
    /// Where the `place`-th offset of an iteration is.
    GA_Offset ordered(GA_AttributeOwner owner, GA_Offset place) const {
        return owner == GA_ATTRIB_POINT && !myOrder.empty() ? myOrder[static_cast<size_t>(place)] : place;
    }
    GA_Size offsets(GA_AttributeOwner owner) const {
        return static_cast<GA_Size>(myActive[static_cast<size_t>(owner)].size());
    }

private:
    GA_Attribute* add(std::unique_ptr<GA_Attribute>);
    bool destroyOffset(GA_AttributeOwner owner, GA_Offset offset);
    bool destroyOne(GA_AttributeOwner owner, GA_Offset offset);
    GA_Size destroyAll(const GA_Range& range);

    std::array<std::vector<bool>, GA_ATTRIB_OWNER_N> myActive;
    std::array<GA_Size, GA_ATTRIB_OWNER_N> myNumber{};
    std::array<std::vector<std::unique_ptr<GA_Attribute>>, GA_ATTRIB_OWNER_N> myAttributes;
    std::vector<std::unique_ptr<GA_Primitive>> myPrimitives;
    std::array<GA_ElementGroupTable, GA_ATTRIB_OWNER_N> myGroups;
    std::vector<GA_Offset> myOrder;               ///< of all point offsets; empty = their own
    std::pair<GA_Size, GA_Size> myStashed{0, 0};  ///< points and primitives
    GA_Attribute* myP = nullptr;
    GA_Topology myTopology;
    int myDestroyedOneByOne = 0;
    exint myUniqueId;
};
