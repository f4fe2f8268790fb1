#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/grain_file.h"
#include "firn/particle_file.h"
#include "firn/spelling.h"
#include "frame_work.h"
#include "interrupt.h"
#include "progress.h"
#include "subcommands.h"

namespace firn {

namespace {

GrainSettings settings_of(const CommandLine& line, const Scene& scene) {
    GrainSettings settings;
    settings.spacing = scene.parameters.spacing;
    settings.rest_density = scene.parameters.rest_density;
    settings.per_particle = line.integer("--per-particle", settings.per_particle, 1, 256);
    settings.seed = static_cast<uint32_t>(line.integer("--seed", 0, 0, 1000000));
    settings.crumble = static_cast<float>(line.number("--crumble", double(settings.crumble), 0, 4));
    settings.disperse = static_cast<float>(line.number("--disperse", double(settings.disperse), 0, 4));
    settings.size_spread = static_cast<float>(line.number("--size-spread", double(settings.size_spread), 0, 1));
    settings.layer = static_cast<float>(line.number("--layer", 0, 0, 1e6));
    settings.threads = threads_of(line, scene);
    return settings;
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> names;
    for (size_t start = 0; start <= list.size();) {
        const size_t comma = std::min(list.find(',', start), list.size());
        names.push_back(list.substr(start, comma - start));
        start = comma + 1;
    }
    return names;
}

/// The attributes that grains take over from their particles: single numbers of the engine's table, and `age`.
std::vector<std::string> attribute_names(const CommandLine& line) {
    std::vector<std::string> known = {"age"};
    for (const ParticleArray& array : particle_arrays())
        if (array.components == 1) known.push_back(array.name);
    std::vector<std::string> names;
    if (!line.has("--attributes")) return names;
    for (const std::string& name : split(line.text("--attributes", ""))) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw UsageError("--attributes: a grain has no '" + name + "'" + did_you_mean(name, known) +
                             "; it takes single numbers: compaction, density, age, ...");
        names.push_back(name);
    }
    return names;
}

std::vector<float> values_of(const std::string& name, const ParticleFile& file, const GrainBirths& births,
                             const FrameStamp& stamp, const std::string& path) {
    const size_t count = file.particles.count();
    std::vector<float> values(count);
    if (name == "age") {
        if (births.time.empty()) throw Error(path + ": has no attribute 'birth', from which the age would be told");
        for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(stamp.time) - births.time[i];
        return values;
    }
    for (const ParticleArray& array : particle_arrays())
        if (name == array.name)
            if (const float* data = array.data(file.particles)) {
                std::copy_n(data, count, values.begin());
                return values;
            }
    throw Error(path + ": has no attribute '" + name + "'; leave it out of --attributes");
}

/// Runs of older versions, and particles that another program has passed on, don't say where they were born: the first
/// frame does.
GrainBirths births_from_file(const std::string& rest, const ParticleFile& frame, const std::string& path) {
    if (rest.empty() || rest == path) return {frame.particles.position, {}};
    try {
        return births_from(read_particles(rest).particles, frame.particles);
    } catch (const Error& error) {
        throw Error(path + " has no attribute 'rest', and " + rest + " does not tell where its snow was born: " +
                    error.what() + "; simulate again with this version, or name a file that has them all (--rest)");
    }
}

int run(const CommandLine& line) {
    const std::string folder = run_folder_of(line);
    const Scene scene = scene_of_run(folder, {});
    const RunFolder run(folder, scene.name), out(line.text("--out", folder), scene.name);
    const GrainSettings settings = settings_of(line, scene);
    const std::string format = line.text("--format", "vdb");
    if (format != "vdb" && format != "bgeo" && format != "bgeo.sc" && format != "usda")
        throw UsageError("--format is 'vdb', 'bgeo', 'bgeo.sc' or 'usda', not '" + format + "'");
    GrainFileSettings file_settings;
    const bool packed = format == "bgeo.sc";
    file_settings.bits = format != "vdb" && !packed ? 32 : line.integer("--bits", packed ? 16 : 8, 8, 32);
    if (file_settings.bits != 16 && file_settings.bits != 32 && (packed || file_settings.bits != 8))
        throw UsageError(packed ? "--bits is 16 or 32 for a .bgeo.sc" : "--bits is 8, 16 or 32");
    file_settings.scene = scene.name;
    file_settings.rest = line.text("--rest", "");
    for (const std::string& name : attribute_names(line))
        file_settings.attributes.emplace_back(name, std::vector<float>());
    const std::vector<int> simulated = run.particle_frames();
    const std::string rest =
        line.text("--rest", simulated.empty() ? std::string() : run.find_particles(simulated.front()));

    Manifest manifest(out.path());
    FrameWork work;
    work.command = "grains";
    work.path = [&](int frame) { return out.grains(frame, format); };
    work.is_whole = [&](const std::string& path, const FrameStamp& stamp) {
        return grains_are_whole(path, settings, file_settings, stamp);
    };
    work.make = [&](const std::string& path, const ParticleFile& file, const std::string& particles,
                    const FrameStamp& stamp) {
        const auto interrupted = [] { return interrupted_by() != 0; };
        GrainBirths births = line.has("--rest") ? GrainBirths{} : births_of(file);
        if (births.rest.empty() && file.particles.count() > 0) births = births_from_file(rest, file, particles);
        GrainFileSettings with_values = file_settings;
        for (auto& [name, values] : with_values.attributes) values = values_of(name, file, births, stamp, particles);
        const GrainField field(file.particles, std::move(births), settings, interrupted);
        const GrainFileStatistics made = write_grains(path, field, file.particles, stamp, with_values, interrupted);
        return count_text(made.grains) + " grains of " + count_text(field.parents().size()) + " particles";
    };
    return make_frames(line, scene, run, out, manifest, work);
}

constexpr const char* details =
    "Makes OUT/grains/NAME.0001.vdb from OUT/particles/NAME.0001.bgeo: each particle becomes some dozens of grains of\n"
    "snow, with P, v, id and pscale (a radius). Grains are born in the undeformed snow, as blue noise, and follow it:\n"
    "they turn with their chunk, come loose at fresh fracture faces and disperse with loose snow. Their mass is that "
    "of\n"
    "the particles: a grain's is 4/3 pi pscale^3 * rest_density / 0.52.\n"
    "\n"
    "Each frame is made by itself, so a farm may split the frames in any way; the same command continues after a "
    "crash.\n"
    "The result does not depend on the number of threads. A .vdb is made brick by brick and takes little memory; a\n"
    ".bgeo holds every bit, and needs all grains in memory; so do a .bgeo.sc, compressed, and a .usda, text, which\n"
    "NAME.usda then shows in Solaris and Blender.\n"
    "\n"
    "  firn grains out/wall                              32 grains for each particle\n"
    "  firn grains out/wall --per-particle 100 --frames 40-60\n"
    "  firn grains out/wall --layer 0.04 --per-particle 200   only near the surface\n"
    "\n"
    "Exit codes: 0 done, 1 error, 2 wrong usage, 130 (143, 129, 141) stopped by Ctrl-C (SIGTERM,\n"
    "SIGHUP, SIGPIPE).\n";

}  // namespace

