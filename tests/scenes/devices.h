#pragma once

// The devices that tests run on: every lane width, where the processor has it.

#include <gtest/gtest.h>

#include <string>

#include "firn/engine.h"

namespace scenes {

inline bool device_exists(const std::string& device) {
#if defined(__x86_64__)
    return device != "cpu:8" || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
    return device == "cpu:1";
#endif
}

/// "cpu:8" as part of a test's name.
inline std::string device_name(const ::testing::TestParamInfo<std::string>& device) {
    return "lanes" + device.param.substr(4);
}

}  // namespace scenes
