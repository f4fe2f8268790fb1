// The functions of the CUDA runtime that Firn and CUB call, over RuntimeState. A function that is missing here fails
// the link, and an attribute that is missing is reported: nothing is answered by a guess.

#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "runtime_state.h"

using namespace firn::cuda_on_cpu;

namespace {

std::string hex(std::uint64_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(number));
    return text;
}

std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

// Memory.

cudaError_t allocate(RuntimeState& s, void** out, std::size_t bytes, CUmemPoolHandle_st* pool) {
    if (!out) return cudaErrorInvalidValue;
    if (s.allocation.strikes()) return static_cast<cudaError_t>(s.allocation.error);
    const DeviceDescription& device = s.devices[std::size_t(s.current)];
    if (bytes > device.memory || s.count.live_bytes > device.memory - bytes) return cudaErrorMemoryAllocation;
    if (bytes == 0) {
        *out = nullptr;
        return pool ? cudaErrorInvalidValue : cudaSuccess;
    }
    const std::uint64_t address = allocate_device(bytes, s.settings.poison);
    if (!address) return cudaErrorMemoryAllocation;
    s.live[address] = {bytes, pool};
    ++s.count.allocations;
    ++s.count.live_allocations;
    s.count.live_bytes += bytes;
    s.count.peak_bytes = std::max(s.count.peak_bytes, s.count.live_bytes);
    if (pool) {
        pool->used += bytes;
        pool->used_high = std::max(pool->used_high, pool->used);
    }
    *out = reinterpret_cast<void*>(address);
    return cudaSuccess;
}

/// The bookkeeping of a free, at the call.
bool forget(RuntimeState& s, std::uint64_t address) {
    const auto found = s.live.find(address);
    if (found == s.live.end()) {
        report_problem("free of " + hex(address) + ": " + describe_address(address));
        return false;
    }
    ++s.count.frees;
    --s.count.live_allocations;
    s.count.live_bytes -= found->second.bytes;
    if (found->second.pool) found->second.pool->used -= found->second.bytes;
    s.live.erase(found);
    return true;
}

// Copies.

enum class Side { device, pinned, pageable };

Side side_of(const void* pointer) {
    if (is_device_address(address_of(pointer))) return Side::device;
    Allocation found;
    return find_allocation(address_of(pointer), found) ? Side::pinned : Side::pageable;
}

const char* name_of(cudaMemcpyKind kind) {
    switch (kind) {
        case cudaMemcpyHostToHost:
            return "host to host";
        case cudaMemcpyHostToDevice:
            return "host to device";
        case cudaMemcpyDeviceToHost:
            return "device to host";
        case cudaMemcpyDeviceToDevice:
            return "device to device";
        default:
            return "default";
    }
}

/// Device memory must be whole: all of it in one live allocation.
unsigned char* checked_bytes(const void* pointer, std::size_t bytes, const char* what) {
    unsigned char* const place = bytes_at(address_of(pointer), bytes);
    if (!place) {
        report_problem(std::string(what) + " of " + std::to_string(bytes) + " bytes at " + hex(address_of(pointer)) +
                       ": " + describe_address(address_of(pointer)) + " to start with, and not all of it inside one");
    }
    return place;
}

unsigned char* place_for(const void* pointer, std::size_t bytes, const char* what) {
    if (side_of(pointer) == Side::device) return checked_bytes(pointer, bytes, what);
    return static_cast<unsigned char*>(const_cast<void*>(pointer));
}

bool direction_fits(cudaMemcpyKind kind, Side to, Side from) {
    const bool to_device = to == Side::device, from_device = from == Side::device;
    switch (kind) {
        case cudaMemcpyHostToHost:
            return !to_device && !from_device;
        case cudaMemcpyHostToDevice:
            return to_device && !from_device;
        case cudaMemcpyDeviceToHost:
            return !to_device && from_device;
        case cudaMemcpyDeviceToDevice:
            return to_device && from_device;
        default:
            return kind == cudaMemcpyDefault;
    }
}

void count_copy(RuntimeState& s, Side to, Side from, std::size_t bytes) {
    ++s.count.copies;
    if (to == Side::device && from == Side::device) {
        s.count.bytes_on_device += bytes;
    } else if (to == Side::device) {
        s.count.bytes_to_device += bytes;
    } else if (from == Side::device) {
        s.count.bytes_to_host += bytes;
    }
}

void run_copy(void* to, const void* from, std::size_t bytes) {
    unsigned char* const target = place_for(to, bytes, "copy to device memory");
    const unsigned char* const source = place_for(from, bytes, "copy from device memory");
    if (!target || !source) throw RuntimeFault{cudaErrorIllegalAddress};
    std::memmove(target, source, bytes);
}

