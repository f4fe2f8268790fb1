#pragma once

// Runs the threads of one block: each on a stack of its own from the moment that it first waits, and results of warp
// and block operations made when the last thread has come.

#include <memory>
#include <random>
#include <vector>

#include "fibers.h"
#include "ptx_machine.h"

namespace firn::cuda_on_cpu {

/// In which order threads run, where the card leaves it open.
class RunOrder {
public:
    RunOrder() = default;
    explicit RunOrder(u64 seed) : shuffled_(true), random_(seed) {}
    bool shuffled() const { return shuffled_; }
    void fill(std::vector<u32>& order, u32 first, u32 count);

private:
    bool shuffled_ = false;
    std::mt19937_64 random_;
};

struct LaunchPlan {
    const KernelCode* code;
    const unsigned char* parameters;
    Dim3 grid, block;
    u32 dynamic_shared;
    u32 multiprocessors;
    u64 arena_limit;
    unsigned char poison;
};

class BlockScheduler {
public:
    enum class Status { finished, stalled };

    BlockScheduler(const LaunchPlan&, FiberPool&, u64* visits);
    ~BlockScheduler();  ///< threads that have not ended are forgotten
    BlockScheduler(const BlockScheduler&) = delete;
    BlockScheduler& operator=(const BlockScheduler&) = delete;

    void start(u64 block_index, RunOrder&);
    /// Goes on until the block is finished or every thread that could run only looks at memory again and again. Throws
    /// KernelFault.
    Status advance(RunOrder&);

    // For the threads.
    void wait_for_warp(Thread&);
    void wait_for_block(Thread&, u32 id, u32 count);
    void arrive(Thread&, u32 id, u32 count);
    void sleep(Thread&);

private:
    enum class State : u8 { fresh, ready, warp, barrier, asleep, exited };
    struct Slot {
        State state = State::fresh;
        u32 barrier = 0, expected = 0;
        Fiber* fiber = nullptr;
    };

    static void fiber_entry();
    void run_fiber();
    void resume(u32 index);
    bool run_warp(u32 warp);
    bool complete_warp(u32 warp);
    void complete_members(u32 first, u32 members);
    bool complete_barriers();
    void switch_out(Thread&);
    [[noreturn]] void report_deadlock() const;

    const LaunchPlan& plan_;
    FiberPool& fibers_;
    BlockContext context_;
    std::vector<unsigned char> shared_, local_;
    std::vector<Thread> threads_;
    std::vector<Slot> slots_;
    std::vector<u32> order_, warp_order_;
    u32 arrived_[16] = {};
    u32 exited_ = 0;
    u32 fresh_next_ = 0, fresh_end_ = 0;  // of order_, within the warp that runs
    u32 current_ = 0;
    Fiber* active_ = nullptr;
    bool fiber_done_ = false;
    void* main_stack_ = nullptr;
    std::unique_ptr<KernelFault> fault_;
};

}  // namespace firn::cuda_on_cpu
