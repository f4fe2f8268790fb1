#include "launch.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace firn::cuda_on_cpu {
namespace {

struct Registry {
    std::vector<ModuleCode> modules;
    std::map<std::string, std::pair<std::size_t, const KernelCode*>> kernels;
    std::map<std::string, Variable*> variables;
};
Registry& registry() {
    static Registry* const the = new Registry;
    return *the;
}

void initialise(const ModuleCode& module) {
    for (u32 k = 0; k < module.variable_count; ++k) {
        const Variable& v = module.variables[k];
        if (!v.name) continue;
        unsigned char* const to = bytes_at(v.address, v.size ? v.size : 1);
        if (v.initial) {
            std::memcpy(to, v.initial, v.size);
        } else if (v.size) {
            std::memset(to, 0, v.size);
        }
        for (u32 f = 0; f < v.fixup_count; ++f) {
            const u64 address = module.variables[v.fixups[f].variable].address + v.fixups[f].addend;
            std::memcpy(to + v.fixups[f].offset, &address, sizeof address);
        }
    }
}

/// Threads that stay between launches; starting them anew would cost more than most launches.
class Workers {
public:
    ~Workers() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    void run(int count, const std::function<void(int)>& job) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (int(threads_.size()) < count - 1) {
            threads_.emplace_back([this, index = int(threads_.size()) + 1] { serve(index); });
        }
        job_ = &job;
        wanted_ = count;
        open_ = count - 1;
        ++round_;
        lock.unlock();
        wake_.notify_all();
        job(0);
        lock.lock();
        done_.wait(lock, [&] { return open_ == 0; });
    }

private:
    void serve(int index) {
        u64 seen = 0;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return stop_ || round_ != seen; });
            if (stop_) return;
            seen = round_;
            if (index >= wanted_) continue;
            const auto* const job = job_;
            lock.unlock();
            (*job)(index);
            lock.lock();
            if (--open_ == 0) done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> threads_;
    const std::function<void(int)>* job_ = nullptr;
    int wanted_ = 0, open_ = 0;
    u64 round_ = 0;
    bool stop_ = false;
};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct SectorCount {
    std::atomic<u64> loaded{0}, stored{0};
    u32 epoch = 0;
};
SectorCount& sectors() {
    static SectorCount the;
    return the;
}

