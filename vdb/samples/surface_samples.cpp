// Even samples of a surface: darts on a dense cloud of its points, then Lloyd's relaxation, in which every sample moves
// to the middle of what lies nearer to it than to any other.

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "firn/error.h"
#include "firn/samples.h"
#include "samples/limits.h"
#include "samples/surface_sampling.h"
#include "samples/triangle.h"

namespace firn {

namespace {

constexpr uint32_t nobody = std::numeric_limits<uint32_t>::max();
constexpr float dart_distance = 0.82f;  ///< spacings; leaves one sample for every spacing^2 of a plane
constexpr float hole_distance = 0.9f;   ///< spacings; what is farther from all samples gets one
constexpr int relaxations = 22, even_relaxations = 15;
constexpr double long_stride = 1.6;  ///< of a relaxation; more than two would never come to rest

constexpr double bytes_per_sample = 1400;  ///< of the cloud and what goes with it, measured

float square_distance(const Float3& a, const Float3& b) {
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

/// Samples while they are being placed; positions relative to the cloud's.
struct Sites {
    std::vector<Float3> position, normal;
    std::vector<uint32_t> cell;    ///< of the cloud's point that is nearest
    std::vector<float> gain;       ///< m^2; of two sites, the one with more takes more of what lies between them
    std::vector<double> area;      ///< m^2
    std::vector<uint32_t> begin;   ///< by cell: cells + 1
    std::vector<uint32_t> sorted;  ///< sites by cell
};

void sort_by_cell(const SurfaceCloud& cloud, Sites& sites) {
    sites.begin.assign(cloud.cells() + 1, 0);
    for (const uint32_t cell : sites.cell) ++sites.begin[cell + 1];
    std::partial_sum(sites.begin.begin(), sites.begin.end(), sites.begin.begin());
    sites.sorted.resize(sites.cell.size());
    std::vector<uint32_t> at(sites.begin.begin(), sites.begin.end() - 1);
    for (uint32_t i = 0; i < sites.cell.size(); ++i) sites.sorted[at[sites.cell[i]]++] = i;
}

/// Adds points of the cloud as sites until none is farther than `distance` from all sites of its sheet. Cells of one
/// colour don't see each other, so that they can be filled at the same time.
void throw_darts(const SurfaceCloud& cloud, Sites& sites, float distance) {
    sort_by_cell(cloud, sites);
    constexpr int colours = 27;
    std::vector<uint32_t> coloured[colours];
    for (uint32_t cell = 0; cell < cloud.cells(); ++cell) {
        const auto& [x, y, z] = cloud.cell_at[cell];
        coloured[x % 3 + 3 * (y % 3) + 9 * (z % 3)].push_back(cell);
    }
    const float reach = distance * distance;
    std::vector<uint32_t> first(cloud.cells(), nobody), next(cloud.position.size(), nobody);
    for (const std::vector<uint32_t>& cells : coloured) {
        tbb::parallel_for(
            tbb::blocked_range<size_t>(0, cells.size(), 16), [&](const tbb::blocked_range<size_t>& range) {
                for (size_t n = range.begin(); n < range.end(); ++n) {
                    const uint32_t cell = cells[n];
                    const uint32_t* around = cloud.neighbour.data() + cloud.neighbour_begin[cell];
                    const uint32_t* around_end = cloud.neighbour.data() + cloud.neighbour_begin[cell + 1];
                    for (uint32_t point = cloud.cell_begin[cell]; point < cloud.cell_begin[cell + 1]; ++point) {
                        const Float3 at = cloud.position[point], normal = cloud.normal(point);
                        bool free = true;
                        for (const uint32_t* other = around; other != around_end && free; ++other) {
                            for (uint32_t dart = first[*other]; dart != nobody && free; dart = next[dart]) {
                                free = square_distance(at, cloud.position[dart]) >= reach ||
                                       !same_sheet(normal, cloud.normal(dart));
                            }
                            for (uint32_t i = sites.begin[*other]; i < sites.begin[*other + 1] && free; ++i) {
                                const uint32_t site = sites.sorted[i];
                                free = square_distance(at, sites.position[site]) >= reach ||
                                       !same_sheet(normal, sites.normal[site]);
                            }
                        }
                        if (!free) continue;
                        next[point] = first[cell];
                        first[cell] = point;
                    }
                }
            });
    }
    for (uint32_t cell = 0; cell < cloud.cells(); ++cell) {
        for (uint32_t dart = first[cell]; dart != nobody; dart = next[dart]) {
            sites.position.push_back(cloud.position[dart]);
            sites.normal.push_back(cloud.normal(dart));
            sites.cell.push_back(cell);
            sites.gain.push_back(0);
        }
    }
}

/// The nearest site of its sheet, for every point of the cloud. Begins with the owners that are known.
void find_owners(const SurfaceCloud& cloud, Sites& sites, std::vector<uint32_t>& owner) {
    sort_by_cell(cloud, sites);
    const uint32_t cells = static_cast<uint32_t>(cloud.cells());
    tbb::parallel_for(tbb::blocked_range<uint32_t>(0, cells, 64), [&](const tbb::blocked_range<uint32_t>& range) {
        std::vector<uint32_t> near;
        std::vector<Float3> position, normal;
        std::vector<float> gain;
        for (uint32_t cell = range.begin(); cell < range.end(); ++cell) {
            near.clear();
            position.clear();
            normal.clear();
            gain.clear();
            for (uint32_t n = cloud.neighbour_begin[cell]; n < cloud.neighbour_begin[cell + 1]; ++n) {
                const uint32_t other = cloud.neighbour[n];
                for (uint32_t i = sites.begin[other]; i < sites.begin[other + 1]; ++i) {
                    near.push_back(sites.sorted[i]);
                    position.push_back(sites.position[sites.sorted[i]]);
                    normal.push_back(sites.normal[sites.sorted[i]]);
                    gain.push_back(sites.gain[sites.sorted[i]]);
                }
            }
            for (uint32_t point = cloud.cell_begin[cell]; point < cloud.cell_begin[cell + 1]; ++point) {
                const Float3 at = cloud.position[point], facing = cloud.normal(point);
                // Seldom does another site come nearer than the last owner: the branch below is then easy to foresee.
                float best = std::numeric_limits<float>::max();
                uint32_t who = owner[point];
                if (who != nobody && same_sheet(facing, sites.normal[who])) {
                    best = square_distance(at, sites.position[who]) - sites.gain[who];
                } else {
                    who = nobody;
                }
                for (size_t i = 0; i < near.size(); ++i) {
                    const float d = square_distance(at, position[i]) - gain[i];
                    if (d < best && same_sheet(facing, normal[i])) {
                        best = d;
                        who = near[i];
                    }
                }
                owner[point] = who;
            }
        }
    });
}

/// Every site moves towards the middle of the points that it owns, and beyond by `stride` - 1 of the way. Positions may
/// leave the surface at edges; only the last step puts them back. `even`: who has less than the others gains.
void relax(const SurfaceCloud& cloud, const std::vector<uint32_t>& owner, Sites& sites, double stride, bool even) {
    struct Sum {
        double weight = 0;
        Vec3 position, normal;
        float nearest = std::numeric_limits<float>::max();
        uint32_t cell = nobody;
    };
    std::vector<Sum> sums(sites.position.size());
    for (uint32_t cell = 0; cell < cloud.cells(); ++cell) {
        for (uint32_t point = cloud.cell_begin[cell]; point < cloud.cell_begin[cell + 1]; ++point) {
            if (owner[point] == nobody) continue;
            Sum& sum = sums[owner[point]];
            const double w = cloud.weight[point];
            sum.weight += w;
            sum.position = sum.position + w * wide(cloud.position[point]);
            sum.normal = sum.normal + w * wide(cloud.normal(point));
            const float d = square_distance(cloud.position[point], sites.position[owner[point]]);
            if (d < sum.nearest) {
                sum.nearest = d;
                sum.cell = cell;
            }
        }
    }
    // Of six neighbours a spacing away, a gain of one m^2 takes about 1.7 m^2; less than the inverse of that is stable.
    // On what is thinner than a spacing areas can't be equal: there gains stay small.
    double total = 0;
    for (const Sum& sum : sums) total += sum.weight;
    const double mean = total / static_cast<double>(sums.size());
    const float most = 0.2f * cloud.spacing * cloud.spacing;
    for (size_t i = 0; i < sums.size(); ++i) {
        const Sum& sum = sums[i];
        sites.gain[i] =
            even ? std::clamp(sites.gain[i] + static_cast<float>(0.3 * (mean - sum.weight)), -most, most) : 0;
        if (!(sum.weight > 0)) continue;
        const Vec3 old = wide(sites.position[i]);
        sites.position[i] = narrow(old + stride * ((1 / sum.weight) * sum.position - old));
        if (length(sum.normal) > 0) sites.normal[i] = narrow(unit(sum.normal));
        sites.cell[i] = sum.cell;
    }
}

/// Points of the cloud by owner, in order: begin has one entry more than there are sites.
struct Owned {
    std::vector<uint32_t> begin, point;
};
Owned points_by_owner(const std::vector<uint32_t>& owner, size_t sites) {
    Owned owned;
    owned.begin.assign(sites + 1, 0);
    for (const uint32_t who : owner) {
        if (who != nobody) ++owned.begin[who + 1];
    }
    std::partial_sum(owned.begin.begin(), owned.begin.end(), owned.begin.begin());
    owned.point.resize(owned.begin[sites]);
    std::vector<uint32_t> at(owned.begin.begin(), owned.begin.end() - 1);
    for (uint32_t point = 0; point < owner.size(); ++point) {
        if (owner[point] != nobody) owned.point[at[owner[point]]++] = point;
    }
    return owned;
}

/// Below the surface by `depth`, or to the middle of what is thinner than twice that; and as far from the faces around
/// the next edge, so that the boundary's corners don't stick out of the geometry's. `depth` becomes what it is there.
Vec3 pushed_inwards(const SurfaceCloud& cloud, uint32_t cell, const Vec3& surface, const Vec3& normal, double& depth) {
    const auto near = [&](auto&& visit) {
        for (uint32_t n = cloud.neighbour_begin[cell]; n < cloud.neighbour_begin[cell + 1]; ++n) {
            const uint32_t other = cloud.neighbour[n];
            for (uint32_t point = cloud.cell_begin[other]; point < cloud.cell_begin[other + 1]; ++point) visit(point);
        }
    };
    const Float3 facing = narrow(normal);
    const double aside = 0.3 * cloud.spacing;  // a little more than between the cloud's points
    near([&](uint32_t point) {
        if (same_sheet(facing, cloud.normal(point))) return;
        const Vec3 other = wide(cloud.normal(point)), to = surface - wide(cloud.position[point]);
        const double thickness = dot(to, other) / dot(normal, other);
        const Vec3 hit = surface - thickness * normal;
        if (thickness > 0 && length(hit - wide(cloud.position[point])) < aside)
            depth = std::min(depth, 0.5 * thickness);
    });
    Vec3 place = surface - depth * normal;
    for (int corner = 0; corner < 4; ++corner) {
        const Float3 here = narrow(place);
        float best = std::numeric_limits<float>::max();
        uint32_t nearest = nobody;
        near([&](uint32_t point) {
            const float d = square_distance(cloud.position[point], here);
            if (d < best && same_sheet(facing, cloud.normal(point))) {
                best = d;
                nearest = point;
            }
        });
        if (nearest == nobody) break;
        const Vec3 face = wide(cloud.normal(nearest));
        const double missing = depth - dot(wide(cloud.position[nearest]) - place, face);
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
    require_memory("surface", facts.area / (double(spacing) * spacing), bytes_per_sample, spacing);
    SampledSurface surface;
    surface.cloud = surface_cloud(mesh, facts, spacing, turned);
    const SurfaceCloud& cloud = surface.cloud;
    SurfaceSamples& samples = surface.samples;
    samples.turned = turned;
    samples.topology = topology_hash(mesh);
    Sites sites;
    std::vector<uint32_t>& owner = surface.owner;
    owner.assign(cloud.position.size(), nobody);
    // One sample for every spacing^2: corners and borders shift the count, so the distance is corrected, within limits
    // that leave no holes where the surface is thinner than a spacing.
    float apart = dart_distance;
    for (int attempt = 0; attempt < 3; ++attempt) {
        sites = {};
        throw_darts(cloud, sites, apart * spacing);
        const double excess = static_cast<double>(sites.position.size()) * spacing * spacing / facts.area;
        if (std::abs(excess - 1) < 0.02) break;
        apart = std::clamp(apart * static_cast<float>(std::sqrt(excess)), 0.75f, 0.9f);
    }
    for (int i = 0; i < relaxations; ++i) {
        find_owners(cloud, sites, owner);
        relax(cloud, owner, sites, i + 2 < relaxations ? long_stride : 1.0, i < even_relaxations);
    }
    throw_darts(cloud, sites, hole_distance * spacing);
    find_owners(cloud, sites, owner);

    // Back onto the mesh: the nearest place on a triangle that one of the site's points lies on.
    const Owned owned = points_by_owner(owner, sites.position.size());
    const size_t count = sites.position.size();
    std::vector<uint32_t> triangle(count, nobody);
    std::vector<Float3> barycentric(count);
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 256), [&](const tbb::blocked_range<size_t>& range) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
            const Vec3 at = wide(sites.position[i]);
            double best = std::numeric_limits<double>::max();
            Vec3 place;
            for (uint32_t n = owned.begin[i]; n < owned.begin[i + 1]; ++n) {
                const uint32_t point = owned.point[n], t = cloud.triangle[point];
                if (t == triangle[i]) continue;
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
            }
            if (triangle[i] == nobody) continue;
            sites.position[i] = narrow(place);
            sites.normal[i] = cloud.triangle_normal[triangle[i]];
        }
    });
    find_owners(cloud, sites, owner);
    sites.area.assign(count, 0);
    for (size_t point = 0; point < owner.size(); ++point) {
        if (owner[point] != nobody) sites.area[owner[point]] += cloud.weight[point];
    }

