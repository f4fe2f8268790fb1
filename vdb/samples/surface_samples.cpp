// Even sites on a surface (surface_sites.h) become samples: put on a triangle, pushed inwards, and able to follow it.

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "firn/error.h"
#include "firn/samples.h"
#include "samples/limits.h"
#include "samples/surface_sampling.h"
#include "samples/surface_sites.h"
#include "samples/triangle.h"

namespace firn {

namespace {

constexpr uint32_t nobody = SurfaceSites::nobody;
constexpr float snap_distance = 0.5f;  ///< spacings; within it there are points of the triangle that is nearest

float square_distance(const Float3& a, const Float3& b) {
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

/// Points of a cell of the cloud and of the cells around it.
template <class Visit>
void for_points_near(const SurfaceCloud& cloud, uint32_t cell, const Visit& visit) {
    for (uint32_t n = cloud.neighbour_begin[cell]; n < cloud.neighbour_begin[cell + 1]; ++n) {
        const uint32_t other = cloud.neighbour[n];
        for (uint32_t point = cloud.cell_begin[other]; point < cloud.cell_begin[other + 1]; ++point) visit(point);
    }
}

/// `depth`, or half of how thick it is below a place on the surface, if that is less.
double depth_below(const SurfaceCloud& cloud, uint32_t cell, const Vec3& surface, const Vec3& normal, double depth) {
    const Float3 facing = narrow(normal);
    const double aside = 0.3 * cloud.spacing;  // a little more than between the cloud's points
    for_points_near(cloud, cell, [&](uint32_t point) {
        if (same_sheet(facing, cloud.normal(point))) return;
        const Vec3 other = wide(cloud.normal(point)), to = surface - wide(cloud.position[point]);
        const double thickness = dot(to, other) / dot(normal, other);
        const Vec3 hit = surface - thickness * normal;
        if (thickness > 0 && length(hit - wide(cloud.position[point])) < aside)
            depth = std::min(depth, 0.5 * thickness);
    });
    return depth;
}

/// Below the surface by `depth`, or to the middle of what is thinner than twice that; and as far from the faces around
/// the next edge, so that the boundary's corners don't stick out of the geometry's. `depth` becomes what it is there.
Vec3 pushed_inwards(const SurfaceCloud& cloud, uint32_t cell, const Vec3& surface, const Vec3& normal, double& depth) {
    if (cloud.flat(cell)) return surface - depth * normal;
    const Float3 facing = narrow(normal);
    depth = depth_below(cloud, cell, surface, normal, depth);
    Vec3 place = surface - depth * normal;
    for (int corner = 0; corner < 4; ++corner) {
        const Float3 here = narrow(place);
        float best = std::numeric_limits<float>::max();
        uint32_t nearest = nobody;
        for_points_near(cloud, cell, [&](uint32_t point) {
            const float d = square_distance(cloud.position[point], here);
            if (d < best && same_sheet(facing, cloud.normal(point))) {
                best = d;
                nearest = point;
            }
        });
        if (nearest == nobody) break;
        const Vec3 face = wide(cloud.normal(nearest));
        const double below = dot(wide(cloud.position[nearest]) - place, face);
        // The rim of a thin plate has a face on either side: to the middle between them.
        const double missing = depth_below(cloud, cell, place + below * face, face, depth) - below;
        // What lies the wrong way round is a fold, not an edge.
        if (missing < 0.02 * cloud.spacing || missing > depth * 1.5) break;
        place = place - missing * face;
    }
    return place;
}

uint64_t topology_hash(const Mesh& mesh) {
    uint64_t hash = 14695981039346656037ull ^ mesh.points.size();
    for (const auto& triangle : mesh.triangles) {
        for (const uint32_t corner : triangle) hash = (hash ^ corner) * 1099511628211ull;
    }
    return hash;
}

}  // namespace

SampledSurface sampled_surface(const Mesh& mesh, const MeshFacts& facts, float spacing, double wanted_depth,
                               bool turned) {
    SampledSurface surface;
    surface.cloud = surface_cloud(mesh, facts, spacing, turned);
    const SurfaceCloud& cloud = surface.cloud;
    SurfaceSamples& samples = surface.samples;
    samples.turned = turned;
    samples.topology = topology_hash(mesh);
    SurfaceSites& sites = surface.sites;
    sites = even_sites(cloud, facts.area);

    // Back onto the mesh: the nearest place on a triangle of the site's sheet.
    const size_t count = sites.count();
    std::vector<uint32_t> triangle(count);
    std::vector<Float3> barycentric(count);
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 256), [&](const tbb::blocked_range<size_t>& range) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
            triangle[i] = cloud.triangle[sites.ground[i]];
            const Vec3 at = wide(sites.position[i]);
            const Float3 here = sites.position[i], facing = sites.normal[i];
            const float reach = snap_distance * spacing * (snap_distance * spacing);
            double best = std::numeric_limits<double>::max();
            Vec3 place;
            const auto look_at = [&](uint32_t t) {
                const auto& [a, b, c] = mesh.triangles[t];
                const TrianglePlace on =
                    nearest_on_triangle(at, wide(mesh.points[a]) - cloud.low, wide(mesh.points[b]) - cloud.low,
                                        wide(mesh.points[c]) - cloud.low);
                const double distance = length(on.position - at);
                if (distance < best) {
                    best = distance;
                    place = on.position;
                    triangle[i] = t;
                    barycentric[i] = narrow(on.barycentric);
                }
            };
            uint32_t last = triangle[i];
            look_at(last);
            for_points_near(cloud, sites.cell[i], [&](uint32_t point) {
                const uint32_t t = cloud.triangle[point];
                if (t == last || square_distance(cloud.position[point], here) > reach ||
                    !same_sheet(facing, cloud.normal(point))) {
                    return;
                }
                last = t;
                look_at(t);
            });
            sites.position[i] = narrow(place);
            sites.normal[i] = cloud.triangle_normal[triangle[i]];
        }
    });
    measure_areas(cloud, sites);

    surface.depth.resize(count);
    samples.position.resize(count);
    samples.normal = sites.normal;
    samples.area = sites.area;
    samples.triangle = std::move(triangle);
    samples.barycentric = std::move(barycentric);
    samples.offset.resize(count);
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 64), [&](const tbb::blocked_range<size_t>& range) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
            const Vec3 on = wide(sites.position[i]), normal = wide(sites.normal[i]);
            double depth = wanted_depth;
            const Vec3 place = depth > 0 ? pushed_inwards(cloud, sites.cell[i], on, normal, depth) : on;
            surface.depth[i] = static_cast<float>(depth);
            const TriangleFrame frame = triangle_frame(mesh, samples.triangle[i], samples.turned);
            const Vec3 offset = place - on;
            samples.position[i] = narrow(cloud.low + place);
            samples.offset[i] =
                narrow({dot(offset, frame.along), dot(offset, frame.across), dot(offset, frame.normal)});
        }
    });
    return surface;
}

