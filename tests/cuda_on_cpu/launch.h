#pragma once

// Runs a whole launch: blocks one after another in a shuffled order, or in order on several threads of the CPU.

#include <string>
#include <vector>

#include "block_scheduler.h"
#include "control.h"

namespace firn::cuda_on_cpu {

/// A kernel of some module, by the name that the host's objects register; null if there is none.
struct FoundKernel {
    const KernelCode* code = nullptr;
    const ModuleCode* module = nullptr;
};
FoundKernel find_kernel(const std::string& name);
Variable* find_variable(const std::string& name);
std::vector<const char*> kernel_names();
/// Gives every variable its initial value again.
void reset_variables();

struct LaunchSettings {
    int threads = 1;  ///< of the CPU
    bool shuffled = false;
    std::uint64_t seed = 0;
    unsigned char poison = 0xff;
    bool counts_sectors = false;
    double patience = 60;  ///< seconds without a block that ends before it counts as a hang
    u32 multiprocessors = 1;
};

struct LaunchOutcome {
    int error = 0;  ///< cudaError_t
    std::string message;
    KernelWork work;
};

LaunchOutcome run_launch(const FoundKernel&, const Dim3& grid, const Dim3& block, u32 dynamic_shared,
                         const std::vector<unsigned char>& parameters, const LaunchSettings&);

}  // namespace firn::cuda_on_cpu
