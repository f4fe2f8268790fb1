#pragma once

// Render grains: detail that the simulation did not have to carry. Each particle stands for some dozens of grains of
// snow, which are born once in the undeformed snow and follow its motion: they move and turn with their chunk, come
// loose at fresh fracture faces and disperse with loose snow.
//
// A frame needs nothing but itself: the particles' positions now and where they were born (`rest`). Every grain's place
// is a function of these and of the seed, so that any frame can be made alone, on any machine, and is the same to the
// bit.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "firn/particles.h"

namespace firn {

struct GrainSettings {
    float spacing = 0;         ///< of the particles, m; required
    float rest_density = 400;  ///< kg/m^3, for particles without one of their own
    int per_particle = 32;     ///< in the mean; 1 to 256
    uint32_t seed = 0;
    float crumble = 0.6f;      ///< spacings that grains come off a fresh fracture face, at most
    float disperse = 1.0f;     ///< how much wider than at birth the grains of a lone particle spread; 0 = they stay
    float size_spread = 0.3f;  ///< of the radii: the standard deviation of their logarithm
    float layer = 0;           ///< m; only grains of particles this close to the snow's surface; 0 = all
    int threads = 0;           ///< 0 = all cores
};

/// Where the particles of a frame were born, in the order of the frame's particles.
struct GrainBirths {
    std::vector<Float3> rest;  ///< m
    std::vector<float> time;   ///< s; only particles of the same birth were neighbours; empty = all at once
};

/// The share of a particle's volume that its grains fill. A grain is a ball of radius r, and its mass is
/// 4/3 pi r^3 * rest_density / grain_packing: close to solid ice for the usual 400 kg/m^3.
constexpr double grain_packing = 0.52;

struct RenderGrains {
    std::vector<Float3> position, velocity;  ///< m, m/s
    std::vector<int64_t> id;                 ///< the particle's id * 1024 + the grain's number: the same in every frame
    std::vector<float> radius;               ///< m
    std::vector<uint32_t> particle;          ///< which one it belongs to, as the caller counts them

    size_t count() const { return position.size(); }
};

/// The grains of a frame, made piece by piece.
class GrainField {
public:
    /// Throws Error for particles without births, ids beyond 2^53 / 1024, or what is not finite. `interrupted` is
    /// asked now and then from the calling thread; true = stop, and Error("interrupted") is thrown.
    GrainField(const Particles&, GrainBirths, const GrainSettings&, const std::function<bool()>& interrupted = {});
    ~GrainField();
    GrainField(GrainField&&) noexcept;
    GrainField& operator=(GrainField&&) noexcept;

    /// Particles that have grains: all, or those of the layer. Indices below refer to this list, in the caller's order.
    const std::vector<uint32_t>& parents() const;
    /// Appends the grains of the parents first, first + 1, ..., last - 1. May be called by several threads at once.
    void append(size_t first, size_t last, RenderGrains&) const;
    /// The same for some of them.
    void append(const std::vector<uint32_t>& parents, RenderGrains&) const;
    /// All of them, in parallel.
    RenderGrains all() const;
    /// No grain is further from its particle, m.
    float reach() const;
    const GrainSettings& settings() const;
    /// Where a parent is now, m.
    const Float3& position(size_t parent) const;
    /// No grain has a larger id.
    int64_t largest_id() const;
    /// A guess that costs nothing, for memory: the mean number per particle times the particles.
    double expected_count() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The births of the particles of `frame` from another frame, `first`, by id: for files that don't say. Throws Error
/// when a particle is not in `first`.
GrainBirths births_from(const Particles& first, const Particles& frame);

}  // namespace firn
