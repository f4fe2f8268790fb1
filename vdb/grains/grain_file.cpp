#include "firn/grain_file.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "files/columns.h"
#include "firn/error.h"
#include "firn/memory.h"
#include "grains/grain_points.h"
#include "grains/usd_grains.h"
#include "grids/vdb_archive.h"

namespace firn {

namespace {

bool ends_with(const std::string& text, const std::string& ending) {
    return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

/// All grains in memory: for files whose attributes stand one behind the other.
RenderGrains all_grains(const std::string& path, const GrainField& field, const GrainFileSettings& settings,
                        GrainFileStatistics& statistics, const GrainMass& mass) {
    const double bytes = field.expected_count() * 2 * (12 + 12 + 8 + 4 + 4 + 4.0 * double(settings.attributes.size()));
    const double available = static_cast<double>(memory_available());
    if (bytes > available)
        throw Error(path + ": about " + std::to_string(static_cast<int64_t>(field.expected_count())) + " grains need " +
                    std::to_string(static_cast<int64_t>(bytes / 1e9) + 1) + " GB in this format, " +
                    std::to_string(static_cast<int64_t>(available / 1e9)) +
                    " GB are free; write .vdb, which is made piece by piece, or ask for fewer grains");
    RenderGrains grains = field.all();
    statistics.grains = grains.count();
    for (size_t k = 0; k < grains.count(); ++k) statistics.mass += mass(grains.radius[k], grains.particle[k]);
    return grains;
}

/// With 16 bits positions are multiples of a power of two, less than 1/256 of the distance to the next grain.
void round_positions(std::vector<Float3>& positions, const GrainSettings& settings) {
    const double distance = double(settings.spacing) / std::cbrt(double(settings.per_particle));
    const float step = static_cast<float>(std::exp2(std::floor(std::log2(distance / 256))));
    for (Float3& p : positions)
        p = {step * std::nearbyint(p.x / step), step * std::nearbyint(p.y / step), step * std::nearbyint(p.z / step)};
}

void write_bgeo_grains(const std::string& path, RenderGrains grains, const GrainSettings& grain_settings,
                       const GrainFileSettings& settings, const std::map<std::string, std::string>& metadata) {
    const bool small = ends_with(path, ".sc") && settings.bits == 16;
    if (small) round_positions(grains.position, grain_settings);
    ParticleFile file;
    file.metadata = metadata;
    for (const auto& [name, values] : settings.attributes) {
        ExtraAttribute extra;
        extra.name = name;
        for (const uint32_t particle : grains.particle) extra.floats.push_back(values[particle]);
        file.extra.push_back(std::move(extra));
    }
    ExtraAttribute radius;
    radius.name = "pscale";
    radius.floats = std::move(grains.radius);
    file.extra.push_back(std::move(radius));
    file.particles.position = std::move(grains.position);
    file.particles.velocity = std::move(grains.velocity);
    file.particles.id = std::move(grains.id);
    if (small)
        write_particles(path, file, ParticleFormat::bgeo_sc_16);
    else
        write_particles(path, file);
}

/// All that the file depends on besides the particles.
std::string settings_text(const GrainSettings& s, const GrainFileSettings& file, const FrameStamp& stamp) {
    std::string text = "frame " + std::to_string(stamp.frame) + " time " + text_of(stamp.time) + " spacing " +
                       text_of(s.spacing) + " rest_density " + text_of(s.rest_density) + " per_particle " +
                       std::to_string(s.per_particle) + " seed " + std::to_string(s.seed) + " crumble " +
                       text_of(s.crumble) + " disperse " + text_of(s.disperse) + " size_spread " +
                       text_of(s.size_spread) + " layer " + text_of(s.layer) + " bits " + std::to_string(file.bits);
    if (!file.rest.empty()) text += " rest " + file.rest;
    for (const auto& [name, values] : file.attributes) text += " " + name;
    return text;
}

constexpr const char* settings_name = "firn_grains";

}  // namespace

void add_births(ParticleFile& file, const GrainBirths& births) {
    ExtraAttribute rest;
    rest.name = "rest";
    rest.components = 3;
    rest.floats.reserve(3 * births.rest.size());
    for (const Float3& p : births.rest) rest.floats.insert(rest.floats.end(), {p.x, p.y, p.z});
    ExtraAttribute birth;
    birth.name = "birth";
    birth.floats = births.time;
    file.extra.push_back(std::move(rest));
    if (!births.time.empty()) file.extra.push_back(std::move(birth));
}

GrainBirths births_of(const ParticleFile& file) {
    const size_t count = file.particles.count();
    GrainBirths births;
    for (const ExtraAttribute& extra : file.extra) {
        if (extra.name == "birth" && extra.components == 1) births.time = extra.floats;
        if (extra.name != "rest" || extra.components != 3 || extra.floats.size() != 3 * count) continue;
        for (size_t i = 0; i < count; ++i)
            births.rest.push_back({extra.floats[3 * i], extra.floats[3 * i + 1], extra.floats[3 * i + 2]});
    }
    if (births.rest.empty()) births.time.clear();
    return births;
}

GrainFileStatistics write_grains(const std::string& path, const GrainField& field, const Particles& particles,
                                 const FrameStamp& stamp, const GrainFileSettings& settings,
                                 const std::function<bool()>& interrupted) {
    if (settings.bits != 8 && settings.bits != 16 && settings.bits != 32)
        throw Error("grains: positions have 8, 16 or 32 bits, not " + std::to_string(settings.bits));
    for (const auto& [name, values] : settings.attributes)
        if (values.size() != particles.count())
            throw Error("grains: attribute '" + name + "' has " + std::to_string(values.size()) + " values for " +
                        std::to_string(particles.count()) + " particles");
    const GrainMass mass = [&](float radius, uint32_t particle) {
        const double r = radius, rho = particles.rest_density.empty() ? double(field.settings().rest_density)
                                                                      : double(particles.rest_density[particle]);
        return 4.0 / 3 * 3.14159265358979323846 * r * r * r * rho / grain_packing;
    };
    const std::map<std::string, std::string> metadata = {
        {"frame", std::to_string(stamp.frame)},
        {"time", text_of(stamp.time)},
        {"fps", text_of(stamp.fps)},
        {"scene", settings.scene},
        {settings_name, settings_text(field.settings(), settings, stamp)}};
    GrainFileStatistics statistics;
    if (ends_with(path, ".bgeo") || ends_with(path, ".bgeo.sc"))
        write_bgeo_grains(path, all_grains(path, field, settings, statistics, mass), field.settings(), settings,
                          metadata);
    else if (ends_with(path, ".usda"))
        write_usd_grains(path, all_grains(path, field, settings, statistics, mass), settings, stamp, metadata);
    else if (ends_with(path, ".vdb"))
        write_grain_points(path, field, settings, metadata, statistics, mass, interrupted);
    else
        throw Error(path + ": grains are written as .vdb, .bgeo, .bgeo.sc or .usda");
    return statistics;
}

bool grains_are_whole(const std::string& path, const GrainSettings& grains, const GrainFileSettings& file,
                      const FrameStamp& stamp) {
    const std::string wanted = settings_text(grains, file, stamp);
    if (ends_with(path, ".vdb")) {
        const std::optional<openvdb::MetaMap> metadata = metadata_of_whole_vdb(path);
        if (!metadata) return false;
        const auto found = metadata->getMetadata<openvdb::StringMetadata>(settings_name);
        return found && found->value() == wanted;
    }
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return false;
    if (ends_with(path, ".usda")) {
        std::ifstream in(path, std::ios::binary);
        std::string line;
        for (int k = 0; k < 32 && std::getline(in, line); ++k)
            if (line.find("string " + std::string(settings_name) + " = \"" + wanted + "\"") != std::string::npos) {
                // It is whole when its last line is.
                in.seekg(-2, std::ios::end);
                return std::getline(in, line) && line == "}";
            }
        return false;
    }
    try {
        const ParticleFile there = read_particles(path);
        const auto found = there.metadata.find(settings_name);
        return found != there.metadata.end() && found->second == wanted;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace firn
