#pragma once
// Fake of <GA/GA_Topology.h>: https://www.sidefx.com/docs/hdk/class_g_a___topology.html
// A vertex has no offset of its own here: it is counted through the primitives, in their order.

#include <GA/GA_Types.h>

class GA_Detail;

class GA_API GA_Topology {
public:
    explicit GA_Topology(GA_Detail& detail) : myDetail(detail) {}
    void wireVertexPoint(GA_Offset vtx, GA_Offset pt);

private:
    GA_Detail& myDetail;
};
