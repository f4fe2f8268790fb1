#pragma once
// Fake of <GU/GU_PrimPacked.h>: https://www.sidefx.com/docs/hdk/class_g_u___prim_packed.html

#include <GEO/GEO_PrimPacked.h>
#include <GU/GU_DetailHandle.h>

class GU_API GU_PrimPacked : public GEO_PrimPacked {
public:
    explicit GU_PrimPacked(const GU_ConstDetailHandle& detail) : myDetail(detail) {}
    static bool isPackedPrimitive(const GA_Primitive& prim) { return prim.getTypeId() == GEO_PRIMPACKED_DOUBLE; }
    void getFullTransform4(UT_Matrix4D& matrix) const override;
    /// What is packed, in its own space.
    GU_ConstDetailHandle getPackedDetail() const { return myDetail; }
    std::unique_ptr<GA_Primitive> duplicate() const override;

private:
    GU_ConstDetailHandle myDetail;
};
