// OP: nodes with parameters and inputs that cook when they must.

#include <CH/CH_LocalVariable.h>
#include <CH/CH_Manager.h>
#include <OP/OP_Network.h>
#include <OP/OP_NodeInfoParms.h>
#include <OP/OP_OperatorTable.h>
#include <PRM/PRM_Template.h>

#include <cmath>
#include <stdexcept>

namespace {

/// The expressions that parameters have as defaults.
fpreal expression(const std::string& text, fpreal t) {
    if (text == "$F") return std::round(CHgetManager()->getSample(t));
    if (text == "$FF") return CHgetManager()->getSample(t);
    if (text == "$FSTART") return 1;
    if (text == "$T") return t;
    if (text == "$FPS") return CHgetManager()->getSamplesPerSec();
    if (text == "1/$FPS") return 1.0 / CHgetManager()->getSamplesPerSec();
    throw std::runtime_error("the fake knows no expression '" + text + "'");
}

}  // namespace

fpreal OP_Context::getFloatFrame() const {
    return CHgetManager()->getSample(myTime);
}
void OP_Context::setFrame(int frame) {
    myTime = CHgetManager()->getTime(frame);
}

OP_Node::OP_Node(OP_Network*, const char* name, OP_Operator* entry) : myName(name), myOperator(entry) {
    const PRM_Template* parm = entry ? entry->templates() : nullptr;
    for (; parm && parm->getType() != PRM_LIST_TERMINATOR; ++parm) {
        Value v;
        v.templ = parm;
        for (int k = 0; k < parm->getVectorSize(); ++k) {
            v.numbers.push_back(parm->getDefault(k).getFloat());
            v.texts.push_back(parm->getDefault(k).getString());
        }
        myValues[parm->getToken()] = std::move(v);
    }
    if (entry) myInputs.resize(std::min(entry->maxSources(), 16u));
    myInputCooks.resize(myInputs.size(), -1);
    myInputOutputs.resize(myInputs.size(), 0);
}
OP_Node::~OP_Node() = default;

int OP_Node::setInput(unsigned index, OP_Node* node, unsigned output) {
    if (index >= myInputs.size()) return 0;
    myInputs[index] = node;
    myInputOutputs[index] = output;
    myDirty = true;
    return 1;
}

void OP_Node::forceRecook(bool) {
    myDirty = true;
}

void OP_Node::getNodeSpecificInfoText(OP_Context&, OP_NodeInfoParms&) {}

bool OP_Node::timeDependent() const {
    if (myFlags.getTimeDep() || myTimeDependentBelow) return true;
    for (const auto& [name, v] : myValues) {
        if (!v.animated.empty()) return true;
        for (const std::string& text : v.texts)
            if (!v.templ->isString() && (text == "$F" || text == "$FF" || text == "$T")) return true;
    }
    return false;
}

bool OP_Node::cook(OP_Context& context) {
    bool inputs_fine = true, inputs_changed = false;
    myTimeDependentBelow = false;
    for (size_t k = 0; k < myInputs.size(); ++k) {
        if (!myInputs[k]) continue;
        inputs_fine &= myInputs[k]->cook(context);
        inputs_changed |= myInputs[k]->myCookCount != myInputCooks[k];
        myInputCooks[k] = myInputs[k]->myCookCount;
        myTimeDependentBelow |= myInputs[k]->timeDependent();
    }
    if (!inputs_fine) {
        myErrors.clearAndDestroyErrors();
        myErrors.addError("OP", 1, "Invalid source");
        myDirty = true;
        return false;
    }
    const bool must = myDirty || inputs_changed || (context.getTime() != myCookedTime && timeDependent());
    if (must) {
        myErrors.clearAndDestroyErrors();
        if (myOperator)
            for (unsigned k = 0; k < myOperator->minSources(); ++k)
                if (!myInputs[k]) myErrors.addError("OP", 2, "Not enough sources specified");
        ++myCookCount;
        if (error() < UT_ERROR_ABORT) cookMe(context);
        // It may have cooked its inputs at other times.
        for (size_t k = 0; k < myInputs.size(); ++k)
            if (myInputs[k]) myInputCooks[k] = myInputs[k]->myCookCount;
        myCookedTime = context.getTime();
        // What failed is tried again.
        myDirty = error() >= UT_ERROR_ABORT;
    }
    return error() < UT_ERROR_ABORT;
}

