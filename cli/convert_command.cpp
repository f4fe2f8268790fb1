#include <cstdio>
#include <filesystem>

#include "firn/error.h"
#include "firn/grain_file.h"
#include "firn/mesh.h"
#include "firn/particle_file.h"
#include "firn/volume_file.h"
#include "progress.h"
#include "subcommands.h"
#include "thread_limit.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

bool ends_in(const std::string& path, const std::string& ending) {
    return path.size() >= ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
}

void convert_to_volumes(const ParticleFile& file, const CommandLine& line, const std::string& in,
                        const std::string& out) {
    VolumeSettings settings;
    settings.spacing = static_cast<float>(line.number("--spacing", file.spacing, 1e-5, 100));
    if (!(settings.spacing > 0)) throw Error(in + ": does not say how far its particles are apart; give --spacing");
    settings.voxel = static_cast<float>(line.number("--voxel", 0, 1e-6, 1e3));
    settings.rest_density = static_cast<float>(line.number("--density", 400, 1, 2000));
    settings.half_float = !line.has("--full-float");
    FrameStamp stamp;
    const auto frame = file.metadata.find("frame");
    if (frame != file.metadata.end()) stamp.frame = std::atoi(frame->second.c_str());
    for (const VolumeStatistics& grid : write_volumes(out, file.particles, settings, stamp, {}, births_of(file)))
        std::printf("  %s: %s voxels\n", grid.name.c_str(), count_text(grid.active_voxels).c_str());
}

int run(const CommandLine& line) {
    const std::string in = line.text("IN", ""), out = line.text("OUT", "");
    std::error_code error;
    if (fs::equivalent(in, out, error)) throw UsageError("IN and OUT are the same file");
    if (fs::exists(fs::symlink_status(out, error)) && !line.has("--force"))
        throw Error(out + ": is there already; --force overwrites it");
    if (is_mesh_file(in)) {
        if (!is_mesh_file(out)) throw UsageError("a mesh can become another mesh (.obj, .ply), not " + out);
        write_mesh(out, read_mesh(in));
        return exit_done;
    }
    const bool known = ends_in(out, ".bgeo") || ends_in(out, ".bgeo.gz") || ends_in(out, ".bgeo.sc") ||
                       ends_in(out, ".vdb") || ends_in(out, ".ply") || ends_in(out, ".usda");
    if (!known) throw UsageError(out + ": particles can become .bgeo, .bgeo.gz, .bgeo.sc, .vdb, .ply or .usda");
    const bool volumes = line.has("--volumes"), classic = line.has("--classic");
    const bool small = line.integer("--bits", 32, 16, 32) == 16;
    if (small && (volumes || (!ends_in(out, ".vdb") && !ends_in(out, ".bgeo.sc"))))
        throw UsageError("--bits 16 is for points in a .vdb, and for .bgeo.sc");
    if (volumes && !ends_in(out, ".vdb")) throw UsageError("--volumes makes a .vdb, not " + out);
    if (classic && !ends_in(out, ".bgeo")) throw UsageError("--classic makes a .bgeo, not " + out);

    int all_cores = 0;
    limit_threads(all_cores);
    ParticleFile file = read_particles(in);
    std::printf("%s: %s particles\n", in.c_str(), count_text(file.particles.count()).c_str());
    const auto left_out = [&](uint64_t count, const char* what, const char* why) {
        if (count > 0)
            std::fprintf(stderr, "warning: %s: %s %s left out: %s\n", in.c_str(), count_text(count).c_str(), what, why);
    };
    left_out(file.primitives_left_out, "primitives (polygons and the like) are", "only points are converted");
    left_out(file.groups_left_out + (classic || volumes ? file.groups.size() : 0), "point groups are",
             "only modern .bgeo and points in .vdb keep them");
    if (volumes)
        convert_to_volumes(file, line, in, out);
    else if (classic)
        write_particles(out, file, ParticleFormat::bgeo_classic);
    else if (small)
        write_particles(out, file, ends_in(out, ".vdb") ? ParticleFormat::vdb_points_16 : ParticleFormat::bgeo_sc_16);
    else
        write_particles(out, file);
    return exit_done;
}

}  // namespace

Subcommand convert_command() {
    return {
        "convert",
        "particles from .bgeo, .bgeo.gz, .bgeo.sc and .vdb to these, .ply and .usda; to volumes; meshes",
        "firn convert IN OUT [options]",
        "  firn convert in.bgeo out.vdb                particles as OpenVDB points\n"
        "  firn convert in.bgeo out.vdb --volumes      as density, velocity and surface\n"
        "  firn convert in.bgeo out.bgeo.sc --bits 16  as small as .bgeo gets\n"
        "  firn convert in.bgeo out.ply                for Blender: a vertex for each particle, with its attributes\n"
        "  firn convert in.bgeo out.usda               UsdGeomPoints, for Blender and Solaris\n"
        "  firn convert in.bgeo old.bgeo --classic     for Partio and old tools\n",
        {{"IN", "", ".bgeo (a checkpoint too), .bgeo.gz, .bgeo.sc, .vdb (points), or a mesh (.obj, .ply, .stl)"},
         {"OUT", "", ".bgeo, .bgeo.gz, .bgeo.sc, .vdb, .ply, .usda, or a mesh (.obj, .ply)"},
         {"--classic", "", "write .bgeo in the classic V5 layout"},
         {"--bits", "N", "of the numbers of points in a .vdb or .bgeo.sc: 16 or 32 (default: 32)"},
         {"--volumes", "", "make grids of the particles"},
         {"--spacing", "M", "between particles, when IN does not say"},
         {"--voxel", "M", "size of a voxel; half the spacing unless given"},
         {"--density", "KG/M3", "rest density of particles without one of their own; 400 unless given"},
         {"--full-float", "", "grids in 32 bits instead of 16"},
         {"--force", "", "overwrite OUT"}},
        run};
}

}  // namespace firn
