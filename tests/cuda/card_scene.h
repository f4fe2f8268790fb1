#pragma once

// A scene that is small enough for an emulated card and meets all that a step can meet.

#include <cstring>
#include <string>

#include "firn/engine.h"
#include "scenes/scenes.h"

namespace card {

using firn::Engine;
using firn::Particles;

const double frame = 4e-3;

/// A snowball on a floor, with a plate that comes down on it and layers of different snow.
struct Scene {
    firn::Parameters parameters;
    Particles snow;
    firn::Body floor, plate;

    explicit Scene(double radius = 0.07) {
        const double dx = 0.02;
        parameters.spacing = static_cast<float>(dx);
        parameters.substeps = 2;
        parameters.threads = 1;
        snow.position = scenes::lattice_ball(radius, dx, {0, radius, 0});
        scenes::jitter(snow.position, 0.1 * dx);
        snow.velocity.assign(snow.count(), {0.5f, -2, 0});
        for (size_t i = 0; i < snow.count(); ++i) {
            snow.id.push_back(static_cast<int64_t>(5 * i + 1));
            snow.young_modulus.push_back(snow.position[i].y > static_cast<float>(radius) ? 400e3f : 100e3f);
        }
        floor = scenes::floor_body(radius + 0.06, dx);
        plate = scenes::floor_body(radius, dx, 2 * radius + 0.03);
        plate.motion = firn::Motion::rigid;
    }

    struct Bodies {
        firn::BodyId floor, plate;
    };
    Bodies add_bodies(Engine& engine) const {
        const firn::BodyId id = engine.add_body(floor);
        return {id, engine.add_body(plate)};
    }
    void move_bodies(Engine& engine, const Bodies& bodies, int k) const {
        engine.move_body(bodies.plate, scenes::turn({}, {0, -0.004 * (k + 1), 0}));
    }
};

inline Particles downloaded(const Engine& engine) {
    Particles out;
    engine.download(out);
    return out;
}

/// The names of the arrays that are not bit-identical; `all` = results of the last step too.
inline std::string differences(Particles a, Particles b, bool all = true) {
    std::string names;
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        if (!all && array.role == firn::ArrayRole::result) continue;
        const size_t bytes = array.size(a) * static_cast<size_t>(array.components) * sizeof(float);
        const bool same =
            array.size(a) == array.size(b) && (bytes == 0 || std::memcmp(array.data(a), array.data(b), bytes) == 0);
        if (!same) names += std::string(array.name) + " ";
    }
    if (a.id != b.id) names += "id ";
    return names;
}

struct Outcome {
    Particles out;
    firn::BodyLoad load;
};

inline Outcome simulate(const Scene& scene, int frames, const std::string& device) {
    Engine engine(scene.parameters, device);
    const Scene::Bodies bodies = scene.add_bodies(engine);
    engine.upload(scene.snow);
    for (int k = 0; k < frames; ++k) {
        scene.move_bodies(engine, bodies, k);
        engine.advance(frame);
    }
    return {downloaded(engine), engine.body_load(bodies.plate)};
}

}  // namespace card
