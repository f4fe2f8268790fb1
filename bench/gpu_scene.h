#pragma once

// The scene of the GPU report: snow in a container under gravity (Gissler 2020, 4.1.2), with a fixed number of
// iterations.

#include "firn/engine.h"

namespace gpu_scene {

constexpr double step_seconds = 1.5e-3;

struct Iterations {
    int pressure = 6, shear = 4;
};

inline firn::Parameters parameters(Iterations iterations) {
    firn::Parameters p;
    p.spacing = 0.03f;
    p.substeps = 1;
    // The passes of the joint solve are as many as the motion asks for: a step of so many iterations is the split
    // one's.
    p.solver = firn::Solver::split;
    // Tolerances that no solve meets: every solve takes as many iterations as it may.
    p.pressure_tolerance = p.shear_tolerance = 1e-7f;
    p.pressure_iterations_min = p.pressure_iterations_max = iterations.pressure;
    p.shear_iterations_max = iterations.shear;
    return p;
}

/// A cube of `side` particles along each edge, with or without a container around it. Returns the number of particles.
inline size_t fill(firn::Engine& engine, int side, bool contained = true) {
    const float dx = 0.03f;
    const auto middle = [&](int i) { return (static_cast<float>(i) + 0.5f) * dx; };
    firn::Particles snow;
    for (int k = 0; k < side; ++k) {
        for (int j = 0; j < side; ++j) {
            for (int i = 0; i < side; ++i) snow.position.push_back({middle(i), middle(j), middle(k)});
        }
    }
    firn::Body container;
    container.name = "container";
    for (int k = -2; k < side + 2; ++k) {
        for (int i = -2; i < side + 2; ++i) container.position.push_back({middle(i), -0.5f * dx, middle(k)});
    }
    for (int j = 0; j < side + 4; ++j) {
        for (int i = 0; i < side; ++i) {
            for (const float wall : {-0.5f * dx, middle(side)}) {
                container.position.push_back({wall, middle(j), middle(i)});
                container.position.push_back({middle(i), middle(j), wall});
            }
        }
    }
    if (contained) engine.add_body(container);
    engine.upload(snow);
    return snow.count();
}

}  // namespace gpu_scene
