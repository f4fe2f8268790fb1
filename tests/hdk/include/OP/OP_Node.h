#pragma once
// Fake of <OP/OP_Node.h>: https://www.sidefx.com/docs/hdk/class_o_p___node.html and
// <OP/OP_Parameters.h>: https://www.sidefx.com/docs/hdk/class_o_p___parameters.html

#include <CH/CH_Types.h>
#include <OP/OP_Context.h>
#include <OP/OP_DataTypes.h>
#include <OP/OP_Error.h>
#include <UT/UT_String.h>
#include <UT/UT_StringHolder.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

class CH_LocalVariable;
class CH_Manager;
class OP_Network;
class OP_NodeInfoParms;
class OP_NodeInfoTreeParms;
class OP_Operator;
class PRM_Template;
class UT_InfoTree;

/// https://www.sidefx.com/docs/hdk/class_o_p___node_flags.html
class OP_NodeFlags {
public:
    bool getTimeDep() const { return myTimeDep; }
    void setTimeDep(bool on) { myTimeDep = on; }

private:
    bool myTimeDep = false;
};

class OP_API OP_Node {
public:
    virtual ~OP_Node();
    OP_Node(const OP_Node&) = delete;
    OP_Node& operator=(const OP_Node&) = delete;

    const UT_StringHolder& getName() const { return myName; }
    void getFullPath(UT_String& path) const { path = UT_String(("/obj/snow/" + myName.toStdString()).c_str()); }
    OP_Operator* getOperator() const { return myOperator; }
    OP_Node* getInput(unsigned index, bool /*mark_used*/ = false) const {
        return index < myInputs.size() ? myInputs[index] : nullptr;
    }
    /// `output`: which of the other node's outputs the wire comes from.
    int setInput(unsigned index, OP_Node* node, unsigned output = 0);
    int nInputs() const { return static_cast<int>(myInputs.size()); }
    OP_NodeFlags& flags() { return myFlags; }
    const OP_NodeFlags& flags() const { return myFlags; }
    void forceRecook(bool evensmartcache = true);
    /// Cooks if it must; false = an error.
    bool cook(OP_Context& context);
    /// What the nodes' wires are called.
    virtual const char* inputLabel(unsigned) const { return ""; }
    /// Greys out parameters; true = some changed.
    virtual bool updateParmsFlags() { return false; }
    /// Greys a parameter out, or hides it; whether that is a change.
    bool enableParm(const UT_StringRef&, int /*state*/, int /*vi*/ = -1) { return false; }
    bool setVisibleState(const UT_StringRef&, bool /*state*/, int /*vi*/ = -1) { return false; }
    /// Of local variables, which the fake's expressions don't have.
    virtual bool evalVariableValue(fpreal&, int, int) { return false; }
    virtual void getNodeSpecificInfoText(OP_Context& context, OP_NodeInfoParms& parms);
    virtual void fillInfoTreeNodeSpecific(UT_InfoTree&, const OP_NodeInfoTreeParms&) {}

    // Parameters.
    fpreal evalFloat(const UT_StringRef& parmname, int vi, fpreal t) const;
    exint evalInt(const UT_StringRef& parmname, int vi, fpreal t) const;
    void evalString(UT_String& value, const UT_StringRef& parmname, int vi, fpreal t) const;
    void evalString(UT_StringHolder& value, const UT_StringRef& parmname, int vi, fpreal t) const;
    // By its place in the list of templates.
    fpreal evalFloat(int parmindex, int vi, fpreal t) const { return evalFloat(tokenAt(parmindex), vi, t); }
    exint evalInt(int parmindex, int vi, fpreal t) const { return evalInt(tokenAt(parmindex), vi, t); }
    void evalString(UT_String& value, int parmindex, int vi, fpreal t) const {
        evalString(value, tokenAt(parmindex), vi, t);
    }
    void setFloat(const UT_StringRef& parmname, int vi, fpreal t, fpreal value);
    void setInt(const UT_StringRef& parmname, int vi, fpreal t, exint value);
    void setString(const UT_String& value, CH_StringMeaning meaning, const UT_StringRef& parmname, int vi, fpreal t);

    // Errors.
    OP_ERROR error() const { return myErrors.getSeverity(); }
    UT_ErrorManager* errorManager() { return &myErrors; }

    // For tests: a parameter that changes over time, and how often the node has cooked.
    void animate(const UT_StringRef& parmname, int vi, std::function<fpreal(fpreal time)> value);
    int cookCount() const { return myCookCount; }
    const std::vector<UT_ErrorManager::Entry>& messages() const { return myErrors.entries(); }
    std::string messageText(UT_ErrorSeverity severity) const;

protected:
    OP_Node(OP_Network* parent, const char* name, OP_Operator* entry);
    virtual OP_ERROR cookMe(OP_Context& context) = 0;
    unsigned outputOfInput(unsigned index) const { return myInputOutputs[index]; }

    UT_ErrorManager myErrors;

private:
    struct Value {
        const PRM_Template* templ;
        std::vector<fpreal> numbers;
        std::vector<std::string> texts;  ///< expressions of numbers, values of strings
        std::map<int, std::function<fpreal(fpreal)>> animated;
    };
    const Value& value(const UT_StringRef& name) const;
    UT_StringHolder tokenAt(int parmindex) const;
    fpreal number(const Value&, int vi, fpreal t) const;
    bool timeDependent() const;

    UT_StringHolder myName;
    OP_Operator* myOperator;
    std::vector<OP_Node*> myInputs;
    std::vector<unsigned> myInputOutputs;
    std::vector<int> myInputCooks;
    OP_NodeFlags myFlags;
    std::map<std::string, Value> myValues;
    bool myDirty = true;
    bool myTimeDependentBelow = false;
    fpreal myCookedTime = 0;
    int myCookCount = 0;
};
