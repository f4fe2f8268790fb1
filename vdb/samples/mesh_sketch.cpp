#include "samples/mesh_sketch.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "firn/error.h"
#include "firn/scattered.h"
#include "samples/vec3.h"

namespace firn {

namespace {

/// A number for a place; -0 is where 0 is.
uint64_t place_number(const Float3& p) {
    const Float3 q{p.x + 0.0f, p.y + 0.0f, p.z + 0.0f};
    uint32_t bits[3];
    std::memcpy(bits, &q, sizeof bits);
    uint64_t h = (uint64_t(bits[0]) << 32 | bits[1]) * 0x9e3779b97f4a7c15ull;
    h = ((h ^ h >> 29) + bits[2]) * 0xbf58476d1ce4e5b9ull;
    return h ^ h >> 32;
}

/// Of the way from one place to the other: with the opposite sign on the way back, so that the sum over a closed
/// surface is 0, and over any other is not, but by a chance of 2^-64.
uint64_t way_number(uint64_t from, uint64_t to) {
    uint64_t h = (from + to) * 0x94d049bb133111ebull ^ (from ^ to);
    h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    return from < to ? h : 0 - h;
}

/// Of some triangles, one after the other.
struct Sums {
    double area = 0, volume = 0;
    Vec3 facing;  ///< m^2
    uint64_t degenerate = 0, ways = 0;
    bool has_edges = false;
    Float3 low, high;
};

/// Of one triangle.
struct Size {
    double area = 0, volume = 0;
};

void add(Sums& sums, const Corners& corners, const Vec3& middle, Size& size) {
    for (const Float3& p : corners) {
        sums.low = {std::min(sums.low.x, p.x), std::min(sums.low.y, p.y), std::min(sums.low.z, p.z)};
        sums.high = {std::max(sums.high.x, p.x), std::max(sums.high.y, p.y), std::max(sums.high.z, p.z)};
    }
    const Vec3 a = wide(corners[0]) - middle, b = wide(corners[1]) - middle, c = wide(corners[2]) - middle;
    const Vec3 twice = cross(b - a, c - a);
    size = {0.5 * length(twice), dot(a, twice) / 6};
    sums.area += size.area;
    sums.volume += size.volume;
    sums.facing = sums.facing + 0.5 * twice;
    if (!(size.area > 0)) ++sums.degenerate;
    const uint64_t at[3] = {place_number(corners[0]), place_number(corners[1]), place_number(corners[2])};
    if (at[0] == at[1] || at[1] == at[2] || at[2] == at[0]) return;
    sums.has_edges = true;
    for (size_t i = 0; i < 3; ++i) sums.ways += way_number(at[i], at[(i + 1) % 3]);
}

}  // namespace

void TriangleDraw::add(const Corners& corners, double area) {
    if (!(area > 0)) return;
    ++seen_;
    area_ += area;
    if (const uint64_t hits = drawn_from(area)) {
        drawn_.push_back({corners, static_cast<float>(step_ > 0 ? double(hits) * step_ : area)});
        if (drawn_.size() >= 2 * most_) thin_out();
    }
}

DrawnTriangles TriangleDraw::drawn() {
    if (drawn_.size() > most_) thin_out();
    double sum = 0;
    for (const Drawn& one : drawn_) sum += one.stands_for;
    const double scale = sum > 0 ? area_ / sum : 1;
    DrawnTriangles some;
    some.mesh.points.reserve(3 * drawn_.size());
    some.mesh.triangles.reserve(drawn_.size());
    some.stands_for.reserve(drawn_.size());
    for (const Drawn& one : drawn_) {
        const uint32_t first = static_cast<uint32_t>(some.mesh.points.size());
        some.mesh.points.insert(some.mesh.points.end(), one.corners.begin(), one.corners.end());
        some.mesh.triangles.push_back({first, first + 1, first + 2});
        some.stands_for.push_back(static_cast<float>(scale * one.stands_for));
    }
    return some;
}

Mesh made_larger(const DrawnTriangles& some, double times) {
    Mesh mesh = some.mesh;
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
        Float3* const corner = &mesh.points[mesh.triangles[t][0]];
        const Vec3 a = wide(corner[0]), b = wide(corner[1]), c = wide(corner[2]);
        const double grown = std::sqrt(times * some.stands_for[t] / (0.5 * length(cross(b - a, c - a))));
        const Vec3 centre = 1.0 / 3 * (a + b + c);
        for (size_t k = 0; k < 3; ++k) corner[k] = narrow(centre + grown * (wide(corner[k]) - centre));
    }
    return mesh;
}

