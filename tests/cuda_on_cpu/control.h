#pragma once

// What a test asks of the emulated CUDA runtime: which devices there are, in which order things run, what fails, and
// what was done. Plain types; link a library made by firn_cuda_on_cpu() (cuda_on_cpu.cmake).
//
// The environment sets the start, for programs that know nothing of this header:
//   FIRN_CUDA_ON_CPU="driver=absent devices=1 sm=86 memory=2G sms=20 threads=2 shuffle=7 poison=205 report=1"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace firn::cuda_on_cpu {

enum class Driver {
    present,
    absent,   ///< every call answers cudaErrorInsufficientDriver (35), as the real runtime does
    too_old,  ///< the same, and cudaDriverGetVersion tells an old version
};

struct DeviceDescription {
    std::string name = "CUDA on CPU";
    int major = 7, minor = 5;           ///< compute capability
    std::uint64_t memory = 6ull << 30;  ///< bytes
    int multiprocessors = 30;
};

/// Everything back to the start, as after cudaDeviceReset and more: work in flight is finished, memory freed, counters
/// cleared, faults forgotten, the devices and the order of the environment again.
void reset();

void set_driver(Driver);
void set_devices(const std::vector<DeviceDescription>&);

/// Threads of a block and blocks of a launch run in an order that `seed` gives, on one thread of the CPU.
void run_shuffled(std::uint64_t seed);
/// Threads and blocks run in order, blocks on `threads` threads of the CPU.
void run_in_order(int threads = 2);
/// What fresh memory, shared memory included, is filled with. 0xff makes floats NaN and indices far too large.
void set_poison(unsigned char);
/// After how many seconds without a block that ends a launch counts as hanging; 60 at the start.
void set_patience(double seconds);
/// Counts the 32-byte sectors that each launch touches (KernelWork::sectors_...); several times slower.
void count_sectors(bool);

// Faults. n = 1 is the next one. Each happens once. Errors are cudaError_t.
void fail_allocation(int n, int error = 2);  ///< cudaErrorMemoryAllocation
void fail_launch(int n, int error = 719);    ///< cudaErrorLaunchFailure, found at the next synchronisation
void refuse_launch(int n, int error = 701);  ///< the launch itself answers cudaErrorLaunchOutOfResources
/// After `calls` more calls of the runtime every one answers `error`, for ever: a card that fell off the bus.
void lose_device(int calls, int error = 999);

/// What one kernel did, summed over its threads and launches.
struct KernelWork {
    std::uint64_t launches = 0;
    std::uint64_t threads = 0;
    std::uint64_t block_threads = 0;  ///< of the largest block, not summed
    std::uint64_t instructions = 0;   ///< PTX
    std::uint64_t flops = 0;          ///< float: add, multiply, compare 1, fma 2
    std::uint64_t special = 0;        ///< float: divisions, roots, exponentials ...
    std::uint64_t double_flops = 0;
    std::uint64_t bytes_loaded = 0;  ///< global memory, as the instructions ask for it
    std::uint64_t bytes_stored = 0;
    std::uint64_t shared_bytes = 0;
    std::uint64_t atomics = 0;
    std::uint64_t sectors_loaded = 0;  ///< different ones in each launch, of 32 bytes; see count_sectors
    std::uint64_t sectors_stored = 0;
    double seconds = 0;  ///< of the CPU

    KernelWork& operator+=(const KernelWork&);
};
struct KernelCount {
    std::string name;  ///< mangled
    KernelWork work;
};

struct Counters {
    std::uint64_t calls = 0;           ///< of the runtime, all
    std::uint64_t launches = 0;        ///< kernels that the host launched one by one
    std::uint64_t graph_launches = 0;  ///< graphs that the host launched
    std::uint64_t kernels = 0;         ///< kernels that ran, those inside graphs too
    std::uint64_t synchronisations =
        0;                          ///< times that the host waited, in calls that wait by nature and in pageable copies
    std::uint64_t allocations = 0;  ///< device memory
    std::uint64_t frees = 0;
    std::uint64_t host_allocations = 0;  ///< pinned
    std::uint64_t copies = 0;            ///< of all kinds
    std::uint64_t bytes_to_device = 0;
    std::uint64_t bytes_to_host = 0;
    std::uint64_t bytes_on_device = 0;
    std::uint64_t bytes_set = 0;
    std::uint64_t live_allocations = 0;  ///< now; these three are not cleared
    std::uint64_t live_bytes = 0;
    std::uint64_t peak_bytes = 0;  ///< since the start or the last clear_counters
};

Counters counters();
/// Kernels that ran since the last clear_counters, by name.
std::vector<KernelCount> kernel_counts();
void clear_counters();

/// What the checks found since the last call, one line each: accesses out of bounds, wrong copies, hangs, double frees.
/// Also on stderr when it happens. A program that ends with problems that nobody took, or with leaks, ends with
/// code 97.
std::vector<std::string> take_problems();
/// Device and pinned memory that is still allocated, one line each.
std::vector<std::string> leaks();
/// Leaks at the end of the program are no failure from now on.
void allow_leaks();

}  // namespace firn::cuda_on_cpu
