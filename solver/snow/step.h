#pragma once

// One step of the snow: Gissler 2020, Algorithm 1, over whatever Execution the translation unit brings.

#include "snow/boundary.h"
#include "snow/integrate.h"
#include "snow/properties.h"

namespace firn::FIRN_LANES {

/// All of one particle's state.
FIRN_HD void copy_particle(const StateView& from, uint32_t j, const StateView& to, uint32_t i) {
    to.position[i] = from.position[j];
    to.velocity[i] = from.velocity[j];
    to.pressure[i] = from.pressure[j];
    to.rank[i] = from.rank[j];
    for (size_t c = 0; c < 6; ++c) {
        to.strain.data[c * to.strain.stride + i] = from.strain.data[c * from.strain.stride + j];
    }
    for (size_t c = 0; c < 3; ++c) {
        to.shear_acceleration.data[c * to.shear_acceleration.stride + i] =
            from.shear_acceleration.data[c * from.shear_acceleration.stride + j];
    }
}

struct Reorder {
    const uint32_t* source;
    StateView from, to;
    Float4* mass_position;
    FIRN_HD void operator()(uint32_t i) const {
        copy_particle(from, source[i], to, i);
        const Float4 x = to.position[i];
        mass_position[i] = {x.x, x.y, x.z, to.velocity[i].w};
    }
};

/// Back to the state before a step that failed or was stopped.
struct Restore {
    StateView from, to;
    FIRN_HD void operator()(uint32_t i) const { copy_particle(from, i, to, i); }
};

/// First guesses of the two solves.
struct StartSolves {
    SnowView s;
    float warm_pressure, warm_shear;
    FIRN_HD void operator()(uint32_t i) const {
        store(s.next.pressure + i, splat(warm_pressure) * load(s.now.pressure + i));
        store3(s.next.shear_acceleration, i, splat(warm_shear) * load3(s.now.shear_acceleration, i));
    }
};

/// v* and a share of the last step's shear acceleration: without it, the pressure answers to motion that the shear
/// solve is about to stop, the more so the longer the step. All of it would make stiff snow unstable.
struct LookAhead {
    SnowView s;
    float share;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 v = load4(s.predicted + i);
        store4(s.vector + i, with_w(xyz(v) + splat(share * s.set.dt) * load3(s.now.shear_acceleration, i), v.w));
    }
};

/// Chunnoo 2022, 3.2.4: the stress as it is, no solve.
struct ExplicitAcceleration {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        store3(s.next.shear_acceleration, i, (splat(1.0f) / load(s.density + i)) * stress_divergence(s, i));
    }
};

struct CopyPredicted {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const { store4(s.second_vector + i, load4(s.predicted + i)); }
};

/// The state of the particles, in device memory.
class State {
public:
    void resize(uint32_t padded) {
        position_.resize(padded);
        velocity_.resize(padded);
        strain_.resize(size_t(6) * padded);
        pressure_.resize(padded);
        shear_acceleration_.resize(size_t(3) * padded);
        rank_.resize(padded);
        padded_ = padded;
    }
    StateView view() const {
        return {position_.data(),
                velocity_.data(),
                {strain_.data(), padded_},
                pressure_.data(),
                {shear_acceleration_.data(), padded_},
                rank_.data()};
    }
    size_t bytes() const {
        return position_.bytes() + velocity_.bytes() + strain_.bytes() + pressure_.bytes() +
               shear_acceleration_.bytes() + rank_.bytes();
    }

private:
    uint32_t padded_ = 0;
    Buffer<Float4> position_, velocity_;
    Buffer<float> strain_, pressure_, shear_acceleration_;
    Buffer<uint32_t> rank_;
};

class SnowStep final : public SnowDevice {
public:
    explicit SnowStep(int threads) : on_(threads) { solve_.resize(1); }

    int lanes() const override { return static_cast<int>(lane_width); }
    int threads() const override { return on_.thread_count(); }

