#pragma once

// Cards that the GPU report speaks of. Figures from NVIDIA's data sheets and architecture white papers, but for what is
// marked as assumed.

#include <vector>

struct GpuCard {
    const char* name;
    int architecture;  ///< 75 = sm_75
    int multiprocessors;
    double clock_ghz;     ///< boost
    double dram_gbs;      ///< GB/s
    double float_tflops;  ///< fused multiply-adds count two
    double double_tflops;
    double l1_bytes;  ///< per clock and multiprocessor
    double l2_gbs;  ///< GB/s; assumed: 64 bytes a clock for each 16 bits of a GDDR6 bus, 5120 a clock on A100 and H100
    int shared_kb;  ///< of a multiprocessor
    int shared_block_kb;  ///< of a block, at most
    int threads;          ///< of a multiprocessor
};

inline const std::vector<GpuCard>& gpu_cards() {
    static const std::vector<GpuCard> cards = {
        {"T4", 75, 40, 1.59, 320, 8.1, 0.25, 64, 1630, 64, 64, 1024},
        {"RTX 2060", 75, 30, 1.68, 336, 6.45, 0.20, 64, 1290, 64, 64, 1024},
        {"RTX 3090", 86, 82, 1.695, 936, 35.6, 0.56, 128, 2600, 100, 99, 1536},
        {"RTX 4090", 89, 128, 2.52, 1008, 82.6, 1.29, 128, 3870, 100, 99, 1536},
        {"A100", 80, 108, 1.41, 1555, 19.5, 9.7, 128, 7220, 164, 163, 2048},
        {"H100", 90, 132, 1.98, 3350, 66.9, 33.5, 128, 10100, 228, 227, 2048},
    };
    return cards;
}
