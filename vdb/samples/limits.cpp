#include "samples/limits.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "firn/error.h"
#include "firn/memory.h"

namespace firn {

namespace {

std::string number(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

}  // namespace

void require_spacing(const char* what, float spacing, const MeshFacts& facts) {
    if (!(spacing > 0) || !std::isfinite(spacing)) {
        throw Error(std::string(what) + ": the spacing must be a positive number of metres, not " +
                    number("%g", static_cast<double>(spacing)));
    }
    float farthest = 0;
    for (const Float3& corner : {facts.low, facts.high}) {
        farthest = std::max({farthest, std::abs(corner.x), std::abs(corner.y), std::abs(corner.z)});
    }
    const double step =
        static_cast<double>(std::nextafter(farthest, std::numeric_limits<float>::infinity())) - farthest;
    if (step > spacing / 20.0) {
        throw Error(std::string(what) + ": it reaches " + number("%g", farthest) +
                    " m from the origin, where float32 tells places only " + number("%.2g", step) +
                    " m apart; too coarse for a spacing of " + number("%g", static_cast<double>(spacing)) +
                    " m: move the scene to the origin");
    }
}

void require_memory(const char* what, double particles, double bytes_each, float spacing, double limit) {
    const double most = 2147483648.0, left = limit > 0 ? limit : static_cast<double>(memory_available());
    if (particles > most || particles * bytes_each > left) {
        throw Error(std::string(what) + ": a spacing of " + number("%g", static_cast<double>(spacing)) +
                    " m would take about " + number("%.3g", particles) + " particles and " +
                    number("%.3g", particles * bytes_each / 1e9) + " GB" +
                    (particles > most ? ", more than 2^31 particles"
                     : limit > 0      ? ", but memory_limit allows " + number("%.3g", left / 1e9) + " GB"
                                      : ", but " + number("%.3g", left / 1e9) + " GB are left") +
                    "; make the spacing larger" + (particles <= most && limit > 0 ? ", or raise memory_limit" : ""));
    }
}

}  // namespace firn
