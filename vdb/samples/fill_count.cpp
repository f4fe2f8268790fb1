#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "firn/counts.h"
#include "samples/counting.h"
#include "samples/fill_plan.h"
#include "samples/fill_relaxed.h"
#include "samples/mesh_sketch.h"
#include "samples/surface_places.h"
#include "samples/surface_sampling.h"
#include "samples/thinned_file.h"
#include "samples/triangle.h"

namespace firn {

namespace {

struct SurfaceToCount {
    TriangleSource& all;  ///< or some, where each stands for others too
    const Mesh& drawn;    ///< all of them, or what a sketch has of them
    uint64_t triangles;   ///< of all
    bool whole;           ///< all were drawn
    const Mesh& cover;    ///< where some stand for others: as large that hardly a ray passes between them
    bool all_shown() const { return all.each_stands_for() == 1; }
};

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

/// How thick a surface is below places of it, in spacings, and `reach` where it is thicker.
std::vector<double> thicknesses(const SurfaceToCount& surface, const FillPlan& plan, double spacing, double reach) {
    const size_t count = static_cast<size_t>(std::clamp(1e8 / double(surface.triangles), 32.0, 256.0));
    const std::vector<SurfacePlace> places = scattered_places(surface.drawn, plan.facts.area, count);
    std::vector<double> thick(places.size(), reach);
    const double far = reach * spacing;
    const auto look = [&](const Corners* some, size_t corners) {
        tbb::parallel_for(size_t(0), places.size(), [&](size_t i) {
            const auto& [ia, ib, ic] = surface.drawn.triangles[places[i].triangle];
            // What was drawn may have been made larger about its middle, which is still on the surface.
            const Vec3 from = surface.whole ? places[i].position
                                            : 1.0 / 3 *
                                                  (wide(surface.drawn.points[ia]) + wide(surface.drawn.points[ib]) +
                                                   wide(surface.drawn.points[ic]));
            const Vec3 ray = -spacing * triangle_frame(surface.drawn, places[i].triangle, plan.inside_out).normal;
            for (size_t t = 0; t < corners; ++t) {
                const auto& [a, b, c] = some[t];
                const double x = a.x, y = b.x, z = c.x;
                if (std::min({x, y, z}) > from.x + far || std::max({x, y, z}) < from.x - far) continue;
                const double at = hit(from, ray, wide(a), wide(b), wide(c));
                if (at > 1e-3) thick[i] = std::min(thick[i], at);
            }
        });
    };
    if (surface.all_shown())
        surface.all.for_each(look);
    else
        MeshTriangles(surface.cover).for_each(look);
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

/// From the volume, unless parts lie in others; or from where a few triangles wind about the lattice's places. Of few
/// places all are asked: there it counts how the lattice meets the surface.
InsideCount count_inside_some(const SurfaceToCount& surface, const FillPlan& plan) {
    constexpr double few_places = 1 << 15, some_places = 1 << 12, alike = 0.15;
    const auto& [nx, ny, nz] = plan.lattice.count;
    const bool few = double(nx) * double(ny) * double(nz) <= few_places;
    const auto winding = [&](double places) {
        InsideCount count = count_inside_open(surface.drawn, plan.lattice, plan.inside_out, places);
        count.exact = false;
        return count;
    };
    if (few || !plan.facts.closed) return winding(few_places);
    const double volume = std::abs(plan.facts.volume) / plan.worth, roughly = winding(some_places).places;
    return std::abs(volume - roughly) < alike * volume ? InsideCount{volume, false} : winding(few_places);
}

InsideCount count_inside(const SurfaceToCount& surface, const FillPlan& plan) {
    if (!surface.all_shown()) return count_inside_some(surface, plan);
    if (plan.facts.closed) return count_inside_closed(surface.all, plan.lattice, plan.inside_out);
    InsideCount count = count_inside_open(surface.drawn, plan.lattice, plan.inside_out);
    count.exact = count.exact && surface.whole;
    return count;
}

InsideCount count_relaxed(const SurfaceToCount& surface, const FillPlan& plan, const FillSettings& settings) {
    const MeshFacts& facts = plan.facts;
    const double volume = std::abs(facts.volume) / plan.worth, samples = expected_samples(facts, settings.spacing);
    if (facts.closed && surface.whole && samples < most_samples && volume < most_places)
        return {static_cast<double>(relaxed_count(surface.drawn, facts, plan.lattice, plan.inside_out)), true};
    if (!facts.closed) return {count_inside(surface, plan).places, false};
    return {volume + samples * relaxed_excess(thicknesses(surface, plan, settings.spacing, 3)), false};
}

Count completed(const InsideCount& inside, FillPlan plan, const FillSettings& settings) {
    Count count;
    count.particles = std::round(inside.places);
    count.exact = inside.exact;
    count.bytes = fill_bytes(plan, settings, most_particles(plan));
    count.low = plan.facts.low;
    count.high = plan.facts.high;
    count.warnings = std::move(plan.warnings);
    warn_of_volume(plan, settings, count.particles, count.warnings);
    return count;
}

Count count_filling(const SurfaceToCount& surface, FillPlan plan, const FillSettings& settings) {
    const InsideCount inside = settings.relaxed ? count_relaxed(surface, plan, settings) : count_inside(surface, plan);
    return completed(inside, std::move(plan), settings);
}

}  // namespace

Count count_filling_of(const MeshFacts& facts, const FillSettings& settings,
                       const std::function<bool(const Vec3&)>& is_inside,
                       const std::function<std::vector<double>(double reach)>& thickness) {
    constexpr double few = 5e5;  // of the lattice; where there are more, its steps at the surface are nothing
    FillPlan plan = fill_plan(facts, settings);
    const Lattice& lattice = plan.lattice;
    const double volume = std::abs(facts.volume) / plan.worth;
    InsideCount inside;
    if (settings.relaxed) {
        inside.places = volume + expected_samples(facts, settings.spacing) * relaxed_excess(thickness(3));
    } else if (double(lattice.count[0]) * double(lattice.count[1]) * double(lattice.count[2]) > few) {
        inside.places = volume;
    } else {
        for (int64_t k = 0; k < lattice.count[2]; ++k)
            for (int64_t j = 0; j < lattice.count[1]; ++j)
                for (int64_t i = 0; i < lattice.count[0]; ++i) inside.places += is_inside(lattice.at(i, j, k));
    }
    return completed(inside, std::move(plan), settings);
}

Count count_filling(const Mesh& mesh, const FillSettings& settings) {
    MeshTriangles all(mesh);
    return count_filling({all, mesh, mesh.triangles.size(), true, mesh}, fill_plan(examine(mesh), settings), settings);
}

Count count_filling(TriangleSource& source, const FillSettings& settings) {
    const MeshSketch seen = sketch(source);
    constexpr double tolerance = 0.02;
    if (seen.facts.closed && seen.volume_error > tolerance * std::abs(seen.facts.volume)) throw TooFewTriangles();
    constexpr double without_gaps = 3;
    const Mesh cover = source.each_stands_for() > 1 ? made_larger(seen.as_they_are, without_gaps) : Mesh();
    return count_filling({source, seen.drawn, seen.triangles, seen.whole, cover}, fill_plan(seen.facts, settings),
                         settings);
}

Count count_mesh_filling(const std::string& path, float scale, const FillSettings& settings) {
    if (!is_large_mesh_file(path)) return count_filling(transformed(read_mesh(path), Transform(), scale), settings);
    return of_file_triangles(path, scale,
                             [&](TriangleSource& triangles) { return count_filling(triangles, settings); });
}

}  // namespace firn
