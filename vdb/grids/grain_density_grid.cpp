#include <cmath>

#include "firn/error.h"
#include "firn/grids.h"
#include "firn/memory.h"

namespace firn {

float grain_spacing(float spacing, int per_particle) {
    return spacing / std::cbrt(static_cast<float>(per_particle));
}

void require_grain_memory(double grains) {
    // Places and masses, while they are joined twice.
    const double bytes = 100 * grains, available = static_cast<double>(memory_available());
    if (bytes > available)
        throw Error("density from about " + std::to_string(static_cast<int64_t>(grains / 1e6)) +
                    " million grains needs " + std::to_string(static_cast<int64_t>(bytes / 1e9) + 1) + " GB, " +
                    std::to_string(static_cast<int64_t>(available / 1e9)) +
                    " GB are free; use fewer grains for each particle");
}

openvdb::FloatGrid::Ptr grain_density_grid(const Particles& particles, const GrainBirths& births,
                                           const GrainDensitySettings& how, const GridSettings& settings,
                                           const Interrupted& interrupted) {
    GrainSettings grain;
    grain.spacing = settings.spacing;
    grain.rest_density = how.rest_density;
    grain.per_particle = how.per_particle;
    grain.threads = settings.threads;
    const GrainField field(particles, births, grain, interrupted);
    require_grain_memory(field.expected_count());
    RenderGrains grains = field.all();
    GridSettings fine = settings;
    fine.spacing = grain_spacing(settings.spacing, how.per_particle);
    if (fine.voxel == 0) fine.voxel = 0.5f * fine.spacing;
    // A grid takes a particle's mass for its rest density times its spacing cubed.
    Particles snow;
    snow.rest_density.reserve(grains.count());
    const double scale = 4.0 / 3 * 3.14159265358979323846 / grain_packing / std::pow(double(fine.spacing), 3);
    for (size_t k = 0; k < grains.count(); ++k) {
        const double r = grains.radius[k], rho = particles.rest_density.empty()
                                                     ? double(how.rest_density)
                                                     : double(particles.rest_density[grains.particle[k]]);
        snow.rest_density.push_back(static_cast<float>(scale * r * r * r * rho));
    }
    snow.position = std::move(grains.position);
    grains = {};
    return density_grid(snow, how.rest_density, fine, interrupted);
}

}  // namespace firn
