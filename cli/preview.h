#pragma once

#include <string>
#include <vector>

#include "firn/mesh.h"
#include "firn/snow_surface.h"
#include "firn/vector.h"
#include "picture.h"

namespace firn {

struct PreviewCamera {
    Float3 eye{0, 1, 4}, target;  ///< m
    float angle = 0.6f;           ///< of view, top to bottom, rad
    float lens = 0;               ///< radius of the lens, m; 0 = everything is sharp
    float focus = 0;              ///< m from the eye; 0 = on the target
};

struct PreviewMesh {
    Mesh mesh;                           ///< in the world, m
    Float3 colour{0.36f, 0.16f, 0.08f};  ///< linear, 0..1
    std::vector<Float3> opening = {},
                        closing = {};  ///< its points as the shutter opens and closes; empty = it is still
};

/// What one picture shows.
struct PreviewFrame {
    std::vector<Float3> snow;           ///< m
    std::vector<Float3> velocity = {};  ///< m/s, for motion blur; empty = the snow is still
    std::vector<int64_t> id = {};
    std::vector<float> compaction = {};
    GrainBirths births = {};           ///< for the surface's relief; may be empty
    SnowSurfaceSettings surface = {};  ///< how the run's files have it; spacing, origin and voxel are set here
    float spacing = 0;                 ///< of the particles, m
    std::vector<Float4> grains = {};   ///< centre and radius, m: shown instead of the surface where there are any
    std::vector<Float3> grain_velocity = {};
    float shutter = 0;  ///< s that it is open, half of it before the frame; 0 = no motion blur
    std::vector<PreviewMesh> colliders;
    bool has_ground = true;
    float ground = 0;                            ///< height along `up`, m
    Float3 ground_colour{0.26f, 0.255f, 0.25f};  ///< linear
    Float3 up{0, 1, 0};
    PreviewCamera camera;
    std::string caption;  ///< "" = none
};

/// draft: shape and sun, coarsely. best: four times the samples and a finer surface.
enum class PreviewQuality { draft, usual, best };

struct PreviewSettings {
    int width = 1280, height = 720;
    PreviewQuality quality = PreviewQuality::usual;
    int samples = 0;  ///< per pixel; 0 = 1, 4 or 16 by the quality
    /// Right of the camera, up, and towards the camera: the light comes from the side however one looks, and shows
    /// shape.
    Float3 to_sun{-0.80f, 0.52f, 0.12f};
    int threads = 0;  ///< 0 = all cores
};

/// The snow as a person would see it: sunlight, soft shadows, the light of the sky. The same picture for any number of
/// threads. Particles that are not finite are left out, which `warnings` says. Throws Error for a frame that can't be
/// shown: no spacing, a camera without a direction, a mesh whose triangles miss their points.
Picture render_preview(const PreviewFrame&, const PreviewSettings&, std::vector<std::string>* warnings = nullptr);

/// A camera that sees all of the box, from the front, a little from the side and above.
/// `aspect` is the picture's width over its height.
PreviewCamera fit_camera(const Float3& low, const Float3& high, float aspect, const Float3& up = {0, 1, 0});

}  // namespace firn
