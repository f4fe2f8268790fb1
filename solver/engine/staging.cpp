#include "engine/staging.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "firn/error.h"

namespace firn {

namespace {

/// The particles' ids in ascending order: rank r is host particle order[r].
std::vector<uint32_t> order_by_id(const Particles& p) {
    std::vector<uint32_t> order(p.count());
    std::iota(order.begin(), order.end(), 0u);
    if (p.id.empty()) return order;
    if (!std::is_sorted(p.id.begin(), p.id.end())) {
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return p.id[a] < p.id[b]; });
    }
    for (size_t r = 1; r < order.size(); ++r) {
        if (p.id[order[r]] == p.id[order[r - 1]]) {
            throw Error("two particles (" + std::to_string(order[r - 1]) + " and " + std::to_string(order[r]) +
                        ") have the same id " + std::to_string(p.id[order[r]]) + "; ids must be unique");
        }
    }
    return order;
}

void validate(const Particles& particles, const std::vector<ParticleArray>& arrays) {
    const size_t count = particles.count();
    if (count > 2000000000u) throw Error("more than 2,000,000,000 particles are not supported");
    const auto named = [&](size_t i) {
        return "particle " + std::to_string(particles.id.empty() ? int64_t(i) : particles.id[i]) + ": ";
    };
    for (const ParticleArray& array : arrays) {
        if (array.role == ArrayRole::result) continue;
        const size_t size = array.size(particles);
        if (size && size != count) {
            throw Error("there are " + std::to_string(count) + " positions but " + std::to_string(size) +
                        " values of " + array.name);
        }
        const float* data = array.data(particles);
        const size_t components = static_cast<size_t>(array.components);
        for (size_t i = 0; data && i < count * components; ++i) {
            if (!std::isfinite(data[i])) throw Error(named(i / components) + array.name + " is not finite");
        }
    }
    // Per-particle material has the limits of the parameter of the same name.
    for (const ParticleArray& array : arrays) {
        const ParameterInfo* info = array.role == ArrayRole::input ? find_parameter(array.name) : nullptr;
        const float* data = info ? array.data(particles) : nullptr;
        for (size_t i = 0; data && i < count; ++i) {
            if (data[i] < static_cast<float>(info->low) || data[i] > static_cast<float>(info->high))
                throw Error(named(i) + array.name + " = " + std::to_string(data[i]) + " is out of range");
        }
    }
}

/// The state as flat arrays in the device's order.
struct FlatState {
    FlatState(const Method& method, size_t count)
        : position(count),
          velocity(count),
          rank(count),
          own(method.own_components(ArrayRole::state) * count),
          results(method.own_components(ArrayRole::result) * count),
          neighbours(count) {}
    std::vector<Float4> position, velocity;
    std::vector<uint32_t> rank;
    std::vector<float> own, results;
    std::vector<uint32_t> neighbours;
    StateArrays arrays() {
        return {position.data(), velocity.data(), rank.data(), own.data(), results.data(), neighbours.data()};
    }
};

}  // namespace

void Staging::take(const Particles& p) {
    validate(p, method_->info.arrays);
    order_ = order_by_id(p);
    const uint32_t count = this->count();
    id_.clear();
    for (uint32_t r = 0; r < count && !p.id.empty(); ++r) id_.push_back(p.id[order_[r]]);
    inputs_ = Particles();
    for (const ParticleArray* array : method_->own(ArrayRole::input)) {
        if (array->size(p) == 0) continue;
        array->resize(inputs_, count);
        const float* from = array->data(p);
        float* to = array->data(inputs_);
        const size_t components = static_cast<size_t>(array->components);
        for (size_t r = 0; r < count; ++r) {
            for (size_t c = 0; c < components; ++c) to[c * count + r] = from[order_[r] * components + c];
        }
    }
}