cudaError_t copy(RuntimeState& s, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t handle, bool waits) {
    CUstream_st* const stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (bytes == 0) return cudaSuccess;
    const Side target = side_of(to), source = side_of(from);
    if (!direction_fits(kind, target, source)) {
        report_problem(std::string("copy ") + name_of(kind) + " of " + std::to_string(bytes) + " bytes from " +
                       hex(address_of(from)) + " to " + hex(address_of(to)) + ": the pointers say otherwise");
        return cudaErrorInvalidValue;
    }
    if (target == Side::device && !checked_bytes(to, bytes, "copy to device memory")) return cudaErrorInvalidValue;
    if (source == Side::device && !checked_bytes(from, bytes, "copy from device memory")) return cudaErrorInvalidValue;
    if (stream->capture) {
        enqueue(*stream, "copy", [&s, to, from, bytes, target, source] {
            count_copy(s, target, source, bytes);
            run_copy(to, from, bytes);
        });
        return cudaSuccess;
    }
    count_copy(s, target, source, bytes);
    if (source == Side::pageable && target == Side::device && !waits) {
        // The runtime takes pageable memory away at once; the copy itself comes in turn.
        const auto* const begin = static_cast<const unsigned char*>(from);
        auto staged = std::make_shared<std::vector<unsigned char>>(begin, begin + bytes);
        enqueue(*stream, "copy", [to, staged, bytes] { run_copy(to, staged->data(), bytes); });
        return cudaSuccess;
    }
    enqueue(*stream, "copy", [to, from, bytes] { run_copy(to, from, bytes); });
    if (waits || target == Side::pageable || source == Side::pageable) {
        ++s.count.synchronisations;
        return drain(*stream);
    }
    return cudaSuccess;
}

cudaError_t set(RuntimeState& s, void* to, int value, std::size_t bytes, cudaStream_t handle) {
    CUstream_st* const stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (bytes == 0) return cudaSuccess;
    if (!checked_bytes(to, bytes, "memset")) return cudaErrorInvalidValue;
    enqueue(*stream, "set", [&s, to, value, bytes] {
        unsigned char* const target = checked_bytes(to, bytes, "memset");
        if (!target) throw RuntimeFault{cudaErrorIllegalAddress};
        s.count.bytes_set += bytes;
        std::memset(target, value, bytes);
    });
    return cudaSuccess;
}

// Launches.

int largest_shared(const DeviceDescription& device) {
    switch (10 * device.major + device.minor) {
        case 70:
        case 72:
            return 96 * 1024;
        case 75:
            return 64 * 1024;
        case 80:
        case 87:
            return 163 * 1024;
        case 86:
        case 89:
        case 120:
            return 99 * 1024;
        case 90:
        case 100:
            return 227 * 1024;
        default:
            return 48 * 1024;
    }
}

int largest_threads_per_multiprocessor(const DeviceDescription& device) {
    switch (10 * device.major + device.minor) {
        case 75:
            return 1024;
        case 86:
        case 87:
        case 89:
        case 120:
            return 1536;
        default:
            return 2048;
    }
}

cudaError_t find_function(RuntimeState& s, const void* function, FoundKernel& found) {
    const auto name = s.kernel_of.find(function);
    if (name == s.kernel_of.end()) return cudaErrorInvalidDeviceFunction;
    found = find_kernel(name->second);
    if (!found.code) {
        report_problem("no translated code for kernel " + name->second);
        return cudaErrorInvalidDeviceFunction;
    }
    const DeviceDescription& device = s.devices[std::size_t(s.current)];
    if (found.module->target > 10 * device.major + device.minor) return cudaErrorNoKernelImageForDevice;
    return cudaSuccess;
}