    void upload(const StateArrays& host, uint32_t count) override;
    void set_inputs(const InputArrays&) override;
    void download(const StateArrays& host) const override;
    void set_still(const BoundaryArrays& bodies, float spacing) override {
        boundary_.set_still(on_, bodies, cell_width(spacing));
    }
    void set_moving(const BoundaryArrays& bodies) override { boundary_.set_moving(on_, bodies); }
    Speed prepare(const Parameters&, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                  double seconds, PhaseTimes&) override;
    StepResult step(const Parameters&, double dt, const BodyPlacement* next, uint32_t bodies, double* impulse,
                    const Interrupt&, PhaseTimes&) override;
    uint64_t bytes() const override;

private:
    /// Wider than the support by what rounding a coordinate of a thousand kilometres' worth of cells can cost.
    static float cell_width(float spacing) { return 2.0f * spacing * (1.0f + 1.0f / 256.0f); }

    SnowView view(const Parameters&, double dt) const;
    void find_neighbours(const Parameters&);
    bool solve_pressure(const SnowView&, const Parameters&, const Interrupt&, SolveReport&);
    bool solve_shear(const SnowView&, const Parameters&, const Interrupt&, SolveReport&);
    void reset_solve(const Parameters&);
    /// The last step's accelerations at new positions would carry a little spin; without boundaries to give it to,
    /// start cold.
    bool starts_warm(const Parameters& p) const { return p.shear_warm_start && boundary_neighbours_.any(); }
    double shear_tolerance(const Parameters&, const StepConstants&) const;
    KrylovView krylov(const SnowView&) const;
    void find_culprit(const SnowView&, StepResult&) const;

    Execution on_;
    uint32_t count_ = 0, padded_ = 0;
    State sorted_;              ///< the last good state, sorted; never written during a step but for the volumes
    State result_;              ///< what the step makes
    double speed_between_ = 0;  ///< neighbours, m/s
    bool solved_ = false;       ///< the results (density, ...) are there

    Cells cells_;
    Neighbours snow_neighbours_, boundary_neighbours_;
    Buffer<CellRows> snow_rows_, still_rows_, moving_rows_;
    Boundary boundary_;

    Buffer<float> inputs_[6], acceleration_;
    bool has_input_[6] = {}, has_acceleration_ = false;

    Buffer<Float4> mass_position_, predicted_, vector_, second_vector_, stress_;
    Buffer<float> scalars_, correction_, sums_, krylov_, impulse_;
    Buffer<uint32_t> nearest_;
    Buffer<SolveState> solve_;
};

// Algorithm 1.

inline StepResult SnowStep::step(const Parameters& p, double dt, const BodyPlacement* next, uint32_t bodies,
                                 double* impulse, const Interrupt& interrupt, PhaseTimes& seconds) {
    StepResult result;
    if (count_ == 0) return result;
    const double start = on_.clock();
    boundary_.set_velocity(on_, next, bodies, dt);
    const SnowView s = view(p, dt);

    // Lines 1-5: densities, correction matrices, stiffness, known accelerations, friction.
    on_.for_each(count_, Density{s});
    on_.for_each(count_, Properties{s});
    on_.for_each(count_, StartSolves{s, p.pressure_warm_start ? 1.0f : 0.0f, starts_warm(p) ? 1.0f : 0.0f});
    reset_solve(p);
    const double known = on_.clock();

    // Line 6: pressure. Line 7: shear.
    bool whole = solve_pressure(s, p, interrupt, result.pressure);
    const double pressed = on_.clock();
    whole = whole && solve_shear(s, p, interrupt, result.shear);
    if (!whole) {
        result.status = StepResult::interrupted;
        on_.for_each_item(count_, Restore{s.now, s.next});
        return result;
    }
    const double sheared = on_.clock();

    // Lines 8-13: velocity (and what surfaces allow of it), strain, position.
    on_.for_each(count_, ApplyShear{s});
    on_.sum<2>(count_, BoundaryLoad{s}, solve_.data()->sums);
    on_.for_each(count_, SurfaceContact{s, solve_.data()});
    on_.for_each(count_, AdvanceStrain{s});
    double worst[2];
    on_.max_to_host<2>(count_, Integrate{s}, worst);
    if (worst[0] > 0 || on_.read(&solve_.data()->failed)) {
        result.status = StepResult::failed;
        find_culprit(s, result);
        on_.for_each_item(count_, Restore{s.now, s.next});
        return result;
    }
    result.speed = ::sqrt(worst[1]);
    solved_ = true;
    for (uint32_t body = 0; body < bodies && boundary_neighbours_.any(); ++body) {
        double force[6];
        on_.sum_to_host<6>(count_, ForceOnBody{s, static_cast<float>(body)}, force);
        for (int k = 0; k < 6; ++k) impulse[6 * body + static_cast<uint32_t>(k)] += dt * force[k];
    }
    seconds.properties += known - start;
    seconds.pressure += pressed - known;
    seconds.shear += sheared - pressed;
    seconds.integrate += on_.clock() - sheared;
    return result;
}

