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
    FIRN_HD void operator()(uint32_t i) const { copy_particle(from, source[i], to, i); }
};

/// Particles out of everything's reach, without mass, behind the last one: they fill up short neighbour lists.
struct Pad {
    StateView state;
    uint32_t count;  ///< of real particles
    FIRN_HD void operator()(uint32_t k) const {
        const uint32_t i = count + k;
        state.position[i] = {1e9f, 1e9f, 1e9f, 0.0f};
        state.velocity[i] = {0.0f, 0.0f, 0.0f, 0.0f};
        state.pressure[i] = 0.0f;
        state.rank[i] = 0;
        for (size_t c = 0; c < 6; ++c) state.strain.data[c * state.strain.stride + i] = 0.0f;
        for (size_t c = 0; c < 3; ++c) state.shear_acceleration.data[c * state.shear_acceleration.stride + i] = 0.0f;
    }
};

/// What the density sums gather: one record for each particle.
struct PlaceMasses {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        store4(s.mass_position + i, with_w(xyz(load4(s.now.position + i)), load4(s.now.velocity + i).w));
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

struct StartSolve {
    SolveState* state;
    double relaxation;
    FIRN_HD void operator()() const {
        *state = SolveState{};
        state->relaxation = relaxation;
    }
};

/// The first particle, in sorted order, that has a number which is not finite.
struct Culprit {
    enum Quantity : uint32_t { none, pressure, strain, velocity, position };
    uint32_t rank;
    uint32_t quantity;
};

FIRN_HD Culprit::Quantity not_finite(const StateView& state, uint32_t i) {
    const auto finite = [](float a) { return a > -1e18f && a < 1e18f; };
    const Float4 x = state.position[i], v = state.velocity[i];
    if (!finite(x.x) || !finite(x.y) || !finite(x.z)) return Culprit::position;
    if (!finite(v.x) || !finite(v.y) || !finite(v.z)) return Culprit::velocity;
    for (size_t c = 0; c < 6; ++c) {
        if (!finite(state.strain.data[c * state.strain.stride + i])) return Culprit::strain;
    }
    return finite(state.pressure[i]) ? Culprit::none : Culprit::pressure;
}

struct StartCulprit {
    Culprit* out;
    FIRN_HD void operator()() const { *out = {0, Culprit::none}; }
};

struct MarkCulprits {
    StateView state;
    uint32_t* mark;
    FIRN_HD void operator()(uint32_t i) const { mark[i] = not_finite(state, i) == Culprit::none ? 0 : 1; }
};

/// With the marks summed up, exactly one particle is the first.
struct NameCulprit {
    StateView state;
    const uint32_t* rank;
    const uint32_t* mark;
    Culprit* out;
    FIRN_HD void operator()(uint32_t i) const {
        if (mark[i] == 1 && (i == 0 || mark[i - 1] == 0)) *out = {rank[i], not_finite(state, i)};
    }
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

FIRN_HD SolveReport report(const SolveState& end) {
    return {end.iterations, end.residual, end.done && !end.failed};
}

class SnowStep final : public SnowDevice {
public:
    /// `where`: the number of threads, or whatever else the device's execution object is made from.
    explicit SnowStep(int where) : on_(where) {
        solve_.resize(2);
        extremes_.resize(8);
        culprit_.resize(1);
    }

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
    uint64_t bytes_per_particle(uint32_t neighbours) const override;
    uint64_t memory_free() const override { return on_.memory_free(); }

private:
    /// Wider than the support by what rounding a coordinate of a thousand kilometres' worth of cells can cost.
    static float cell_width(float spacing) { return 2.0f * spacing * (1.0f + 1.0f / 256.0f); }

    SnowView view(const Parameters&, double dt) const;
    void find_neighbours(const Parameters&);
    bool solve_pressure(const SnowView&, const Parameters&, const Interrupt&);
    bool solve_shear(const SnowView&, const Parameters&, const Interrupt&);
    /// The last step's accelerations at new positions would carry a little spin; without boundaries to give it to,
    /// start cold.
    bool starts_warm(const Parameters& p) const { return p.shear_warm_start && boundary_neighbours_.any(); }
    double shear_tolerance(const Parameters&, const StepConstants&) const;
    KrylovView krylov(const SnowView&) const;
    void find_culprit(const SnowView&, StepResult&);
    SolveState* pressure_solve() const { return solve_.data(); }
    SolveState* shear_solve() const { return solve_.data() + 1; }