cudaError_t launch(RuntimeState& s, const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t handle) {
    CUstream_st* const stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    FoundKernel kernel;
    if (const cudaError_t error = find_function(s, function, kernel)) return error;
    const std::uint64_t threads = std::uint64_t(block.x) * block.y * block.z;
    if (threads == 0 || threads > 1024 || block.z > 64 || !grid.x || !grid.y || !grid.z || grid.x > 0x7fffffffu ||
        grid.y > 65535 || grid.z > 65535) {
        return cudaErrorInvalidConfiguration;
    }
    if (threads > kernel.code->max_threads) return cudaErrorInvalidValue;
    const auto limit = s.shared_limit.find(kernel.code->name);
    const std::size_t allowed =
        limit == s.shared_limit.end() ? 48 * 1024 - kernel.code->shared_size : std::size_t(limit->second);
    if (shared > allowed) return cudaErrorInvalidValue;
    if (s.refusal.strikes()) return static_cast<cudaError_t>(s.refusal.error);

    std::vector<unsigned char> parameters(kernel.code->parameter_size);
    for (u32 k = 0; k < kernel.code->parameter_count; ++k) {
        const ParameterPlace place = kernel.code->parameters[k];
        std::memcpy(parameters.data() + place.offset, arguments[k], place.size);
    }
    if (!stream->capture) ++s.count.launches;
    enqueue(*stream, "kernel", [&s, kernel, grid, block, shared, parameters] {
        if (s.launch.strikes()) throw RuntimeFault{static_cast<cudaError_t>(s.launch.error)};
        ++s.count.kernels;
        LaunchSettings settings = s.settings;
        settings.multiprocessors = u32(s.devices[std::size_t(s.current)].multiprocessors);
        settings.seed += s.count.kernels;
        const LaunchOutcome outcome = run_launch(kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                                                 u32(shared), parameters, settings);
        s.work[kernel.code->name] += outcome.work;
        if (outcome.error) {
            report_problem(outcome.message);
            throw RuntimeFault{static_cast<cudaError_t>(outcome.error)};
        }
    });
    return cudaSuccess;
}

cudaError_t refuse_in_capture(RuntimeState& s) {
    for (CUstream_st* stream : s.streams) {
        if (stream->capture) {
            stream->capture_broken = true;
            return cudaErrorStreamCaptureUnsupported;
        }
    }
    return cudaSuccess;
}

