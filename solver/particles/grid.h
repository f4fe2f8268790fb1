#pragma once

// A sparse grid of cells as wide as the kernel's support. Particles are sorted by cell and, within a cell, by id; only
// cells that hold particles exist, so that a flake a kilometre away costs one cell.

#include "particles/vec.h"

namespace firn::FIRN_LANES {

/// A few bits of one coordinate in a cell's key.
struct KeyField {
    int32_t axis, bits;
};

/// How positions become cell keys. The order of the cells keeps neighbours near in memory however large the scene is:
/// bricks that fit a core's own cache, in pencils along z whose cross-section fits the shared one. Within a brick x
/// runs fastest: cells x - 1 .. x + 1 are one run of particles, but for those that a brick's side cuts in two.
struct CellFrame {
    float inverse_size;  ///< 1 / cell width
    int32_t origin[3];   ///< cell coordinates of the lowest cell, less a margin of one
    int32_t bits[3];     ///< of each coordinate in the key

    static constexpr int32_t field_count = 8;
    /// From the lowest bit: a brick of 32 x 8 x 4 cells, 2 x 4 of them side by side, then along z; then pencil by
    /// pencil.
    FIRN_HD static KeyField field(int32_t k) {
        constexpr KeyField fields[field_count] = {{0, 5}, {1, 3}, {2, 2}, {0, 1}, {1, 2}, {2, 31}, {0, 31}, {1, 31}};
        return fields[k];
    }

    FIRN_HD int32_t coordinate(float x) const {
        // Beyond a million cells float positions have no digits left; clamping keeps order, and so neighbours.
        const float c = ::floorf(x * inverse_size);
        return static_cast<int32_t>(::fminf(::fmaxf(c, -1048574.0f), 1048574.0f));
    }

    /// The share of one coordinate in the key.
    FIRN_HD uint64_t part(int32_t axis, int32_t coordinate) const {
        uint64_t rest = uint32_t(coordinate - origin[axis]), k = 0;
        int32_t left[3] = {bits[0], bits[1], bits[2]}, shift = 0;
        for (int32_t f = 0; f < field_count; ++f) {
            const KeyField at = field(f);
            const int32_t width = at.bits < left[at.axis] ? at.bits : left[at.axis];
            left[at.axis] -= width;
            if (at.axis == axis) {
                k |= (rest & ((uint64_t(1) << width) - 1)) << shift;
                rest >>= width;
            }
            shift += width;
        }
        return k;
    }
    FIRN_HD uint64_t key(int32_t x, int32_t y, int32_t z) const { return part(0, x) | part(1, y) | part(2, z); }
    FIRN_HD void coordinates(uint64_t k, int32_t c[3]) const {
        int32_t left[3] = {bits[0], bits[1], bits[2]}, have[3] = {0, 0, 0};
        for (int axis = 0; axis < 3; ++axis) c[axis] = origin[axis];
        for (int32_t f = 0; f < field_count; ++f) {
            const KeyField at = field(f);
            const int32_t width = at.bits < left[at.axis] ? at.bits : left[at.axis];
            c[at.axis] += int32_t(uint32_t(k & ((uint64_t(1) << width) - 1)) << have[at.axis]);
            have[at.axis] += width;
            left[at.axis] -= width;
            k >>= width;
        }
    }
    /// The last cell of x's brick.
    FIRN_HD int32_t brick_end(int32_t x) const {
        const int32_t width = bits[0] < field(0).bits ? bits[0] : field(0).bits;
        return origin[0] + static_cast<int32_t>(uint32_t(x - origin[0]) | ((1u << width) - 1));
    }
    FIRN_HD bool holds(int axis, int32_t c) const {
        return c >= origin[axis] && c < origin[axis] + (int32_t(1) << bits[axis]);
    }
};

/// The cells of one set of particles that is sorted by them.
struct CellsView {
    CellFrame frame;
    const uint64_t* key;     ///< of each cell, ascending
    const uint32_t* first;   ///< particle of each cell, and one past the last
    uint32_t count;          ///< of cells
    const float *x, *y, *z;  ///< the sorted positions, readable lane_width past the end
};

/// The runs of consecutive particles that hold all neighbours of a cell: its row and the eight around it, each in one
/// run, or in two at a brick's side.
struct CellRows {
    uint32_t count;
    uint32_t begin[18];
    uint32_t end[18];
};

/// The largest x, y, z and -x, -y, -z.
struct Bounds {
    const Float4* position;
    FIRN_HD auto operator()(uint32_t i) const {
        const Vec4 p = load4(position + i);
        return Values<6>{{p.x, p.y, p.z, -p.x, -p.y, -p.z}};
    }
};

/// Keys in the order of the ids, so that a stable sort by cell leaves each cell sorted by id.
struct MakeKeys {
    CellFrame frame;
    const Float4* position;
    const uint32_t* rank;  ///< of each particle's id; null = its index
    uint64_t* key;
    uint32_t* source;
    FIRN_HD void operator()(uint32_t i) const {
        const Float4 p = position[i];
        const uint32_t to = rank ? rank[i] : i;
        key[to] = frame.key(frame.coordinate(p.x), frame.coordinate(p.y), frame.coordinate(p.z));
        source[to] = i;
    }
};

struct MarkCells {
    const uint64_t* key;
    uint32_t* cell;
    FIRN_HD void operator()(uint32_t i) const { cell[i] = i > 0 && key[i] != key[i - 1] ? 1 : 0; }
};

struct ListCells {
    const uint64_t* key;
    const uint32_t* cell;
    uint32_t count;
    uint64_t* cell_key;
    uint32_t* first;
    FIRN_HD void operator()(uint32_t i) const {
        if (i == 0 || cell[i] != cell[i - 1]) {
            cell_key[cell[i]] = key[i];
            first[cell[i]] = i;
        }
        if (i + 1 == count) first[cell[i] + 1] = count;
    }
};

struct SplitPositions {
    const Float4* position;
    float *x, *y, *z;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 p = load4(position + i);
        store(x + i, p.x);
        store(y + i, p.y);
        store(z + i, p.z);
    }
};

