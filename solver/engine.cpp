#include "firn/engine.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "boundary_bodies.h"
#include "engine/air.h"
#include "engine/device_owner.h"
#include "engine/dormant.h"
#include "engine/energy_check.h"
#include "engine/frame_report.h"
#include "engine/misplaced.h"
#include "engine/near_boundary.h"
#include "engine/swept_bodies.h"
#include "engine/time_step.h"

namespace firn {

namespace {

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", seconds);
    return text;
}

/// Whether particles that rest under the one settings may move under the other.
bool changes_motion(const Parameters& a, const Parameters& b) {
    for (const ParameterInfo& info : parameter_table()) {
        const std::string folder = info.folder;
        if (folder != "Time" && folder != "Machine" && parameter_text(a, info) != parameter_text(b, info)) return true;
    }
    return false;
}

/// Hands the observer what a device reports between iterations.
struct Watch {
    const Observer& observer;
    const MethodInfo& method;
    double fraction;
    int substep;

    static bool go_on(void* context, int solve, int iteration) {
        const Watch& w = *static_cast<Watch*>(context);
        const char* const name = w.method.solves[static_cast<size_t>(solve)].name;
        return !w.observer || w.observer(Progress{w.fraction, w.substep, solve, iteration, name});
    }
};

}  // namespace

struct Engine::Implementation {
    const Method& method;
    Parameters given, acting;
    DeviceOwner owner;
    Dormant dormant;
    double moved = 0;      ///< no particle went farther since `dormant` has looked, m
    bool started = false;  ///< frames have been made: a body that appears now is new to the particles

    std::vector<KnownBody> bodies;
    BodyId next_body = 0;
    bool still_changed = false, moving_changed = false;
    NearBoundary near;
    uint64_t looked_at = 0;        ///< the state with which `near` was found: owner.sent()
    double travelled = 0;          ///< no particle went farther since then, and no body in whole frames, m
    double ahead = 0;              ///< as far as bodies go in this frame, unless `near` knows it, m
    bool newly_placed = true;      ///< a body was added, and nobody looked yet whether it stands in the particles
    double given_air = 0;          ///< fastest air_velocity that was uploaded, m/s
    std::vector<Float3> sampled;   ///< positions of some particles, while they are where they were uploaded
    size_t known_count = 0;        ///< particles that somebody has looked at
    std::vector<Float3> appeared;  ///< as `sampled`, of those that came since

    Implementation(const Parameters& p, const std::string& device, const std::string& method_name)
        : method(firn::method(method_name)),
          given(p),
          acting(effective(p)),
          owner(method, device, given, acting),
          dormant(method) {
        validate(p);
    }

    /// What acts: air that is different everywhere reaches particles wherever they sleep.
    void take_parameters(const Parameters& p) {
        given = p;
        acting = effective(p);
        if (given_air > 0) acting.sleep_after = 0;
    }

    KnownBody& body(BodyId wanted) {
        for (KnownBody& b : bodies) {
            if (b.id == wanted) return b;
        }
        throw Error("there is no body " + std::to_string(wanted));
    }

    /// All that bodies have; of those that are made where particles come near, what is made.
    uint64_t boundary_count() const {
        uint64_t n = 0;
        for (const KnownBody& b : bodies) n += b.body.source ? near_count(b) : b.body.position.size();
        return n;
    }

    /// Bodies are numbered by their place in the list: when it changes, all are sent again.
    void bodies_changed() { still_changed = moving_changed = true; }

    /// As a frame begins, and whenever particles or bodies may have come near others.
    void send_bodies() {
        MethodDevice& device = *owner.device();
        if (owner.take_change()) {
            bodies_changed();
            device.set_others(dormant.some_left_out());
        }
        NearBoundary::Change change{still_changed, moving_changed};
        if (change.still || change.moving || looked_at != owner.sent() || may_be_near_others()) {
            const NearBoundary::Change found = near.update(bodies, occupied_space(), acting);
            change = {change.still || found.still, change.moving || found.moving};
            looked_at = owner.sent();
            travelled = ahead = 0;
        }
        if (change.still) device.set_still(BoundaryOfBodies(bodies, false).arrays(), acting.spacing);
        if (change.moving) device.set_moving(BoundaryOfBodies(bodies, true).arrays());
        still_changed = moving_changed = false;
    }
    bool may_be_near_others() const { return travelled + ahead > 0.5 * NearBoundary::margin(acting); }
    /// As far as any body goes in the frame, m.
    double longest_travel() const {
        double longest = 0;
        for (const KnownBody& b : bodies) longest = std::max(longest, travel(b).distance);
        return longest;
    }

