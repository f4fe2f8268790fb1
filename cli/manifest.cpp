#include "manifest.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checksum.h"
#include "firn/error.h"
#include "firn/regular_file.h"
#include "line_file.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr const char* first_line = "{\"firn_manifest\":1}\n";

/// A name may hold bytes that JSON may not.
std::string escaped(const std::string& name) {
    std::string out;
    for (const char c : name) {
        const unsigned char byte = static_cast<unsigned char>(c);
        char text[4] = {c, 0};
        if (byte < 0x20 || byte >= 0x7f || c == '%') std::snprintf(text, sizeof text, "%%%02X", byte);
        out += text;
    }
    return out;
}

std::string unescaped(const std::string& text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '%' && i + 2 < text.size() && std::sscanf(text.c_str() + i + 1, "%2x", &byte) == 1) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string line_of(const json& object) {
    return with_sum(object.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

/// Whether the name can only be a file of the folder: a manifest that somebody else wrote must not lead out of it.
bool stays_inside(const std::string& name) {
    const fs::path path(name);
    return !name.empty() && path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
}

json to_json(const RunPlan& run, bool anew) {
    return {{"anew", anew},
            {"name", escaped(run.name)},
            {"first_frame", run.first_frame},
            {"last_frame", run.last_frame},
            {"frames", text_of(run.frames)},
            {"every", run.every},
            {"particles", run.particles},
            {"volumes", run.volumes},
            {"usd", run.usd},
            {"arithmetic", run.arithmetic},
            {"physics", escaped(run.physics)}};
}

/// Not get<int>() alone: it would cut off what does not fit. No scene has frames beyond these.
int frame_of(const json& run, const char* key) {
    const json& value = run.at(key);
    if (!value.is_number_integer() || value.get<int64_t>() < -1000000 || value.get<int64_t>() > 1000000)
        throw Error(std::string(key) + " is out of range");
    return value.get<int>();
}

RunPlan plan_of(const json& run) {
    RunPlan plan;
    plan.name = unescaped(run.at("name").get<std::string>());
    plan.first_frame = frame_of(run, "first_frame");
    plan.last_frame = frame_of(run, "last_frame");
    if (run.contains("frames"))
        plan.frames = parse_frames(run.at("frames").get<std::string>());
    else  // as it was before lists of frames
        plan.frames.ranges.front().first = frame_of(run, "output_start");
    plan.every = std::max(1, frame_of(run, "every"));
    plan.particles = run.at("particles").get<std::string>();
    plan.volumes = run.at("volumes").get<bool>();
    plan.usd = run.at("usd").get<bool>();
    plan.arithmetic = run.at("arithmetic").get<std::string>();
    plan.physics = unescaped(run.at("physics").get<std::string>());
    return plan;
}

bool is_checkpoint_name(const std::string& name) {
    return name.rfind("checkpoints/", 0) == 0;
}

}  // namespace

Manifest::Manifest(std::string folder) : folder_(std::move(folder)) {
    read();
}

std::string Manifest::path() const {
    return folder_ + "/manifest.jsonl";
}

std::string Manifest::name_of(const std::string& path) const {
    return path.rfind(folder_ + "/", 0) == 0 ? path.substr(folder_.size() + 1) : path;
}

void Manifest::read() {
    run_.reset();
    files_.clear();
    had_checkpoint_ = false;
    run_is_certain_ = true;
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(path(), ignored))) return;
    require_regular_file(path());
    std::ifstream in(path(), std::ios::binary);
    if (!in) throw Error(path() + ": can't be read");
    std::string line;
    std::getline(in, line);
    const std::string whole = first_line;
    // Killed while it wrote the first line.
    if (line.size() + 1 < whole.size() && whole.rfind(line, 0) == 0 && in.eof()) return;
    const json first = json::parse(line, nullptr, false);
    if (!first.is_object() || !first.contains("firn_manifest"))
        throw Error(path() + ": is no manifest of Firn; give another folder");
    if (first.at("firn_manifest") != 1) throw Error(path() + ": is of another version of Firn; use that one");
    while (std::getline(in, line)) read_line(line);
    if (in.bad()) throw Error(path() + ": can't be read to its end");
}

