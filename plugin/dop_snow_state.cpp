#include "dop_snow_state.h"

#include <PRM/PRM_Include.h>
#include <PRM/PRM_Template.h>
#include <SIM/SIM_DopDescription.h>

#include <algorithm>
#include <string>

namespace firn {

namespace {

std::string numbered(const char* name, size_t index) {
    return std::string(name) + "_" + std::to_string(index);
}

// Floats become doubles and back without loss.

UT_Fpreal64Array encoded(const std::vector<Float3>& vectors) {
    UT_Fpreal64Array numbers;
    numbers.setCapacity(static_cast<exint>(3 * vectors.size()));
    for (const Float3& v : vectors) {
        numbers.append(v.x);
        numbers.append(v.y);
        numbers.append(v.z);
    }
    return numbers;
}

std::vector<Float3> decoded(const UT_Fpreal64Array& numbers) {
    std::vector<Float3> vectors(static_cast<size_t>(numbers.entries() / 3));
    for (size_t i = 0; i < vectors.size(); ++i) {
        const exint k = static_cast<exint>(3 * i);
        vectors[i] = {static_cast<float>(numbers(k)), static_cast<float>(numbers(k + 1)),
                      static_cast<float>(numbers(k + 2))};
    }
    return vectors;
}

UT_Int64Array encoded(const std::vector<std::array<uint32_t, 3>>& triangles) {
    UT_Int64Array numbers;
    numbers.setCapacity(static_cast<exint>(3 * triangles.size()));
    for (const auto& triangle : triangles)
        for (const uint32_t corner : triangle) numbers.append(int64(corner));
    return numbers;
}

std::vector<std::array<uint32_t, 3>> decoded(const UT_Int64Array& numbers) {
    std::vector<std::array<uint32_t, 3>> triangles(static_cast<size_t>(numbers.entries() / 3));
    for (size_t i = 0; i < triangles.size(); ++i)
        for (size_t k = 0; k < 3; ++k) triangles[i][k] = static_cast<uint32_t>(numbers(static_cast<exint>(3 * i + k)));
    return triangles;
}

bool same(const UT_Fpreal64Array& a, const UT_Fpreal64Array& b) {
    return a.entries() == b.entries() && std::equal(a.data(), a.data() + a.entries(), b.data());
}
bool same(const UT_Int64Array& a, const UT_Int64Array& b) {
    return a.entries() == b.entries() && std::equal(a.data(), a.data() + a.entries(), b.data());
}

/// Every change makes Houdini throw away what it derived from the data; so only real ones are made.
void set(SIM_Options& options, const std::string& name, const UT_Fpreal64Array& value) {
    if (!options.hasOption(name) || !same(options.getOptionFArray(name), value)) options.setOptionFArray(name, value);
}
void set(SIM_Options& options, const std::string& name, const UT_Int64Array& value) {
    if (!options.hasOption(name) || !same(options.getOptionIArray(name), value)) options.setOptionIArray(name, value);
}
void set(SIM_Options& options, const std::string& name, int64_t value) {
    if (!options.hasOption(name) || options.getOptionI(name) != value) options.setOptionI(name, value);
}
void set(SIM_Options& options, const std::string& name, const std::string& value) {
    if (!options.hasOption(name) || options.getOptionS(name).toStdString() != value) options.setOptionS(name, value);
}

}  // namespace

SIM_FirnSnowState::SIM_FirnSnowState(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}
SIM_FirnSnowState::~SIM_FirnSnowState() = default;

const SIM_DopDescription* SIM_FirnSnowState::dop_description() {
    static PRM_Template none[] = {PRM_Template()};
    static const SIM_DopDescription description(false, "firn_snowstate", "Firn Snow State", data_name, classname(),
                                                none);
    return &description;
}

std::vector<CollidingObject> SIM_FirnSnowState::colliders() const {
    const SIM_Options& options = getOptions();
    std::vector<CollidingObject> all(static_cast<size_t>(std::max<int64>(0, options.getOptionI("colliders"))));
    for (size_t k = 0; k < all.size(); ++k) {
        CollidingObject& object = all[k];
        object.object = static_cast<int>(options.getOptionI(numbered("object", k)));
        object.piece = options.getOptionS(numbered("piece", k)).toStdString();
        object.state.motion = static_cast<Motion>(options.getOptionI(numbered("motion", k)));
        object.state.rest.mesh.points = decoded(options.getOptionFArray(numbered("rest", k)));
        object.state.rest.mesh.triangles = decoded(options.getOptionIArray(numbered("triangles", k)));
        object.state.rest.normals = decoded(options.getOptionFArray(numbered("normals", k)));
        object.state.points = decoded(options.getOptionFArray(numbered("points", k)));
        const UT_Fpreal64Array& placement = options.getOptionFArray(numbered("placement", k));
        if (placement.entries() == 12) {
            std::copy(placement.data(), placement.data() + 9, object.state.placement.rotation);
            std::copy(placement.data() + 9, placement.data() + 12, object.state.placement.translation);
        }
    }
    return all;
}

void SIM_FirnSnowState::set_colliders(const std::vector<CollidingObject>& all) {
    SIM_Options& options = getOptions();
    const auto before = static_cast<size_t>(std::max<int64>(0, options.getOptionI("colliders")));
    set(options, "colliders", static_cast<int64_t>(all.size()));
    for (size_t k = 0; k < all.size(); ++k) {
        const CollidingObject& object = all[k];
        set(options, numbered("object", k), object.object);
        set(options, numbered("piece", k), object.piece);
        set(options, numbered("motion", k), static_cast<int64_t>(object.state.motion));
        set(options, numbered("rest", k), encoded(object.state.rest.mesh.points));
        set(options, numbered("triangles", k), encoded(object.state.rest.mesh.triangles));
        set(options, numbered("normals", k), encoded(object.state.rest.normals));
        set(options, numbered("points", k), encoded(object.state.points));
        UT_Fpreal64Array placement;
        for (const double r : object.state.placement.rotation) placement.append(r);
        for (const double t : object.state.placement.translation) placement.append(t);
        set(options, numbered("placement", k), placement);
    }
    for (size_t k = all.size(); k < before; ++k)
        for (const char* name : {"object", "piece", "motion", "rest", "triangles", "normals", "points", "placement"})
            options.removeOption(numbered(name, k));
}

std::map<int, int64_t> SIM_FirnSnowState::emitted() const {
    const UT_Int64Array& pairs = getOptions().getOptionIArray("emitted");
    std::map<int, int64_t> all;
    for (exint k = 0; k + 1 < pairs.entries(); k += 2) all[static_cast<int>(pairs(k))] = pairs(k + 1);
    return all;
}

void SIM_FirnSnowState::set_emitted(const std::map<int, int64_t>& all) {
    UT_Int64Array pairs;
    for (const auto& [object, hash] : all) {
        pairs.append(int64(object));
        pairs.append(int64(hash));
    }
    set(getOptions(), "emitted", pairs);
}

}  // namespace firn
