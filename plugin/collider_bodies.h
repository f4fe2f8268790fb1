#pragma once

// Geometry over one frame -> boundary bodies.

#include <string>
#include <vector>

#include "firn/samples.h"
#include "geometry_pieces.h"
#include "moving_body.h"

namespace firn {

struct ColliderSettings {
    float spacing = 0;  ///< m
    float boundary_volume = 0.8f;
    Motion motion = Motion::still;
    bool inverted = false;   ///< keeps snow inside
    bool two_sided = false;  ///< keeps snow out on both sides of an open surface
    float friction = 0.5f, adhesion = 0, bounce = 0, sticky = 0;
};

/// The point attributes that a collider takes over.
std::vector<WantedValues> collider_values();

/// Makes bodies, and keeps the samples of a surface for as long as it is the same.
class ColliderBodies {
public:
    /// Of what never moves.
    std::vector<MovingBody> still(const GeometryPieces&, const ColliderSettings&);
    /// Of what moves: as it is where it is sampled, where the frame begins, and where it ends.
    std::vector<MovingBody> moving(const GeometryPieces& sampled, const GeometryPieces& from, const GeometryPieces& to,
                                   const ColliderSettings&);

    const std::vector<std::string>& warnings() const { return warnings_; }

private:
    struct Sampled {
        Mesh mesh;
        SurfaceSettings settings;
        SurfaceSamples samples;  ///< on the mesh
        SurfaceSamples placed;   ///< where the engine wants them: an inverted one's outside, facing inwards
        std::vector<float> volume;
        bool inverted;
        float boundary_volume;
    };
    const Sampled& sample(size_t slot, const Mesh&, const std::string& name, const ColliderSettings&);
    Body described(const Sampled&, const SurfacePiece&, const ColliderSettings&) const;
    void add_heightfields(const GeometryPieces&, const ColliderSettings&, std::vector<MovingBody>&);

    std::vector<Sampled> sampled_;
    std::vector<std::string> warnings_;
};

}  // namespace firn
