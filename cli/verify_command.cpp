#include <cstdio>
#include <nlohmann/json.hpp>

#include "firn/error.h"
#include "interrupt.h"
#include "manifest.h"
#include "run_check.h"
#include "subcommands.h"
#include "wedges.h"

namespace firn {

namespace {

void print_json(const RunFlaws& flaws, const std::set<int>& simulate) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const RunFlaws::Flaw& flaw : flaws.list) files.push_back({{"file", flaw.file}, {"what", flaw.what}});
    const nlohmann::ordered_json all = {
        {"whole", flaws.none()}, {"simulate", simulate}, {"volumes", flaws.volumes}, {"files", files}};
    std::printf("%s\n", all.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

int run(const CommandLine& line) {
    std::string path = line.required_text("RUN");
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    if (line.has("--wedge")) path = wedge_folder(path, line.integer("--wedge", 0, 0, 1000000));
    const Manifest manifest(path);
    if (!manifest.run()) throw Error(path + " holds no run of firn sim: no manifest.jsonl there tells of one");
    const RunPlan& plan = *manifest.run();
    catch_interrupts();
    RunFlaws flaws = find_flaws(RunFolder(path, plan.name), manifest, plan, plan.last_frame, true, true,
                                [] { return interrupted_by() != 0; });
    if (interrupted_by() != 0) return 128 + interrupted_by();
    if (!manifest.run_is_certain())
        flaws.list.push_back({manifest.path(), "is damaged: the run may have more frames than it says"});
    const std::set<int> simulate = frames_to_simulate(plan, flaws);
    if (line.has("--json")) {
        print_json(flaws, simulate);
        return flaws.none() ? exit_done : exit_error;
    }
    for (const RunFlaws::Flaw& flaw : flaws.list) std::printf("%s: %s\n", flaw.file.c_str(), flaw.what.c_str());
    if (flaws.none()) {
        std::printf("%s: whole, frames %d to %d\n", path.c_str(), plan.first_frame, plan.last_frame);
        return exit_done;
    }
    const std::string resume =
        "firn sim " + (flaws.scene ? "SCENE" : path + "/scene.toml") + " --out " + path + " --resume";
    if (!simulate.empty()) std::printf("to simulate: frames %s (%s)\n", frames_text(simulate).c_str(), resume.c_str());
    if (!flaws.volumes.empty())
        std::printf("volumes to make: frames %s (firn volumes %s)\n", frames_text(flaws.volumes).c_str(), path.c_str());
    if (simulate.empty() && (flaws.scene || flaws.stage || flaws.whole_log || !flaws.log.empty()))
        std::printf("to make from what is there: the rest (%s)\n", resume.c_str());
    std::printf("%s: not whole\n", path.c_str());
    return exit_error;
}

constexpr const char* details =
    "Compares every file that the run is to have with its size and checksum in RUN/manifest.jsonl, which reads them "
    "all, "
    "and\n"
    "prints one line for each that is missing, damaged or unfinished, then the frames to make again. Volumes that are "
    "left\n"
    "to `firn volumes` count too. `firn sim --resume` makes all of them; `firn volumes` makes volumes on many "
    "machines.\n"
    "\n"
    "  firn verify out/wall && rm -r out/wall/checkpoints\n"
    "\n"
    "Exit codes: 0 whole, 1 not whole or no run, 2 wrong usage.\n";

}  // namespace

Subcommand verify_command() {
    return {"verify",
            "is every file of a run there and undamaged? Which frames must be made again?",
            "firn verify RUN [options]",
            details,
            {{"RUN", "", "a run's folder"},
             {"--wedge", "N", "of a run with wedges: that of RUN/wedge_000N"},
             {"--json", "", "for programs: whole, simulate and volumes (lists of frames), files"}},
            run};
}

}  // namespace firn
