#pragma once
// Fake of <OP/OP_Operator.h>: https://www.sidefx.com/docs/hdk/class_o_p___operator.html

#include <OP/OP_API.h>
#include <UT/UT_StringHolder.h>

#include <string>
#include <vector>

struct CH_LocalVariable;
class OP_Network;
class OP_Node;
class OP_Operator;
class PRM_Template;

#define OP_FLAG_GENERATOR 0x02
#define OP_FLAG_UNORDERED 0x04

typedef OP_Node* (*OP_Constructor)(OP_Network* net, const char* name, OP_Operator* entry);

class OP_API OP_Operator {
public:
    /// `inputlabels` ends with a null pointer.
    OP_Operator(const char* name, const char* english, OP_Constructor construct, PRM_Template* templates,
                unsigned min_sources, unsigned max_sources = 9999, CH_LocalVariable* variables = nullptr,
                unsigned flags = 0, const char** inputlabels = nullptr, int maxoutputs = 1,
                const char* tab_submenu_path = nullptr);
    virtual ~OP_Operator();

    const UT_StringHolder& getName() const { return myName; }
    const UT_StringHolder& getEnglish() const { return myEnglish; }
    void setIconName(const char* icon) { myIcon = icon; }
    const UT_StringHolder& getIconName() const { return myIcon; }
    void setOpTabSubMenuPath(const char* path) { myMenu = path; }
    const UT_StringHolder& getOpTabSubMenuPath() const { return myMenu; }

    // What the fake's networks and tests need.
    const PRM_Template* templates() const { return myTemplates; }
    unsigned minSources() const { return myMin; }
    unsigned maxSources() const { return myMax; }
    const std::vector<std::string>& inputLabels() const { return myLabels; }
    OP_Node* makeNode(OP_Network* net, const char* name) { return myConstruct(net, name, this); }

private:
    UT_StringHolder myName, myEnglish, myIcon, myMenu;
    OP_Constructor myConstruct;
    PRM_Template* myTemplates;
    unsigned myMin, myMax;
    std::vector<std::string> myLabels;
};
