#include "run_check.h"

#include <filesystem>

#include "firn/error.h"
#include "run_log.h"

namespace firn {

namespace {

/// "" = whole.
const char* what_is_wrong(FileState state) {
    switch (state) {
        case FileState::whole:
            return "";
        case FileState::missing:
            return "is not there";
        case FileState::unfinished:
            return "was begun, and is not known to be whole";
        case FileState::damaged:
            return "is damaged: its size or checksum is not that of the file that was written";
        case FileState::foreign:
            return "is not a file that this run wrote";
    }
    return "";
}

void look_at_log(const RunFolder& folder, const RunPlan& plan, int last, RunFlaws& flaws) {
    std::set<int> missing;
    for (int frame = plan.first_frame; frame <= last; ++frame) missing.insert(frame);
    std::error_code ignored;
    if (!std::filesystem::exists(folder.log(), ignored)) {
        flaws.list.push_back({folder.log(), "is not there"});
        flaws.whole_log = true;
    } else {
        try {
            for (const FrameRecord& record : read_run_log(folder.log()).frames) missing.erase(record.frame);
            if (!missing.empty()) flaws.list.push_back({folder.log(), "has no line of frame " + frames_text(missing)});
        } catch (const Error&) {
            flaws.list.push_back({folder.log(), "is damaged"});
            flaws.whole_log = true;
        }
    }
    flaws.log = missing;
}

}  // namespace

RunFlaws find_flaws(const RunFolder& folder, const Manifest& manifest, const RunPlan& plan, int last, bool volumes,
                    bool stage, const std::function<bool()>& stop) {
    RunFlaws flaws;
    const auto is_flawed = [&](const std::string& file) {
        const std::string what = what_is_wrong(manifest.look(file));
        if (!what.empty()) flaws.list.push_back({file, what});
        return !what.empty();
    };
    flaws.scene = is_flawed(folder.scene());
    look_at_log(folder, plan, last, flaws);
    for (int frame = plan.first_frame; frame <= last && !stop(); ++frame) {
        if (!plan.wants(frame)) continue;
        if (!plan.particles.empty() && is_flawed(folder.particles(frame, plan.particles)))
            flaws.particles.insert(frame);
        if (volumes && plan.volumes && is_flawed(folder.volumes(frame))) flaws.volumes.insert(frame);
    }
    flaws.stage = stage && plan.usd && is_flawed(folder.stage());
    return flaws;
}

std::set<int> frames_to_simulate(const RunPlan& plan, const RunFlaws& flaws) {
    std::set<int> frames = flaws.particles;
    for (const std::set<int>* flawed : {&flaws.volumes, &flaws.log})
        for (const int frame : *flawed)
            if (plan.particles.empty() || !plan.wants(frame)) frames.insert(frame);
    return frames;
}

std::string frames_text(const std::set<int>& frames) {
    std::string text;
    for (auto at = frames.begin(); at != frames.end();) {
        const int first = *at;
        int last = first;
        while (++at != frames.end() && *at == last + 1) ++last;
        text += (text.empty() ? "" : ", ") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
    }
    return text;
}

}  // namespace firn
