// The plan of the scratch memory: what lives at the same time never overlaps, and the memory is what the fullest moment
// needs.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#define FIRN_LANES lanes1
#define FIRN_LANE_WIDTH 1
#include "devices/cpu_execution.h"
#include "snow/snow_scratch.h"

namespace {

using firn::ScratchArray;
using firn::ScratchPool;
using firn::WorkspacePlan;
namespace snow = firn::lanes1::snow;

bool same_memory(const WorkspacePlan& plan, const ScratchArray* rows, size_t a, size_t b) {
    return rows[a].pool == rows[b].pool && plan.word[a] < plan.word[b] + rows[b].words &&
           plan.word[b] < plan.word[a] + rows[a].words;
}

bool live_together(const ScratchArray& a, const ScratchArray& b) {
    return a.lifetime.first <= b.lifetime.last && b.lifetime.first <= a.lifetime.last;
}

/// Whether one takes over the other's memory, at once or through others.
bool related(const ScratchArray* rows, size_t a, size_t b) {
    if (a < b) std::swap(a, b);
    for (int at = static_cast<int>(a); at >= 0; at = rows[at].takes_over) {
        if (at == static_cast<int>(b)) return true;
    }
    return false;
}

void expect_sound(const ScratchArray* rows, size_t count) {
    const WorkspacePlan plan = firn::plan_workspace(rows, count, false);
    for (size_t a = 0; a < count; ++a) {
        EXPECT_LE(plan.word[a] + rows[a].words, plan.words[static_cast<size_t>(rows[a].pool)]) << rows[a].name;
        for (size_t b = 0; b < a; ++b) {
            if (!live_together(rows[a], rows[b])) continue;
            EXPECT_TRUE(!same_memory(plan, rows, a, b) || related(rows, a, b)) << rows[a].name << " " << rows[b].name;
        }
        const size_t before = rows[a].takes_over >= 0 ? static_cast<size_t>(rows[a].takes_over) : a;
        EXPECT_EQ(plan.word[a], plan.word[before]);
    }
}

TEST(Workspace, ArraysThatLiveTogetherNeverOverlap) {
    expect_sound(snow::scratch.rows, snow::scratch.count);
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<ScratchArray> rows(1 + random() % 40);
        for (ScratchArray& row : rows) {
            const uint8_t first = static_cast<uint8_t>(random() % 8);
            row = {"row", static_cast<uint8_t>(1 + random() % 12), {first, static_cast<uint8_t>(first + random() % 4)}};
            row.pool = static_cast<ScratchPool>(random() % firn::scratch_pools);
        }
        expect_sound(rows.data(), rows.size());
    }
}

TEST(Workspace, SnowNeedsNoMoreThanItsFullestStage) {
    const WorkspacePlan plan = firn::plan_workspace(snow::scratch.rows, snow::scratch.count, false);
    size_t fullest = 0;
    for (uint8_t stage = 0; stage <= snow::search_stage; ++stage) {
        size_t words = 0;
        for (size_t k = 0; k < snow::scratch.count; ++k) {
            const ScratchArray& row = snow::scratch.rows[k];
            const bool lives = row.lifetime.first <= stage && stage <= row.lifetime.last;
            // A chain of arrays that take each other over counts once.
            const bool counted = row.takes_over >= 0 && snow::scratch.rows[row.takes_over].lifetime.last >= stage;
            if (lives && !counted && row.pool == ScratchPool::main) words += row.words;
        }
        fullest = std::max(fullest, words);
    }
    EXPECT_EQ(plan.words[0], fullest);
}

TEST(Workspace, SeparateArraysShareNothing) {
    const WorkspacePlan plan = firn::plan_workspace(snow::scratch.rows, snow::scratch.count, true);
    for (size_t a = 0; a < snow::scratch.count; ++a) {
        for (size_t b = 0; b < a; ++b) EXPECT_FALSE(same_memory(plan, snow::scratch.rows, a, b));
    }
}

}  // namespace
