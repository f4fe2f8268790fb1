#pragma once
// Fake of <SOP/SOP_Node.h>: https://www.sidefx.com/docs/hdk/class_s_o_p___node.html

#include <GU/GU_DetailHandle.h>
#include <OP/OP_Node.h>
#include <PRM/PRM_ChoiceList.h>
#include <SOP/SOP_API.h>
#include <SOP/SOP_Error.h>

#include <UT/UT_Array.h>

#include <memory>

enum GU_SelectionType { GU_SPrimitive, GU_SPoint };

class PRM_SpareData;
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
    /// Cooks if it must. Null after an error. Of a node with several outputs it is the first, whatever the wire.
    GU_DetailHandle getCookedGeoHandle(OP_Context& context, int check_lock = 0);
    const GU_Detail* getCookedGeo(OP_Context& context, int check_lock = 0);
    virtual OP_ERROR cookInputGroups(OP_Context&, int /*alone*/ = 0) { return error(); }
    static PRM_ChoiceList groupMenu, pointGroupMenu;
    static PRM_SpareData* getGroupSelectButton(GA_GroupType) { return nullptr; }
    virtual const SOP_NodeVerb* cookVerb() const { return nullptr; }

protected:
    SOP_Node(OP_Network* net, const char* name, OP_Operator* entry);
    virtual OP_ERROR cookMySop(OP_Context& context) = 0;
    virtual OP_ERROR cookMyGuide1(OP_Context&) { return error(); }
    OP_ERROR cookMyselfAsVerb(OP_Context& context);
    /// As it was locked: of the output that the wire comes from, at the time of the lock.
    const GU_Detail* inputGeo(int index) const { return inputHandle(index).gdp(); }
    const GU_Detail* inputGeo(int index, OP_Context&) const { return inputGeo(index); }
    /// The output begins as a copy of an input.
    OP_ERROR duplicateSource(unsigned index, OP_Context& context);
    OP_ERROR duplicatePointSource(unsigned index, OP_Context& context) { return duplicateSource(index, context); }
    /// No group: the fake's nodes have none to name.
    OP_ERROR cookInputPointGroups(OP_Context&, const GA_PointGroup*& group, int /*alone*/ = 0,
                                  bool /*do_selection*/ = true, int /*group_parm_index*/ = 0,
                                  int /*group_type_index*/ = -1, bool /*allow_reference*/ = true,
                                  bool /*fillentries*/ = false, bool /*detached*/ = true, int /*input_index*/ = 0) {
        group = nullptr;
        return error();
    }
    /// What the viewer shows as selected: nothing here.
    void select(int) {}
    void select(GA_GroupType) {}
    OP_ERROR cookMe(OP_Context& context) override;

    void addError(int code, const char* msg = nullptr) { myErrors.addError("SOP", code, msg); }
    void addWarning(int code, const char* msg = nullptr) { myErrors.addWarning("SOP", code, msg); }
    void addMessage(int code, const char* msg = nullptr) { myErrors.addMessage("SOP", code, msg); }

    /// For tests: what an output beyond the first has.
    virtual GU_ConstDetailHandle furtherOutput(unsigned) const { return GU_ConstDetailHandle(); }

    SOP_NodeFlags mySopFlags;
    GU_Detail* gdp = nullptr;
    GU_DetailHandle myGdpHandle;

private:
    GU_ConstDetailHandle inputHandle(int index) const;

    std::unique_ptr<SOP_NodeCache> myVerbCache;
};

inline SOP_Node* CAST_SOPNODE(OP_Node* node) {
    return dynamic_cast<SOP_Node*>(node);
}