    OccupiedSpace occupied_space() const {
        OccupiedSpace occupied(NearBoundary::cube_width(acting));
        if (bodies.empty()) return occupied;
        constexpr uint32_t chunk = 1u << 18;
        std::vector<Float4> some(std::min(chunk, owner.staging().count()));
        for (uint32_t first = 0; first < owner.staging().count(); first += chunk) {
            const uint32_t count = std::min(chunk, owner.staging().count() - first);
            owner.device()->positions(some.data(), first, count);
            occupied.add(some.data(), count);
        }
        return occupied;
    }

    /// Between two steps, `time` seconds into the frame: the device gets what it must hold from now on. A card that is
    /// too small for it gives way to the CPU: references to the device end here.
    void look_for_sleepers(EnergyCheck& check, bool wakes_body, double time, double frame) {
        const Energy before = owner.device()->energy(acting);
        dormant.update(owner, acting, bodies, boundary_count(), wakes_body);
        check.exchange(before, owner.device()->energy(acting));
        moved = 0;
        const bool other_device = owner.is_changed();
        send_bodies();
        if (other_device) check.note_speeds(placements(bodies, time / frame), frame - time);
    }

    FrameReport advance(double frame, const Observer& observer, const FrameStart& start);
    std::string appeared_words() const { return std::string(method.info.name) + " that has appeared"; }
    /// Warns once of particles and bodies that were placed in each other.
    void check_places(std::vector<std::string>& warnings);
    /// The substeps of a frame; returns how much of it is done, s.
    void run_substeps(double frame, const Observer&, const FrameStart&, FrameReporter&, double& time);
    void arrive_all(double share);
    [[noreturn]] void fail(const StepResult&, int substep, double dt) const;
};

void Engine::Implementation::run_substeps(double frame, const Observer& observer, const FrameStart& start,
                                          FrameReporter& reporter, double& time) {
    const uint32_t body_count = static_cast<uint32_t>(bodies.size());
    const std::vector<BodyPlacement> end = placements(bodies, 1);
    const SweptBodies swept(bodies, acting, frame);
    const Particles& inputs = dormant.inputs() ? *dormant.inputs() : owner.staging().inputs();
    const double wave_speed = method.wave_speed ? method.wave_speed(acting, inputs) : 0;
    std::vector<double> impulse(6 * bodies.size());
    // The one that there is now: it may change between two steps.
    const auto device = [&]() -> MethodDevice& { return *owner.device(); };
    EnergyCheck check(bodies, acting, owner, placements(bodies, time / frame), frame, frame - time,
                      fastest_air(acting, given_air));
    const auto id_of = [&](uint32_t rank) { return owner.staging().id_of(rank); };
    const auto end_frame = [&] {
        const std::string warning = check.compare(id_of);
        if (!warning.empty()) reporter.report.warnings.push_back(warning);
    };
    int repeats = 0;
    constexpr int most_repeats = 100;
    for (int substep = start.substeps + 1;; ++substep) {
        const double remaining = frame - time;
        if (may_be_near_others()) send_bodies();
        const std::vector<BodyPlacement> now = placements(bodies, time / frame);
        device().set_air(air_at(acting, start.clock + time));
        const Speed speed = device().prepare(acting, now.data(), end.data(), body_count, remaining, reporter.seconds());
        const LongestStep longest = longest_dt(acting, speed, wave_speed, remaining, frame);
        const Sweep sweep = swept.meet(device(), time, longest.dt);
        const bool by_body = sweep.met && sweep.longest < longest.dt && acting.substeps == 0;
        double dt = choose_dt(acting, by_body ? sweep.longest : longest.dt, remaining, frame);
        StepLimit limit = by_body ? step_limit(sweep, bodies) : step_limit(longest, speed, wave_speed, bodies, id_of);
        limit.at_dt_min |= by_body && sweep.longest < acting.dt_min;
        const bool last = acting.substeps > 0 ? substep == acting.substeps : dt >= remaining * (1 - 1e-9);
        if (last) dt = remaining;
        const double next_time = last ? frame : time + dt;

        Watch watch{observer, method.info, time / frame, substep};
        const std::vector<BodyPlacement> next = placements(bodies, next_time / frame);
        device().set_air(air_at(acting, start.clock + 0.5 * (time + next_time)));
        owner.state_moves();
        std::fill(impulse.begin(), impulse.end(), 0.0);
        const StepResult result = device().step(acting, dt, next.data(), body_count, impulse.data(),
                                                Interrupt{&Watch::go_on, &watch}, reporter.seconds());
        if (result.status == StepResult::failed) fail(result, substep, dt);
        if (result.status == StepResult::interrupted) {
            reporter.report.interrupted = true;
            return;
        }
        // A step in which something stirs a body of sleeping snow is made again with that awake, until what stirs it
        // has run its whole way; or so often that it can't matter any more.
        if (result.wakes_body && dormant.some_slept() && ++repeats <= most_repeats) {
            device().take_back(acting);
            look_for_sleepers(check, true, time, frame);
            --substep;
            continue;
        }
        if (repeats > most_repeats) reporter.note_waking();
        repeats = 0;
        dormant.note(result.some_asleep);
        const double way = dt * std::max(speed.largest, result.speed);
        travelled += way;
        moved += way;
        check.add(time, dt, impulse.data());
        for (size_t k = 0; k < dormant.loads().size(); ++k) impulse[k] += dt * dormant.loads()[k];
        if (substep == start.substeps + 1) check.add_stored(device().stored_energy(acting));
        time = next_time;
        reporter.add(dt, result, speed, std::move(limit));
        if (!speed.free) reporter.check_sound(dt, wave_speed);
        reporter.check_haste(dt, speed, sweep, bodies);
        for (size_t k = 0; k < bodies.size(); ++k) bodies[k].impulses.push_back(body_impulse(dt, &impulse[6 * k]));
        if (last) return end_frame();
        if (dormant.some_left_out() && (result.some_woken || moved > Dormant::margin(acting)))
            look_for_sleepers(check, false, time, frame);
        if (observer && !observer(Progress{time / frame, substep, -1, 0, "substep"})) {
            reporter.report.interrupted = true;
            return;
        }
    }
}

