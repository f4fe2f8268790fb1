#include "run_folder.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>

#include "firn/error.h"
#include "firn/new_file.h"
#include "manifest.h"
#include "scene.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

constexpr const char* particle_endings[] = {"bgeo", "bgeo.gz", "bgeo.sc", "vdb"};

/// The frame in "NAME.0007.vdb", if that is what it is.
bool frame_of(const std::string& file, const std::string& before, const std::string& after, int& frame) {
    if (file.size() <= before.size() + after.size() || file.compare(0, before.size(), before) != 0 ||
        file.compare(file.size() - after.size(), after.size(), after) != 0)
        return false;
    const char* begin = file.data() + before.size();
    const char* end = file.data() + file.size() - after.size();
    const auto [stop, error] = std::from_chars(begin, end, frame);
    return error == std::errc() && stop == end;
}

/// Frames and files of one kind in a folder.
std::map<int, std::string> numbered_files(const std::string& folder, const std::string& before,
                                          const std::string& after) {
    std::map<int, std::string> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        int frame = 0;
        if (frame_of(at->path().filename().string(), before, after, frame)) found[frame] = at->path().string();
    }
    return found;
}

std::vector<int> frames(const std::map<int, std::string>& files) {
    std::vector<int> all;
    for (const auto& [frame, file] : files) all.push_back(frame);
    return all;
}

/// Whether ".NAME.0007.vdb.HOME.PID.N.part", but for its last three parts, would have become a file of the manifest.
bool is_ours(const Manifest& manifest, const fs::path& folder, const std::string& name) {
    for (size_t dot = name.find('.', 1); dot != std::string::npos; dot = name.find('.', dot + 1))
        if (manifest.names((folder / name.substr(1, dot - 1)).string())) return true;
    return false;
}

/// Whether nobody writes ".NAME.0007.vdb.HOME.PID.N.part" any more. Tasks of a farm work in one folder at once: of this
/// machine's files the system knows whether their writer lives, those of other machines must be a day old.
bool is_abandoned(const Manifest& manifest, const fs::path& file) {
    std::string name = file.filename().string();
    if (name.size() < 7 || name[0] != '.' || name.compare(name.size() - 5, 5, ".part") != 0) return false;
    name.erase(name.size() - 5);
    const size_t counter = name.rfind('.');
    const size_t process = counter == 0 ? std::string::npos : name.rfind('.', counter - 1);
    if (process == std::string::npos) return false;
    int id = 0;
    const auto [stop, bad] = std::from_chars(name.data() + process + 1, name.data() + counter, id);
    if (bad != std::errc() || stop != name.data() + counter || id <= 0) return false;
    if (!is_ours(manifest, file.parent_path(), name.substr(0, process))) return false;
    const std::string rest = name.substr(0, process), home = "." + process_home();
    const bool ours = rest.size() > home.size() && rest.compare(rest.size() - home.size(), home.size(), home) == 0;
    if (ours) return ::kill(id, 0) != 0 && errno == ESRCH;
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    return !error && fs::file_time_type::clock::now() - written > std::chrono::hours(24);
}

void remove_parts(const Manifest& manifest, const std::string& folder) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        // Another task may have been faster.
        std::error_code gone;
        if (is_abandoned(manifest, at->path())) fs::remove(at->path(), gone);
    }
}

}  // namespace

std::string frame_text(int frame) {
    char text[16];
    std::snprintf(text, sizeof text, "%04d", frame);
    return text;
}

std::string RunFolder::particles(int frame, const std::string& ending) const {
    return folder_ + "/particles/" + name_ + "." + frame_text(frame) + "." + ending;
}

std::string RunFolder::volumes(int frame) const {
    return folder_ + "/volumes/" + name_ + "." + frame_text(frame) + ".vdb";
}

std::string RunFolder::grains(int frame, const std::string& ending) const {
    return folder_ + "/grains/" + name_ + "." + frame_text(frame) + "." + ending;
}

std::string RunFolder::checkpoint(int frame) const {
    return folder_ + "/checkpoints/" + name_ + "." + frame_text(frame) + ".bgeo";
}

std::string RunFolder::picture(int frame) const {
    return folder_ + "/preview/" + frame_text(frame) + ".png";
}

std::string RunFolder::turntable(int number) const {
    return folder_ + "/turntable/" + frame_text(number) + ".png";
}

std::vector<int> RunFolder::particle_frames() const {
    std::vector<int> all;
    for (const char* ending : particle_endings) {
        const std::vector<int> some =
            frames(numbered_files(folder_ + "/particles", name_ + ".", std::string(".") + ending));
        all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::string RunFolder::find_particles(int frame) const {
    for (const char* ending : particle_endings) {
        const std::string path = particles(frame, ending);
        if (fs::exists(path)) return path;
    }
    return "";
}

std::string RunFolder::find_grains(int frame) const {
    for (const char* ending : {"vdb", "bgeo.sc", "bgeo"})
        if (const std::string path = grains(frame, ending); fs::exists(path)) return path;
    return "";
}

std::vector<int> RunFolder::volume_frames() const {
    return frames(numbered_files(folder_ + "/volumes", name_ + ".", ".vdb"));
}

std::vector<int> RunFolder::checkpoint_frames() const {
    return frames(numbered_files(folder_ + "/checkpoints", name_ + ".", ".bgeo"));
}

std::string RunFolder::former_checkpoint() const {
    const auto files = numbered_files(folder_ + "/checkpoints", name_ + ".", ".firn");
    return files.empty() ? "" : files.rbegin()->second;
}

std::vector<int> RunFolder::picture_frames() const {
    return frames(numbered_files(folder_ + "/preview", "", ".png"));
}

void RunFolder::remove_leftovers(const Manifest& manifest) const {
    for (const char* folder : {"", "/particles", "/volumes", "/grains", "/checkpoints", "/preview"})
        remove_parts(manifest, folder_ + folder);
}

std::string folder_of_scene(const Scene& scene) {
    if (scene.output.folder.empty()) return "out/" + scene.name;
    std::error_code error;
    // Absolute first: of a relative path of which nothing exists yet, weakly_canonical() gives a relative one.
    const fs::path here = fs::current_path(), there = fs::weakly_canonical(here / scene.output.folder, error);
    const fs::path way = there.lexically_relative(here);
    if (error || way.empty() || *way.begin() == "..")
        throw Error(scene.path + ": its output.folder, " + scene.output.folder +
                    ", is outside the folder that firn was " +
                    "started in; if that is what you want, say so with --out " + scene.output.folder);
    return scene.output.folder;
}

}  // namespace firn
