#pragma once
// Fake of <OP/OP_AutoLockInputs.h>: https://www.sidefx.com/docs/hdk/class_o_p___auto_lock_inputs.html
// Cooks the inputs, so that they are there as at this time; the fake's inputs need no locks.

#include <OP/OP_Node.h>

class OP_AutoLockInputs {
public:
    OP_AutoLockInputs() = default;
    explicit OP_AutoLockInputs(OP_Node* node) : myNode(node) {}
    void setNode(OP_Node* node) { myNode = node; }
    void markInputUnlocked(exint) {}
    OP_ERROR lock(OP_Context& context) {
        for (int k = 0; k < myNode->nInputs(); ++k) {
            OP_Node* input = myNode->getInput(static_cast<unsigned>(k));
            if (input && !input->cook(context)) return UT_ERROR_ABORT;
        }
        return myNode->error();
    }
    OP_ERROR lockInput(unsigned index, OP_Context& context) {
        OP_Node* input = myNode->getInput(index);
        return input && !input->cook(context) ? UT_ERROR_ABORT : myNode->error();
    }

private:
    OP_Node* myNode = nullptr;
};
