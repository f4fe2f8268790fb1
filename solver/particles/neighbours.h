#pragma once

// Neighbour lists: for each particle, the indices of all others within the kernel's support. As many as there are; no
// cap.

#include "particles/grid.h"
#include "particles/kernel.h"

namespace firn::FIRN_LANES {

/// Particles whose lists are interleaved: entry k of all particles of a block lies side by side, so that one load reads
/// one entry for every lane, or one for every thread of a warp.
constexpr uint32_t list_block = Execution::list_block;

/// The place of each particle's list. Lists of a block are as long as its longest; where lanes run in step, shorter
/// ones are filled up with a particle that lies out of reach.
struct ListPlaces {
    const uint64_t* end;    ///< of each block's entries
    const uint32_t* count;  ///< of each particle's neighbours

    struct Place {
        uint64_t first;
        uint32_t length;
    };
    FIRN_HD Place of(uint32_t i) const {
        const uint32_t block = i / list_block;
        const uint64_t begin = block ? end[block - 1] : 0;
        const uint32_t longest = static_cast<uint32_t>((end[block] - begin) / list_block);
        return {begin + i % list_block, list_block > lane_width ? count[i] : longest};
    }
};

struct NeighbourView {
    ListPlaces places;
    const uint32_t* entries;  ///< indices of neighbours
    const float* slopes;      ///< W'(r) / r of each entry; null where a device computes it again each time

    struct Row {
        const uint32_t* entry;
        uint32_t length;
        const float* slopes;
        FIRN_HD Index operator[](uint32_t k) const { return index_at(entry + size_t(k) * list_block); }
        /// W'(r) / r to neighbour k: from memory where that is faster than a root and a division.
        FIRN_HD Real slope(uint32_t k, const CubicSpline& kernel, Real r_squared) const {
            return Execution::keeps_slopes ? load(slopes + size_t(k) * list_block) : kernel.slope(r_squared);
        }
    };
    FIRN_HD Row row(uint32_t i) const {
        const ListPlaces::Place place = places.of(i);
        return {entries + place.first, place.length, slopes ? slopes + place.first : nullptr};
    }
};

/// Where the runs around a cell begin.
struct RunBegins {
    uint32_t begin[sizeof(CellRows::begin) / sizeof(uint32_t)];
};

struct KeepRunBegins {
    const CellRows* rows;
    RunBegins* runs;
    FIRN_HD void operator()(uint32_t cell) const {
        RunBegins& to = runs[cell];
        const CellRows& from = rows[cell];
        for (uint32_t k = 0; k < from.count; ++k) to.begin[k] = from.begin[k];
    }
};

/// Two bytes for each neighbour: in which of the runs around the particle's cell it lies, and where in that run. Runs
/// that are too long for it (particles crowded a hundred times closer than snow) take four bytes, as elsewhere.
struct CompactNeighbourView {
    ListPlaces places;
    const uint16_t* compact;  ///< null = as indices
    const uint32_t* entries;
    const RunBegins* runs;
    const uint32_t* cell_of;

    static constexpr uint32_t place_bits = 11, longest_run = 1u << place_bits;
    FIRN_HD static uint16_t packed(uint32_t run, uint32_t place) {
        return static_cast<uint16_t>(run << place_bits | place);
    }

    struct Row {
        const uint16_t* compact;
        const uint32_t* entry;
        const uint32_t* begin;
        uint32_t length;
        FIRN_HD Index operator[](uint32_t k) const {
            if (!compact) return index_at(entry + size_t(k) * list_block);
            const uint32_t e = compact[size_t(k) * list_block];
            const uint32_t j = begin[e >> place_bits] + (e & (longest_run - 1));
            return index_at(&j);
        }
        FIRN_HD Real slope(uint32_t, const CubicSpline& kernel, Real r_squared) const {
            return kernel.slope(r_squared);
        }
    };
    FIRN_HD Row row(uint32_t i) const {
        const ListPlaces::Place place = places.of(i);
        return {compact ? compact + place.first : nullptr, entries + place.first, runs[cell_of[i]].begin, place.length};
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
    uint32_t cells = 0;  ///< of the searching particles

    /// Calls found(index, which lanes, run, place in the run) for the neighbours of particle i, in the sets' order.
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
                    found(j + set.offset, bits, row, j - rows.begin[row]);
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
        search.around(i, [&](uint32_t, uint32_t bits, uint32_t, uint32_t) { n += count_bits(bits); });
        count[i] = n;
    }
};

/// The same, and notes if a run is too long for a compact list.
struct CountCompactNeighbours {
    Search search;
    uint32_t* count;
    uint64_t* too_long;
    FIRN_HD void operator()(uint32_t i) const {
        uint32_t n = 0, furthest = 0;
        search.around(i, [&](uint32_t, uint32_t bits, uint32_t, uint32_t place) {
            n += count_bits(bits);
            furthest = place > furthest ? place : furthest;
        });
        count[i] = n;
        if (furthest >= CompactNeighbourView::longest_run) *too_long = 1;
    }
};

struct ClearNote {
    uint64_t* note;
    FIRN_HD void operator()() const { *note = 0; }
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
    ListPlaces places;
    uint32_t* entries;
    uint32_t particles;
    uint32_t filler;  ///< index of the particle out of reach

