#include "engine/methods.h"

#include <algorithm>
#include <cstring>

#include "firn/error.h"

namespace firn {

const Method& snow_method();  // snow/snow_tables.cpp

namespace {

struct Methods {
    std::vector<const Method*> all;
    std::vector<ParticleArray> arrays;  ///< of all, each once

    Methods() { add(snow_method()); }

    void add(const Method& method) {
        for (const Method* known : all) {
            if (!std::strcmp(known->info.name, method.info.name))
                throw Error("there are two methods '" + std::string(method.info.name) + "'");
        }
        std::vector<ParticleArray> more;
        for (const ParticleArray& array : method.info.arrays) {
            const auto same = std::find_if(arrays.begin(), arrays.end(), [&](const ParticleArray& other) {
                return !std::strcmp(other.name, array.name);
            });
            if (same == arrays.end()) {
                more.push_back(array);
            } else if (same->components != array.components || same->role != array.role) {
                throw Error("method '" + std::string(method.info.name) + "' and another disagree on the array '" +
                            array.name + "'");
            }
        }
        arrays.insert(arrays.end(), more.begin(), more.end());
        all.push_back(&method);
    }
};

Methods& methods() {
    static Methods table;
    return table;
}

bool is_common(const ParticleArray& array) {
    const char* const names[] = {"P", "v", "id", "neighbours"};
    return std::any_of(std::begin(names), std::end(names),
                       [&](const char* name) { return !std::strcmp(name, array.name); });
}

}  // namespace

MethodDevice::~MethodDevice() = default;

std::vector<const ParticleArray*> Method::own(ArrayRole role) const {
    std::vector<const ParticleArray*> rows;
    for (const ParticleArray& array : info.arrays)
        if (array.role == role && !is_common(array)) rows.push_back(&array);
    return rows;
}

size_t Method::own_components(ArrayRole role) const {
    size_t sum = 0;
    for (const ParticleArray* array : own(role)) sum += static_cast<size_t>(array->components);
    return sum;
}

const Method& method(const std::string& name) {
    std::string known;
    for (const Method* each : methods().all) {
        if (name == each->info.name) return *each;
        known += (known.empty() ? "" : ", ") + std::string(each->info.name);
    }
    throw Error("there is no method '" + name + "'; the methods are " + known);
}

void add_method(const Method& method) {
    methods().add(method);
}

std::vector<const MethodInfo*> method_table() {
    std::vector<const MethodInfo*> infos;
    for (const Method* each : methods().all) infos.push_back(&each->info);
    return infos;
}

const MethodInfo& find_method(const std::string& name) {
    return method(name).info;
}

const std::vector<ParticleArray>& particle_arrays() {
    return methods().arrays;
}

}  // namespace firn
