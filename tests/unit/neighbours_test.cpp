// Neighbour lists against brute force in double precision.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "lanes.h"

#include "devices/cpu_execution.h"
#include "particles/neighbours.h"
#include "scenes/scenes.h"

namespace firn::FIRN_LANES::neighbours_test {
namespace {

const float support = 0.04f;
const float cell_width = support * (1.0f + 1.0f / 256.0f);  // as the step has it

using Points = std::vector<Float3>;

struct Random {
    std::mt19937_64 engine{42};
    double operator()(double low, double high) {
        return low + (high - low) * std::generate_canonical<double, 53>(engine);
    }
    Float3 in_box(double low, double high) {
        const double x = (*this)(low, high), y = (*this)(low, high), z = (*this)(low, high);
        return scenes::narrow({x, y, z});
    }
    Points cloud(size_t count, double low, double high) {
        Points p;
        for (size_t i = 0; i < count; ++i) p.push_back(in_box(low, high));
        return p;
    }
};

/// One set of particles, sorted into cells.
struct Sorted {
    Buffer<Float4> position;
    Cells cells;
    uint32_t count;
    std::vector<uint32_t> source;  ///< where the sorted particle was

    Sorted(Execution& on, const Points& points) : count(static_cast<uint32_t>(points.size())) {
        Buffer<Float4> given;
        Buffer<uint64_t> keys;
        Buffer<uint32_t> sources;
        given.resize(points.size() + 32);
        keys.resize(points.size());
        sources.resize(points.size());
        position.resize(points.size() + 32);
        for (size_t i = 0; i < points.size(); ++i) given.data()[i] = {points[i].x, points[i].y, points[i].z, 0};
        cells.sort(on, given.data(), nullptr, count, cell_width, keys.data(), sources.data());
        source.assign(cells.source(), cells.source() + count);
        for (size_t i = 0; i < points.size(); ++i) position.data()[i] = given.data()[source[i]];
        cells.list(on, position.data());
    }
};

/// The lists in the caller's numbering: own[i] of the snow, others[i] of the two boundary sets, the second one's
/// indices behind the first one's.
struct Lists {
    std::vector<std::multiset<uint32_t>> own, others;
    size_t bytes = 0, cells = 0;
};

std::multiset<uint32_t> read(const Neighbours& lists, uint32_t i, uint32_t filler) {
    const uint32_t in_block = i % list_block;
    const auto row = lists.view().row(i - in_block);  // where loads are aligned
    std::multiset<uint32_t> found;
    bool filled = false;
    for (uint32_t k = 0; k < row.length; ++k) {
        const uint32_t j = lane(indices(row[k]), in_block);
        EXPECT_LE(j, filler);
        EXPECT_TRUE(j == filler || !filled) << "a neighbour behind the filling of particle " << i;
        filled |= j == filler;
        if (j != filler) found.insert(j);
    }
    EXPECT_EQ(found.size(), lists.count()[i]);
    return found;
}

Lists search(const Points& snow_points, const Points& still_points = {}, const Points& moving_points = {},
             int threads = 2) {
    Execution on(threads);
    Sorted snow(on, snow_points), still(on, still_points), moving(on, moving_points);
    const float reach = support * support;
    Buffer<CellRows> rows[3];
    const auto find = [&](Buffer<CellRows>& to, const Sorted& target) {
        to.resize(snow.cells.cell_count() + 1);
        on.for_each_item(snow.cells.cell_count(), FindRows{snow.cells.view(), target.cells.view(), to.data()});
        return to.data();
    };
    const auto set = [&](Buffer<CellRows>& to, const Sorted& target, uint32_t offset, bool own) {
        const CellsView v = target.cells.view();
        return SearchSet{find(to, target), v.x, v.y, v.z, offset, own};
    };
    const SearchSet nothing{nullptr, nullptr, nullptr, nullptr, 0, false};
    Neighbours own, others;
    own.build(on, Search{snow.position.data(), snow.cells.cell_of(), {set(rows[0], snow, 0, true), nothing}, reach},
              snow.count, snow.count);
    others.build(on,
                 Search{snow.position.data(),
                        snow.cells.cell_of(),
                        {set(rows[1], still, 0, false), set(rows[2], moving, still.count, false)},
                        reach},
                 snow.count, still.count + moving.count);
    Lists lists;
    lists.own.resize(snow.count);
    lists.others.resize(snow.count);
    for (uint32_t i = 0; i < snow.count; ++i) {
        for (uint32_t j : read(own, i, snow.count)) lists.own[snow.source[i]].insert(snow.source[j]);
        for (uint32_t j : read(others, i, still.count + moving.count)) {
            lists.others[snow.source[i]].insert(j < still.count ? still.source[j]
                                                                : still.count + moving.source[j - still.count]);
        }
    }
    lists.bytes = snow.cells.bytes() + own.bytes() + others.bytes();
    lists.cells = snow.cells.cell_count();
    return lists;
}

/// Every pair clearly inside the support is listed once, none that is clearly outside. Within 1e-5 of the rim rounding
/// of the float distance decides; W is below 1e-14 of its peak there.
void expect_lists(const std::vector<std::multiset<uint32_t>>& lists, const Points& from, const Points& to, bool own) {
    ASSERT_EQ(lists.size(), from.size());
    size_t wrong = 0;
    for (uint32_t i = 0; i < from.size(); ++i) {
        for (uint32_t j : lists[i]) {
            if (lists[i].count(j) != 1 || j >= to.size()) ++wrong;
        }
        for (uint32_t j = 0; j < to.size(); ++j) {
            const scenes::Double3 d = scenes::wide(from[i]) - scenes::wide(to[j]);
            const double r = scenes::length(d) / support;
            const bool listed = lists[i].count(j) > 0;
            if (own && i == j) {
                wrong += listed;
            } else if (r < 1 - 1e-5) {
                wrong += !listed;
            } else if (r > 1 + 1e-5) {
                wrong += listed;
            }
        }
    }
    EXPECT_EQ(wrong, 0u);
}

void expect_brute_force(const Points& snow, const Points& still = {}, const Points& moving = {}) {
    const Lists lists = search(snow, still, moving);
    expect_lists(lists.own, snow, snow, true);
    Points others = still;
    others.insert(others.end(), moving.begin(), moving.end());
    expect_lists(lists.others, snow, others, false);
}

TEST(FIRN_SUITE(Neighbours), RandomClouds) {
    Random random;
    for (const double size : {0.02, 0.1, 0.4}) expect_brute_force(random.cloud(700, -0.3 * size, 0.7 * size));
}

TEST(FIRN_SUITE(Neighbours), EverySmallCount) {
    Random random;
    for (size_t count = 0; count <= 17; ++count) expect_brute_force(random.cloud(count, 0, 0.06));
}

TEST(FIRN_SUITE(Neighbours), AllInOneCell) {
    Random random;
    expect_brute_force(random.cloud(300, 0.001, 0.039));
}

TEST(FIRN_SUITE(Neighbours), CoincidentPoints) {
    Points points(40, Float3{0.1f, -0.2f, 0.3f});
    const Lists lists = search(points);
    for (const auto& list : lists.own) EXPECT_EQ(list.size(), 39u);
    expect_brute_force(points, points, points);
}

TEST(FIRN_SUITE(Neighbours), OnCellFacesAndAcrossTheOrigin) {
    // Multiples of the cell width, of either sign, and the numbers next to them.
    Points points;
    for (int i = -3; i <= 3; ++i)
        for (int j = -3; j <= 3; ++j)
            for (int k = -1; k <= 1; ++k) {
                const Float3 p = {i * cell_width, j * cell_width, k * cell_width};
                points.push_back(p);
                points.push_back({std::nextafterf(p.x, -1e9f), std::nextafterf(p.y, 1e9f), p.z});
                points.push_back({p.x + 0.5f * cell_width, p.y, std::nextafterf(p.z, -1e9f)});
            }
    expect_brute_force(points);
}

TEST(FIRN_SUITE(Neighbours), NegativeCoordinatesOnly) {
    Random random;
    expect_brute_force(random.cloud(500, -5.2, -5.0));
}

TEST(FIRN_SUITE(Neighbours), ALine) {
    Points points;
    for (int i = 0; i < 600; ++i) points.push_back({0.011f * static_cast<float>(i), 0, 0});
    expect_brute_force(points);
    for (Float3& p : points) std::swap(p.x, p.z);
    expect_brute_force(points);
}

TEST(FIRN_SUITE(Neighbours), AcrossTheSidesOfBricks) {
    // Cells are ordered in bricks: clumps where bricks and pencils meet, at multiples of 4 cells over several of each.
    Random random;
    Points points;
    for (int x = 0; x <= 160; x += 32)
        for (int y = 0; y <= 72; y += 8)
            for (int z = 0; z <= 16; z += 4)
                for (int n = 0; n < 6; ++n) {
                    const Float3 d = random.in_box(-1.2 * cell_width, 1.2 * cell_width);
                    points.push_back({static_cast<float>(x) * cell_width + d.x,
                                      static_cast<float>(y) * cell_width + d.y,
                                      static_cast<float>(z) * cell_width + d.z});
                }
    expect_brute_force(points, random.cloud(200, 0, 2), random.cloud(200, 0, 2));
}

TEST(FIRN_SUITE(Neighbours), ThousandsForOneParticle) {
    // A hub with a shell around it: one list is far longer than any other of its block.
    Random random;
    Points points = {{0, 0, 0}};
    while (points.size() < 1500) {
        const scenes::Double3 d = scenes::wide(random.in_box(-1, 1));
        if (scenes::length(d) > 0.1) points.push_back(scenes::narrow((0.9 * support / scenes::length(d)) * d));
    }
    EXPECT_EQ(search(points).own[0].size(), 1499u);
    expect_brute_force(points);
}

TEST(FIRN_SUITE(Neighbours), OneFlakeAKilometreAwayCostsOneCell) {
    Random random;
    Points points = random.cloud(800, 0, 0.3);
    const Lists near = search(points);
    points.push_back({1000, -700, 400});
    const Lists far = search(points);
    expect_lists(far.own, points, points, true);
    EXPECT_EQ(far.cells, near.cells + 1);
    // One particle more, and a block of its own for its list: no more than a few hundred bytes.
    EXPECT_LT(far.bytes, near.bytes + near.bytes / 100 + 1000);
}

TEST(FIRN_SUITE(Neighbours), ACloudAKilometreAway) {
    // A millimetre of float rounding is 6e-5 there: positions are what they are, the lists must still be right.
    Random random;
    expect_brute_force(random.cloud(500, 1000.0, 1000.2));
    expect_brute_force(random.cloud(500, -1000.2, -1000.0));
}

TEST(FIRN_SUITE(Neighbours), OppositeEndsOfTheWorld) {
    // More cells than fit into three coordinates of 21 bits: positions are clamped, nothing overflows.
    Points points;
    for (const float x : {-1e7f, 1e7f})
        for (const float y : {-1e7f, 1e7f})
            for (const float z : {-1e7f, 1e7f}) {
                points.push_back({x, y, z});
                points.push_back({x, y, z});
            }
    points.push_back({0, 0, 0});
    points.push_back({0.01f, 0, 0});
    expect_brute_force(points);
}

TEST(FIRN_SUITE(Neighbours), StillAndMovingBoundary) {
    Random random;
    const Points snow = random.cloud(500, 0, 0.2);
    const Points still = random.cloud(300, -0.1, 0.1), moving = random.cloud(200, 0.15, 0.4);
    expect_brute_force(snow, still, moving);
    expect_brute_force(snow, {}, moving);
    expect_brute_force(snow, still, {});
    expect_brute_force(snow, random.cloud(50, 10, 11), random.cloud(50, -11, -10));  // out of the snow's grid
    expect_brute_force({}, still, moving);
}

TEST(FIRN_SUITE(Neighbours), BoundaryFarAroundTheSnow) {
    // The boundary's grid is larger than the snow's on every side, and the snow's cells lie on its rim.
    Random random;
    Points still = random.cloud(400, -0.5, 0.5);
    for (const float x : {-40.0f, 40.0f}) still.push_back({x, x, -x});
    expect_brute_force(random.cloud(300, -0.05, 0.05), still);
    expect_brute_force({{0.5f, 0.5f, 0.5f}, {-0.5f, 0.5f, -0.5f}}, still);
}

TEST(FIRN_SUITE(Neighbours), TheOrderDoesNotDependOnTheThreads) {
    // More than one chunk of the sort (16384): stable, with ties within cells.
    Random random;
    const Points points = random.cloud(40000, 0, 0.6);
    Execution one(1), four(4);
    const Sorted a(one, points), b(four, points);
    EXPECT_EQ(a.source, b.source);
    ASSERT_EQ(a.cells.cell_count(), b.cells.cell_count());
    // Sorted by cell, and by index within a cell.
    size_t wrong = 0;
    for (uint32_t i = 1; i < a.count; ++i) {
        const uint32_t c0 = a.cells.cell_of()[i - 1], c1 = a.cells.cell_of()[i];
        wrong += !(c0 < c1 || (c0 == c1 && a.source[i - 1] < a.source[i]));
    }
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace firn::FIRN_LANES::neighbours_test