inline void SnowStep::reset_solve(const Parameters& p) {
    SolveState start{};
    start.relaxation = p.pressure_relaxation;
    on_.copy_in(solve_.data(), &start, 1);
}

inline bool SnowStep::solve_pressure(const SnowView& s, const Parameters& p, const Interrupt& interrupt,
                                     SolveReport& report_out) {
    if (p.solver != Solver::split) {  // the other solve holds it all
        on_.for_each(count_, CopyPredicted{s});
        return true;
    }
    SolveState* state = solve_.data();
    if (p.look_ahead > 0) on_.for_each(count_, LookAhead{s, p.look_ahead});
    on_.for_each(count_, PressureSource{s, p.look_ahead > 0 ? s.vector : s.predicted});
    for (int iteration = 0; iteration < p.pressure_iterations_max; ++iteration) {
        on_.for_each(count_, PressureGradient{s, state});
        on_.sum<1>(count_, PressureUpdate{s, state}, state->sums);
        on_.once(CheckPressure{state, double(count_), p.pressure_tolerance, p.pressure_iterations_min});
        if (on_.poll(iteration)) {
            if (on_.read(&state->done)) break;
            if (!interrupt.go_on(interrupt.context, "pressure", iteration + 1)) return false;
        }
    }
    const SolveState end = on_.read(state);
    report_out = {end.iterations, end.residual, end.done && !end.failed};
    on_.for_each(count_, ApplyPressure{s});
    return true;
}

/// Up to a hundred times tighter as the snow comes to rest: what a solve leaves over would keep it trembling.
inline double SnowStep::shear_tolerance(const Parameters& p, const StepConstants& set) const {
    if (p.mode == Mode::published) return double(p.shear_tolerance);
    const double moving = speed_between_ / (5.0 * double(set.parting_speed));
    return double(p.shear_tolerance) * (moving < 0.01 ? 0.01 : moving < 1.0 ? moving : 1.0);
}

inline bool SnowStep::solve_shear(const SnowView& s, const Parameters& p, const Interrupt& interrupt,
                                  SolveReport& report_out) {
    SolveState* state = solve_.data();
    const int32_t failed = on_.read(&state->failed);
    SolveState zero{};
    zero.failed = failed;
    on_.copy_in(state, &zero, 1);
    on_.for_each(count_,
                 StressOfField{s, state, s.second_vector, 1.0f, p.solver == Solver::explicit_step ? 0.0f : 1.0f});
    if (p.solver == Solver::explicit_step) {
        on_.for_each(count_, ExplicitAcceleration{s});
        return true;
    }
    krylov_.resize(size_t(p.symmetric ? 6 : 12) * padded_);
    const KrylovView k = krylov(s);
    const double tolerance = shear_tolerance(p, s.set);
    const auto scalars = [&](KrylovScalars::Stage stage) { on_.once(KrylovScalars{state, stage, tolerance}); };
    on_.sum<2>(count_, ShearSource{s, k}, state->sums);
    scalars(KrylovScalars::source);
    if (starts_warm(p)) {
        on_.for_each(count_, LoadSolution{k});
        on_.for_each(count_, StressOfField{s, state, k.direction, 0.0f, s.set.dt});
        on_.sum<2>(count_, WarmResidual{s, k}, state->sums);
    }
    scalars(KrylovScalars::start);
    on_.for_each(count_, StartKrylov{s, k});
    for (int iteration = 0; iteration < p.shear_iterations_max; ++iteration) {
        if (on_.poll(iteration)) {
            if (on_.read(&state->done)) break;
            if (!interrupt.go_on(interrupt.context, "shear", iteration + 1)) return false;
        }
        on_.for_each(count_, StressOfField{s, state, k.direction, 0.0f, s.set.dt});
        on_.sum<1>(count_, ProductOfDirection{s, k, state}, state->sums);
        scalars(KrylovScalars::after_product);
        if (p.symmetric) {
            on_.sum<2>(count_, ConjugateStep{s, k, state}, state->sums);
            scalars(KrylovScalars::after_conjugate);
            on_.for_each(count_, ConjugateDirection{s, k, state});
            continue;
        }
        on_.sum<1>(count_, HalfStep{k, state}, state->sums);
        scalars(KrylovScalars::after_half);
        on_.for_each(count_, StressOfField{s, state, k.half, 0.0f, s.set.dt});
        on_.sum<2>(count_, ProductOfHalf{s, k, state}, state->sums);
        scalars(KrylovScalars::after_second_product);
        on_.sum<2>(count_, FullStep{k, state}, state->sums);
        scalars(KrylovScalars::after_full);
        on_.for_each(count_, NextDirection{k, state});
    }
    const SolveState end = on_.read(state);
    report_out = {end.iterations, end.residual, end.done && !end.failed};
    return true;
}