/// For every cell of one grid, the runs of particles of another (or the same) grid around it.
struct FindRows {
    CellsView from;
    CellsView to;
    CellRows* rows;

    /// The first cell of `to` in [low, low + size) whose key is not below k.
    FIRN_HD uint32_t lower_bound(uint64_t k, uint32_t low, uint32_t size) const {
        while (size > 0) {
            const uint32_t half = size / 2;
            const bool right = to.key[low + half] < k;
            low = right ? low + half + 1 : low;
            size = right ? size - half - 1 : half;
        }
        return low;
    }

    /// The same among all cells, searched from `near` in growing strides: neighbours are mostly close.
    FIRN_HD uint32_t lower_bound_near(uint64_t k, uint32_t near) const {
        uint32_t stride = 4;
        if (near < to.count && to.key[near] < k) {
            uint32_t low = near;
            while (to.count - low > stride && to.key[low + stride] < k) {
                low += stride;
                stride *= 2;
            }
            return lower_bound(k, low + 1, (to.count - low > stride ? stride : to.count - low) - 1);
        }
        uint32_t high = near;
        while (high > stride && !(to.key[high - stride] < k)) {
            high -= stride;
            stride *= 2;
        }
        const uint32_t low = high > stride ? high - stride + 1 : 0;
        return lower_bound(k, low, high - low);
    }

    FIRN_HD void operator()(uint32_t cell) const {
        int32_t c[3];
        from.frame.coordinates(from.key[cell], c);
        CellRows& r = rows[cell];
        uint32_t runs = 0;
        const bool own = from.key == to.key;
        for (int row = 0; row < 9 && to.count; ++row) {
            const int32_t y = c[1] + row % 3 - 1, z = c[2] + row / 3 - 1;
            if (!to.frame.holds(1, y) || !to.frame.holds(2, z)) continue;
            const int32_t lowest = to.frame.origin[0], highest = lowest + (int32_t(1) << to.frame.bits[0]) - 1;
            int32_t x = c[0] - 1 > lowest ? c[0] - 1 : lowest;
            const int32_t last = c[0] + 1 < highest ? c[0] + 1 : highest;
            while (x <= last) {
                const int32_t brick_end = to.frame.brick_end(x), x_end = brick_end < last ? brick_end : last;
                const uint64_t low = to.frame.key(x, y, z), high = to.frame.key(x_end, y, z);
                uint32_t at = own ? lower_bound_near(low, cell) : lower_bound(low, 0, to.count);
                const uint32_t begin = to.first[at];
                while (at < to.count && to.key[at] <= high) ++at;
                const uint32_t end = to.first[at];
                if (begin < end) {
                    r.begin[runs] = begin;
                    r.end[runs] = end;
                    ++runs;
                }
                x = x_end + 1;
            }
        }
        r.count = runs;
    }
};