cudaError_t device_attribute(RuntimeState& s, int* value, cudaDeviceAttr attribute, int index) {
    if (index < 0 || index >= int(s.devices.size())) return cudaErrorInvalidDevice;
    const DeviceDescription& device = s.devices[std::size_t(index)];
    switch (attribute) {
        case cudaDevAttrComputeCapabilityMajor:
            *value = device.major;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = device.minor;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = device.multiprocessors;
            break;
        case cudaDevAttrMaxThreadsPerBlock:
            *value = 1024;
            break;
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY:
            *value = 1024;
            break;
        case cudaDevAttrMaxBlockDimZ:
            *value = 64;
            break;
        case cudaDevAttrMaxGridDimX:
            *value = 0x7fffffff;
            break;
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ:
            *value = 65535;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = 48 * 1024;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = largest_shared(device);
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = largest_shared(device);
            break;
        case cudaDevAttrReservedSharedMemoryPerBlock:
            *value = device.major >= 8 ? 1024 : 0;
            break;
        case cudaDevAttrTotalConstantMemory:
            *value = 65536;
            break;
        case cudaDevAttrWarpSize:
            *value = 32;
            break;
        case cudaDevAttrMaxRegistersPerBlock:
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            *value = 65536;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = largest_threads_per_multiprocessor(device);
            break;
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            *value = device.major == 8 && device.minor == 9 ? 24 : 16;
            break;
        case cudaDevAttrL2CacheSize:
            *value = 4 << 20;
            break;
        case cudaDevAttrMemoryPoolsSupported:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrStreamPrioritiesSupported:
            *value = 1;
            break;
        case cudaDevAttrCooperativeLaunch:
        case cudaDevAttrManagedMemory:
        case cudaDevAttrConcurrentManagedAccess:
        case cudaDevAttrPageableMemoryAccess:
        case cudaDevAttrIntegrated:
        case cudaDevAttrKernelExecTimeout:
        case cudaDevAttrComputeMode:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrTccDriver:
        case cudaDevAttrPciBusId:
        case cudaDevAttrPciDeviceId:
        case cudaDevAttrPciDomainId:
            *value = 0;
            break;
        case cudaDevAttrAsyncEngineCount:
            *value = 2;
            break;
        default:
            report_problem("device attribute " + std::to_string(int(attribute)) + " is not known here");
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

thread_local std::vector<CallConfiguration> configurations;

}  // namespace

extern "C" {

// What nvcc's host objects call.

void** __cudaRegisterFatBinary(void*) {
    static void* handle = nullptr;
    state();
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
    state().kernel_of[host] = name;
}
void __cudaRegisterVar(void**, char* host, char*, const char* name, int, std::size_t, int, int) {
    state().variable_of[host] = name;
}
char __cudaInitModule(void**) {
    return 0;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
    configurations.push_back({grid, block, shared, stream});
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
    if (configurations.empty()) return cudaErrorMissingConfiguration;
    const CallConfiguration top = configurations.back();
    configurations.pop_back();
    *grid = top.grid;
    *block = top.block;
    *shared = top.shared;
    *static_cast<cudaStream_t*>(stream) = top.stream;
    return cudaSuccess;
}
// Host objects of CUDA 13 launch by handle; the host's function serves as one.
cudaError_t __cudaGetKernel(void** kernel, const void* function) {
    *kernel = const_cast<void*>(function);
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
    return entered([&](RuntimeState& s) { return launch(s, function, grid, block, arguments, shared, stream); });
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
    return entered([&](RuntimeState& s) {
        for (unsigned k = 0; k < config->numAttrs; ++k) {
            // Launches of a stream run one after another here: an early start changes nothing.
            if (config->attrs[k].id == cudaLaunchAttributeProgrammaticStreamSerialization) continue;
            if (config->attrs[k].id == cudaLaunchAttributePriority) continue;
            report_problem("launch attribute " + std::to_string(int(config->attrs[k].id)) + " is not known here");
            return cudaErrorNotSupported;
        }
        return launch(s, function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                      config->stream);
    });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
    return entered([&](RuntimeState&) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        enqueue(*stream, "host", [function, data] { function(data); });
        return cudaSuccess;
    });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* function) {
    return entered([&](RuntimeState& s) {
        FoundKernel kernel;
        if (const cudaError_t error = find_function(s, function, kernel)) return error;
        const DeviceDescription& device = s.devices[std::size_t(s.current)];
        std::memset(out, 0, sizeof *out);
        out->sharedSizeBytes = kernel.code->shared_size;
        out->localSizeBytes = kernel.code->local_size;
        out->maxThreadsPerBlock = int(kernel.code->max_threads);
        out->numRegs = 32;  // PTX does not know; ptxas does
        out->ptxVersion = kernel.module->target;
        out->binaryVersion = 10 * device.major + device.minor;
        out->maxDynamicSharedSizeBytes = 48 * 1024 - int(kernel.code->shared_size);
        return cudaSuccess;
    });
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    return entered([&](RuntimeState& s) {
        FoundKernel kernel;
        if (const cudaError_t error = find_function(s, function, kernel)) return error;
        if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaErrorInvalidValue;
        if (value + int(kernel.code->shared_size) > largest_shared(s.devices[std::size_t(s.current)])) {
            return cudaErrorInvalidValue;
        }
        s.shared_limit[kernel.code->name] = value;
        return cudaSuccess;
    });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   std::size_t shared, unsigned) {
    return entered([&](RuntimeState& s) {
        FoundKernel kernel;
        if (const cudaError_t error = find_function(s, function, kernel)) return error;
        if (threads <= 0) return cudaErrorInvalidValue;
        const DeviceDescription& device = s.devices[std::size_t(s.current)];
        const std::size_t each = shared + kernel.code->shared_size;
        int most = std::min(16, largest_threads_per_multiprocessor(device) / ((threads + 31) / 32 * 32));
        if (each) most = std::min(most, int(std::size_t(largest_shared(device)) / each));
        *blocks = most;
        return cudaSuccess;
    });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

// Devices.

cudaError_t cudaGetDeviceCount(int* count) {
    // Without a driver the argument stays as it was.
    return entered([&](RuntimeState& s) {
        *count = int(s.devices.size());
        return cudaSuccess;
    });
}
cudaError_t cudaGetDevice(int* device) {
    return entered([&](RuntimeState& s) {
        *device = s.current;
        return cudaSuccess;
    });
}
cudaError_t cudaSetDevice(int device) {
    return entered([&](RuntimeState& s) {
        if (device < 0 || device >= int(s.devices.size())) return cudaErrorInvalidDevice;
        s.current = device;
        return cudaSuccess;
    });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return entered([&](RuntimeState& s) { return device_attribute(s, value, attribute, device); });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int index) {
    return entered([&](RuntimeState& s) {
        if (index < 0 || index >= int(s.devices.size())) return cudaErrorInvalidDevice;
        const DeviceDescription& device = s.devices[std::size_t(index)];
        std::memset(out, 0, sizeof *out);
        std::snprintf(out->name, sizeof out->name, "%s", device.name.c_str());
        out->major = device.major;
        out->minor = device.minor;
        out->totalGlobalMem = device.memory;
        out->multiProcessorCount = device.multiprocessors;
        out->sharedMemPerBlock = 48 * 1024;
        out->sharedMemPerBlockOptin = std::size_t(largest_shared(device));
        out->sharedMemPerMultiprocessor = std::size_t(largest_shared(device));
        out->regsPerBlock = out->regsPerMultiprocessor = 65536;
        out->warpSize = 32;
        out->maxThreadsPerBlock = 1024;
        out->maxThreadsPerMultiProcessor = largest_threads_per_multiprocessor(device);
        out->maxThreadsDim[0] = out->maxThreadsDim[1] = 1024;
        out->maxThreadsDim[2] = 64;
        out->maxGridSize[0] = 0x7fffffff;
        out->maxGridSize[1] = out->maxGridSize[2] = 65535;
        out->l2CacheSize = 4 << 20;
        out->memoryBusWidth = 192;
        out->unifiedAddressing = out->concurrentKernels = out->memoryPoolsSupported = 1;
        out->canMapHostMemory = 1;
        out->asyncEngineCount = 2;
        return cudaSuccess;
    });
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    return entered([&](RuntimeState& s) {
        *total = s.devices[std::size_t(s.current)].memory;
        *free = *total - std::min<std::size_t>(*total, s.count.live_bytes);
        return cudaSuccess;
    });
}
cudaError_t cudaDriverGetVersion(int* version) {
    RuntimeState& s = state();
    *version = s.driver == Driver::absent ? 0 : s.driver == Driver::too_old ? 11000 : CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
    return entered([&](RuntimeState& s) {
        if (const cudaError_t error = refuse_in_capture(s)) return error;
        ++s.count.synchronisations;
        return drain_all();
    });
}
cudaError_t cudaDeviceReset() {
    RuntimeState& s = state();
    const std::lock_guard<std::recursive_mutex> lock(s.mutex);
    if (s.lost) return s.sticky;
    if (s.driver != Driver::present) return remembered(cudaErrorInsufficientDriver);
    if (s.sticky == cudaSuccess) drain_all();
    s.sticky = s.last = cudaSuccess;
    clear_context(true);
    return cudaSuccess;
}

// Errors.

cudaError_t cudaGetLastError() {
    RuntimeState& s = state();
    const std::lock_guard<std::recursive_mutex> lock(s.mutex);
    if (s.sticky != cudaSuccess) return s.sticky;
    return std::exchange(s.last, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
    RuntimeState& s = state();
    const std::lock_guard<std::recursive_mutex> lock(s.mutex);
    return s.sticky != cudaSuccess ? s.sticky : s.last;
}
const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "cudaSuccess";
        case cudaErrorInvalidValue:
            return "cudaErrorInvalidValue";
        case cudaErrorMemoryAllocation:
            return "cudaErrorMemoryAllocation";
        case cudaErrorInvalidConfiguration:
            return "cudaErrorInvalidConfiguration";
        case cudaErrorInsufficientDriver:
            return "cudaErrorInsufficientDriver";
        case cudaErrorInvalidDeviceFunction:
            return "cudaErrorInvalidDeviceFunction";
        case cudaErrorNoDevice:
            return "cudaErrorNoDevice";
        case cudaErrorInvalidDevice:
            return "cudaErrorInvalidDevice";
        case cudaErrorNoKernelImageForDevice:
            return "cudaErrorNoKernelImageForDevice";
        case cudaErrorInvalidResourceHandle:
            return "cudaErrorInvalidResourceHandle";
        case cudaErrorNotReady:
            return "cudaErrorNotReady";
        case cudaErrorIllegalAddress:
            return "cudaErrorIllegalAddress";
        case cudaErrorMisalignedAddress:
            return "cudaErrorMisalignedAddress";
        case cudaErrorLaunchOutOfResources:
            return "cudaErrorLaunchOutOfResources";
        case cudaErrorLaunchTimeout:
            return "cudaErrorLaunchTimeout";
        case cudaErrorLaunchFailure:
            return "cudaErrorLaunchFailure";
        case cudaErrorAssert:
            return "cudaErrorAssert";
        case cudaErrorStreamCaptureUnsupported:
            return "cudaErrorStreamCaptureUnsupported";
        case cudaErrorStreamCaptureInvalidated:
            return "cudaErrorStreamCaptureInvalidated";
        case cudaErrorUnknown:
            return "cudaErrorUnknown";
        default:
            return "cudaError";
    }
}
const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "no error";
        case cudaErrorInvalidValue:
            return "invalid argument";
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorInvalidConfiguration:
            return "invalid configuration argument";
        case cudaErrorInsufficientDriver:
            return "CUDA driver version is insufficient for CUDA runtime version";
        case cudaErrorInvalidDeviceFunction:
            return "invalid device function";
        case cudaErrorNoDevice:
            return "no CUDA-capable device is detected";
        case cudaErrorInvalidDevice:
            return "invalid device ordinal";
        case cudaErrorNoKernelImageForDevice:
            return "no kernel image is available for execution on the device";
        case cudaErrorInvalidResourceHandle:
            return "invalid resource handle";
        case cudaErrorNotReady:
            return "device not ready";
        case cudaErrorIllegalAddress:
            return "an illegal memory access was encountered";
        case cudaErrorMisalignedAddress:
            return "misaligned address";
        case cudaErrorLaunchOutOfResources:
            return "too many resources requested for launch";
        case cudaErrorLaunchTimeout:
            return "the launch timed out and was terminated";
        case cudaErrorLaunchFailure:
            return "unspecified launch failure";
        case cudaErrorAssert:
            return "device-side assert triggered";
        case cudaErrorStreamCaptureUnsupported:
            return "operation not permitted when stream is capturing";
        case cudaErrorStreamCaptureInvalidated:
            return "operation failed due to a previous error during capture";
        case cudaErrorUnknown:
            return "unknown error";
        default:
            return "unrecognized error code";
    }
}