    std::vector<uint32_t> kept, number(count, nobody);
    for (uint32_t i = 0; i < count; ++i) {
        if (triangle[i] == nobody) continue;
        number[i] = static_cast<uint32_t>(kept.size());
        kept.push_back(i);
    }
    for (uint32_t& who : owner) who = who == nobody ? nobody : number[who];
    surface.depth.resize(kept.size());
    samples.position.resize(kept.size());
    samples.normal.resize(kept.size());
    samples.area.resize(kept.size());
    samples.triangle.resize(kept.size());
    samples.barycentric.resize(kept.size());
    samples.offset.resize(kept.size());
    tbb::parallel_for(tbb::blocked_range<size_t>(0, kept.size(), 64), [&](const tbb::blocked_range<size_t>& range) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
            const uint32_t site = kept[i];
            const Vec3 on = wide(sites.position[site]), normal = wide(sites.normal[site]);
            double depth = wanted_depth;
            const Vec3 place = depth > 0 ? pushed_inwards(cloud, sites.cell[site], on, normal, depth) : on;
            surface.depth[i] = static_cast<float>(depth);
            const TriangleFrame frame = triangle_frame(mesh, triangle[site], samples.turned);
            const Vec3 offset = place - on;
            samples.position[i] = narrow(cloud.low + place);
            samples.normal[i] = sites.normal[site];
            samples.area[i] = static_cast<float>(sites.area[site]);
            samples.triangle[i] = triangle[site];
            samples.barycentric[i] = barycentric[site];
            samples.offset[i] =
                narrow({dot(offset, frame.along), dot(offset, frame.across), dot(offset, frame.normal)});
        }
    });
    return surface;
}

SurfaceSamples sample_surface(const Mesh& mesh, const SurfaceSettings& settings) {
    const MeshFacts facts = examine(mesh);
    const float spacing = settings.spacing;
    require_spacing("surface", spacing, facts);
    if (!(settings.depth <= spacing)) {
        throw Error("surface: the depth must be at most one spacing, not " + std::to_string(settings.depth));
    }
    const double depth = settings.two_sided ? 0 : settings.depth < 0 ? 0.5 * spacing : double(settings.depth);
    const bool turned = facts.closed && facts.volume < 0;
    SurfaceSamples samples = std::move(sampled_surface(mesh, facts, spacing, depth, turned).samples);
    if (facts.degenerate_triangles > 0) {
        samples.warnings.push_back(std::to_string(facts.degenerate_triangles) +
                                   " triangles have no area and were passed over");
    }
    if (turned) samples.warnings.push_back("the mesh is inside out; its normals were turned");
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
