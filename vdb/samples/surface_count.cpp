#include <tbb/parallel_for.h>

#include <algorithm>

#include "firn/counts.h"
#include "firn/scattered.h"
#include "samples/counting.h"
#include "samples/mesh_sketch.h"
#include "samples/surface_places.h"
#include "samples/surface_sampling.h"
#include "samples/thinned_file.h"

namespace firn {

namespace {

constexpr int patch_count = 16;
constexpr size_t all_of_them = size_t(1) << 40;
/// Of the probes: points of a cloud of which all is done that a sampler would do; and the same of a rough one.
constexpr double share_evened = 0.3, rough_share_evened = 2;
constexpr size_t dense = size_t(1) << 14;     ///< triangles of a patch, more than the points that a cloud has there
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

/// What of a surface lies in each of the boxes, relative to its low corner: no more than `most` triangles of each.
/// `stride`: of so many one is enough.
std::vector<DrawnTriangles> cut_out(TriangleSource& source, const std::vector<Box>& boxes, size_t most,
                                    double stride = 1) {
    constexpr size_t part = 4096;
    struct Meeting {
        size_t box, triangle;
    };
    std::vector<TriangleDraw> drawn(boxes.size(), TriangleDraw(most));
    std::vector<std::vector<Meeting>> meetings;
    const auto look = [&](const Corners* some, size_t count) {
        meetings.resize((count + part - 1) / part);
        tbb::parallel_for(size_t(0), meetings.size(), [&](size_t k) {
            meetings[k].clear();
            for (size_t t = k * part; t < std::min(count, (k + 1) * part); ++t) {
                const auto& [p, q, r] = some[t];
                const Vec3 low{std::min({p.x, q.x, r.x}), std::min({p.y, q.y, r.y}), std::min({p.z, q.z, r.z})},
                    high{std::max({p.x, q.x, r.x}), std::max({p.y, q.y, r.y}), std::max({p.z, q.z, r.z})};
                for (size_t i = 0; i < boxes.size(); ++i) {
                    const Box& box = boxes[i];
                    // Without branches: most are far from most boxes.
                    if ((high.x >= box.low.x) & (low.x <= box.high.x) & (high.y >= box.low.y) & (low.y <= box.high.y) &
                        (high.z >= box.low.z) & (low.z <= box.high.z))
                        meetings[k].push_back({i, t});
                }
            }
        });
        for (const std::vector<Meeting>& some_meetings : meetings) {
            for (const Meeting& meeting : some_meetings) {
                const Box& box = boxes[meeting.box];
                const auto& [p, q, r] = some[meeting.triangle];
                TriangleDraw& out = drawn[meeting.box];
                const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
                    out.add({narrow(a - box.low), narrow(b - box.low), narrow(c - box.low)},
                            0.5 * length(cross(b - a, c - a)));
                };
                const auto within = [&](const Float3& c) {
                    return c.x >= box.low.x && c.x <= box.high.x && c.y >= box.low.y && c.y <= box.high.y &&
                           c.z >= box.low.z && c.z <= box.high.z;
                };
                if (within(p) && within(q) && within(r)) {
                    add(wide(p), wide(q), wide(r));
                    continue;
                }
                std::vector<Vec3> polygon = {wide(p), wide(q), wide(r)};
                for (double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
                    polygon = cut(polygon, axis, 1, box.high.*axis);
                    polygon = cut(polygon, axis, -1, -(box.low.*axis));
                }
                for (size_t k = 2; k < polygon.size(); ++k) add(polygon[0], polygon[k - 1], polygon[k]);
            }
        }
    };
    std::vector<Extent> extents;
    for (const Box& box : boxes) extents.push_back({narrow(box.low), narrow(box.high)});
    const double stand_for = source.for_each_near(extents, stride, look);
    std::vector<DrawnTriangles> parts;
    for (TriangleDraw& draw : drawn) {
        parts.push_back(draw.drawn());
        for (float& area : parts.back().stands_for) area *= static_cast<float>(stand_for);
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
void add_patch(const DrawnTriangles& part, double width, const SurfacePlan& plan, float spacing,
               std::vector<SurfacePatch>& patches) {
    const double inner = width - margin * spacing, outer = margin * spacing;
    const MeshFacts facts = examine(part.mesh);
    if (!(facts.area > 0)) return;
    const Vec3 low = wide(facts.low);
    patches.push_back({surface_cloud(part.mesh, facts, spacing, plan.turned, part.stands_for),
                       Vec3{outer, outer, outer} - low, Vec3{inner, inner, inner} - low});
}

/// But for the particles.
Count begun_count(const SurfacePlan& plan, float spacing) {
    require_cells(plan.facts, spacing);
    Count count;
    count.warnings = plan.warnings;
    count.bytes = bytes_per_sample * expected_samples(plan.facts, spacing);
    count.low = plan.facts.low;
    count.high = plan.facts.high;
    return count;
}

double particles_of(const SurfacePlan& plan, float spacing, const std::vector<SurfacePatch>& patches) {
    return std::max(1.0, std::round(expected_samples(plan.facts, spacing) * sites_per_square(patches)));
}

/// Where many of the places at which sites begin are given up.
bool is_rough(const Count& count, const SurfacePlan& plan, float spacing) {
    return std::abs(count.particles / expected_samples(plan.facts, spacing) - 1) > 0.03;
}

Count count_whole(const Mesh& mesh, const std::vector<float>& stands_for, const SurfacePlan& plan, float spacing,
                  double probes) {
    const Vec3 far{1e30, 1e30, 1e30};
    Count count = begun_count(plan, spacing);
    std::vector<SurfacePatch> whole;
    whole.push_back({surface_cloud(mesh, plan.facts, spacing, plan.turned, stands_for), -1.0 * far, far});
    const SurfaceCloud& cloud = whole.front().cloud;
    const auto evened = [&] {
        count.particles = static_cast<double>(even_sites(cloud, plan.facts.area).count());
        count.exact = true;
        return count;
    };
    // Of some triangles that stand for others, the sites would be others too.
    const double points = static_cast<double>(stands_for.empty() ? cloud.position.size() : all_of_them);
    if (points <= share_evened * probes) return evened();
    count.particles = particles_of(plan, spacing, whole);
    if (is_rough(count, plan, spacing) && points <= rough_share_evened * probes) return evened();
    return count;
}

/// `triangles`: how many the surface has. `drawn`: all of them, or some of them by area; then the surface is a large
/// one. No more than `most` of a patch's triangles are kept, and no more than `per_sample` need be there for a sample:
/// a cloud has as many points.
Count count_patches(TriangleSource& all, double triangles, const Mesh& drawn, double width, size_t most,
                    const SurfacePlan& plan, float spacing, double per_sample = points_per_sample) {
    Count count = begun_count(plan, spacing);
    std::vector<Box> boxes;
    for (const SurfacePlace& place : scattered_places(drawn, plan.facts.area, patch_count))
        boxes.push_back(box_about(place.position, width));
    const double stride = triangles / (per_sample * expected_samples(plan.facts, spacing));
    std::vector<SurfacePatch> patches;
    for (const DrawnTriangles& part : cut_out(all, boxes, most, stride)) add_patch(part, width, plan, spacing, patches);
    count.particles = particles_of(plan, spacing, patches);
    return count;
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
    const Patching patch = patching(plan.facts, static_cast<double>(mesh.triangles.size()), spacing, probes);
    if (!patch.pays) return count_whole(mesh, {}, plan, spacing, probes);
    MeshTriangles all(mesh);
    return count_patches(all, static_cast<double>(mesh.triangles.size()), mesh, patch.width, all_of_them, plan,
                         spacing);
}

Count count_surface(TriangleSource& source, const SurfaceSettings& settings, double probes) {
    const MeshSketch seen = sketch(source);
    if (seen.whole) return count_surface(seen.drawn, settings, probes);
    const SurfacePlan plan = surface_plan(seen.facts, settings);
    const float spacing = settings.spacing;
    const size_t drawn = seen.drawn.triangles.size();
    const Patching patch = patching(
        plan.facts, static_cast<double>(std::min<uint64_t>(seen.triangles, patch_count * dense)), spacing, probes);
    // What was drawn is as good as the whole where it has more triangles than a cloud has points.
    const bool enough = points_per_sample * expected_samples(plan.facts, spacing) < static_cast<double>(drawn);
    const double triangles = static_cast<double>(seen.triangles);
    const Count count = enough || !patch.pays
                            ? count_whole(seen.as_they_are.mesh, seen.as_they_are.stands_for, plan, spacing, probes)
                            : count_patches(source, triangles, seen.drawn, patch.width, dense, plan, spacing);
    if (!is_rough(count, plan, spacing)) return count;
    // Sites on what is rough find places on each of its triangles.
    constexpr size_t rough_dense = size_t(1) << 16;
    constexpr double rough_per_sample = 200;
    for (const double spacings : {10.0, narrowest}) {
        const double width = spacings * spacing;
        if (2 * patch_count * width * width <= plan.facts.area)
            return count_patches(source, triangles, seen.drawn, width, rough_dense, plan, spacing, rough_per_sample);
    }
    return count;
}

double near_width(const SurfaceSettings& settings) {
    return narrowest * settings.spacing;
}

Count count_surface_near(const MeshFacts& facts, const SurfaceSettings& settings, const std::vector<Vec3>& middles,
                         const std::function<Mesh(const Vec3& low, const Vec3& high)>& near) {
    const SurfacePlan plan = surface_plan(facts, settings);
    const double width = near_width(settings);
    Count count = begun_count(plan, settings.spacing);
    std::vector<SurfacePatch> patches;
    for (const Vec3& middle : middles) {
        const Box box = box_about(middle, width);
        const Mesh around = near(box.low, box.high);
        MeshTriangles all(around);
        add_patch(cut_out(all, {box}, dense).front(), width, plan, settings.spacing, patches);
    }
    count.particles = particles_of(plan, settings.spacing, patches);
    return count;
}

Count count_mesh_surface(const std::string& path, float scale, const SurfaceSettings& settings, double probes) {
    if (!is_large_mesh_file(path))
        return count_surface(transformed(read_mesh(path), Transform(), scale), settings, probes);
    return of_file_triangles(path, scale,
                             [&](TriangleSource& triangles) { return count_surface(triangles, settings, probes); });
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
        const Mesh near = heightfield_mesh(cropped(field, box));
        MeshTriangles all(near);
        add_patch(cut_out(all, {box}, all_of_them).front(), patch.width, plan, spacing, patches);
    }
    count.particles = particles_of(plan, spacing, patches);
    return count;
}

}  // namespace firn
