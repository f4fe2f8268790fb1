#pragma once

// One step of the snow: Gissler 2020, Algorithm 1, over whatever Execution the translation unit brings.

#include "particles/bicgstab.h"
#include "particles/conjugate_gradients.h"
#include "snow/air.h"
#include "snow/integrate.h"
#include "snow/joint.h"
#include "snow/pressure.h"
#include "snow/sleep.h"
#include "snow/snow_scratch.h"

namespace firn::FIRN_LANES {

class SnowStep final : public MethodStep {
public:
    explicit SnowStep(int where) : MethodStep(where, snow::tables) {}

    Speed prepare(const Parameters&, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                  double duration, double* seconds) override;
    StepResult step(const Parameters&, double dt, const BodyPlacement* next, uint32_t bodies, double* impulse,
                    const Interrupt&, double* seconds) override;
    double stored_energy(const Parameters&) override;
    void take_back(const Parameters&) override;

private:
    SnowView view(const Parameters&, double dt) const;
    AirView air_view() const;
    /// The largest speed that the air can give within `dt`, m/s.
    double speed_in_air(const SnowView&, double dt);
    static StepConstants constants(const Parameters&, const ParticleView&);
    /// False if it was interrupted, as the next.
    bool solve_pressure(const SnowView&, const Parameters&, const Interrupt&);
    bool solve_shear(const SnowView&, const Parameters&, const Interrupt&);
    bool solve_jointly(const SnowView&, const Parameters&, const Interrupt&);
    void find_boundary_load(const SnowView&);
    double shear_tolerance(const Parameters&, const StepConstants&) const;
    /// The last step's accelerations at new positions would carry a little spin; without boundaries to give it to,
    /// start cold. The joint solve turns them with the snow.
    bool starts_warm(const Parameters& p) const {
        return p.shear_warm_start && (p.solver == Solver::joint || boundary_neighbours_.any());
    }

