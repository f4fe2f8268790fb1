#pragma once
// Fake of <OP/OP_OperatorTable.h>: https://www.sidefx.com/docs/hdk/class_o_p___operator_table.html

#include <OP/OP_Operator.h>

#include <memory>
#include <vector>

class OP_API OP_OperatorTable {
public:
    /// The table owns the operator from now on.
    int addOperator(OP_Operator* op, void* reserved = nullptr);
    OP_Operator* getOperator(const char* name) const;

    // For tests.
    const std::vector<std::unique_ptr<OP_Operator>>& operators() const { return myOperators; }

private:
    std::vector<std::unique_ptr<OP_Operator>> myOperators;
};