void Manifest::read_line(const std::string& line) {
    const json object = json::parse(line, nullptr, false);
    if (!object.is_object() || check_sum(line) == LineSum::wrong) {
        // However it is broken, it is most of what tells of a run.
        if (line.find("\"physics\"") != std::string::npos || line.find("\"run\"") != std::string::npos)
            run_is_certain_ = false;
        return;
    }
    const auto name = [&](const char* key) {
        const std::string text = unescaped(object.at(key).get<std::string>());
        return stays_inside(text) ? text : throw Error("it names a file outside its folder");
    };
    try {
        if (object.contains("run")) {
            run_ = plan_of(object.at("run"));
            run_is_certain_ = true;
            if (object.at("run").at("anew").get<bool>()) {
                // What a run before this one left is still ours to remove, but nothing to build on.
                had_checkpoint_ = false;
                for (auto& [former, file] : files_) file.whole = false;
            }
        } else if (object.contains("write")) {
            files_[name("write")] = {};
        } else if (object.contains("made")) {
            const json& size = object.at("size");
            if (!size.is_number_unsigned()) throw Error("a size is no count");
            files_[name("made")] = {true, size.get<uint64_t>(), object.at("sum").get<std::string>()};
            if (is_checkpoint_name(name("made"))) had_checkpoint_ = true;
        } else if (object.contains("removed")) {
            files_.erase(name("removed"));
        }
    } catch (const json::exception&) {
        throw Error(path() + ": a value is missing or has the wrong type");
    } catch (const Error& error) {
        throw Error(path() + ": " + error.what());
    }
}

void Manifest::append(const std::string& lines, bool durable) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw Error(folder_ + ": can't make this folder: " + error.message());
    append_lines(path(), lines, first_line, durable);
}

void Manifest::begin(const RunPlan& run, bool anew) {
    const std::string line = line_of({{"run", to_json(run, anew)}});
    if (!anew && run_ && run_is_certain_ && line == line_of({{"run", to_json(*run_, false)}})) return;
    append(line, true);
    read_line(line.substr(0, line.size() - 1));
}

std::vector<std::string> Manifest::files() const {
    std::vector<std::string> all;
    for (const auto& [name, file] : files_) all.push_back(folder_ + "/" + name);
    return all;
}

FileState Manifest::look(const std::string& path) const {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (!fs::exists(status)) return FileState::missing;
    const auto known = files_.find(name_of(path));
    if (known == files_.end() || !fs::is_regular_file(status)) return FileState::foreign;
    const File& file = known->second;
    if (!file.whole) return FileState::unfinished;
    // The size first: it costs nothing.
    if (fs::file_size(path, error) != file.size || error) return FileState::damaged;
    return sum_of_file(path).sum == file.sum ? FileState::whole : FileState::damaged;
}

void Manifest::require_free(const std::vector<std::string>& paths) {
    bool again = false;
    for (const std::string& file : paths) {
        std::error_code ignored;
        const fs::file_status status = fs::symlink_status(file, ignored);
        if (!fs::exists(status)) continue;
        // Another task may have named it since.
        if (!names(file) && !again) {
            read();
            again = true;
        }
        if (names(file) && fs::is_regular_file(status)) continue;
        throw Error(file + ": is in the way: " +
                    (names(file) ? std::string("it is a link, a folder or a pipe, where a file of the run should be")
                                 : "it is there, and " + path() + " does not name it as Firn's own") +
                    "; move it away, or give another folder (--out)");
    }
}

void Manifest::claim(const std::vector<std::string>& paths, bool over_others) {
    if (!over_others) require_free(paths);
    std::string lines;
    for (const std::string& file : paths) {
        const std::string name = name_of(file);
        const auto known = files_.find(name);
        if (known != files_.end() && !known->second.whole) continue;
        lines += line_of({{"write", escaped(name)}});
        files_[name] = {};
    }
    // On the disk before the file: after a crash of the machine there must be no file that nobody owns.
    if (!lines.empty()) append(lines, true);
}

void Manifest::made(const std::string& path) {
    const FileSum sum = sum_of_file(path);
    if (!sum.readable) throw Error(path + ": can't be read again after it was written");
    const std::string line = line_of({{"made", escaped(name_of(path))}, {"size", sum.size}, {"sum", sum.sum}});
    append(line, false);
    read_line(line.substr(0, line.size() - 1));
}

void Manifest::remove(const std::vector<std::string>& paths) {
    std::string lines;
    for (const std::string& file : paths) {
        if (!names(file)) continue;
        std::error_code error;
        if (!fs::is_directory(fs::symlink_status(file, error))) fs::remove(file, error);
        if (error && error != std::errc::no_such_file_or_directory)
            throw Error(file + ": can't be removed: " + error.message());
        lines += line_of({{"removed", escaped(name_of(file))}});
        files_.erase(name_of(file));
    }
    if (!lines.empty()) append(lines, false);
}

}  // namespace firn
