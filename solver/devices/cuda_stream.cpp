#include "devices/cuda_stream.h"

#include <cstring>
#include <string>

#include "devices/cuda_device.h"

namespace firn {

namespace {

thread_local CudaStream* entered = nullptr;

}  // namespace

void check_cuda(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // an error that was reported is not reported again
    if (error == cudaErrorMemoryAllocation) {
        throw Error(std::string("out of memory on the CUDA device (") + what +
                    "); use a larger spacing, fewer particles or device = cpu");
    }
    throw DeviceLost(std::string("the CUDA device failed (") + what + ": " + cudaGetErrorString(error) + ")");
}

CudaStream::CudaStream(int device) : device_(device) {
    const Entered here(*this);
    try {
        check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        // A pool of Firn's own: what is freed stays in it, and the host program's allocations are not touched.
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = device;
        check_cuda(cudaMemPoolCreate(&pool_, &properties), "memory pool");
        uint64_t keep = UINT64_MAX;
        check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool");
        void* pinned = nullptr;
        check_cuda(cudaMallocHost(&pinned, pinned_bytes), "pinned memory");
        pinned_ = static_cast<unsigned char*>(pinned);
        check_cuda(cudaMallocHost(&pinned, sizeof *flag_), "pinned memory");
        flag_ = static_cast<int32_t*>(pinned);
        check_cuda(cudaEventCreateWithFlags(&flag_sent_, cudaEventDisableTiming), "event");
        for (cudaEvent_t& event : moment_) check_cuda(cudaEventCreate(&event), "event");
    } catch (...) {
        release();
        throw;
    }
}

CudaStream::~CudaStream() {
    const Entered here(*this);
    release();
}

/// Errors are of no use here: either nothing is left to do, or the card is gone.
void CudaStream::release() noexcept {
    if (stream_) cudaStreamSynchronize(stream_);
    if (scratch_) free(scratch_);
    for (cudaEvent_t event : moment_) {
        if (event) cudaEventDestroy(event);
    }
    if (flag_sent_) cudaEventDestroy(flag_sent_);
    if (flag_) cudaFreeHost(flag_);
    if (pinned_) cudaFreeHost(pinned_);
    if (stream_) cudaStreamSynchronize(stream_);
    if (pool_) cudaMemPoolDestroy(pool_);
    if (stream_) cudaStreamDestroy(stream_);
    cudaGetLastError();
}

CudaStream& CudaStream::current() {
    return *entered;
}

void* CudaStream::allocate(size_t bytes) {
    void* memory = nullptr;
    const cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_);
    if (error == cudaErrorMemoryAllocation) {
        check_cuda(error, (std::to_string(bytes / 1000000 + 1) + " MB more could not be had").c_str());
    }
    check_cuda(error, "allocation");
    const cudaError_t cleared = cudaMemsetAsync(memory, 0, bytes, stream_);
    if (cleared != cudaSuccess) {
        free(memory);
        check_cuda(cleared, "clearing memory");
    }
    return memory;
}

void CudaStream::free(void* memory) noexcept {
    if (cudaFreeAsync(memory, stream_) != cudaSuccess) cudaGetLastError();
}

void CudaStream::read(void* host, const void* device, size_t bytes) {
    if (bytes == 0) return;
    const bool small = bytes <= read_bytes;
    void* to = small ? pinned_ : host;
    check_cuda(cudaMemcpyAsync(to, device, bytes, cudaMemcpyDeviceToHost, stream_), "copy to the host");
    check_cuda(cudaStreamSynchronize(stream_), "waiting");
    written_ = 0;
    if (small) std::memcpy(host, pinned_, bytes);
}

void CudaStream::write(void* device, const void* host, size_t bytes) {
    if (bytes == 0) return;
    constexpr size_t room = pinned_bytes - read_bytes;
    if (bytes > room) {
        check_cuda(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_), "copy to the device");
        check_cuda(cudaStreamSynchronize(stream_), "waiting");
        written_ = 0;
        return;
    }
    if (written_ + bytes > room) {
        check_cuda(cudaStreamSynchronize(stream_), "waiting");
        written_ = 0;
    }
    unsigned char* from = pinned_ + read_bytes + written_;
    written_ += bytes;
    std::memcpy(from, host, bytes);
    check_cuda(cudaMemcpyAsync(device, from, bytes, cudaMemcpyHostToDevice, stream_), "copy to the device");
}

void CudaStream::send_flag(const int32_t* device_flag) {
    check_cuda(cudaMemcpyAsync(flag_, device_flag, sizeof *flag_, cudaMemcpyDeviceToHost, stream_), "copy to the host");
    check_cuda(cudaEventRecord(flag_sent_, stream_), "event");
}

int32_t CudaStream::receive_flag() {
    check_cuda(cudaEventSynchronize(flag_sent_), "waiting");
    return *flag_;
}

int CudaStream::mark() {
    const int moment = next_moment_;
    next_moment_ = (next_moment_ + 1) % moments;
    check_cuda(cudaEventRecord(moment_[moment], stream_), "event");
    return moment;
}

double CudaStream::seconds(int from, int to) const {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, moment_[from], moment_[to]), "event");
    return static_cast<double>(milliseconds) * 1e-3;
}

uint64_t CudaStream::memory_free() const {
    size_t available = 0, total = 0;
    check_cuda(cudaMemGetInfo(&available, &total), "memory");
    // What the pool keeps but nobody uses can be had too.
    uint64_t reserved = 0, used = 0;
    check_cuda(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved), "memory pool");
    check_cuda(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used), "memory pool");
    return available + (reserved > used ? reserved - used : 0);
}

void* CudaStream::scratch(size_t bytes) {
    if (bytes <= scratch_bytes_) return scratch_;
    if (scratch_) free(scratch_);
    scratch_ = nullptr;
    scratch_bytes_ = 0;
    scratch_ = allocate(bytes + bytes / 8);
    scratch_bytes_ = bytes + bytes / 8;
    return scratch_;
}

CudaStream::Entered::Entered(CudaStream& stream) : before_(entered) {
    entered = &stream;
    if (cudaGetDevice(&device_before_) != cudaSuccess || cudaSetDevice(stream.device_) != cudaSuccess) {
        cudaGetLastError();  // the work that follows says so too
    }
}

CudaStream::Entered::~Entered() {
    entered = before_;
    if (cudaSetDevice(device_before_) != cudaSuccess) cudaGetLastError();
}

}  // namespace firn