void Staging::send(const Particles& p, const Parameters& parameters, MethodDevice& device) const {
    const uint32_t count = this->count();
    FlatState flat(*method_, count);
    const float cell = parameters.spacing * parameters.spacing * parameters.spacing;
    for (uint32_t r = 0; r < count; ++r) {
        const uint32_t i = order_[r];
        const float rho0 = inputs_.rest_density.empty() ? parameters.rest_density : inputs_.rest_density[r];
        const Float3 x = p.position[i], v = p.velocity.empty() ? Float3{} : p.velocity[i];
        flat.position[r] = {x.x, x.y, x.z, 0};
        flat.velocity[r] = {v.x, v.y, v.z, rho0 * cell};
        flat.rank[r] = r;
    }
    float* to = flat.own.data();
    for (const ParticleArray* array : method_->own(ArrayRole::state)) {
        const size_t components = static_cast<size_t>(array->components);
        if (const float* from = array->data(p)) {
            for (size_t r = 0; r < count; ++r) {
                for (size_t c = 0; c < components; ++c) to[c * count + r] = from[order_[r] * components + c];
            }
        }
        to += components * count;
    }
    device.upload(flat.arrays(), {count, count});
    std::vector<const float*> inputs;
    for (const ParticleArray* array : method_->own(ArrayRole::input)) inputs.push_back(array->data(inputs_));
    device.set_inputs(inputs.data());
}

void Staging::fetch(const MethodDevice& device, Particles& p) const {
    const uint32_t count = this->count();
    FlatState flat(*method_, count);
    device.download(flat.arrays());
    p.position.resize(count);
    p.velocity.resize(count);
    p.id.resize(count);
    p.neighbours.resize(count);
    std::vector<uint32_t> host(count);  // of each particle in the device's order
    for (uint32_t s = 0; s < count; ++s) {
        const uint32_t r = flat.rank[s], i = order_[r];
        const Float4 &x = flat.position[s], &v = flat.velocity[s];
        p.position[i] = {x.x, x.y, x.z};
        p.velocity[i] = {v.x, v.y, v.z};
        p.id[i] = id_.empty() ? int64_t(r) : id_[r];
        p.neighbours[i] = static_cast<float>(flat.neighbours[s]);
        host[s] = i;
    }
    const auto scatter = [&](ArrayRole role, const float* from) {
        for (const ParticleArray* array : method_->own(role)) {
            array->resize(p, count);
            float* to = array->data(p);
            const size_t components = static_cast<size_t>(array->components);
            for (size_t s = 0; s < count; ++s) {
                for (size_t c = 0; c < components; ++c) to[host[s] * components + c] = from[c * count + s];
            }
            from += components * count;
        }
    };
    scatter(ArrayRole::state, flat.own.data());
    scatter(ArrayRole::result, flat.results.data());
    // Inputs come back as they went in.
    for (const ParticleArray* array : method_->own(ArrayRole::input)) {
        const size_t size = array->size(inputs_);
        array->resize(p, size);
        const float* from = array->data(inputs_);
        float* to = array->data(p);
        const size_t components = static_cast<size_t>(array->components);
        for (size_t r = 0; r < size; ++r) {
            for (size_t c = 0; c < components; ++c) to[order_[r] * components + c] = from[c * count + r];
        }
    }
}

void Staging::complete(Particles& p) const {
    for (const ParticleArray& array : method_->info.arrays) {
        if (array.role != ArrayRole::input && array.components && array.size(p) == 0) array.resize(p, p.count());
    }
    if (p.id.empty()) {
        p.id.resize(p.count());
        std::iota(p.id.begin(), p.id.end(), int64_t(0));
    }
}

bool Staging::same_state(const Particles& a, const Particles& b) const {
    for (const ParticleArray& array : method_->info.arrays) {
        if (array.role == ArrayRole::result || array.components == 0) continue;
        const size_t size = array.size(a);
        if (size != array.size(b)) return false;
        const size_t bytes = size * static_cast<size_t>(array.components) * sizeof(float);
        if (bytes && std::memcmp(array.data(a), array.data(b), bytes)) return false;
    }
    return a.id == b.id;
}

int64_t Staging::id_of(uint32_t rank) const {
    return id_.empty() ? int64_t(order_.empty() ? 0 : order_[rank]) : id_[rank];
}

}  // namespace firn
