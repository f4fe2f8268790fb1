#pragma once

// A scene file, frame by frame, as `firn sim` runs it, without files; and how the snow in it moves. Needs firn_runner.

#include <array>
#include <memory>

#include "colliders.h"
#include "firn/error.h"
#include "scene.h"
#include "scenes/measure.h"
#include "snow.h"

namespace scenes {

class Shot {
public:
    explicit Shot(const std::string& path, const std::vector<std::string>& changes = {})
        : scene_(firn::read_scene(path, changes)), placer_(scene_), frame_(scene_.first_frame) {
        placer_.place(frame_, snow_, next_id_);
        engine_ = std::make_unique<firn::Engine>(scene_.parameters, "cpu");
        colliders_.reserve(scene_.colliders.size());
        for (size_t k = 0; k < scene_.colliders.size(); ++k) {
            colliders_.emplace_back(scene_, k);
            bodies_.push_back(engine_->add_body(colliders_[k].body_at(frame_)));
        }
        engine_->upload(snow_);
    }

    /// The snow at a frame, not before the last one that was asked for.
    const Particles& at(int frame) {
        for (; frame_ < frame; ++frame_) {
            for (size_t k = 0; k < colliders_.size(); ++k)
                if (colliders_[k].motion() == Motion::rigid)
                    engine_->move_body(bodies_[k], colliders_[k].placement(frame_ + 1));
            cost.add(engine_->advance(1 / scene_.fps));
        }
        engine_->download(snow_);
        return snow_;
    }
    double spacing() const { return scene_.parameters.spacing; }

    RunCost cost;

private:
    firn::Scene scene_;
    firn::SnowPlacer placer_;
    int frame_;
    Particles snow_;
    int64_t next_id_ = 0;
    std::unique_ptr<firn::Engine> engine_;
    std::vector<firn::CollidingBody> colliders_;
    std::vector<firn::BodyId> bodies_;
};

}  // namespace scenes
