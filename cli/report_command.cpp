#include "report.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "firn/error.h"
#include "manifest.h"
#include "picture.h"
#include "run_folder.h"
#include "subcommands.h"

namespace firn {

namespace {

/// Small enough that a dozen make a page that mails well.
ReportPicture small_picture(const RunFolder& run, int frame) {
    const Picture picture = read_png(run.picture(frame));
    return {"", png_bytes(shrink(picture, std::max(1, picture.width / 600))), "frame " + std::to_string(frame)};
}

int run(const CommandLine& line) {
    const RunFolder run(line.required_text("RUN"), "");
    if (!std::filesystem::is_directory(run.path()))
        throw Error(run.path() + " is not a folder; give the folder of a run");
    const RunLog log = read_run_log(run.log());
    const size_t wanted = static_cast<size_t>(line.integer("--pictures", 12, 0, 1000));
    const std::vector<int> frames = run.picture_frames();
    std::vector<ReportPicture> pictures;
    for (size_t i = 0; i < std::min(wanted, frames.size()); ++i) {
        const size_t steps = std::max<size_t>(1, std::min(wanted, frames.size()) - 1);
        pictures.push_back(small_picture(run, frames[i * (frames.size() - 1) / steps]));
    }
    const std::string path = line.text("--out", run.report());
    // A report that goes elsewhere is no file of the run.
    const std::string parent = std::filesystem::path(path).parent_path().string();
    Manifest manifest(parent.empty() ? "." : parent);
    if (line.has("--out")) {
        if (!line.has("--force")) manifest.require_free({path});
        write_report(path, log, pictures);
    } else {
        manifest.write(path, line.has("--force"), [&] { write_report(path, log, pictures); });
    }
    std::printf("%s: %zu frames, %zu pictures%s\n", path.c_str(), log.frames.size(), pictures.size(),
                frames.empty() && wanted > 0 ? "; `firn preview` makes some" : "");
    return exit_done;
}

const char* const details =
    R"(The page holds charts of substeps, iterations, residuals, energy, height, speed, memory and time by phase, the pictures
of `firn preview`, every parameter, and all warnings. It needs no network and nothing beside it.

  firn preview out/wall && firn report out/wall
)";

}  // namespace

Subcommand report_command() {
    return {"report",
            "one self-contained HTML page about a run",
            "firn report RUN [options]",
            details,
            {{"RUN", "", "a run's folder"},
             {"--pictures", "N", "at most so many, evenly chosen (default: 12)"},
             {"--out", "FILE", "where to write (default: RUN/report.html)"},
             {"--force", "", "overwrite a file of others that is in the way"}},
            run};
}

}  // namespace firn
