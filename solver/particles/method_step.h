#pragma once

// What every particle method has on a device: particles with their state, cells, neighbours, boundaries, inputs and a
// workspace; upload and download by the method's tables; sorting and searching. A method derives from it, declares its
// tables and brings the step.

#include <cstring>

#include "method_device.h"
#include "particles/body_impulses.h"
#include "particles/boundary.h"
#include "particles/culprit.h"
#include "particles/energy.h"
#include "particles/solve_state.h"
#include "particles/speeds.h"
#include "particles/state.h"
#include "particles/swept_path.h"
#include "particles/thrown.h"
#include "particles/workspace.h"

namespace firn::FIRN_LANES {

/// The scratch arrays that every method has come first in its table; then the new values of its own state, in the order
/// of its layout; then what else it needs.
enum CommonScratch : uint8_t {
    next_position,
    next_velocity,
    next_rank,
    cell_key,
    cell_source,
    sort_key,
    sort_source,
    cell_x,
    cell_y,
    cell_z,
    cell_rows,
    culprit_mark,
    common_scratch
};

/// Which of a method's stages are everybody's. A step ends with `integrate`; the next one begins with `sort` and
/// `search`, which the method's table of stages has last.
struct CommonStages {
    uint8_t integrate, sort, search;
};

/// A whole table of scratch arrays: the common ones and the method's own.
template <size_t N>
struct ScratchTable {
    ScratchArray rows[common_scratch + N];
    static constexpr size_t count = common_scratch + N;

    constexpr ScratchTable(CommonStages at, const ScratchArray (&own)[N]) : rows{} {
        const Lifetime result{at.integrate, at.sort}, order{at.sort, at.search}, sorting{at.sort, at.sort},
            searching{at.search, at.search};
        rows[next_position] = {"next_position", 4, result};
        rows[next_velocity] = {"next_velocity", 4, result};
        rows[next_rank] = {"next_rank", 1, result};
        rows[cell_key] = {"cell_key", 2, order};
        rows[cell_source] = {"cell_source", 1, order};
        rows[sort_key] = {"sort_key", 2, sorting};
        rows[sort_source] = {"sort_source", 1, sorting};
        rows[cell_x] = {"cell_x", 1, searching};
        rows[cell_y] = {"cell_y", 1, searching};
        rows[cell_z] = {"cell_z", 1, searching};
        rows[cell_rows] = {"cell_rows", 12, searching};
        rows[culprit_mark] = {"culprit_mark", 1, {at.integrate, at.integrate}};
        for (size_t k = 0; k < N; ++k) rows[common_scratch + k] = own[k];
    }
};

/// A method's tables, as its device needs them.
struct MethodTables {
    DeviceLayout layout;
    const uint8_t* result_rows;  ///< the scratch array of each result in the layout
    const ScratchArray* scratch;
    size_t scratch_count;
    CommonStages stages;
};

class MethodStep : public MethodDevice {
public:
    const DeviceLayout& layout() const override { return tables_.layout; }
    int lanes() const override { return static_cast<int>(lane_width); }
    int threads() const override { return on_.thread_count(); }

    void upload(const StateArrays& host, ParticleCounts counts) override;
    void set_inputs(const float* const* inputs) override;
    void download(const StateArrays& host) const override;
    void positions(Float4* to, uint32_t first, uint32_t count) const override {
        on_.copy_out(to, motion_now().position + first, count);
    }
    void set_still(const BoundaryArrays& bodies, float spacing) override {
        boundary_.set_still(on_, bodies, cell_width(spacing));
    }
    void set_moving(const BoundaryArrays& bodies) override { boundary_.set_moving(on_, bodies); }
    Sweep sweep(const BodyPlacement* from, const BodyPlacement* to, uint32_t bodies, double begin, double duration,
                double free_path) override;

    Energy energy(const Parameters&) override;
    void note_speeds(const Parameters&, double duration, double gain, const BodyPlacement* now, const float* speed,
                     uint32_t bodies) override;
    Thrown thrown(const Parameters&, double allowance) override;
    double stored_energy(const Parameters&) override { return 0; }
    void set_air(const Air& air) override { air_ = air; }
    void set_others(bool some) override { others_ = some; }
    void take_back(const Parameters&) override { stepped_ = false; }

