#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "firn/error.h"
#include "firn/particle_file.h"
#include "firn/volume_file.h"
#include "frame_range.h"
#include "interrupt.h"
#include "manifest.h"
#include "progress.h"
#include "run_folder.h"
#include "scene.h"
#include "simulation.h"
#include "subcommands.h"
#include "thread_limit.h"
#include "wedges.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

constexpr int wedge_limit = 1000000;

Scene find_scene(const std::string& folder, const std::vector<std::string>& overrides) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        throw Error(folder + " is not a folder; give the folder of a run of `firn sim`");
    const std::string scene = RunFolder(folder, "").scene();
    if (!fs::exists(scene, ignored)) throw Error(folder + " holds no run of firn sim: it has no scene.toml");
    for (const std::string& assignment : overrides)
        if (assignment.rfind("output.", 0) != 0)
            throw UsageError("--set " + assignment + ": the run is made; only output.KEY can still be changed");
    return read_scene(scene, overrides);
}

bool is_older(const std::string& file, const std::string& than) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    if (error) return true;
    const auto other = fs::last_write_time(than, error);
    return !error && written < other;
}

class VolumesRun {
public:
    VolumesRun(const CommandLine& line, const std::string& folder)
        : line_(line),
          scene_(find_scene(folder, line.all("--set"))),
          run_(folder, scene_.name),
          out_(line.text("--out", folder), scene_.name),
          manifest_(out_.path()) {
        scene_.parameters.threads = line.integer("--threads", scene_.parameters.threads, 0, 1024);
        const std::string fewer = limit_threads(scene_.parameters.threads);
        if (!fewer.empty()) std::fprintf(stderr, "warning: %s\n", fewer.c_str());
        settings_ = volume_settings(scene_);
        if (scene_.output.volumes.empty())
            throw Error(run_.scene() + ": output.volumes is empty; give --set 'output.volumes=[\"density\"]'");
        find_frames();
    }

    int run() {
        catch_interrupts();
        out_.remove_leftovers(manifest_);
        size_t number = 0;
        std::vector<int> missing;
        for (const int frame : frames_) {
            ++number;
            if (interrupted_by() != 0) return stopped();
            const std::string particles = run_.find_particles(frame);
            if (particles.empty()) {
                missing.push_back(frame);
                continue;
            }
            try {
                make(frame, particles, number);
                if (line_.has("--openjd"))
                    print_openjd_progress(static_cast<double>(number), static_cast<double>(frames_.size()),
                                          "volumes of frame " + std::to_string(frame));
            } catch (const Error&) {
                if (interrupted_by() != 0) return stopped();
                throw;
            }
        }
        if (!missing.empty()) {
            std::string list;
            for (size_t k = 0; k < missing.size() && k < 8; ++k)
                list += (k ? ", " : "") + std::to_string(missing[k]) + (k == 7 && missing.size() > 8 ? ", ..." : "");
            throw Error(run_.path() + " has no particles of frame " + list +
                        "; is its simulation done? `firn sim --resume` continues it");
        }
        return exit_done;
    }

private:
    void find_frames() {
        if (!line_.has("--frames")) {
            frames_ = run_.particle_frames();
            if (frames_.empty())
                throw Error(run_.path() + " holds no particles; `firn sim` writes them (output.particles)");
            return;
        }
        const FrameRange range = parse_frames(line_.text("--frames", ""));
        const int first = std::max(range.first, scene_.first_frame), last = std::min(range.last, scene_.last_frame);
        // A range counts its steps from its own beginning, also where that lies before the scene's.
        const int64_t from = range.first == FrameRange().first ? scene_.first_frame : range.first;
        for (int frame = first; frame <= last; ++frame)
            if ((frame - from) % range.step == 0 && (frame - scene_.first_frame) % scene_.output.every == 0)
                frames_.push_back(frame);
        // The last of a job's chunks may reach past the last frame; one that lies outside altogether is a slip.
        if (frames_.empty() && (range.first > scene_.last_frame || range.last < scene_.first_frame))
            throw Error("--frames " + line_.text("--frames", "") + ": " + run_.path() + " has frames " +
                        std::to_string(scene_.first_frame) + " to " + std::to_string(scene_.last_frame));
    }

    void make(int frame, const std::string& particles, size_t number) {
        const auto start = std::chrono::steady_clock::now();
        const std::string path = out_.volumes(frame);
        const FrameStamp stamp{frame, (frame - scene_.first_frame) / scene_.fps, scene_.fps};
        if (!line_.has("--force") && manifest_.names(path) && !is_older(path, particles) &&
            volumes_are_whole(path, settings_, stamp)) {
            // The task that made it may have been killed before it could say so.
            if (manifest_.look(path) != FileState::whole) manifest_.made(path);
            say("frame %d (%zu of %zu): is there, %s\n", frame, number, frames_.size(), path.c_str());
            return;
        }
        const ParticleFile file = read_particles(particles);
        manifest_.write(path, line_.has("--force"), [&] {
            write_volumes(path, file.particles, settings_, stamp, [] { return interrupted_by() != 0; });
        });
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        say("frame %d (%zu of %zu): %s particles, %.1f s, %s\n", frame, number, frames_.size(),
            count_text(file.particles.count()).c_str(), seconds, path.c_str());
    }

    template <class... Values>
    void say(const char* format, Values... values) const {
        if (line_.has("--quiet")) return;
        std::printf(format, values...);
        std::fflush(stdout);
    }

    static int stopped() {
        std::fprintf(stderr,
                     "firn volumes: stopped; the same command continues, and keeps the frames that are complete\n");
        return 128 + interrupted_by();
    }

    const CommandLine& line_;
    Scene scene_;
    RunFolder run_, out_;
    Manifest manifest_;
    VolumeSettings settings_;
    std::vector<int> frames_;
};

int run(const CommandLine& line) {
    std::string folder = line.text("RUN", "");
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    if (line.has("--wedge")) folder = wedge_folder(folder, line.integer("--wedge", 0, 0, wedge_limit));
    return VolumesRun(line, folder).run();
}

constexpr const char* details =
    "Makes OUT/volumes/NAME.0001.vdb from OUT/particles/NAME.0001.bgeo, the same bytes that `firn sim` writes. A "
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
            {{"RUN", "", "a run's folder"},
             {"--frames", "A-B:STEP", "which frames: 12, 1-48, 1-48:4 (default: all that have particles)"},
             {"--wedge", "N", "of a run with wedges: that of RUN/wedge_000N"},
             {"--set", "KEY=VALUE", "change how they are made: output.voxel=0.01; may be repeated"},
             {"--out", "FOLDER", "where they go, FOLDER/volumes (default: the run's folder)"},
             {"--force", "", "make them again, even if they are complete, and overwrite files of others"},
             {"--threads", "N", "(default: all cores)"},
             {"--openjd", "", "also print progress in the form that Open Job Description schedulers read"},
             {"--quiet", "", "only errors"}},
            run,
            {"--set"}};
}

}  // namespace firn
