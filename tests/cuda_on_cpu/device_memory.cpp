#include "device_memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace firn::cuda_on_cpu {
namespace {

constexpr std::uint64_t granule = 1ull << granule_bits;

struct Memory {
    std::mutex mutex;
    std::map<std::uint64_t, Allocation> live;
    std::map<std::uint64_t, std::size_t> freed;  // for messages
    std::uint64_t cursor = arena_base + granule;
    std::uint64_t count = 0;
};

Memory& memory() {
    static Memory* const the = new Memory;  // outlives every destructor that frees
    return *the;
}

void map_fixed(std::uint64_t address, std::uint64_t bytes, int protection) {
    void* const got = mmap(reinterpret_cast<void*>(address), bytes, protection,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == reinterpret_cast<void*>(address)) return;
    std::fprintf(stderr, "cuda_on_cpu: the address range at %#llx is taken\n",
                 static_cast<unsigned long long>(address));
    std::abort();
}

std::uint64_t rounded(std::size_t bytes) {
    return (bytes + granule - 1) / granule * granule;
}

void set_extents(std::uint64_t address, std::size_t bytes, bool usable) {
    auto* const extent = reinterpret_cast<std::uint16_t*>(extent_base) + ((address - arena_base) >> granule_bits);
    for (std::size_t k = 0; k * granule < bytes; ++k) {
        const std::size_t rest = bytes - k * granule;
        extent[k] = usable ? static_cast<std::uint16_t>(rest < granule ? rest : granule) : std::uint16_t{0};
    }
}

unsigned char* backing(std::uint64_t address) {
    return reinterpret_cast<unsigned char*>(address - arena_base + backing_base);
}

/// Next fit: the first gap after the last allocation, so that freed addresses rest as long as possible.
std::uint64_t find_gap(Memory& m, std::uint64_t needed) {
    for (int turn = 0; turn < 2; ++turn) {
        std::uint64_t at = turn == 0 ? m.cursor : arena_base + granule;
        auto next = m.live.lower_bound(at);
        if (next != m.live.begin()) {
            const Allocation& before = std::prev(next)->second;
            if (!before.host) at = std::max(at, before.address + rounded(before.bytes) + granule);
        }
        for (;; ++next) {
            const bool last = next == m.live.end() || !is_device_address(next->first);
            const std::uint64_t end = last ? arena_base + arena_size : next->first;
            if (at + needed + granule <= end) return at;
            if (last) break;
            at = next->first + rounded(next->second.bytes) + granule;
        }
    }
    return 0;
}

}  // namespace

void reserve_device_memory() {
    static const bool done = [] {
        map_fixed(shared_window, 3 * window_size, PROT_NONE);
        map_fixed(arena_base, arena_size, PROT_NONE);
        map_fixed(backing_base, arena_size, PROT_READ | PROT_WRITE);
        map_fixed(extent_base, (arena_size >> granule_bits) * sizeof(std::uint16_t), PROT_READ | PROT_WRITE);
        map_fixed(touched_base, (arena_size >> sector_bits) * sizeof(std::uint32_t), PROT_READ | PROT_WRITE);
        return true;
    }();
    (void)done;
}

std::uint64_t allocate_device(std::size_t bytes, unsigned char poison, bool permanent) {
    reserve_device_memory();
    Memory& m = memory();
    const std::lock_guard<std::mutex> lock(m.mutex);
    const std::uint64_t size = rounded(bytes ? bytes : 1);
    const std::uint64_t address = find_gap(m, size);
    if (!address) return 0;
    m.cursor = address + size + granule;
    m.live[address] = {address, bytes, false, ++m.count, permanent};
    set_extents(address, bytes, true);
    std::memset(backing(address), poison, size);
    return address;
}

void* allocate_host(std::size_t bytes, unsigned char poison) {
    void* const address = std::aligned_alloc(4096, (bytes + 4096) / 4096 * 4096);
    if (!address) return nullptr;
    std::memset(address, poison, bytes);
    Memory& m = memory();
    const std::lock_guard<std::mutex> lock(m.mutex);
    const auto at = reinterpret_cast<std::uint64_t>(address);
    m.live[at] = {at, bytes, true, ++m.count, false};
    return address;
}

bool free_device(std::uint64_t address, unsigned char poison) {
    Memory& m = memory();
    const std::lock_guard<std::mutex> lock(m.mutex);
    const auto found = m.live.find(address);
    if (found == m.live.end() || found->second.host || found->second.permanent) return false;
    const std::size_t bytes = found->second.bytes;
    set_extents(address, bytes, false);
    if (bytes > (1u << 20)) {
        madvise(backing(address), rounded(bytes), MADV_DONTNEED);
    } else {
        std::memset(backing(address), poison, bytes);
    }
    m.live.erase(found);
    m.freed[address] = bytes;
    if (m.freed.size() > 4096) m.freed.erase(m.freed.begin());
    return true;
}

bool free_host(void* address) {
    Memory& m = memory();
    const std::lock_guard<std::mutex> lock(m.mutex);
    const auto found = m.live.find(reinterpret_cast<std::uint64_t>(address));
    if (found == m.live.end() || !found->second.host) return false;
    m.live.erase(found);
    std::free(address);
    return true;
}

bool find_allocation(std::uint64_t address, Allocation& out) {
    Memory& m = memory();
    const std::lock_guard<std::mutex> lock(m.mutex);
    auto next = m.live.upper_bound(address);
    if (next == m.live.begin()) return false;
    const Allocation& before = std::prev(next)->second;
    if (address - before.address >= before.bytes) return false;
    out = before;
    return true;
}

std::string describe_address(std::uint64_t address) {
    Memory& m = memory();
    const std::lock_guard<std::mutex> lock(m.mutex);
    char text[200];
    const auto say = [&](const char* how, std::uint64_t by, std::size_t bytes) {
        std::snprintf(text, sizeof text, how, static_cast<unsigned long long>(by), bytes);
        return std::string(text);
    };
    if (!is_device_address(address)) {
        return address < 4096 ? "a null pointer" : "not a device address";
    }
    const auto freed = m.freed.upper_bound(address);
    if (freed != m.freed.begin()) {
        const auto& [start, bytes] = *std::prev(freed);
        if (address - start < bytes) return say("%llu bytes into freed memory of %zu bytes", address - start, bytes);
    }
    const auto next = m.live.upper_bound(address);
    if (next != m.live.begin()) {
        const Allocation& before = std::prev(next)->second;
        if (address - before.address < before.bytes) {
            return say("%llu bytes into an allocation of %zu bytes", address - before.address, before.bytes);
        }
        if (address - before.address - before.bytes < (1u << 20)) {
            return say("%llu bytes past the end of an allocation of %zu bytes", address - before.address - before.bytes,
                       before.bytes);
        }
    }
    if (next != m.live.end() && next->first - address < (1u << 20)) {
        return say("%llu bytes before an allocation of %zu bytes", next->first - address, next->second.bytes);
    }
    return "memory that nobody allocated";
}

std::vector<Allocation> live_allocations() {
    Memory& m = memory();
    const std::lock_guard<std::mutex> lock(m.mutex);
    std::vector<Allocation> out;
    for (const auto& [address, allocation] : m.live) {
        if (!allocation.permanent) out.push_back(allocation);
    }
    return out;
}

unsigned char* bytes_at(std::uint64_t address, std::size_t bytes) {
    Allocation found;
    if (!find_allocation(address, found)) return nullptr;
    if (bytes > found.bytes - (address - found.address)) return nullptr;
    return found.host ? reinterpret_cast<unsigned char*>(address) : backing(address);
}

}  // namespace firn::cuda_on_cpu