    uint64_t bytes() const override;
    uint64_t bytes_per_particle(uint32_t neighbours) const override;
    uint64_t memory_free() const override { return on_.memory_free(); }

protected:
    /// `where`: the number of threads, or whatever else the device's execution object is made from.
    MethodStep(int where, const MethodTables& tables)
        : on_(where), tables_(tables), sorted_(tables.layout.state), work_(tables.scratch, tables.scratch_count) {
        solve_.resize(StepResult::most_solves);
        extremes_.resize(extreme_count);
        culprit_.resize(1);
        thrown_.resize(1);
        for (const ArrayLayout* row = tables.layout.inputs; row->name; ++row) {
            const int k = static_cast<int>(row - tables.layout.inputs);
            if (!std::strcmp(row->name, "acceleration")) acceleration_input_ = k;
            if (!std::strcmp(row->name, "rest_density")) density_input_ = k;
        }
    }

    ParticleView particle_view(const Parameters&, double dt) const;
    /// The input of that place in the layout, or the value that all have.
    PropertyView property(int input, float uniform) const {
        return {has_input_[input] ? inputs_[input].data() : nullptr, uniform};
    }
    /// The state that the step makes; until a stage writes them, its arrays are scratch memory of others.
    StateView next_state() const;

    /// Places bodies, sorts particles and finds neighbours. Moving bodies are at `now`, and get the speed that takes
    /// them to `later` after `duration` seconds.
    void sort_and_search(const Parameters&, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                         double duration);
    /// What limits the step. `tension(i)` is 0 where the method leaves a particle to fly. Adds the time since `start`
    /// to `seconds`.
    template <class Tension>
    Speed measure_speed(const ParticleView&, const Tension& tension, Execution::Mark start, double& seconds);

    void enter(uint8_t stage) const { work_.enter(on_, stage, counts_.visible); }
    SolveState* solve(int k) const { return solve_.data() + k; }

    /// Memory for the sums of so many bodies, if any is near.
    void reserve_bodies(uint32_t bodies);
    /// After the step: what it did to the bodies.
    template <class Push>
    void push_bodies(const ParticleView&, const Push&, double dt);
    void read_impulses(double* impulse);

    /// The step is whole: its result is the state now. A step that was stopped or that failed says nothing, and leaves
    /// the state that it began with.
    void take_result() { stepped_ = true; }
    /// Names the first particle that has a number which is not finite.
    void name_culprit(StepResult&);

    Execution on_;
    ParticleCounts counts_;
    uint32_t padded_ = 0;
    const MethodTables& tables_;
    State sorted_;         ///< the last good state, sorted; never written during a step but for the volumes
    Workspace work_;       ///< scratch arrays, and the state that the step makes
    bool stepped_ = true;  ///< the state is where a step leaves it; false = a step has begun, and it is in sorted_
    bool solved_ = false;  ///< the results (density, ...) of the state are there

    Cells cells_;
    OwnNeighbours::Lists neighbours_;
    Neighbours boundary_neighbours_;
    Buffer<CellRows> own_rows_, still_rows_, moving_rows_;
    Boundary boundary_;
    Air air_;
    bool others_ = false;  ///< particles that sleep elsewhere

    static constexpr int most_inputs = 12;
    Buffer<float> inputs_[most_inputs];
    bool has_input_[most_inputs] = {};
    int acceleration_input_ = 0, density_input_ = 0;

    Buffer<SolveState> solve_;
    static constexpr uint32_t extreme_count = 2 * NameFastest::values + NameFastest::fields * NameFastest::named;
    Buffer<double> extremes_, impulse_;
    Buffer<BodySums> body_sums_;
    Buffer<BodyPlacement> sweep_placement_;
    Buffer<Float4> sweep_;
    uint32_t pushed_ = 0;     ///< bodies that may be near particles
    Buffer<uint32_t> noted_;  ///< places of a SpeedTable, and its levels
    Buffer<float> body_speed_;
    Buffer<ThrownGrains> thrown_;
    Buffer<Culprit> culprit_;

private:
    /// Where the particles are now.
    MotionView motion_now() const { return stepped_ ? next_state().motion : sorted_.view().motion; }
    SpeedTable speed_table(const Parameters&) const;
    double noted_for_ = 0, noted_gain_ = 1;  ///< s; and how many times as fast
    uint32_t noted_places_ = 0;