void touch(u64 address, u32 bytes, Access access) {
    SectorCount& count = sectors();
    auto* const touched = reinterpret_cast<u32*>(touched_base);
    const u32 wanted = access == Access::load ? 1u : access == Access::store ? 2u : 3u;
    const u64 first = (address - arena_base) >> sector_bits, last = (address + bytes - 1 - arena_base) >> sector_bits;
    for (u64 s = first; s <= last; ++s) {
        u32 before = __atomic_load_n(touched + s, __ATOMIC_RELAXED), after;
        do {
            after = (before >> 2) == count.epoch ? before | wanted : (count.epoch << 2 | wanted);
        } while (!__atomic_compare_exchange_n(touched + s, &before, after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
        const u32 old = (before >> 2) == count.epoch ? before & 3 : 0;
        if ((wanted & ~old) & 1) ++count.loaded;
        if ((wanted & ~old) & 2) ++count.stored;
    }
}

/// One thread of the CPU at work on a launch.
class Worker {
public:
    Worker(const LaunchPlan& plan, u64* visits) : plan_(plan), visits_(visits) {}

    /// Takes blocks from `next` until there are none. A block that only looks at memory waits for others: it is put
    /// aside, and the next one started.
    void run(const std::function<bool(u64&)>& next, RunOrder& order, const std::atomic<bool>& cancelled,
             double patience) {
        double last = now();
        for (bool more = true; !cancelled;) {
            if (more && resident_.size() < limit_) {
                u64 index;
                more = next(index);
                if (more) {
                    if (idle_.empty()) idle_.push_back(std::make_unique<BlockScheduler>(plan_, pool(), visits_));
                    resident_.push_back(std::move(idle_.back()));
                    idle_.pop_back();
                    resident_.back()->start(index, order);
                }
            }
            if (resident_.empty()) return;
            bool finished = false;
            for (std::size_t k = 0; k < resident_.size() && !cancelled;) {
                if (resident_[k]->advance(order) == BlockScheduler::Status::finished) {
                    idle_.push_back(std::move(resident_[k]));
                    resident_.erase(resident_.begin() + std::ptrdiff_t(k));
                    finished = true;
                } else {
                    ++k;
                }
            }
            if (finished) {
                last = now();
                limit_ = 1;
                continue;
            }
            std::this_thread::yield();
            if (++limit_ % 64 == 0 && !more && now() - last > patience) {
                throw KernelFault{cudaErrorLaunchTimeout, "every thread waits for memory that nobody writes"};
            }
        }
    }

    static FiberPool& pool() {
        thread_local FiberPool the;
        return the;
    }

private:
    const LaunchPlan& plan_;
    u64* visits_;
    std::size_t limit_ = 1;
    std::vector<std::unique_ptr<BlockScheduler>> resident_, idle_;
};

std::string three(const Dim3& d) {
    char text[64];
    std::snprintf(text, sizeof text, "(%u, %u, %u)", d.x, d.y, d.z);
    return text;
}

}  // namespace

ModuleRegistration::ModuleRegistration(const ModuleCode& module) {
    Registry& r = registry();
    for (u32 k = 0; k < module.variable_count; ++k) {
        Variable& v = module.variables[k];
        if (!v.name) continue;
        v.address = allocate_device(v.size ? v.size : 1, 0, true);
        r.variables[v.name] = &v;
    }
    initialise(module);
    r.modules.push_back(module);
    for (u32 k = 0; k < module.kernel_count; ++k) {
        r.kernels[module.kernels[k].name] = {r.modules.size() - 1, &module.kernels[k]};
    }
}

FoundKernel find_kernel(const std::string& name) {
    Registry& r = registry();
    const auto found = r.kernels.find(name);
    if (found == r.kernels.end()) return {};
    return {found->second.second, &r.modules[found->second.first]};
}

Variable* find_variable(const std::string& name) {
    const auto found = registry().variables.find(name);
    return found == registry().variables.end() ? nullptr : found->second;
}

std::vector<const char*> kernel_names() {
    std::vector<const char*> out;
    for (const auto& [name, kernel] : registry().kernels) out.push_back(kernel.second->name);
    return out;
}

void reset_variables() {
    for (const ModuleCode& module : registry().modules) initialise(module);
}

LaunchOutcome run_launch(const FoundKernel& kernel, const Dim3& grid, const Dim3& block, u32 dynamic_shared,
                         const std::vector<unsigned char>& parameters, const LaunchSettings& settings) {
    static Workers workers;
    const double start = now();
    const u64 blocks = u64(grid.x) * grid.y * grid.z, threads = u64(block.x) * block.y * block.z;
    const LaunchPlan plan{kernel.code,
                          parameters.data(),
                          grid,
                          block,
                          dynamic_shared,
                          settings.multiprocessors,
                          settings.counts_sectors ? 0 : arena_size,
                          settings.poison};
    SectorCount& sector = sectors();
    sector.loaded = sector.stored = 0;
    ++sector.epoch;

    LaunchOutcome outcome;
    std::mutex mutex;
    std::atomic<bool> cancelled{false};
    std::atomic<u64> next{0};
    std::vector<u32> block_order;
    if (settings.shuffled) {
        block_order.resize(blocks);
        RunOrder(settings.seed).fill(block_order, 0, u32(blocks));
    }
    const auto take = [&](u64& index) {
        const u64 n = next++;
        if (n >= blocks) return false;
        index = settings.shuffled ? block_order[n] : n;
        return true;
    };
    // A small launch is done before a second thread is awake.
    const int count =
        settings.shuffled || blocks * threads < 4096 ? 1 : int(std::min<u64>(u64(settings.threads), blocks));
    std::vector<std::vector<u64>> visits(std::size_t(count), std::vector<u64>(kernel.module->cost_count));
    workers.run(count, [&](int index) {
        RunOrder order = settings.shuffled ? RunOrder(settings.seed ^ 0x9e3779b97f4a7c15ull) : RunOrder();
        Worker worker(plan, visits[std::size_t(index)].data());
        try {
            worker.run(take, order, cancelled, settings.patience);
        } catch (const KernelFault& fault) {
            cancelled = true;
            const std::lock_guard<std::mutex> lock(mutex);
            outcome.error = fault.error;
            outcome.message = std::string("kernel ") + kernel.code->name + ": " + fault.message + "; grid " +
                              three(grid) + ", block " + three(block);
        }
    });

    KernelWork& work = outcome.work;
    work.launches = 1;
    work.threads = blocks * threads;
    work.block_threads = threads;
    for (const std::vector<u64>& each : visits) {
        for (u32 r = 0; r < kernel.code->range_count; ++r) {
            const BlockRange range = kernel.code->ranges[r];
            for (u32 k = range.first; k < range.first + range.count; ++k) {
                const u64 n = each[k];
                if (!n) continue;
                const BlockCost& cost = kernel.module->costs[k];
                work.instructions += n * cost.instructions;
                work.flops += n * cost.flops;
                work.special += n * cost.special;
                work.double_flops += n * cost.double_flops;
                work.bytes_loaded += n * cost.loaded;
                work.bytes_stored += n * cost.stored;
                work.shared_bytes += n * cost.shared;
                work.atomics += n * cost.atomics;
            }
        }
    }
    work.sectors_loaded = sector.loaded;
    work.sectors_stored = sector.stored;
    work.seconds = now() - start;
    return outcome;
}

// What translated code calls.

u64 ticks() {
    static std::atomic<u64> count{0};
    return count += 100;  // never the same twice, and the same from run to run
}

namespace {

std::string who(const Thread& t) {
    return "thread " + three(t.tid) + " of block " + three(t.block->ctaid);
}

std::string text_at(const unsigned char* argument) {
    u64 address;
    std::memcpy(&address, argument, sizeof address);
    std::string out;
    for (; out.size() < 500; ++address) {
        const unsigned char* const c = bytes_at(address, 1);
        if (!c || !*c) break;
        out.push_back(char(*c));
    }
    return out;
}

}  // namespace

void bad_access(const Thread& t, const char* space, u64 address, u32 bytes) {
    char text[200];
    const bool aligned = (address & (bytes - 1)) == 0;
    std::snprintf(text, sizeof text, "%s access of %u bytes at %#llx in %s memory", aligned ? "bad" : "misaligned",
                  bytes, static_cast<unsigned long long>(address), space);
    std::string message = text;
    if (std::string(space) == "global") message += ", " + describe_address(address);
    throw KernelFault{aligned ? cudaErrorIllegalAddress : cudaErrorMisalignedAddress, message + ", by " + who(t)};
}

void bad_branch(const Thread& t) {
    throw KernelFault{cudaErrorIllegalInstruction, "a branch past the end of its table, by " + who(t)};
}

void trap(const Thread& t) {
    throw KernelFault{cudaErrorLaunchFailure, "trap, by " + who(t)};
}

void assert_failed(const Thread& t, unsigned char* message, unsigned char* file, unsigned char* line,
                   unsigned char* function, unsigned char*) {
    u32 number;
    std::memcpy(&number, line, sizeof number);
    throw KernelFault{cudaErrorAssert, text_at(file) + ":" + std::to_string(number) + ": " + text_at(function) +
                                           ": assertion " + text_at(message) + " failed, by " + who(t)};
}

unsigned char* in_global_slowly(Thread& t, u64 address, u32 bytes, Access access) {
    const u64 offset = address - arena_base;
    if (offset < arena_size) {
        const bool inside = (offset & ((1u << granule_bits) - 1)) + bytes <= extents()[offset >> granule_bits];
        if (!inside || (offset & (bytes - 1)) != 0) bad_access(t, "global", address, bytes);
        touch(address, bytes, access);
        return reinterpret_cast<unsigned char*>(backing_base + offset);
    }
    unsigned char* const pinned = bytes_at(address, bytes);
    if (!pinned || (address & (bytes - 1)) != 0) bad_access(t, "global", address, bytes);
    return pinned;
}

unsigned char* in_generic_slowly(Thread& t, u64 address, u32 bytes, Access access) {
    if (is_shared(address)) return in_shared(t, u32(address - shared_window), bytes);
    if (is_local(address)) return in_local(t, u32(address - local_window), bytes);
    if (is_param(address)) return in_parameters(t, address - param_window, bytes);
    return in_global_slowly(t, address, bytes, access);
}

}  // namespace firn::cuda_on_cpu
