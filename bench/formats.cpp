// Sizes of a frame's files in every format, the time to write them, and what is lost: read back and compared by id.
//
//     firn_formats RUN/particles/NAME.0016.bgeo [PER_PARTICLE [FOLDER]]
//
// Prints two tables: of the particles, and of the grains that `firn grains --per-particle N` makes of them (default: as
// many as make ten million).

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "firn/error.h"
#include "firn/grain_file.h"
#include "firn/particle_file.h"

namespace {

using firn::Float3;
using firn::ParticleFile;
using firn::ParticleFormat;

/// The places of points in the order of their ids.
std::vector<size_t> by_id(const std::vector<int64_t>& id) {
    std::vector<size_t> order(id.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return id[a] < id[b]; });
    return order;
}

double distance(const Float3& a, const Float3& b) {
    return std::hypot(double(a.x) - double(b.x), double(a.y) - double(b.y), double(a.z) - double(b.z));
}

struct Original {
    const std::vector<int64_t>& id;
    const std::vector<Float3>&position, &velocity;
    double spacing;  ///< m between neighbours
};

/// A share as "1/250", or "none".
std::string share(double value) {
    if (value == 0) return "none";
    char text[32];
    std::snprintf(text, sizeof text, value < 0.1 ? "1/%.0f" : "%.2f", value < 0.1 ? 1 / value : value);
    return text;
}

void print_row(const std::string& what, const std::string& path, double seconds, const Original& original) {
    const double bytes = static_cast<double>(std::filesystem::file_size(path));
    const double count = static_cast<double>(original.id.size());
    std::string place = "not read", speed = "not read";
    if (path.find(".usda") == std::string::npos) {
        const ParticleFile back = firn::read_particles(path);
        if (back.particles.count() != original.id.size()) throw firn::Error(path + ": has lost points");
        const std::vector<size_t> here = by_id(original.id), there = by_id(back.particles.id);
        double most_place = 0, most_speed = 0;
        for (size_t k = 0; k < here.size(); ++k) {
            const size_t a = here[k], b = there[k];
            most_place = std::max(most_place, distance(original.position[a], back.particles.position[b]));
            const double size = distance(original.velocity[a], {});
            if (size > 1e-3)
                most_speed = std::max(most_speed, distance(original.velocity[a], back.particles.velocity[b]) / size);
        }
        place = share(most_place / original.spacing);
        speed = share(most_speed);
    }
    std::printf("| %s | %.1f MB | %.1f | %s | %s | %.1f s |\n", what.c_str(), bytes / 1e6, bytes / count, place.c_str(),
                speed.c_str(), seconds);
    std::fflush(stdout);
    std::filesystem::remove(path);
}

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_head(const char* neighbour) {
    std::printf("| file | size | bytes each | error of places, of a %s | of velocities | time |\n", neighbour);
    std::printf("|---|---|---|---|---|---|\n");
}

void particles(const ParticleFile& file, const std::string& folder) {
    struct Row {
        const char *what, *name;
        ParticleFormat format;
    };
    const Row rows[] = {{".bgeo", "p.bgeo", ParticleFormat::bgeo},
                        {".bgeo.gz", "p.bgeo.gz", ParticleFormat::bgeo_gz},
                        {".bgeo.sc", "p.bgeo.sc", ParticleFormat::bgeo_sc},
                        {".bgeo.sc, 16 bits", "p.bgeo.sc", ParticleFormat::bgeo_sc_16},
                        {".vdb", "p.vdb", ParticleFormat::vdb_points},
                        {".vdb, 16 bits", "p.vdb", ParticleFormat::vdb_points_16}};
    std::printf("%zu particles with all their attributes:\n\n", file.particles.count());
    print_head("spacing");
    const Original original{file.particles.id, file.particles.position, file.particles.velocity, double(file.spacing)};
    for (const Row& row : rows) {
        const std::string path = folder + "/" + row.name;
        const double seconds = seconds_of([&] { firn::write_particles(path, file, row.format); });
        print_row(row.what, path, seconds, original);
    }
}

void grains(const ParticleFile& file, int per_particle, const std::string& folder) {
    struct Row {
        const char *what, *name;
        int bits;
    };
    const Row rows[] = {{".vdb, 8 bits", "g.vdb", 8},           {".vdb, 16 bits", "g.vdb", 16},
                        {".vdb, 32 bits", "g.vdb", 32},         {".bgeo.sc, 16 bits", "g.bgeo.sc", 16},
                        {".bgeo.sc, 32 bits", "g.bgeo.sc", 32}, {".bgeo", "g.bgeo", 32},
                        {".usda (text)", "g.usda", 32}};
    firn::GrainSettings settings;
    settings.spacing = file.spacing;
    settings.per_particle = per_particle;
    const firn::GrainField field(file.particles, firn::births_of(file), settings);
    const firn::RenderGrains all = field.all();
    std::printf("\n%zu grains, %d for each particle:\n\n", all.count(), per_particle);
    print_head("grain distance");
    const Original original{all.id, all.position, all.velocity, double(file.spacing) / std::cbrt(double(per_particle))};
    firn::FrameStamp stamp;
    for (const Row& row : rows) {
        const std::string path = folder + "/" + row.name;
        firn::GrainFileSettings how;
        how.bits = row.bits;
        const double seconds = seconds_of([&] { firn::write_grains(path, field, file.particles, stamp, how); });
        print_row(row.what, path, seconds, original);
    }
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 2 || argc > 4) {
        std::fprintf(stderr, "usage: firn_formats RUN/particles/NAME.0016.bgeo [PER_PARTICLE [FOLDER]]\n");
        return 2;
    }
    const ParticleFile file = firn::read_particles(argv[1]);
    const double count = static_cast<double>(std::max<size_t>(1, file.particles.count()));
    const int usual = std::clamp(static_cast<int>(std::lround(1e7 / count)), 1, 256);
    const std::string folder = argc > 3 ? argv[3] : "out/formats";
    std::filesystem::create_directories(folder);
    particles(file, folder);
    grains(file, argc > 2 ? std::atoi(argv[2]) : usual, folder);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "firn_formats: %s\n", error.what());
    return 1;
}
