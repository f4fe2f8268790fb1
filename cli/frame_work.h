#pragma once

// What `firn volumes` and `firn grains` share: something made from the particles of each frame of a run, any frames, on
// any machine.

#include <functional>
#include <string>
#include <vector>

#include "command_line.h"
#include "firn/particle_file.h"
#include "firn/volume_file.h"
#include "manifest.h"
#include "run_folder.h"
#include "scene.h"

namespace firn {

/// The folder that the command line names: RUN, or RUN/wedge_000N with --wedge.
std::string run_folder_of(const CommandLine&);
/// The scene of the run in a folder, with what --set changes of its output. Throws Error for a folder without a run.
Scene scene_of_run(const std::string& folder, const std::vector<std::string>& overrides);
/// --threads, or what the scene says; warns when the machine lets it have fewer.
int threads_of(const CommandLine&, const Scene&);

struct FrameWork {
    const char* command;  ///< "volumes"
    /// Where the result of a frame goes.
    std::function<std::string(int frame)> path;
    /// Whether that is there, made as it would be now; only asked where the manifest names it and it is newer than the
    /// particles.
    std::function<bool(const std::string& path, const FrameStamp&)> is_whole;
    /// Makes it from particles, which were read from `file`. Returns what to say of it: "12,000 particles".
    std::function<std::string(const std::string& path, const ParticleFile&, const std::string& file, const FrameStamp&)>
        make;
};

/// The frames of --frames, or all that have particles, one after the other. Returns the exit code; throws Error for
/// frames that have no particles, after all others are made.
int make_frames(const CommandLine&, const Scene&, const RunFolder& run, const RunFolder& out, Manifest&,
                const FrameWork&);

/// The options that every such command has: its own stand in between.
std::vector<Option> frame_work_options(std::vector<Option> own);

}  // namespace firn
