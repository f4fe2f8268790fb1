#include "surface_settings.h"

#include "firn/error.h"
#include "particle_transfer.h"

namespace firn {

GridSettings grid_settings(const ParameterValues& values, const GU_Detail& particles) {
    GridSettings settings;
    settings.spacing = static_cast<float>(values.real("spacing"));
    settings.voxel = static_cast<float>(values.real("voxel"));
    settings.threads = static_cast<int>(values.integer("threads"));
    if (settings.spacing <= 0) settings.spacing = spacing_of(particles);
    // Without particles any spacing will do.
    if (settings.spacing <= 0 && particles.getNumPoints() == 0) settings.spacing = 0.02f;
    if (!(settings.spacing > 0))
        throw Error("the particles have no pscale that their spacing could be taken from; set Particle Spacing");
    return settings;
}

SurfaceGridSettings surface_settings(const ParameterValues& values, const GrainBirths& births) {
    SurfaceGridSettings settings;
    if (values.text("surface_shape") == "kernels") settings.shape = SurfaceGridSettings::Shape::kernels;
    settings.relief = static_cast<float>(values.real("surface_relief"));
    settings.relief_size = static_cast<float>(values.real("surface_relief_size"));
    if (!births.rest.empty()) settings.births = &births;
    settings.radius = static_cast<float>(values.real("surface_radius"));
    settings.dilate = static_cast<float>(values.real("surface_dilate"));
    settings.smooth = static_cast<int>(values.integer("surface_smooth"));
    settings.erode = static_cast<float>(values.real("surface_erode"));
    return settings;
}

GrainBirths births_of(const GU_Detail& input, const std::vector<PointBlock>& blocks, const Particles& particles,
                      const GU_Detail* first) {
    GrainBirths births;
    if (particles.count() == 0) return births;
    if (first) {
        births = births_from(read_particles(*first, point_blocks(*first)), particles);
    } else {
        births.rest.resize(particles.count());
        if (!read_floats(input, blocks, "rest", 3, &births.rest[0].x)) return {};
    }
    std::vector<int64_t> frame;
    if (read_integers(input, blocks, "birth_frame", frame)) births.time.assign(frame.begin(), frame.end());
    return births;
}

}  // namespace firn
