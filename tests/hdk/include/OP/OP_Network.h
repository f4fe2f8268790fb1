#pragma once
// Fake of <OP/OP_Network.h>: https://www.sidefx.com/docs/hdk/class_o_p___network.html
// A list of nodes, made from the operators that are in the table; they go with it.

#include <OP/OP_Node.h>

#include <memory>
#include <vector>

class OP_OperatorTable;

class OP_API OP_Network {
public:
    explicit OP_Network(OP_OperatorTable& table) : myTable(table) {}
    ~OP_Network();
    OP_Network(const OP_Network&) = delete;
    OP_Network& operator=(const OP_Network&) = delete;

    OP_Node* createNode(const char* opname, const char* nodename = nullptr);
    /// For tests: a node that no operator stands for.
    OP_Node* adopt(std::unique_ptr<OP_Node> node);

private:
    OP_OperatorTable& myTable;
    std::vector<std::unique_ptr<OP_Node>> myNodes;
};
