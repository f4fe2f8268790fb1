#include "grains/rest_neighbours.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "firn/error.h"

namespace firn {

namespace {

constexpr int64_t furthest_id = (int64_t{1} << 53) / grains_per_id;
constexpr double neighbour_reach = 2.01;  ///< at birth, in spacings: 32 neighbours on a lattice

}  // namespace

RestNeighbours::RestNeighbours(const Particles& particles, GrainBirths births, float spacing, LeafLoop& loop)
    : spacing_(spacing) {
    const size_t count = particles.count();
    if (births.rest.size() != count || (!births.time.empty() && births.time.size() != count))
        throw Error("grains: " + std::to_string(count) + " particles, but births of " +
                    std::to_string(births.rest.size()));
    if (count >= UINT32_MAX) throw Error("grains: more than 4,000,000,000 particles are not supported");
    id_.reserve(count);
    for (size_t i = 0; i < count; ++i) {
        const int64_t id = particles.id.empty() ? static_cast<int64_t>(i) : particles.id[i];
        if (!finite(particles.position[i]) || !finite(births.rest[i]))
            throw Error("grains: the position or the rest position of particle " + std::to_string(id) +
                        " is not finite");
        if (id < 0 || id >= furthest_id)
            throw Error("grains: particle id " + std::to_string(id) + " is not between 0 and " +
                        std::to_string(furthest_id));
        id_.push_back(id);
    }
    position_ = particles.position;
    velocity_ = particles.velocity;
    velocity_.resize(count);
    rest_ = std::move(births.rest);
    birth_ = std::move(births.time);
    std::vector<uint32_t> by_birth(count);
    std::iota(by_birth.begin(), by_birth.end(), 0u);
    if (!birth_.empty())
        std::stable_sort(by_birth.begin(), by_birth.end(),
                         [&](uint32_t a, uint32_t b) { return birth_[a] < birth_[b]; });
    loop.within([&] { cells_ = Cells(rest_, by_birth, neighbour_reach * double(spacing), "rest positions"); });
}

Vec3 RestNeighbours::between(const std::vector<Float3>& at, size_t from, size_t to) const {
    const double scale = 1 / double(spacing_);
    return {scale * (double(at[to].x) - at[from].x), scale * (double(at[to].y) - at[from].y),
            scale * (double(at[to].z) - at[from].z)};
}

void RestNeighbours::find(uint32_t i, std::vector<Near>& out) const {
    out.clear();
    cells_.around(rest_[i], [&](const uint32_t* begin, const uint32_t* end) {
        if (!birth_.empty()) {
            begin = std::lower_bound(begin, end, birth_[i], [&](uint32_t j, float t) { return birth_[j] < t; });
            end = std::upper_bound(begin, end, birth_[i], [&](float t, uint32_t j) { return t < birth_[j]; });
        }
        for (; begin != end; ++begin) {
            if (*begin == i) continue;
            const Vec3 r = between(rest_, i, *begin);
            if (dot(r, r) > neighbour_reach * neighbour_reach) continue;
            out.push_back({r, gap_between(r, between(position_, i, *begin)), *begin});
        }
    });
    std::sort(out.begin(), out.end(), [&](const Near& a, const Near& b) {
        const double da = dot(a.rest, a.rest), db = dot(b.rest, b.rest);
        return da < db || (da == db && id_[a.index] < id_[b.index]);
    });
}

LocalMotion RestNeighbours::motion(uint32_t i, std::vector<Near>& near, std::vector<RestNeighbour>& scratch) const {
    find(i, near);
    scratch.clear();
    for (const Near& n : near) {
        const double t = 1 - dot(n.rest, n.rest) / (neighbour_reach * neighbour_reach);
        const Vec3 now = between(position_, i, n.index);
        scratch.push_back({n.rest, now, between(velocity_, i, n.index), t * t, kept_share(n.rest, now)});
    }
    return local_motion(scratch);
}

}  // namespace firn
