#pragma once
// Double of <OP/OP_AutoLockInputs.h>: https://www.sidefx.com/docs/hdk/class_o_p___auto_lock_inputs.html
// The double has cooked all inputs before a node cooks; there is nothing to lock.

#include <OP/OP_Node.h>

class OP_AutoLockInputs {
public:
    explicit OP_AutoLockInputs(OP_Node* node) : myNode(node) {}
    OP_ERROR lock(OP_Context&) { return myNode->error(); }

private:
    OP_Node* myNode;
};
