#include "samples/fill_lattice.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

#include "firn/scattered.h"
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

/// Rows of a lattice along x: all of them, or one at a random place in each square of `stride` x `stride`, so that they
/// don't march in step with what the mesh repeats.
struct Rows {
    const Lattice& lattice;
    int64_t stride = 1;
    int64_t y_count, z_count;  ///< squares

    Rows(const Lattice& all, int64_t step)
        : lattice(all),
          stride(step),
          y_count((all.count[1] + step - 1) / step),
          z_count((all.count[2] + step - 1) / step) {}
    size_t count() const { return static_cast<size_t>(y_count * z_count); }
    size_t number(int64_t j, int64_t k) const { return static_cast<size_t>(k * y_count + j); }
    /// One that the last squares have beyond the lattice's end is in no mesh: the squares stay equal.
    Float3 at(int64_t j, int64_t k) const {
        if (stride == 1) return narrow(lattice.at(0, j, k));
        const uint64_t dice = scattered(static_cast<uint64_t>(j), static_cast<uint64_t>(k));
        const auto within = [&](uint64_t roll) { return static_cast<int64_t>(roll % static_cast<uint64_t>(stride)); };
        const int64_t y = j * stride + within(dice), z = k * stride + within(dice >> 32);
        return narrow(lattice.at(0, y, z));
    }
};

/// Where rows cross the triangle.
template <class Visit>
void for_each_crossing(const Float3& a, const Float3& b, const Float3& c, const Rows& rows, Visit&& visit) {
    const Lattice& lattice = rows.lattice;
    const auto index = [&](double value, double first, double step, int64_t count, bool up) {
        const double i = (value - first) / step;
        return std::clamp<int64_t>(static_cast<int64_t>(up ? std::ceil(i - 1e-3) : std::floor(i + 1e-3)), up ? 0 : -1,
                                   up ? count : count - 1);
    };
    // The first and the last square that may hold the row.
    const auto square = [&](int64_t row) { return row < 0 ? -1 : row / rows.stride; };
    const Vec3 &first = lattice.first, &step = lattice.step;
    const int64_t y_begin = index(std::min({a.y, b.y, c.y}), first.y, step.y, lattice.count[1], true),
                  y_end = index(std::max({a.y, b.y, c.y}), first.y, step.y, lattice.count[1], false),
                  z_begin = index(std::min({a.z, b.z, c.z}), first.z, step.z, lattice.count[2], true),
                  z_end = index(std::max({a.z, b.z, c.z}), first.z, step.z, lattice.count[2], false);
    if (y_begin > y_end || z_begin > z_end) return;
    const Vec3 normal = cross(wide(b) - wide(a), wide(c) - wide(a));
    if (normal.x == 0) return;
    for (int64_t k = square(z_begin); k <= square(z_end); ++k) {
        for (int64_t j = square(y_begin); j <= square(y_end); ++j) {
            // In float, as the corners are: differences and their products are then exact in double.
            const Float3 row = rows.at(j, k);
            const int s = side(a, b, row.y, row.z);
            if (s == 0 || side(b, c, row.y, row.z) != s || side(c, a, row.y, row.z) != s) continue;
            const double x = a.x + (normal.y * (double(a.y) - row.y) + normal.z * (double(a.z) - row.z)) / normal.x;
            visit(rows.number(j, k), Crossing{x, normal.x < 0 ? 1 : -1});
        }
    }
}

/// `each` hands every crossing to a visitor, with its row; it is asked twice.
template <class Each>
Crossings sorted_crossings(size_t rows, const Each& each) {
    Crossings all;
    all.begin.assign(rows + 1, 0);
    each([&](size_t row, const Crossing&) { ++all.begin[row + 1]; });
    std::partial_sum(all.begin.begin(), all.begin.end(), all.begin.begin());
    all.crossing.resize(all.begin[rows]);
    std::vector<uint64_t> at(all.begin.begin(), all.begin.end() - 1);
    each([&](size_t row, const Crossing& c) { all.crossing[at[row]++] = c; });
    tbb::parallel_for(size_t(0), rows, [&](size_t row) {
        std::sort(all.crossing.begin() + static_cast<std::ptrdiff_t>(all.begin[row]),
                  all.crossing.begin() + static_cast<std::ptrdiff_t>(all.begin[row + 1]));
    });
    return all;
}

Crossings crossings(const Mesh& mesh, const Rows& chosen) {
    return sorted_crossings(chosen.count(), [&](const auto& visit) {
        for (const auto& [a, b, c] : mesh.triangles)
            for_each_crossing(mesh.points[a], mesh.points[b], mesh.points[c], chosen, visit);
    });
}

