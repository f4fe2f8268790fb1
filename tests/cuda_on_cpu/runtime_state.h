#pragma once

// The state of the emulated CUDA runtime: devices, errors, faults, counters, streams, graphs. Private to the runtime.

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "control.h"
#include "launch.h"

namespace firn::cuda_on_cpu {

struct GraphNode {
    std::string what;           ///< "kernel", "copy", "set", "host"
    std::function<void()> run;  ///< throws RuntimeFault
};

/// An operation that failed while a stream ran it: the context is lost.
struct RuntimeFault {
    cudaError_t error;
};

}  // namespace firn::cuda_on_cpu

struct CUgraph_st {
    std::vector<firn::cuda_on_cpu::GraphNode> nodes;
};
struct CUgraphExec_st {
    std::vector<firn::cuda_on_cpu::GraphNode> nodes;
};

/// Work waits in a stream until somebody waits for it: a host that reads too early sees that nothing has happened yet.
struct CUstream_st {
    struct Operation {
        std::uint64_t ticket;
        std::function<void()> run;
    };
    std::deque<Operation> queue;
    bool blocking = true;  ///< waits for the legacy stream, and it for this one
    int priority = 0;
    std::shared_ptr<CUgraph_st> capture;  ///< not null: operations go there instead
    bool capture_origin = false;
    bool capture_broken = false;
};
struct CUevent_st {
    CUstream_st* stream = nullptr;
    std::uint64_t ticket = 0;  ///< of the last record; 0 = never
    double seconds = 0;
    bool done = true;
    bool timed = true;
    std::shared_ptr<CUgraph_st> capture;
};
struct CUmemPoolHandle_st {
    std::uint64_t threshold = 0;
    std::uint64_t used = 0, used_high = 0;
};

namespace firn::cuda_on_cpu {

struct CallConfiguration {
    dim3 grid, block;
    std::size_t shared;
    cudaStream_t stream;
};

struct Fault {
    int countdown = 0;  ///< 0 = none
    int error = 0;

    /// True on the n-th call.
    bool strikes() { return countdown > 0 && --countdown == 0; }
};

struct RuntimeState {
    RuntimeState();

    std::recursive_mutex mutex;
    Driver driver = Driver::present;
    std::vector<DeviceDescription> devices{1};
    int current = 0;
    LaunchSettings settings;
    bool report = false;

    cudaError_t last = cudaSuccess;
    cudaError_t sticky = cudaSuccess;
    bool lost = false;
    Fault allocation, launch, refusal, loss;

    Counters count;
    std::map<std::string, KernelWork> work;
    std::vector<std::string> problems;
    bool problem_seen = false;  ///< that nobody took
    bool leaks_allowed = false;

    std::uint64_t ticket = 0;
    CUstream_st legacy, per_thread;
    std::set<CUstream_st*> streams;
    std::set<CUevent_st*> events;
    std::set<CUgraphExec_st*> executables;
    std::map<CUgraph_st*, std::shared_ptr<CUgraph_st>> captured;
    CUmemPoolHandle_st default_pool;
    std::set<CUmemPoolHandle_st*> pools;
    struct Live {
        std::size_t bytes;
        CUmemPoolHandle_st* pool;  ///< null: cudaMalloc
    };
    std::map<std::uint64_t, Live> live;  ///< device memory as the calls see it: freed when asked, not when done

    std::map<const void*, std::string> kernel_of, variable_of;
    std::map<std::string, int> shared_limit;  ///< cudaFuncAttributeMaxDynamicSharedMemorySize
};

RuntimeState& state();

/// Notes a problem, on stderr too.
void report_problem(const std::string&);

cudaError_t remembered(cudaError_t);

/// Every call of the runtime goes through here: one at a time, counted, and answered by an error if there is no driver,
/// the device is lost or a kernel has failed.
template <class Body>
cudaError_t entered(Body&& body) {
    RuntimeState& s = state();
    const std::lock_guard<std::recursive_mutex> lock(s.mutex);
    ++s.count.calls;
    if (s.loss.strikes()) {
        s.lost = true;
        s.sticky = static_cast<cudaError_t>(s.loss.error);
    }
    if (s.driver != Driver::present) return remembered(cudaErrorInsufficientDriver);
    if (s.sticky != cudaSuccess) return s.sticky;
    if (s.devices.empty()) return remembered(cudaErrorNoDevice);
    return remembered(body(s));
}

/// The stream behind a handle; null if there is none such.
CUstream_st* find_stream(cudaStream_t);
/// Adds work to a stream, or to the graph that it captures.
void enqueue(CUstream_st&, const char* what, std::function<void()> run);
/// Runs the stream's work up to a ticket, and whatever must come before. The error that the context then has.
cudaError_t drain(CUstream_st&, std::uint64_t ticket = ~0ull);
cudaError_t drain_all();
/// Forgets all work, memory and handles.
void clear_context(bool memory_too);

}  // namespace firn::cuda_on_cpu
