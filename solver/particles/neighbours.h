#pragma once

// Neighbour lists: for each particle, the indices of all others within the kernel's support. As many as there are; no
// cap.

#include "particles/grid.h"
#include "particles/kernel.h"

namespace firn::FIRN_LANES {

/// Particles whose lists are interleaved: entry k of all particles of a block lies side by side, so that one load reads
/// one entry for every lane.
constexpr uint32_t list_block = lane_width;

/// Lists of a block are as long as its longest; shorter ones are filled up with a particle that lies out of reach.
struct NeighbourView {
    const uint64_t* end;      ///< of each block's entries
    const uint32_t* entries;  ///< indices of neighbours
    const float* slopes;      ///< W'(r) / r of each entry; null where a device computes it again each time

    struct Row {
        const uint32_t* entry;
        uint32_t length;
        const float* slopes;
        FIRN_HD Index operator[](uint32_t k) const { return {entry + size_t(k) * list_block}; }
        /// W'(r) / r to neighbour k: from memory where that is faster than a root and a division.
        FIRN_HD Real slope(uint32_t k, const CubicSpline& kernel, Real r_squared) const {
            return Execution::keeps_slopes ? load(slopes + size_t(k) * list_block) : kernel.slope(r_squared);
        }
    };
    FIRN_HD Row row(uint32_t i) const {
        const uint32_t block = i / list_block;
        const uint64_t begin = block ? end[block - 1] : 0;
        return {entries + begin + i % list_block, static_cast<uint32_t>((end[block] - begin) / list_block),
                slopes ? slopes + begin + i % list_block : nullptr};
    }
};

/// What to search: one set of particles, through the rows of cells around the searching particle's cell.
struct SearchSet {
    const CellRows* rows;    ///< per cell of the searching particles; null = nothing to search
    const float *x, *y, *z;  ///< the set's sorted positions
    uint32_t offset;         ///< added to the indices found
    bool own;                ///< the searching particles are the set: leave out oneself
};

struct Search {
    const Float4* position;
    const uint32_t* cell_of;
    SearchSet sets[2];
    float support_squared;

    /// Calls found(index) for every neighbour of particle i, in the sets' order.
    template <class Found>
    FIRN_HD void around(uint32_t i, Found&& found) const {
        const Float4 p = position[i];
        const Real px = splat(p.x), py = splat(p.y), pz = splat(p.z), reach = splat(support_squared);
        for (const SearchSet& set : sets) {
            if (!set.rows) continue;
            const CellRows& rows = set.rows[cell_of[i]];
            for (uint32_t row = 0; row < rows.count; ++row) {
                const uint32_t end = rows.end[row];
                for (uint32_t j = rows.begin[row]; j < end; j += lane_width) {
                    const Real dx = px - load_unaligned(set.x + j), dy = py - load_unaligned(set.y + j),
                               dz = pz - load_unaligned(set.z + j);
                    uint32_t bits = mask_bits(both(dx * dx + dy * dy + dz * dz < reach, below(j, end)));
                    if (set.own && i - j < lane_width) bits &= ~(1u << (i - j));
                    found(j + set.offset, bits);
                }
            }
        }
    }
};

struct CountNeighbours {
    Search search;
    uint32_t* count;
    FIRN_HD void operator()(uint32_t i) const {
        uint32_t n = 0;
        search.around(i, [&](uint32_t, uint32_t bits) { n += count_bits(bits); });
        count[i] = n;
    }
};

/// The longest list of each block, times its width: the entries that it takes.
struct BlockEntries {
    const uint32_t* count;
    uint32_t particles;
    uint64_t* entries;
    FIRN_HD void operator()(uint32_t block) const {
        uint32_t longest = 0;
        for (uint32_t i = block * list_block; i < (block + 1) * list_block && i < particles; ++i) {
            longest = count[i] > longest ? count[i] : longest;
        }
        entries[block] = uint64_t(longest) * list_block;
    }
};

struct FillNeighbours {
    Search search;
    NeighbourView lists;
    uint32_t* entries;
    uint32_t particles;
    uint32_t filler;  ///< index of the particle out of reach

    FIRN_HD void operator()(uint32_t i) const {
        const NeighbourView::Row row = lists.row(i);
        uint32_t* to = entries + (row.entry - lists.entries);
        const uint32_t* const end = to + size_t(row.length) * list_block;
        if (i < particles) {
            search.around(i, [&](uint32_t j, uint32_t bits) {
                for (; bits; bits &= bits - 1) {
                    *to = j + lowest_bit(bits);
                    to += list_block;
                }
            });
        }
        for (; to != end; to += list_block) *to = filler;
    }
};

/// W'(r) / r for every entry, once: the solves ask for it dozens of times in a step.
struct KeepSlopes {
    NeighbourView lists;
    const Float4* position;
    CubicSpline kernel;
    float* slopes;
    FIRN_HD void operator()(uint32_t i) const {
        const NeighbourView::Row row = lists.row(i);
        float* to = slopes + (row.entry - lists.entries);
        const Vec3 x = xyz(load4(position + i));
        for (uint32_t k = 0; k < row.length; ++k) {
            const Vec3 d = x - xyz(gather4(position, row[k]));
            store(to + size_t(k) * list_block, kernel.slope(dot(d, d)));
        }
    }
};

/// Builds and owns the lists of one set of particles.
class Neighbours {
public:
    void build(Execution& on, const Search& search, uint32_t particles, uint32_t filler) {
        const uint32_t blocks = (particles + list_block - 1) / list_block;
        count_.resize_generously(particles);
        end_.resize_generously(blocks + 1);
        on.for_each_item(particles, CountNeighbours{search, count_.data()});
        on.for_each_item(blocks, BlockEntries{count_.data(), particles, end_.data()});
        on.scan(end_.data(), blocks);
        total_ = blocks ? on.read(end_.data() + blocks - 1) : 0;
        entries_.resize_generously(total_);
        on.for_each_item(blocks * list_block, FillNeighbours{search, view(), entries_.data(), particles, filler});
    }

    void keep_slopes(Execution& on, const Float4* position, const CubicSpline& kernel, uint32_t particles) {
        if (!Execution::keeps_slopes) return;
        slopes_.resize_generously(total_);
        on.for_each(particles, KeepSlopes{view(), position, kernel, slopes_.data()});
    }

    NeighbourView view() const { return {end_.data(), entries_.data(), slopes_.data()}; }
    /// False if nobody has a neighbour.
    bool any() const { return total_ > 0; }
    const uint32_t* count() const { return count_.data(); }
    size_t bytes() const { return count_.bytes() + end_.bytes() + entries_.bytes() + slopes_.bytes(); }

private:
    uint64_t total_ = 0;
    Buffer<uint32_t> count_, entries_;
    Buffer<uint64_t> end_;
    Buffer<float> slopes_;
};

}  // namespace firn::FIRN_LANES
