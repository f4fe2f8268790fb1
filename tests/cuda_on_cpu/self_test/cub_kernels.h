#pragma once

#include <cstdint>
#include <vector>

// CUB's algorithms on the emulated card, from host memory to host memory.
void cub_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& values, int bits);
std::vector<std::uint32_t> cub_inclusive_scan(const std::vector<std::uint32_t>&);
std::vector<std::uint64_t> cub_exclusive_scan(const std::vector<std::uint64_t>&);
double cub_sum(const std::vector<double>&);
float cub_max(const std::vector<float>&);
