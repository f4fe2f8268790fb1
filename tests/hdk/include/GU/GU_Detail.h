#pragma once
// Fake of <GU/GU_Detail.h>: https://www.sidefx.com/docs/hdk/class_g_u___detail.html

#include <GA/GA_GBMacros.h>
#include <GA/GA_Handle.h>
#include <GEO/GEO_Detail.h>
#include <GU/GU_API.h>

class GEO_ConvertParms;

class GU_API GU_Detail : public GEO_Detail {
public:
    /// Appends the other's points and primitives.
    void merge(const GU_Detail& src) { append(src); }
    /// What has no conversion stays as it is.
    void convert(GEO_ConvertParms& parms);
};
