#pragma once

// The bodies as the engine keeps them: volumes of their particles, where they are, and where they go during a frame.

#include <map>
#include <vector>

#include "firn/body.h"
#include "method_device.h"

namespace firn {

/// Throws Error when arrays differ in length, positions are not finite or a rotation is none.
void validate(const Body&);
void validate(const Transform&, const std::string& body_name);

/// Some of a body's boundary particles, which a device holds all or not at all.
struct BoundaryBrick {
    Float3 low, high;  ///< where they are, m, in the body's frame
    bool near = true;  ///< other particles are near: the device holds it
};

/// A body in the engine.
struct KnownBody {
    BodyId id;
    Body body;
    std::vector<float> volume;
    double pivot[3];                    ///< mean of its particles
    double radius;                      ///< about the pivot, m
    Transform now, target;              ///< rigid: at the start and end of the frame
    std::vector<Float3> goal;           ///< deforming: positions at the frame's end; empty = stays
    double stride;                      ///< deforming: as far as a particle may go to its goal, m
    std::vector<BodyImpulse> impulses;  ///< of the last frame, a substep each
    std::vector<BoundaryBrick> bricks;
    std::vector<uint32_t> brick_of;  ///< each particle's; empty = all are in the first
    std::map<SurfaceSource::Brick, SurfaceSource::Particles> made = {};  ///< of its source
};

/// The body as the engine keeps it, with the volumes of its particles. `phi` is Parameters::boundary_volume.
KnownBody known_body(BodyId, const Body&, float spacing, float phi);

/// Sorts a body's particles into bricks. Those of a deforming one have one brick, with room for its way to the goal.
void cut_in_bricks(KnownBody&, float spacing);
/// Boundary particles that the device holds.
uint64_t near_count(const KnownBody&);

/// Where it is to be at the end of the next frame. Throw Error when it was not added as a body that moves like that.
void aim(KnownBody&, const Transform&);
void aim(KnownBody&, const std::vector<Float3>&);

/// How a body moves in a frame.
struct Travel {
    double distance = 0;           ///< no particle goes farther, m
    double moved[3] = {0, 0, 0};   ///< rigid: its pivot, m
    double turned[3] = {0, 0, 0};  ///< rigid: angle times axis, rad
    double angle = 0;              ///< rad
};
Travel travel(const KnownBody&);

/// Where it is after `share` of the frame.
BodyPlacement placement(const KnownBody&, double share);

/// At the end of a frame, or after `share` of one that was interrupted: the new start. The goal stays ahead.
void arrive(KnownBody&, double share);

std::vector<Float3> world_positions(const KnownBody&);

/// The bodies that move, or those that don't, as a device takes them: the bricks that are near.
class BoundaryOfBodies {
public:
    BoundaryOfBodies(const std::vector<KnownBody>&, bool moving);
    BoundaryArrays arrays() const;

private:
    std::vector<Float4> position_, target_, normal_, surface_;
    std::vector<uint32_t> body_;
    bool deforming_ = false;
};

/// From a device's six numbers: impulse and angular impulse.
BodyImpulse body_impulse(double dt, const double six[6]);
BodyLoad mean_load(const std::vector<BodyImpulse>&);

}  // namespace firn
