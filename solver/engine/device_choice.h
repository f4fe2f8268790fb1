#pragma once

// Which device a method runs on: the one that the host named, or the best that answers.

#include <memory>
#include <string>

#include "engine/methods.h"

namespace firn {

struct ChosenDevice {
    std::unique_ptr<MethodDevice> device;
    std::string card;             ///< as its owner knows it; empty = the CPU
    std::string notice;           ///< why this is not the device that one might expect; empty = it is
    bool notice_is_news = false;  ///< belongs into the next report
};

/// `name` as Engine takes it. Throws Error for names of nothing and for cards that can't be used, unless it is "auto".
ChosenDevice choose_device(const Method&, const std::string& name, int threads);

/// The CPU, because of something that its owner should know.
ChosenDevice fall_back_to_cpu(const Method&, int threads, const std::string& reason);

/// "auto", "cpu" or "cpu:8" and the like. Throws Error for other names.
std::unique_ptr<MethodDevice> make_cpu(const Method&, const std::string& name, int threads);

}  // namespace firn
