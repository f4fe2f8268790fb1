#include "volume_slips.h"

#include <cmath>
#include <cstdio>

#include "firn/volume_file.h"
#include "simulation.h"

namespace firn {

namespace {

constexpr double coarsest = 2, finest = 0.1;  ///< voxels, in spacings
constexpr double farthest = 20;               ///< spacings
constexpr double packed = 0.25;               ///< of its volume is what snow keeps at least, overlaps and all

std::string in_spacings(const char* key, double metres, const char* relation, double spacings, const char* result) {
    char text[256];
    std::snprintf(text, sizeof text, "output.%s = %.3g m is %s %g spacings: %s", key, metres, relation, spacings,
                  result);
    return text;
}

}  // namespace

std::vector<std::string> volume_slips(const Scene& scene) {
    std::vector<std::string> slips;
    const SceneOutput& output = scene.output;
    if (output.volumes.empty()) return slips;
    const double spacing = scene.parameters.spacing, voxel = output.voxel;
    if (voxel > coarsest * spacing)
        slips.push_back(in_spacings("voxel", voxel, "more than", coarsest, "the snow shows as blocks; lower it"));
    if (voxel > 0 && voxel < finest * spacing)
        slips.push_back(in_spacings("voxel", voxel, "less than", finest,
                                    "no more detail, for much more time and memory; raise it"));
    const struct {
        const char* key;
        double metres;
        const char* result;
    } lengths[] = {
        {"velocity_extension", output.velocity_extension, "it takes much time and memory; lower it"},
        {"surface_radius", output.surface_radius, "the surface is one ball; lower it"},
        {"surface_dilate", output.surface_dilate, "it closes every gap, and takes much time; lower it"},
        {"surface_erode", output.surface_erode, "it takes all snow away but lone particles; lower it"},
        {"surface_relief_size", output.surface_relief_size, "its lumps are larger than what they are on; lower it"}};
    for (const auto& [key, metres, result] : lengths)
        if (metres > farthest * spacing) slips.push_back(in_spacings(key, metres, "more than", farthest, result));
    return slips;
}

void require_volumes(const Scene& scene, const SceneCounts& counts) {
    if (scene.output.volumes.empty()) return;
    require_volumes(volume_settings(scene),
                    packed * counts.snow.particles * std::pow(double(scene.parameters.spacing), 3));
}

}  // namespace firn
