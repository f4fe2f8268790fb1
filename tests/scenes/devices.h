#pragma once

// The devices that tests run on: every lane width of the CPU, and a card, each where it is.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firn/engine.h"

namespace scenes {

inline bool device_exists(const std::string& device) {
    if (device == "cuda") {
        try {
            return firn::Engine({}, device).device().compare(0, 4, "cuda") == 0;
        } catch (const firn::Error&) {
            return false;
        }
    }
#if defined(__x86_64__)
    return device != "cpu:8" || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
    return device == "cpu:1";
#endif
}

/// All of them; tests skip those that are not there.
inline std::vector<std::string> devices() {
    return {"cpu:1", "cpu:4", "cpu:8", "cuda"};
}

/// "cpu:8" as part of a test's name.
inline std::string device_name(const ::testing::TestParamInfo<std::string>& device) {
    return device.param == "cuda" ? "cuda" : "lanes" + device.param.substr(4);
}

}  // namespace scenes
