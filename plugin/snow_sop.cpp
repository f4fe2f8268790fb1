#include "snow_sop.h"

#include <OP/OP_Context.h>
#include <OP/OP_Error.h>
#include <OP/OP_Network.h>
#include <OP/OP_NodeInfoParms.h>
#include <OP/OP_Operator.h>
#include <PRM/PRM_Template.h>
#include <PRM/PRM_TemplateBuilder.h>
#include <SOP/SOP_Error.h>
#include <SOP/SOP_Node.h>
#include <UT/UT_String.h>
#include <UT/UT_StringHolder.h>

#include <map>
#include <memory>
#include <vector>

#include "dialog_script.h"
#include "node_messages.h"

namespace firn {

namespace {

/// A parameter of a verb or of a node, whose functions have the same names. Each is asked for as what Houdini stores: a
/// verb's parameters are typed options, and reading one as another type gives 0.
template <class Source>
double number_of(const Source& source, const NodeTable& table, const char* token, int component, fpreal time) {
    if (is_integer(parameter_of(table, token))) return static_cast<double>(source.evalInt(token, component, time));
    return source.evalFloat(token, component, time);
}

template <class Source>
std::string text_of(const Source& source, const NodeTable& table, const char* token, fpreal time) {
    const NodeParameter& row = parameter_of(table, token);
    if (row.type == NodeParameterType::choice)
        return row.choices.at(static_cast<size_t>(source.evalInt(token, 0, time))).token;
    UT_String value;
    source.evalString(value, token, 0, time);
    return value.toStdString();
}

}  // namespace

SnowSop::SnowSop(OP_Network* net, const char* name, OP_Operator* entry) : SOP_Node(net, name, entry) {
    // Attributes that a cook leaves alone keep their ids, by which the next step recognises its own snow.
    mySopFlags.setManagesDataIDs(true);
}

void SnowSop::set_info(const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    info_ = text;
}

void SnowSop::getNodeSpecificInfoText(OP_Context& context, OP_NodeInfoParms& parms) {
    SOP_Node::getNodeSpecificInfoText(context, parms);
    const std::lock_guard<std::mutex> lock(mutex_);
    parms.append(info_.c_str());
}

void SnowSopCache::set_info(const std::string& text) {
    // In a compiled block there is no node to report to.
    if (auto* node = dynamic_cast<SnowSop*>(cookparms()->getNode())) node->set_info(text);
}

double SnowSopCache::number(const char* token, int component) const {
    return number_of<SOP_NodeCacheOptions>(*this, table_, token, component, cookparms()->getCookTime());
}

std::string SnowSopCache::text(const char* token) const {
    return text_of<SOP_NodeCacheOptions>(*this, table_, token, cookparms()->getCookTime());
}

double NodeParameterValues::number(const char* token, int component) const {
    return number_of(node_, table_, token, component, time_);
}

std::string NodeParameterValues::text(const char* token) const {
    return text_of(node_, table_, token, time_);
}

OP_ERROR SnowSopCache::cook(OP_Context&) {
    const NodeMessages messages{[&](const std::string& text) { addError(SOP_MESSAGE, text.c_str()); },
                                [&](const std::string& text) { warn(text); }};
    cook_reporting_errors(messages, [&] { cook_snow(); });
    return error();
}

PRM_Template* dialog(const NodeTable& table) {
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<PRM_TemplateBuilder>> built;
    const std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<PRM_TemplateBuilder>& builder = built[table.name];
    if (!builder)
        builder = std::make_unique<PRM_TemplateBuilder>(UT_StringHolder(table.name), dialog_script(table).c_str());
    return builder->templates();
}

void add_sop(OP_OperatorTable* operators, const NodeTable& table, OP_Constructor constructor) {
    unsigned required = 0;
    std::vector<const char*> labels;
    for (const NodeInput& input : table.inputs) {
        required += input.required;
        labels.push_back(input.label);
    }
    labels.push_back(nullptr);
    // Houdini keeps the pointer to the labels.
    static std::vector<std::unique_ptr<std::vector<const char*>>> kept;
    kept.push_back(std::make_unique<std::vector<const char*>>(std::move(labels)));
    auto* op = new OP_Operator(table.name, table.label, constructor, dialog(table), required,
                               static_cast<unsigned>(table.inputs.size()), nullptr, 0, kept.back()->data());
    op->setIconName(table.icon);
    op->setOpTabSubMenuPath("Firn");
    operators->addOperator(op);
}

}  // namespace firn
