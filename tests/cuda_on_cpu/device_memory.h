#pragma once

// The emulated card's memory. Device addresses lie in a range that the host can't touch: code on the host that follows
// a device pointer crashes, as it would with a real card. The bytes themselves lie elsewhere, at a fixed distance.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace firn::cuda_on_cpu {

// Fixed places keep a check to a few instructions, and addresses the same from run to run.
constexpr std::uint64_t arena_base = 0x200000000000;    // device addresses
constexpr std::uint64_t arena_size = 0x1000000000;      // 64 GB of them
constexpr std::uint64_t backing_base = 0x210000000000;  // the bytes
constexpr std::uint64_t extent_base = 0x220000000000;   // std::uint16_t per granule: how many of its bytes may be used
constexpr std::uint64_t touched_base = 0x230000000000;  // std::uint32_t per sector: the launch that last touched it
constexpr std::uint64_t granule_bits = 8;               // of 256 bytes, cudaMalloc's alignment
constexpr std::uint64_t sector_bits = 5;                // of 32 bytes, what a card moves to and from DRAM

// Generic addresses of the spaces that every thread or block has for itself.
constexpr std::uint64_t window_size = 0x10000000;
constexpr std::uint64_t shared_window = 0x1f0000000000;
constexpr std::uint64_t local_window = shared_window + window_size;
constexpr std::uint64_t param_window = local_window + window_size;

inline const std::uint16_t* extents() {
    return reinterpret_cast<const std::uint16_t*>(extent_base);
}

struct Allocation {
    std::uint64_t address;  ///< as the host sees it
    std::size_t bytes;
    bool host;             ///< pinned or managed: host and device see it
    std::uint64_t number;  ///< the n-th of this process, from 1
    bool permanent;        ///< a variable of a module
};

/// Reserves the ranges; once, by whoever comes first.
void reserve_device_memory();

/// Device memory filled with `poison`; 0 if no room is left among the addresses. Freed addresses are used again as late
/// as possible. Between two allocations lie at least 256 bytes that belong to nobody.
std::uint64_t allocate_device(std::size_t bytes, unsigned char poison, bool permanent = false);
/// Pinned host memory, also filled.
void* allocate_host(std::size_t bytes, unsigned char poison);
/// False if nothing starts there, or not of that kind.
bool free_device(std::uint64_t address, unsigned char poison);
bool free_host(void* address);

/// The allocation that holds the address, if any.
bool find_allocation(std::uint64_t address, Allocation& out);
/// "12 bytes past the end of allocation 3 (4096 bytes)", and so on.
std::string describe_address(std::uint64_t address);
std::vector<Allocation> live_allocations();

/// The host's pointer to bytes of a device or pinned allocation; null unless all of them are inside one allocation.
unsigned char* bytes_at(std::uint64_t address, std::size_t bytes);
inline bool is_device_address(std::uint64_t address) {
    return address - arena_base < arena_size;
}

}  // namespace firn::cuda_on_cpu
