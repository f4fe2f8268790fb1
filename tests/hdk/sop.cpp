// SOP: nodes that cook geometry, by themselves or by a verb.

#include <PRM/PRM_Template.h>
#include <SOP/SOP_NodeParmsOptions.h>
#include <SOP/SOP_NodeVerb.h>

#include <algorithm>
#include <stdexcept>

namespace {

std::vector<SOP_NodeVerb*>& verbs() {
    static std::vector<SOP_NodeVerb*> all;
    return all;
}

}  // namespace

SOP_Node::SOP_Node(OP_Network* net, const char* name, OP_Operator* entry) : OP_Node(net, name, entry) {}
SOP_Node::~SOP_Node() = default;

PRM_ChoiceList SOP_Node::groupMenu(PRM_CHOICELIST_SINGLE, nullptr);
PRM_ChoiceList SOP_Node::pointGroupMenu(PRM_CHOICELIST_SINGLE, nullptr);

OP_ERROR SOP_Node::cookMe(OP_Context& context) {
    // Whoever still holds the last result keeps it.
    myGdpHandle.allocateAndSet(new GU_Detail);
    gdp = myGdpHandle.gdpNC();
    cookMySop(context);
    if (!mySopFlags.getManagesDataIDs()) myGdpHandle.gdpNC()->bumpAllDataIds();
    return error();
}

GU_DetailHandle SOP_Node::getCookedGeoHandle(OP_Context& context, int) {
    return cook(context) ? myGdpHandle : GU_DetailHandle();
}
const GU_Detail* SOP_Node::getCookedGeo(OP_Context& context, int) {
    return getCookedGeoHandle(context).gdp();
}

GU_ConstDetailHandle SOP_Node::inputHandle(int index) const {
    const auto* input = dynamic_cast<const SOP_Node*>(getInput(static_cast<unsigned>(index)));
    if (!input) return GU_ConstDetailHandle();
    const unsigned output = outputOfInput(static_cast<unsigned>(index));
    return output == 0 ? GU_ConstDetailHandle(input->myGdpHandle) : input->furtherOutput(output);
}

OP_ERROR SOP_Node::duplicateSource(unsigned index, OP_Context&) {
    if (const GU_Detail* input = inputGeo(static_cast<int>(index))) gdp->replaceWith(*input);
    return error();
}

OP_ERROR SOP_Node::cookMyselfAsVerb(OP_Context& context) {
    const SOP_NodeVerb* verb = cookVerb();
    if (!verb) throw std::runtime_error("the node has no verb");
    if (!myVerbCache) myVerbCache.reset(verb->allocCache());
    const std::unique_ptr<SOP_NodeParms> parms(verb->allocParms());
    parms->loadFromOpSubclass(SOP_NodeParms::LoadParms(*this, context.getTime()));
    UT_Array<GU_ConstDetailHandle> inputs;
    for (int k = 0; k < nInputs(); ++k) inputs.append(inputHandle(k));
    const SOP_NodeVerb::CookMode mode = verb->cookMode(parms.get());
    if ((mode == SOP_NodeVerb::COOK_DUPLICATE || mode == SOP_NodeVerb::COOK_INPLACE) && inputs.size() &&
        inputs(0).isValid())
        gdp->replaceWith(*inputs(0).gdp());
    const SOP_NodeVerb::CookParms cookparms(myGdpHandle, inputs, this, context, parms.get(), myVerbCache.get(),
                                            &myErrors);
    verb->cook(cookparms);
    return error();
}

SOP_NodeCache::~SOP_NodeCache() = default;
SOP_NodeParms::~SOP_NodeParms() = default;
SOP_NodeVerb::~SOP_NodeVerb() = default;

