#pragma once

// A SOP that makes a polygon by a verb, written in the manner of SideFX's published sample SOP_Star
// (sidefx.com/docs/hdk, Examples: SOP/SOP_Star.C). Its class of parameters is what SideFX's generate_proto.py would
// write for it.

#include <OP/OP_OperatorTable.h>
#include <PRM/PRM_Template.h>
#include <SOP/SOP_Node.h>

class SOP_Ring : public SOP_Node {
public:
    static PRM_Template* buildTemplates();
    static OP_Node* myConstructor(OP_Network* net, const char* name, OP_Operator* op) {
        return new SOP_Ring(net, name, op);
    }
    static const UT_StringHolder theSOPTypeName;

    const SOP_NodeVerb* cookVerb() const override;

protected:
    SOP_Ring(OP_Network* net, const char* name, OP_Operator* op) : SOP_Node(net, name, op) {
        mySopFlags.setManagesDataIDs(true);
    }
    ~SOP_Ring() override {}

    OP_ERROR cookMySop(OP_Context& context) override { return cookMyselfAsVerb(context); }
};

/// What its newSopOperator() would do.
void register_ring_sop(OP_OperatorTable* table);
