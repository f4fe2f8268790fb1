#pragma once

#include <string>
#include <vector>

#include "firn/mesh.h"

namespace firn {

/// A run as one .usda for Solaris and Blender: time-sampled volumes, moving colliders, the camera. Metres, y up.
struct UsdStage {
    struct Sample {
        double frame;
        std::string path;  ///< as written into the stage: relative to it where possible
        Float3 low, high;  ///< bounds of its grids, m; equal = not known
    };
    struct Volume {
        std::string name;                 ///< of the prim; any text, made valid and unique
        std::vector<std::string> fields;  ///< grid names, which also tell what they are: "density", "vel", "surface"
        std::vector<Sample> files;
    };
    struct Collider {
        std::string name;
        Mesh mesh;
        struct Placed {
            double frame;
            Transform transform;
        };
        std::vector<Placed> placements;  ///< one = it stands still
        struct Points {
            double frame;
            std::vector<Float3> points;
        };
        std::vector<Points> deformed;  ///< points per frame, for what deforms; as many as the mesh has
    };
    struct Camera {
        Float3 eye, target;
        float angle = 0.6f;  ///< of view, top to bottom, rad
        float aspect = 16.0f / 9.0f;
    };

    double fps = 24;
    double first_frame = 1, last_frame = 1;
    std::vector<Volume> volumes;
    std::vector<Collider> colliders;
    bool has_camera = false;
    Camera camera;
};

/// Whole or not at all. Throws Error.
void write_usda(const std::string& path, const UsdStage&);

}  // namespace firn
