#pragma once

// A method with a fault that can be ordered: grains that fly and fall, and each gets `kick` m/s upwards from nowhere in
// its next step. It shows what the engine's checks see of a fault of a method that they know nothing about.

#include "engine/methods.h"
#include "particles/method_step.h"

namespace firn::FIRN_LANES {

namespace kicked {

enum Stage : uint8_t { integrate_stage, sort_stage, search_stage };
enum Scratch : uint8_t { next_kick = common_scratch, scratch_end };

constexpr ScratchArray own_scratch[] = {{"next_kick", 1, {integrate_stage, sort_stage}}};
static_assert(scratch_end == common_scratch + sizeof own_scratch / sizeof *own_scratch, "one row for each name");

constexpr CommonStages common_stages{integrate_stage, sort_stage, search_stage};
inline constexpr ScratchTable scratch(common_stages, own_scratch);
constexpr ArrayLayout state_layout[] = {{"kick", 1}, {}};
constexpr ArrayLayout input_layout[] = {{"acceleration", 3}, {"rest_density", 1}, {}};
constexpr ArrayLayout result_layout[] = {{}};
constexpr uint8_t result_rows[] = {0};
inline constexpr MethodTables tables{
    {state_layout, input_layout, result_layout}, result_rows, scratch.rows, scratch.count, common_stages};

}  // namespace kicked

struct MoveKicked {
    ParticleView s;
    float *kick, *next_kick;  ///< m/s
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i), before = load4(s.now.velocity + i);
        Vec3 v = xyz(before) + s.dt * external_acceleration(s, i);
        v.y += load(kick + i);
        const Vec3 x = xyz(own) + s.dt * v;
        store4(s.next.position + i, with_w(x, own.w));
        store4(s.next.velocity + i, with_w(v, before.w));
        store(s.next.rank + i, load(s.now.rank + i));
        store(next_kick + i, splat(0.0f));
        return {{select(dot(x, x) < 1e37f, splat(0.0f), 1.0f), dot(v, v)}};
    }
};

class KickedStep final : public MethodStep {
public:
    explicit KickedStep(int where) : MethodStep(where, kicked::tables) {}

    Speed prepare(const Parameters& p, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                  double duration, double*) override {
        sort_and_search(p, now, later, bodies, duration);
        return {0, 0, 0, 0, true};
    }

    StepResult step(const Parameters& p, double dt, const BodyPlacement*, uint32_t, double*, const Interrupt&,
                    double*) override {
        StepResult result;
        if (counts_.owned == 0) return result;
        enter(kicked::integrate_stage);
        on_.max<2>(
            counts_.owned,
            MoveKicked{particle_view(p, dt), sorted_.view().own[0].columns.data, work_.at<float>(kicked::next_kick)},
            extremes_.data());
        double worst[2];
        on_.copy_out(worst, extremes_.data(), 2);
        take_result();
        solved_ = true;
        result.speed = ::sqrt(worst[1]);
        return result;
    }
};

}  // namespace firn::FIRN_LANES

namespace firn {

MethodMakers kicked_makers();  // made by firn_method() in CMake

inline const Method& kicked_method() {
    static const Method method = [] {
        Method m{};
        m.info.name = "kicked";
        m.info.label = "Kicked";
        m.info.help = "Grains that are kicked by nothing.";
        m.info.arrays = common_arrays();
        m.info.arrays.push_back(
            other_array("kick", "m/s", ArrayRole::state, 1, "what the next step adds to its speed"));
        m.make = kicked_makers();
        return m;
    }();
    return method;
}

}  // namespace firn