/// For rows that are not too many: the triangles are looked at once.
Crossings crossings(TriangleSource& source, const Rows& chosen) {
    std::vector<std::pair<size_t, Crossing>> found;
    source.for_each([&](const Corners* some, size_t count) {
        for (size_t t = 0; t < count; ++t)
            for_each_crossing(some[t][0], some[t][1], some[t][2], chosen, [&](size_t row, const Crossing& crossing) {
                found.push_back({row, crossing});
            });
    });
    return sorted_crossings(chosen.count(), [&](const auto& visit) {
        for (const auto& [row, crossing] : found) visit(row, crossing);
    });
}

/// The parts of a row that are inside: from where to where along x, m.
template <class Visit>
void for_each_part(const Crossings& all, size_t row, bool inside_out, Visit&& visit) {
    int winding = 0;
    for (uint64_t n = all.begin[row]; n + 1 < all.begin[row + 1]; ++n) {
        winding += all.crossing[n].turn;
        if ((inside_out ? -winding : winding) >= 1) visit(all.crossing[n].x, all.crossing[n + 1].x);
    }
}

/// The places of a row that are inside, as runs [begin, end) along x.
template <class Visit>
void for_each_run(const Crossings& all, size_t row, const Lattice& lattice, bool inside_out, Visit&& visit) {
    for_each_part(all, row, inside_out, [&](double from, double to) {
        const auto place = [&](double x) {
            return std::clamp<int64_t>(static_cast<int64_t>(std::ceil((x - lattice.first.x) / lattice.step.x)), 0,
                                       lattice.count[0]);
        };
        const int64_t begin = place(from), end = place(to);
        if (begin < end) visit(begin, end);
    });
}

/// In the bounds, with so many places along each axis.
Lattice fine_lattice(const MeshFacts& facts, const std::array<int64_t, 3>& count) {
    const Vec3 low = wide(facts.low), size = wide(facts.high) - low;
    Lattice fine;
    fine.step = {size.x / double(count[0]), size.y / double(count[1]), size.z / double(count[2])};
    fine.first = low + 0.5 * fine.step;
    std::copy(count.begin(), count.end(), fine.count);
    return fine;
}

}  // namespace

double sheet_distance(double length, double count, double spacing) {
    // A layer of new snow is as dense as all the snow around it looks: where it is much looser or denser than the rest,
    // it would count as flakes or as squeezed.
    constexpr double most = 0.06, rounding = 1e-4;
    const double ratio = length / (count * spacing);
    if (std::abs(ratio - 1) < rounding) return spacing;
    return std::clamp(ratio, 1 - most, 1 + most) * spacing;
}

float worth_of_each(double volume, double particles, double spacing) {
    // Where so little of a body is hit by the lattice, nobody can say what its particles stand for.
    constexpr double most = 4, rounding = 1e-3;
    const double worth = volume / (particles * spacing * spacing * spacing);
    if (!(particles > 0) || !(volume > 0) || std::abs(worth - 1) < rounding) return 1;
    return static_cast<float>(std::clamp(worth, 1 / most, most));
}

Lattice lattice_in(const MeshFacts& facts, float spacing, bool fitted) {
    Lattice lattice;
    lattice.spacing = spacing;
    const double low[3] = {facts.low.x, facts.low.y, facts.low.z}, high[3] = {facts.high.x, facts.high.y, facts.high.z};
    double first[3], step[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double size = (high[axis] - low[axis]) / spacing;
        lattice.count[axis] = std::max<int64_t>(1, static_cast<int64_t>(std::llround(std::min(size, 1e15))));
        step[axis] = fitted ? sheet_distance(high[axis] - low[axis], double(lattice.count[axis]), spacing) : spacing;
        first[axis] = 0.5 * (low[axis] + high[axis]) - 0.5 * double(lattice.count[axis] - 1) * step[axis];
    }
    lattice.first = {first[0], first[1], first[2]};
    lattice.step = {step[0], step[1], step[2]};
    return lattice;
}