// Memory.

cudaError_t cudaMalloc(void** out, std::size_t bytes) {
    return entered([&](RuntimeState& s) {
        if (const cudaError_t error = refuse_in_capture(s)) return error;
        return allocate(s, out, bytes, nullptr);
    });
}
cudaError_t cudaFree(void* pointer) {
    return entered([&](RuntimeState& s) {
        if (!pointer) return cudaSuccess;
        if (const cudaError_t error = refuse_in_capture(s)) return error;
        ++s.count.synchronisations;  // waits for the whole device
        if (const cudaError_t error = drain_all()) return error;
        if (!forget(s, address_of(pointer))) return cudaErrorInvalidValue;
        free_device(address_of(pointer), s.settings.poison);
        return cudaSuccess;
    });
}
cudaError_t cudaMallocFromPoolAsync(void** out, std::size_t bytes, cudaMemPool_t pool, cudaStream_t handle) {
    return entered([&](RuntimeState& s) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream || !s.pools.count(pool)) return cudaErrorInvalidValue;
        if (stream->capture) {
            report_problem("allocations in a captured graph are not known here");
            return cudaErrorStreamCaptureUnsupported;
        }
        return allocate(s, out, bytes, pool);
    });
}
cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(out, bytes, &state().default_pool, stream);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    return entered([&](RuntimeState& s) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (!pointer) return cudaSuccess;
        if (!forget(s, address_of(pointer))) return cudaErrorInvalidValue;
        enqueue(*stream, "free", [&s, pointer] { free_device(address_of(pointer), s.settings.poison); });
        return cudaSuccess;
    });
}
cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned) {
    return cudaMallocHost(out, bytes);
}
cudaError_t cudaMallocHost(void** out, std::size_t bytes) {
    return entered([&](RuntimeState& s) {
        if (s.allocation.strikes()) return static_cast<cudaError_t>(s.allocation.error);
        *out = allocate_host(bytes, s.settings.poison);
        ++s.count.host_allocations;
        return *out ? cudaSuccess : cudaErrorMemoryAllocation;
    });
}
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned) {
    return cudaMallocHost(out, bytes);
}
cudaError_t cudaFreeHost(void* pointer) {
    return entered([&](RuntimeState&) {
        if (!pointer) return cudaSuccess;
        if (const cudaError_t error = drain_all()) return error;
        if (free_host(pointer)) return cudaSuccess;
        report_problem("cudaFreeHost of " + hex(address_of(pointer)) + ": not pinned memory");
        return cudaErrorInvalidValue;
    });
}
cudaError_t cudaHostGetDevicePointer(void** out, void* host, unsigned) {
    return entered([&](RuntimeState&) {
        *out = host;
        return side_of(host) == Side::pinned ? cudaSuccess : cudaErrorInvalidValue;
    });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* pointer) {
    return entered([&](RuntimeState& s) {
        std::memset(out, 0, sizeof *out);
        const Side side = side_of(pointer);
        out->type = side == Side::device   ? cudaMemoryTypeDevice
                    : side == Side::pinned ? cudaMemoryTypeHost
                                           : cudaMemoryTypeUnregistered;
        out->device = s.current;
        out->devicePointer = side == Side::pageable ? nullptr : const_cast<void*>(pointer);
        out->hostPointer = side == Side::pinned ? const_cast<void*>(pointer) : nullptr;
        return cudaSuccess;
    });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return entered([&](RuntimeState& s) { return copy(s, to, from, bytes, kind, stream, false); });
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return entered([&](RuntimeState& s) {
        if (const cudaError_t error = refuse_in_capture(s)) return error;
        return copy(s, to, from, bytes, kind, nullptr, true);
    });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return entered([&](RuntimeState& s) { return set(s, to, value, bytes, stream); });
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    return entered([&](RuntimeState& s) { return set(s, to, value, bytes, nullptr); });
}
cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
    return entered([&](RuntimeState& s) {
        const auto name = s.variable_of.find(symbol);
        const Variable* const variable = name == s.variable_of.end() ? nullptr : find_variable(name->second);
        if (!variable) return cudaErrorInvalidSymbol;
        *out = reinterpret_cast<void*>(variable->address);
        return cudaSuccess;
    });
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
    void* to = nullptr;
    const cudaError_t error = cudaGetSymbolAddress(&to, symbol);
    return error ? error : cudaMemcpyAsync(static_cast<char*>(to) + offset, from, bytes, kind, stream);
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
    void* to = nullptr;
    const cudaError_t error = cudaGetSymbolAddress(&to, symbol);
    return error ? error : cudaMemcpy(static_cast<char*>(to) + offset, from, bytes, kind);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
    void* from = nullptr;
    const cudaError_t error = cudaGetSymbolAddress(&from, symbol);
    return error ? error : cudaMemcpy(to, static_cast<char*>(from) + offset, bytes, kind);
}

