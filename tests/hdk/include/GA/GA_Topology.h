#pragma once
// Fake of <GA/GA_Topology.h>: https://www.sidefx.com/docs/hdk/class_g_a___topology.html
// A vertex has no offset of its own here: it is counted through the primitives, in their order.

#include <GA/GA_Types.h>

class GA_Detail;

class GA_API GA_Topology {
public:
    explicit GA_Topology(GA_Detail& detail);
    GA_Topology(const GA_Topology&) = delete;
    GA_Topology& operator=(const GA_Topology&) = delete;
    void wireVertexPoint(GA_Offset vtx, GA_Offset pt);

    /// Changes with the elements and their wiring; an attribute's id need not.
    GA_DataId getDataId() const { return myDataId; }
    void bumpDataId();
    void cloneDataId(const GA_Topology& src) { myDataId = src.myDataId; }

private:
    GA_Detail& myDetail;
    GA_DataId myDataId;
};
