#include "samples/fill_lattice.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "samples/limits.h"

namespace firn {

namespace {

/// Twice the area of (a, b, p) in the yz plane, as a sign. Exact for floats. A p on the line counts as moved by a
/// symbolic (epsilon, epsilon^2), so that of two triangles at an edge, and of all at a corner, the row crosses one.
int side(const Float3& a, const Float3& b, double y, double z) {
    const double by = double(b.y) - a.y, bz = double(b.z) - a.z;
    const double left = by * (z - a.z), right = bz * (y - a.y);
    if (left != right) return left > right ? 1 : -1;
    if (bz != 0) return bz < 0 ? 1 : -1;
    return by > 0 ? 1 : by < 0 ? -1 : 0;
}

struct Crossing {
    double x;
    int turn;  ///< +1 = into the mesh along +x
    bool operator<(const Crossing& other) const { return x != other.x ? x < other.x : turn < other.turn; }
};

/// Where the lattice's rows along x cross the mesh: sorted by x within each row.
struct Crossings {
    std::vector<uint64_t> begin;  ///< rows + 1
    std::vector<Crossing> crossing;
};

template <class Visit>
void for_each_crossing(const Mesh& mesh, const Lattice& lattice, Visit&& visit) {
    const auto index = [&](double value, double first, int64_t count, bool up) {
        const double i = (value - first) / lattice.spacing;
        return std::clamp<int64_t>(static_cast<int64_t>(up ? std::ceil(i - 1e-3) : std::floor(i + 1e-3)), up ? 0 : -1,
                                   up ? count : count - 1);
    };
    for (const auto& triangle : mesh.triangles) {
        const Float3 &a = mesh.points[triangle[0]], &b = mesh.points[triangle[1]], &c = mesh.points[triangle[2]];
        const int64_t y_begin = index(std::min({a.y, b.y, c.y}), lattice.first.y, lattice.count[1], true),
                      y_end = index(std::max({a.y, b.y, c.y}), lattice.first.y, lattice.count[1], false),
                      z_begin = index(std::min({a.z, b.z, c.z}), lattice.first.z, lattice.count[2], true),
                      z_end = index(std::max({a.z, b.z, c.z}), lattice.first.z, lattice.count[2], false);
        const Vec3 normal = cross(wide(b) - wide(a), wide(c) - wide(a));
        if (normal.x == 0) continue;
        for (int64_t k = z_begin; k <= z_end; ++k) {
            for (int64_t j = y_begin; j <= y_end; ++j) {
                // In float, as the corners are: differences and their products are then exact in double.
                const Float3 row = narrow(lattice.at(0, j, k));
                const int s = side(a, b, row.y, row.z);
                if (s == 0 || side(b, c, row.y, row.z) != s || side(c, a, row.y, row.z) != s) continue;
                const double x = a.x + (normal.y * (double(a.y) - row.y) + normal.z * (double(a.z) - row.z)) / normal.x;
                visit(static_cast<size_t>(k * lattice.count[1] + j), Crossing{x, normal.x < 0 ? 1 : -1});
            }
        }
    }
}

Crossings crossings(const Mesh& mesh, const Lattice& lattice) {
    Crossings all;
    const size_t rows = static_cast<size_t>(lattice.count[1] * lattice.count[2]);
    all.begin.assign(rows + 1, 0);
    for_each_crossing(mesh, lattice, [&](size_t row, const Crossing&) { ++all.begin[row + 1]; });
    std::partial_sum(all.begin.begin(), all.begin.end(), all.begin.begin());
    all.crossing.resize(all.begin[rows]);
    std::vector<uint64_t> at(all.begin.begin(), all.begin.end() - 1);
    for_each_crossing(mesh, lattice, [&](size_t row, const Crossing& c) { all.crossing[at[row]++] = c; });
    tbb::parallel_for(size_t(0), rows, [&](size_t row) {
        std::sort(all.crossing.begin() + static_cast<std::ptrdiff_t>(all.begin[row]),
                  all.crossing.begin() + static_cast<std::ptrdiff_t>(all.begin[row + 1]));
    });
    return all;
}

}  // namespace

Lattice lattice_in(const MeshFacts& facts, float spacing) {
    Lattice lattice;
    lattice.spacing = spacing;
    const double low[3] = {facts.low.x, facts.low.y, facts.low.z}, high[3] = {facts.high.x, facts.high.y, facts.high.z};
    double first[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double size = (high[axis] - low[axis]) / spacing;
        lattice.count[axis] = std::max<int64_t>(1, static_cast<int64_t>(std::llround(std::min(size, 1e15))));
        first[axis] = 0.5 * (low[axis] + high[axis]) - 0.5 * double(lattice.count[axis] - 1) * spacing;
    }
    lattice.first = {first[0], first[1], first[2]};
    return lattice;
}

std::vector<Float3> lattice_inside(const Mesh& mesh, const MeshFacts& facts, const Lattice& lattice, bool inside_out) {
    const int64_t nx = lattice.count[0], ny = lattice.count[1], nz = lattice.count[2];
    std::vector<std::vector<Float3>> slices(static_cast<size_t>(nz));
    if (facts.closed) {
        require_memory("filling: rows of the lattice", double(ny) * double(nz), 16,
                       static_cast<float>(lattice.spacing));
        const Crossings all = crossings(mesh, lattice);
        tbb::parallel_for(int64_t(0), nz, [&](int64_t k) {
            std::vector<Float3>& slice = slices[static_cast<size_t>(k)];
            for (int64_t j = 0; j < ny; ++j) {
                const size_t row = static_cast<size_t>(k * ny + j);
                int winding = 0;
                for (uint64_t n = all.begin[row]; n + 1 < all.begin[row + 1]; ++n) {
                    winding += all.crossing[n].turn;
                    if ((inside_out ? -winding : winding) < 1) continue;
                    const double from = (all.crossing[n].x - lattice.first.x) / lattice.spacing,
                                 to = (all.crossing[n + 1].x - lattice.first.x) / lattice.spacing;
                    for (int64_t i = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(from)));
                         i < nx && double(i) < to; ++i) {
                        slice.push_back(narrow(lattice.at(i, j, k)));
                    }
                }
            }
        });
    } else {
        const Winding winding(mesh);
        tbb::parallel_for(int64_t(0), nz, [&](int64_t k) {
            std::vector<Float3>& slice = slices[static_cast<size_t>(k)];
            for (int64_t j = 0; j < ny; ++j) {
                for (int64_t i = 0; i < nx; ++i) {
                    const Vec3 at = lattice.at(i, j, k);
                    if ((inside_out ? -winding(at) : winding(at)) > 0.5) slice.push_back(narrow(at));
                }
            }
        });
    }
    std::vector<Float3> inside;
    size_t total = 0;
    for (const auto& slice : slices) total += slice.size();
    inside.reserve(total);
    for (const auto& slice : slices) inside.insert(inside.end(), slice.begin(), slice.end());
    return inside;
}

}  // namespace firn
