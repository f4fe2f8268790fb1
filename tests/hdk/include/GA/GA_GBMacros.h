#pragma once
// Fake of <GA/GA_GBMacros.h>: https://www.sidefx.com/docs/hdk/_g_a___g_b_macros_8h.html

#define GA_FOR_ALL_PTOFF(gdp, ptoff)                                                                         \
    for (GA_Iterator ptoff##_it((gdp)->getPointRange()); !ptoff##_it.atEnd() && (ptoff = *ptoff##_it, true); \
         ++ptoff##_it)

#define GA_FOR_ALL_GROUP_PTOFF(gdp, group, ptoff) \
    GA_FOR_ALL_PTOFF(gdp, ptoff)                  \
    if (!(group) || (group)->contains(ptoff))

#define GA_FOR_ALL_PRIMITIVES(gdp, prim)                    \
    for (GA_Iterator prim##_it((gdp)->getPrimitiveRange()); \
         !prim##_it.atEnd() && (prim = (gdp)->getGEOPrimitive(*prim##_it), true); ++prim##_it)

#define GA_FOR_ALL_POINT_ATTRIBUTES(gdp, attrib)                         \
    for (const auto& attrib##_each : (gdp)->attributes(GA_ATTRIB_POINT)) \
        if ((attrib = attrib##_each.get()) != nullptr)