    /// Wider than the support by what rounding a coordinate of a thousand kilometres' worth of cells can cost.
    static float cell_width(float spacing) { return 2.0f * spacing * (1.0f + 1.0f / 256.0f); }
    void find_neighbours(const Parameters&);
};

inline ParticleView MethodStep::particle_view(const Parameters& p, double dt) const {
    ParticleView s{};
    s.kernel = cubic_spline(2.0f * p.spacing);
    s.spacing = p.spacing;
    s.dt = static_cast<float>(dt);
    s.gravity[0] = p.gravity.x;
    s.gravity[1] = p.gravity.y;
    s.gravity[2] = p.gravity.z;
    s.now = sorted_.view().motion;
    s.next = next_state().motion;
    s.neighbours = neighbours_.view();
    s.boundary = boundary_.view();
    s.boundary_neighbours = boundary_neighbours_.view();
    if (has_input_[acceleration_input_]) {
        for (size_t c = 0; c < 3; ++c) s.acceleration[c] = inputs_[acceleration_input_].data() + c * counts_.visible;
    }
    s.rest_density = property(density_input_, p.rest_density);
    return s;
}

inline StateView MethodStep::next_state() const {
    StateView v{};
    v.motion = {work_.at<Float4>(next_position), work_.at<Float4>(next_velocity), work_.at<uint32_t>(next_rank)};
    for (const ArrayLayout* row = tables_.layout.state; row->name; ++row) {
        v.own[v.arrays] = {work_.columns(common_scratch + v.arrays), static_cast<uint32_t>(row->components)};
        ++v.arrays;
    }
    return v;
}

inline void MethodStep::sort_and_search(const Parameters& p, const BodyPlacement* now, const BodyPlacement* later,
                                        uint32_t bodies, double duration) {
    boundary_.place_moving(on_, now, bodies);
    boundary_.set_velocity(on_, later, bodies, duration);
    if (!counts_.visible) return;
    const StateView next = next_state();
    if (!stepped_) on_.for_each_item(counts_.visible, Restore{sorted_.view(), next});
    enter(tables_.stages.sort);
    cells_.sort(on_, next.motion.position, next.motion.rank, counts_.visible, cell_width(p.spacing),
                work_.at<uint64_t>(sort_key), work_.at<uint32_t>(sort_source));
    on_.for_each_item(counts_.visible, Reorder{cells_.source(), next, sorted_.view()});
    stepped_ = solved_ = false;
    enter(tables_.stages.search);
    cells_.list(on_, sorted_.view().motion.position);
    find_neighbours(p);
}

inline void MethodStep::find_neighbours(const Parameters& p) {
    const float support = 2.0f * p.spacing;
    const CellsView own = cells_.view();
    const uint32_t cells = cells_.cell_count();
    const Float4* position = sorted_.view().motion.position;
    const auto rows = [&](Buffer<CellRows>& to, const CellsView& target) {
        to.resize_generously(cells);
        on_.for_each_item(cells, FindRows{own, target, to.data()});
        return to.data();
    };
    // Rows are per cell, not per particle: where there are more cells than usual, they get memory of their own.
    CellRows* const spare = work_.at<CellRows>(cell_rows);
    const size_t room = work_.bytes_of(cell_rows) / sizeof(CellRows);
    if (cells <= room) own_rows_.borrow(spare, cells);
    if (size_t(2) * cells <= room) {
        still_rows_.borrow(spare, cells);
        moving_rows_.borrow(spare + cells, cells);
    }
    const SearchSet nothing{nullptr, nullptr, nullptr, nullptr, 0, false};
    const SearchSet among{rows(own_rows_, own), own.x, own.y, own.z, 0, true};
    neighbours_.build(on_, Search{position, cells_.cell_of(), {among, nothing}, support * support, cells},
                      counts_.owned, counts_.visible);
    neighbours_.keep_slopes(on_, position, cubic_spline(support), counts_.owned);

    Search search{position, cells_.cell_of(), {nothing, nothing}, support * support, cells};
    if (boundary_.still_count()) {
        const CellsView still = boundary_.still_cells().view();
        search.sets[0] = {rows(still_rows_, still), still.x, still.y, still.z, 0, false};
    }
    if (boundary_.moving_count()) {
        const CellsView moving = boundary_.moving_cells().view();
        search.sets[1] = {rows(moving_rows_, moving), moving.x, moving.y, moving.z, boundary_.still_count(), false};
    }
    boundary_neighbours_.build(on_, search, counts_.owned, boundary_.filler());
}

template <class Tension>
Speed MethodStep::measure_speed(const ParticleView& s, const Tension& tension, Execution::Mark start, double& seconds) {
    constexpr uint32_t values = NameFastest::values, fields = NameFastest::fields;
    on_.template max_at<values>(counts_.owned, Speeds<Tension>{s, tension}, extremes_.data());
    on_.once(NameFastest{s, extremes_.data()});
    const auto end = on_.mark();
    double found[extreme_count];
    on_.copy_out(found, extremes_.data(), extreme_count);
    seconds += on_.seconds(start, end);
    Speed speed{::sqrt(found[0]), ::sqrt(found[1]), ::sqrt(found[2]), ::sqrt(found[3]),
                !boundary_neighbours_.any() && !others_ && !has_input_[acceleration_input_] && found[4] < 1e-5};
    for (uint32_t k = 0; k < NameFastest::named; ++k) {
        const double* const each = found + 2 * values + fields * k;
        speed.at[k].rank = static_cast<uint32_t>(each[0]);
        for (int c = 0; c < 3; ++c) speed.at[k].position[c] = static_cast<float>(each[1 + c]);
        speed.at[k].body = static_cast<int32_t>(each[4]);
    }
    return speed;
}

inline Sweep MethodStep::sweep(const BodyPlacement* from, const BodyPlacement* to, uint32_t bodies, double begin,
                               double duration, double free_path) {
    const uint32_t count = boundary_.moving_count();
    if (!count || !counts_.visible) return {};
    sweep_placement_.resize(size_t(2) * bodies);
    sweep_.resize(count + lane_width);
    on_.copy_in(sweep_placement_.data(), from, bodies);
    on_.copy_in(sweep_placement_.data() + bodies, to, bodies);
    on_.for_each_item(count, SweepBoundary{cells_.view(), boundary_.moving_start(), boundary_.moving_target(),
                                           boundary_.moving_body(), sweep_placement_.data(),
                                           sweep_placement_.data() + bodies, static_cast<float>(begin),
                                           static_cast<float>(duration), static_cast<float>(free_path), sweep_.data()});
    double shortest, asking[2];
    on_.template max_to_host<1>(count, ShortestSweep{sweep_.data()}, &shortest);
    if (-shortest >= double(SweepBoundary::no_limit)) return {};
    on_.template max_to_host<2>(count, SweepingBody{sweep_.data(), static_cast<float>(-shortest)}, asking);
    return {true, -shortest, asking[0], static_cast<uint32_t>(asking[1])};
}

inline Energy MethodStep::energy(const Parameters& p) {
    if (!counts_.owned) return {};
    ParticleView s = particle_view(p, 0);
    s.now = motion_now();
    on_.template sum<4>(counts_.owned, Energies{s}, extremes_.data());
    double sums[4];
    on_.copy_out(sums, extremes_.data(), 4);
    return {sums[0], sums[1], sums[2], sums[3]};
}

inline SpeedTable MethodStep::speed_table(const Parameters& p) const {
    // Who is thrown off at `gain` times the speed goes as many times as far.
    const double reach = (1 + noted_gain_) * noted_for_;
    return {noted_.data(), noted_.data() + noted_places_, noted_places_ - 1, 16.0f * p.spacing,
            static_cast<float>(reach)};
}

inline void MethodStep::note_speeds(const Parameters& p, double duration, double gain, const BodyPlacement* now,
                                    const float* speed, uint32_t bodies) {
    noted_for_ = duration;
    noted_gain_ = gain;
    noted_places_ = 1u << 12;
    while (noted_places_ < counts_.visible / 2) noted_places_ *= 2;
    noted_.resize(noted_places_ + SpeedTable::levels);
    const SpeedTable table = speed_table(p);
    on_.for_each_item(noted_places_, ClearSpeeds{table});
    const ParticleView s = particle_view(p, 0);
    on_.for_each_item(counts_.visible, NoteParticles{table,
                                                     motion_now(),
                                                     {s.acceleration[0], s.acceleration[1], s.acceleration[2]},
                                                     static_cast<float>(duration)});
    if (!boundary_.moving_count()) return;
    sweep_placement_.resize(size_t(2) * bodies);
    body_speed_.resize(bodies);
    on_.copy_in(sweep_placement_.data(), now, bodies);
    on_.copy_in(body_speed_.data(), speed, bodies);
    on_.for_each_item(boundary_.moving_count(),
                      NoteBodies{table, boundary_.moving_start(), boundary_.moving_target(), boundary_.moving_body(),
                                 sweep_placement_.data(), body_speed_.data()});
}

inline Thrown MethodStep::thrown(const Parameters& p, double allowance) {
    if (!counts_.owned) return {};
    uint32_t* const found = work_.at<uint32_t>(culprit_mark);
    const MotionView now = motion_now();
    on_.once(StartThrown{thrown_.data()});
    on_.for_each_item(counts_.owned, FindThrown{speed_table(p), now, static_cast<float>(noted_gain_),
                                                static_cast<float>(allowance), found, thrown_.data()});
    if (!on_.read(thrown_.data()).count) return {};
    on_.for_each_item(counts_.owned, NameThrown{now.rank, found, thrown_.data()});
    const ThrownGrains of = on_.read(thrown_.data());
    float speed;
    std::memcpy(&speed, &of.speed, sizeof speed);
    return {static_cast<uint64_t>(of.count), of.rank - 1, double(speed)};
}

inline void MethodStep::upload(const StateArrays& host, ParticleCounts counts) {
    // At least one particle more than there are: it fills up short neighbour lists from out of everything's reach; and
    // room for whoever reads a lane or two past the end.
    const uint32_t padded = (counts.visible + 1 + 2 * 8 + 31) / 32 * 32;
    // Much less than there was: most of it sleeps now.
    if (padded < padded_ / 4) {
        sorted_.release();
        work_.release();
        neighbours_ = OwnNeighbours::Lists();
        boundary_neighbours_ = Neighbours();
        for (Buffer<CellRows>* rows : {&own_rows_, &still_rows_, &moving_rows_}) *rows = Buffer<CellRows>();
        padded_ = 0;
    }
    padded_ = padded > padded_ ? padded : padded_;
    counts_ = {};  // nothing, should there be no memory
    solved_ = false;
    stepped_ = true;
    sorted_.resize(padded_);
    work_.resize(padded_);
    counts_ = counts;
    cells_.work_in(work_.at<uint64_t>(cell_key), work_.at<uint32_t>(cell_source), work_.at<float>(cell_x),
                   work_.at<float>(cell_y), work_.at<float>(cell_z), padded_);

    const uint32_t count = counts_.visible;
    const StateView to = next_state();
    on_.copy_in(to.motion.position, host.position, count);
    on_.copy_in(to.motion.velocity, host.velocity, count);
    on_.copy_in(to.motion.rank, host.rank, count);
    const float* from = host.own;
    for (uint32_t a = 0; a < to.arrays; ++a) {
        for (size_t c = 0; c < to.own[a].components; ++c, from += count) {
            on_.copy_in(to.own[a].columns.data + c * padded_, from, count);
        }
    }
    on_.for_each_item(padded_ - count, Pad{sorted_.view(), count});
}

inline void MethodStep::set_inputs(const float* const* inputs) {
    for (const ArrayLayout* row = tables_.layout.inputs; row->name; ++row) {
        const int k = static_cast<int>(row - tables_.layout.inputs);
        has_input_[k] = inputs[k] != nullptr;
        if (!inputs[k]) continue;
        const size_t size = size_t(row->components) * counts_.visible;
        inputs_[k].resize(size);
        on_.copy_in(inputs_[k].data(), inputs[k], size);
    }
}

inline void MethodStep::download(const StateArrays& host) const {
    const uint32_t count = counts_.visible;
    const StateView from = stepped_ ? next_state() : sorted_.view();
    on_.copy_out(host.position, from.motion.position, count);
    on_.copy_out(host.velocity, from.motion.velocity, count);
    on_.copy_out(host.rank, from.motion.rank, count);
    float* to = host.own;
    for (uint32_t a = 0; a < from.arrays; ++a) {
        for (size_t c = 0; c < from.own[a].components; ++c, to += count) {
            on_.copy_out(to, from.own[a].columns.data + c * padded_, count);
        }
    }
    if (!solved_) return;
    to = host.results;
    const uint8_t* result = tables_.result_rows;
    for (const ArrayLayout* row = tables_.layout.results; row->name; ++row, ++result) {
        for (int c = 0; c < row->components; ++c, to += count) {
            on_.copy_out(to, work_.at<float>(*result) + size_t(c) * padded_, count);
        }
    }
    on_.copy_out(host.neighbours, neighbours_.count(), counts_.owned);
}

inline void MethodStep::reserve_bodies(uint32_t bodies) {
    pushed_ = boundary_neighbours_.any() ? bodies : 0;
    body_sums_.resize_generously(pushed_);
    impulse_.resize_generously(size_t(6) * pushed_);
}

template <class Push>
void MethodStep::push_bodies(const ParticleView& s, const Push& push, double dt) {
    if (!pushed_) return;
    on_.for_each_item(pushed_, ClearBodySums{body_sums_.data()});
    on_.for_each(counts_.owned, PushBodies<Push>{s, push, body_sums_.data(), counts_.owned});
    on_.for_each_item(6 * pushed_, BodyImpulses{body_sums_.data(), dt, impulse_.data()});
}

inline void MethodStep::read_impulses(double* impulse) {
    on_.copy_out(impulse, impulse_.data(), size_t(6) * pushed_);
}

inline void MethodStep::name_culprit(StepResult& result) {
    uint32_t* const mark = work_.at<uint32_t>(culprit_mark);
    const StateView next = next_state();
    on_.once(StartCulprit{culprit_.data()});
    on_.for_each_item(counts_.owned, MarkCulprits{next, mark});
    on_.scan(mark, counts_.owned);
    on_.for_each_item(counts_.owned, NameCulprit{next, sorted_.view().motion.rank, mark, culprit_.data()});
    const Culprit culprit = on_.read(culprit_.data());
    result.rank = culprit.rank;
    const char* const names[] = {"residual", "position", "velocity"};
    result.quantity = culprit.quantity < Culprit::own ? names[culprit.quantity]
                                                      : tables_.layout.state[culprit.quantity - Culprit::own].name;
}

inline uint64_t MethodStep::bytes() const {
    uint64_t total = sorted_.bytes() + work_.bytes() + cells_.bytes() + neighbours_.bytes() +
                     boundary_neighbours_.bytes() + own_rows_.bytes() + still_rows_.bytes() + moving_rows_.bytes() +
                     boundary_.bytes() + body_sums_.bytes() + impulse_.bytes() + sweep_placement_.bytes() +
                     sweep_.bytes() + noted_.bytes() + body_speed_.bytes() + on_.bytes();
    for (const Buffer<float>& input : inputs_) total += input.bytes();
    return total;
}

inline uint64_t MethodStep::bytes_per_particle(uint32_t neighbours) const {
    // The sorted state and the workspace; cells and their rows 16, counts 12, noted speeds 4; and per neighbour an
    // index and, where it is kept, a kernel slope, with a sixth more for blocks of unequal length and an eighth to
    // grow.
    const uint64_t arrays = sorted_.bytes_per_particle() + work_.bytes_per_particle() + 16 + 12 + 4;
    const uint64_t entry = Execution::compact_lists ? 2 : Execution::keeps_slopes ? 8 : 4;
    return arrays + uint64_t(neighbours) * entry * 21 / 16;
}

}  // namespace firn::FIRN_LANES
