#include <algorithm>

#include "firn/counts.h"
#include "firn/scattered.h"
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

bool apart(const Box& a, const Box& b) {
    return a.high.x < b.low.x || a.low.x > b.high.x || a.high.y < b.low.y || a.low.y > b.high.y || a.high.z < b.low.z ||
           a.low.z > b.high.z;
}

/// What of the mesh lies in each of the boxes, relative to its low corner.
std::vector<Mesh> cut_out(const Mesh& mesh, const std::vector<Box>& boxes) {
    std::vector<Mesh> parts(boxes.size());
    for (const auto& [ia, ib, ic] : mesh.triangles) {
        const Vec3 a = wide(mesh.points[ia]), b = wide(mesh.points[ib]), c = wide(mesh.points[ic]);
        const Box around{{std::min({a.x, b.x, c.x}), std::min({a.y, b.y, c.y}), std::min({a.z, b.z, c.z})},
                         {std::max({a.x, b.x, c.x}), std::max({a.y, b.y, c.y}), std::max({a.z, b.z, c.z})}};
        for (size_t i = 0; i < boxes.size(); ++i) {
            const Box& box = boxes[i];
            if (apart(around, box)) continue;
            std::vector<Vec3> polygon = {a, b, c};
            for (double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
                polygon = cut(polygon, axis, 1, box.high.*axis);
                polygon = cut(polygon, axis, -1, -(box.low.*axis));
            }
            Mesh& out = parts[i];
            const uint32_t first = static_cast<uint32_t>(out.points.size());
            for (const Vec3& p : polygon) out.points.push_back(narrow(p - box.low));
            for (uint32_t k = 2; k < polygon.size(); ++k) out.triangles.push_back({first, first + k - 1, first + k});
        }
    }
    return parts;
}

/// Of a large surface: patches tell how many sites a square metre has.
struct Patching {
    double width = 0;  ///< m, of a patch
    bool pays = false;
};

Patching patching(const MeshFacts& facts, double triangles, double spacing, double probes) {
    const double points = points_per_sample * expected_samples(facts, spacing) + triangles;
    const double width =
        std::clamp(std::sqrt(probes / patch_count * facts.area / points) / spacing, narrowest, widest) * spacing;
    // Patches that overlap are more work than the whole.
    return {width, points > probes && 2 * patch_count * width * width <= facts.area};
}

Box box_about(const Vec3& middle, double width) {
    const double aside = 0.5 * width;
    const Vec3 half{aside, aside, aside};
    return {middle - half, middle + half};
}

/// `part` is what of the surface lies in a box of the width.
void add_patch(const Mesh& part, double width, const SurfacePlan& plan, float spacing,
               std::vector<SurfacePatch>& patches) {
    const double inner = width - margin * spacing, outer = margin * spacing;
    const MeshFacts facts = examine(part);
    if (!(facts.area > 0)) return;
    const Vec3 low = wide(facts.low);
    patches.push_back({surface_cloud(part, facts, spacing, plan.turned), Vec3{outer, outer, outer} - low,
                       Vec3{inner, inner, inner} - low});
}

/// But for the particles.
Count begun_count(const SurfacePlan& plan, float spacing) {
    require_cells(plan.facts, spacing);
    Count count;
    count.warnings = plan.warnings;
    count.bytes = bytes_per_sample * expected_samples(plan.facts, spacing);
    return count;
}

double particles_of(const SurfacePlan& plan, float spacing, const std::vector<SurfacePatch>& patches) {
    return std::max(1.0, std::round(expected_samples(plan.facts, spacing) * sites_per_square(patches)));
}

