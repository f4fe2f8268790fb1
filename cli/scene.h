#pragma once

// A scene file, read: plain values, nothing sampled and no mesh loaded yet. SI units, y up; frames as in Houdini.
// docs/scene.md documents the file; scene_keys.h holds the table of its keys.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/material_noise.h"
#include "firn/materials.h"
#include "firn/mesh.h"
#include "firn/parameters.h"
#include "firn/vector.h"

namespace firn {

/// Where a shape stands: scaled, then turned about x, y, z in this order, then moved.
struct Placed {
    Float3 position;  ///< m
    Float3 rotation;  ///< degrees
    float scale = 1;
};
/// Without the scale.
Transform transform_of(const Placed&);

struct Key {
    double frame = 0;
    Float3 position;  ///< m
    Float3 rotation;  ///< degrees
};

struct SnowMaterial {
    Material material;
    MaterialNoise noise;
};

enum class ShapeKind { box, sphere, cylinder, plane, mesh, vdb, heightfield, particles };
const char* shape_token(ShapeKind);

/// What snow and colliders are made of; which fields count depends on the shape.
struct Geometry {
    ShapeKind shape = ShapeKind::box;
    Float3 size{1, 1, 1};  ///< m, box; a plane uses x and z
    bool endless = false;  ///< a plane without a size
    float radius = 0.5f;   ///< m, sphere, cylinder
    float height = 1;      ///< m, cylinder
    std::string file;      ///< absolute, or relative to the working folder; a '%04d' in it = one file per frame
    std::string grid;      ///< of a .vdb; "" = the first that fits
    float cell = 0.1f;     ///< m between the heights of a heightfield
    float relief = 1;      ///< m that a white pixel of a heightfield is above a black one
    Placed placed;
};

struct Snow {
    std::string name;
    Geometry geometry;    ///< shape heightfield = a layer on it, or on the mesh of its file, or on a collider
    float thickness = 0;  ///< m, of a layer
    std::string on;       ///< the collider that the layer lies on and moves with; "" = on its file
    bool spares = false;  ///< particles that would lie in snow that is there are left out
    SnowMaterial material;
    bool own_material = false;  ///< given for this body: goes before what particles of a file say
    Float3 velocity;            ///< m/s
    Float3 spin;                ///< degrees/s about the shape's position
    bool relaxed = false;       ///< fill evenly instead of on a lattice
    float jitter = 0;           ///< 0..1 of half a spacing
    uint32_t seed = 0;
    std::optional<int> start;  ///< frame at which it appears; none = with the scene
    float rate = 0;            ///< kg/s; 0 = all at once, else a source from `start` to `end`
    std::optional<int> end;
    std::string where;  ///< file:line:column, for messages
};

struct Collider {
    std::string name;
    Geometry geometry;
    std::vector<Key> keys;              ///< by frame; empty = stands where `geometry.placed` says
    bool smooth = true;                 ///< between keys: eased in and out; else straight
    bool inverted = false;              ///< keeps snow inside
    bool two_sided = false;             ///< an open mesh that keeps snow out on both sides
    float friction = 0.5f;              ///< Coulomb's mu
    float adhesion = 0;                 ///< m/s^2-like
    float bounce = 0;                   ///< 0..1
    float sticky = 0;                   ///< 0..1
    bool visible = true;                ///< in pictures
    Float3 colour{0.45f, 0.42f, 0.4f};  ///< linear, 0..1
    std::string where;
};

/// Wind of files, besides that of the parameters.
struct SceneWind {
    std::string file;  ///< as that of Geometry; "" = none
    std::string grid;  ///< "" = the first that fits
    float scale = 1;   ///< of the velocities
    std::string where;
};

struct SceneCamera {
    bool given = false;  ///< false = fit it to the snow
    Float3 eye{3, 2, 4}, target;
    float angle = 0.6f;              ///< of view, top to bottom, rad
    int width = 1280, height = 720;  ///< pixels
    float f_stop = 0;                ///< 0 = everything is sharp
    float focus = 0;                 ///< m from the eye; 0 = on the target
    float shutter = 0.5f;            ///< frames that it is open, around the frame
};

struct SceneOutput {
    std::string folder;                                             ///< "" = out/NAME
    std::string particles = "bgeo";                                 ///< as `firn keys` lists them
    std::vector<std::string> volumes{"density", "vel", "surface"};  ///< grid names; empty = none
    int every = 1;                                                  ///< frames
    float voxel = 0;                                                ///< m; 0 = half the spacing
    bool half_float = true;
    std::string compression = "blosc";
    bool staggered = false;
    float velocity_extension = 0;
    float surface_radius = 0, surface_dilate = 0, surface_erode = 0;  ///< m
    int surface_smooth = -1;
    std::string surface_shape = "balls";
    float surface_relief = 0, surface_relief_size = 0;  ///< m
    int density_grains = 0;
    bool usd = true;
    int checkpoint_every = 5;  ///< frames
    int checkpoint_keep = 2;
};

/// One of the values that a scene's wedges vary (wedges.h).
struct WedgeAxis {
    std::string key;                  ///< as --set takes it
    std::vector<std::string> values;  ///< likewise
};

/// A value of the file that the motion depends on (physics_text.h).
struct MotionValue {
    std::string name;   ///< "snow.ball.radius"
    std::string value;  ///< as read, defaults included; of a file its path
    bool is_file = false;
};

struct Scene {
    std::string path;                    ///< of the file, as given
    std::string text;                    ///< of the file, for the copy in the run's folder
    std::vector<std::string> overrides;  ///< "material.E=2e5", in the order they were applied
    std::string folder;                  ///< where relative paths start

    std::string name;  ///< of the run's files
    float resolution = 1;
    Parameters parameters;  ///< spacing already divided by the resolution
    std::string device = "auto";
    std::string method = "snow";

    double fps = 24;
    int first_frame = 1;  ///< holds the start of the motion
    int last_frame = 48;
    double settle = 0;  ///< s that the snow of the first frame rests before the shot

    std::vector<Snow> snow;
    std::vector<Collider> colliders;
    SceneCamera camera;
    bool has_ground = false;  ///< pictures show a ground plane
    float ground = 0;         ///< its height, m
    SceneOutput output;
    std::vector<WedgeAxis> wedges;
    std::vector<MotionValue> motion;    ///< with `parameters`, all that the motion depends on
    std::vector<std::string> warnings;  ///< what is allowed but looks like a slip
    SceneWind wind;
};

/// Reads a scene file; `overrides` are KEY=VALUE as in --set. Throws Error "file:line:column: what; what to do".
Scene read_scene(const std::string& path, const std::vector<std::string>& overrides = {});
/// The same from text; `path` is for messages and for relative paths.
Scene parse_scene(const std::string& text, const std::string& path, const std::vector<std::string>& overrides = {});

/// The collider's surface in the world at a frame, for pictures and USD. Reads files where the shape is in one.
Mesh collider_mesh(const Scene&, size_t index, double frame);
/// Whether it moves or changes its form at all.
bool collider_moves(const Scene&, size_t index);

}  // namespace firn
