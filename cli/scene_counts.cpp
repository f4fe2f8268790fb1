#include "scene_counts.h"

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/memory.h"
#include "progress.h"
#include "snow.h"
#include "snow_filling.h"

namespace firn {

namespace {

constexpr double all_probes = 6e5;              ///< of the scene: half a second
constexpr double least_probes = 1e4;            ///< of a collider
constexpr double most_numbered = 2147483648.0;  ///< particles: they have 32-bit numbers

/// Flakes of a source, if none finds its place taken.
double flakes(const Snow& snow, const Scene& scene, double places) {
    const double s = scene.parameters.spacing;
    const int last = std::min(snow.end.value_or(scene.last_frame), scene.last_frame);
    const double frames = std::max(0, last - first_frame_of(snow, scene) + 1);
    const double each_frame = double(snow.rate) / scene.fps / (double(snow.material.material.rest_density) * s * s * s);
    return std::floor(frames * std::min(each_frame, places));
}

void add(Count& sum, const Count& more) {
    sum.particles += more.particles;
    sum.exact = sum.exact && more.exact;
    sum.warnings.insert(sum.warnings.end(), more.warnings.begin(), more.warnings.end());
}

}  // namespace

uint64_t whole(const Count& count) {
    return static_cast<uint64_t>(std::min(std::round(count.particles), 1e18));
}

SceneCounts count_scene(const Scene& scene) {
    SceneCounts counts;
    counts.snow.exact = counts.boundary.exact = true;
    const auto sampled = [&](const Count& count, const std::string& name) {
        if (count.bytes <= counts.sampling_bytes) return;
        counts.sampling_bytes = count.bytes;
        counts.largest = name;
    };
    for (const Snow& snow : scene.snow) {
        if (first_frame_of(snow, scene) > scene.last_frame) continue;
        Count count = count_snow(snow, scene);
        sampled(count, "snow '" + snow.name + "'");
        if (snow.rate > 0) {
            count.particles = flakes(snow, scene, count.particles);
            count.exact = false;
        }
        add(counts.snow, count);
    }
    const double probes =
        std::max(least_probes, all_probes / std::max<double>(1, static_cast<double>(scene.colliders.size())));
    for (size_t k = 0; k < scene.colliders.size(); ++k) {
        counts.colliders.push_back(count_collider(scene, k, std::min(probes, 2e5)));
        const Count& count = counts.colliders.back().boundary;
        sampled(count, "collider '" + scene.colliders[k].name + "'");
        add(counts.boundary, count);
    }
    return counts;
}

void require_memory(const SceneCounts& counts, const Scene& scene, Engine& engine) {
    const double limit = allowed_bytes(scene.parameters);
    const double available = limit > 0 ? limit : static_cast<double>(memory_available());
    if (counts.sampling_bytes > available)
        throw Error(counts.largest + " needs about " + bytes_text(counts.sampling_bytes) +
                    " of memory while it is made into particles, but " +
                    (limit > 0 ? "memory_limit allows " + bytes_text(limit) : bytes_text(available) + " are free") +
                    "; raise the spacing, lower scene.resolution" + (limit > 0 ? ", or raise memory_limit" : ""));
    if (counts.snow.particles > most_numbered || counts.boundary.particles > most_numbered)
        throw Error("the scene would take about " + count_text(whole(counts.snow)) + " snow and " +
                    count_text(whole(counts.boundary)) +
                    " boundary particles, more than the 2^31 that can be numbered; raise the spacing, or lower "
                    "scene.resolution");
    engine.require_memory(whole(counts.snow), whole(counts.boundary));
}

}  // namespace firn
