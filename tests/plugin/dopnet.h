#pragma once

// A DOP network for tests: the plugin's data types, loaded as Houdini loads them, and a function that plays the nodes.

#include <GA/GA_Handle.h>
#include <GU/GU_PrimPoly.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_ForceGravity.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_PositionSimple.h>
#include <SIM/SIM_RelationshipCollide.h>
#include <SIM/SIM_RelationshipSource.h>
#include <dlfcn.h>

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "firn/mesh.h"
#include "firn/particles.h"

/// initializeSIM of the DSO, called once, as Houdini does before it makes a simulation.
inline void load_data_types() {
    static const bool loaded = [] {
        void* dso = ::dlopen(FIRN_DSO, RTLD_NOW | RTLD_LOCAL);
        if (!dso) throw std::runtime_error(::dlerror());
        auto* entry = reinterpret_cast<void (*)(void*)>(::dlsym(dso, "initializeSIM"));
        if (!entry) throw std::runtime_error(::dlerror());
        entry(nullptr);
        return true;
    }();
    (void)loaded;
}

class Dopnet : public SIM_Engine {
public:
    /// `nodes` is asked at every step what it makes of the objects; `first` = they are not there yet.
    using Nodes = std::function<void(Dopnet&, int frame, bool first)>;

    explicit Dopnet(Nodes nodes) : SIM_Engine((load_data_types(), nullptr)), nodes_(std::move(nodes)) {}

    /// Frame 1 is the first. What is cached is not simulated again.
    void go_to(int frame) { setSimulationTime((frame - 1) * double(getTimeStep()), false, false, true); }
    void restart() { setSimulationTime(0, false, true, true); }

    SIM_Object* add(const char* name) {
        SIM_Object* object = addSimulationObject(false);
        object->setName(name);
        return object;
    }
    SIM_Object* find(const std::string& name) {
        for (int k = 0; k < getNumSimulationObjects(); ++k)
            if (getSimulationObject(k)->getName().toStdString() == name) return changeable_object(k);
        return nullptr;
    }
    void relate(const char* name, const char* type, SIM_Object* object, SIM_Object* affector) {
        SIM_Relationship* relationship = addRelationship(name, 0);
        relationship->addGroup(object);
        relationship->addAffGroup(affector);
        relationship->createNamedSubData("Type", type, 0);
    }
    /// The snow solver with these parameters, as its node attaches it.
    static void solve(SIM_Object* object, const std::function<void(SIM_Options&)>& parameters) {
        SIM_Data* solver =
            object->createNamedSubData(SIM_SOLVER_DATANAME, "SIM_FirnSnowSolver", SIM_DATA_RETURN_EXISTING);
        if (!solver) throw std::runtime_error("there is no SIM_FirnSnowSolver");
        SIM_Options options;
        options.setOptionS("device", "cpu");
        parameters(options);
        solver->setParameters(options);
    }
    std::string saved() const {
        std::ostringstream out;
        saveSimulationState(out);
        return out.str();
    }
    /// Warnings and errors.
    std::vector<Message> complaints() const {
        std::vector<Message> all;
        for (const Message& message : messages)
            if (message.severity >= UT_ERROR_WARNING) all.push_back(message);
        return all;
    }
    std::string said() const {
        std::string all;
        for (const Message& message : complaints()) all += message.text + "\n";
        return all;
    }
    /// What the node's info window would list beside them.
    std::string told() const {
        std::string all;
        for (const Message& message : messages)
            if (message.severity == UT_ERROR_MESSAGE) all += message.text + "\n";
        return all;
    }

protected:
    void preSimulationStep() override {
        const int frame = 1 + static_cast<int>(double(getSimulationTime()) / double(getTimeStep()) + 0.5);
        nodes_(*this, frame, getNumSimulationObjects() == 0);
    }

private:
    Nodes nodes_;
};

inline GU_Detail& written(SIM_Object* object, SIM_GeometryCopy*& geometry) {
    geometry = SIM_DATA_CREATE(*object, SIM_GEOMETRY_DATANAME, SIM_GeometryCopy, SIM_DATA_RETURN_EXISTING);
    return *geometry->lockGeometry().gdpNC();
}

/// Points as an object's geometry.
inline void set_points(SIM_Object* object, const std::vector<firn::Float3>& points) {
    SIM_GeometryCopy* geometry = nullptr;
    GU_Detail& detail = written(object, geometry);
    detail.clearAndDestroy();
    const GA_Offset first = detail.appendPointBlock(static_cast<GA_Size>(points.size()));
    for (size_t i = 0; i < points.size(); ++i)
        detail.setPos3(first + static_cast<GA_Offset>(i), UT_Vector3(points[i].x, points[i].y, points[i].z));
    geometry->releaseGeometry();
}

/// A mesh as an object's geometry, with Houdini's clockwise polygons.
inline void set_mesh(SIM_Object* object, const firn::Mesh& mesh) {
    SIM_GeometryCopy* geometry = nullptr;
    GU_Detail& detail = written(object, geometry);
    detail.clearAndDestroy();
    const GA_Offset first = detail.appendPointBlock(static_cast<GA_Size>(mesh.points.size()));
    for (size_t i = 0; i < mesh.points.size(); ++i)
        detail.setPos3(first + static_cast<GA_Offset>(i),
                       UT_Vector3(mesh.points[i].x, mesh.points[i].y, mesh.points[i].z));
    for (const auto& triangle : mesh.triangles) {
        GU_PrimPoly* polygon = GU_PrimPoly::build(&detail, 0, GU_POLY_CLOSED, 0);
        for (const size_t corner : {2, 1, 0}) polygon->appendVertex(first + static_cast<GA_Offset>(triangle[corner]));
    }
    geometry->releaseGeometry();
}

inline void set_transform(SIM_Object* object, const UT_DMatrix4& placement) {
    auto* geometry = SIM_DATA_CREATE(*object, SIM_GEOMETRY_DATANAME, SIM_GeometryCopy, SIM_DATA_RETURN_EXISTING);
    geometry->lockTransform() = placement;
    geometry->releaseTransform();
}

/// One point attribute, in the order of the points.
inline std::vector<float> floats(const GU_Detail& detail, const char* name) {
    const GA_Attribute* attribute = detail.findAttribute(GA_ATTRIB_POINT, name);
    std::vector<float> values;
    if (!attribute) return values;
    const GA_ROHandleF handle(attribute);
    for (GA_Index k = 0; k < detail.getNumPoints(); ++k)
        for (int c = 0; c < attribute->getTupleSize(); ++c) values.push_back(handle.get(detail.pointOffset(k), c));
    return values;
}

inline const GU_Detail& snow_of(Dopnet& net) {
    return *net.find("snow")->getGeometry()->getGeometry().gdp();
}

/// All that the engine would go on from, as numbers.
inline std::vector<std::vector<float>> snow_state(Dopnet& net) {
    std::vector<std::vector<float>> all;
    for (const firn::ParticleArray& array : firn::particle_arrays())
        if (array.components > 0) all.push_back(floats(snow_of(net), array.name));
    return all;
}
