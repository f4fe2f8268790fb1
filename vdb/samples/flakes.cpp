#include "firn/flakes.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "firn/scattered.h"

namespace firn {

namespace {

/// Which cells of one spacing hold particles.
class Occupied {
public:
    Occupied(const std::vector<Float3>& points, const Float3& low, const Float3& high, float spacing)
        : spacing_(spacing) {
        for (const Float3& p : points) {
            if (p.x >= low.x - spacing && p.y >= low.y - spacing && p.z >= low.z - spacing && p.x <= high.x + spacing &&
                p.y <= high.y + spacing && p.z <= high.z + spacing)
                add(p);
        }
    }

    void add(const Float3& p) { cells_[key(cell(p.x), cell(p.y), cell(p.z))].push_back(p); }

    bool near(const Float3& p, float distance) const {
        for (int64_t z = cell(p.z) - 1; z <= cell(p.z) + 1; ++z) {
            for (int64_t y = cell(p.y) - 1; y <= cell(p.y) + 1; ++y) {
                for (int64_t x = cell(p.x) - 1; x <= cell(p.x) + 1; ++x) {
                    const auto found = cells_.find(key(x, y, z));
                    if (found == cells_.end()) continue;
                    for (const Float3& q : found->second) {
                        const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
                        if (dx * dx + dy * dy + dz * dz < distance * distance) return true;
                    }
                }
            }
        }
        return false;
    }

private:
    int64_t cell(float x) const { return static_cast<int64_t>(std::floor(double(x) / spacing_)); }
    static uint64_t key(int64_t x, int64_t y, int64_t z) {
        return scattered(static_cast<uint64_t>(x), static_cast<uint64_t>(y), static_cast<uint64_t>(z));
    }

    float spacing_;
    std::unordered_map<uint64_t, std::vector<Float3>> cells_;
};

/// What lies in the box around some points.
Occupied occupied_near(const std::vector<Float3>& points, const std::vector<Float3>& snow, float spacing) {
    Float3 low = points[0], high = low;
    for (const Float3& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    return {snow, low, high, spacing};
}

}  // namespace

std::vector<uint8_t> near_any(const std::vector<Float3>& points, const std::vector<Float3>& snow, float distance) {
    std::vector<uint8_t> near(points.size(), 0);
    if (points.empty()) return near;
    const Occupied occupied = occupied_near(points, snow, distance);
    for (size_t i = 0; i < points.size(); ++i) near[i] = occupied.near(points[i], distance);
    return near;
}

uint64_t flakes_in_frame(double rate, double particle_mass, double seconds_per_frame, double frames) {
    const double each_frame = rate / particle_mass / (1 / seconds_per_frame);
    return static_cast<uint64_t>(std::floor((frames + 1) * each_frame) - std::floor(frames * each_frame));
}

std::vector<Float3> flake_places(const std::vector<Float3>& shape, uint64_t flakes, uint32_t seed, int64_t frame,
                                 float spacing) {
    std::vector<Float3> places;
    const auto key = static_cast<uint64_t>(frame);
    for (uint64_t n = 0; n < std::min<uint64_t>(flakes, shape.size()); ++n) {
        for (uint64_t attempt = 0; attempt < flake_tries; ++attempt) {
            const uint64_t roll = scattered(seed, key, n, attempt);
            Float3 p = shape[roll % shape.size()];
            p.x += static_cast<float>(scattered_unit(roll, 1) - 0.5) * spacing;
            p.y += static_cast<float>(scattered_unit(roll, 2) - 0.5) * spacing;
            p.z += static_cast<float>(scattered_unit(roll, 3) - 0.5) * spacing;
            places.push_back(p);
        }
    }
    return places;
}

std::vector<uint64_t> free_places(const std::vector<Float3>& places, const std::vector<Float3>& snow, float spacing) {
    std::vector<uint64_t> taken;
    if (places.empty()) return taken;
    Occupied occupied = occupied_near(places, snow, spacing);
    for (uint64_t first = 0; first + flake_tries <= places.size(); first += flake_tries) {
        for (uint64_t k = first; k < first + flake_tries; ++k) {
            if (occupied.near(places[k], 0.9f * spacing)) continue;
            occupied.add(places[k]);
            taken.push_back(k);
            break;
        }
    }
    return taken;
}

}  // namespace firn
