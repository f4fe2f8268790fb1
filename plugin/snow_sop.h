#pragma once

// What all SOPs of the plugin share: a node made from a table, a verb whose cache cooks, errors and the info text.

#include <OP/OP_Context.h>
#include <OP/OP_Error.h>
#include <OP/OP_Network.h>
#include <OP/OP_NodeInfoParms.h>
#include <OP/OP_Operator.h>
#include <OP/OP_OperatorTable.h>
#include <PRM/PRM_Template.h>
#include <SOP/SOP_Error.h>
#include <SOP/SOP_Node.h>
#include <SOP/SOP_NodeParmsOptions.h>
#include <SOP/SOP_NodeVerb.h>
#include <UT/UT_StringHolder.h>

#include <mutex>
#include <string>

#include "node_table.h"
#include "parameter_values.h"

namespace firn {

class SnowSop : public SOP_Node {
public:
    SnowSop(OP_Network* net, const char* name, OP_Operator* entry);

    /// Text about the last cook for the info window; may be called from any thread.
    void set_info(const std::string& text);
    void getNodeSpecificInfoText(OP_Context& context, OP_NodeInfoParms& parms) override;

private:
    std::mutex mutex_;
    std::string info_;
};

/// The parameters of a node without a verb, at a time.
class NodeParameterValues : public ParameterValues {
public:
    NodeParameterValues(const OP_Node& node, const NodeTable& table, fpreal time)
        : node_(node), table_(table), time_(time) {}
    double number(const char* token, int component) const override;
    std::string text(const char* token) const override;

private:
    const OP_Node& node_;
    const NodeTable& table_;
    fpreal time_;
};

/// Cooks a node, and holds its caches between cooks.
class SnowSopCache : public SOP_NodeCacheOptions, protected ParameterValues {
protected:
    explicit SnowSopCache(const NodeTable& table) : table_(table) {}

    /// Reads the inputs, writes `gdp`. Throws Error.
    virtual void cook_snow() = 0;

    const NodeTable& table() const { return table_; }
    void warn(const std::string& text) { addWarning(SOP_MESSAGE, text.c_str()); }
    void set_info(const std::string& text);

    double number(const char* token, int component) const override;
    std::string text(const char* token) const override;

private:
    OP_ERROR cook(OP_Context&) override;
    const NodeTable& table_;
};

/// The dialog of a table; lives as long as the DSO.
PRM_Template* dialog(const NodeTable&);

/// Registers the operator of a table with Houdini.
void add_sop(OP_OperatorTable*, const NodeTable&, OP_Constructor);

/// The cook leaves the ids of untouched attributes alone; older Houdinis don't ask.
template <class Parms>
auto keep_data_ids(Parms& parms, int) -> decltype(parms.setManagesDataIDs(true)) {
    return parms.setManagesDataIDs(true);
}
template <class Parms>
void keep_data_ids(Parms&, long) {}

/// A node whose verb's cache is `Cache`; Mode is how Houdini prepares the output.
template <const NodeTable& (*table)(), class Cache, SOP_NodeVerb::CookMode mode>
class VerbSop : public SnowSop {
public:
    static void add(OP_OperatorTable* operators) {
        verb();
        add_sop(operators, table(), [](OP_Network* net, const char* name, OP_Operator* entry) -> OP_Node* {
            return new VerbSop(net, name, entry);
        });
    }
    const SOP_NodeVerb* cookVerb() const override { return verb(); }

private:
    using SnowSop::SnowSop;

    class Verb : public SOP_NodeVerb {
    public:
        SOP_NodeParms* allocParms() const override {
            auto* parms = new SOP_NodeParmsOptions(dialog(table()));
            keep_data_ids(*parms, 0);
            return parms;
        }
        SOP_NodeCache* allocCache() const override { return new Cache; }
        UT_StringHolder name() const override { return UT_StringHolder(table().name); }
        CookMode cookMode(const SOP_NodeParms*) const override { return mode; }
        void cook(const CookParms& cookparms) const override {
            static_cast<Cache*>(cookparms.cache())->doCook(this, cookparms);
        }
    };
    /// Registered when it is first asked for, so that a DSO that does not fit registers nothing.
    static const SOP_NodeVerb* verb() {
        static const SOP_NodeVerb::Register<Verb> registered;
        return registered.get();
    }
    OP_ERROR cookMySop(OP_Context& context) override { return cookMyselfAsVerb(context); }
};

void add_snow_source(OP_OperatorTable*);
void add_snow_collider(OP_OperatorTable*);
void add_snow_step(OP_OperatorTable*);
void add_snow_rasterize(OP_OperatorTable*);
void add_snow_surface(OP_OperatorTable*);
void add_snow_grains(OP_OperatorTable*);

}  // namespace firn
