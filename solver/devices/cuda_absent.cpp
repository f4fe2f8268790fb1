// In place of the CUDA device where Firn is built without nvcc.

#include "devices/cuda_device.h"

namespace firn {

namespace {

const char* const absent = "this Firn was built without CUDA (nvcc was not found, or FIRN_CUDA is OFF)";

}  // namespace

CudaAnswer ask_cuda(int) {
    return {-1, absent, false};
}

}  // namespace firn
