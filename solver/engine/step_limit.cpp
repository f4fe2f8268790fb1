// What limited a substep, in words.

#include <cstdio>

#include "firn/report.h"

namespace firn {

namespace {

struct Words {
    const char* token;
    const char* text;  ///< after the particle or the body; with %.3g for the speed, m/s
};

const Words& words(StepLimit::Kind kind) {
    static const Words table[StepLimit::kinds] = {
        {"frame", "the rest of the frame in one substep"},
        {"dt_max", "nothing moves fast"},
        {"substeps", "as many as the parameter says"},
        {"cfl", "meets its neighbours at %.3g m/s"},
        {"cfl", "meets %s at %.3g m/s"},
        {"turning", "turns about its neighbours at %.3g m/s"},
        {"drifting", "parts from its neighbours at %.3g m/s, in free flight"},
        {"cfl_flight", "flies at %.3g m/s"},
        {"cfl_flight", "%s comes towards the particles at %.3g m/s"},
        {"stiffness", "the stiffest particles, in which sound travels at %.3g m/s"},
        {"cfl_wave", "sound at %.3g m/s in the stiffest particles"},
    };
    return table[kind];
}

}  // namespace

const char* limit_token(StepLimit::Kind kind) {
    return words(kind).token;
}

std::string limit_text(const StepLimit& limit) {
    std::string text = limit_token(limit.kind);
    if (limit.at_dt_min) text = "dt_min, " + text + " asks for less";
    text += ": ";
    if (limit.particle >= 0) {
        char who[128];
        std::snprintf(who, sizeof who, "particle %lld at (%.3g, %.3g, %.3g) ", static_cast<long long>(limit.particle),
                      double(limit.place.x), double(limit.place.y), double(limit.place.z));
        text += who;
    }
    // A body's name may be of any length, and may hold any character.
    std::string rest = words(limit.kind).text;
    if (const size_t name = rest.find("%s"); name != std::string::npos) {
        text += rest.substr(0, name) + (limit.body_name.empty() ? "a body" : "'" + limit.body_name + "'");
        rest = rest.substr(name + 2);
    }
    if (const size_t number = rest.find("%.3g"); number != std::string::npos) {
        char speed[32];
        std::snprintf(speed, sizeof speed, "%.3g", limit.speed);
        rest.replace(number, 4, speed);
    }
    return text + rest;
}

}  // namespace firn
