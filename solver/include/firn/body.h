#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firn/surface_source.h"
#include "firn/vector.h"

namespace firn {

enum class Motion {
    still,      ///< never moves; sorted once
    rigid,      ///< moves by a transform per frame, interpolated over the substeps
    deforming,  ///< moves by positions per frame, interpolated over the substeps
};

/// A boundary: any geometry, sampled with particles about one spacing apart, half a spacing below its surface.
struct Body {
    std::string name;
    Motion motion = Motion::still;
    std::vector<Float3> position;  ///< m, in the body's frame for rigid bodies, in the world otherwise
    std::vector<Float3> normal;    ///< outward unit normals; empty = taken from where the snow is
    std::vector<float> volume;     ///< V_b, m^3; empty = phi / sum W over this body (Gissler 2020, 3.4)
    Transform placement;           ///< of a rigid body at the start
    /// Instead of positions: boundary particles that are made where other particles come near. Not for deforming
    /// bodies.
    std::shared_ptr<const SurfaceSource> source;

    float friction = 0.5f;  ///< Coulomb's mu; with friction_model = viscous, Gissler's nu_b
    float adhesion = 0.0f;  ///< Akinci's beta, m/s^2-like strength of the pull within two spacings
    float bounce = 0.0f;    ///< 0..1, speed that a lone flake keeps when it hits
    float sticky = 0.0f;    ///< 0..1, how much of the snow's tension the surface holds

    // Per boundary particle; empty = the body's value.
    std::vector<float> particle_friction;
    std::vector<float> particle_adhesion;
    std::vector<float> particle_bounce;
    std::vector<float> particle_sticky;
};

/// One of the numbers that say how a surface treats snow: its name, and where it stands in a Body.
struct SurfaceQuantity {
    const char* token;  ///< of the parameter, the scene key and the point attribute
    float Body::*value;
    std::vector<float> Body::*array;  ///< per boundary particle
    float high;                       ///< the largest allowed value; the smallest is 0
};

inline constexpr size_t surface_quantity_count = 4;

/// friction, adhesion, bounce, sticky. Whoever handles all of them loops over this table.
const std::array<SurfaceQuantity, surface_quantity_count>& surface_table();

/// V_b = phi / sum W over the body's own particles, each included (Gissler 2020, 3.4), m^3: what a body without volumes
/// of its own gets. `phi` is Parameters::boundary_volume.
std::vector<float> boundary_volumes(const std::vector<Float3>& position, float spacing, float phi);

using BodyId = uint32_t;

/// What the particles did to a body in one substep.
struct BodyImpulse {
    double dt = 0;                  ///< s
    double impulse[3] = {0, 0, 0};  ///< N s
    double angular[3] = {0, 0, 0};  ///< N m s, about the world's origin
};

/// What the particles did to a body during the last frame, averaged over it.
struct BodyLoad {
    double force[3] = {0, 0, 0};   ///< N
    double torque[3] = {0, 0, 0};  ///< N m, about the world's origin
};

}  // namespace firn
