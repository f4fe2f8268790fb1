#pragma once
// Double of <SIM/SIM_Time.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___time.html
// Seconds, compared with a tolerance.

#include <SIM/SIM_API.h>
#include <SYS/SYS_Types.h>

#include <cmath>

#define SIM_TIME_TOL (0.00001)

class SIM_API SIM_Time {
public:
    SIM_Time() = default;
    SIM_Time(const fpreal64& t) : seconds_(t) {}

    operator fpreal64() const { return seconds_; }
    bool operator==(const SIM_Time& t) const { return std::fabs(seconds_ - t.seconds_) <= SIM_TIME_TOL; }
    bool operator!=(const SIM_Time& t) const { return !(*this == t); }
    bool operator<(const SIM_Time& t) const { return seconds_ < t.seconds_ - SIM_TIME_TOL; }
    bool operator>(const SIM_Time& t) const { return t < *this; }
    bool operator<=(const SIM_Time& t) const { return !(t < *this); }
    bool operator>=(const SIM_Time& t) const { return !(*this < t); }

private:
    fpreal64 seconds_ = 0;
};
