#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

/// Memory of the emulated card for a test, by cudaMalloc.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        void* memory = nullptr;
        cudaMalloc(&memory, count * sizeof(T));
        data_ = static_cast<T*>(memory);
    }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() const { return data_; }
    std::vector<T> read() const {
        std::vector<T> out(count_);
        cudaMemcpy(out.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
        return out;
    }

private:
    std::size_t count_;
    T* data_ = nullptr;
};
