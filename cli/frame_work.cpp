#include "frame_work.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "firn/error.h"
#include "frame_range.h"
#include "interrupt.h"
#include "progress.h"
#include "subcommands.h"
#include "thread_limit.h"
#include "wedges.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

constexpr int wedge_limit = 1000000;

bool is_older(const std::string& file, const std::string& than) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    if (error) return true;
    const auto other = fs::last_write_time(than, error);
    return !error && written < other;
}

std::vector<int> wanted_frames(const CommandLine& line, const Scene& scene, const RunFolder& run) {
    if (!line.has("--frames")) {
        const std::vector<int> all = run.particle_frames();
        if (all.empty()) throw Error(run.path() + " holds no particles; `firn sim` writes them (output.particles)");
        return all;
    }
    const FrameSet set = parse_frames(line.text("--frames", ""));
    std::vector<int> frames;
    for (int frame = scene.first_frame; frame <= scene.last_frame; ++frame)
        if (set.has(frame, scene.first_frame) && (frame - scene.first_frame) % scene.output.every == 0)
            frames.push_back(frame);
    // The last of a job's chunks may reach past the last frame; one that lies outside altogether is a slip.
    if (frames.empty() && (set.first() > scene.last_frame || set.last() < scene.first_frame))
        throw Error("--frames " + line.text("--frames", "") + ": " + run.path() + " has frames " +
                    std::to_string(scene.first_frame) + " to " + std::to_string(scene.last_frame));
    return frames;
}

int stopped(const char* command) {
    std::fprintf(stderr, "firn %s: stopped; the same command continues, and keeps the frames that are complete\n",
                 command);
    return 128 + interrupted_by();
}

}  // namespace

std::string run_folder_of(const CommandLine& line) {
    std::string folder = line.text("RUN", "");
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    if (line.has("--wedge")) folder = wedge_folder(folder, line.integer("--wedge", 0, 0, wedge_limit));
    return folder;
}

Scene scene_of_run(const std::string& folder, const std::vector<std::string>& overrides) {
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

int threads_of(const CommandLine& line, const Scene& scene) {
    int threads = line.integer("--threads", scene.parameters.threads, 0, 1024);
    const std::string fewer = limit_threads(threads);
    if (!fewer.empty()) std::fprintf(stderr, "warning: %s\n", fewer.c_str());
    return threads;
}

int make_frames(const CommandLine& line, const Scene& scene, const RunFolder& run, const RunFolder& out,
                Manifest& manifest, const FrameWork& work) {
    const std::vector<int> frames = wanted_frames(line, scene, run);
    const bool force = line.has("--force"), quiet = line.has("--quiet");
    catch_interrupts();
    out.remove_leftovers(manifest);
    size_t number = 0;
    std::vector<int> missing;
    bool told_of_rounding = false;
    const auto read = [&](const std::string& particles) {
        ParticleFile file = read_particles(particles);
        if (file.rounded && !told_of_rounding && !quiet)
            std::fprintf(stderr,
                         "warning: %s has rounded positions (output.particles = \"vdb16\"): what is made from them "
                         "differs slightly from what whole positions give\n",
                         particles.c_str());
        told_of_rounding = told_of_rounding || file.rounded;
        return file;
    };
    for (const int frame : frames) {
        ++number;
        if (interrupted_by() != 0) return stopped(work.command);
        const std::string particles = run.find_particles(frame), path = work.path(frame);
        if (particles.empty()) {
            missing.push_back(frame);
            continue;
        }
        const FrameStamp stamp{frame, (frame - scene.first_frame) / scene.fps, scene.fps};
        const auto start = std::chrono::steady_clock::now();
        std::string made;
        try {
            if (!force && manifest.names(path) && !is_older(path, particles) && work.is_whole(path, stamp)) {
                // The task that made it may have been killed before it could say so.
                if (manifest.look(path) != FileState::whole) manifest.made(path);
                made = "is there";
            } else {
                manifest.write(path, force, [&] { made = work.make(path, read(particles), particles, stamp); });
                char seconds[32];
                std::snprintf(seconds, sizeof seconds, ", %.1f s",
                              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
                made += seconds;
            }
        } catch (const Error&) {
            if (interrupted_by() != 0) return stopped(work.command);
            throw;
        }
        if (!quiet) {
            std::printf("frame %d (%zu of %zu): %s, %s\n", frame, number, frames.size(), made.c_str(), path.c_str());
            std::fflush(stdout);
        }
        if (line.has("--openjd"))
            print_openjd_progress(static_cast<double>(number), static_cast<double>(frames.size()),
                                  std::string(work.command) + " of frame " + std::to_string(frame));
    }
    if (missing.empty()) return exit_done;
    std::string list;
    for (size_t k = 0; k < missing.size() && k < 8; ++k)
        list += (k ? ", " : "") + std::to_string(missing[k]) + (k == 7 && missing.size() > 8 ? ", ..." : "");
    throw Error(run.path() + " has no particles of frame " + list +
                "; is its simulation done? `firn sim --resume` continues it");
}

std::vector<Option> frame_work_options(std::vector<Option> own) {
    std::vector<Option> all = {
        {"RUN", "", "a run's folder"},
        {"--frames", "LIST", "which frames: 12, 1-48, 1-48:4, 1-10,20,30- (default: all that have particles)"},
        {"--wedge", "N", "of a run with wedges: that of RUN/wedge_000N"}};
    all.insert(all.end(), own.begin(), own.end());
    const std::vector<Option> common = {
        {"--force", "", "make them again, even if they are complete, and overwrite files of others"},
        {"--threads", "N", "(default: all cores)"},
        {"--openjd", "", "also print progress in the form that Open Job Description schedulers read"},
        {"--quiet", "", "only errors"}};
    all.insert(all.end(), common.begin(), common.end());
    return all;
}

}  // namespace firn