inline Speed SnowStep::prepare(const Parameters& p, const BodyPlacement* now, const BodyPlacement* later,
                               uint32_t bodies, double seconds, PhaseTimes& times) {
    const double start = on_.clock();
    boundary_.place_moving(on_, now, bodies);
    boundary_.set_velocity(on_, later, bodies, seconds);
    Speed speed{0, 0, 0, 0, true};
    if (count_) {
        cells_.sort(on_, result_.view().position, result_.view().rank, count_, cell_width(p.spacing), stress_.data());
        on_.for_each_item(count_, Reorder{cells_.source(), result_.view(), sorted_.view(), mass_position_.data()});
        cells_.list(on_, sorted_.view().position);
        find_neighbours(p);
        double largest[5];
        on_.max_to_host<5>(count_, Speeds{view(p, seconds)}, largest);
        speed = {::sqrt(largest[0]), ::sqrt(largest[1]), ::sqrt(largest[2]), ::sqrt(largest[3]),
                 !boundary_neighbours_.any() && !has_acceleration_ && largest[4] < 1e-5};
        speed_between_ = speed.between;
    }
    times.neighbours += on_.clock() - start;
    return speed;
}

inline void SnowStep::find_neighbours(const Parameters& p) {
    const float support = 2.0f * p.spacing;
    const CellsView own = cells_.view();
    const uint32_t cells = cells_.cell_count();
    const Float4* position = sorted_.view().position;
    const auto rows = [&](Buffer<CellRows>& to, const CellsView& target) {
        to.resize_generously(cells);
        on_.for_each_item(cells, FindRows{own, target, to.data()});
        return to.data();
    };
    const SearchSet nothing{nullptr, nullptr, nullptr, nullptr, 0, false};
    const SearchSet snow{rows(snow_rows_, own), own.x, own.y, own.z, 0, true};
    snow_neighbours_.build(on_, Search{position, cells_.cell_of(), {snow, nothing}, support * support}, count_, count_);
    snow_neighbours_.keep_slopes(on_, position, cubic_spline(support), count_);

    Search search{position, cells_.cell_of(), {nothing, nothing}, support * support};
    if (boundary_.still_count()) {
        const CellsView still = boundary_.still_cells().view();
        search.sets[0] = {rows(still_rows_, still), still.x, still.y, still.z, 0, false};
    }
    if (boundary_.moving_count()) {
        const CellsView moving = boundary_.moving_cells().view();
        search.sets[1] = {rows(moving_rows_, moving), moving.x, moving.y, moving.z, boundary_.still_count(), false};
    }
    boundary_neighbours_.build(on_, search, count_, boundary_.filler());
}

