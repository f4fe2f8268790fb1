#include "firn/scattered.h"

namespace firn {

namespace {

uint64_t mixed(uint64_t x) {
    // The finaliser of SplitMix64.
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

}  // namespace

uint64_t scattered(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    constexpr uint64_t step = 0x9e3779b97f4a7c15ull;
    return mixed(mixed(mixed(mixed(a + step) + b + step) + c + step) + d + step);
}

double scattered_unit(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    return static_cast<double>(scattered(a, b, c, d) >> 11) * 0x1p-53;
}

}  // namespace firn
