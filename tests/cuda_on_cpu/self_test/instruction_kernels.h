#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Runs one PTX instruction (instruction_kernels.cu has the list) on the emulated card, once for each row of operands.
/// Operands and results are bits, in the low end of 64.
std::vector<std::uint64_t> run_instruction(const std::string& name, const std::vector<std::uint64_t>& a,
                                           const std::vector<std::uint64_t>& b, const std::vector<std::uint64_t>& c);
std::vector<std::string> instruction_names();
