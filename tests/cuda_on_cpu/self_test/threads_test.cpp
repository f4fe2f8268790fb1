// Threads together: shuffles, votes, barriers, atomics, and orders that a card leaves open.

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "control.h"
#include "device_array.h"
#include "machine_kernels.h"

namespace {

using namespace firn::cuda_on_cpu;
using u32 = std::uint32_t;

/// In order, and in three shuffled ones.
class CudaOnCpuThreads : public testing::TestWithParam<int> {
protected:
    void SetUp() override {
        reset();
        if (GetParam()) run_shuffled(u32(GetParam()));
    }
    void TearDown() override {
        EXPECT_EQ(take_problems(), std::vector<std::string>{});
        EXPECT_EQ(leaks(), std::vector<std::string>{});
    }
};

std::vector<u32> numbers(u32 count) {
    std::mt19937 random(count);
    std::vector<u32> out(count);
    for (u32& x : out) x = u32(random()) % 7;
    return out;
}

TEST_P(CudaOnCpuThreads, ShufflesGiveTheLanesOfTheirSegment) {
    for (u32 threads : {32u, 64u, 45u}) {  // 45: a warp that is not full
        for (u32 width : {32u, 16u, 8u, 2u}) {
            for (u32 distance : {0u, 1u, 3u, 7u, 31u}) {
                std::vector<u32> in(threads);
                std::iota(in.begin(), in.end(), 1000u);
                const DeviceArray<u32> values(in), up(threads), down(threads), across(threads), indexed(threads);
                launch_shuffles(values.data(), up.data(), down.data(), across.data(), indexed.data(), distance, width,
                                threads);
                const std::vector<u32> ups = up.read(), downs = down.read(), acrosses = across.read(),
                                       ats = indexed.read();
                for (u32 i = 0; i < threads; ++i) {
                    const u32 lane = i % 32, warp = i - lane, segment = lane / width * width;
                    const auto expect = [&](u32 got, u32 from, const char* what) {
                        // Lanes that the last warp does not have give nothing that is defined.
                        if (warp + from >= threads) return;
                        EXPECT_EQ(got, 1000 + warp + from)
                            << what << " " << distance << "/" << width << ", thread " << i;
                    };
                    expect(ups[i], lane >= segment + distance ? lane - distance : lane, "up");
                    expect(downs[i], lane + distance < segment + width ? lane + distance : lane, "down");
                    const u32 other = lane ^ distance;  // past the segment's end: its own
                    expect(acrosses[i], other < segment + width ? other : lane, "across");
                    expect(ats[i], segment + distance % width, "indexed");
                }
            }
        }
    }
}

TEST_P(CudaOnCpuThreads, VotesCountOnlyTheMask) {
    const std::vector<u32> in = numbers(40);
    for (u32 mask : {0xffffffffu, 0x0000ffffu, 0x80000001u, 0x00000010u, 0xaaaaaaaau}) {
        // The second warp has eight lanes: only masks that name them all or a part.
        const u32 threads = mask == 0xffffffffu ? 40 : 32;
        const DeviceArray<u32> values(in), ballot(40), all(40), any(40), match(40);
        launch_votes(values.data(), mask, ballot.data(), all.data(), any.data(), match.data(), threads);
        const std::vector<u32> ballots = ballot.read(), alls = all.read(), anys = any.read(), matches = match.read();
        for (u32 i = 0; i < threads; ++i) {
            if (!(mask >> i % 32 & 1)) continue;
            u32 odd = 0, same = 0, members = 0;
            for (u32 k = 0; k < 32; ++k) {
                const u32 other = i / 32 * 32 + k;
                if (other >= threads || !(mask >> k & 1)) continue;
                members |= 1u << k;
                odd |= (in[other] & 1) << k;
                same |= u32(in[other] == in[i]) << k;
            }
            EXPECT_EQ(ballots[i], odd);
            EXPECT_EQ(alls[i] != 0, odd == members);
            EXPECT_EQ(anys[i] != 0, odd != 0);
            EXPECT_EQ(matches[i], same);
        }
    }
}

TEST_P(CudaOnCpuThreads, LaneRegisters) {
    const DeviceArray<u32> out(5 * 70);
    launch_lane_masks(out.data(), 70);
    const std::vector<u32> got = out.read();
    for (u32 i = 0; i < 70; ++i) {
        u32 less = 0;
        for (u32 k = 0; k < i % 32; ++k) less |= 1u << k;
        const u32 equal = 1u << i % 32;
        EXPECT_EQ(got[5 * i], i % 32);
        EXPECT_EQ(got[5 * i + 1], less);
        EXPECT_EQ(got[5 * i + 2], less | equal);
        EXPECT_EQ(got[5 * i + 3], ~(less | equal));
        EXPECT_EQ(got[5 * i + 4], equal);
    }
}

TEST_P(CudaOnCpuThreads, BarriersInALoop) {
    constexpr u32 blocks = 37;
    std::vector<float> in(256 * blocks);
    std::iota(in.begin(), in.end(), 0.0f);
    const DeviceArray<float> values(in), sums(blocks);
    launch_block_sums(values.data(), sums.data(), blocks);
    const std::vector<float> got = sums.read();
    for (u32 b = 0; b < blocks; ++b) EXPECT_EQ(got[b], 256.0f * (256.0f * float(b)) + 255.0f * 128.0f);
}

TEST_P(CudaOnCpuThreads, BarriersThatCount) {
    for (u32 threads : {1u, 33u, 256u}) {
        const std::vector<u32> in = numbers(threads);
        const DeviceArray<u32> values(in), out(3);
        launch_barrier_reductions(values.data(), out.data(), threads);
        const u32 odd = u32(std::count_if(in.begin(), in.end(), [](u32 x) { return x % 2 == 1; }));
        EXPECT_EQ(out.read(), (std::vector<u32>{odd, odd == threads, odd != 0}));
    }
}

TEST_P(CudaOnCpuThreads, BarriersByNumber) {
    const DeviceArray<u32> out(128);
    launch_named_barriers(out.data());
    const std::vector<u32> got = out.read();
    for (u32 k = 0; k < 128; ++k) EXPECT_EQ(got[k], k / 32 * 100 + 31 - k % 32);
}

TEST_P(CudaOnCpuThreads, DynamicSharedMemory) {
    const std::vector<u32> in = numbers(100);
    const DeviceArray<u32> values(in), out(100);
    launch_reverse(values.data(), out.data(), 100, 400);
    EXPECT_EQ(out.read(), std::vector<u32>(in.rbegin(), in.rend()));
}

TEST_P(CudaOnCpuThreads, Atomics) {
    constexpr u32 blocks = 50, n = 128 * blocks;
    Atomics start{};
    start.smallest = 0xffffffff;
    start.all_ones = 0xffffffff;
    const DeviceArray<Atomics> out(std::vector<Atomics>{start});
    launch_atomics(out.data(), blocks);
    const Atomics got = out.read()[0];
    EXPECT_EQ(got.sum, n * (n - 1) / 2);
    EXPECT_EQ(got.smallest, 5u);
    EXPECT_EQ(got.largest, n - 1);
    EXPECT_EQ(got.ones, 0xffffffffu);
    EXPECT_EQ(got.all_ones, 0xffffff00u);
    u32 turned = 0;
    for (u32 i = 0; i < n; ++i) turned ^= i;
    EXPECT_EQ(got.turned, turned);
    EXPECT_EQ(got.wrapped, n % 10);
    EXPECT_EQ(got.signed_smallest, -int(n - 1));
    EXPECT_EQ(got.float_sum, 0.5f * n);
    EXPECT_EQ(got.wide_sum, 0x100000000ull * n);
    EXPECT_GE(got.taken, 1u);
}

TEST_P(CudaOnCpuThreads, BlocksThatWaitForEachOther) {
    const DeviceArray<u32> lock(std::vector<u32>{0, 0});
    launch_lock(lock.data(), lock.data() + 1, 60);
    EXPECT_EQ(lock.read()[1], 60u);
    const DeviceArray<u32> flags(std::vector<u32>(80, 0));
    launch_chain(flags.data(), 80);
    const std::vector<u32> got = flags.read();
    for (u32 b = 0; b < 80; ++b) EXPECT_EQ(got[b], b + 1);
}

TEST_P(CudaOnCpuThreads, FunctionsLocalArraysAndBranchTables) {
    std::vector<u32> in(300);
    std::iota(in.begin(), in.end(), 1u);
    const DeviceArray<u32> values(in), out(300);
    launch_calls(values.data(), out.data(), 300);
    const std::vector<u32> got = out.read();
    for (u32 i = 0; i < 300; ++i) {
        const u32 x = in[i];
        u32 steps = 0;
        for (u32 n = x; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
        const u32 choices[] = {x + 11, x * 3, x ^ 0x55, x >> 2, x << 5, ~x, x - 1000, x | 0x1000, x & 0xf0f0, 0};
        EXPECT_EQ(got[i], steps * 1000 + ((x & 7) + i) % 8 + choices[x % 10] * 0x100000) << i;
    }
}

TEST_P(CudaOnCpuThreads, VariablesOfTheModule) {
    {
        const DeviceArray<float> out(4);
        launch_constants(out.data());
        EXPECT_EQ(out.read(), (std::vector<float>{43, 44, 45, 46}));
        set_constant({5, 6, 7, 8});
        launch_constants(out.data());
        EXPECT_EQ(out.read(), (std::vector<float>{49, 50, 51, 52}));
    }
    reset();  // as they were
    const DeviceArray<float> again(4);
    launch_constants(again.data());
    EXPECT_EQ(again.read(), (std::vector<float>{43, 44, 45, 46}));
}

INSTANTIATE_TEST_SUITE_P(Orders, CudaOnCpuThreads, testing::Values(0, 1, 2, 3), [](const auto& test) {
    return test.param ? "Shuffled" + std::to_string(test.param) : "InOrder";
});

// What depends on the order is found: some order gives another result.

TEST(CudaOnCpuOrders, ARaceOfBlocksOrThreadsShows) {
    for (const auto& [blocks, threads] : {std::pair<u32, u32>{16, 1}, {1, 32}, {1, 128}}) {
        reset();
        std::vector<u32> seen;
        for (u32 seed = 1; seed <= 6; ++seed) {
            run_shuffled(seed);
            const DeviceArray<u32> out(1);
            launch_race(out.data(), blocks, threads);
            seen.push_back(out.read()[0]);
        }
        EXPECT_NE(std::count(seen.begin(), seen.end(), seen[0]), 6) << blocks << " x " << threads;
    }
}

TEST(CudaOnCpuOrders, AMissingBarrierShows) {
    reset();
    const DeviceArray<u32> out(64);
    launch_missing_barrier(out.data());
    const std::vector<u32> got = out.read();
    u32 wrong = 0;
    for (u32 i = 0; i < 64; ++i) wrong += got[i] != 63 - i;
    EXPECT_GT(wrong, 0u);
}

TEST(CudaOnCpuOrders, ASeedGivesTheSameOrderAgain) {
    std::vector<u32> first, second;
    for (std::vector<u32>* each : {&first, &second}) {
        reset();
        run_shuffled(99);
        for (int k = 0; k < 5; ++k) {
            const DeviceArray<u32> out(1);
            launch_race(out.data(), 9, 33);
            each->push_back(out.read()[0]);
        }
    }
    EXPECT_EQ(first, second);
}

}  // namespace