void Engine::Implementation::arrive_all(double share) {
    for (KnownBody& b : bodies) {
        arrive(b, share);
        moving_changed |= b.body.motion == Motion::deforming;
    }
}

void Engine::Implementation::check_places(std::vector<std::string>& warnings) {
    if (newly_placed) {
        warnings = particles_inside(bodies, sampled, acting.spacing, acting.boundary_volume, method.info.name);
        const std::vector<std::string> copies = bodies_in_one_place(bodies, acting.spacing);
        warnings.insert(warnings.end(), copies.begin(), copies.end());
    } else {
        warnings = particles_inside(bodies, appeared, acting.spacing, acting.boundary_volume, appeared_words());
    }
    newly_placed = false;
    known_count = dormant.count(owner.staging().count());
    sampled.clear();
    appeared.clear();
}

FrameReport Engine::Implementation::advance(double frame, const Observer& observer, const FrameStart& start) {
    if (!(frame > 0) || !std::isfinite(frame)) throw Error("a frame must take longer than 0 s");
    if (!(start.time >= 0 && start.time < frame) || start.substeps < 0)
        throw Error("a frame can't go on " + std::to_string(start.time) + " s after its beginning: it takes " +
                    std::to_string(frame) + " s");
    owner.require();
    for (KnownBody& b : bodies) b.impulses.clear();
    FrameReporter reporter(method.info, acting);
    check_places(reporter.report.warnings);
    double time = start.time;
    const char* state_kept = "the state that was last uploaded or downloaded";
    try {
        owner.require_memory(owner.staging().count(), boundary_count());
        dormant.begin_frame(owner, acting, bodies, boundary_count(), start.time > 0 ? 0 : frame);
        moved = 0;
        started = true;
        owner.keep_state();
        state_kept = "the state at the start of this frame";
        const double by_bodies = ahead = longest_travel();
        send_bodies();
        run_substeps(frame, observer, start, reporter, time);
        travelled += by_bodies;
    } catch (const DeviceLost& lost) {
        for (KnownBody& b : bodies) b.impulses.clear();
        looked_at = 0;
        arrive_all(0);
        dormant.restore_frame_start(owner, acting);
        owner.lose_card(lost, state_kept);
    } catch (...) {
        looked_at = 0;
        arrive_all(time / frame);
        if (!owner.device()) dormant.restore_frame_start(owner, acting);
        throw;
    }
    dormant.end_frame();
    arrive_all(time / frame);
    reporter.report.time = time;
    reporter.report.bytes = owner.device()->bytes() + dormant.bytes();
    reporter.report.boundary = near.count();
    reporter.report.asleep = dormant.asleep();
    const std::string news = owner.take_news();
    if (!news.empty()) reporter.report.warnings.push_back(news);
    return reporter.finish();
}

void Engine::Implementation::fail(const StepResult& r, int substep, double dt) const {
    throw Error("the " + std::string(method.info.name) + " came apart in substep " + std::to_string(substep) + " (dt " +
                seconds_text(dt) + "): " + r.quantity + " of particle " +
                std::to_string(owner.staging().id_of(r.rank)) +
                " is not finite; the state before that substep is kept. Try a smaller cfl or dt_max, and check "
                "velocities and stiffness near that particle");
}