inline void SnowStep::upload(const StateArrays& host, uint32_t count) {
    // At least one particle more than there are: it fills up short neighbour lists from out of everything's reach.
    const uint32_t padded = (count + 1 + 31) / 32 * 32;
    padded_ = padded > padded_ ? padded : padded_;
    count_ = count;
    solved_ = false;
    sorted_.resize(padded_);
    result_.resize(padded_);
    mass_position_.resize(padded_);
    predicted_.resize(padded_);
    vector_.resize(padded_);
    second_vector_.resize(padded_);
    stress_.resize(size_t(3) * padded_);
    scalars_.resize(size_t(12) * padded_);
    correction_.resize(size_t(6) * padded_);
    sums_.resize(size_t(6) * padded_);
    impulse_.resize(size_t(3) * padded_);
    nearest_.resize(padded_);

    const StateView to = result_.view();
    on_.copy_in(to.position, host.position, count);
    on_.copy_in(to.velocity, host.velocity, count);
    for (size_t c = 0; c < 6; ++c) on_.copy_in(to.strain.data + c * padded_, host.strain + c * count, count);
    on_.copy_in(to.pressure, host.pressure, count);
    for (size_t c = 0; c < 3; ++c) {
        on_.copy_in(to.shear_acceleration.data + c * padded_, host.shear_acceleration + c * count, count);
    }
    on_.copy_in(to.rank, host.rank, count);
    const StateView pad = sorted_.view();
    for (uint32_t i = count; i < padded_; ++i) {
        const Float4 far{1e9f, 1e9f, 1e9f, 0.0f}, still{0, 0, 0, 0};
        const float none = 0;
        const uint32_t rank = 0;
        on_.copy_in(pad.position + i, &far, 1);
        on_.copy_in(pad.velocity + i, &still, 1);
        on_.copy_in(mass_position_.data() + i, &far, 1);
        on_.copy_in(pad.pressure + i, &none, 1);
        on_.copy_in(pad.rank + i, &rank, 1);
        for (size_t c = 0; c < 6; ++c) on_.copy_in(pad.strain.data + c * padded_ + i, &none, 1);
        for (size_t c = 0; c < 3; ++c) on_.copy_in(pad.shear_acceleration.data + c * padded_ + i, &none, 1);
    }
}

inline void SnowStep::set_inputs(const InputArrays& in) {
    const float* tables[6] = {in.young_modulus, in.poisson_ratio, in.hardening,
                              in.theta_c,       in.theta_s,       in.rest_density};
    for (int k = 0; k < 6; ++k) {
        has_input_[k] = tables[k] != nullptr;
        if (!tables[k]) continue;
        inputs_[k].resize(count_);
        on_.copy_in(inputs_[k].data(), tables[k], count_);
    }
    has_acceleration_ = in.acceleration != nullptr;
    if (has_acceleration_) {
        acceleration_.resize(size_t(3) * count_);
        on_.copy_in(acceleration_.data(), in.acceleration, size_t(3) * count_);
    }
}

inline void SnowStep::download(const StateArrays& host) const {
    const StateView from = result_.view();
    on_.copy_out(host.position, from.position, count_);
    on_.copy_out(host.velocity, from.velocity, count_);
    for (size_t c = 0; c < 6; ++c) on_.copy_out(host.strain + c * count_, from.strain.data + c * padded_, count_);
    on_.copy_out(host.pressure, from.pressure, count_);
    for (size_t c = 0; c < 3; ++c) {
        on_.copy_out(host.shear_acceleration + c * count_, from.shear_acceleration.data + c * padded_, count_);
    }
    on_.copy_out(host.rank, from.rank, count_);
    if (!solved_) return;
    on_.copy_out(host.density, scalars_.data(), count_);
    on_.copy_out(host.compaction, scalars_.data() + padded_, count_);
    on_.copy_out(host.neighbours, snow_neighbours_.count(), count_);
}

