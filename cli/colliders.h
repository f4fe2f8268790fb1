#pragma once

// The colliders of a scene as bodies of the engine, and where they are at each frame.

#include <map>
#include <string>
#include <vector>

#include "firn/collider.h"
#include "scene.h"
#include "snow_filling.h"

namespace firn {

/// One collider, covered with boundary particles.
class CollidingBody {
public:
    /// Reads and samples it as at the scene's first frame. Throws Error with the place in the scene file.
    CollidingBody(const Scene&, size_t index);

    Motion motion() const { return first_.motion; }
    /// For Engine::add_body: as it stands at `frame`, with the volumes that it had at the first, so that a run that
    /// starts later sees the same body.
    Body body_at(int frame) const;
    /// Of a rigid one.
    Transform placement(int frame) const;
    /// Of a deforming one, m, world, in the body's order.
    std::vector<Float3> positions(int frame) const;

    /// 0 for one that is covered only where snow comes near.
    uint64_t count() const { return boundary_.position.size(); }
    bool on_demand() const { return source_ != nullptr; }
    const std::vector<std::string>& warnings() const { return boundary_.warnings; }

private:
    ColliderState deformed(int frame) const;

    const Scene& scene_;
    size_t index_;
    std::string what_;  ///< begins messages
    Boundary boundary_;
    std::shared_ptr<const SurfaceSource> source_;  ///< instead of the boundary
    ColliderState first_;                          ///< at the scene's first frame
    std::map<int, Transform> moved_;               ///< of a rigid sequence, from the first frame
};

/// What there is to know of a collider before it is covered with particles.
struct ColliderCount {
    Count boundary;
    Motion motion = Motion::still;
    bool on_demand = false;  ///< covered only where snow comes near: counted is what is near as it is placed
};
/// Reads it, and throws the same errors as CollidingBody, but for memory. `probes`: see counts.h. `snow`: where each
/// body of snow is. `twin`: of a collider of the same surface, if there is one that was counted already.
ColliderCount count_collider(const Scene&, size_t index, double probes, const std::vector<Bounds>& snow,
                             const ColliderCount* twin = nullptr);

/// How many particles a layer on it, as it stands at a frame, would have.
Count count_layer_on(const Scene&, size_t index, int frame, float thickness, const FillSettings&);

/// The file of a frame: its number in the place of '%04d' (or %d, %4d).
std::string frame_file(const std::string& pattern, int frame);
/// The file of a frame: 'boot.%04d.obj' -> 'boot.0007.obj'. Before the first that exists the first, after the last the
/// last; throws Error for one that is missing between.
std::string sequence_file(const std::string& pattern, int frame, int first, int last);

}  // namespace firn
