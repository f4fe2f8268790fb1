#pragma once

// Cubic cells of a sparse grid, found by their place.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace firn {

using Cell = std::array<int32_t, 3>;

constexpr int cell_axis_bits = 21;
constexpr int32_t cells_per_axis = 1 << cell_axis_bits;

/// Of places from 0 to cells_per_axis - 1.
inline uint64_t cell_key(const Cell& cell) {
    return uint64_t(cell[2]) << 2 * cell_axis_bits | uint64_t(cell[1]) << cell_axis_bits | uint64_t(cell[0]);
}
inline Cell cell_of(uint64_t key) {
    const uint64_t mask = cells_per_axis - 1;
    return {static_cast<int32_t>(key & mask), static_cast<int32_t>(key >> cell_axis_bits & mask),
            static_cast<int32_t>(key >> 2 * cell_axis_bits & mask)};
}

/// The numbers 0, 1, 2, ... of the keys that it was made from.
class CellTable {
public:
    static constexpr uint32_t none = UINT32_MAX;

    CellTable() = default;
    explicit CellTable(const std::vector<uint64_t>& keys) {
        std::size_t size = 16;
        while (size < 2 * keys.size()) size *= 2;
        table_.assign(size, {0, none});
        for (std::size_t i = 0; i < keys.size(); ++i) {
            std::size_t slot = hash(keys[i]) & (size - 1);
            while (table_[slot].number != none) slot = (slot + 1) & (size - 1);
            table_[slot] = {keys[i], static_cast<uint32_t>(i)};
        }
    }
    uint32_t find(uint64_t key) const {
        const std::size_t mask = table_.size() - 1;
        std::size_t slot = hash(key) & mask;
        while (table_[slot].number != none && table_[slot].key != key) slot = (slot + 1) & mask;
        return table_[slot].number;
    }

private:
    struct Entry {
        uint64_t key;
        uint32_t number;
    };
    static uint64_t hash(uint64_t key) {
        key *= 0x9e3779b97f4a7c15ull;
        return key ^ key >> 32;
    }
    std::vector<Entry> table_;
};

}  // namespace firn
