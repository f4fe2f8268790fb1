#pragma once

// The scratch arrays of a step on a device. What shares memory, and how much there is, follows from the method's table
// (workspace_plan.h). Built with FIRN_SEPARATE_WORKSPACE, every array has memory of its own, which is not a number
// outside its lifetime: a kernel that reads too late or before anybody wrote makes the step fail.

#include "particles/vec.h"
#include "particles/workspace_plan.h"

namespace firn::FIRN_LANES {

#ifdef FIRN_SEPARATE_WORKSPACE
constexpr bool separate_workspace = true;
#else
constexpr bool separate_workspace = false;
#endif

struct FillWords {
    uint32_t* words;
    uint32_t value;
    FIRN_HD void operator()(uint32_t i) const { words[i] = value; }
};

class Workspace {
public:
    Workspace(const ScratchArray* rows, size_t count)
        : rows_(rows), count_(count), plan_(plan_workspace(rows, count, separate_workspace)) {}

    /// Memory for so many particles in the main pool, and in the others once they are there.
    void resize(uint32_t padded) {
        padded_ = padded;
        for (size_t pool = 0; pool < scratch_pools; ++pool) {
            if (pool == 0 || memory_[pool].bytes()) reserve(static_cast<ScratchPool>(pool));
        }
    }
    void release() {
        for (Buffer<uint32_t>& each : memory_) each = Buffer<uint32_t>();
    }
    /// Memory for the arrays of a pool. Throws Error when there is none; what was there stays then.
    void reserve(ScratchPool pool) {
        const size_t k = static_cast<size_t>(pool);
        memory_[k].resize(size_t(plan_.words[k]) * padded_);
    }

    /// An array as records or numbers of four-byte words.
    template <class T>
    T* at(size_t row) const {
        return reinterpret_cast<T*>(words(row));
    }
    /// An array as columns, one after the other.
    Columns columns(size_t row) const { return {at<float>(row), padded_}; }
    size_t bytes_of(size_t row) const { return size_t(rows_[row].words) * padded_ * sizeof(uint32_t); }

    /// The step comes to a stage: arrays that begin there hold nothing yet, those that ended before hold nothing any
    /// more. `count` particles are real.
    void enter(const Execution& on, uint8_t stage, uint32_t count) const {
        for (size_t row = 0; row < count_; ++row) {
            const ScratchArray& array = rows_[row];
            if (!memory_[static_cast<size_t>(array.pool)].bytes()) continue;
            const bool begins = array.lifetime.first == stage && array.lifetime.last != always.last;
            if (separate_workspace && (begins || array.lifetime.last + 1 == stage)) spoil(on, row, count);
            // Short neighbour lists are filled up with the particle behind the last one. What is gathered from there is
            // multiplied by zero, and must be a number.
            const bool own_memory = array.takes_over < 0 || separate_workspace;
            if (begins && Execution::fills_lists && is_records(array) && own_memory) {
                for (size_t word = 0; word < array.words; ++word) words(row)[size_t(array.words) * count + word] = 0;
            }
        }
    }

    size_t bytes() const {
        size_t sum = 0;
        for (const Buffer<uint32_t>& each : memory_) sum += each.bytes();
        return sum;
    }
    size_t bytes_per_particle() const { return plan_.words[0] * sizeof(uint32_t); }

private:
    /// Records of four words lie side by side; everything else is columns.
    static bool is_records(const ScratchArray& array) { return array.words % 4 == 0; }

    void spoil(const Execution& on, size_t row, uint32_t count) const {
        constexpr uint32_t not_a_number = 0x7fc0dead;
        const uint32_t columns = is_records(rows_[row]) ? 1 : rows_[row].words;
        const uint32_t length = is_records(rows_[row]) ? rows_[row].words * count : count;
        for (uint32_t c = 0; c < columns; ++c) {
            on.for_each_item(length, FillWords{words(row) + size_t(c) * padded_, not_a_number});
        }
    }

    uint32_t* words(size_t row) const {
        return memory_[static_cast<size_t>(rows_[row].pool)].data() + size_t(plan_.word[row]) * padded_;
    }

    const ScratchArray* rows_;
    size_t count_;
    WorkspacePlan plan_;
    uint32_t padded_ = 0;
    Buffer<uint32_t> memory_[scratch_pools];
};

}  // namespace firn::FIRN_LANES
