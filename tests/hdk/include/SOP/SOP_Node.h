#pragma once
// Fake of <SOP/SOP_Node.h>: https://www.sidefx.com/docs/hdk/class_s_o_p___node.html

#include <GU/GU_DetailHandle.h>
#include <OP/OP_Node.h>
#include <SOP/SOP_API.h>
#include <SOP/SOP_Error.h>

#include <UT/UT_Array.h>

#include <memory>

enum GU_SelectionType { GU_SPrimitive, GU_SPoint };

class SOP_NodeVerb;
class SOP_NodeParms;
class SOP_NodeCache;

/// https://www.sidefx.com/docs/hdk/class_s_o_p___node_flags.html
class SOP_NodeFlags {
public:
    void setManagesDataIDs(bool on) { myManagesDataIDs = on; }
    bool getManagesDataIDs() const { return myManagesDataIDs; }

private:
    bool myManagesDataIDs = false;
};

class SOP_API SOP_Node : public OP_Node {
public:
    ~SOP_Node() override;
    /// Cooks if it must. Null after an error.
    GU_DetailHandle getCookedGeoHandle(OP_Context& context, int check_lock = 0);
    const GU_Detail* getCookedGeo(OP_Context& context, int check_lock = 0);
    virtual const SOP_NodeVerb* cookVerb() const { return nullptr; }

protected:
    SOP_Node(OP_Network* net, const char* name, OP_Operator* entry);
    virtual OP_ERROR cookMySop(OP_Context& context) = 0;
    OP_ERROR cookMyselfAsVerb(OP_Context& context);
    const GU_Detail* inputGeo(int index) const;
    /// The output begins as a copy of an input.
    OP_ERROR duplicateSource(unsigned index, OP_Context& context);
    /// What the viewer shows as selected: nothing here.
    void select(int) {}
    OP_ERROR cookMe(OP_Context& context) override;

    void addError(int code, const char* msg = nullptr) { myErrors.addError("SOP", code, msg); }
    void addWarning(int code, const char* msg = nullptr) { myErrors.addWarning("SOP", code, msg); }
    void addMessage(int code, const char* msg = nullptr) { myErrors.addMessage("SOP", code, msg); }

    SOP_NodeFlags mySopFlags;
    GU_Detail* gdp = nullptr;
    GU_DetailHandle myGdpHandle;

private:
    std::unique_ptr<SOP_NodeCache> myVerbCache;
};

inline SOP_Node* CAST_SOPNODE(OP_Node* node) {
    return dynamic_cast<SOP_Node*>(node);
}
