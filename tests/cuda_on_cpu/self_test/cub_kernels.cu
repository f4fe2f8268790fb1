#include "cub_kernels.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "device_array.h"

namespace {

/// CUB is called twice: for the size of its scratch, and for the work.
template <class Call>
void with_scratch(Call call) {
    std::size_t bytes = 0;
    call(nullptr, bytes);
    const DeviceArray<char> scratch(bytes ? bytes : 1);
    call(scratch.data(), bytes);
}

}  // namespace

void cub_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& values, int bits) {
    const DeviceArray<std::uint64_t> in(keys), out(keys.size());
    const DeviceArray<std::uint32_t> values_in(values), values_out(values.size());
    with_scratch([&](void* scratch, std::size_t& bytes) {
        cub::DeviceRadixSort::SortPairs(scratch, bytes, in.data(), out.data(), values_in.data(), values_out.data(),
                                        std::uint32_t(keys.size()), 0, bits);
    });
    keys = out.read();
    values = values_out.read();
}

std::vector<std::uint32_t> cub_inclusive_scan(const std::vector<std::uint32_t>& values) {
    const DeviceArray<std::uint32_t> in(values), out(values.size());
    with_scratch([&](void* scratch, std::size_t& bytes) {
        cub::DeviceScan::InclusiveSum(scratch, bytes, in.data(), out.data(), std::uint32_t(values.size()));
    });
    return out.read();
}

std::vector<std::uint64_t> cub_exclusive_scan(const std::vector<std::uint64_t>& values) {
    const DeviceArray<std::uint64_t> in(values), out(values.size());
    with_scratch([&](void* scratch, std::size_t& bytes) {
        cub::DeviceScan::ExclusiveSum(scratch, bytes, in.data(), out.data(), std::uint32_t(values.size()));
    });
    return out.read();
}

double cub_sum(const std::vector<double>& values) {
    const DeviceArray<double> in(values), out(1);
    with_scratch([&](void* scratch, std::size_t& bytes) {
        cub::DeviceReduce::Sum(scratch, bytes, in.data(), out.data(), std::uint32_t(values.size()));
    });
    return out.read()[0];
}

float cub_max(const std::vector<float>& values) {
    const DeviceArray<float> in(values), out(1);
    with_scratch([&](void* scratch, std::size_t& bytes) {
        cub::DeviceReduce::Max(scratch, bytes, in.data(), out.data(), std::uint32_t(values.size()));
    });
    return out.read()[0];
}
