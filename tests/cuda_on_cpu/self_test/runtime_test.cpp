// The stand-in for the CUDA runtime: its checks find what they are for, its faults happen, its counts are right.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "control.h"
#include "device_array.h"
#include "machine_kernels.h"

namespace {

using namespace firn::cuda_on_cpu;
using u32 = std::uint32_t;

class CudaOnCpuRuntime : public testing::Test {
protected:
    void SetUp() override { reset(); }
    void TearDown() override {
        EXPECT_EQ(take_problems(), std::vector<std::string>{});
        reset();
    }
    /// One problem was found, and its line has all these words.
    static void expect_problem(const std::vector<std::string>& words) {
        const std::vector<std::string> problems = take_problems();
        ASSERT_EQ(problems.size(), 1u);
        for (const std::string& word : words) EXPECT_NE(problems[0].find(word), std::string::npos) << problems[0];
    }
};

/// Memory that a reset takes away.
u32* words(std::size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, count * sizeof(u32)), cudaSuccess);
    return static_cast<u32*>(memory);
}

// Bounds.

TEST_F(CudaOnCpuRuntime, FindsReadsAndWritesOutOfBounds) {
    for (std::int64_t index : {10ll, 11ll, 100ll, -1ll, -100000ll}) {
        for (bool writes : {false, true}) {
            reset();
            u32 *const array = words(10), *const other = words(1);
            if (writes) {
                launch_write(array, index, 1);
            } else {
                launch_read(array, index, other);
            }
            EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // the launch itself is fine
            EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
            expect_problem({writes ? "write_at" : "read_at", "global", "thread (0, 0, 0) of block (0, 0, 0)"});
            // The context is lost: nothing works any more.
            EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
            EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
            void* memory = nullptr;
            EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorIllegalAddress);
            EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
            EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
        }
    }
    reset();
    u32* const array = words(10);
    launch_write(array, 9, 1);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(CudaOnCpuRuntime, FindsFreedNullAndHostMemory) {
    u32 on_the_stack = 0;
    u32* freed = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&freed), 400);
    cudaFree(freed);
    launch_write(freed, 3, 1);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    expect_problem({"write_at", "freed memory of 400 bytes"});
    reset();
    launch_write(nullptr, 0, 1);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    expect_problem({"null pointer"});
    reset();
    launch_write(&on_the_stack, 0, 1);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    expect_problem({"not a device address"});
    EXPECT_EQ(on_the_stack, 0u);
}

TEST_F(CudaOnCpuRuntime, FindsMemoryFreedInTheStreamBeforeItsUse) {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    void* memory = nullptr;
    ASSERT_EQ(cudaMallocAsync(&memory, 40, stream), cudaSuccess);
    launch_write(static_cast<u32*>(memory), 9, 1, stream);
    ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    ASSERT_EQ(cudaMallocAsync(&memory, 40, stream), cudaSuccess);
    ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
    launch_write(static_cast<u32*>(memory), 9, 1, stream);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
    expect_problem({"freed"});
}

TEST_F(CudaOnCpuRuntime, FindsMisalignedAndSharedAccesses) {
    u32 *const in = words(10), *const out = words(1);
    launch_misaligned(reinterpret_cast<const char*>(in), out);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
    expect_problem({"misaligned"});
    reset();
    u32* const again = words(1);
    launch_shared_overrun(again, 31);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    launch_shared_overrun(again, 32);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    expect_problem({"shared"});
}

TEST_F(CudaOnCpuRuntime, HostCodeCantTouchDeviceMemory) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            const DeviceArray<u32> array(10);
            volatile u32* const pointer = array.data();
            *pointer = 1;
        },
        "");
}

// Copies.

