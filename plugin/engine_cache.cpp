#include "engine_cache.h"

#include <GA/GA_Attribute.h>

#include <cstring>

#include "firn/surface_sources.h"

namespace firn {

namespace {

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same(const Parameters& a, const Parameters& b) {
    for (const ParameterInfo& info : parameter_table())
        if (parameter_text(a, info) != parameter_text(b, info)) return false;
    return true;
}

/// Whether `next` begins where `last` ended.
bool continues(const MovingBody& last, const MovingBody& next) {
    const Body &a = last.body, &b = next.body;
    if (a.name != b.name || a.motion != b.motion || !same(a.normal, b.normal) || !same(a.volume, b.volume))
        return false;
    const PlaneShape *const plane = plane_shape(a.source.get()), *const next_plane = plane_shape(b.source.get());
    if (!plane != !next_plane || (plane && !(*plane == *next_plane))) return false;
    for (const SurfaceQuantity& q : surface_table())
        if (a.*q.value != b.*q.value || !same(a.*q.array, b.*q.array)) return false;
    switch (a.motion) {
        case Motion::still:
            return same(a.position, b.position);
        case Motion::rigid:
            return same(a.position, b.position) && last.end == b.placement;
        case Motion::deforming:
            return same(last.end_position, b.position);
    }
    return false;
}

}  // namespace

std::optional<StateKey> StateKey::of(const GU_Detail& detail, const std::vector<PointBlock>& blocks) {
    StateKey key;
    key.topology_ = detail.getTopology().getDataId();
    if (key.topology_ == GA_INVALID_DATAID) return std::nullopt;
    for (const PointBlock& block : blocks) key.order_.emplace_back(block.start, block.count);
    for (const ParticleArray& array : particle_arrays()) {
        if (array.role == ArrayRole::result) continue;
        const GA_Attribute* attribute = detail.findAttribute(GA_ATTRIB_POINT, array.name);
        if (attribute && attribute->getDataId() == GA_INVALID_DATAID) return std::nullopt;
        key.ids_.push_back(attribute ? attribute->getDataId() : GA_INVALID_DATAID);
    }
    return key;
}

void EngineCache::prepare(const Parameters& parameters, const std::string& device) {
    if (!engine_ || device != device_) {
        engine_.reset();
        bodies_.clear();
        forget();
        engine_ = std::make_unique<Engine>(parameters, device);
        device_ = device;
        return;
    }
    const Parameters& now = engine_->parameters();
    if (same(parameters, now)) return;
    // The engine rescales its particles when these change; here the geometry decides what they are.
    if (parameters.spacing != now.spacing || parameters.rest_density != now.rest_density) forget();
    engine_->set_parameters(parameters);
}

void EngineCache::upload(const GU_Detail& detail, const std::vector<PointBlock>& blocks, const Forces& forces) {
    const std::optional<StateKey> key = StateKey::of(detail, blocks);
    if (!forces && key && held_ && *key == *held_) return;
    forget();
    read_particles(detail, blocks, staged_);
    if (forces) forces(staged_);
    engine_->upload(staged_);
    ++uploads_;
}

void EngineCache::set_bodies(const std::vector<MovingBody>& bodies) {
    bool known = bodies.size() == bodies_.size();
    for (size_t k = 0; k < bodies.size() && known; ++k) known = continues(bodies_[k].moved, bodies[k]);
    if (!known) {
        for (const Known& body : bodies_) engine_->remove_body(body.id);
        bodies_.clear();
        for (const MovingBody& body : bodies) bodies_.push_back({engine_->add_body(body.body), {}});
    }
    for (size_t k = 0; k < bodies.size(); ++k) {
        if (bodies[k].body.motion == Motion::rigid) engine_->move_body(bodies_[k].id, bodies[k].end);
        if (bodies[k].body.motion == Motion::deforming) engine_->move_body(bodies_[k].id, bodies[k].end_position);
        bodies_[k].moved = bodies[k];
    }
}

FrameReport EngineCache::advance(double seconds, double clock, const Observer& observer) {
    forget();
    // Bodies that have begun to move are in an unknown place unless the frame completes.
    std::vector<Known> moved;
    std::swap(moved, bodies_);
    const auto clear = [&] {
        for (const Known& known : moved) engine_->remove_body(known.id);
    };
    try {
        FrameReport report = engine_->advance(seconds, observer, {0, 0, clock});
        bytes_ = report.bytes;
        if (report.interrupted)
            clear();
        else
            bodies_ = std::move(moved);
        return report;
    } catch (...) {
        clear();
        throw;
    }
}

void EngineCache::write(GU_Detail& detail, const std::vector<PointBlock>& blocks) {
    engine_->download(staged_);
    write_particles(detail, blocks, staged_, engine_->parameters(),
                    {ArrayRole::required, ArrayRole::state, ArrayRole::result});
    held_ = StateKey::of(detail, blocks);
}

std::vector<std::pair<std::string, BodyLoad>> EngineCache::loads() const {
    std::vector<std::pair<std::string, BodyLoad>> all;
    for (const Known& known : bodies_) all.emplace_back(known.moved.body.name, engine_->body_load(known.id));
    return all;
}

uint64_t EngineCache::boundary_particles() const {
    uint64_t count = 0;
    for (const Known& known : bodies_)
        count += known.moved.body.source ? engine_->body_positions(known.id).size() : known.moved.body.position.size();
    return count;
}

}  // namespace firn