    Execution on_;
    uint32_t count_ = 0, padded_ = 0;
    State sorted_;              ///< the last good state, sorted; never written during a step but for the volumes
    State result_;              ///< what the step makes; until then its arrays hold what the solves work with
    double speed_between_ = 0;  ///< neighbours, m/s
    bool solved_ = false;       ///< the results (density, ...) are there

    Cells cells_;
    OwnNeighbours::Lists snow_neighbours_;
    Neighbours boundary_neighbours_;
    Buffer<CellRows> snow_rows_, still_rows_, moving_rows_;
    Boundary boundary_;

    Buffer<float> inputs_[6], acceleration_;
    bool has_input_[6] = {}, has_acceleration_ = false;

    Buffer<Float4> velocity_, stress_;
    Buffer<float> scalars_, moments_, krylov_, impulse_;
    Buffer<SolveState> solve_;  ///< of the pressure and of the shear solve
    Buffer<double> extremes_, forces_;
    Buffer<Culprit> culprit_;
    int pressure_iterations_ = 0, shear_iterations_ = 0;  ///< of the last step
};

// Algorithm 1.

inline StepResult SnowStep::step(const Parameters& p, double dt, const BodyPlacement* next, uint32_t bodies,
                                 double* impulse, const Interrupt& interrupt, PhaseTimes& seconds) {
    StepResult result;
    if (count_ == 0) return result;
    // Memory first: what fails here leaves the state as it is.
    const uint32_t pushed = boundary_neighbours_.any() ? bodies : 0;
    forces_.resize(size_t(6) * pushed);
    if (!p.symmetric) krylov_.resize(size_t(6) * padded_);
    if (p.friction_model == FrictionModel::viscous) impulse_.resize(size_t(3) * padded_);
    const auto start = on_.mark();
    boundary_.set_velocity(on_, next, bodies, dt);
    const SnowView s = view(p, dt);

    // Lines 1-5: densities, correction matrices, stiffness, known accelerations, friction.
    on_.for_each(count_ + 1, PlaceMasses{s});
    on_.for_each(count_, Density{s});
    on_.for_each(count_, Properties{s});
    on_.for_each(count_, StartSolves{s, p.pressure_warm_start ? 1.0f : 0.0f, starts_warm(p) ? 1.0f : 0.0f});
    on_.once(StartSolve{pressure_solve(), p.pressure_relaxation});
    on_.once(StartSolve{shear_solve(), 0});
    const auto known = on_.mark();

    // Line 6: pressure. Line 7: shear.
    bool whole = solve_pressure(s, p, interrupt);
    const auto pressed = on_.mark();
    whole = whole && solve_shear(s, p, interrupt);
    if (!whole) {
        result.status = StepResult::interrupted;
        on_.for_each_item(count_, Restore{s.now, s.next});
        return result;
    }
    const auto sheared = on_.mark();

    // Lines 8-13: velocity (and what surfaces allow of it), strain, position.
    on_.for_each(count_, ApplyShear{s});
    on_.sum<2>(count_, BoundaryLoad{s}, shear_solve()->sums);
    on_.for_each(count_, SurfaceContact{s, shear_solve()});
    on_.for_each(count_, AdvanceStrain{s});
    on_.max<2>(count_, Integrate{s}, pressure_solve()->sums);
    for (uint32_t body = 0; body < pushed; ++body) {
        on_.sum<6>(count_, ForceOnBody{s, static_cast<float>(body)}, forces_.data() + 6 * body);
    }
    const auto end = on_.mark();

    // All that the host wants to know, at once.
    SolveState solves[2];
    on_.copy_out(solves, solve_.data(), 2);
    const double* worst = solves[0].sums;
    if (worst[0] > 0 || solves[0].failed || solves[1].failed) {
        result.status = StepResult::failed;
        find_culprit(s, result);
        on_.for_each_item(count_, Restore{s.now, s.next});
        return result;
    }
    result.speed = ::sqrt(worst[1]);
    solved_ = true;
    if (p.solver == Solver::split) result.pressure = report(solves[0]);
    if (p.solver != Solver::explicit_step) result.shear = report(solves[1]);
    pressure_iterations_ = result.pressure.iterations;
    shear_iterations_ = result.shear.iterations;
    constexpr uint32_t at_once = 6 * 16;  // bodies' forces in one copy
    for (uint32_t k = 0; k < 6 * pushed; k += at_once) {
        const uint32_t here = 6 * pushed - k < at_once ? 6 * pushed - k : at_once;
        double force[at_once];
        on_.copy_out(force, forces_.data() + k, here);
        for (uint32_t n = 0; n < here; ++n) impulse[k + n] += dt * force[n];
    }
    seconds.properties += on_.seconds(start, known);
    seconds.pressure += on_.seconds(known, pressed);
    seconds.shear += on_.seconds(pressed, sheared);
    seconds.integrate += on_.seconds(sheared, end);
    return result;
}

inline bool SnowStep::solve_pressure(const SnowView& s, const Parameters& p, const Interrupt& interrupt) {
    if (p.solver != Solver::split) return true;  // the other solve holds it all
    SolveState* state = pressure_solve();
    if (p.look_ahead > 0) on_.for_each(count_, LookAhead{s, p.look_ahead});
    on_.for_each(count_, PressureSource{s, p.look_ahead > 0 ? s.vector : s.predicted});
    const CheckPressure check{state, double(count_), p.pressure_tolerance, p.pressure_iterations_min};
    for (int iteration = 0; iteration < p.pressure_iterations_max; ++iteration) {
        on_.for_each(count_, PressureGradient{s, state});
        on_.sum<1>(count_, PressureUpdate{s, state}, state->sums, check);
        if (on_.seen(&state->done, iteration, pressure_iterations_)) break;
        if (!interrupt.go_on(interrupt.context, "pressure", iteration + 1)) return false;
    }
    on_.for_each(count_, ApplyPressure{s});
    return true;
}

/// Up to a hundred times tighter as the snow comes to rest: what a solve leaves over would keep it trembling.
inline double SnowStep::shear_tolerance(const Parameters& p, const StepConstants& set) const {
    if (p.mode == Mode::published) return double(p.shear_tolerance);
    const double moving = speed_between_ / (5.0 * double(set.parting_speed));
    return double(p.shear_tolerance) * (moving < 0.01 ? 0.01 : moving < 1.0 ? moving : 1.0);
}

inline bool SnowStep::solve_shear(const SnowView& s, const Parameters& p, const Interrupt& interrupt) {
    SolveState* state = shear_solve();
    if (s.shear_scaling) {
        on_.for_each(count_ + 1, ShearLever{s, s.source, count_});
        on_.for_each(count_, ShearScaling{s, s.source});
    }
    on_.for_each(count_,
                 StressOfField{s, state, s.second_vector, 1.0f, p.solver == Solver::explicit_step ? 0.0f : 1.0f});
    if (p.solver == Solver::explicit_step) {
        on_.for_each(count_, ExplicitAcceleration{s});
        return true;
    }
    const KrylovView k = krylov(s);
    const double tolerance = shear_tolerance(p, s.set);
    const auto scalars = [&](KrylovScalars::Stage stage) { return KrylovScalars{state, stage, tolerance}; };
    on_.sum<2>(count_, ShearSource{s, k}, state->sums, scalars(KrylovScalars::source));
    if (starts_warm(p)) {
        on_.for_each(count_, LoadSolution{k});
        on_.for_each(count_, StressOfField{s, state, k.direction, 0.0f, s.set.dt});
        on_.sum<2>(count_, WarmResidual{s, k}, state->sums, scalars(KrylovScalars::start));
    } else {
        on_.once(scalars(KrylovScalars::start));
    }
    on_.for_each(count_, StartKrylov{s, k});
    for (int iteration = 0; iteration < p.shear_iterations_max; ++iteration) {
        if (on_.seen(&state->done, iteration, shear_iterations_)) break;
        if (!interrupt.go_on(interrupt.context, "shear", iteration + 1)) return false;
        on_.for_each(count_, StressOfField{s, state, k.direction, 0.0f, s.set.dt});
        on_.sum<1>(count_, ProductOfDirection{s, k, state}, state->sums, scalars(KrylovScalars::after_product));
        if (p.symmetric) {
            on_.sum<2>(count_, ConjugateStep{s, k, state}, state->sums, scalars(KrylovScalars::after_conjugate));
            on_.for_each(count_, ConjugateDirection{s, k, state});
            continue;
        }
        on_.sum<1>(count_, HalfStep{k, state}, state->sums, scalars(KrylovScalars::after_half));
        on_.for_each(count_, StressOfField{s, state, k.half, 0.0f, s.set.dt});
        on_.sum<2>(count_, ProductOfHalf{s, k, state}, state->sums, scalars(KrylovScalars::after_second_product));
        on_.sum<2>(count_, FullStep{k, state}, state->sums, scalars(KrylovScalars::after_full));
        on_.for_each(count_, NextDirection{k, state});
    }
    return true;
}

inline Speed SnowStep::prepare(const Parameters& p, const BodyPlacement* now, const BodyPlacement* later,
                               uint32_t bodies, double seconds, PhaseTimes& times) {
    const auto start = on_.mark();
    boundary_.place_moving(on_, now, bodies);
    boundary_.set_velocity(on_, later, bodies, seconds);
    Speed speed{0, 0, 0, 0, true};
    if (count_) {
        cells_.sort(on_, result_.view().position, result_.view().rank, count_, cell_width(p.spacing), stress_.data());
        on_.for_each_item(count_, Reorder{cells_.source(), result_.view(), sorted_.view()});
        cells_.list(on_, sorted_.view().position);
        find_neighbours(p);
        on_.max<5>(count_, Speeds{view(p, seconds)}, extremes_.data());
        const auto end = on_.mark();
        double largest[5];
        on_.copy_out(largest, extremes_.data(), 5);
        speed = {::sqrt(largest[0]), ::sqrt(largest[1]), ::sqrt(largest[2]), ::sqrt(largest[3]),
                 !boundary_neighbours_.any() && !has_acceleration_ && largest[4] < 1e-5};
        speed_between_ = speed.between;
        times.neighbours += on_.seconds(start, end);
    }
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
    // Rows are read only here: the matrices' memory is free for them until the step, if there are not many more cells
    // than usual.
    CellRows* spare = reinterpret_cast<CellRows*>(moments_.data());
    const size_t room = moments_.bytes() / sizeof(CellRows);
    if (cells <= room) snow_rows_.borrow(spare, cells);
    if (size_t(2) * cells <= room) {
        still_rows_.borrow(spare, cells);
        moving_rows_.borrow(spare + cells, cells);
    }
    const SearchSet nothing{nullptr, nullptr, nullptr, nullptr, 0, false};
    const SearchSet snow{rows(snow_rows_, own), own.x, own.y, own.z, 0, true};
    snow_neighbours_.build(on_, Search{position, cells_.cell_of(), {snow, nothing}, support * support, cells}, count_,
                           count_);
    snow_neighbours_.keep_slopes(on_, position, cubic_spline(support), count_);

    Search search{position, cells_.cell_of(), {nothing, nothing}, support * support, cells};
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
    velocity_.resize(padded_);
    stress_.resize(size_t(3) * padded_);
    scalars_.resize(size_t(7) * padded_);
    moments_.resize(size_t(12) * padded_);
    // Sorting and searching is over before there is stress.
    cells_.work_in(reinterpret_cast<unsigned char*>(stress_.data()) + size_t(12) * padded_, padded_);

    const StateView to = result_.view();
    on_.copy_in(to.position, host.position, count);
    on_.copy_in(to.velocity, host.velocity, count);
    for (size_t c = 0; c < 6; ++c) on_.copy_in(to.strain.data + c * padded_, host.strain + c * count, count);
    on_.copy_in(to.pressure, host.pressure, count);
    for (size_t c = 0; c < 3; ++c) {
        on_.copy_in(to.shear_acceleration.data + c * padded_, host.shear_acceleration + c * count, count);
    }
    on_.copy_in(to.rank, host.rank, count);
    on_.for_each_item(padded_ - count, Pad{sorted_.view(), count});
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
    s.set.flatness = p.flatness > 1e-4f ? p.flatness : 1e-4f;  // below, rounding decides how a flat sheet lies
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
    s.predicted = s.second_vector = velocity_.data();
    s.stress = stress_.data();
    float* base = scalars_.data();
    float** const pointer[7] = {&s.density,       &s.compaction, &s.shear_modulus, &s.first_lame, &s.volume_strain,
                                &s.boundary_flux, &s.lag};
    for (float** each : pointer) {
        *each = base;
        base += padded_;
    }
    s.correction = {moments_.data(), padded_};
    s.gradient_sum = {moments_.data() + size_t(6) * padded_, padded_};
    s.boundary_sum = {moments_.data() + size_t(9) * padded_, padded_};

    // Memory that serves twice. The new position, velocity and rank are written last, so that the solves may work
    // there; the stress is the shear solve's alone.
    s.vector = s.next.position;
    s.mass_position = s.next.velocity;
    // What an unscaled solve leaves over is still made of forces in pairs, and keeps all momentum; so snow that flies
    // freely is solved that way.
    const bool scaled = p.symmetric && p.solver != Solver::explicit_step && boundary_neighbours_.any();
    s.shear_scaling = scaled ? reinterpret_cast<float*>(s.next.rank) : nullptr;
    s.diagonal = &s.stress->x;
    s.source = s.diagonal + padded_;
    s.boundary_load = s.source + padded_;
    // What contact finds out goes where the solves need nothing any more.
    s.boundary_stress = s.volume_strain;
    s.impulse = s.set.viscous_friction ? Columns{impulse_.data(), padded_} : s.gradient_sum;
    s.nearest = reinterpret_cast<uint32_t*>(s.first_lame);
    return s;
}

inline KrylovView SnowStep::krylov(const SnowView& s) const {
    // The new strain comes after the solve, and the pressure solve is over: their memory is free for the vectors.
    const auto column = [&](float* base, size_t k) { return Columns{base + 3 * k * padded_, padded_}; };
    const Columns none{nullptr, 0};
    return {s.next.shear_acceleration,
            column(s.next.strain.data, 0),
            s.set.symmetric ? none : column(krylov_.data(), 0),
            column(s.next.strain.data, 1),
            s.set.symmetric ? none : column(krylov_.data(), 1),
            s.vector,
            s.mass_position};
}

inline void SnowStep::find_culprit(const SnowView& s, StepResult& result) {
    uint32_t* mark = reinterpret_cast<uint32_t*>(stress_.data());
    on_.once(StartCulprit{culprit_.data()});
    on_.for_each_item(count_, MarkCulprits{s.next, mark});
    on_.scan(mark, count_);
    on_.for_each_item(count_, NameCulprit{s.next, s.now.rank, mark, culprit_.data()});
    const Culprit culprit = on_.read(culprit_.data());
    const char* const names[] = {"residual", "pressure", "strain", "velocity", "position"};
    result.rank = culprit.rank;
    result.quantity = names[culprit.quantity];
}

inline uint64_t SnowStep::bytes() const {
    uint64_t total = sorted_.bytes() + result_.bytes() + cells_.bytes() + snow_neighbours_.bytes() +
                     boundary_neighbours_.bytes() + snow_rows_.bytes() + still_rows_.bytes() + moving_rows_.bytes() +
                     boundary_.bytes() + acceleration_.bytes() + velocity_.bytes() + stress_.bytes() +
                     scalars_.bytes() + moments_.bytes() + krylov_.bytes() + impulse_.bytes() + on_.bytes();
    for (const Buffer<float>& input : inputs_) total += input.bytes();
    return total;
}

inline uint64_t SnowStep::bytes_per_particle(uint32_t neighbours) const {
    // Two states of 76, the velocity 16, stress 48, scalars 28, matrices and sums 48; cells and their rows 16, counts
    // 12; and per neighbour an index and, where it is kept, a kernel slope, with a sixth more for blocks of unequal
    // length and an eighth to grow.
    const uint64_t arrays = 2 * 76 + 16 + 48 + 28 + 48 + 16 + 12;
    const uint64_t entry = Execution::compact_lists ? 2 : Execution::keeps_slopes ? 8 : 4;
    return arrays + uint64_t(neighbours) * entry * 21 / 16;
}

}  // namespace firn::FIRN_LANES
