#pragma once

// A second method, as small as one can be: grains that do not see each other, are slowed by still air, and hit
// surfaces. It proves the seam: this file, and one row in CMakeLists.txt, make it run on every device, in `firn sim`,
// with its own state in files and checkpoints.

#include "engine/methods.h"
#include "particles/conjugate_gradients.h"
#include "particles/method_step.h"
#include "particles/surface.h"

namespace firn::FIRN_LANES {

namespace grains {

enum Stage : uint8_t { air_stage, contact_stage, integrate_stage, sort_stage, search_stage };

enum Scratch : uint8_t {
    next_spin = common_scratch,
    next_hits,
    impact,
    known,
    acceleration,
    residual,
    product,
    direction,
    allowed,
    impulse,
    nearest,
    scratch_end
};

constexpr ScratchArray own_scratch[] = {
    {"next_spin", 3, {contact_stage, sort_stage}},
    {"next_hits", 1, {contact_stage, sort_stage}},
    {"impact", 1, always},
    {"known", 4, {air_stage, contact_stage}},
    {"acceleration", 3, {air_stage, contact_stage}},
    {"residual", 3, {air_stage, air_stage}},
    {"product", 3, {air_stage, air_stage}},
    {"direction", 4, {air_stage, air_stage}},
    {"allowed", 4, {contact_stage, integrate_stage}},
    {"impulse", 3, {contact_stage, contact_stage}},
    {"nearest", 1, {contact_stage, contact_stage}},
};
static_assert(scratch_end == common_scratch + sizeof own_scratch / sizeof *own_scratch, "one row for each name");

constexpr CommonStages common_stages{integrate_stage, sort_stage, search_stage};
inline constexpr ScratchTable scratch(common_stages, own_scratch);
constexpr ArrayLayout state_layout[] = {{"spin", 3}, {"hits", 1}, {}};
constexpr ArrayLayout input_layout[] = {{"acceleration", 3}, {"rest_density", 1}, {}};
constexpr ArrayLayout result_layout[] = {{"impact", 1}, {}};
constexpr uint8_t result_rows[] = {impact};
inline constexpr MethodTables tables{
    {state_layout, input_layout, result_layout}, result_rows, scratch.rows, scratch.count, common_stages};

enum Phase : int { neighbours_phase, air_phase, integrate_phase };
enum Solve : int { air_solve };

}  // namespace grains

struct GrainView : ParticleView {
    Columns spin, next_spin;  ///< rad/s
    float *hits, *next_hits;  ///< so far
    float* impact;            ///< largest speed into a surface in this step, m/s
    Float4 *known, *allowed;
    Columns acceleration_of_air, impulse;
    uint32_t* nearest;
};

/// How fast air stops a grain, 1/s.
constexpr float grain_drag = 0.5f;

/// (1 + dt c) a: air that acts implicitly.
struct AirOperator {
    GrainView s;
    void ready(Execution&, uint32_t, const Float4*, const SolveState*) const {}
    FIRN_HD Vec3 product(const Float4* field, uint32_t i) const {
        return (1.0f + s.dt * grain_drag) * xyz(load4(field + i));
    }
    FIRN_HD Real weight(uint32_t i) const { return particle_mass(s, i); }
    FIRN_HD Vec3 precondition(uint32_t, const Vec3& r) const { return r; }
};

struct KnownVelocity {
    GrainView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 v = load4(s.now.velocity + i);
        store4(s.known + i, with_w(xyz(v) + s.dt * external_acceleration(s, i), v.w));
        store3(s.acceleration_of_air, i, zero3());
    }
};

/// b = -c v
struct AirSource {
    AirOperator A;
    Columns residual;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Vec3 b = -grain_drag * xyz(load4(A.s.known + i));
        store3(residual, i, b);
        return residual_sums(A, i, b);
    }
};

/// Bounce and friction; friction turns the grain, a solid ball of one spacing.
struct GrainContact {
    GrainView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 known = load4(s.known + i);
        Vec3 v = xyz(known) + s.dt * load3(s.acceleration_of_air, i), spin = load3(s.spin, i);
        Real hits = load(s.hits + i), impact = splat(0.0f);
        if (s.boundary_neighbours.row(i).length) {
            const Vec3 x = xyz(load4(s.now.position + i));
            const Nearest near = nearest_boundary(s, i, x);
            const Approach at = approach(s, i, x, v, near);
            const Real after = select(at.normal_speed < -slowest_bounce(s), -near.bounce * at.normal_speed, at.slowest);
            const Real push = select(at.hits, max(after, at.slowest) - at.normal_speed, 0.0f);
            const Real sliding = sqrt(dot(at.sliding, at.sliding));
            const Real taken = min(near.friction * push, sliding);
            const Vec3 rub = (-taken / max(sliding, 1e-20f)) * at.sliding;
            const Vec3 change = push * at.normal + rub;
            spin += (-5.0f / s.spacing) * cross(at.normal, rub);
            impact = select(at.hits, -at.normal_speed, 0.0f);
            hits += select(at.hits, splat(1.0f), 0.0f);
            v += change;
            store3(s.impulse, i, known.w * change);
            store(s.nearest + i, near.index);
        }
        store3(s.next_spin, i, spin);
        store(s.next_hits + i, hits);
        store(s.impact + i, impact);
        store4(s.allowed + i, with_w(v, known.w));
    }
};

