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

SurfaceGridSettings surface_settings(const ParameterValues& values) {
    SurfaceGridSettings settings;
    settings.radius = static_cast<float>(values.real("surface_radius"));
    settings.dilate = static_cast<float>(values.real("surface_dilate"));
    settings.smooth = static_cast<int>(values.integer("surface_smooth"));
    settings.erode = static_cast<float>(values.real("surface_erode"));
    return settings;
}

}  // namespace firn
