#pragma once
// Fake of <SIM/SIM_Time.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___time.html
// Seconds, compared with a tolerance.

#include <SIM/SIM_API.h>
#include <SYS/SYS_Math.h>
#include <SYS/SYS_Types.h>

class SIM_API SIM_Time {
public:
    SIM_Time() = default;
    SIM_Time(const fpreal64& t) : seconds_(t) {}

    operator fpreal64() const { return seconds_; }
    bool operator==(const SIM_Time& t) const { return !(*this < t) && !(t < *this); }
    bool operator!=(const SIM_Time& t) const { return !(*this == t); }
    bool operator<(const SIM_Time& t) const { return seconds_ < t.seconds_ - alike_; }
    bool operator>(const SIM_Time& t) const { return t < *this; }
    bool operator<=(const SIM_Time& t) const { return !(t < *this); }
    bool operator>=(const SIM_Time& t) const { return !(*this < t); }

private:
    static constexpr fpreal64 alike_ = 1e-5;  // far below a substep, far above rounding
    fpreal64 seconds_ = 0;
};