Subcommand grains_command() {
    return {
        "grains",
        "make render grains from a run's particles: detail that was not simulated",
        "firn grains RUN [options]",
        details,
        frame_work_options(
            {{"--per-particle", "N", "grains for each particle, in the mean: 1 to 256 (default: 32)"},
             {"--layer", "METRES", "only near the snow's surface, this deep (default: everywhere)"},
             {"--crumble", "X", "spacings that grains come off fresh fracture faces (default: 0.6)"},
             {"--disperse", "X", "how much wider the grains of loose particles spread (default: 1)"},
             {"--size-spread", "X", "how unequal they are: standard deviation of log(radius) (default: 0.3)"},
             {"--seed", "N", "another pattern (default: 0)"},
             {"--attributes", "LIST", "more attributes, from the particles: compaction,density,age"},
             {"--format", "FORMAT", "vdb (small), bgeo, bgeo.sc, or usda, which the run's stage shows (default: vdb)"},
             {"--bits", "N",
              "of a .vdb's positions within two grains: 8, 16, or 32 = all floats (default: 8); of a .bgeo.sc: 16 or "
              "32 (default: 16)"},
             {"--rest", "FILE",
              "where the snow was born, by id (default: the attribute rest, or else the first frame)"},
             {"--out", "FOLDER", "where they go, FOLDER/grains (default: the run's folder)"}}),
        run};
}

}  // namespace firn