/// Builds and owns the cells of one set of particles.
class Cells {
public:
    /// What is needed only while cells are made and searched goes into memory of somebody else's, which holds `padded`
    /// of each: at least 16 more than there are particles.
    void work_in(uint64_t* key, uint32_t* source, float* x, float* y, float* z, uint32_t padded) {
        key_.borrow(key, padded);
        source_.borrow(source, padded);
        x_.borrow(x, padded);
        y_.borrow(y, padded);
        z_.borrow(z, padded);
    }

    /// Finds the order: source()[i] is where the i-th particle of the sorted order is now. The scratch arrays hold one
    /// value for each particle.
    void sort(Execution& on, const Float4* position, const uint32_t* rank, uint32_t count, float cell_width,
              uint64_t* key_scratch, uint32_t* source_scratch) {
        count_ = count;
        frame_ = frame(on, position, count, cell_width);
        key_.resize_generously(count);
        source_.resize_generously(count);
        on.for_each_item(count, MakeKeys{frame_, position, rank, key_.data(), source_.data()});
        on.sort_pairs(key_.data(), source_.data(), key_scratch, source_scratch, count,
                      frame_.bits[0] + frame_.bits[1] + frame_.bits[2]);
    }

    /// Lists the cells, once the positions are in the order that sort() found.
    void list(Execution& on, const Float4* sorted_position) {
        const uint32_t padded = count_ + 2 * lane_width;
        cell_.resize_generously(count_);
        x_.resize_generously(padded);
        y_.resize_generously(padded);
        z_.resize_generously(padded);
        on.for_each_item(count_, MarkCells{key_.data(), cell_.data()});
        on.scan(cell_.data(), count_);
        cell_count_ = count_ ? on.read(cell_.data() + count_ - 1) + 1 : 0;
        cell_key_.resize_generously(cell_count_);
        first_.resize_generously(cell_count_ + 1);
        on.for_each_item(count_, ListCells{key_.data(), cell_.data(), count_, cell_key_.data(), first_.data()});
        on.for_each(count_, SplitPositions{sorted_position, x_.data(), y_.data(), z_.data()});
    }

    CellsView view() const {
        return {frame_, cell_key_.data(), first_.data(), cell_count_, x_.data(), y_.data(), z_.data()};
    }
    const uint32_t* source() const { return source_.data(); }
    const uint32_t* cell_of() const { return cell_.data(); }
    uint32_t cell_count() const { return cell_count_; }
    size_t bytes() const {
        return key_.bytes() + source_.bytes() + cell_.bytes() + x_.bytes() + y_.bytes() + z_.bytes() +
               cell_key_.bytes() + first_.bytes();
    }

private:
    static CellFrame frame(Execution& on, const Float4* position, uint32_t count, float cell_width) {
        CellFrame f{1.0f / cell_width, {0, 0, 0}, {1, 1, 1}};
        if (count == 0) return f;
        double extreme[6];
        on.max_to_host<6>(count, Bounds{position}, extreme);
        for (int axis = 0; axis < 3; ++axis) {
            const int32_t low = f.coordinate(static_cast<float>(-extreme[axis + 3]));
            const int32_t high = f.coordinate(static_cast<float>(extreme[axis]));
            f.origin[axis] = low - 1;
            while ((int64_t(1) << f.bits[axis]) < int64_t(high) - low + 3) ++f.bits[axis];
        }
        return f;
    }

    uint32_t count_ = 0, cell_count_ = 0;
    CellFrame frame_{1, {0, 0, 0}, {1, 1, 1}};
    Buffer<uint64_t> key_, cell_key_;
    Buffer<uint32_t> source_, cell_, first_;
    Buffer<float> x_, y_, z_;
};

}  // namespace firn::FIRN_LANES
