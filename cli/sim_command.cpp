#include <cstdio>
#include <limits>

#include "firn/error.h"
#include "interrupt.h"
#include "simulation.h"
#include "subcommands.h"
#include "thread_limit.h"
#include "wedges.h"

namespace firn {

namespace {

/// Files of these frames; the simulation goes from the scene's first frame to the last of them.
void set_frames(const std::string& text, Scene& scene, SimulationSettings& settings) {
    settings.frames = parse_frames(text);
    if (settings.frames.last() < scene.first_frame)
        throw UsageError("--frames " + text + ": the scene begins at frame " + std::to_string(scene.first_frame));
    if (settings.frames.last() == std::numeric_limits<int>::max()) {
        if (settings.frames.first() > scene.last_frame)
            throw UsageError("--frames " + text + ": the scene ends at frame " + std::to_string(scene.last_frame));
        return;
    }
    scene.last_frame = settings.frames.last();
    // 0.1 wrote all frames up to it: nobody shall find out from a farm's missing files.
    if (settings.frames.first() == scene.last_frame && scene.last_frame > scene.first_frame &&
        text == std::to_string(scene.last_frame))
        scene.warnings.push_back("--frames " + text + " writes the files of frame " + text +
                                 " alone; for all frames up to it: --frames " + std::to_string(scene.first_frame) +
                                 "-" + text);
    // So that the run's copy of the scene knows where it ends.
    scene.overrides.push_back("time.end=" + std::to_string(scene.last_frame));
}

/// A --set of output.folder is as good as --out; the scene's own must stay near.
std::string folder_asked_for(const CommandLine& line, const Scene& scene) {
    for (const std::string& assignment : line.all("--set"))
        if (assignment.rfind("output.folder=", 0) == 0) return scene.output.folder;
    return folder_of_scene(scene);
}

int run(const CommandLine& line) {
    const bool is_wedge = line.has("--wedge");
    const int wedge = line.integer("--wedge", 0, 0, 1000000);
    const std::string path = line.text("SCENE", "");
    Scene scene = is_wedge ? read_wedge(path, wedge, line.all("--set")) : read_scene(path, line.all("--set"));
    SimulationSettings settings;
    settings.resume = line.has("--resume");
    settings.force = line.has("--force");
    if (settings.resume && settings.force)
        throw UsageError("--resume continues a run, --force replaces it: give one of them");
    if (line.has("--from-frame")) {
        if (!settings.resume) throw UsageError("--from-frame says where a run is resumed from: give --resume too");
        settings.from_frame = line.integer("--from-frame", 0, scene.first_frame, scene.last_frame);
    }
    settings.wait = line.has("--wait");
    if (settings.wait && !settings.resume)
        throw UsageError("--wait waits until a run can be resumed: give --resume too");
    settings.volumes = !line.has("--no-volumes");
    if (!settings.volumes && scene.output.particles == "none")
        throw UsageError(
            "--no-volumes leaves the volumes to `firn volumes`, which needs particles, but output.particles is none");
    if (line.has("--frames")) set_frames(line.text("--frames", ""), scene, settings);
    scene.device = line.text("--device", scene.device);
    scene.parameters.threads = line.integer("--threads", scene.parameters.threads, 0, 1024);
    const std::string fewer = limit_threads(scene.parameters.threads);
    if (!fewer.empty()) scene.warnings.push_back(fewer);
    std::string out = line.has("--out") ? line.text("--out", "") : folder_asked_for(line, scene);
    while (out.size() > 1 && out.back() == '/') out.pop_back();
    if (out.empty()) throw UsageError("--out needs the name of a folder");
    const RunFolder folder(is_wedge ? wedge_folder(out, wedge) : out, scene.name);

    catch_interrupts();
    ProgressView view(ProgressView::fitting(line.has("--quiet")), scene.first_frame, scene.last_frame);
    if (line.has("--openjd")) view.tell_openjd();
    if (line.has("-v") || line.has("--verbose")) view.tell_substeps();
    const int signal = simulate(scene, folder, settings, view);
    if (signal != 0) {
        std::string again = "firn sim " + scene.path + " --resume --out " + out;
        for (const std::string& assignment : line.all("--set")) again += " --set '" + assignment + "'";
        for (const char* option : {"--wedge", "--frames", "--device", "--threads"})
            if (line.has(option)) again += std::string(" ") + option + " " + line.text(option, "");
        for (const char* option : {"--wait", "--no-volumes"})
            if (line.has(option)) again += std::string(" ") + option;
        view.warn("stopped; everything up to the last substep is saved. To continue:\n  " + again);
        return 128 + signal;
    }
    view.say("done: " + folder.path());
    return exit_done;
}

constexpr const char* details =
    "The run's folder, out/NAME unless the scene or --out says otherwise, gets:\n"
    "  particles/NAME.0001.bgeo  volumes/NAME.0001.vdb  NAME.usda  checkpoints/  run.jsonl  scene.toml  "
    "manifest.jsonl\n"
    "\n"
    "Ctrl-C (or SIGTERM) finishes the substep, saves and prints how to continue; a second one quits at once. A "
    "terminal\n"
    "that is closed (SIGHUP) and a pipe that nobody reads any more (SIGPIPE) save too; under nohup the run goes on. "
    "After\n"
    "that, or after a crash, --resume continues bit-exactly: the frames are those of a run that was never stopped. It\n"
    "looks at every file of the frames before, and makes again what is missing or damaged. A folder that already holds "
    "a\n"
    "run is left alone unless --resume or --force is given.\n"
    "\n"
    "manifest.jsonl names the files that are Firn's own. No other file is ever removed, and none is overwritten "
    "without\n"
    "--force.\n"
    "\n"
    "On a farm, always give --resume --wait: a task may then be started for the first time, again, or twice at once. "
    "With\n"
    "--no-volumes, `firn volumes` can make the volumes on many machines.\n"
    "\n"
    "Before it begins it warns of what `firn check` warns of: snow in snow, snow in a collider or below the ground.\n"
    "What is made again, or simulated on, from particle files of 16 bits is not bit-exact; one warning says so.\n"
    "\n"
    "--set changes any value of the scene for this run: material.E=2e5, E=2e5 (a parameter's name is enough),\n"
    "scene.resolution=2, snow.ball.velocity=[0,-5,0] (a body by its name, or its number from 0).\n"
    "\n"
    "A terminal gets a bar, anything else one line for each frame. Exit codes: 0 done, 1 error, 2 wrong usage,\n"
    "130 stopped by Ctrl-C and saved, 143 the same by SIGTERM, 129 by SIGHUP, 141 by SIGPIPE.\n"
    "\n"
    "  firn sim wall.toml --set scene.resolution=0.5 --frames 1-24 --out /tmp/test\n"
    "  firn sim wall.toml --resume\n";

}  // namespace

Subcommand sim_command() {
    return {
        "sim",
        "simulate a scene: particles, volumes, checkpoints",
        "firn sim SCENE [options]",
        details,
        {{"SCENE", "", "a scene file (.toml); `firn keys` lists what it may hold"},
         {"--out", "FOLDER", "where the run goes"},
         {"--frames", "LIST",
          "which frames get files: 1-48, 48, 1-48:4, 1-10,20,30-; it simulates from the scene's first frame to the "
          "last"},
         {"--set", "KEY=VALUE", "change a value of the scene; may be repeated"},
         {"--resume", "",
          "continue from the last checkpoint, bit-exactly; starts at the first frame if there is no run"},
         {"--from-frame", "N",
          "with --resume, when the checkpoints are lost: continue from the particle file of frame N"},
         {"--wait", "", "with --resume: if another firn is writing there, wait for it to end"},
         {"--force", "", "replace the run that the folder holds, and overwrite files of others that are in the way"},
         {"--wedge", "N", "run wedge N of the scene, into OUT/wedge_000N; `firn wedges` lists them"},
         {"--no-volumes", "", "leave the volumes to `firn volumes`"},
         {"--device", "NAME", "auto, cuda, cuda:N (a certain card), cpu, cpu:8, cpu:4, cpu:1 (lane width)"},
         {"--threads", "N",
          "number of CPU threads, at most one for each core; 0 = all cores. Results don't depend on it"},
         {"--openjd", "", "also print progress in the form that Open Job Description schedulers read"},
         {"-v", "", "the same as --verbose"},
         {"--verbose", "", "also a line for each substep: its length, and which particle, body or parameter set it"},
         {"--quiet", "", "only warnings and errors"}},
        run,
        {"--set"}};
}

}  // namespace firn
