#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "checkpoint.h"
#include "firn/error.h"
#include "firn/mesh.h"
#include "firn/particle_file.h"
#include "firn/volume_file.h"
#include "progress.h"
#include "run_folder.h"
#include "run_log.h"
#include "scene.h"
#include "subcommands.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

std::string ending_of(const std::string& path) {
    std::string ending = fs::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

void print_checkpoint(const std::string& path) {
    const Checkpoint c = read_checkpoint(path);
    std::printf("a checkpoint of Firn %s, made on %s\n", c.version.c_str(), c.arithmetic.c_str());
    std::printf("frame        %d", c.frame);
    if (c.into.substeps > 0) std::printf(", and %d substeps (%g s) of the next", c.into.substeps, c.into.time);
    std::printf("\nparticles    %s, %g m apart\n", count_text(c.particles.count()).c_str(), c.spacing);
    std::printf("attributes  ");
    for (const ParticleArray& array : particle_arrays())
        if (array.size(c.particles) > 0) std::printf(" %s", array.name);
    std::printf("\nphysics\n");
    for (const char* line = c.physics.c_str(); *line;) {
        const char* end = std::strchr(line, '\n');
        const int length = static_cast<int>(end ? end - line : static_cast<std::ptrdiff_t>(std::strlen(line)));
        std::printf("  %.*s\n", length, line);
        line += length + (end ? 1 : 0);
    }
}

void print_mesh(const std::string& path) {
    const Mesh mesh = read_mesh(path);
    const MeshFacts facts = examine(mesh);
    std::printf("a mesh of %s triangles over %s points\n", count_text(mesh.triangles.size()).c_str(),
                count_text(mesh.points.size()).c_str());
    std::printf("bounds       %g %g %g to %g %g %g m\n", facts.low.x, facts.low.y, facts.low.z, facts.high.x,
                facts.high.y, facts.high.z);
    std::printf("area         %g m^2\n", facts.area);
    if (facts.closed)
        std::printf("closed       yes, %g m^3%s\n", std::abs(facts.volume), facts.volume < 0 ? ", inside out" : "");
    else
        std::printf("closed       no: %s open edges, %s edges with more than two faces\n",
                    count_text(facts.open_edges).c_str(), count_text(facts.non_manifold_edges).c_str());
    if (facts.degenerate_triangles)
        std::printf("warning: %s triangles have no area\n", count_text(facts.degenerate_triangles).c_str());
}

std::string frames_text(const std::vector<int>& frames) {
    if (frames.empty()) return "none";
    return std::to_string(frames.size()) + ", " + std::to_string(frames.front()) + " to " +
           std::to_string(frames.back());
}

void print_run(const std::string& path) {
    const std::string copy = path + "/scene.toml";
    if (!fs::exists(copy)) throw Error(path + ": is a folder, but holds no run of Firn (no scene.toml)");
    const Scene scene = read_scene(copy);
    const RunFolder folder(path, scene.name);
    std::printf("a run of '%s'\n", scene.name.c_str());
    std::printf("frames       %d to %d at %g per second\n", scene.first_frame, scene.last_frame, scene.fps);
    std::printf("spacing      %g m\n", scene.parameters.spacing);
    std::printf("particles    %s\n", frames_text(folder.particle_frames()).c_str());
    std::printf("volumes      %s\n", frames_text(folder.volume_frames()).c_str());
    std::printf("pictures     %s\n", frames_text(folder.picture_frames()).c_str());
    std::printf("checkpoints  %s\n", frames_text(folder.checkpoint_frames()).c_str());
    if (!fs::exists(folder.log())) return;
    const RunLog log = read_run_log(folder.log());
    std::printf("device       %s\n", log.header.device.c_str());
    if (log.frames.empty()) return;
    double wall = 0;
    for (const FrameRecord& frame : log.frames) wall += frame.wall;
    std::printf("last frame   %d with %s particles\n", log.frames.back().frame,
                count_text(log.frames.back().particles).c_str());
    std::printf("took         %s\n", clock_text(wall).c_str());
}

void print_particles(const std::string& path) {
    if (is_checkpoint(read_particles(path))) return print_checkpoint(path);
    std::fputs(describe_bgeo(path).c_str(), stdout);
}

void print_scene(const std::string& path) {
    const Scene scene = read_scene(path);
    std::printf("a scene, '%s': %zu bodies of snow, %zu colliders, frames %d to %d; `firn check` says more\n",
                scene.name.c_str(), scene.snow.size(), scene.colliders.size(), scene.first_frame, scene.last_frame);
}

void print(const std::string& path) {
    if (fs::is_directory(path)) return print_run(path);
    const std::string ending = ending_of(path);
    if (ending == ".vdb") {
        std::fputs(describe_vdb(path).c_str(), stdout);
    } else if (ending == ".bgeo" || ending == ".sc" || ending == ".geo") {
        print_particles(path);
    } else if (is_mesh_file(path)) {
        print_mesh(path);
    } else if (ending == ".toml") {
        print_scene(path);
    } else if (ending == ".firn") {
        print_checkpoint(path);
    } else {
        throw Error(path +
                    ": not a kind of file that firn knows: .vdb, .bgeo, .bgeo.sc, .obj, .ply, .stl, .toml, or a "
                    "run's folder");
    }
}

int run(const CommandLine& line) {
    const std::vector<std::string> files = line.all("FILE...");
    bool first = true;
    for (const std::string& file : files) {
        if (files.size() > 1) std::printf("%s%s\n", first ? "" : "\n", file.c_str());
        first = false;
        print(file);
    }
    return exit_done;
}

}  // namespace

Subcommand info_command() {
    return {"info",
            "what is in a .vdb, .bgeo, checkpoint, mesh or run's folder",
            "firn info FILE...",
            "Grids with their size, class and metadata; particles with their attributes; checkpoints with the physics "
            "they\n"
            "belong to; meshes with what is wrong with them; runs with what they hold.\n",
            {{"FILE...", "", "files, or folders of runs"}},
            run};
}

}  // namespace firn