    double speed_between_ = 0;                            ///< neighbours, m/s
    int pressure_iterations_ = 0, shear_iterations_ = 0;  ///< of the last step
};

// Algorithm 1.

inline StepResult SnowStep::step(const Parameters& p, double dt, const BodyPlacement* next, uint32_t bodies,
                                 double* impulse, const Interrupt& interrupt, double* seconds) {
    StepResult result;
    const uint32_t count = counts_.owned;
    if (count == 0) return result;
    // Memory first: what fails here leaves the state as it is.
    reserve_bodies(bodies);
    if (!p.symmetric) work_.reserve(snow::bicgstab_pool);
    if (p.solver == Solver::joint) work_.reserve(snow::joint_pool);
    if (p.friction_model == FrictionModel::viscous) work_.reserve(snow::viscous_pool);
    const auto start = on_.mark();
    boundary_.set_velocity(on_, next, bodies, dt);
    const SnowView s = view(p, dt);

    // Lines 1-5: densities, correction matrices, stiffness, known accelerations, friction.
    enter(snow::density_stage);
    on_.for_each(counts_.visible + 1, PlaceMasses{s});
    on_.for_each(count, Density{s});
    enter(snow::properties_stage);
    on_.for_each(count, Properties{s});
    if (air_.law != Air::none) on_.for_each(count, AirDrag{s, air_view()});
    on_.for_each(count, StartSolves{s, p.pressure_warm_start ? 1.0f : 0.0f, starts_warm(p) ? 1.0f : 0.0f});
    on_.once(StartSolve{solve(snow::pressure_solve), p.pressure_relaxation});
    on_.once(StartSolve{solve(snow::shear_solve), 0});
    solved_ = true;
    const auto known = on_.mark();

    // Line 6: pressure. Line 7: shear.
    const bool joint = p.solver == Solver::joint;
    bool whole = solve_pressure(s, p, interrupt);
    const auto pressed = on_.mark();
    whole = whole && (joint ? solve_jointly(s, p, interrupt) : solve_shear(s, p, interrupt));
    if (!whole) {
        result.status = StepResult::interrupted;
        return result;
    }
    const auto sheared = on_.mark();

    // Lines 8-13: velocity (and what surfaces allow of it), strain, position.
    if (joint) {
        enter(snow::contact_stage);
        on_.for_each(count, TakeVelocity{s});
    } else {
        on_.for_each(count, ApplyShear{s});
        enter(snow::contact_stage);
        find_boundary_load(s);
        on_.for_each(count, SurfaceContact{s});
    }
    push_bodies(s, SnowPush{s}, dt);
    enter(snow::strain_stage);
    on_.for_each(count, AdvanceStrain{s});
    enter(snow::integrate_stage);
    on_.max<2>(count, Integrate{s}, solve(snow::pressure_solve)->sums);
    on_.max<2>(count, FallAsleep{s}, solve(snow::pressure_solve)->sums + 2);
    const auto end = on_.mark();

    // All that the host wants to know, at once.
    SolveState solves[2];
    on_.copy_out(solves, solve_.data(), 2);
    const double* worst = solves[snow::pressure_solve].sums;
    if (worst[0] > 0 || solves[0].failed || solves[1].failed) {
        result.status = StepResult::failed;
        name_culprit(result);
        return result;
    }
    take_result();
    result.speed = ::sqrt(worst[1]);
    result.some_asleep = worst[2] > 0;
    result.some_woken = worst[3] > 0;
    result.wakes_body = worst[3] > 1.5;
    SolveReport &of_pressure = result.solves[snow::pressure_solve], &of_shear = result.solves[snow::shear_solve];
    if (p.solver == Solver::split) of_pressure = report(solves[snow::pressure_solve]);
    if (p.solver != Solver::explicit_step) of_shear = report(solves[snow::shear_solve]);
    // What is allowed is little, and weighted by the worst: only a solve that misses it five hundredfold is worth a
    // warning, which others get at ten times their tolerance.
    if (joint) of_shear.residual /= 50;
    pressure_iterations_ = of_pressure.iterations;
    shear_iterations_ = of_shear.iterations;
    read_impulses(impulse);
    seconds[snow::properties_phase] += on_.seconds(start, known);
    seconds[snow::pressure_phase] += on_.seconds(known, pressed);
    seconds[snow::shear_phase] += on_.seconds(pressed, sheared);
    seconds[snow::integrate_phase] += on_.seconds(sheared, end);
    return result;
}

inline double SnowStep::stored_energy(const Parameters& p) {
    if (!counts_.owned) return 0;
    on_.sum<1>(counts_.owned, ElasticEnergy{view(p, 1)}, extremes_.data());
    double energy;
    on_.copy_out(&energy, extremes_.data(), 1);
    return energy;
}

inline void SnowStep::take_back(const Parameters& p) {
    on_.for_each(counts_.owned, WakeBefore{view(p, 1)});
    MethodStep::take_back(p);
}

inline bool SnowStep::solve_pressure(const SnowView& s, const Parameters& p, const Interrupt& interrupt) {
    if (p.solver != Solver::split) return true;  // the other solve holds it all
    const uint32_t count = counts_.owned;
    SolveState* const state = solve(snow::pressure_solve);
    enter(snow::pressure_source_stage);
    if (p.look_ahead > 0) on_.for_each(count, LookAhead{s, p.look_ahead});
    on_.for_each(count, PressureSource{s, p.look_ahead > 0 ? s.guessed : s.predicted});
    enter(snow::pressure_stage);
    const double plain_mean = p.mode == Mode::published ? double(count) : 0;
    const CheckPressure check{state, plain_mean, p.pressure_tolerance, p.pressure_iterations_min};
    for (int iteration = 0; iteration < p.pressure_iterations_max; ++iteration) {
        on_.for_each(count, PressureGradient{s, state});
        on_.sum<2>(count, PressureUpdate{s, state}, state->sums, check);
        if (on_.seen(&state->done, iteration, pressure_iterations_)) break;
        if (!interrupt.go_on(interrupt.context, snow::pressure_solve, iteration + 1)) return false;
    }
    on_.for_each(count, ApplyPressure{s});
    return true;
}

/// Up to a hundred times tighter as the snow comes to rest: what a solve leaves over would keep it trembling.
inline double SnowStep::shear_tolerance(const Parameters& p, const StepConstants& set) const {
    if (p.mode == Mode::published) return double(p.shear_tolerance);
    const double moving = speed_between_ / (5.0 * double(set.parting_speed));
    return double(p.shear_tolerance) * (moving < 0.01 ? 0.01 : moving < 1.0 ? moving : 1.0);
}

inline bool SnowStep::solve_shear(const SnowView& s, const Parameters& p, const Interrupt& interrupt) {
    const uint32_t count = counts_.owned;
    SolveState* const state = solve(snow::shear_solve);
    enter(snow::shear_stage);
    if (s.shear_scaling) {
        on_.for_each(counts_.visible + 1, ShearLever{s, counts_.visible});
        on_.for_each(count, ShearScaling{s});
    }
    const float ahead = p.solver == Solver::explicit_step ? 0.0f : 1.0f;
    on_.for_each(count, StressOfField{s, state, s.pressed, 1.0f, ahead});
    if (p.solver == Solver::explicit_step) {
        on_.for_each(count, ExplicitAcceleration{s});
        return true;
    }
    ShearOperator A{s};
    const KrylovProgress at{state, shear_tolerance(p, s.set)};
    const Columns solution = s.after.shear_acceleration, residual = work_.columns(snow::residual),
                  product = work_.columns(snow::product);
    Float4* const direction = work_.at<Float4>(snow::direction);
    const auto watch = [&](int iteration) { return interrupt.go_on(interrupt.context, snow::shear_solve, iteration); };
    start_krylov(on_, count, A, ShearSource{A, residual}, starts_warm(p), solution, residual, direction, at);
    if (p.symmetric) {
        return conjugate_gradients(on_, count, A, {solution, residual, product, direction}, at, p.shear_iterations_max,
                                   shear_iterations_, watch);
    }
    const BiCgStabVectors k{solution,
                            residual,
                            work_.columns(snow::shadow),
                            product,
                            work_.columns(snow::second_product),
                            direction,
                            work_.at<Float4>(snow::half)};
    return bicgstab(on_, count, A, k, at, p.shear_iterations_max, shear_iterations_, watch);
}

/// Each try looks at stress, surfaces and what they leave over.
inline bool SnowStep::solve_jointly(const SnowView& s, const Parameters& p, const Interrupt& interrupt) {
    const uint32_t count = counts_.owned;
    SolveState* const state = solve(snow::shear_solve);
    enter(snow::shear_stage);
    // Errors that nobody sees: a share of what the step changes, and of the speed that a fall over a spacing gives.
    const float moving = ::fminf(100.0f * p.shear_tolerance, 0.1f);
    const float still = 0.05f * p.shear_tolerance * ::sqrtf(9.81f * p.spacing);
    const int most = 3 * p.shear_iterations_max, settled_from = most / 2;
    const LineVectors line{s.after.shear_acceleration, work_.columns(snow::line_start), work_.columns(snow::residual),
                           work_.columns(snow::product), work_.columns(snow::line_direction)};
    const JointResidual residual{s, line, state, still, moving, settled_from};
    on_.for_each(count, FindSurfaces{s});
    on_.for_each(count, StartLine{line});
    for (int tries = 0; tries < most; ++tries) {
        if (on_.seen(&state->done, tries, shear_iterations_)) break;
        if (!interrupt.go_on(interrupt.context, snow::shear_solve, tries + 1)) return false;
        on_.for_each(count, JointVelocity{s, line, state});
        on_.for_each(count, JointStress{s, state});
        if (s.shear_scaling && tries == 0) {
            on_.for_each(counts_.visible + 1, JointLever{s, counts_.visible});
            on_.for_each(count, JointScaling{s});
        }
        on_.sum<8>(count, residual, state->sums, JudgeTry{state, double(p.shear_tolerance)});
        on_.for_each(count, NextLine<JointResidual>{residual, line, state});
    }
    return true;
}

inline void SnowStep::find_boundary_load(const SnowView& s) {
    // One more: what fills up neighbour lists must be a number.
    const uint32_t owned = counts_.owned, all = counts_.visible + 1;
    on_.for_each(all, BoundaryLoad{s, owned});
    on_.for_each(all, PatchArea{s, owned});
    for (int round = 0; round < SpreadLoad::rounds; ++round) {
        on_.for_each(all, ShareLoad{s, owned});
        on_.for_each(owned, SpreadLoad{s});
    }
}

inline Speed SnowStep::prepare(const Parameters& p, const BodyPlacement* now, const BodyPlacement* later,
                               uint32_t bodies, double duration, double* seconds) {
    const auto start = on_.mark();
    sort_and_search(p, now, later, bodies, duration);
    Speed speed{0, 0, 0, 0, true};
    if (!counts_.owned) return speed;
    const SnowView s = view(p, duration);
    speed = measure_speed(s, StrainSize{s.before.strain}, start, seconds[snow::neighbours_phase]);
    speed_between_ = speed.between;
    if (air_.law != Air::none) {
        speed.free = false;
        const double blown = speed_in_air(s, duration < double(p.dt_max) ? duration : double(p.dt_max));
        if (blown > speed.largest) speed.largest = blown;
    }
    return speed;
}

inline AirView SnowStep::air_view() const {
    AirView air{air_, {}};
    if (has_input_[snow::air_velocity]) {
        for (size_t c = 0; c < 3; ++c) air.local[c] = inputs_[snow::air_velocity].data() + c * counts_.visible;
    }
    return air;
}

inline double SnowStep::speed_in_air(const SnowView& s, double dt) {
    on_.max<1>(counts_.owned, SpeedInAir{s, air_view(), static_cast<float>(dt)}, extremes_.data());
    double square;
    on_.copy_out(&square, extremes_.data(), 1);
    return ::sqrt(square);
}

inline StepConstants SnowStep::constants(const Parameters& p, const ParticleView& s) {
    StepConstants set{};
    set.boundary_pressure = p.boundary_pressure;
    set.surface_floor = p.surface_floor;
    set.flatness = p.flatness > 1e-4f ? p.flatness : 1e-4f;  // below, rounding decides how a flat sheet lies
    set.damping = p.damping;
    // The joint solve resists this motion itself.
    set.filter = p.solver == Solver::joint ? 0.0f : p.filter_rate * s.dt / (1.0f + p.filter_rate * s.dt);
    set.viscous_friction = p.friction_model == FrictionModel::viscous;
    set.incompressible = p.pressure_model == PressureModel::incompressible;
    set.combined = p.solver != Solver::split;
    set.joint = p.solver == Solver::joint;
    set.contact = p.contact;
    set.separation = p.separation && p.contact;  // what lets go must be caught
    set.objective = p.objective;
    set.ballistic = p.ballistic;
    set.symmetric = p.symmetric;
    set.yield_by_stress = p.yield == Yield::stress;
    // The figures of the other solves, and the presets that were chosen with them, are without these.
    set.calibrated = set.joint && p.calibrated;
    set.hourglass = set.joint ? p.hourglass : 0.0f;
    set.softening = set.joint && p.softening_length > 0 ? p.spacing / p.softening_length : 0.0f;
    set.healed = p.healing_time > 0 ? 1.0f - ::expf(-s.dt / p.healing_time) : 0.0f;
    const float g = gravity_size(s);
    set.parting_speed = 0.02f * ::sqrtf((g > 0.1f ? g : 0.1f) * p.spacing);
    set.sleep_after = set.joint && p.sleep_after > 0 ? p.sleep_after : FallAsleep::never;
    set.sleep_speed = 0.15f * set.parting_speed;
    set.wake_speed = 3.0f * set.sleep_speed;
    set.wake_force = 0.1f * (g > 0.1f ? g : 0.1f);
    set.healing_time = p.healing_time;
    return set;
}

inline SnowView SnowStep::view(const Parameters& p, double dt) const {
    SnowView s{};
    static_cast<ParticleView&>(s) = particle_view(p, dt);
    s.set = constants(p, s);
    s.material = {property(snow::young_modulus, p.young_modulus),
                  property(snow::poisson_ratio, p.poisson_ratio),
                  property(snow::hardening, p.hardening),
                  property(snow::theta_c, p.theta_c),
                  property(snow::theta_s, p.theta_s),
                  property(snow::friction_angle, p.friction_angle),
                  property(snow::collapse, p.collapse)};
    const StateView before = sorted_.view(), after = next_state();
    const auto snow_state = [](const StateView& v) {
        return SnowStateView{v.own[0].columns,      v.own[1].columns.data, v.own[2].columns,
                             v.own[3].columns.data, v.own[4].columns,      v.own[5].columns.data,
                             v.own[6].columns.data, v.own[7].columns,      v.own[8].columns.data};
    };
    s.before = snow_state(before);
    s.after = snow_state(after);

    s.predicted = work_.at<Float4>(snow::predicted);
    s.guessed = work_.at<Float4>(snow::guessed);
    s.pressed = s.set.combined ? s.predicted : work_.at<Float4>(snow::pressed);
    s.solved = work_.at<Float4>(snow::solved);
    s.allowed = work_.at<Float4>(snow::allowed);

    s.mass_position = work_.at<Float4>(snow::mass_position);
    s.density = work_.at<float>(snow::density);
    s.compaction = work_.at<float>(snow::compaction);
    s.shear_modulus = work_.at<float>(snow::shear_modulus);
    s.first_lame = work_.at<float>(snow::first_lame);
    s.volume_strain = work_.at<float>(snow::volume_strain);
    s.lag = work_.at<float>(snow::lag);
    s.boundary_flux = work_.at<float>(snow::boundary_flux);
    s.correction = work_.columns(snow::correction);
    s.gradient_sum = work_.columns(snow::gradient_sum);
    s.boundary_sum = work_.columns(snow::boundary_sum);
    if (s.set.viscous_friction) s.rubbed = work_.columns(snow::rubbed);

    s.diagonal = work_.at<float>(snow::diagonal);
    s.source = work_.at<float>(snow::source);
    s.pressure_position = work_.at<Float4>(snow::pressure_position);
    s.pressure_gradient = work_.at<Float4>(snow::pressure_gradient);

    s.stress = work_.at<Float4>(snow::stress);
    s.shear_lever = work_.at<float>(snow::shear_lever);
    // What an unscaled solve leaves over is still made of forces in pairs, and keeps all momentum; so snow that flies
    // freely is solved that way.
    const bool scaled = p.symmetric && p.solver != Solver::explicit_step && (boundary_neighbours_.any() || others_);
    s.shear_scaling = scaled ? work_.at<float>(snow::shear_scaling) : nullptr;

    s.blind = work_.columns(snow::blind);
    s.trial = work_.at<Float4>(snow::trial);
    s.own_force = work_.columns(snow::own_force);
    s.surface_plane = work_.at<Float4>(snow::surface_plane);
    s.hold = work_.at<float>(snow::hold);
    s.drag = work_.at<float>(snow::drag);

    s.boundary_stress = work_.at<float>(snow::boundary_stress);
    s.boundary_load = work_.at<float>(snow::boundary_load);
    s.boundary_area = work_.at<float>(snow::boundary_area);
    s.patch_area = work_.at<float>(snow::patch_area);
    s.load_share = work_.at<float>(snow::load_share);
    s.impulse = work_.columns(s.set.joint ? snow::joint_impulse : snow::impulse);
    s.nearest = work_.at<uint32_t>(s.set.joint ? snow::joint_nearest : snow::nearest);
    s.velocity_gradient = work_.at<Float4>(snow::velocity_gradient);
    return s;
}

}  // namespace firn::FIRN_LANES
