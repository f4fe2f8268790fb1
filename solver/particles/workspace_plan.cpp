#include "particles/workspace_plan.h"

#include <algorithm>
#include <vector>

namespace firn {

namespace {

/// Rows that take over each other's memory, as one.
struct Block {
    size_t words, first, last;
    std::vector<size_t> rows;
    size_t word = 0;
};

bool meet(const Block& a, const Block& b) {
    return a.first <= b.last && b.first <= a.last;
}

/// The lowest place where the block meets no other that lives at the same time.
size_t free_place(const Block& block, const std::vector<Block>& placed) {
    size_t word = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (const Block& other : placed) {
            const bool overlaps = word < other.word + other.words && other.word < word + block.words;
            if (!overlaps || !meet(block, other)) continue;
            word = other.word + other.words;
            moved = true;
        }
    }
    return word;
}

}  // namespace

WorkspacePlan plan_workspace(const ScratchArray* rows, size_t count, bool separate) {
    WorkspacePlan plan{};
    for (size_t pool = 0; pool < scratch_pools; ++pool) {
        std::vector<Block> blocks;
        for (size_t k = 0; k < count; ++k) {
            const ScratchArray& row = rows[k];
            if (static_cast<size_t>(row.pool) != pool) continue;
            const auto before = std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) {
                return !separate && row.takes_over >= 0 &&
                       std::count(b.rows.begin(), b.rows.end(), static_cast<size_t>(row.takes_over)) > 0;
            });
            if (before == blocks.end()) {
                blocks.push_back({row.words, row.lifetime.first, row.lifetime.last, {k}});
            } else {
                before->words = std::max<size_t>(before->words, row.words);
                before->first = std::min<size_t>(before->first, row.lifetime.first);
                before->last = std::max<size_t>(before->last, row.lifetime.last);
                before->rows.push_back(k);
            }
        }
        if (separate) {
            for (Block& block : blocks) block.first = 0, block.last = 255;
        }
        // Large ones first, long-lived before short-lived: the small and short ones fit into the gaps.
        std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) {
            return a.words != b.words ? a.words > b.words : a.last - a.first > b.last - b.first;
        });
        std::vector<Block> placed;
        for (Block& block : blocks) {
            block.word = free_place(block, placed);
            for (const size_t row : block.rows) plan.word[row] = static_cast<uint16_t>(block.word);
            plan.words[pool] = static_cast<uint16_t>(std::max<size_t>(plan.words[pool], block.word + block.words));
            placed.push_back(block);
        }
    }
    return plan;
}

}  // namespace firn