struct GrainPush {
    GrainView s;
    struct OfGrain {
        Vec3 force;
        Int nearest;
        FIRN_HD BoundaryPush operator()(Index index, const Vec4& b) const {
            const Vec3 pushed = select(indices(index) == nearest, force, zero3());
            return {pushed, cross(xyz(b), pushed)};
        }
    };
    FIRN_HD OfGrain of(uint32_t i) const { return {(-1.0f / s.dt) * load3(s.impulse, i), load(s.nearest + i)}; }
};

struct MoveGrain {
    GrainView s;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i), v = load4(s.allowed + i);
        const Vec3 x = xyz(own) + s.dt * xyz(v);
        store4(s.next.position + i, with_w(x, own.w));
        store4(s.next.velocity + i, v);
        store(s.next.rank + i, load(s.now.rank + i));
        const Real speed = dot(xyz(v), xyz(v));
        return {{select(dot(x, x) + speed < 1e37f, splat(0.0f), 1.0f), speed}};
    }
};

/// Grains always fly.
struct NoTension {
    FIRN_HD Real operator()(uint32_t) const { return splat(0.0f); }
};

class GrainStep final : public MethodStep {
public:
    explicit GrainStep(int where) : MethodStep(where, grains::tables) {}

    Speed prepare(const Parameters& p, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                  double duration, double* seconds) override {
        const auto start = on_.mark();
        sort_and_search(p, now, later, bodies, duration);
        if (!counts_.owned) return {0, 0, 0, 0, true};
        Speed speed = measure_speed(particle_view(p, duration), NoTension{}, start, seconds[grains::neighbours_phase]);
        speed.between = speed.difference = 0;  // grains do not see each other
        return speed;
    }

    StepResult step(const Parameters& p, double dt, const BodyPlacement* next, uint32_t bodies, double* impulse,
                    const Interrupt& interrupt, double* seconds) override {
        StepResult result;
        const uint32_t count = counts_.owned;
        if (count == 0) return result;
        reserve_bodies(bodies);
        const auto start = on_.mark();
        boundary_.set_velocity(on_, next, bodies, dt);
        const GrainView s = view(p, dt);
        SolveState* const state = solve(grains::air_solve);

        enter(grains::air_stage);
        on_.once(StartSolve{state, 0});
        on_.for_each(count, KnownVelocity{s});
        AirOperator A{s};
        const ConjugateVectors k{s.acceleration_of_air, work_.columns(grains::residual), work_.columns(grains::product),
                                 work_.at<Float4>(grains::direction)};
        const KrylovProgress at{state, double(p.shear_tolerance)};
        start_krylov(on_, count, A, AirSource{A, k.residual}, false, k.solution, k.residual, k.direction, at);
        const bool whole = conjugate_gradients(on_, count, A, k, at, p.shear_iterations_max, 1, [&](int iteration) {
            return interrupt.go_on(interrupt.context, grains::air_solve, iteration);
        });
        if (!whole) {
            result.status = StepResult::interrupted;
            return result;
        }
        const auto slowed = on_.mark();

        enter(grains::contact_stage);
        on_.for_each(count, GrainContact{s});
        push_bodies(s, GrainPush{s}, dt);
        enter(grains::integrate_stage);
        on_.max<2>(count, MoveGrain{s}, extremes_.data());
        const auto end = on_.mark();

        const SolveState solved = on_.read(state);
        double worst[2];
        on_.copy_out(worst, extremes_.data(), 2);
        if (worst[0] > 0 || solved.failed) {
            result.status = StepResult::failed;
            name_culprit(result);
            return result;
        }
        take_result();
        solved_ = true;
        result.speed = ::sqrt(worst[1]);
        result.solves[grains::air_solve] = report(solved);
        read_impulses(impulse);
        seconds[grains::air_phase] += on_.seconds(start, slowed);
        seconds[grains::integrate_phase] += on_.seconds(slowed, end);
        return result;
    }

private:
    GrainView view(const Parameters& p, double dt) const {
        GrainView s{};
        static_cast<ParticleView&>(s) = particle_view(p, dt);
        const StateView before = sorted_.view(), after = next_state();
        s.spin = before.own[0].columns;
        s.hits = before.own[1].columns.data;
        s.next_spin = after.own[0].columns;
        s.next_hits = after.own[1].columns.data;
        s.impact = work_.at<float>(grains::impact);
        s.known = work_.at<Float4>(grains::known);
        s.allowed = work_.at<Float4>(grains::allowed);
        s.acceleration_of_air = work_.columns(grains::acceleration);
        s.impulse = work_.columns(grains::impulse);
        s.nearest = work_.at<uint32_t>(grains::nearest);
        return s;
    }
};

}  // namespace firn::FIRN_LANES

namespace firn {

MethodMakers grains_makers();  // made by firn_method() in CMake

inline const Method& grains_method() {
    static const Method method = [] {
        Method m{};
        m.info.name = "grains";
        m.info.label = "Grains";
        m.info.help = "Grains that do not see each other, in still air.";
        m.info.arrays = common_arrays();
        m.info.arrays.push_back(other_array("spin", "rad/s", ArrayRole::state, 3, "how fast the grain turns"));
        m.info.arrays.push_back(other_array("hits", "", ArrayRole::state, 1, "steps in which it hit a surface"));
        m.info.arrays.push_back(other_array("impact", "m/s", ArrayRole::result, 1, "speed into a surface"));
        m.info.phases = {{"neighbours", "Sorting and searching."}, {"air", "Drag."}, {"integrate", "All the rest."}};
        m.info.solves = {{"air", "relative residual", &Parameters::shear_tolerance, &Parameters::shear_iterations_max}};
        m.make = grains_makers();
        return m;
    }();
    return method;
}

}  // namespace firn
