#include "firn/particle_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "files/columns.h"
#include "files/file_error.h"
#include "files/formats.h"
#include "files/output.h"
#include "firn/error.h"
#include "firn/new_file.h"
#include "firn/regular_file.h"
#include "grains/usd_grains.h"

namespace firn {

namespace {

bool ends_with(const std::string& text, const std::string& ending) {
    return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

std::vector<uint8_t> read_whole(const std::string& path) {
    require_regular_file(path);
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw Error(path + ": can't be read: " + std::strerror(errno));
    const std::streamoff size = file.tellg();
    if (size < 0 || size > (std::streamoff{1} << 46)) throw Error(path + ": can't be read: it is no regular file");
    std::vector<uint8_t> bytes(static_cast<size_t>(size));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(bytes.data()), size);
    if (!file) throw Error(path + ": can't be read: it ends early or is no regular file");
    return bytes;
}

std::string format_name(const std::vector<uint8_t>& bytes) {
    if (is_blosc_container(bytes.data(), bytes.size())) return "Houdini geometry in a Blosc container (.bgeo.sc)";
    if (is_gzip(bytes.data(), bytes.size())) return "Houdini geometry, compressed with gzip (.bgeo.gz)";
    if (is_bgeo(bytes.data(), bytes.size())) return "Houdini geometry (.bgeo, binary JSON)";
    if (is_bgeo_classic(bytes.data(), bytes.size())) return "Houdini geometry (.bgeo, classic)";
    return "OpenVDB points (.vdb)";
}

/// As the grains of a stage: P, v, ids and widths, and single numbers as primvars.
void write_usd_points(const std::string& path, const ParticleFile& file) {
    RenderGrains points;
    const size_t count = file.particles.count();
    points.position = file.particles.position;
    points.velocity = file.particles.velocity;
    points.velocity.resize(count);
    GrainFileSettings settings;
    points.radius.assign(count, 0.5f * file.spacing);
    for (const Column& column : columns_of(file)) {
        if (column.components != 1 || column.strings) continue;
        if (column.name == "id" && column.integers) points.id.assign(column.integers, column.integers + count);
        if (!column.floats) continue;
        if (column.name == "pscale")
            points.radius.assign(column.floats, column.floats + count);
        else
            settings.attributes.emplace_back(column.name, std::vector<float>(column.floats, column.floats + count));
    }
    for (size_t i = points.id.size(); i < count; ++i) points.id.push_back(static_cast<int64_t>(i));
    for (size_t i = 0; i < count; ++i) points.particle.push_back(static_cast<uint32_t>(i));
    FrameStamp stamp;
    const auto number = [&](const char* name, double otherwise) {
        const auto found = file.metadata.find(name);
        return found == file.metadata.end() ? otherwise : std::atof(found->second.c_str());
    };
    stamp.frame = static_cast<int>(number("frame", 1));
    stamp.fps = number("fps", 24);
    write_usd_grains(path, points, settings, stamp, file.metadata);
}

}  // namespace

void write_particles(const std::string& path, const ParticleFile& file) {
    if (ends_with(path, ".bgeo.sc") || ends_with(path, ".bgeosc"))
        return write_particles(path, file, ParticleFormat::bgeo_sc);
    if (ends_with(path, ".bgeo.gz")) return write_particles(path, file, ParticleFormat::bgeo_gz);
    if (ends_with(path, ".ply")) return write_particles(path, file, ParticleFormat::ply);
    if (ends_with(path, ".usda")) return write_particles(path, file, ParticleFormat::usda);
    if (ends_with(path, ".bgeo")) return write_particles(path, file, ParticleFormat::bgeo);
    if (ends_with(path, ".bhclassic")) return write_particles(path, file, ParticleFormat::bgeo_classic);
    if (ends_with(path, ".vdb")) return write_particles(path, file, ParticleFormat::vdb_points);
    throw Error(path + ": particles are written as .bgeo, .bgeo.gz, .bgeo.sc, .bhclassic, .vdb, .ply or .usda");
}

void write_particles(const std::string& path, const ParticleFile& file, ParticleFormat format) {
    with_file_name(path, [&] {
        if (format == ParticleFormat::vdb_points || format == ParticleFormat::vdb_points_16)
            return write_vdb_points(path, file, format == ParticleFormat::vdb_points_16);
        if (format == ParticleFormat::usda) return write_usd_points(path, file);
        NewFile target(path);
        Output output(target.temporary(), path);
        switch (format) {
            case ParticleFormat::bgeo_classic:
                write_bgeo_classic(output, file);
                break;
            case ParticleFormat::bgeo_gz: {
                std::string inside;
                Output text(inside);
                write_bgeo(text, file);
                text.close();
                write_gzip(output, inside);
                break;
            }
            case ParticleFormat::bgeo_sc:
            case ParticleFormat::bgeo_sc_16: {
                std::string inside;
                Output text(inside);
                write_bgeo(text, file, format == ParticleFormat::bgeo_sc_16);
                text.close();
                write_blosc_container(output, inside);
                break;
            }
            case ParticleFormat::ply:
                write_ply_points(output, file);
                break;
            default:
                write_bgeo(output, file);
        }
        output.close();
        target.commit();
    });
}

ParticleFile read_particles(const std::string& path) {
    const std::vector<uint8_t> bytes = read_whole(path);
    return read_particles(bytes.data(), bytes.size(), path);
}

ParticleFile read_particles(const void* bytes, size_t size, const std::string& name) {
    const uint8_t* data = static_cast<const uint8_t*>(bytes);
    if (size == 0) throw Error(name + ": the file is empty");
    try {
        if (is_bgeo(data, size)) return read_bgeo(name, data, size);
        if (is_bgeo_classic(data, size)) return read_bgeo_classic(name, data, size);
        if (is_vdb(data, size)) return read_vdb_points(name, data, size);
        if (is_gzip(data, size)) {
            const std::vector<uint8_t> inside = unpack_gzip(name, data, size);
            if (is_bgeo(inside.data(), inside.size())) return read_bgeo(name, inside.data(), inside.size());
            if (is_bgeo_classic(inside.data(), inside.size()))
                return read_bgeo_classic(name, inside.data(), inside.size());
            throw Error(name + ": byte 0 of the unpacked file: no binary geometry; save it as .bgeo");
        }
        if (is_blosc_container(data, size)) {
            const std::vector<uint8_t> inside = unpack_blosc_container(name, data, size);
            if (!is_bgeo(inside.data(), inside.size()))
                throw Error(name + ": byte 0 of the unpacked file: no binary geometry; save it as .bgeo");
            return read_bgeo(name, inside.data(), inside.size());
        }
    } catch (const std::bad_alloc&) {
        throw Error(name + ": not enough memory to read it");
    }
    if (data[0] == '[' || (size >= 4 && std::memcmp(data, "PGEO", 4) == 0))
        throw Error(name + ": byte 0: geometry as text (.geo); save it as .bgeo");
    throw Error(name + ": byte 0: no particles: neither .bgeo, .bgeo.gz, .bgeo.sc nor .vdb");
}

namespace {

/// What the beginning of a file says of its particles, if it does.
std::optional<uint64_t> announced_particles(const std::string& path, const uint8_t* bytes, size_t size) {
    constexpr size_t enough = size_t(1) << 19;
    if (is_bgeo(bytes, size)) return bgeo_count(path, bytes, size);
    if (is_bgeo_classic(bytes, size)) return bgeo_classic_count(bytes, size);
    if (is_vdb(bytes, size)) return vdb_points_count(path);
    std::vector<uint8_t> inside;
    if (is_gzip(bytes, size)) inside = unpack_gzip(path, bytes, size, enough);
    if (is_blosc_container(bytes, size)) inside = unpack_blosc_container(path, bytes, size, enough);
    if (is_bgeo(inside.data(), inside.size())) return bgeo_count(path, inside.data(), inside.size());
    if (is_bgeo_classic(inside.data(), inside.size())) return bgeo_classic_count(inside.data(), inside.size());
    return {};
}

}  // namespace

uint64_t count_particles(const std::string& path) {
    constexpr uint64_t small = 3000000, beginning = 1 << 22;
    // Of a particle: three coordinates, as half-floats, and packed by a thousandth, which is the most that gzip can.
    constexpr double least_bytes = 0.006;
    std::error_code unknown;
    const uint64_t bytes = std::filesystem::file_size(path, unknown);
    if (!unknown && bytes > small) {
        std::vector<uint8_t> first(std::min(bytes, beginning));
        std::ifstream file(path, std::ios::binary);
        file.read(reinterpret_cast<char*>(first.data()), static_cast<std::streamsize>(first.size()));
        try {
            if (file) {
                const std::optional<uint64_t> count = announced_particles(path, first.data(), first.size());
                if (count && static_cast<double>(*count) <= static_cast<double>(bytes) / least_bytes) return *count;
            }
        } catch (const Error&) {
            // The reader of the whole says what is wrong.
        }
    }
    return read_particles(path).particles.count();
}

std::string describe_bgeo(const std::string& path) {
    const std::vector<uint8_t> bytes = read_whole(path);
    const ParticleFile file = read_particles(bytes.data(), bytes.size(), path);
    const size_t count = file.particles.count();
    std::ostringstream text;
    text << "format: " << format_name(bytes) << "\n";
    text << "size: " << bytes.size() << " bytes\n";
    text << "particles: " << count << "\n";
    if (file.spacing > 0)
        text << "spacing: " << text_of(file.spacing) << " m (pscale " << text_of(file.spacing / 2) << ")\n";
    if (count > 0) {
        Float3 low = file.particles.position.front(), high = low;
        for (const Float3& p : file.particles.position) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        }
        text << "bounds: (" << text_of(low.x) << ", " << text_of(low.y) << ", " << text_of(low.z) << ") to ("
             << text_of(high.x) << ", " << text_of(high.y) << ", " << text_of(high.z) << ") m\n";
    }
    for (const Column& column : columns_of(file)) {
        text << "attribute: " << column.name << ", ";
        if (column.strings) {
            text << "text";
        } else if (column.integers) {
            text << "integer";
        } else {
            text << (column.doubles ? "double" : "float");
        }
        if (column.components > 1) text << " x " << column.components;
        if (!column.meaning.empty()) text << " (" << column.meaning << ")";
        if (column.floats && count > 0) {
            const auto [low, high] =
                std::minmax_element(column.floats, column.floats + count * static_cast<size_t>(column.components));
            text << ", " << text_of(*low) << " to " << text_of(*high);
        }
        text << "\n";
    }
    for (const PointGroup& group : file.groups)
        text << "group: " << group.name << ", " << std::count(group.member.begin(), group.member.end(), uint8_t{1})
             << " points\n";
    if (file.primitives_left_out > 0)
        text << "primitives: " << file.primitives_left_out << ", passed over: Firn reads only points\n";
    for (const auto& [name, value] : file.metadata) text << "detail: " << name << " = " << value << "\n";
    return text.str();
}

}  // namespace firn
