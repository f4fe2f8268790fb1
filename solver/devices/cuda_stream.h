#pragma once

// One card's stream of work and memory, in plain types: what is behind the launches.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace firn {

/// Throws for anything but success: Error when memory is full, DeviceLost otherwise. `what` was attempted.
void check_cuda(cudaError_t, const char* what);

/// A stream, its memory pool, and the pinned memory that small copies pass through. Work goes to the stream that the
/// calling thread has entered; CUDA's own notion of a current device works the same way.
class CudaStream {
public:
    explicit CudaStream(int device);
    ~CudaStream();
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;

    /// The one that this thread has entered.
    static CudaStream& current();

    cudaStream_t handle() const { return stream_; }

    /// Zeroed memory, in the stream's order.
    void* allocate(size_t bytes);
    void free(void*) noexcept;

    /// Both return when the host's memory may be used again: reading waits for all work so far, writing does not.
    void read(void* host, const void* device, size_t bytes);
    void write(void* device, const void* host, size_t bytes);

    /// A copy of an int on its way to the host, and the wait for the one that was sent before it.
    void send_flag(const int32_t* device_flag);
    int32_t receive_flag();

    /// A moment in the stream, and seconds between two of the last `moments` moments.
    int mark();
    double seconds(int from, int to) const;

    uint64_t memory_free() const;
    /// Kept for sorting and sums, besides what was allocated here.
    void* scratch(size_t bytes);
    size_t scratch_bytes() const { return scratch_bytes_; }

    /// For the time of a call, the calling thread works on this stream and its card.
    class Entered {
    public:
        explicit Entered(CudaStream&);
        ~Entered();
        Entered(const Entered&) = delete;
        Entered& operator=(const Entered&) = delete;

    private:
        CudaStream* before_;
        int device_before_ = 0;
    };

private:
    void release() noexcept;

    static constexpr size_t pinned_bytes = 256 * 1024;
    static constexpr size_t read_bytes = 16 * 1024;  ///< of them, for reading
    static constexpr int moments = 16;

    int device_;
    cudaStream_t stream_ = nullptr;
    cudaMemPool_t pool_ = nullptr;
    unsigned char* pinned_ = nullptr;
    size_t written_ = 0;  ///< of the pinned memory for writing, since the last wait
    int32_t* flag_ = nullptr;
    cudaEvent_t flag_sent_ = nullptr;
    cudaEvent_t moment_[moments] = {};
    int next_moment_ = 0;
    void* scratch_ = nullptr;
    size_t scratch_bytes_ = 0;
};

}  // namespace firn
