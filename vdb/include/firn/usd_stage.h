#pragma once

#include <string>
#include <vector>

#include "firn/mesh.h"

namespace firn {

/// A run as one .usda for Solaris and Blender: time-sampled volumes and grains with materials of snow, moving colliders
/// in their colours, camera, sun and sky. Metres, y up.
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
        Float3 colour{0.2f, 0.2f, 0.22f};  ///< linear, 0..1
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
        float f_stop = 0;      ///< 0 = everything is sharp
        float focus = 0;       ///< m from the eye; 0 = on the target
        float shutter = 0.5f;  ///< frames that it is open, around the frame; 0.5 is a shutter of 180 degrees
    };
    /// Grains, one file per frame (write_grains() as .usda), taken in as value clips: files that are not there yet, or
    /// never will be, are passed over.
    struct Grains {
        std::string folder, name;  ///< of FOLDER/NAME.0001.usda; the folder relative to the stage
        int every = 1;             ///< frames
        std::string stage;         ///< the name of the stage's own file, which tells what the clips hold
    };

    double fps = 24;
    double first_frame = 1, last_frame = 1;
    std::vector<Volume> volumes;
    std::vector<Collider> colliders;
    bool has_camera = false;
    Camera camera;
    bool has_grains = false;
    Grains grains;
    Float3 to_sun{-0.5f, 0.6f, 0.6f};  ///< where the sunlight comes from
};

/// Whole or not at all. Throws Error.
void write_usda(const std::string& path, const UsdStage&);

}  // namespace firn