// Pools.

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    return entered([&](RuntimeState& s) {
        *pool = &s.default_pool;
        return cudaSuccess;
    });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
    return entered([&](RuntimeState& s) {
        *pool = new CUmemPoolHandle_st;
        s.pools.insert(*pool);
        return cudaSuccess;
    });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return entered([&](RuntimeState& s) {
        if (pool == &s.default_pool || !s.pools.erase(pool)) return cudaErrorInvalidValue;
        if (pool->used) {
            // Legal: the memory lives on. Here the handle stays too, for the bookkeeping.
            s.pools.insert(pool);
            return cudaSuccess;
        }
        delete pool;
        return cudaSuccess;
    });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return entered([&](RuntimeState& s) {
        if (!s.pools.count(pool)) return cudaErrorInvalidValue;
        switch (attribute) {
            case cudaMemPoolAttrReleaseThreshold:
                pool->threshold = *static_cast<std::uint64_t*>(value);
                break;
            case cudaMemPoolAttrUsedMemHigh:
            case cudaMemPoolAttrReservedMemHigh:
                pool->used_high = pool->used;
                break;
            default:
                break;  // what may be reused when: nothing is reused here
        }
        return cudaSuccess;
    });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return entered([&](RuntimeState& s) {
        if (!s.pools.count(pool)) return cudaErrorInvalidValue;
        auto* const out = static_cast<std::uint64_t*>(value);
        switch (attribute) {
            case cudaMemPoolAttrReleaseThreshold:
                *out = pool->threshold;
                break;
            case cudaMemPoolAttrUsedMemCurrent:
            case cudaMemPoolAttrReservedMemCurrent:
                *out = pool->used;
                break;
            case cudaMemPoolAttrUsedMemHigh:
            case cudaMemPoolAttrReservedMemHigh:
                *out = pool->used_high;
                break;
            default:
                return cudaErrorInvalidValue;
        }
        return cudaSuccess;
    });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
    return entered([&](RuntimeState& s) { return s.pools.count(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}

// Streams and events.

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return entered([&](RuntimeState& s) {
        *stream = new CUstream_st;
        (*stream)->blocking = !(flags & cudaStreamNonBlocking);
        (*stream)->priority = priority;
        s.streams.insert(*stream);
        return cudaSuccess;
    });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return entered([&](RuntimeState& s) {
        if (stream == &s.legacy || stream == &s.per_thread || !s.streams.count(stream)) {
            return cudaErrorInvalidResourceHandle;
        }
        const cudaError_t error = drain(*stream);
        for (CUevent_st* event : s.events) {
            if (event->stream == stream) event->stream = nullptr;
        }
        s.streams.erase(stream);
        delete stream;
        return error;
    });
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    return entered([&](RuntimeState& s) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (stream->capture) {
            stream->capture_broken = true;
            return cudaErrorStreamCaptureUnsupported;
        }
        ++s.count.synchronisations;
        return drain(*stream);
    });
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
    return entered([&](RuntimeState&) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (stream->queue.empty()) return cudaSuccess;
        // Time passes by asking: one operation is done.
        const cudaError_t error = drain(*stream, stream->queue.front().ticket);
        return error ? error : cudaErrorNotReady;
    });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
    return entered([&](RuntimeState& s) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream || !s.events.count(event)) return cudaErrorInvalidResourceHandle;
        if (event->capture) {
            stream->capture = event->capture;  // joins; nodes stay in the order of the calls
            return cudaSuccess;
        }
        if (!event->stream) return cudaSuccess;
        enqueue(*stream, "wait", [&s, other = event->stream, ticket = event->ticket] {
            if (s.streams.count(other)) drain(*other, ticket);
        });
        return cudaSuccess;
    });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return entered([&](RuntimeState& s) {
        *event = new CUevent_st;
        (*event)->timed = !(flags & cudaEventDisableTiming);
        s.events.insert(*event);
        return cudaSuccess;
    });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return entered([&](RuntimeState& s) {
        if (!s.events.erase(event)) return cudaErrorInvalidResourceHandle;
        if (event->stream) drain(*event->stream, event->ticket);
        delete event;
        return cudaSuccess;
    });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned) {
    return entered([&](RuntimeState& s) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream || !s.events.count(event)) return cudaErrorInvalidResourceHandle;
        if (stream->capture) {
            event->capture = stream->capture;
            return cudaSuccess;
        }
        event->capture.reset();
        event->done = false;
        enqueue(*stream, "record", [&s, event] {
            if (!s.events.count(event)) return;
            timespec time{};
            clock_gettime(CLOCK_MONOTONIC, &time);
            event->seconds = double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
            event->done = true;
        });
        event->stream = stream;
        event->ticket = s.ticket;
        return cudaSuccess;
    });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return entered([&](RuntimeState& s) {
        if (!s.events.count(event)) return cudaErrorInvalidResourceHandle;
        ++s.count.synchronisations;
        return event->stream ? drain(*event->stream, event->ticket) : cudaSuccess;
    });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    return entered([&](RuntimeState& s) {
        if (!s.events.count(event)) return cudaErrorInvalidResourceHandle;
        if (event->done || !event->stream) return cudaSuccess;
        const cudaError_t error = drain(*event->stream, event->stream->queue.front().ticket);
        return error ? error : cudaErrorNotReady;
    });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    return entered([&](RuntimeState& s) {
        if (!s.events.count(from) || !s.events.count(to) || !from->timed || !to->timed) {
            return cudaErrorInvalidResourceHandle;
        }
        if (!from->ticket || !to->ticket) return cudaErrorInvalidResourceHandle;
        if (!from->done || !to->done) return cudaErrorNotReady;
        *milliseconds = float(1e3 * (to->seconds - from->seconds));
        return cudaSuccess;
    });
}

