#pragma once

// Numbers as most are written, with few digits: they take a third of the time of std::from_chars.

#include <cstddef>
#include <cstdint>

namespace firn {

/// Moves on behind the number. False, wherever it then is, for what is none, and for any that needs more care.
inline bool plain_number(const char*& at, const char* end, float& value) {
    const bool negative = at != end && *at == '-';
    if (negative) ++at;
    uint64_t digits = 0;
    const auto take_digits = [&] {
        const char* const first = at;
        for (; at != end && *at >= '0' && *at <= '9'; ++at) digits = 10 * digits + static_cast<uint64_t>(*at - '0');
        return at - first;
    };
    std::ptrdiff_t count = take_digits(), power = 0;
    if (at != end && *at == '.') {
        ++at;
        power = -take_digits();
        count -= power;
    }
    if (end - at > 2 && (*at == 'e' || *at == 'E')) {
        const bool small = at[1] == '-';
        at += small || at[1] == '+' ? 2 : 1;
        const char* const first = at;
        std::ptrdiff_t size = 0;
        for (; at != end && *at >= '0' && *at <= '9' && at - first < 3; ++at) size = 10 * size + (*at - '0');
        if (at == first) return false;
        power += small ? -size : size;
    }
    constexpr std::ptrdiff_t most_digits = 15, most = 18;
    if (count == 0 || count > most_digits || power < -most || power > most) return false;
    constexpr double ten_to[most + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                         1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    const double whole = static_cast<double>(digits);
    const double size = power < 0 ? whole / ten_to[-power] : whole * ten_to[power];
    value = static_cast<float>(negative ? -size : size);
    return true;
}

}  // namespace firn
