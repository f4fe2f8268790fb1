#include "checkpoint.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "checksum.h"
#include "firn/error.h"
#include "firn/grain_file.h"
#include "firn/regular_file.h"
#include "firn/short_token.h"
#include "lending.h"
#include "wording.h"

namespace firn {

namespace {

// Names of the detail attributes.
constexpr const char* format_name = "firn_checkpoint";
constexpr const char* checksum_name = "checksum";
constexpr const char* format = "2";  ///< 1 was a format of its own

using Details = std::map<std::string, std::string>;

Details details_of(const Checkpoint& c) {
    Details details = {{format_name, format},
                       {"firn_version", c.version},
                       {"arithmetic", c.arithmetic},
                       {"physics", c.physics},
                       {"frame", std::to_string(c.frame)},
                       {"substep_time", shortest_text(c.into.time)},
                       {"substeps", std::to_string(c.into.substeps)},
                       {"next_id", std::to_string(c.next_id)},
                       {"spacing", shortest_text(c.spacing)}};
    if (!c.begun.empty()) details["begun"] = c.begun;
    return details;
}

constexpr const char* former_checkpoint =
    ": is a checkpoint in a former format, which this version of Firn can't read; finish the run with the version that "
    "started it, or start it again with --force";

/// Of the details, but for the checksum itself, and of every array.
std::string checksum_of(const Details& details, Particles& particles, const GrainBirths& births) {
    Checksum sum;
    const auto add_text = [&](const std::string& text) { sum.add(text.c_str(), text.size() + 1); };
    for (const auto& [name, value] : details) {
        if (name == checksum_name) continue;
        add_text(name);
        add_text(value);
    }
    for (const ParticleArray& array : particle_arrays()) {
        const size_t count = array.size(particles);
        if (count == 0) continue;
        add_text(array.name);
        if (array.components == 0)
            sum.add(reinterpret_cast<const char*>(particles.id.data()), count * sizeof(int64_t));
        else
            sum.add(reinterpret_cast<const char*>(array.data(particles)),
                    count * static_cast<size_t>(array.components) * sizeof(float));
    }
    const auto add_births = [&](const char* name, const auto& values) {
        if (values.empty()) return;
        add_text(name);
        sum.add(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values.front()));
    };
    add_births("rest", births.rest);
    add_births("birth", births.time);
    return sum.text();
}

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw Error(path + ": this checkpoint " + what + "; delete it, and --resume takes an older one");
}

/// The details as a checkpoint without particles.
class DetailReader {
public:
    DetailReader(const Details& details, const std::string& path) : details_(details), path_(path) {}

    const std::string& text(const char* name) const {
        const auto found = details_.find(name);
        if (found == details_.end()) fail(path_, "is damaged: it has no '" + std::string(name) + "'");
        return found->second;
    }
    template <class Number>
    void number(const char* name, Number& value) const {
        const std::string& digits = text(name);
        const char* end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, value);
        if (error != std::errc() || stop != end)
            fail(path_, "is damaged: its '" + std::string(name) + "' is no such number");
    }

private:
    const Details& details_;
    const std::string& path_;
};

Checkpoint checkpoint_of(ParticleFile& file, const std::string& path) {
    if (!is_checkpoint(file)) throw Error(path + ": holds particles, but is no checkpoint of Firn");
    if (file.metadata[format_name] != format)
        throw Error(path + ": is a checkpoint of another version of Firn; resume it with that one");
    const DetailReader details(file.metadata, path);
    Checkpoint c;
    c.version = details.text("firn_version");
    c.arithmetic = details.text("arithmetic");
    c.physics = details.text("physics");
    details.number("frame", c.frame);
    details.number("substep_time", c.into.time);
    details.number("substeps", c.into.substeps);
    details.number("next_id", c.next_id);
    details.number("spacing", c.spacing);
    if (const auto begun = file.metadata.find("begun"); begun != file.metadata.end()) c.begun = begun->second;
    for (const ExtraAttribute& extra : file.extra)
        if (extra.name != "rest" && extra.name != "birth")
            fail(path,
                 "holds '" + short_token(extra.name) + "', which this Firn does not know: it is from a newer one");
    c.births = births_of(file);
    if (details.text(checksum_name) != checksum_of(file.metadata, file.particles, c.births))
        fail(path, "is damaged: its checksum is wrong");
    c.particles = std::move(file.particles);
    return c;
}

}  // namespace

void write_checkpoint(const std::string& path, Checkpoint& checkpoint) {
    ParticleFile file;
    if (checkpoint.particles.count() > 0) file.spacing = checkpoint.spacing;  // as the size of each
    file.metadata = details_of(checkpoint);
    file.metadata[checksum_name] = checksum_of(file.metadata, checkpoint.particles, checkpoint.births);
    if (!checkpoint.births.rest.empty()) add_births(file, checkpoint.births);
    lend(checkpoint.particles, file.particles, [&] { write_particles(path, file, ParticleFormat::bgeo); });
}

bool is_checkpoint(const ParticleFile& file) {
    return file.metadata.count(format_name) > 0;
}

Checkpoint parse_checkpoint(const char* bytes, size_t size, const std::string& path) {
    const auto begins_with = [&](const char* magic) {
        return size >= std::strlen(magic) && std::memcmp(bytes, magic, std::strlen(magic)) == 0;
    };
    if (begins_with("FIRNCHK")) throw Error(path + former_checkpoint);
    if (!begins_with("\x7fNSJb")) throw Error(path + ": is no checkpoint of Firn");
    ParticleFile file;
    try {
        file = read_particles(bytes, size, path);
    } catch (const Error& error) {
        const std::string what = error.what();
        fail(path, "is damaged: " + (what.rfind(path + ": ", 0) == 0 ? what.substr(path.size() + 2) : what));
    }
    return checkpoint_of(file, path);
}

Checkpoint read_checkpoint(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) fail(path, "is a folder");
    require_regular_file(path);
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw Error(path + ": can't be read: " + std::strerror(errno));
    const std::streamoff size = file.tellg();
    if (size < 0) throw Error(path + ": can't be read");
    file.seekg(0);
    std::vector<char> bytes(static_cast<size_t>(size));
    if (!file.read(bytes.data(), size)) throw Error(path + ": can't be read to its end");
    return parse_checkpoint(bytes.data(), bytes.size(), path);
}

}  // namespace firn