// Graphs: the operations of a captured stream, in the order in which they were asked for.

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
    return entered([&](RuntimeState& s) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream || stream == &s.legacy) return cudaErrorStreamCaptureUnsupported;
        if (stream->capture) return cudaErrorIllegalState;
        stream->capture = std::make_shared<CUgraph_st>();
        stream->capture_origin = true;
        stream->capture_broken = false;
        return cudaSuccess;
    });
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    return entered([&](RuntimeState& s) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream || !stream->capture || !stream->capture_origin) return cudaErrorIllegalState;
        const std::shared_ptr<CUgraph_st> made = stream->capture;
        bool broken = false;
        for (CUstream_st* each : s.streams) {
            if (each->capture != made) continue;
            broken = broken || each->capture_broken;
            each->capture.reset();
            each->capture_origin = each->capture_broken = false;
        }
        for (CUevent_st* event : s.events) event->capture.reset();
        *graph = nullptr;
        if (broken) return cudaErrorStreamCaptureInvalidated;
        s.captured[made.get()] = made;
        *graph = made.get();
        return cudaSuccess;
    });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    return entered([&](RuntimeState&) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        *status = stream->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
    return entered([&](RuntimeState& s) {
        if (!s.captured.count(graph)) return cudaErrorInvalidValue;
        *out = new CUgraphExec_st{graph->nodes};
        s.executables.insert(*out);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
    return entered([&](RuntimeState& s) { return s.executables.count(exec) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
    return entered([&](RuntimeState& s) {
        if (!s.executables.count(exec) || !s.captured.count(graph)) return cudaErrorInvalidValue;
        bool same = exec->nodes.size() == graph->nodes.size();
        for (std::size_t k = 0; same && k < exec->nodes.size(); ++k) same = exec->nodes[k].what == graph->nodes[k].what;
        if (info) {
            std::memset(info, 0, sizeof *info);
            info->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
        }
        if (!same) return cudaErrorGraphExecUpdateFailure;
        exec->nodes = graph->nodes;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
    return entered([&](RuntimeState& s) {
        CUstream_st* const stream = find_stream(handle);
        if (!stream || !s.executables.count(exec)) return cudaErrorInvalidValue;
        ++s.count.graph_launches;
        enqueue(*stream, "graph", [nodes = exec->nodes] {
            for (const GraphNode& node : nodes) node.run();
        });
        return cudaSuccess;
    });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    return entered([&](RuntimeState& s) {
        if (!s.executables.erase(exec)) return cudaErrorInvalidValue;
        delete exec;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return entered([&](RuntimeState& s) { return s.captured.erase(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    return entered([&](RuntimeState& s) {
        if (!s.captured.count(graph) || nodes) return cudaErrorInvalidValue;  // only their number is known here
        *count = graph->nodes.size();
        return cudaSuccess;
    });
}

}  // extern "C"
