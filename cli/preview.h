#pragma once

#include <string>
#include <vector>

#include "firn/mesh.h"
#include "firn/vector.h"
#include "picture.h"

namespace firn {

struct PreviewCamera {
    Float3 eye, target;
    float angle = 0.6f;  ///< of view, top to bottom, rad
};

struct PreviewMesh {
    Mesh mesh;                          ///< in the world, m
    Float3 colour{0.45f, 0.42f, 0.4f};  ///< linear, 0..1
};

/// What one picture shows.
struct PreviewFrame {
    std::vector<Float3> snow;  ///< m
    float spacing = 0;         ///< of the particles, m
    std::vector<PreviewMesh> colliders;
    bool has_ground = true;
    float ground = 0;  ///< height, m
    Float3 up{0, 1, 0};
    PreviewCamera camera;
    std::string caption;  ///< "" = none
};

struct PreviewSettings {
    int width = 1280, height = 720;
    int samples = 4;  ///< rays per pixel
    Float3 to_sun{-0.45f, 0.75f, 0.5f};
    int threads = 0;
};

/// The snow as a person would see it: sunlight, soft shadows, the light of the sky. Deterministic.
Picture render_preview(const PreviewFrame&, const PreviewSettings&);

/// A camera that sees all of the points of all frames' boxes, from the front, a little above.
PreviewCamera fit_camera(const Float3& low, const Float3& high, float aspect);

}  // namespace firn