double expected_samples(const MeshFacts& facts, double spacing) {
    return facts.area / (spacing * spacing);
}

SurfacePlan surface_plan(const MeshFacts& facts, const SurfaceSettings& settings) {
    SurfacePlan plan;
    plan.facts = facts;
    const float spacing = settings.spacing;
    require_spacing("surface", spacing, plan.facts);
    if (!(settings.depth <= spacing)) {
        throw Error("surface: the depth must be at most one spacing, not " + std::to_string(settings.depth));
    }
    plan.depth = settings.two_sided ? 0 : settings.depth < 0 ? 0.5 * spacing : double(settings.depth);
    plan.turned = plan.facts.closed && plan.facts.volume < 0;
    if (plan.facts.non_manifold_edges > 0)
        plan.warnings.push_back(std::to_string(plan.facts.non_manifold_edges) + " edges have more than two faces");
    if (plan.facts.degenerate_triangles > 0) {
        plan.warnings.push_back(std::to_string(plan.facts.degenerate_triangles) +
                                " triangles have no area and were passed over");
    }
    if (plan.turned) plan.warnings.push_back("the mesh is inside out; its normals were turned");
    return plan;
}

SurfaceSamples sample_surface(const Mesh& mesh, const SurfaceSettings& settings) {
    SurfacePlan plan = surface_plan(examine(mesh), settings);
    const float spacing = settings.spacing;
    require_memory("surface", expected_samples(plan.facts, spacing), bytes_per_sample, spacing, settings.memory_limit);
    SurfaceSamples samples = std::move(sampled_surface(mesh, plan.facts, spacing, plan.depth, plan.turned).samples);
    samples.warnings = std::move(plan.warnings);
    return samples;
}

SurfaceSamples follow(const SurfaceSamples& samples, const Mesh& moved) {
    if (samples.triangle.size() != samples.position.size()) {
        throw Error("surface: samples of a volume can't follow a mesh; sample a mesh");
    }
    if (topology_hash(moved) != samples.topology) {
        throw Error("surface: the moved mesh has other triangles than the one that was sampled (" +
                    std::to_string(moved.points.size()) + " points, " + std::to_string(moved.triangles.size()) +
                    " triangles); frames of one object need the same topology");
    }
    SurfaceSamples now = samples;
    tbb::parallel_for(
        tbb::blocked_range<size_t>(0, now.position.size(), 256), [&](const tbb::blocked_range<size_t>& range) {
            for (size_t i = range.begin(); i < range.end(); ++i) {
                const auto& [a, b, c] = moved.triangles[samples.triangle[i]];
                const Float3 &share = samples.barycentric[i], &offset = samples.offset[i];
                const TriangleFrame frame = triangle_frame(moved, samples.triangle[i], samples.turned);
                const Vec3 surface = double(share.x) * wide(moved.points[a]) + double(share.y) * wide(moved.points[b]) +
                                     double(share.z) * wide(moved.points[c]);
                now.position[i] = narrow(surface + double(offset.x) * frame.along + double(offset.y) * frame.across +
                                         double(offset.z) * frame.normal);
                // A triangle that has collapsed faces nowhere; the last direction is the best guess.
                if (length(frame.normal) > 0) now.normal[i] = narrow(frame.normal);
            }
        });
    for (size_t i = 0; i < now.position.size(); ++i) {
        if (!finite(now.position[i])) {
            throw Error("surface: triangle " + std::to_string(now.triangle[i]) +
                        " of the moved mesh is not finite; repair the mesh where it was made");
        }
    }
    return now;
}

std::vector<Float3> velocities(const SurfaceSamples& from, const SurfaceSamples& to, float seconds) {
    if (from.position.size() != to.position.size()) throw Error("surface: velocities need the same samples twice");
    if (!(seconds > 0)) throw Error("surface: velocities need a time between the frames");
    std::vector<Float3> velocity(from.position.size());
    for (size_t i = 0; i < velocity.size(); ++i) {
        velocity[i] = narrow((1.0 / seconds) * (wide(to.position[i]) - wide(from.position[i])));
    }
    return velocity;
}

}  // namespace firn