TEST_F(CudaOnCpuRuntime, FindsCopiesInTheWrongDirection) {
    const DeviceArray<u32> device(4);
    u32 host[4] = {};
    EXPECT_EQ(cudaMemcpy(host, device.data(), 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    expect_problem({"host to device"});
    EXPECT_EQ(cudaMemcpy(device.data(), host, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    expect_problem({"device to host"});
    EXPECT_EQ(cudaMemcpy(device.data(), host, 16, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    expect_problem({"device to device"});
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // not for ever
    EXPECT_EQ(cudaMemcpy(device.data(), host, 16, cudaMemcpyDefault), cudaSuccess);
}

TEST_F(CudaOnCpuRuntime, FindsCopiesOutOfBounds) {
    const DeviceArray<u32> device(4), second(4);
    u32 host[8] = {};
    EXPECT_EQ(cudaMemcpy(device.data(), host, 20, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    expect_problem({"20 bytes"});
    EXPECT_EQ(cudaMemcpy(host, device.data() + 1, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    expect_problem({"16 bytes"});
    EXPECT_EQ(cudaMemset(device.data(), 0, 17), cudaErrorInvalidValue);
    expect_problem({"memset"});
}

TEST_F(CudaOnCpuRuntime, FindsDoubleAndWrongFrees) {
    void* memory = nullptr;
    cudaMalloc(&memory, 100);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
    expect_problem({"free"});
    int host = 0;
    EXPECT_EQ(cudaFree(&host), cudaErrorInvalidValue);
    expect_problem({"free"});
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST_F(CudaOnCpuRuntime, FreshMemoryIsPoison) {
    const DeviceArray<float> floats(100);
    for (float x : floats.read()) EXPECT_TRUE(std::isnan(x));
    set_poison(0x40);
    const DeviceArray<u32> words(100);
    for (u32 x : words.read()) EXPECT_EQ(x, 0x40404040u);
}

TEST_F(CudaOnCpuRuntime, TellsLeaks) {
    EXPECT_TRUE(leaks().empty());
    void *memory = nullptr, *pinned = nullptr;
    cudaMalloc(&memory, 123);
    cudaMallocHost(&pinned, 77);
    ASSERT_EQ(leaks().size(), 2u);
    EXPECT_NE((leaks()[0] + leaks()[1]).find("123 bytes of device memory"), std::string::npos);
    EXPECT_NE((leaks()[0] + leaks()[1]).find("77 bytes of pinned memory"), std::string::npos);
    cudaFree(memory);
    cudaFreeHost(pinned);
    EXPECT_TRUE(leaks().empty());
}

TEST_F(CudaOnCpuRuntime, AProgramThatLeaksOrErrsFails) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            void* memory = nullptr;
            cudaMalloc(&memory, 5);
            std::exit(0);
        },
        testing::ExitedWithCode(97), "leak: 5 bytes");
    EXPECT_EXIT(
        {
            launch_write(nullptr, 0, 1);
            cudaDeviceSynchronize();
            std::exit(0);
        },
        testing::ExitedWithCode(97), "null pointer");
}

// Kernels that hang or break a rule.

TEST_F(CudaOnCpuRuntime, FindsLanesThatHaveEnded) {
    const DeviceArray<u32> out(32);
    launch_exited_lane(out.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    expect_problem({"exited_lane", "thread 3, which has ended"});
}

TEST_F(CudaOnCpuRuntime, FindsHangs) {
    set_patience(0.2);
    const DeviceArray<u32> flag(std::vector<u32>{0});
    launch_never(flag.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
    expect_problem({"never"});
}

TEST_F(CudaOnCpuRuntime, AssertionsOfKernels) {
    launch_assert(7);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    launch_assert(8);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorAssert);
    expect_problem({"value == 7", "machine_kernels.cu"});
}

// Devices and drivers.

TEST_F(CudaOnCpuRuntime, NoDriver) {
    for (Driver driver : {Driver::absent, Driver::too_old}) {
        set_driver(driver);
        int count = 77, version = -1;
        EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
        EXPECT_EQ(count, 77);  // not written
        EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
        EXPECT_EQ(version, driver == Driver::absent ? 0 : 11000);
        void* memory = nullptr;
        EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorInsufficientDriver);
        EXPECT_STREQ(cudaGetErrorString(cudaErrorInsufficientDriver),
                     "CUDA driver version is insufficient for CUDA runtime version");
    }
    EXPECT_EQ(int(cudaErrorInsufficientDriver), 35);
}

TEST_F(CudaOnCpuRuntime, NoDevice) {
    set_devices({});
    int count = 5;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
}

TEST_F(CudaOnCpuRuntime, SeveralDevices) {
    DeviceDescription second;
    second.name = "Second";
    second.major = 8;
    second.minor = 6;
    second.memory = 1 << 20;
    set_devices({DeviceDescription{}, second});
    int count = 0, value = 0;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMinor, 1), cudaSuccess);
    EXPECT_EQ(value, 6);
    cudaDeviceProp properties;
    EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
    EXPECT_STREQ(properties.name, "Second");
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 2 << 20), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaMalloc(&memory, 1 << 19), cudaSuccess);
    std::size_t free_bytes = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
    EXPECT_EQ(total, std::size_t(1) << 20);
    EXPECT_EQ(free_bytes, std::size_t(1) << 19);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(CudaOnCpuRuntime, ADeviceThatIsTooOldHasNoKernels) {
    DeviceDescription old;
    old.major = 5;
    old.minor = 0;
    set_devices({old});
    launch_write(nullptr, 0, 1);
    EXPECT_EQ(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
}

TEST_F(CudaOnCpuRuntime, RefusesWhatACardCantRun) {
    const DeviceArray<u32> array(2048);
    launch_reverse(array.data(), array.data(), 1025, 4);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    launch_reverse(array.data(), array.data(), 32, 49 * 1024);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    launch_race(array.data(), 0, 1);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

// Faults on demand.

TEST_F(CudaOnCpuRuntime, TheNthAllocationFails) {
    fail_allocation(3);
    void* memory[4] = {};
    EXPECT_EQ(cudaMalloc(&memory[0], 8), cudaSuccess);
    EXPECT_EQ(cudaMallocAsync(&memory[1], 8, nullptr), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&memory[2], 8), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaMalloc(&memory[3], 8), cudaSuccess);
    EXPECT_EQ(memory[2], nullptr);
    EXPECT_EQ(counters().live_allocations, 3u);
}

TEST_F(CudaOnCpuRuntime, TheNthLaunchFails) {
    u32* const array = words(4);
    fail_launch(2);
    launch_write(array, 0, 1);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    launch_write(array, 0, 1);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    reset();
    u32* const other = words(4);
    refuse_launch(2, cudaErrorLaunchOutOfResources);
    launch_write(other, 0, 1);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    launch_write(other, 0, 1);
    EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchOutOfResources);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(CudaOnCpuRuntime, TheDeviceIsLost) {
    u32* const array = words(4);
    lose_device(2);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaMemset(array, 0, 16), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorUnknown);
    u32 host[4];
    EXPECT_EQ(cudaMemcpy(host, array, 16, cudaMemcpyDeviceToHost), cudaErrorUnknown);
    EXPECT_EQ(cudaGetLastError(), cudaErrorUnknown);
    EXPECT_EQ(cudaDeviceReset(), cudaErrorUnknown);
    reset();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// Streams: nothing happens before somebody waits.

TEST_F(CudaOnCpuRuntime, PinnedCopiesComeWhenWaitedFor) {
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    const DeviceArray<u32> array(std::vector<u32>{1, 2, 3, 4});
    u32* pinned = nullptr;
    cudaMallocHost(reinterpret_cast<void**>(&pinned), 16);
    pinned[0] = 77;
    cudaMemcpyAsync(pinned, array.data(), 16, cudaMemcpyDeviceToHost, stream);
    EXPECT_EQ(pinned[0], 77u);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(pinned[0], 1u);
    // From pinned memory the card reads when its turn comes; from pageable memory it was taken at once.
    u32 pageable[4] = {5, 6, 7, 8};
    cudaMemcpyAsync(array.data(), pageable, 16, cudaMemcpyHostToDevice, stream);
    pageable[0] = 99;
    cudaStreamSynchronize(stream);
    EXPECT_EQ(array.read()[0], 5u);
    pinned[0] = 5;
    cudaMemcpyAsync(array.data(), pinned, 16, cudaMemcpyHostToDevice, stream);
    pinned[0] = 99;
    cudaStreamSynchronize(stream);
    EXPECT_EQ(array.read()[0], 99u);
    launch_add(pinned, pinned, 4, 1, stream);  // a kernel may use it too
    cudaStreamSynchronize(stream);
    EXPECT_EQ(pinned[0], 100u);
    cudaFreeHost(pinned);
    cudaStreamDestroy(stream);
}

TEST_F(CudaOnCpuRuntime, EventsOrderStreams) {
    cudaStream_t first = nullptr, second = nullptr;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t event = nullptr, end = nullptr;
    cudaEventCreate(&event);
    cudaEventCreate(&end);
    const DeviceArray<u32> a(std::vector<u32>{1, 2, 3, 4}), b(std::vector<u32>{0, 0, 0, 0});
    launch_add(a.data(), a.data(), 4, 10, first);
    EXPECT_EQ(cudaEventRecord(event, first), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
    launch_add(a.data(), b.data(), 4, 100, second);
    EXPECT_EQ(cudaEventRecord(end, second), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(end), cudaErrorNotReady);
    EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
    float milliseconds = -1;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event, end), cudaSuccess);
    EXPECT_GE(milliseconds, 0);
    EXPECT_EQ(b.read(), (std::vector<u32>{111, 112, 113, 114}));
    cudaEventDestroy(event);
    cudaEventDestroy(end);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}

TEST_F(CudaOnCpuRuntime, StreamsWithoutAnOrderHaveNone) {
    // The second stream is waited for, the first is not: its work has not been done.
    cudaStream_t first = nullptr, second = nullptr;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    u32* pinned = nullptr;
    cudaMallocHost(reinterpret_cast<void**>(&pinned), 8);
    pinned[0] = pinned[1] = 0;
    launch_write(pinned, 0, 1, first);
    launch_add(pinned, pinned + 1, 1, 100, second);
    cudaStreamSynchronize(second);
    EXPECT_EQ(pinned[1], 100u);
    cudaStreamSynchronize(first);
    EXPECT_EQ(pinned[0], 1u);
    cudaFreeHost(pinned);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}

TEST_F(CudaOnCpuRuntime, GraphsRepeatWhatWasCaptured) {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    const DeviceArray<u32> a(std::vector<u32>{1, 2, 3, 4}), b(4);
    clear_counters();
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    launch_add(a.data(), a.data(), 4, 10, stream);
    cudaMemcpyAsync(b.data(), a.data(), 16, cudaMemcpyDeviceToDevice, stream);
    cudaMemsetAsync(b.data(), 0, 4, stream);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_EQ(counters().kernels, 0u);
    std::size_t nodes = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(nodes, 3u);
    cudaGraphExec_t exec = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(b.read(), (std::vector<u32>{0, 32, 33, 34}));
    EXPECT_EQ(counters().kernels, 3u);
    EXPECT_EQ(counters().launches, 0u);
    EXPECT_EQ(counters().graph_launches, 3u);
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    // What a capture does not allow breaks it.
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    cudaStreamDestroy(stream);
}

// Counts.

TEST_F(CudaOnCpuRuntime, CountsCallsAndBytes) {
    clear_counters();
    {
        const DeviceArray<u32> a(std::vector<u32>(100, 1)), b(100);
        launch_add(a.data(), b.data(), 100, 1);
        launch_add(a.data(), b.data(), 100, 1);
        cudaMemset(b.data(), 0, 40);
        cudaMemcpy(b.data(), a.data(), 80, cudaMemcpyDeviceToDevice);
        b.read();
        const Counters now = counters();
        EXPECT_EQ(now.launches, 2u);
        EXPECT_EQ(now.kernels, 2u);
        EXPECT_EQ(now.allocations, 2u);
        EXPECT_EQ(now.live_bytes, 800u);
        EXPECT_EQ(now.bytes_to_device, 400u);
        EXPECT_EQ(now.bytes_to_host, 400u);
        EXPECT_EQ(now.bytes_on_device, 80u);
        EXPECT_EQ(now.bytes_set, 40u);
        EXPECT_EQ(now.copies, 3u);
        EXPECT_EQ(now.synchronisations, 3u);  // each cudaMemcpy
    }
    EXPECT_EQ(counters().frees, 2u);
    EXPECT_EQ(counters().live_bytes, 0u);
    EXPECT_EQ(counters().peak_bytes, 800u);
    ASSERT_EQ(kernel_counts().size(), 1u);
    EXPECT_EQ(kernel_counts()[0].work.launches, 2u);
    EXPECT_EQ(kernel_counts()[0].work.threads, 256u);
}

TEST_F(CudaOnCpuRuntime, CountsTheWorkOfKernels) {
    constexpr u32 n = 1000;
    std::vector<float> in(4 * n, 1.5f);
    const DeviceArray<float> values(in), out(n);
    count_sectors(true);
    clear_counters();
    launch_work(values.data(), out.data(), n);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(kernel_counts().size(), 1u);
    const KernelWork work = kernel_counts()[0].work;
    EXPECT_EQ(work.bytes_loaded, 16u * n);
    EXPECT_EQ(work.bytes_stored, 4u * n);
    EXPECT_EQ(work.flops, 3u * n);  // an fma and an add
    EXPECT_EQ(work.special, n);     // the division
    EXPECT_EQ(work.sectors_loaded, 16u * n / 32);
    EXPECT_EQ(work.sectors_stored, 4u * n / 32);
    EXPECT_GT(work.instructions, 8u * n);
}

}  // namespace