    FIRN_HD void operator()(uint32_t i) const {
        const ListPlaces::Place place = places.of(i);
        if (place.length == 0) return;  // there may be no entries at all
        uint32_t* to = entries + place.first;
        const uint32_t* const end = to + size_t(place.length) * list_block;
        if (i < particles) {
            search.around(i, [&](uint32_t j, uint32_t bits, uint32_t, uint32_t) {
                for (; bits; bits &= bits - 1) {
                    *to = j + lowest_bit(bits);
                    to += list_block;
                }
            });
        }
        for (; to != end; to += list_block) *to = filler;
    }
};

struct FillCompactNeighbours {
    Search search;
    ListPlaces places;
    uint16_t* entries;
    FIRN_HD void operator()(uint32_t i) const {
        uint16_t* to = entries + places.of(i).first;
        search.around(i, [&](uint32_t, uint32_t bits, uint32_t run, uint32_t at) {
            if (!bits) return;
            *to = CompactNeighbourView::packed(run, at);
            to += list_block;
        });
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
        const uint32_t blocks = reserve(particles);
        on.for_each_item(particles, CountNeighbours{search, count_.data()});
        on.for_each_item(blocks, BlockEntries{count_.data(), particles, end_.data()});
        on.scan(end_.data(), blocks);
        total_ = blocks ? on.read(end_.data() + blocks - 1) : 0;
        fill(on, search, particles, filler);
    }

    void keep_slopes(Execution& on, const Float4* position, const CubicSpline& kernel, uint32_t particles) {
        if (!Execution::keeps_slopes) return;
        slopes_.resize_generously(total_);
        on.for_each(particles, KeepSlopes{view(), position, kernel, slopes_.data()});
    }

    NeighbourView view() const { return {places(), entries_.data(), slopes_.data()}; }
    /// False if nobody has a neighbour.
    bool any() const { return total_ > 0; }
    const uint32_t* count() const { return count_.data(); }
    size_t bytes() const { return count_.bytes() + end_.bytes() + entries_.bytes() + slopes_.bytes(); }

protected:
    /// The number of blocks.
    uint32_t reserve(uint32_t particles) {
        const uint32_t blocks = (particles + list_block - 1) / list_block;
        count_.resize_generously(particles);
        end_.resize_generously(blocks + 1);
        return blocks;
    }
    void fill(Execution& on, const Search& search, uint32_t particles, uint32_t filler) {
        entries_.resize_generously(total_);
        // Lanes that run in step read the whole block.
        const uint32_t items =
            list_block > lane_width ? particles : (particles + list_block - 1) / list_block * list_block;
        on.for_each_item(items, FillNeighbours{search, places(), entries_.data(), particles, filler});
    }
    ListPlaces places() const { return {end_.data(), count_.data()}; }

    uint64_t total_ = 0;
    Buffer<uint32_t> count_, entries_;
    Buffer<uint64_t> end_;
    Buffer<float> slopes_;
};

/// Lists of the particles among themselves, for devices that keep them compact.
class CompactNeighbours : public Neighbours {
public:
    void build(Execution& on, const Search& search, uint32_t particles, uint32_t filler) {
        const uint32_t blocks = reserve(particles);
        cell_of_ = search.cell_of;
        runs_.resize_generously(search.cells);
        on.for_each_item(search.cells, KeepRunBegins{search.sets[0].rows, runs_.data()});
        on.once(ClearNote{end_.data() + blocks});
        on.for_each_item(particles, CountCompactNeighbours{search, count_.data(), end_.data() + blocks});
        on.for_each_item(blocks, BlockEntries{count_.data(), particles, end_.data()});
        on.scan(end_.data(), blocks);
        uint64_t found[2] = {0, 0};  // entries, and the note about runs that are too long
        if (blocks) on.copy_out(found, end_.data() + blocks - 1, 2);
        total_ = found[0];
        compact_ = found[1] == 0;
        if (!compact_) return fill(on, search, particles, filler);
        packed_.resize_generously(total_);
        on.for_each_item(particles, FillCompactNeighbours{search, places(), packed_.data()});
    }

    CompactNeighbourView view() const {
        return {places(), compact_ ? packed_.data() : nullptr, entries_.data(), runs_.data(), cell_of_};
    }
    size_t bytes() const { return Neighbours::bytes() + packed_.bytes() + runs_.bytes(); }

private:
    bool compact_ = true;
    const uint32_t* cell_of_ = nullptr;
    Buffer<RunBegins> runs_;
    Buffer<uint16_t> packed_;
};

/// The lists of the snow, as the device likes them.
template <bool Compact>
struct OwnNeighboursOf {
    using Lists = Neighbours;
    using View = NeighbourView;
};
template <>
struct OwnNeighboursOf<true> {
    using Lists = CompactNeighbours;
    using View = CompactNeighbourView;
};
using OwnNeighbours = OwnNeighboursOf<Execution::compact_lists>;

}  // namespace firn::FIRN_LANES