std::vector<Float3> lattice_inside(const Mesh& mesh, const MeshFacts& facts, const Lattice& lattice, bool inside_out,
                                   double memory_limit) {
    const int64_t nx = lattice.count[0], ny = lattice.count[1], nz = lattice.count[2];
    std::vector<std::vector<Float3>> slices(static_cast<size_t>(nz));
    if (facts.closed) {
        require_memory("filling: rows of the lattice", double(ny) * double(nz), 16, static_cast<float>(lattice.spacing),
                       memory_limit);
        const Rows rows(lattice, 1);
        const Crossings all = crossings(mesh, rows);
        tbb::parallel_for(int64_t(0), nz, [&](int64_t k) {
            std::vector<Float3>& slice = slices[static_cast<size_t>(k)];
            for (int64_t j = 0; j < ny; ++j) {
                for_each_run(all, rows.number(j, k), lattice, inside_out, [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) slice.push_back(narrow(lattice.at(i, j, k)));
                });
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

double volume_inside(const Mesh& mesh, const MeshFacts& facts, const Lattice& lattice, bool inside_out) {
    const auto& [nx, ny, nz] = lattice.count;
    // By rows that have no thickness and cross the surface wherever it is.
    const int64_t rows_across = std::clamp<int64_t>(8 * std::max(ny, nz), 128, 512);
    constexpr double alike = 0.01;
    if (facts.closed) {
        const Lattice fine = fine_lattice(facts, {1, rows_across, rows_across});
        const Crossings all = crossings(mesh, Rows(fine, 1));
        double length = 0;
        for (size_t row = 0; row + 1 < all.begin.size(); ++row)
            for_each_part(all, row, inside_out, [&](double from, double to) { length += to - from; });
        const double measured = length * fine.step.y * fine.step.z, whole = std::abs(facts.volume);
        return std::abs(measured - whole) < alike * whole ? whole : measured;
    }
    const double places = std::clamp<double>(128.0 * double(nx) * double(ny) * double(nz), 1 << 14, 1 << 17);
    const Vec3 size = wide(facts.high) - wide(facts.low);
    const double apart = std::cbrt(size.x * size.y * size.z / places);
    if (!(apart > 0)) return 0;
    const auto across = [&](double length) { return std::max<int64_t>(1, std::llround(length / apart)); };
    const Lattice fine = fine_lattice(facts, {across(size.x), across(size.y), across(size.z)});
    return fine.cell() * count_inside_open(mesh, fine, inside_out, 4 * places).places;
}

InsideCount count_inside_closed(TriangleSource& source, const Lattice& lattice, bool inside_out) {
    constexpr double most_rows = 1 << 18;
    const double ny = double(lattice.count[1]), nz = double(lattice.count[2]);
    const int64_t stride = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(std::sqrt(ny * nz / most_rows))));
    const Crossings all = crossings(source, Rows(lattice, stride));
    InsideCount count;
    for (size_t row = 0; row + 1 < all.begin.size(); ++row) {
        for_each_run(all, row, lattice, inside_out,
                     [&](int64_t begin, int64_t end) { count.places += double(end - begin); });
    }
    count.places *= double(stride * stride);
    count.exact = stride == 1;
    return count;
}

InsideCount count_inside_open(const Mesh& mesh, const Lattice& lattice, bool inside_out, double most_places) {
    constexpr size_t most_triangles = 1 << 18;  // of the winding number, that are looked at
    const double nx = double(lattice.count[0]), ny = double(lattice.count[1]), nz = double(lattice.count[2]);
    InsideCount count;
    // Place by place: one in each block of the lattice.
    const double share = std::min(1.0, std::cbrt(most_places / (nx * ny * nz)));
    const auto blocks = [&](double places) { return std::max<int64_t>(1, static_cast<int64_t>(places * share)); };
    const int64_t bx = blocks(nx), by = blocks(ny), bz = blocks(nz);
    const uint32_t step = static_cast<uint32_t>((mesh.triangles.size() + most_triangles - 1) / most_triangles);
    const Winding winding(mesh, step);
    std::vector<int64_t> inside(static_cast<size_t>(bz), 0);
    tbb::parallel_for(int64_t(0), bz, [&](int64_t k) {
        const auto place = [&](int64_t block, int64_t n, double places, uint64_t roll) {
            const double begin = std::floor(double(block) * places / double(n)),
                         end = std::floor(double(block + 1) * places / double(n));
            return static_cast<int64_t>(begin + std::floor((end - begin) * double(roll & 0xfffff) / 1048576.0));
        };
        for (int64_t j = 0; j < by; ++j) {
            for (int64_t i = 0; i < bx; ++i) {
                const uint64_t dice =
                    scattered(static_cast<uint64_t>(i), static_cast<uint64_t>(j), static_cast<uint64_t>(k));
                const double turns = winding(
                    lattice.at(place(i, bx, nx, dice), place(j, by, ny, dice >> 20), place(k, bz, nz, dice >> 40)));
                inside[static_cast<size_t>(k)] += (inside_out ? -turns : turns) > 0.5;
            }
        }
    });
    const double hits = double(std::accumulate(inside.begin(), inside.end(), int64_t(0)));
    count.places = hits * (nx / double(bx)) * (ny / double(by)) * (nz / double(bz));
    count.exact = share == 1 && step == 1;
    return count;
}

}  // namespace firn
