#include <algorithm>

#include "firn/counts.h"
#include "samples/surface_places.h"
#include "samples/surface_sampling.h"

namespace firn {

namespace {

constexpr int patch_count = 16;
constexpr double narrowest = 7, widest = 16;  ///< spacings, of a patch
constexpr double margin = 1.5;                ///< spacings, along the cut, where darts lack half of their neighbours

struct Box {
    Vec3 low, high;
};

/// The part of a convex polygon with `sign` * coordinate <= `limit`.
std::vector<Vec3> cut(const std::vector<Vec3>& polygon, double Vec3::*coordinate, double sign, double limit) {
    std::vector<Vec3> kept;
    for (size_t i = 0; i < polygon.size(); ++i) {
        const Vec3 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        const double from = sign * a.*coordinate - limit, to = sign * b.*coordinate - limit;
        if (from <= 0) kept.push_back(a);
        if ((from < 0 && to > 0) || (from > 0 && to < 0)) kept.push_back(a + from / (from - to) * (b - a));
    }
    return kept;
}

/// What of the mesh lies in the box, relative to its low corner.
Mesh cut_out(const Mesh& mesh, const Box& box) {
    Mesh out;
    for (const auto& [ia, ib, ic] : mesh.triangles) {
        const Vec3 a = wide(mesh.points[ia]), b = wide(mesh.points[ib]), c = wide(mesh.points[ic]);
        bool outside = false;
        for (double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
            outside = outside || std::max({a.*axis, b.*axis, c.*axis}) < box.low.*axis ||
                      std::min({a.*axis, b.*axis, c.*axis}) > box.high.*axis;
        }
        if (outside) continue;
        std::vector<Vec3> polygon = {a, b, c};
        for (double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
            polygon = cut(polygon, axis, 1, box.high.*axis);
            polygon = cut(polygon, axis, -1, -(box.low.*axis));
        }
        const uint32_t first = static_cast<uint32_t>(out.points.size());
        for (const Vec3& p : polygon) out.points.push_back(narrow(p - box.low));
        for (uint32_t i = 2; i < polygon.size(); ++i) out.triangles.push_back({first, first + i - 1, first + i});
    }
    return out;
}

}  // namespace

Count count_surface(const Mesh& mesh, const SurfaceSettings& settings, double probes) {
    SurfacePlan plan = surface_plan(mesh, settings);
    const float spacing = settings.spacing;
    const MeshFacts& facts = plan.facts;
    require_cells(facts, spacing);
    Count count;
    count.warnings = std::move(plan.warnings);
    const double expected = expected_samples(facts, spacing);
    count.bytes = bytes_per_sample * expected;

    const double points = points_per_sample * expected + static_cast<double>(mesh.triangles.size());
    const double width =
        std::clamp(std::sqrt(probes / patch_count * facts.area / points) / spacing, narrowest, widest) * spacing;
    std::vector<SurfacePatch> patches;
    // Patches that overlap are more work than the whole.
    if (points <= probes || 2 * patch_count * width * width > facts.area) {
        const Vec3 all{1e30, 1e30, 1e30};
        patches.push_back({surface_cloud(mesh, facts, spacing, plan.turned), -1.0 * all, all});
    } else {
        const double aside = 0.5 * width, inner = width - margin * spacing, outer = margin * spacing;
        for (const SurfacePlace& place : scattered_places(mesh, facts.area, patch_count)) {
            const Vec3& middle = place.position;
            const Vec3 half{aside, aside, aside};
            const Mesh part = cut_out(mesh, {middle - half, middle + half});
            const MeshFacts part_facts = examine(part);
            if (!(part_facts.area > 0)) continue;
            const Vec3 low = wide(part_facts.low);
            patches.push_back({surface_cloud(part, part_facts, spacing, plan.turned), Vec3{outer, outer, outer} - low,
                               Vec3{inner, inner, inner} - low});
        }
    }
    count.particles = std::max(1.0, std::round(expected * sites_per_square(patches)));
    return count;
}

}  // namespace firn
