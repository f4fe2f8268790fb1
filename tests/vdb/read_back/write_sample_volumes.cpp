// Writes the volumes that volume_file_read_back.py looks at, and prints the number of particles.
#include <cstdio>

#include "firn/error.h"
#include "firn/volume_file.h"
#include "vdb/snow_shapes.h"

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: write_sample_volumes FILE.vdb\n");
        return 1;
    }
    firn::Particles particles = firn_test::ball(0.5f, 0.05f, {10, 2, -3});
    particles.velocity.assign(particles.count(), {1, 2, 3});
    particles.compaction.assign(particles.count(), 1.5f);
    firn::VolumeSettings settings;
    settings.spacing = 0.05f;
    settings.rest_density = 350;
    settings.masked_density = true;
    settings.attributes = {"compaction"};
    firn::write_volumes(argv[1], particles, settings, {12, 0.5, 24});
    std::printf("%zu\n", particles.count());
} catch (const firn::Error& error) {
    std::fprintf(stderr, "write_sample_volumes: %s\n", error.what());
    return 1;
}