inline SnowView SnowStep::view(const Parameters& p, double dt_seconds) const {
    const float dt = static_cast<float>(dt_seconds);
    SnowView s{};
    s.set.kernel = cubic_spline(2.0f * p.spacing);
    s.set.spacing = p.spacing;
    s.set.dt = dt;
    s.set.gravity[0] = p.gravity.x;
    s.set.gravity[1] = p.gravity.y;
    s.set.gravity[2] = p.gravity.z;
    s.set.boundary_pressure = p.boundary_pressure;
    s.set.surface_floor = p.surface_floor;
    s.set.damping = p.damping;
    s.set.filter = p.filter_rate * dt / (1.0f + p.filter_rate * dt);
    s.set.viscous_friction = p.friction_model == FrictionModel::viscous;
    s.set.incompressible = p.pressure_model == PressureModel::incompressible;
    s.set.combined = p.solver != Solver::split;
    s.set.contact = p.contact;
    s.set.separation = p.separation && p.contact;  // what lets go must be caught
    s.set.objective = p.objective;
    s.set.ballistic = p.ballistic;
    s.set.symmetric = p.symmetric;
    const float g = ::sqrtf(p.gravity.x * p.gravity.x + p.gravity.y * p.gravity.y + p.gravity.z * p.gravity.z);
    s.set.parting_speed = 0.02f * ::sqrtf((g > 0.1f ? g : 0.1f) * p.spacing);

    const float uniform[6] = {p.young_modulus, p.poisson_ratio, p.hardening, p.theta_c, p.theta_s, p.rest_density};
    MaterialView::Property* property[6] = {&s.material.young_modulus, &s.material.poisson_ratio,
                                           &s.material.hardening,     &s.material.theta_c,
                                           &s.material.theta_s,       &s.material.rest_density};
    for (int k = 0; k < 6; ++k) *property[k] = {has_input_[k] ? inputs_[k].data() : nullptr, uniform[k]};
    for (size_t c = 0; c < 3; ++c) s.acceleration[c] = has_acceleration_ ? acceleration_.data() + c * count_ : nullptr;

    s.now = sorted_.view();
    s.next = result_.view();
    s.boundary = boundary_.view();
    s.snow_neighbours = snow_neighbours_.view();
    s.boundary_neighbours = boundary_neighbours_.view();
    s.mass_position = mass_position_.data();
    s.predicted = predicted_.data();
    s.vector = vector_.data();
    s.second_vector = second_vector_.data();
    s.stress = stress_.data();
    float* base = scalars_.data();
    float** const pointer[12] = {&s.density,         &s.compaction, &s.shear_modulus, &s.first_lame,
                                 &s.volume_strain,   &s.diagonal,   &s.source,        &s.boundary_flux,
                                 &s.boundary_stress, &s.lag,        &s.boundary_load, &s.shear_scaling};
    for (float** each : pointer) {
        *each = base;
        base += padded_;
    }
    s.correction = {correction_.data(), padded_};
    s.gradient_sum = {sums_.data(), padded_};
    s.boundary_sum = {sums_.data() + size_t(3) * padded_, padded_};
    s.impulse = {impulse_.data(), padded_};
    s.nearest = nearest_.data();
    return s;
}

inline KrylovView SnowStep::krylov(const SnowView& s) const {
    const auto column = [&](size_t k) { return Columns{krylov_.data() + 3 * k * padded_, padded_}; };
    // The pressure solve is over: its records are free for one of the directions.
    const Columns none{nullptr, 0};
    return {s.next.shear_acceleration,
            column(0),
            s.set.symmetric ? none : column(2),
            column(1),
            s.set.symmetric ? none : column(3),
            s.vector,
            s.mass_position};
}

inline void SnowStep::find_culprit(const SnowView& s, StepResult& result) const {
    const auto finite = [](float a) { return a > -1e18f && a < 1e18f; };
    for (uint32_t i = 0; i < count_; ++i) {
        const Float4 x = on_.read(s.next.position + i), v = on_.read(s.next.velocity + i);
        result.rank = on_.read(s.now.rank + i);
        result.quantity = nullptr;
        if (!finite(on_.read(s.next.pressure + i))) result.quantity = "pressure";
        for (size_t c = 0; c < 6; ++c) {
            if (!finite(on_.read(s.next.strain.data + c * padded_ + i))) result.quantity = "strain";
        }
        if (!finite(v.x) || !finite(v.y) || !finite(v.z)) result.quantity = "velocity";
        if (!finite(x.x) || !finite(x.y) || !finite(x.z)) result.quantity = "position";
        if (result.quantity) return;
    }
    result.quantity = "residual";
}

inline uint64_t SnowStep::bytes() const {
    uint64_t total = sorted_.bytes() + result_.bytes() + cells_.bytes() + snow_neighbours_.bytes() +
                     boundary_neighbours_.bytes() + snow_rows_.bytes() + still_rows_.bytes() + moving_rows_.bytes() +
                     boundary_.bytes() + acceleration_.bytes() + mass_position_.bytes() + predicted_.bytes() +
                     vector_.bytes() + second_vector_.bytes() + stress_.bytes() + scalars_.bytes() +
                     correction_.bytes() + sums_.bytes() + krylov_.bytes() + impulse_.bytes() + nearest_.bytes();
    for (const Buffer<float>& input : inputs_) total += input.bytes();
    return total;
}

}  // namespace firn::FIRN_LANES
