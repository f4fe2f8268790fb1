#include "runtime_state.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

namespace firn::cuda_on_cpu {
namespace {

std::uint64_t size_of(const std::string& text) {
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text.c_str(), &end, 0);
    switch (*end) {
        case 'G':
            return number << 30;
        case 'M':
            return number << 20;
        case 'k':
            return number << 10;
        default:
            return number;
    }
}

/// Devices, order and poison as the environment says.
void apply_environment(RuntimeState& s) {
    s.driver = Driver::present;
    s.settings = LaunchSettings{};
    s.settings.threads = 2;
    DeviceDescription device;
    std::size_t count = 1;
    const char* const text = std::getenv("FIRN_CUDA_ON_CPU");
    std::istringstream words(text ? text : "");
    for (std::string word; words >> word;) {
        const std::size_t at = word.find('=');
        const std::string key = word.substr(0, at), value = at == std::string::npos ? "" : word.substr(at + 1);
        if (key == "driver" && value == "present") {
            s.driver = Driver::present;
        } else if (key == "driver" && value == "absent") {
            s.driver = Driver::absent;
        } else if (key == "driver" && value == "too_old") {
            s.driver = Driver::too_old;
        } else if (key == "devices") {
            count = size_of(value);
        } else if (key == "sm") {
            device.major = int(size_of(value)) / 10;
            device.minor = int(size_of(value)) % 10;
        } else if (key == "memory") {
            device.memory = size_of(value);
        } else if (key == "sms") {
            device.multiprocessors = int(size_of(value));
        } else if (key == "threads") {
            s.settings.threads = std::max(1, int(size_of(value)));
        } else if (key == "shuffle") {
            s.settings.shuffled = true;
            s.settings.seed = size_of(value);
        } else if (key == "poison") {
            s.settings.poison = static_cast<unsigned char>(size_of(value));
        } else if (key == "report") {
            s.report = size_of(value) != 0;
        } else {
            std::fprintf(stderr, "cuda_on_cpu: FIRN_CUDA_ON_CPU: unknown word %s\n", word.c_str());
            std::exit(2);
        }
    }
    s.devices.assign(count, device);
}

std::string describe(const Allocation& a) {
    char text[160];
    std::snprintf(text, sizeof text, "%zu bytes of %s memory at %#llx, allocation %llu", a.bytes,
                  a.host ? "pinned" : "device", static_cast<unsigned long long>(a.address),
                  static_cast<unsigned long long>(a.number));
    return text;
}

void at_exit() {
    RuntimeState& s = state();
    if (s.report) {
        std::fprintf(stderr, "cuda_on_cpu: %llu kernels, %llu launches, %llu graphs, %llu synchronisations\n",
                     static_cast<unsigned long long>(s.count.kernels),
                     static_cast<unsigned long long>(s.count.launches),
                     static_cast<unsigned long long>(s.count.graph_launches),
                     static_cast<unsigned long long>(s.count.synchronisations));
        for (const auto& [name, work] : s.work) {
            std::fprintf(stderr, "  %8llu x %9.4f s  %.140s\n", static_cast<unsigned long long>(work.launches),
                         work.seconds, name.c_str());
        }
    }
    bool bad = s.problem_seen;
    if (!s.leaks_allowed && s.sticky == cudaSuccess && s.driver == Driver::present) {
        for (const std::string& leak : leaks()) {
            std::fprintf(stderr, "cuda_on_cpu: leak: %s\n", leak.c_str());
            bad = true;
        }
    }
    if (!bad) return;
    std::fprintf(stderr, "cuda_on_cpu: the program ends with problems\n");
    std::fflush(nullptr);
    _exit(97);
}

}  // namespace

RuntimeState::RuntimeState() {
    streams = {&legacy, &per_thread};
    pools = {&default_pool};
    apply_environment(*this);
}

RuntimeState& state() {
    static RuntimeState* const the = [] {
        auto* const made = new RuntimeState;  // outlives every destructor that frees
        std::atexit(at_exit);
        return made;
    }();
    return *the;
}

void report_problem(const std::string& text) {
    RuntimeState& s = state();
    std::fprintf(stderr, "cuda_on_cpu: %s\n", text.c_str());
    s.problems.push_back(text);
    s.problem_seen = true;
}

cudaError_t remembered(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) state().last = error;
    return error;
}

CUstream_st* find_stream(cudaStream_t handle) {
    RuntimeState& s = state();
    if (handle == nullptr || handle == cudaStreamLegacy) return &s.legacy;
    if (handle == cudaStreamPerThread) return &s.per_thread;
    return s.streams.count(handle) ? handle : nullptr;
}

void enqueue(CUstream_st& stream, const char* what, std::function<void()> run) {
    RuntimeState& s = state();
    if (stream.capture) {
        stream.capture->nodes.push_back({what, std::move(run)});
        return;
    }
    stream.queue.push_back({++s.ticket, std::move(run)});
    // A card's queue is finite too.
    if (stream.queue.size() > 4096) drain(stream, stream.queue.front().ticket);
}

