#pragma once
// Fake of <SOP/SOP_NodeParmsOptions.h>: https://www.sidefx.com/docs/hdk/class_s_o_p___node_parms_options.html
// and https://www.sidefx.com/docs/hdk/class_s_o_p___node_cache_options.html

#include <SOP/SOP_NodeVerb.h>

#include <map>
#include <string>
#include <vector>

class PRM_Template;

/// All parameters of a template list by name, as they were at the cook's time.
class SOP_API SOP_NodeParmsOptions : public SOP_NodeParms {
public:
    explicit SOP_NodeParmsOptions(const PRM_Template* tmpl) : myTemplates(tmpl) {}
    ~SOP_NodeParmsOptions() override;
    void loadFromOpSubclass(const LoadParms& loadparms) override;
    const PRM_Template* getTemplates() const { return myTemplates; }
    void setManagesDataIDs(bool manages) { myManagesDataIDs = manages; }
    bool getManagesDataIDs() const { return myManagesDataIDs; }

private:
    friend class SOP_NodeCacheOptions;
    /// Each is stored as what it is and read as that: a toggle or a menu is no real number. The fake throws where the
    /// real one would answer 0.
    enum class Kind { real, integer, text };
    struct Value {
        Kind kind;
        std::vector<fpreal> numbers;
        std::vector<std::string> texts;
    };
    const PRM_Template* myTemplates;
    bool myManagesDataIDs = false;
    std::map<std::string, Value> myValues;
};

/// A cache that cooks: parameters by name, inputs and errors as a SOP_Node has them.
class SOP_API SOP_NodeCacheOptions : public SOP_NodeCache {
public:
    SOP_NodeCacheOptions() = default;
    ~SOP_NodeCacheOptions() override;

    void doCook(const SOP_NodeVerb* verb, const SOP_NodeVerb::CookParms& cookparms);

    fpreal evalFloat(const char* parm, int vi, fpreal time) const;
    exint evalInt(const char* parm, int vi, fpreal time) const;
    void evalString(UT_String& value, const char* parm, int vi, fpreal time) const;
    void evalString(UT_StringHolder& value, const char* parm, int vi, fpreal time) const;

    exint nInputs() const { return myCookParms->nInputs(); }
    bool hasInput(exint idx) const { return myCookParms->hasInput(idx); }
    const GU_Detail* inputGeo(exint idx) const { return myCookParms->inputGeo(idx); }

    OP_ERROR error();
    void addError(int code, const char* msg = nullptr) { myCookParms->sopAddError(code, msg); }
    void addWarning(int code, const char* msg = nullptr) { myCookParms->sopAddWarning(code, msg); }
    void addMessage(int code, const char* msg = nullptr) { myCookParms->sopAddMessage(code, msg); }

protected:
    /// The context has no valid time, as the real one says: ask cookparms().
    virtual OP_ERROR cook(OP_Context& context) = 0;
    const SOP_NodeVerb::CookParms* cookparms() const { return myCookParms; }

    GU_Detail* gdp = nullptr;

private:
    const SOP_NodeParmsOptions::Value& value(const char* parm, SOP_NodeParmsOptions::Kind kind) const;
    const SOP_NodeParmsOptions* myOptions = nullptr;
    const SOP_NodeVerb::CookParms* myCookParms = nullptr;
};
