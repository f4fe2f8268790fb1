#pragma once
// Fake of <GEO/GEO_Detail.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___detail.html

#include <GA/GA_Detail.h>
#include <GEO/GEO_Primitive.h>
#include <UT/UT_BoundingBox.h>
#include <UT/UT_Map.h>

enum GEO_StandardAttribute { GEO_ATTRIBUTE_NORMAL, GEO_ATTRIBUTE_VELOCITY, GEO_ATTRIBUTE_MASS, GEO_ATTRIBUTE_DIFFUSE };

/// https://www.sidefx.com/docs/hdk/class_g_a___primitive_list.html
class GA_PrimitiveList {
public:
    explicit GA_PrimitiveList(GA_Detail& detail) : myDetail(detail) {}
    GA_Primitive* get(GA_Offset offset) const { return myDetail.getPrimitive(offset); }

private:
    GA_Detail& myDetail;
};

class GEO_API GEO_Detail : public GA_Detail {
public:
    static const char* getStdAttributeName(GEO_StandardAttribute attribute) {
        static const char* const names[] = {"N", "v", "mass", "Cd"};
        return names[attribute];
    }
    GA_RWAttributeRef addDiffuseAttribute(GA_AttributeOwner owner) {
        GA_RWAttributeRef colour =
            addFloatTuple(owner, getStdAttributeName(GEO_ATTRIBUTE_DIFFUSE), 3, GA_Defaults(1.0));
        colour.setTypeInfo(GA_TYPE_COLOR);
        return colour;
    }
    GA_RWAttributeRef findDiffuseAttribute(GA_AttributeOwner owner) {
        return findFloatTuple(owner, getStdAttributeName(GEO_ATTRIBUTE_DIFFUSE), 3);
    }
    /// Of the points; false = there are none.
    bool getBBox(UT_BoundingBox* bbox) const;
    GA_PrimitiveList getPrimitiveList() { return GA_PrimitiveList(*this); }
    /// An empty polygon: the one type that the fake makes this way.
    GEO_Primitive* appendPrimitive(const GA_PrimitiveTypeId& type);
    const GEO_Primitive* getGEOPrimitive(GA_Offset offset) const {
        return static_cast<const GEO_Primitive*>(getPrimitive(offset));
    }
    GEO_Primitive* getGEOPrimitive(GA_Offset offset) { return static_cast<GEO_Primitive*>(getPrimitive(offset)); }
};