cudaError_t drain(CUstream_st& stream, std::uint64_t ticket) {
    RuntimeState& s = state();
    while (!stream.queue.empty() && stream.queue.front().ticket <= ticket) {
        const CUstream_st::Operation operation = std::move(stream.queue.front());
        stream.queue.pop_front();
        if (&stream == &s.legacy) {
            for (CUstream_st* other : s.streams) {
                if (other != &stream && other->blocking) drain(*other, operation.ticket - 1);
            }
        } else if (stream.blocking) {
            drain(s.legacy, operation.ticket - 1);
        }
        if (s.sticky != cudaSuccess) continue;  // nothing runs any more
        try {
            operation.run();
        } catch (const RuntimeFault& fault) {
            s.sticky = fault.error;
        }
    }
    return s.sticky;
}

cudaError_t drain_all() {
    RuntimeState& s = state();
    const std::set<CUstream_st*> streams = s.streams;
    for (CUstream_st* stream : streams) drain(*stream);
    return s.sticky;
}

void clear_context(bool memory_too) {
    RuntimeState& s = state();
    for (CUstream_st* stream : s.streams) {
        stream->queue.clear();
        stream->capture.reset();
        if (stream != &s.legacy && stream != &s.per_thread) delete stream;
    }
    s.streams = {&s.legacy, &s.per_thread};
    for (CUevent_st* event : s.events) delete event;
    s.events.clear();
    for (CUgraphExec_st* each : s.executables) delete each;
    s.executables.clear();
    s.captured.clear();
    for (CUmemPoolHandle_st* pool : s.pools) {
        if (pool != &s.default_pool) delete pool;
    }
    s.default_pool = {};
    s.pools = {&s.default_pool};
    s.shared_limit.clear();
    if (memory_too) {
        for (const Allocation& a : live_allocations()) {
            if (a.host) {
                free_host(reinterpret_cast<void*>(a.address));
            } else {
                free_device(a.address, s.settings.poison);
            }
        }
        s.live.clear();
        s.count.live_allocations = s.count.live_bytes = 0;
    }
    reset_variables();
}

// control.h

KernelWork& KernelWork::operator+=(const KernelWork& other) {
    launches += other.launches;
    threads += other.threads;
    block_threads = std::max(block_threads, other.block_threads);
    instructions += other.instructions;
    flops += other.flops;
    special += other.special;
    double_flops += other.double_flops;
    bytes_loaded += other.bytes_loaded;
    bytes_stored += other.bytes_stored;
    shared_bytes += other.shared_bytes;
    atomics += other.atomics;
    sectors_loaded += other.sectors_loaded;
    sectors_stored += other.sectors_stored;
    seconds += other.seconds;
    return *this;
}

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

}  // namespace

void reset() {
    RuntimeState& s = state();
    const Lock lock(s.mutex);
    s.sticky = s.last = cudaSuccess;
    s.lost = false;
    s.allocation = s.launch = s.refusal = s.loss = Fault{};
    drain_all();
    clear_context(true);
    s.sticky = s.last = cudaSuccess;
    s.current = 0;
    s.count = Counters{};
    s.work.clear();
    s.leaks_allowed = false;
    apply_environment(s);
}

void set_driver(Driver driver) {
    const Lock lock(state().mutex);
    state().driver = driver;
}

void set_devices(const std::vector<DeviceDescription>& devices) {
    const Lock lock(state().mutex);
    state().devices = devices;
    state().current = 0;
}

void run_shuffled(std::uint64_t seed) {
    const Lock lock(state().mutex);
    state().settings.shuffled = true;
    state().settings.seed = seed;
}

void run_in_order(int threads) {
    const Lock lock(state().mutex);
    state().settings.shuffled = false;
    state().settings.threads = std::max(1, threads);
}

void set_poison(unsigned char byte) {
    const Lock lock(state().mutex);
    state().settings.poison = byte;
}

void set_patience(double seconds) {
    const Lock lock(state().mutex);
    state().settings.patience = seconds;
}

void count_sectors(bool on) {
    const Lock lock(state().mutex);
    state().settings.counts_sectors = on;
}

void fail_allocation(int n, int error) {
    const Lock lock(state().mutex);
    state().allocation = {n, error};
}

void fail_launch(int n, int error) {
    const Lock lock(state().mutex);
    state().launch = {n, error};
}

void refuse_launch(int n, int error) {
    const Lock lock(state().mutex);
    state().refusal = {n, error};
}

void lose_device(int calls, int error) {
    const Lock lock(state().mutex);
    state().loss = {calls + 1, error};
}

Counters counters() {
    const Lock lock(state().mutex);
    return state().count;
}

std::vector<KernelCount> kernel_counts() {
    const Lock lock(state().mutex);
    std::vector<KernelCount> out;
    for (const auto& [name, work] : state().work) out.push_back({name, work});
    return out;
}

void clear_counters() {
    RuntimeState& s = state();
    const Lock lock(s.mutex);
    Counters fresh;
    fresh.live_allocations = s.count.live_allocations;
    fresh.live_bytes = fresh.peak_bytes = s.count.live_bytes;
    s.count = fresh;
    s.work.clear();
}

std::vector<std::string> take_problems() {
    const Lock lock(state().mutex);
    state().problem_seen = false;
    return std::exchange(state().problems, {});
}

std::vector<std::string> leaks() {
    std::vector<std::string> out;
    for (const Allocation& a : live_allocations()) out.push_back(describe(a));
    return out;
}

void allow_leaks() {
    const Lock lock(state().mutex);
    state().leaks_allowed = true;
}

}  // namespace firn::cuda_on_cpu
