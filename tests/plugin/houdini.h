#pragma once

// A little Houdini for tests: the plugin's DSO, loaded as Houdini loads it, and nodes wired by hand.

#include <OP/OP_Network.h>
#include <OP/OP_OperatorTable.h>
#include <SOP/SOP_Node.h>
#include <dlfcn.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

/// The DSO's SOPs, loaded once; it stays loaded, as in Houdini.
inline OP_OperatorTable& sops() {
    static OP_OperatorTable* table = [] {
        void* dso = ::dlopen(FIRN_DSO, RTLD_NOW | RTLD_LOCAL);
        if (!dso) throw std::runtime_error(::dlerror());
        auto* entry = reinterpret_cast<void (*)(OP_OperatorTable*)>(::dlsym(dso, "newSopOperator"));
        if (!entry) throw std::runtime_error(::dlerror());
        auto* made = new OP_OperatorTable;
        entry(made);
        return made;
    }();
    return *table;
}

/// A SOP that a test writes: geometry as a function of time.
class GeometryNode : public SOP_Node {
public:
    using Make = std::function<void(GU_Detail&, double time)>;
    GeometryNode(Make make, bool moves) : SOP_Node(nullptr, "geometry", nullptr), make_(std::move(make)) {
        flags().setTimeDep(moves);
    }
    void set(Make make) {
        make_ = std::move(make);
        forceRecook();
    }

private:
    OP_ERROR cookMySop(OP_Context& context) override {
        make_(*gdp, context.getTime());
        return error();
    }
    Make make_;
};

class Houdini {
public:
    OP_Node* node(const std::string& type) {
        OP_Node* made = network_.createNode(type.c_str());
        if (!made) throw std::runtime_error("there is no node type " + type);
        return made;
    }
    GeometryNode* geometry(GeometryNode::Make make, bool moves = false) {
        return static_cast<GeometryNode*>(network_.adopt(std::make_unique<GeometryNode>(std::move(make), moves)));
    }
    /// Null after an error.
    static GU_DetailHandle cook(OP_Node* node, int frame) {
        OP_Context context;
        context.setFrame(frame);
        return dynamic_cast<SOP_Node&>(*node).getCookedGeoHandle(context);
    }

private:
    OP_Network network_{sops()};
};

inline void set(OP_Node* node, const char* parameter, double value) {
    node->setFloat(parameter, 0, 0, value);
}
inline void set(OP_Node* node, const char* parameter, const char* value) {
    node->setString(UT_String(value), CH_STRING_LITERAL, parameter, 0, 0);
}
