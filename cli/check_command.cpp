#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>

#include "firn/engine.h"
#include "firn/error.h"
#include "progress.h"
#include "scene_counts.h"
#include "scene_slips.h"
#include "subcommands.h"
#include "thread_limit.h"
#include "volume_slips.h"
#include "wedges.h"
#include "wind_files.h"

namespace firn {

namespace {

/// Bytes of a particle in a file with every attribute.
double particle_file_bytes(const std::string& format) {
    return format == "none" ? 0 : 100;
}

/// Bytes of the grids for each particle, a guess from snow that fills its voxels: half-floats, compressed by a third.
double volume_bytes(const Scene& scene) {
    const double spacing = scene.parameters.spacing;
    const double voxel = scene.output.voxel > 0 ? scene.output.voxel : 0.5 * spacing;
    const double voxels = std::pow(spacing / voxel, 3);
    double floats = 0;
    for (const std::string& name : scene.output.volumes) floats += name == "vel" ? 4.5 : 1;
    return voxels * floats * (scene.output.half_float ? 2 : 4) * 0.67;
}

/// "40 s", "12 min", "3.5 h".
std::string duration_text(double seconds) {
    char text[32];
    if (seconds < 100)
        std::snprintf(text, sizeof text, "%.0f s", std::max(1.0, seconds));
    else if (seconds < 6000)
        std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
    else
        std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
    return text;
}

/// "about 12,000", or "12,000" where that is the very number.
std::string about(const Count& count) {
    return (count.exact ? "" : "about ") + count_text(whole(count));
}

int run(const CommandLine& line) {
    const std::string path = line.text("SCENE", "");
    Scene scene = line.has("--wedge") ? read_wedge(path, line.integer("--wedge", 0, 0, 1000000), line.all("--set"))
                                      : read_scene(path, line.all("--set"));
    const std::string fewer = limit_threads(scene.parameters.threads);
    const std::string device = line.text("--device", scene.device);
    Engine engine(scene.parameters, device, scene.method);

    std::vector<std::string> warnings = scene.warnings;
    std::set<std::string> notes;
    if (!fewer.empty()) warnings.push_back(fewer);
    require_wind_files(scene);
    const SceneCounts counts = count_scene(scene);
    const uint64_t particles = whole(counts.snow);
    for (const Count* count : {&counts.snow, &counts.boundary})
        warnings.insert(warnings.end(), count->warnings.begin(), count->warnings.end());
    for (const Count* count : {&counts.snow, &counts.boundary, &counts.near})
        notes.insert(count->notes.begin(), count->notes.end());
    std::string colliders;
    for (size_t k = 0; k < scene.colliders.size(); ++k) {
        const ColliderCount& body = counts.colliders[k];
        const char* motion = body.motion == Motion::still   ? "still"
                             : body.motion == Motion::rigid ? "moving"
                                                            : "deforming";
        colliders +=
            "  " + scene.colliders[k].name + ": " + shape_token(scene.colliders[k].geometry.shape) + ", " + motion +
            ", " +
            (body.on_demand ? "sampled where snow is near: " + about(body.boundary) + " boundary particles at first"
                            : about(body.boundary) + " boundary particles") +
            "\n";
    }
    const std::vector<std::string> slips = likely_slips(scene, counts);
    warnings.insert(warnings.end(), slips.begin(), slips.end());

    const MemoryEstimate memory = engine.estimate(particles, whole(counts.boundary) + whole(counts.near));
    const int written = (scene.last_frame - scene.first_frame) / scene.output.every + 1;
    const double disk = static_cast<double>(particles) *
                        (written * (particle_file_bytes(scene.output.particles) + volume_bytes(scene)) +
                         100.0 * scene.output.checkpoint_keep);

    std::printf("%s: fine\n", scene.path.c_str());
    std::printf("frames       %d to %d at %g per second (%.3g s)\n", scene.first_frame, scene.last_frame, scene.fps,
                (scene.last_frame - scene.first_frame) / scene.fps);
    std::printf("spacing      %g m\n", scene.parameters.spacing);
    std::printf("snow         %s particles%s\n", about(counts.snow).c_str(),
                std::any_of(scene.snow.begin(), scene.snow.end(), [](const Snow& s) { return s.rate > 0; })
                    ? ", with all that the sources will make"
                    : "");
    std::printf("colliders    %zu with %s boundary particles\n%s", scene.colliders.size(),
                about(counts.boundary).c_str(), colliders.c_str());
    std::printf("memory       about %s of %s free\n", bytes_text(static_cast<double>(memory.needed)).c_str(),
                bytes_text(static_cast<double>(memory.available)).c_str());
    std::printf("disk         about %s\n", bytes_text(disk).c_str());
    if (engine.device().rfind("cpu", 0) == 0) {
        const int threads = scene.parameters.threads > 0 ? scene.parameters.threads
                                                         : static_cast<int>(std::thread::hardware_concurrency());
        std::printf("time         about %s for the simulation, a rough guess\n",
                    duration_text(estimated_seconds(scene, static_cast<double>(particles), threads)).c_str());
    }
    std::printf("device       %s\n", engine.device().c_str());
    for (const std::string& note : notes) std::printf("note: %s\n", note.c_str());
    for (const std::string& warning : warnings) std::printf("warning: %s\n", warning.c_str());
    require_memory(counts, scene, engine);
    require_volumes(scene, counts);
    return exit_done;
}

}  // namespace

Subcommand check_command() {
    return {
        "check",
        "validate a scene without running it: particles, memory, disk, time, device",
        "firn check SCENE [options]",
        "Reads the scene and every file that it names, and says how large it will be: from the geometry alone, within\n"
        "5 percent where it says 'about', whatever the resolution.\n"
        "A large mesh is not kept in memory, but for the points of OBJ and PLY. Of one with more than four million "
        "faces\n"
        "(two million in a text STL) one face of every so many is read, and all points are looked at, or every so "
        "many\n"
        "in more than a gigabyte of text: a note says so. Holes, and faces that are damaged, are then found only if\n"
        "they are among those. It is read as a whole, which takes longer, where these can't tell the rest: with lines "
        "or\n"
        "faces of an unusual form, with faces in no order or of very unequal sizes.\n"
        "Of a large .vdb and of a large file of particles only what tells their size is read, of a large file of "
        "heights\n"
        "one row at a time, and of a long sequence of meshes the ends and some between.\n"
        "An error names file, line and column, and what to do. Warnings say what is hardly ever meant: no snow, no\n"
        "collider, snow in snow, in a collider or through the ground, fast colliders that are too thin to take snow "
        "along,\n"
        "files of a sequence that end before the shot, voxels that don't suit the spacing. `firn sim` gives the same "
        "ones.\n"
        "Of "
        "meshes that are larger than 10 MB, and of .vdb files, it does not find out what lies in them.\n",
        {{"SCENE", "", "a scene file (.toml)"},
         {"--set", "KEY=VALUE", "change a value of the scene, as with sim; may be given often"},
         {"--wedge", "N", "with the values of wedge N"},
         {"--device", "NAME", "auto, cuda, cuda:N (a certain card), cpu, cpu:8, cpu:4, cpu:1 (lane width)"}},
        run,
        {"--set"}};
}

}  // namespace firn
