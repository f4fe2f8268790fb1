#include "engine/swept_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace firn {

std::vector<BodyPlacement> placements(const std::vector<KnownBody>& bodies, double share) {
    std::vector<BodyPlacement> all;
    for (const KnownBody& b : bodies) all.push_back(placement(b, share));
    return all;
}

SweptBodies::SweptBodies(const std::vector<KnownBody>& bodies, const Parameters& p, double frame)
    : bodies_(bodies),
      frame_(frame),
      free_path_(double(p.cfl_flight) * p.spacing),
      fastest_(0),
      straight_(std::numeric_limits<double>::infinity()) {
    for (const KnownBody& b : bodies) {
        const Travel t = travel(b);
        fastest_ = std::max(fastest_, t.distance / frame);
        // An arc of radius r and angle a leaves its chord by r a^2 / 8: let that be a quarter of a spacing.
        if (t.angle > 0 && b.radius > 0)
            straight_ = std::min(straight_, std::sqrt(2 * p.spacing / b.radius) * frame / t.angle);
    }
}

Sweep SweptBodies::meet(MethodDevice& device, double time, double dt) const {
    if (fastest_ * dt <= free_path_) return {};
    const uint32_t count = static_cast<uint32_t>(bodies_.size());
    const int pieces = static_cast<int>(std::ceil(dt / std::min(straight_, dt)));
    std::vector<BodyPlacement> from = placements(bodies_, time / frame_), to;
    for (int k = 0; k < pieces; ++k) {
        const double begin = dt * k / pieces, end = dt * (k + 1) / pieces;
        to = placements(bodies_, (time + end) / frame_);
        const Sweep sweep = device.sweep(from.data(), to.data(), count, begin, end - begin, free_path_);
        if (sweep.met) return sweep;
        from.swap(to);
    }
    return {};
}

}  // namespace firn
