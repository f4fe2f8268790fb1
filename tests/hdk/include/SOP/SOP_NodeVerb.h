#pragma once
// Fake of <SOP/SOP_NodeVerb.h>: https://www.sidefx.com/docs/hdk/class_s_o_p___node_verb.html,
// https://www.sidefx.com/docs/hdk/class_s_o_p___node_verb_1_1_cook_parms.html and
// https://www.sidefx.com/docs/hdk/class_s_o_p___node_cache.html

#include <SOP/SOP_Node.h>
#include <UT/UT_Array.h>
#include <UT/UT_StringArray.h>

/// What a verb keeps between cooks; one for each node.
class SOP_API SOP_NodeCache {
public:
    virtual ~SOP_NodeCache();
    virtual int64 getMemoryUsage(bool inclusive) const { return inclusive ? static_cast<int64>(sizeof *this) : 0; }
};

class SOP_API SOP_NodeParms {
public:
    virtual ~SOP_NodeParms();

    /// The node whose parameters are taken over, and when.
    class LoadParms {
    public:
        LoadParms(const OP_Node& node, fpreal time) : myNode(node), myTime(time) {}
        const OP_Node& node() const { return myNode; }
        fpreal time() const { return myTime; }

    private:
        const OP_Node& myNode;
        fpreal myTime;
    };
    virtual void loadFromOpSubclass(const LoadParms& loadparms) = 0;
};

class SOP_API SOP_NodeVerb {
public:
    virtual ~SOP_NodeVerb();

    enum CookMode { COOK_INPLACE, COOK_DUPLICATE, COOK_GENERATOR, COOK_INSTANCE, COOK_GENERIC, COOK_PASSTHROUGH };

    /// Makes one verb for the DSO and announces it.
    template <typename T>
    class Register {
    public:
        Register() : myVerb(new T) { SOP_NodeVerb::registerVerb(myVerb); }
        ~Register() {
            SOP_NodeVerb::unregisterVerb(myVerb);
            delete myVerb;
        }
        Register(const Register&) = delete;
        Register& operator=(const Register&) = delete;
        const T* get() const { return myVerb; }

    private:
        T* myVerb;
    };

    class CookParms {
    public:
        CookParms(GU_DetailHandle& gdh, const UT_Array<GU_ConstDetailHandle>& inputs, SOP_Node* node,
                  const OP_Context& context, const SOP_NodeParms* parms, SOP_NodeCache* cache, UT_ErrorManager* error)
            : myGdh(gdh),
              myInputs(inputs),
              myNode(node),
              myContext(context),
              myParms(parms),
              myCache(cache),
              myError(error) {}

        GU_DetailHandle& gdh() const { return myGdh; }
        /// Null where a verb cooks without a node, as in compiled blocks.
        SOP_Node* getNode() const { return myNode; }
        const OP_Context& getContext() const { return myContext; }
        fpreal getCookTime() const { return myContext.getTime(); }
        exint nInputs() const { return myInputs.size(); }
        bool hasInput(exint idx) const { return idx >= 0 && idx < myInputs.size() && myInputs(idx).isValid(); }
        const GU_Detail* inputGeo(exint idx) const { return hasInput(idx) ? myInputs(idx).gdp() : nullptr; }
        template <typename T>
        const T& parms() const {
            return static_cast<const T&>(*myParms);
        }
        SOP_NodeCache* cache() const { return myCache; }
        UT_ErrorManager* error() const { return myError; }
        void sopAddError(int code, const char* msg = nullptr) const { myError->addError("SOP", code, msg); }
        void sopAddWarning(int code, const char* msg = nullptr) const { myError->addWarning("SOP", code, msg); }
        void sopAddMessage(int code, const char* msg = nullptr) const { myError->addMessage("SOP", code, msg); }

    private:
        GU_DetailHandle& myGdh;
        const UT_Array<GU_ConstDetailHandle>& myInputs;
        SOP_Node* myNode;
        const OP_Context& myContext;
        const SOP_NodeParms* myParms;
        SOP_NodeCache* myCache;
        UT_ErrorManager* myError;
    };

    virtual SOP_NodeCache* allocCache() const { return new SOP_NodeCache; }
    virtual SOP_NodeParms* allocParms() const = 0;
    virtual UT_StringHolder name() const = 0;
    virtual CookMode cookMode(const SOP_NodeParms* parms) const {
        (void)parms;
        return COOK_DUPLICATE;
    }
    virtual void cook(const CookParms& cookparms) const = 0;

    static const SOP_NodeVerb* lookupVerb(const UT_StringRef& name);
    static void listVerbs(UT_StringArray& verbnames);
    static void registerVerb(SOP_NodeVerb* verb);
    static void unregisterVerb(SOP_NodeVerb* verb);
};