/// The cells of a field that reach into the box, as a field.
Heightfield cropped(const Heightfield& field, const Box& box) {
    const auto range = [&](double low, double high, double origin, int count) {
        const int from = std::clamp(static_cast<int>(std::floor((low - origin) / field.cell)), 0, count - 2);
        const int to = std::clamp(static_cast<int>(std::ceil((high - origin) / field.cell)), from + 1, count - 1);
        return std::pair<int, int>(from, to);
    };
    const auto [left, right] = range(box.low.x, box.high.x, field.origin.x, field.columns);
    const auto [back, front] = range(box.low.z, box.high.z, field.origin.z, field.rows);
    Heightfield part;
    part.cell = field.cell;
    part.columns = right - left + 1;
    part.rows = front - back + 1;
    part.origin = {field.origin.x + field.cell * static_cast<float>(left), field.origin.y,
                   field.origin.z + field.cell * static_cast<float>(back)};
    for (int row = back; row <= front; ++row) {
        const auto begin = field.height.begin() + std::ptrdiff_t(row) * field.columns;
        part.height.insert(part.height.end(), begin + left, begin + right + 1);
    }
    return part;
}

/// Places on a field, in parts of equal area: a row of its cells is a mesh, which scattered_places() looks at alone.
std::vector<Vec3> places_on(const Heightfield& field, double area, size_t count) {
    std::vector<Vec3> places;
    double sum = 0;
    for (int row = 0; row + 1 < field.rows; ++row) {
        Heightfield strip;
        strip.cell = field.cell;
        strip.columns = field.columns;
        strip.rows = 2;
        strip.origin = {field.origin.x, field.origin.y, field.origin.z + field.cell * static_cast<float>(row)};
        const auto begin = field.height.begin() + std::ptrdiff_t(row) * field.columns;
        strip.height.assign(begin, begin + 2 * std::ptrdiff_t(field.columns));
        const double here = heightfield_facts(strip).area;
        for (; places.size() < count;) {
            const double wanted = (double(places.size()) + 0.5) / double(count) * area;
            if (sum + here < wanted) break;
            // Not in the middle of every row.
            const size_t along = static_cast<size_t>(scattered_unit(places.size(), 3) * 64);
            const std::vector<SurfacePlace> some = scattered_places(heightfield_mesh(strip), here, 64);
            places.push_back(some[std::min(along, some.size() - 1)].position);
        }
        sum += here;
    }
    return places;
}

}  // namespace

Count count_surface(const Mesh& mesh, const SurfaceSettings& settings, double probes) {
    const SurfacePlan plan = surface_plan(examine(mesh), settings);
    const float spacing = settings.spacing;
    const MeshFacts& facts = plan.facts;
    Count count = begun_count(plan, spacing);
    const Patching patch = patching(facts, static_cast<double>(mesh.triangles.size()), spacing, probes);
    std::vector<SurfacePatch> patches;
    if (patch.pays) {
        std::vector<Box> boxes;
        for (const SurfacePlace& place : scattered_places(mesh, facts.area, patch_count))
            boxes.push_back(box_about(place.position, patch.width));
        for (const Mesh& part : cut_out(mesh, boxes)) add_patch(part, patch.width, plan, spacing, patches);
    } else {
        const Vec3 all{1e30, 1e30, 1e30};
        patches.push_back({surface_cloud(mesh, facts, spacing, plan.turned), -1.0 * all, all});
    }
    count.particles = particles_of(plan, spacing, patches);
    return count;
}

Count count_heightfield(const Heightfield& field, const SurfaceSettings& settings, double probes) {
    const SurfacePlan plan = surface_plan(heightfield_facts(field), settings);
    const float spacing = settings.spacing;
    const double triangles = 2.0 * (field.columns - 1) * (field.rows - 1);
    const Patching patch = patching(plan.facts, triangles, spacing, probes);
    if (!patch.pays) return count_surface(heightfield_mesh(field), settings, probes);
    Count count = begun_count(plan, spacing);
    std::vector<SurfacePatch> patches;
    for (const Vec3& middle : places_on(field, plan.facts.area, patch_count)) {
        const Box box = box_about(middle, patch.width);
        add_patch(cut_out(heightfield_mesh(cropped(field, box)), {box}).front(), patch.width, plan, spacing, patches);
    }
    count.particles = particles_of(plan, spacing, patches);
    return count;
}

}  // namespace firn
