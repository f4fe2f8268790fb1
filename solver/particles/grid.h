#pragma once

// A sparse grid of cells as wide as the kernel's support. Particles are sorted by cell and, within a cell, by id; only
// cells that hold particles exist, so that a flake a kilometre away costs one cell.

#include "particles/vec.h"

namespace firn::FIRN_LANES {

/// How positions become cell keys: x runs fastest, and a margin of one cell keeps x +- 1 in the same row of keys.
struct CellFrame {
    float inverse_size;  ///< 1 / cell width
    int32_t origin[3];   ///< cell coordinates of the lowest cell, less the margin
    int32_t bits[3];     ///< of each coordinate in the key

    FIRN_HD int32_t coordinate(float x) const {
        // Beyond a million cells float positions have no digits left; clamping keeps order, and so neighbours.
        const float c = ::floorf(x * inverse_size);
        return static_cast<int32_t>(::fminf(::fmaxf(c, -1048574.0f), 1048574.0f));
    }
    FIRN_HD uint64_t key(int32_t x, int32_t y, int32_t z) const {
        return (uint64_t(uint32_t(z - origin[2])) << (bits[0] + bits[1])) |
               (uint64_t(uint32_t(y - origin[1])) << bits[0]) | uint64_t(uint32_t(x - origin[0]));
    }
    FIRN_HD void coordinates(uint64_t k, int32_t c[3]) const {
        c[0] = origin[0] + static_cast<int32_t>(k & ((uint64_t(1) << bits[0]) - 1));
        c[1] = origin[1] + static_cast<int32_t>((k >> bits[0]) & ((uint64_t(1) << bits[1]) - 1));
        c[2] = origin[2] + static_cast<int32_t>(k >> (bits[0] + bits[1]));
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

/// Up to nine runs of consecutive particles that hold all neighbours of a cell: its row and the eight around it.
struct CellRows {
    uint32_t begin[9];
    uint32_t end[9];
};

/// The largest x, y, z and -x, -y, -z.
struct Bounds {
    const Float4* position;
    FIRN_HD auto operator()(uint32_t i) const {
        const Vec4 p = load4(position + i);
        const Real zero = splat(0.0f);
        return Values<6>{{p.x, p.y, p.z, zero - p.x, zero - p.y, zero - p.z}};
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

    FIRN_HD uint32_t lower_bound(uint64_t k) const {
        uint32_t low = 0, size = to.count;
        while (size > 0) {
            const uint32_t half = size / 2;
            const bool right = to.key[low + half] < k;
            low = right ? low + half + 1 : low;
            size = right ? size - half - 1 : half;
        }
        return low;
    }

    FIRN_HD void operator()(uint32_t cell) const {
        int32_t c[3];
        from.frame.coordinates(from.key[cell], c);
        CellRows r;
        for (int row = 0; row < 9; ++row) {
            const int32_t y = c[1] + row % 3 - 1, z = c[2] + row / 3 - 1;
            r.begin[row] = r.end[row] = 0;
            if (to.count == 0 || !to.frame.holds(1, y) || !to.frame.holds(2, z)) continue;
            const int32_t lowest = to.frame.origin[0], highest = lowest + (int32_t(1) << to.frame.bits[0]) - 1;
            const int32_t x_low = c[0] - 1 > lowest ? c[0] - 1 : lowest;
            const int32_t x_high = c[0] + 1 < highest ? c[0] + 1 : highest;
            if (x_low > x_high) continue;
            const uint64_t low = to.frame.key(x_low, y, z), high = to.frame.key(x_high, y, z);
            uint32_t at = lower_bound(low);
            r.begin[row] = to.first[at];
            while (at < to.count && to.key[at] <= high) ++at;
            r.end[row] = to.first[at];
        }
        rows[cell] = r;
    }
};

/// Builds and owns the cells of one set of particles.
class Cells {
public:
    /// What is needed only while cells are made and searched goes into `memory`, 36 bytes for each of `padded`
    /// particles (at least 32, and more than there are).
    void work_in(void* memory, uint32_t padded) {
        key_.borrow(static_cast<uint64_t*>(memory), padded);
        source_.borrow(reinterpret_cast<uint32_t*>(key_.data() + padded), padded);
        const uint32_t room = padded + 32;
        x_.borrow(reinterpret_cast<float*>(source_.data() + padded), room);
        y_.borrow(x_.data() + room, room);
        z_.borrow(y_.data() + room, room);
    }

    /// Finds the order: source()[i] is where the i-th particle of the sorted order is now.
    /// `scratch` holds 12 bytes per particle.
    void sort(Execution& on, const Float4* position, const uint32_t* rank, uint32_t count, float cell_width,
              void* scratch) {
        count_ = count;
        frame_ = frame(on, position, count, cell_width);
        key_.resize_generously(count);
        source_.resize_generously(count);
        on.for_each_item(count, MakeKeys{frame_, position, rank, key_.data(), source_.data()});
        uint64_t* key_scratch = static_cast<uint64_t*>(scratch);
        on.sort_pairs(key_.data(), source_.data(), key_scratch, reinterpret_cast<uint32_t*>(key_scratch + count), count,
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
