#pragma once

#include <cstdint>
#include <vector>

#include "samples/cell_table.h"

namespace firn {

/// Things sorted by the cell that they lie in; within a cell they keep their order.
struct CellOrder {
    std::vector<uint64_t> keys;   ///< of the cells that hold something, ascending
    std::vector<uint32_t> begin;  ///< cells + 1
    std::vector<uint32_t> item;   ///< what was where
    CellTable table;              ///< the number of a cell from its key
};
/// `key` has a cell_key() for each thing.
CellOrder order_by_cell(const std::vector<uint64_t>& key);

}  // namespace firn
