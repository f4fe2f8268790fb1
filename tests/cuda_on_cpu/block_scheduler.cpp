#include "block_scheduler.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>

namespace firn::cuda_on_cpu {
namespace {

/// The one that is running on this thread of the CPU; a fresh fiber has no other way to find it.
thread_local BlockScheduler* running = nullptr;

std::string format(const char* text, u32 a, u32 b = 0, u32 c = 0) {
    char out[200];
    std::snprintf(out, sizeof out, text, a, b, c);
    return out;
}

u32 reduce(Reduction kind, u32 a, u32 b) {
    switch (kind) {
        case Reduction::add_u:
            return a + b;
        case Reduction::min_u:
            return std::min(a, b);
        case Reduction::max_u:
            return std::max(a, b);
        case Reduction::min_s:
            return u32(std::min(s32(a), s32(b)));
        case Reduction::max_s:
            return u32(std::max(s32(a), s32(b)));
        case Reduction::and_b:
            return a & b;
        case Reduction::or_b:
            return a | b;
        default:
            return a ^ b;
    }
}

/// PTX ISA, shfl.sync: the lane to read, and whether it lies in the segment; if not, the thread's own.
u32 shuffle_source(Request& r, u32 lane) {
    const u32 by = r.b & 31, clamp = r.c & 31, segment = r.c >> 8 & 31;
    const u32 highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
    s32 from = 0;
    switch (Shuffle(r.kind)) {
        case Shuffle::up:
            from = s32(lane) - s32(by);
            break;
        case Shuffle::down:
            from = s32(lane + by);
            break;
        case Shuffle::bfly:
            from = s32(lane ^ by);
            break;
        case Shuffle::idx:
            from = s32(lowest | (by & ~segment));
            break;
    }
    r.inside = Shuffle(r.kind) == Shuffle::up ? from >= s32(highest) : from <= s32(highest);
    return r.inside ? u32(from) : lane;
}

}  // namespace

void RunOrder::fill(std::vector<u32>& order, u32 first, u32 count) {
    for (u32 k = 0; k < count; ++k) order[first + k] = first + k;
    if (!shuffled_) return;
    for (u32 k = count; k > 1; --k) std::swap(order[first + k - 1], order[first + random_() % k]);
}

BlockScheduler::BlockScheduler(const LaunchPlan& plan, FiberPool& fibers, u64* visits) : plan_(plan), fibers_(fibers) {
    context_.ntid = plan.block;
    context_.nctaid = plan.grid;
    context_.threads = plan.block.x * plan.block.y * plan.block.z;
    context_.multiprocessors = plan.multiprocessors;
    context_.dynamic_shared = (plan.code->shared_size + 15) / 16 * 16;
    context_.dynamic_shared_size = plan.dynamic_shared;
    context_.shared_size = plan.dynamic_shared ? context_.dynamic_shared + plan.dynamic_shared : plan.code->shared_size;
    context_.parameters = plan.parameters;
    context_.parameter_size = plan.code->parameter_size;
    context_.kernel = plan.code->name;
    shared_.resize(context_.shared_size + 256);
    const auto base = reinterpret_cast<std::uintptr_t>(shared_.data());
    context_.shared = shared_.data() + ((base + 255) / 256 * 256 - base);
    const u32 local_stride = (plan.code->local_size + 63) / 64 * 64;
    local_.resize(size_t(local_stride) * context_.threads + 64);
    const auto local_base = reinterpret_cast<std::uintptr_t>(local_.data());
    unsigned char* const local = local_.data() + ((local_base + 63) / 64 * 64 - local_base);
    threads_.resize(context_.threads);
    slots_.resize(context_.threads);
    order_.resize(context_.threads);
    warp_order_.resize((context_.threads + 31) / 32);
    for (u32 i = 0; i < context_.threads; ++i) {
        Thread& t = threads_[i];
        t.tid = {i % plan.block.x, i / plan.block.x % plan.block.y, i / (plan.block.x * plan.block.y)};
        t.index = i;
        t.block = &context_;
        t.local = local + size_t(i) * local_stride;
        t.local_size = plan.code->local_size;
        t.arena_limit = plan.arena_limit;
        t.visits = visits;
        t.scheduler = this;
    }
}

BlockScheduler::~BlockScheduler() {
    for (const Slot& slot : slots_) {
        if (slot.fiber) fibers_.give_back(slot.fiber);
    }
}

void BlockScheduler::start(u64 index, RunOrder& order) {
    const Dim3& grid = plan_.grid;
    context_.ctaid = {u32(index % grid.x), u32(index / grid.x % grid.y), u32(index / (u64(grid.x) * grid.y))};
    std::fill_n(context_.shared, context_.shared_size, plan_.poison);
    for (Thread& t : threads_) t.local_top = t.spins = 0;
    for (Slot& slot : slots_) slot = Slot{};
    std::fill(std::begin(arrived_), std::end(arrived_), 0u);
    exited_ = 0;
    for (u32 w = 0; w < warp_order_.size(); ++w) {
        order.fill(order_, 32 * w, std::min(32u, context_.threads - 32 * w));
    }
}

BlockScheduler::Status BlockScheduler::advance(RunOrder& order) {
    if (!plan_.code->waits) {
        // Nobody waits for anybody: no stacks, no bookkeeping.
        order.fill(warp_order_, 0, u32(warp_order_.size()));
        for (u32 w : warp_order_) {
            const u32 end = std::min(context_.threads, 32 * w + 32);
            for (u32 k = 32 * w; k < end; ++k) plan_.code->run(threads_[order_[k]], plan_.parameters);
        }
        return Status::finished;
    }
    running = this;
    for (Slot& slot : slots_) {
        if (slot.state == State::asleep) slot.state = State::ready;
    }
    for (;;) {
        order.fill(warp_order_, 0, u32(warp_order_.size()));
        bool progress = false;
        for (u32 w : warp_order_) progress |= run_warp(w);
        if (exited_ == context_.threads) return Status::finished;
        if (complete_barriers()) continue;
        if (progress) continue;
        for (const Slot& slot : slots_) {
            if (slot.state == State::asleep) return Status::stalled;
        }
        report_deadlock();
    }
}

/// All that the warp can do by itself.
bool BlockScheduler::run_warp(u32 warp) {
    const u32 first = 32 * warp, end = std::min(context_.threads, first + 32);
    bool progress = false;
    do {
        for (u32 k = first; k < end; ++k) {
            const u32 i = order_[k];
            if (slots_[i].state == State::fresh) {
                fresh_next_ = k;
                fresh_end_ = end;
                resume(i);
                progress = true;
            } else if (slots_[i].state == State::ready) {
                fresh_next_ = fresh_end_ = 0;
                resume(i);
                progress = true;
            }
        }
    } while (complete_warp(warp));
    return progress;
}

void BlockScheduler::resume(u32 index) {
    Slot& slot = slots_[index];
    current_ = index;
    if (!slot.fiber) slot.fiber = fibers_.take(&BlockScheduler::fiber_entry);
    slot.state = State::ready;
    active_ = slot.fiber;
    fiber_done_ = false;
    Fiber* const fiber = active_;
    firn_cuda_on_cpu_switch(&main_stack_, fiber->stack_pointer);
    if (!FiberPool::is_whole(*fiber)) {
        throw KernelFault{cudaErrorLaunchFailure, "a thread used more stack than cuda_on_cpu gives it"};
    }
    if (fiber_done_) fibers_.give_back(fiber);
    if (fault_) throw KernelFault(*fault_);
}

void BlockScheduler::fiber_entry() {
    running->run_fiber();
    std::abort();  // never comes back
}

/// A thread that ends without waiting leaves its stack to the next that has not started.
void BlockScheduler::run_fiber() {
    Fiber* const me = active_;
    for (;;) {
        try {
            plan_.code->run(threads_[current_], plan_.parameters);
        } catch (const KernelFault& fault) {
            fault_ = std::make_unique<KernelFault>(fault);
        }
        slots_[current_].state = State::exited;
        slots_[current_].fiber = nullptr;
        ++exited_;
        if (fault_) break;
        while (fresh_next_ < fresh_end_ && slots_[order_[fresh_next_]].state != State::fresh) ++fresh_next_;
        if (fresh_next_ >= fresh_end_) break;
        current_ = order_[fresh_next_];
        slots_[current_].state = State::ready;
        slots_[current_].fiber = me;
    }
    fiber_done_ = true;
    firn_cuda_on_cpu_switch(&me->stack_pointer, main_stack_);
}

void BlockScheduler::switch_out(Thread& t) {
    firn_cuda_on_cpu_switch(&slots_[t.index].fiber->stack_pointer, main_stack_);
}

void BlockScheduler::sleep(Thread& t) {
    slots_[t.index].state = State::asleep;
    switch_out(t);
}

void BlockScheduler::wait_for_warp(Thread& t) {
    if (!(t.request.mask >> t.lane() & 1)) {
        throw KernelFault{cudaErrorLaunchFailure,
                          format("thread %u is not in the mask %#x that it waits with", t.index, t.request.mask)};
    }
    slots_[t.index].state = State::warp;
    switch_out(t);
}

void BlockScheduler::wait_for_block(Thread& t, u32 id, u32 count) {
    Slot& slot = slots_[t.index];
    if (id > 15) throw KernelFault{cudaErrorLaunchFailure, format("barrier %u: there are 16", id)};
    slot.state = State::barrier;
    slot.barrier = id;
    slot.expected = count;
    switch_out(t);
}

void BlockScheduler::arrive(Thread&, u32 id, u32) {
    if (id > 15) throw KernelFault{cudaErrorLaunchFailure, format("barrier %u: there are 16", id)};
    ++arrived_[id];
}

/// Finishes every operation of the warp for which all have come.
bool BlockScheduler::complete_warp(u32 warp) {
    const u32 first = 32 * warp, count = std::min(context_.threads - first, 32u);
    bool any = false;
    for (u32 k = 0; k < count; ++k) {
        if (slots_[first + k].state != State::warp) continue;
        const Request& mine = threads_[first + k].request;
        // Lanes that the block does not have can't be waited for.
        const u32 members = count < 32 ? mine.mask & ((1u << count) - 1) : mine.mask;
        bool complete = true;
        for (u32 l = 0; l < count && complete; ++l) {
            if (!(members >> l & 1)) continue;
            const Slot& other = slots_[first + l];
            if (other.state == State::exited) {
                throw KernelFault{cudaErrorLaunchFailure,
                                  format("thread %u waits with mask %#x for thread %u, which has ended", first + k,
                                         mine.mask, first + l)};
            }
            complete = other.state == State::warp && threads_[first + l].request.mask == mine.mask;
        }
        if (!complete) continue;
        complete_members(first, members);
        any = true;
    }
    return any;
}

void BlockScheduler::complete_members(u32 first, u32 members) {
    const auto for_members = [&](auto&& action) {
        for (u32 l = 0; l < 32; ++l) {
            if (members >> l & 1) action(l, threads_[first + l].request);
        }
    };
    const Request& leader = threads_[first + u32(__builtin_ctz(members))].request;
    u32 ballot = 0, population = 0;
    u64 reduced = leader.a;
    bool same = true, started = false;
    for_members([&](u32 l, const Request& r) {
        if (r.collective != leader.collective || r.kind != leader.kind) {
            throw KernelFault{cudaErrorLaunchFailure,
                              format("threads %u and %u of a warp wait for each other at different instructions",
                                     first + u32(__builtin_ctz(members)), first + l)};
        }
        if (r.a) ballot |= 1u << l;
        ++population;
        same = same && r.a == leader.a;
        if (started) reduced = reduce(Reduction(r.kind), u32(reduced), u32(r.a));
        started = true;
    });
    u64 shuffled[32];
    for_members([&](u32 l, Request& r) {
        switch (r.collective) {
            case Collective::ballot:
                r.result = ballot;
                break;
            case Collective::any:
                r.result = ballot != 0;
                break;
            case Collective::all:
                r.result = ballot == members;
                break;
            case Collective::uni:
                r.result = ballot == members || ballot == 0;
                break;
            case Collective::match_all:
                r.result = same ? members : 0;
                break;
            case Collective::reduce:
                r.result = reduced;
                break;
            case Collective::match_any: {
                r.result = 0;
                const u64 mine = r.a;
                for_members([&](u32 k, const Request& other) { r.result |= other.a == mine ? 1ull << k : 0; });
                break;
            }
            case Collective::shuffle: {
                const u32 from = shuffle_source(r, l);
                // What a lane that does not take part would give is undefined.
                shuffled[l] = members >> from & 1 ? threads_[first + from].request.a : 0xffffffffu;
                break;
            }
            default:
                break;
        }
        slots_[first + l].state = State::ready;
    });
    if (leader.collective == Collective::shuffle) {
        for_members([&](u32 l, Request& r) { r.result = shuffled[l]; });
    }
}

/// Releases every barrier at which all have come. Threads that have ended are not waited for.
bool BlockScheduler::complete_barriers() {
    bool any = false;
    for (u32 id = 0; id < 16; ++id) {
        u32 waiting = 0, ones = 0, expected = 0;
        for (u32 i = 0; i < context_.threads; ++i) {
            if (slots_[i].state != State::barrier || slots_[i].barrier != id) continue;
            ++waiting;
            ones += threads_[i].request.a != 0;
            expected = slots_[i].expected ? slots_[i].expected : context_.threads - exited_;
        }
        if (!waiting || waiting + arrived_[id] < expected) continue;
        for (u32 i = 0; i < context_.threads; ++i) {
            if (slots_[i].state != State::barrier || slots_[i].barrier != id) continue;
            slots_[i].state = State::ready;
            threads_[i].request.result = ones;
        }
        arrived_[id] = 0;
        any = true;
    }
    return any;
}

void BlockScheduler::report_deadlock() const {
    for (u32 i = 0; i < context_.threads; ++i) {
        if (slots_[i].state == State::warp) {
            throw KernelFault{cudaErrorLaunchTimeout, format("thread %u waits for its warp with mask %#x for ever", i,
                                                             threads_[i].request.mask)};
        }
    }
    for (u32 i = 0; i < context_.threads; ++i) {
        if (slots_[i].state == State::barrier) {
            throw KernelFault{cudaErrorLaunchTimeout,
                              format("thread %u waits at barrier %u for ever", i, slots_[i].barrier)};
        }
    }
    throw KernelFault{cudaErrorLaunchTimeout, "a block that can't go on"};
}

// What translated code calls.

void Thread::sleep() {
    scheduler->sleep(*this);
}

void meet_warp(Thread& t, Collective collective, u8 kind, u32 mask, u64 a, u32 b, u32 c) {
    t.request = {collective, kind, mask, a, b, c, 0, false};
    t.scheduler->wait_for_warp(t);
}

void meet_block(Thread& t, u32 id, u32 count, bool value) {
    t.request.a = value;
    t.scheduler->wait_for_block(t, id, count);
}

void barrier_arrive(Thread& t, u32 id, u32 count) {
    t.scheduler->arrive(t, id, count);
}

}  // namespace firn::cuda_on_cpu