void SOP_NodeVerb::registerVerb(SOP_NodeVerb* verb) {
    verbs().push_back(verb);
}
void SOP_NodeVerb::unregisterVerb(SOP_NodeVerb* verb) {
    verbs().erase(std::remove(verbs().begin(), verbs().end(), verb), verbs().end());
}
const SOP_NodeVerb* SOP_NodeVerb::lookupVerb(const UT_StringRef& name) {
    for (const SOP_NodeVerb* verb : verbs())
        if (verb->name() == name) return verb;
    return nullptr;
}
void SOP_NodeVerb::listVerbs(UT_StringArray& names) {
    for (const SOP_NodeVerb* verb : verbs()) names.append(verb->name());
}

SOP_NodeParmsOptions::~SOP_NodeParmsOptions() = default;

void SOP_NodeParmsOptions::loadFromOpSubclass(const LoadParms& load) {
    for (const PRM_Template* parm = myTemplates; parm->getType() != PRM_LIST_TERMINATOR; ++parm) {
        Value& v = myValues[parm->getToken()];
        switch (parm->getType()) {
            case PRM_STRING:
                v.kind = Kind::text;
                break;
            case PRM_TOGGLE:
            case PRM_TOGGLE_J:
            case PRM_INT:
            case PRM_INT_J:
            case PRM_ORD:
                v.kind = Kind::integer;
                break;
            default:
                v.kind = Kind::real;
        }
        for (int k = 0; k < parm->getVectorSize(); ++k) {
            UT_StringHolder text;
            if (parm->isString() || parm->getChoiceListPtr())
                load.node().evalString(text, parm->getToken(), k, load.time());
            v.numbers.push_back(parm->isString() ? 0 : load.node().evalFloat(parm->getToken(), k, load.time()));
            v.texts.push_back(text.toStdString());
        }
    }
}

SOP_NodeCacheOptions::~SOP_NodeCacheOptions() = default;

void SOP_NodeCacheOptions::doCook(const SOP_NodeVerb*, const SOP_NodeVerb::CookParms& cookparms) {
    myCookParms = &cookparms;
    myOptions = &cookparms.parms<SOP_NodeParmsOptions>();
    gdp = cookparms.gdh().gdpNC();
    OP_Context without_time;
    cook(without_time);
    if (!myOptions->getManagesDataIDs()) gdp->bumpAllDataIds();
    gdp = nullptr;
    myOptions = nullptr;
    myCookParms = nullptr;
}

const SOP_NodeParmsOptions::Value& SOP_NodeCacheOptions::value(const char* parm,
                                                               SOP_NodeParmsOptions::Kind kind) const {
    const auto found = myOptions->myValues.find(parm);
    if (found == myOptions->myValues.end())
        throw std::runtime_error(std::string("there is no parameter '") + parm + "'");
    if (found->second.kind != kind)
        throw std::runtime_error(std::string("parameter '") + parm + "' is stored as another type than it is read as");
    return found->second;
}
fpreal SOP_NodeCacheOptions::evalFloat(const char* parm, int vi, fpreal) const {
    return value(parm, SOP_NodeParmsOptions::Kind::real).numbers.at(static_cast<size_t>(vi));
}
exint SOP_NodeCacheOptions::evalInt(const char* parm, int vi, fpreal) const {
    return static_cast<exint>(value(parm, SOP_NodeParmsOptions::Kind::integer).numbers.at(static_cast<size_t>(vi)));
}
void SOP_NodeCacheOptions::evalString(UT_String& to, const char* parm, int vi, fpreal) const {
    to = UT_String(value(parm, SOP_NodeParmsOptions::Kind::text).texts.at(static_cast<size_t>(vi)).c_str());
}
void SOP_NodeCacheOptions::evalString(UT_StringHolder& to, const char* parm, int vi, fpreal) const {
    to = value(parm, SOP_NodeParmsOptions::Kind::text).texts.at(static_cast<size_t>(vi));
}
OP_ERROR SOP_NodeCacheOptions::error() {
    return myCookParms->error()->getSeverity();
}