/// How many of the steps' places lie in the next so many square metres.
uint64_t TriangleDraw::drawn_from(double area) {
    if (step_ == 0) return 1;
    sum_ += area;
    uint64_t hits = 0;
    for (; next_ < sum_; ++hits) {
        ++steps_;
        next_ = (double(steps_) + scattered_unit(steps_, 5)) * step_;
    }
    return hits;
}

/// Half of them, by the same rule.
void TriangleDraw::thin_out() {
    double total = 0;
    for (const Drawn& one : drawn_) total += one.stands_for;
    step_ = total / static_cast<double>(most_);
    begin_steps();
    std::vector<Drawn> fewer;
    fewer.reserve(most_ + most_ / 8);
    for (const Drawn& one : drawn_)
        if (const uint64_t hits = drawn_from(one.stands_for))
            fewer.push_back({one.corners, static_cast<float>(double(hits) * step_)});
    drawn_ = std::move(fewer);
    begin_steps();
}

void TriangleDraw::begin_steps() {
    sum_ = 0;
    steps_ = 0;
    next_ = scattered_unit(seen_, 6) * step_;
}

MeshSketch sketch(TriangleSource& source, size_t most_drawn) {
    constexpr size_t part = 4096;
    constexpr float huge = std::numeric_limits<float>::max();
    Sums all;
    all.low = {huge, huge, huge};
    all.high = {-huge, -huge, -huge};
    const Sums none = all;
    MeshSketch sketch;
    TriangleDraw draw(most_drawn);
    Vec3 middle;
    std::vector<Sums> parts;
    std::vector<Size> size;
    const std::optional<Extent> extent = source.extent();
    if (extent) middle = 0.5 * (wide(extent->low) + wide(extent->high));
    double last_volume = 0, volume_error = 0;
    source.for_each([&](const Corners* some, size_t count) {
        // Volumes are measured from a place of the mesh: far from the origin they would drown in rounding.
        if (sketch.triangles == 0 && !extent) middle = wide(some[0][0]);
        sketch.triangles += count;
        parts.assign((count + part - 1) / part, none);
        size.resize(count);
        tbb::parallel_for(size_t(0), parts.size(), [&](size_t k) {
            for (size_t t = k * part; t < std::min(count, (k + 1) * part); ++t) add(parts[k], some[t], middle, size[t]);
        });
        for (const Sums& sums : parts) {
            all.area += sums.area;
            all.volume += sums.volume;
            all.facing = all.facing + sums.facing;
            all.degenerate += sums.degenerate;
            all.ways += sums.ways;
            all.has_edges = all.has_edges || sums.has_edges;
            all.low = {std::min(all.low.x, sums.low.x), std::min(all.low.y, sums.low.y),
                       std::min(all.low.z, sums.low.z)};
            all.high = {std::max(all.high.x, sums.high.x), std::max(all.high.y, sums.high.y),
                        std::max(all.high.z, sums.high.z)};
        }
        for (size_t t = 0; t < count; ++t) {
            draw.add(some[t], size[t].area);
            // What is like the one after it tells more of those between.
            const double change = size[t].volume - last_volume;
            volume_error += 0.5 * change * change;
            last_volume = size[t].volume;
        }
    });
    if (sketch.triangles == 0) return sketch;
    if (!finite(all.low) || !finite(all.high))
        throw Error("mesh: it reaches beyond all numbers; repair it where it was made, or make its scale smaller");
    MeshFacts& facts = sketch.facts;
    facts.closed = all.has_edges && all.ways == 0;
    facts.degenerate_triangles = all.degenerate;
    facts.area = all.area;
    facts.volume = all.volume;
    facts.low = all.low;
    facts.high = all.high;
    sketch.as_they_are = draw.drawn();
    sketch.whole = draw.whole();
    if (const double stand_for = source.each_stands_for(); stand_for > 1) {
        constexpr double one_sided = 0.01;  // of the area
        facts.closed = length(all.facing) < one_sided * all.area;
        facts.degenerate_triangles = 0;
        facts.area *= stand_for;
        facts.volume *= stand_for;
        sketch.volume_error = stand_for * std::sqrt(volume_error);
        sketch.triangles = static_cast<uint64_t>(stand_for * double(sketch.triangles));
        for (float& area : sketch.as_they_are.stands_for) area *= static_cast<float>(stand_for);
        sketch.whole = false;
    }
    if (extent) {
        facts.low = extent->low;
        facts.high = extent->high;
    }
    sketch.drawn = sketch.whole ? sketch.as_they_are.mesh : made_larger(sketch.as_they_are);
    return sketch;
}

}  // namespace firn
