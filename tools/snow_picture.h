#pragma once

#include <vector>

#include "firn/vector.h"
#include "picture.h"

struct Camera {
    firn::Float3 eye;     ///< m
    firn::Float3 target;  ///< m
    float angle = 0.6f;   ///< of view, top to bottom, rad
};

/// A brick wall: an axis-aligned box, m.
struct Wall {
    firn::Float3 low, high;
};

/// What stands around the snow: a floor at y = 0 under a winter sky, and walls.
struct Room {
    Camera camera;
    std::vector<Wall> walls;
    firn::Float3 to_sun{-0.45f, 0.75f, 0.5f};  ///< any length
};

/// The particles as a person would see the snow: one closed white surface where they touch, grains where they fly, with
/// sunlight, soft shadows and the light of the sky. `spacing` is that of the particles, m.
Picture draw_snow(const std::vector<firn::Float3>& particles, float spacing, const Room&, int width, int height);
