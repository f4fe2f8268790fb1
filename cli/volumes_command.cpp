#include "firn/grain_file.h"
#include "firn/particle_file.h"
#include "firn/volume_file.h"
#include "frame_work.h"
#include "interrupt.h"
#include "progress.h"
#include "simulation.h"
#include "subcommands.h"

namespace firn {

namespace {

int run(const CommandLine& line) {
    const std::string folder = run_folder_of(line);
    Scene scene = scene_of_run(folder, line.all("--set"));
    scene.parameters.threads = threads_of(line, scene);
    const RunFolder run(folder, scene.name), out(line.text("--out", folder), scene.name);
    if (scene.output.volumes.empty())
        throw Error(run.scene() + ": output.volumes is empty; give --set 'output.volumes=[\"density\"]'");
    const VolumeSettings settings = volume_settings(scene);
    Manifest manifest(out.path());
    FrameWork work;
    work.command = "volumes";
    work.path = [&](int frame) { return out.volumes(frame); };
    work.is_whole = [&](const std::string& path, const FrameStamp& stamp) {
        return volumes_are_whole(path, settings, stamp);
    };
    work.make = [&](const std::string& path, const ParticleFile& file, const std::string&, const FrameStamp& stamp) {
        write_volumes(
            path, file.particles, settings, stamp, [] { return interrupted_by() != 0; }, births_of(file));
        return count_text(file.particles.count()) + " particles";
    };
    return make_frames(line, scene, run, out, manifest, work);
}

constexpr const char* details =
    "Makes OUT/volumes/NAME.0001.vdb from OUT/particles/NAME.0001.bgeo, the same bytes that `firn sim` writes. From\n"
    "particles of 16 bits (output.particles = \"vdb16\") they are only nearly the same, and a warning says so. A "
    "frame that\n"
    "is complete, made with the same settings and newer than its particles is left alone, so the same command "
    "continues\n"
    "after a crash. Files appear complete or not at all: a farm may split the frames into tasks in any way, and run a "
    "task\n"
    "twice, even at the same time. Frames that --frames asks for but that are not simulated yet are an error, after "
    "all\n"
    "others are made.\n"
    "\n"
    "  firn sim wall.toml --no-volumes && firn volumes out/wall\n"
    "  firn volumes out/wall --frames 1-12\n"
    "  firn volumes out/wall --set output.voxel=0.005 --out out/wall_fine\n"
    "\n"
    "Exit codes: 0 done, 1 error, 2 wrong usage, 130 (143, 129, 141) stopped by Ctrl-C (SIGTERM,\n"
    "SIGHUP, SIGPIPE).\n";

}  // namespace

Subcommand volumes_command() {
    return {"volumes",
            "make the volumes of a run from its particles, any frames, on any machine",
            "firn volumes RUN [options]",
            details,
            frame_work_options({{"--set", "KEY=VALUE", "change how they are made: output.voxel=0.01; may be repeated"},
                                {"--out", "FOLDER", "where they go, FOLDER/volumes (default: the run's folder)"}}),
            run,
            {"--set"}};
}

}  // namespace firn
