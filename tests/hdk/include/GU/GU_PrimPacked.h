#pragma once
// Fake of <GU/GU_PrimPacked.h>: https://www.sidefx.com/docs/hdk/class_g_u___prim_packed.html
// What is packed may be a detail, a part of one, or (Alembic, USD) nothing that could be had without unpacking.

#include <GEO/GEO_PrimPacked.h>
#include <GU/GU_DetailHandle.h>

#include <string>

class GU_PackedContext;

class GU_API GU_PrimPacked : public GEO_PrimPacked {
public:
    static bool isPackedPrimitive(const GA_Primitive& prim);
    void getFullTransform4(UT_Matrix4D& matrix) const override;
    /// In its own space. A shortcut: empty where the implementation has none.
    GU_ConstDetailHandle getPackedDetail() const;
    GU_ConstDetailHandle getPackedDetail(GU_PackedContext&) const { return getPackedDetail(); }
    /// Appends what is packed, where it is in the world. False where there is nothing to load.
    bool unpack(GU_Detail& dest) const;
    bool unpackWithContext(GU_Detail& dest, GU_PackedContext&) const { return unpack(dest); }
    /// The same without polygon soups.
    bool unpackUsingPolygons(GU_Detail& dest) const;
    std::unique_ptr<GA_Primitive> duplicate() const override;

    // What the fake's primitives are made of.
    struct Content {
        GU_ConstDetailHandle detail;
        std::string attribute, value;  ///< of a fragment: which primitives are its own
        bool has_detail = true;        ///< that could be had without unpacking
    };
    GU_PrimPacked(GA_PrimitiveTypeId type, Content content) : GEO_PrimPacked(type), myContent(std::move(content)) {}
    static GU_PrimPacked* place(GU_Detail& gdp, GA_PrimitiveTypeId type, Content content);

private:
    void own(GU_Detail& part) const;
    Content myContent;
};

namespace hdk_fake {
/// For tests: a primitive as Alembic and USD have them. It has no packed detail and unpacks into a polygon soup. A null
/// handle = its file is missing.
GU_API GU_PrimPacked* pack_reference(GU_Detail& gdp, const GU_ConstDetailHandle& detail);
}  // namespace hdk_fake
