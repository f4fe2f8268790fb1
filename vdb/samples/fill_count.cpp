#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "firn/counts.h"
#include "samples/fill_plan.h"
#include "samples/fill_relaxed.h"
#include "samples/surface_places.h"
#include "samples/surface_sampling.h"
#include "samples/triangle.h"

namespace firn {

namespace {

/// So few are placed, all but their relaxation.
constexpr double most_samples = 1500, most_places = 1e5;

/// Where a ray meets a triangle, in lengths of the ray; far away if it doesn't (Moeller & Trumbore 1997).
double hit(const Vec3& from, const Vec3& ray, const Vec3& a, const Vec3& b, const Vec3& c) {
    constexpr double none = 1e30;
    const Vec3 ab = b - a, ac = c - a, p = cross(ray, ac);
    const double determinant = dot(ab, p);
    if (determinant == 0) return none;
    const Vec3 to = from - a, q = cross(to, ab);
    const double u = dot(to, p) / determinant, v = dot(ray, q) / determinant;
    return u < 0 || v < 0 || u + v > 1 ? none : dot(ac, q) / determinant;
}

/// How thick the mesh is below places of its surface, in spacings, and `reach` where it is thicker.
std::vector<double> thicknesses(const Mesh& mesh, const FillPlan& plan, double spacing, double reach) {
    const double triangles = static_cast<double>(mesh.triangles.size());
    const size_t count = static_cast<size_t>(std::clamp(1e8 / triangles, 32.0, 256.0));
    const std::vector<SurfacePlace> places = scattered_places(mesh, plan.facts.area, count);
    std::vector<double> thick(places.size(), reach);
    tbb::parallel_for(size_t(0), places.size(), [&](size_t i) {
        const Vec3 from = places[i].position;
        const Vec3 ray = -spacing * triangle_frame(mesh, places[i].triangle, plan.inside_out).normal;
        for (uint32_t t = 0; t < mesh.triangles.size(); ++t) {
            const auto& [a, b, c] = mesh.triangles[t];
            const double x = mesh.points[a].x, y = mesh.points[b].x, z = mesh.points[c].x, far = reach * spacing;
            if (t == places[i].triangle || std::min({x, y, z}) > from.x + far || std::max({x, y, z}) < from.x - far)
                continue;
            const double at = hit(from, ray, wide(mesh.points[a]), wide(mesh.points[b]), wide(mesh.points[c]));
            if (at > 1e-3) thick[i] = std::min(thick[i], at);
        }
    });
    return thick;
}

/// How many more (or fewer) than its volume holds a mesh gets for every spacing^2 of its surface (fill_relaxed.cpp): a
/// sheet where it is thinner than a spacing, which sheets inside thick parts make up for as far as they can.
double relaxed_excess(const std::vector<double>& thickness) {
    constexpr double sheet = 0.495;   // of a thin part, for either of its sides
    constexpr double no_room = 1.15;  // thinner than that there is no room for a second sheet
    // Of a thick part: its outermost sheet, and how deep the next ones may begin; 1.4 in flat parts, and what curves
    // has less below its surface.
    constexpr double skin = 0.985, shallow = 0.8, deep = 1.35;
    double least = 0, most = 0;
    for (const double t : thickness) {
        if (t < no_room) {
            least += std::max(0.0, sheet - 0.5 * t);
            most += sheet - 0.5 * t;
        } else if (t > 2) {
            least += skin - std::min(0.5 * t, deep);
            most += skin - std::min(0.5 * t, shallow);
        }
    }
    const double count = static_cast<double>(thickness.size());
    return std::max(0.0, least / count) + std::min(0.0, most / count);
}

InsideCount count_relaxed(const Mesh& mesh, const FillPlan& plan, const FillSettings& settings) {
    const MeshFacts& facts = plan.facts;
    const double volume = std::abs(facts.volume) / plan.worth, samples = expected_samples(facts, settings.spacing);
    if (facts.closed && samples < most_samples && volume < most_places)
        return {static_cast<double>(relaxed_count(mesh, facts, plan.lattice, plan.inside_out)), true};
    if (!facts.closed) return {count_inside(mesh, facts, plan.lattice, plan.inside_out).places, false};
    return {volume + samples * relaxed_excess(thicknesses(mesh, plan, settings.spacing, 3)), false};
}

}  // namespace

Count count_filling(const Mesh& mesh, const FillSettings& settings) {
    FillPlan plan = fill_plan(mesh, settings);
    const InsideCount inside = settings.relaxed ? count_relaxed(mesh, plan, settings)
                                                : count_inside(mesh, plan.facts, plan.lattice, plan.inside_out);
    Count count;
    count.particles = std::round(inside.places);
    count.exact = inside.exact;
    count.bytes = fill_bytes(plan, settings, most_particles(plan));
    count.warnings = std::move(plan.warnings);
    warn_of_volume(plan, settings, count.particles, count.warnings);
    return count;
}

}  // namespace firn
