#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "firn/error.h"
#include "firn/mesh.h"
#include "samples/point_welding.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr size_t most_edges = size_t(1) << 22;  ///< in memory at once: 32 MB

/// Counts edges with other than two triangles. `place` names the points: those at one place have one number. Edges are
/// gathered at their lower ends. Large meshes go in slices of the places, so that a look at a mesh takes less memory
/// than the mesh.
void count_edges(const Mesh& mesh, const std::vector<uint32_t>& place, MeshFacts& facts) {
    const size_t slices = 3 * mesh.triangles.size() / most_edges + 1, width = place.size() / slices + 1;
    std::vector<uint64_t> begin, other;
    uint64_t found = 0;
    for (size_t slice = 0; slice < slices; ++slice) {
        const size_t first = slice * width;
        // An edge's other end, and in the last bit which way it is walked.
        const auto for_edges = [&](const auto& visit) {
            for (const auto& triangle : mesh.triangles) {
                const uint32_t corner[3] = {place[triangle[0]], place[triangle[1]], place[triangle[2]]};
                // A triangle that has shrunk to a line or a point joins its neighbours; without it they join each
                // other.
                if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
                for (int i = 0; i < 3; ++i) {
                    const uint32_t from = corner[i], to = corner[(i + 1) % 3];
                    const size_t low = std::min(from, to) - first;  // of lower slices: beyond any width
                    if (low < width) visit(low, uint64_t(std::max(from, to)) << 1 | (from > to));
                }
            }
        };
        begin.assign(width + 2, 0);
        for_edges([&](size_t low, uint64_t) { ++begin[low + 2]; });
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        other.resize(begin.back());
        for_edges([&](size_t low, uint64_t end) { other[begin[low + 1]++] = end; });
        found += other.size();
        tbb::parallel_for(tbb::blocked_range<size_t>(0, width, 4096), [&](const tbb::blocked_range<size_t>& range) {
            for (size_t low = range.begin(); low < range.end(); ++low)
                std::sort(other.data() + begin[low], other.data() + begin[low + 1]);
        });
        for (size_t low = 0; low < width; ++low) {
            for (uint64_t edge = begin[low], next; edge < begin[low + 1]; edge = next) {
                uint64_t downward = 0;
                for (next = edge; next < begin[low + 1] && other[next] >> 1 == other[edge] >> 1; ++next)
                    downward += other[next] & 1;
                if (next - edge == 1)
                    ++facts.open_edges;
                else if (next - edge > 2)
                    ++facts.non_manifold_edges;
                else if (downward != 1)
                    ++facts.turned_edges;
            }
        }
    }
    facts.closed = found > 0 && facts.open_edges == 0 && facts.non_manifold_edges == 0 && facts.turned_edges == 0;
}

std::string in_words(const Float3& p) {
    return "(" + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " + std::to_string(p.z) + ")";
}

}  // namespace

MeshFacts examine(const Mesh& mesh) {
    MeshFacts facts;
    constexpr float huge = std::numeric_limits<float>::max();
    facts.low = {huge, huge, huge};
    facts.high = {-huge, -huge, -huge};
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (const uint32_t corner : mesh.triangles[t]) {
            if (corner >= mesh.points.size()) {
                throw Error("mesh: triangle " + std::to_string(t) + " has corner " + std::to_string(corner) +
                            ", but there are only " + std::to_string(mesh.points.size()) + " points");
            }
            const Float3& p = mesh.points[corner];
            if (!finite(p)) {
                throw Error("mesh: point " + std::to_string(corner) + " is at " + in_words(p) +
                            ", which is no place; repair the mesh where it was made");
            }
            facts.low = {std::min(facts.low.x, p.x), std::min(facts.low.y, p.y), std::min(facts.low.z, p.z)};
            facts.high = {std::max(facts.high.x, p.x), std::max(facts.high.y, p.y), std::max(facts.high.z, p.z)};
        }
    }
    if (mesh.triangles.empty()) {
        facts.low = facts.high = {};
        return facts;
    }

    // Volumes are measured from the middle: far from the origin they would drown in rounding.
    const Vec3 middle = 0.5 * (wide(facts.low) + wide(facts.high));
    for (const auto& triangle : mesh.triangles) {
        const Vec3 a = wide(mesh.points[triangle[0]]) - middle, b = wide(mesh.points[triangle[1]]) - middle,
                   c = wide(mesh.points[triangle[2]]) - middle;
        const Vec3 twice = cross(b - a, c - a);
        const double area = 0.5 * length(twice);
        facts.area += area;
        facts.volume += dot(a, twice) / 6;
        if (!(area > 0)) ++facts.degenerate_triangles;
    }
    count_edges(mesh, first_at_place(mesh.points), facts);
    return facts;
}

}  // namespace firn
