#include "devices/cuda_device.h"

#include <cuda_runtime_api.h>

#include <cstdio>

namespace firn {

namespace {

std::string version(int number) {  // CUDA's 13000 is 13.0
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

CudaAnswer ask(int number) {
    const std::string where = "cuda:" + std::to_string(number);
    cudaDeviceProp properties{};
    int pools = 0;
    cudaError_t error = cudaGetDeviceProperties(&properties, number);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, number);
    if (error != cudaSuccess) {
        cudaGetLastError();
        return {-1, where + " does not answer (" + cudaGetErrorString(error) + ")", true};
    }
    const int architecture = 10 * properties.major + properties.minor;
    const std::string name = where + ", " + properties.name;
    if (architecture < 75) {
        return {-1, name + ", is too old: sm_" + std::to_string(architecture) + ", and sm_75 or newer is needed", true};
    }
    if (!pools) return {-1, name + ", has no memory pools, which Firn needs; update the driver", true};
    char size[32];
    std::snprintf(size, sizeof size, "%.1f GB", static_cast<double>(properties.totalGlobalMem) / 1e9);
    return {number, name + " (sm_" + std::to_string(architecture) + ", " + size + ")", true};
}

}  // namespace

CudaAnswer ask_cuda(int number) {
    int driver = 0, runtime = 0, count = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0) {
        cudaGetLastError();
        return {-1, "there is no NVIDIA driver", false};
    }
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) cudaGetLastError();
    if (error == cudaErrorInsufficientDriver) {
        return {-1,
                "the NVIDIA driver is too old: it knows CUDA " + version(driver) + ", Firn is built with " +
                    version(runtime) + "; update the driver",
                true};
    }
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        return {-1, "there is no CUDA device", false};
    }
    if (error != cudaSuccess)
        return {-1, std::string("CUDA does not answer (") + cudaGetErrorString(error) + ")", true};
    if (number >= count) {
        return {-1,
                "there is no cuda:" + std::to_string(number) +
                    "; the devices here are cuda:0 to cuda:" + std::to_string(count - 1),
                true};
    }
    if (number >= 0) return ask(number);
    CudaAnswer first = ask(0);
    for (int other = 1; first.device < 0 && other < count; ++other) {
        const CudaAnswer answer = ask(other);
        if (answer.device >= 0) return answer;
    }
    return first;
}

}  // namespace firn
