#include "devices/cuda_sort.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "devices/cuda_stream.h"

namespace firn {

void cuda_sort_pairs(CudaStream& stream, uint64_t* keys, uint32_t* values, uint64_t* key_scratch,
                     uint32_t* value_scratch, uint32_t count, int bits) {
    if (count == 0) return;
    cub::DoubleBuffer<uint64_t> key(keys, key_scratch);
    cub::DoubleBuffer<uint32_t> value(values, value_scratch);
    const int items = static_cast<int>(count);
    size_t bytes = 0;
    check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, bytes, key, value, items, 0, bits, stream.handle()), "sort");
    void* scratch = stream.scratch(bytes);
    check_cuda(cub::DeviceRadixSort::SortPairs(scratch, bytes, key, value, items, 0, bits, stream.handle()), "sort");
    if (key.Current() == keys) return;
    check_cuda(
        cudaMemcpyAsync(keys, key.Current(), count * sizeof(uint64_t), cudaMemcpyDeviceToDevice, stream.handle()),
        "sort");
    check_cuda(
        cudaMemcpyAsync(values, value.Current(), count * sizeof(uint32_t), cudaMemcpyDeviceToDevice, stream.handle()),
        "sort");
}

namespace {

template <class T>
void scan(CudaStream& stream, T* values, uint32_t count) {
    if (count == 0) return;
    const int items = static_cast<int>(count);
    size_t bytes = 0;
    check_cuda(cub::DeviceScan::InclusiveSum(nullptr, bytes, values, values, items, stream.handle()), "scan");
    void* scratch = stream.scratch(bytes);
    check_cuda(cub::DeviceScan::InclusiveSum(scratch, bytes, values, values, items, stream.handle()), "scan");
}

}  // namespace

void cuda_scan(CudaStream& stream, uint32_t* values, uint32_t count) {
    scan(stream, values, count);
}

void cuda_scan(CudaStream& stream, uint64_t* values, uint32_t count) {
    scan(stream, values, count);
}

}  // namespace firn
