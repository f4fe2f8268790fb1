#pragma once

// What snow collides with, from a shape to a Body: its surface is covered with boundary particles once, and from then
// on it is found to stand still, to move as a whole or to deform, and is followed. Plain values: a host gives shapes
// and placements, and says how long they live. The same input gives the same bits in every host.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "firn/body.h"
#include "firn/counts.h"
#include "firn/mesh.h"
#include "firn/rigid_transform.h"
#include "firn/samples.h"

namespace firn {

/// A shape as a host gives it: a mesh, or boundary particles that somebody has made already.
struct ColliderShape {
    Mesh mesh;                    ///< m; without triangles, its points are the boundary particles
    std::vector<Float3> normals;  ///< of boundary particles; empty = not known
    /// Only its placement moves it, as for packed geometry: points that differ by less than the tolerance are rounding,
    /// no motion.
    bool moves_by_placement = false;
};
bool same_topology(const ColliderShape&, const ColliderShape&);

// ---- boundary particles

struct BoundarySettings {
    float spacing = 0;             ///< m; required
    float boundary_volume = 0.8f;  ///< Parameters::boundary_volume
    bool inverted = false;         ///< keeps snow inside
    bool two_sided = false;        ///< keeps snow out on both sides of an open surface
    double memory_limit = 0;       ///< bytes; 0 = what the machine has left
};

/// The boundary particles that cover a shape, in the shape's own space.
struct Boundary {
    BoundarySettings settings;
    SurfaceSamples samples;        ///< on the shape, so that they can follow it
    std::vector<Float3> position;  ///< where Body wants them: half a spacing below the surface that snow touches
    std::vector<Float3> normal;    ///< towards the snow; empty = taken from where the snow is
    std::vector<float> volume;     ///< m^3
    std::vector<std::string> warnings;
};

/// `what`, say "collider 'plough'", begins errors and warnings. Throws Error for a shape without a surface.
Boundary boundary_of(const ColliderShape&, const BoundarySettings&, const std::string& what);
/// How many boundary particles that would be, and what they would be warned of. `probes`: see counts.h.
Count boundary_count(const ColliderShape&, const BoundarySettings&, const std::string& what, double probes);
/// The same of a mesh file, scaled about the origin.
Count boundary_count(const std::string& mesh_file, float scale, const BoundarySettings&, const std::string& what,
                     double probes);
/// The same of a grid in a .vdb file, scaled about the origin.
Count boundary_count_of_vdb(const std::string& path, const std::string& grid, float scale, const BoundarySettings&,
                            const std::string& what, double probes);
/// The same of a heightfield's mesh, which is not made for it.
Count boundary_count(const Heightfield&, const BoundarySettings&, const std::string& what, double probes);
/// Of a grid in a .vdb file, scaled about the origin. It can't deform: its mesh is another one at every frame.
Boundary boundary_of_vdb(const std::string& path, const std::string& grid, float scale, const BoundarySettings&,
                         const std::string& what);

/// Boundaries that are kept for as long as shape and settings stay the same.
class BoundaryCache {
public:
    /// `key` says which collider it is.
    const Boundary& of(const std::string& key, const ColliderShape&, const BoundarySettings&, const std::string& what);
    /// Forgets the colliders that were not asked for since the last call.
    void drop_unused();
    /// Of the boundaries that were made since the last call.
    std::vector<std::string> take_warnings();

private:
    struct Entry {
        ColliderShape shape;
        Boundary boundary;
        bool used = false;
    };
    std::map<std::string, Entry> entries_;
    std::vector<std::string> warnings_;
};

// ---- motion

/// All that has to be remembered of a collider between frames. Copied, saved and loaded with the frame it belongs to.
struct ColliderState {
    Motion motion = Motion::still;
    ColliderShape rest;          ///< as first seen, m, in a space of its own that turns and moves with it
    Transform placement;         ///< of that space, at the end of the last frame; not for deforming ones
    std::vector<Float3> points;  ///< of a deforming one: its points at the end of the last frame, m, world
};

/// As first seen. Scale and shear of the placement go into the rest shape. `motion` is what is known already: a rigid
/// collider may turn out to deform, a deforming one is never taken for a rigid one.
ColliderState first_seen(const ColliderShape&, const Affine& placement = {}, Motion motion = Motion::still);

/// The same collider at another frame. What changed decides its motion: nothing, the placement alone (or points that
/// moved as one), or the shape. Once it moves it counts as moving, once it deforms as deforming, so that the engine's
/// bodies stay what they are. With another topology it is first_seen() again: it can't be followed. `spacing` (m) says
/// what is too little to be a deformation.
ColliderState followed(const ColliderState& before, const ColliderShape& now, const Affine& placement, float spacing);

/// Shares of a spacing. Files with six digits move points by their rounding; that is no deformation.
constexpr float motion_tolerance = 0.02f;

/// Whether the meshes of some files, scaled about the origin, are one that moves as a whole or one that deforms, from
/// some of their points: where they are too large for followed().
Motion motion_of_files(const std::vector<std::string>& files, float scale, float spacing);

/// Throws Error when the collider could not be followed.
void require_same_topology(const ColliderState& before, const ColliderState& after, const std::string& what);

/// Where its boundary particles are, m, world.
std::vector<Float3> boundary_positions(const ColliderState&, const Boundary&);

// ---- bodies

/// How a surface treats snow: the numbers of surface_table(), in its order.
struct ColliderSurface {
    std::array<float, surface_quantity_count> value;
    /// One per point of the shape; empty = the single value.
    std::array<std::vector<float>, surface_quantity_count> at_points;

    /// The defaults of Body.
    ColliderSurface();
    /// The single value of one quantity: of(&Body::friction).
    float& of(float Body::*quantity);
    /// Gives a body the single values.
    void set_values(Body&) const;
};

/// A boundary over one frame.
struct MovingBody {
    Body body;                         ///< as the frame begins
    Transform end;                     ///< of a rigid one, where the frame ends
    std::vector<Float3> end_position;  ///< of a deforming one, m, world
};

/// The body of a frame that takes the collider from `before` to `after`, which have the same rest shape.
MovingBody moving_body(const std::string& name, const ColliderState& before, const ColliderState& after,
                       const Boundary&, const ColliderSurface&);

}  // namespace firn
