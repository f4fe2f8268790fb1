// Compiled by nvcc, never run: the step and all its kernels over an execution object that launches them on a GPU. What
// the CUDA device will bring (sorting, scans, real reductions) is left out; what must not change is what is included.

#define FIRN_LANES cuda_check
#define FIRN_LANE_WIDTH 1

#include "particles/lane.h"

namespace firn::cuda_check {

template <int N>
struct Values {
    Real v[N];
};

template <class T>
class Buffer {
public:
    void resize(size_t) {}
    void resize_generously(size_t) {}
    T* data() const { return nullptr; }
    size_t bytes() const { return 0; }
};

template <class Kernel>
__global__ void launch(Kernel kernel, uint32_t count) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) kernel(i);
}

template <int N, class Kernel>
__global__ void launch_reduction(Kernel kernel, uint32_t count, double* out) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const Values<N> values = kernel(i);
    for (int n = 0; n < N; ++n) out[size_t(i) * N + n] = values.v[n];
}

template <class Kernel>
__global__ void launch_once(Kernel kernel) {
    kernel();
}

class Execution {
public:
    static constexpr bool keeps_slopes = false;
    explicit Execution(int) {}
    int thread_count() const { return 0; }
    template <class Kernel>
    void for_each(uint32_t count, const Kernel& kernel) const {
        launch<<<(count + 127) / 128, 128>>>(kernel, count);
    }
    template <class Kernel>
    void for_each_item(uint32_t count, const Kernel& kernel) const {
        launch<<<(count + 127) / 128, 128>>>(kernel, count);
    }
    template <class Kernel>
    void once(const Kernel& kernel) const {
        launch_once<<<1, 1>>>(kernel);
    }
    template <int N, class Kernel>
    void sum(uint32_t count, const Kernel& kernel, double* out) {
        launch_reduction<N><<<(count + 127) / 128, 128>>>(kernel, count, out);
    }
    template <int N, class Kernel>
    void sum_to_host(uint32_t count, const Kernel& kernel, double* out) {
        launch_reduction<N><<<(count + 127) / 128, 128>>>(kernel, count, out);
    }
    template <int N, class Kernel>
    void max_to_host(uint32_t count, const Kernel& kernel, double* out) {
        launch_reduction<N><<<(count + 127) / 128, 128>>>(kernel, count, out);
    }
    template <class T>
    void scan(T*, uint32_t) const {}
    void sort_pairs(uint64_t*, uint32_t*, uint64_t*, uint32_t*, uint32_t, int) const {}
    template <class T>
    T read(const T*) const {
        return T{};
    }
    template <class T>
    void copy_in(T*, const T*, size_t) const {}
    template <class T>
    void copy_out(T*, const T*, size_t) const {}
    bool poll(int) const { return true; }
    double clock() const { return 0; }
};

}  // namespace firn::cuda_check

#include "snow/step.h"

namespace firn::cuda_check {

std::unique_ptr<SnowDevice> make_check() {
    return std::unique_ptr<SnowDevice>(new SnowStep(0));
}

}  // namespace firn::cuda_check