const OP_Node::Value& OP_Node::value(const UT_StringRef& name) const {
    const auto found = myValues.find(name.toStdString());
    if (found == myValues.end()) throw std::runtime_error("there is no parameter '" + name.toStdString() + "'");
    return found->second;
}
UT_StringHolder OP_Node::tokenAt(int parmindex) const {
    const PRM_Template* parm = myOperator ? myOperator->templates() : nullptr;
    for (int k = 0; parm && parm->getType() != PRM_LIST_TERMINATOR; ++k, ++parm)
        if (k == parmindex) return parm->getToken();
    throw std::runtime_error("there is no parameter " + std::to_string(parmindex));
}
fpreal OP_Node::number(const Value& v, int vi, fpreal t) const {
    const auto moving = v.animated.find(vi);
    if (moving != v.animated.end()) return moving->second(t);
    const std::string& text = v.texts.at(static_cast<size_t>(vi));
    return text.empty() ? v.numbers.at(static_cast<size_t>(vi)) : expression(text, t);
}
fpreal OP_Node::evalFloat(const UT_StringRef& name, int vi, fpreal t) const {
    return number(value(name), vi, t);
}
exint OP_Node::evalInt(const UT_StringRef& name, int vi, fpreal t) const {
    return static_cast<exint>(number(value(name), vi, t));
}
void OP_Node::evalString(UT_String& to, const UT_StringRef& name, int vi, fpreal t) const {
    UT_StringHolder text;
    evalString(text, name, vi, t);
    to = UT_String(text.c_str());
}
void OP_Node::evalString(UT_StringHolder& to, const UT_StringRef& name, int vi, fpreal t) const {
    const Value& v = value(name);
    if (v.templ->isString()) {
        to = v.texts.at(static_cast<size_t>(vi));
    } else if (v.templ->getChoiceListPtr()) {
        to = v.templ->getChoiceListPtr()->names().at(static_cast<size_t>(number(v, vi, t))).getToken();
    } else {
        to = std::to_string(number(v, vi, t));
    }
}
void OP_Node::setFloat(const UT_StringRef& name, int vi, fpreal, fpreal number_value) {
    Value& v = const_cast<Value&>(value(name));
    v.numbers.at(static_cast<size_t>(vi)) = number_value;
    v.texts.at(static_cast<size_t>(vi)).clear();
    v.animated.erase(vi);
    myDirty = true;
}
void OP_Node::setInt(const UT_StringRef& name, int vi, fpreal t, exint number_value) {
    setFloat(name, vi, t, static_cast<fpreal>(number_value));
}
void OP_Node::setString(const UT_String& text, CH_StringMeaning, const UT_StringRef& name, int vi, fpreal t) {
    Value& v = const_cast<Value&>(value(name));
    if (!v.templ->isString() && v.templ->getChoiceListPtr()) {
        const auto& names = v.templ->getChoiceListPtr()->names();
        for (size_t k = 0; k < names.size(); ++k)
            if (text.toStdString() == names[k].getToken()) return setFloat(name, vi, t, static_cast<fpreal>(k));
        throw std::runtime_error("menu '" + name.toStdString() + "' has no '" + text.toStdString() + "'");
    }
    v.texts.at(static_cast<size_t>(vi)) = text.toStdString();
    myDirty = true;
}
void OP_Node::animate(const UT_StringRef& name, int vi, std::function<fpreal(fpreal)> moving) {
    const_cast<Value&>(value(name)).animated[vi] = std::move(moving);
    myDirty = true;
}

std::string OP_Node::messageText(UT_ErrorSeverity severity) const {
    std::string all;
    for (const UT_ErrorManager::Entry& entry : myErrors.entries())
        if (entry.severity == severity) all += (all.empty() ? "" : "\n") + entry.text;
    return all;
}

OP_Network::~OP_Network() = default;

OP_Node* OP_Network::createNode(const char* opname, const char* nodename) {
    OP_Operator* entry = myTable.getOperator(opname);
    if (!entry) return nullptr;
    return adopt(std::unique_ptr<OP_Node>(entry->makeNode(this, nodename ? nodename : opname)));
}
OP_Node* OP_Network::adopt(std::unique_ptr<OP_Node> node) {
    myNodes.push_back(std::move(node));
    return myNodes.back().get();
}

OP_Operator::OP_Operator(const char* name, const char* english, OP_Constructor construct, PRM_Template* templates,
                         unsigned min_sources, unsigned max_sources, CH_LocalVariable*, unsigned,
                         const char** inputlabels, int, const char* tab_submenu_path)
    : myName(name),
      myEnglish(english),
      myMenu(tab_submenu_path),
      myConstruct(construct),
      myTemplates(templates),
      myMin(min_sources),
      myMax(max_sources) {
    for (; inputlabels && *inputlabels; ++inputlabels) myLabels.push_back(*inputlabels);
}
OP_Operator::~OP_Operator() = default;

int OP_OperatorTable::addOperator(OP_Operator* op, void*) {
    myOperators.emplace_back(op);
    return 1;
}
OP_Operator* OP_OperatorTable::getOperator(const char* name) const {
    for (const auto& op : myOperators)
        if (op->getName() == name) return op.get();
    return nullptr;
}