Engine::Engine(const Parameters& p, const std::string& device, const std::string& method)
    : implementation_(std::make_unique<Implementation>(p, device, method)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

void Engine::set_parameters(const Parameters& p) {
    validate(p);
    Implementation& m = *implementation_;
    const bool rescaled = p.spacing != m.given.spacing || p.rest_density != m.given.rest_density;
    const bool resized = p.spacing != m.given.spacing || p.boundary_volume != m.given.boundary_volume;
    const bool rethreaded = p.threads != m.given.threads;
    if (changes_motion(p, m.given)) m.dormant.wake_all();
    Particles state;
    if (rescaled) m.dormant.fetch(m.owner, state);
    m.take_parameters(p);
    if (rethreaded) m.owner.change_threads();
    m.owner.state_moves();
    if (rescaled) {
        m.dormant.take(state, m.acting);
        m.owner.upload(state, m.boundary_count());
    }
    if (!resized) return;
    for (KnownBody& b : m.bodies) {
        if (b.body.volume.empty() && !b.body.source)
            b.volume = boundary_volumes(b.body.position, p.spacing, p.boundary_volume);
        cut_in_bricks(b, p.spacing);
    }
    m.bodies_changed();
}

const Parameters& Engine::parameters() const {
    return implementation_->given;
}

const MethodInfo& Engine::method() const {
    return implementation_->method.info;
}

std::string Engine::device() const {
    return implementation_->owner.description();
}

std::string Engine::arithmetic() const {
    return implementation_->owner.arithmetic();
}

std::string Engine::notice() const {
    return implementation_->owner.notice();
}

BodyId Engine::add_body(const Body& body) {
    validate(body);
    Implementation& m = *implementation_;
    m.owner.require();
    m.owner.require_memory(m.owner.staging().count(), m.boundary_count() + body.position.size());
    m.bodies.push_back(known_body(m.next_body++, body, m.acting.spacing, m.acting.boundary_volume));
    m.bodies_changed();
    if (m.started) m.dormant.wake_all();
    m.newly_placed = true;
    return m.bodies.back().id;
}

void Engine::remove_body(BodyId id) {
    Implementation& m = *implementation_;
    m.body(id);
    m.bodies.erase(std::find_if(m.bodies.begin(), m.bodies.end(), [&](const KnownBody& b) { return b.id == id; }));
    m.bodies_changed();
    m.dormant.wake_all();
}

void Engine::move_body(BodyId id, const Transform& target) {
    aim(implementation_->body(id), target);
}

void Engine::move_body(BodyId id, const std::vector<Float3>& target) {
    aim(implementation_->body(id), target);
    implementation_->moving_changed = true;
}

std::vector<Float3> Engine::body_positions(BodyId id) const {
    return world_positions(implementation_->body(id));
}

const std::vector<BodyImpulse>& Engine::body_impulses(BodyId id) const {
    return implementation_->body(id).impulses;
}

BodyLoad Engine::body_load(BodyId id) const {
    return mean_load(implementation_->body(id).impulses);
}

void Engine::upload(const Particles& p) {
    Implementation& m = *implementation_;
    if (m.dormant.some_left_out() && m.owner.device()) {
        Particles now;
        m.dormant.fetch(m.owner, now);
        if (m.owner.staging().same_state(p, now)) return;
    }
    m.sampled = sampled_positions(p, 0, 200);
    // A source's flakes, a few at a time, are not worth a look at every surface in every frame.
    m.appeared.clear();
    if (p.count() > m.known_count + m.known_count / 100) m.appeared = sampled_positions(p, m.known_count, 20);
    m.given_air = 0;
    for (const Float3& u : p.air_velocity) m.given_air = std::max(m.given_air, double(std::hypot(u.x, u.y, u.z)));
    m.take_parameters(Parameters(m.given));
    m.dormant.take(p, m.acting);
    try {
        m.owner.upload(p, m.boundary_count());
    } catch (const DeviceLost& lost) {
        m.owner.forget_card(lost);
        m.owner.upload(p, m.boundary_count());
    }
}

void Engine::download(Particles& p) const {
    try {
        implementation_->dormant.fetch(implementation_->owner, p);
    } catch (const DeviceLost& lost) {
        implementation_->owner.lose_card(lost, "the state that was last uploaded or downloaded");
    }
}

uint64_t Engine::particle_count() const {
    return implementation_ ? implementation_->dormant.count(implementation_->owner.staging().count()) : 0;
}

FrameReport Engine::advance(double seconds, const Observer& observer, const FrameStart& start) {
    return implementation_->advance(seconds, observer, start);
}

MemoryEstimate Engine::estimate(uint64_t particles, uint64_t boundary) const {
    return implementation_->owner.estimate(particles, boundary);
}

void Engine::require_memory(uint64_t particles, uint64_t boundary) {
    implementation_->owner.require();
    implementation_->owner.require_memory(particles, boundary);
}

}  // namespace firn
