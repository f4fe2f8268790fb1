#pragma once
// Fake of <GU/GU_PackedFragment.h>: https://www.sidefx.com/docs/hdk/class_g_u___packed_fragment.html
// Many primitives share one detail; each stands for the primitives whose attribute has its value.

#include <GU/GU_PrimPacked.h>

class GU_API GU_PackedFragment {
public:
    static GU_PrimPacked* createFragment(GU_Detail& dest, const GU_ConstDetailHandle& src, const GA_Attribute* attrib,
                                         const UT_StringHolder& val);
    static GA_PrimitiveTypeId typeId() { return GA_PrimitiveTypeId(102); }

    // For tests: whether getPackedDetail() answers with the detail that all fragments share, or with the fragment's own
    // part. The documentation does not say which.
    static bool answers_with_whole_detail;
};
