// Two particles into the file that is named, and back.
#include "firn/particle_file.h"

int main(int, char** arguments) {
    firn::ParticleFile file;
    file.spacing = 0.02f;
    file.particles.position = {{0, 0, 0}, {0.02f, 0, 0}};
    firn::write_particles(arguments[1], file);
    return firn::read_particles(arguments[1]).particles.count() == 2 ? 0 : 1;
}
