#include "firn/engine.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "boundary_bodies.h"
#include "devices/cpu_threads.h"
#include "devices/cuda_device.h"
#include "snow/device.h"

namespace firn {

namespace {

/// "cuda" and "cuda:2" are names of cards: -1 and 2. Throws for "cuda:" and the like.
bool names_card(const std::string& name, int& number) {
    number = -1;
    if (name == "cuda") return true;
    if (name.compare(0, 5, "cuda:") != 0) return false;
    const std::string digits = name.substr(5);
    if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) {
        throw Error("there is no device '" + name + "'; a card is cuda:0, cuda:1, ...");
    }
    number = std::stoi(digits);
    return true;
}

std::unique_ptr<SnowDevice> make_cpu(const std::string& name, int threads) {
#ifdef FIRN_HAS_LANES8
    const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    const bool wide = false;
#endif
    if (name == "cpu:8" && !wide) {
        throw Error("device cpu:8 needs a processor with AVX2 and FMA, which this is not; use cpu");
    }
#ifdef FIRN_HAS_LANES8
    if (name == "cpu:8" || (wide && (name == "auto" || name == "cpu"))) return lanes8::make_cpu(threads);
#endif
#ifdef FIRN_HAS_LANES4
    if (name == "cpu:4" || name == "auto" || name == "cpu") return lanes4::make_cpu(threads);
#endif
    if (name == "cpu:1" || name == "auto" || name == "cpu") return lanes1::make_cpu(threads);
    throw Error("there is no device '" + name + "'; use auto, cpu, cpu:8, cpu:4, cpu:1, cuda or cuda:N");
}

std::string megabytes(uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f MB", static_cast<double>(bytes) / 1e6);
    return text;
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", seconds);
    return text;
}

Float4 float4(const Float3& a, float w) {
    return {a.x, a.y, a.z, w};
}

/// The particles' ids in ascending order: rank r is host particle order[r].
std::vector<uint32_t> order_by_id(const Particles& p) {
    std::vector<uint32_t> order(p.count());
    std::iota(order.begin(), order.end(), 0u);
    if (p.id.empty()) return order;
    if (!std::is_sorted(p.id.begin(), p.id.end())) {
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return p.id[a] < p.id[b]; });
    }
    for (size_t r = 1; r < order.size(); ++r) {
        if (p.id[order[r]] == p.id[order[r - 1]]) {
            throw Error("two particles (" + std::to_string(order[r - 1]) + " and " + std::to_string(order[r]) +
                        ") have the same id " + std::to_string(p.id[order[r]]) + "; ids must be unique");
        }
    }
    return order;
}

void validate(const Particles& particles) {
    const size_t count = particles.count();
    if (count > 2000000000u) throw Error("more than 2,000,000,000 particles are not supported");
    for (const ParticleArray& array : particle_arrays()) {
        if (array.role == ArrayRole::result) continue;
        const size_t size = array.size(particles);
        if (size && size != count) {
            throw Error("there are " + std::to_string(count) + " positions but " + std::to_string(size) +
                        " values of " + array.name);
        }
        const float* data = array.data(const_cast<Particles&>(particles));
        const size_t components = static_cast<size_t>(array.components);
        for (size_t i = 0; data && i < count * components; ++i) {
            if (!std::isfinite(data[i])) {
                const size_t at = i / components;
                throw Error("particle " + std::to_string(particles.id.empty() ? int64_t(at) : particles.id[at]) + ": " +
                            array.name + " is not finite");
            }
        }
    }
    // Per-particle material has the limits of the parameter of the same name.
    for (const ParticleArray& array : particle_arrays()) {
        const ParameterInfo* info = array.role == ArrayRole::input ? find_parameter(array.name) : nullptr;
        const float* data = info ? array.data(const_cast<Particles&>(particles)) : nullptr;
        for (size_t i = 0; data && i < count; ++i) {
            if (data[i] < static_cast<float>(info->low) || data[i] > static_cast<float>(info->high)) {
                throw Error("particle " + std::to_string(particles.id.empty() ? int64_t(i) : particles.id[i]) + ": " +
                            array.name + " = " + std::to_string(data[i]) + " is out of range");
            }
        }
    }
}

/// The same numbers in everything that upload() reads.
bool same_state(const Particles& a, const Particles& b) {
    for (const ParticleArray& array : particle_arrays()) {
        if (array.role == ArrayRole::result || array.components == 0) continue;
        const size_t size = array.size(a);
        if (size != array.size(b)) return false;
        const size_t bytes = size * static_cast<size_t>(array.components) * sizeof(float);
        if (bytes && std::memcmp(array.data(const_cast<Particles&>(a)), array.data(const_cast<Particles&>(b)), bytes))
            return false;
    }
    return a.id == b.id;
}

/// The state as flat arrays in the device's order.
struct Staging {
    explicit Staging(size_t count)
        : position(count),
          velocity(count),
          strain(6 * count),
          pressure(count),
          shear(3 * count),
          rank(count),
          density(count),
          compaction(count),
          neighbours(count) {}
    std::vector<Float4> position, velocity;
    std::vector<float> strain, pressure, shear;
    std::vector<uint32_t> rank;
    std::vector<float> density, compaction;
    std::vector<uint32_t> neighbours;
    StateArrays arrays() {
        return {position.data(), velocity.data(), strain.data(),     pressure.data(),  shear.data(),
                rank.data(),     density.data(),  compaction.data(), neighbours.data()};
    }
};

}  // namespace

SnowDevice::~SnowDevice() = default;

double FrameReport::pressure_iterations() const {
    double sum = 0;
    for (const SubstepReport& s : substeps) sum += s.pressure.iterations;
    return substeps.empty() ? 0 : sum / static_cast<double>(substeps.size());
}

double FrameReport::shear_iterations() const {
    double sum = 0;
    for (const SubstepReport& s : substeps) sum += s.shear.iterations;
    return substeps.empty() ? 0 : sum / static_cast<double>(substeps.size());
}

struct Engine::Implementation {
    Parameters given, acting;
    std::string device_name;
    std::unique_ptr<SnowDevice> device;  ///< none after a card was lost, until another takes over
    bool on_card = false;
    std::string card;             ///< as its owner knows it
    std::string notice;           ///< why this is not the device that one might expect; empty = it is
    bool notice_is_news = false;  ///< belongs into the next report

    // A card may be lost with all that it holds. The host's copy of the state is that of the last upload, download or
    // start of a frame; an upload of the very same state is none.
    mutable Particles kept;
    mutable bool kept_is_current = false;

    std::vector<KnownBody> bodies;
    BodyId next_body = 0;
    bool still_changed = false, moving_changed = false;

    // What the device does not keep: the host's order and inputs.
    std::vector<uint32_t> order;  ///< host particle of each rank
    std::vector<int64_t> id;      ///< by rank; empty = the host gave none
    Particles inputs;             ///< the input arrays, by rank
    uint32_t count = 0;

    Implementation(const Parameters& p, const std::string& name) : given(p), acting(effective(p)), device_name(name) {
        int number = -1;
        if (name == "auto" || names_card(name, number)) {
            find_card(number);
        } else {
            device = make_cpu(name, p.threads);
        }
        validate(p);
    }

    bool may_use_cpu() const { return device_name == "auto"; }

    /// The card of that number; if there is none, the CPU or an error, as the host asked.
    void find_card(int number) {
        CudaAnswer answer = ask_cuda(number);
        if (answer.device >= 0) {
            try {
                device = make_cuda(answer.device);
                on_card = true;
                card = answer.text;
                return;
            } catch (const Error& error) {
                answer.text += " can't be used: " + std::string(error.what());
            }
        }
        if (!may_use_cpu()) throw Error("device " + device_name + ": " + answer.text + "; or use device = cpu");
        use_cpu(answer.text);
        notice_is_news = answer.present;
    }

    void use_cpu(const std::string& reason) {
        device = make_cpu("cpu", given.threads);
        on_card = kept_is_current = false;
        kept = Particles();
        still_changed = moving_changed = true;
        notice = "Firn runs on the CPU: " + reason;
        notice_is_news = true;
    }

    /// After a card was lost: somebody has to go on.
    void require_device() {
        if (device) return;
        if (!may_use_cpu()) throw Error(notice);
        const Particles state = std::move(kept);
        use_cpu(notice);
        upload(state);
    }

    /// The card is gone: its state is the one kept.
    [[noreturn]] void lose_card(const DeviceLost& lost, const char* state_kept) {
        device.reset();
        notice = lost.what();
        throw Error(notice + "; " + state_kept + " is kept. " +
                    (may_use_cpu() ? "Firn can go on from there on the CPU" : "Start again, or use device = cpu"));
    }

    KnownBody& body(BodyId wanted) {
        for (KnownBody& b : bodies) {
            if (b.id == wanted) return b;
        }
        throw Error("there is no body " + std::to_string(wanted));
    }

    uint64_t boundary_count() const {
        uint64_t n = 0;
        for (const KnownBody& b : bodies) n += b.body.position.size();
        return n;
    }

    MemoryEstimate estimate(uint64_t particles, uint64_t boundary) const {
        MemoryEstimate e;
        e.needed = particles * device->bytes_per_particle(40) + boundary * 260;
        e.available =
            given.memory_limit > 0 ? static_cast<uint64_t>(double(given.memory_limit) * 1e9) : device->memory_free();
        return e;
    }

    /// Throws when the scene does not fit. A card that is too small for it gives way to the CPU if the host allows it.
    void require_memory(uint64_t particles, uint64_t boundary) {
        try {
            check_memory(particles, boundary);
        } catch (const DeviceLost&) {
            throw;
        } catch (const Error& error) {
            if (!on_card || !may_use_cpu()) throw;
            Particles state;
            if (count) download(state);
            use_cpu(std::string("the scene does not fit on ") + card + ": " + error.what());
            check_memory(particles, boundary);
            if (count) upload(state);
        }
    }

    void check_memory(uint64_t particles, uint64_t boundary) const {
        const MemoryEstimate e = estimate(particles, boundary);
        // What the device holds already is not needed again.
        const uint64_t more = e.needed > device->bytes() ? e.needed - device->bytes() : 0;
        const uint64_t room = given.memory_limit > 0 ? e.available : e.available + device->bytes();
        if (more && e.needed > room) {
            throw Error(std::to_string(particles) + " snow and " + std::to_string(boundary) +
                        " boundary particles need about " + megabytes(e.needed) + ", but only " + megabytes(room) +
                        (given.memory_limit > 0 ? " are allowed by memory_limit" : " are free") +
                        "; use a larger spacing or fewer particles");
        }
    }

    void upload(const Particles& p) {
        require_device();
        if (on_card && kept_is_current && same_state(p, kept)) return;
        validate(p);
        std::vector<uint32_t> new_order = order_by_id(p);
        require_memory(p.count(), boundary_count());
        count = static_cast<uint32_t>(p.count());
        order = std::move(new_order);
        id.clear();
        for (uint32_t r = 0; r < count && !p.id.empty(); ++r) id.push_back(p.id[order[r]]);

        inputs = Particles();
        for (const ParticleArray& array : particle_arrays()) {
            if (array.role != ArrayRole::input || array.size(p) == 0) continue;
            array.resize(inputs, count);
            const float* from = array.data(const_cast<Particles&>(p));
            float* to = array.data(inputs);
            const size_t components = static_cast<size_t>(array.components);
            for (size_t r = 0; r < count; ++r) {
                // Columns: one component after the other.
                for (size_t c = 0; c < components; ++c) to[c * count + r] = from[order[r] * components + c];
            }
        }
        if (!on_card) return stage(p);
        kept = p;
        complete(kept);
        try {
            stage(p);
            kept_is_current = true;
        } catch (const Error& error) {
            // The host's state is whole, whatever the card did.
            const std::string reason = error.what();
            device.reset();
            if (!may_use_cpu()) {
                notice = reason;
                throw;
            }
            use_cpu(card + " can't take the scene: " + reason);
            stage(p);
        }
    }

    /// What download() would give of a state that was just uploaded.
    void complete(Particles& p) const {
        for (const ParticleArray& array : particle_arrays()) {
            if (array.role != ArrayRole::input && array.components && array.size(p) == 0) array.resize(p, p.count());
        }
        if (p.id.empty()) {
            p.id.resize(p.count());
            std::iota(p.id.begin(), p.id.end(), int64_t(0));
        }
    }

    void stage(const Particles& p) {
        Staging staging(count);
        const float cell = acting.spacing * acting.spacing * acting.spacing;
        for (uint32_t r = 0; r < count; ++r) {
            const uint32_t i = order[r];
            const float rho0 = inputs.rest_density.empty() ? acting.rest_density : inputs.rest_density[r];
            staging.position[r] = float4(p.position[i], 0);
            staging.velocity[r] = float4(p.velocity.empty() ? Float3{} : p.velocity[i], rho0 * cell);
            staging.rank[r] = r;
            if (!p.strain.empty()) {
                const float* from = &p.strain[i].xx;
                for (size_t c = 0; c < 6; ++c) staging.strain[c * count + r] = from[c];
            }
            if (!p.pressure.empty()) staging.pressure[r] = p.pressure[i];
            if (!p.shear_acceleration.empty()) {
                const float* from = &p.shear_acceleration[i].x;
                for (size_t c = 0; c < 3; ++c) staging.shear[c * count + r] = from[c];
            }
        }
        device->upload(staging.arrays(), count);
        const auto table = [](const std::vector<float>& a) { return a.empty() ? nullptr : a.data(); };
        device->set_inputs({table(inputs.young_modulus), table(inputs.poisson_ratio), table(inputs.hardening),
                            table(inputs.theta_c), table(inputs.theta_s), table(inputs.rest_density),
                            inputs.acceleration.empty() ? nullptr : &inputs.acceleration[0].x});
    }

    void download(Particles& p) const {
        if (!device) {
            p = kept;
            return;
        }
        fetch(p);
        if (on_card) {
            kept = p;
            kept_is_current = true;
        }
    }

    void fetch(Particles& p) const {
        Staging staging(count);
        device->download(staging.arrays());
        p.position.resize(count);
        p.velocity.resize(count);
        p.id.resize(count);
        p.strain.resize(count);
        p.pressure.resize(count);
        p.shear_acceleration.resize(count);
        p.density.resize(count);
        p.compaction.resize(count);
        p.neighbours.resize(count);
        for (uint32_t s = 0; s < count; ++s) {
            const uint32_t r = staging.rank[s], i = order[r];
            const Float4 &x = staging.position[s], &v = staging.velocity[s];
            p.position[i] = {x.x, x.y, x.z};
            p.velocity[i] = {v.x, v.y, v.z};
            p.id[i] = id.empty() ? int64_t(r) : id[r];
            for (size_t c = 0; c < 6; ++c) (&p.strain[i].xx)[c] = staging.strain[c * count + s];
            p.pressure[i] = staging.pressure[s];
            for (size_t c = 0; c < 3; ++c) (&p.shear_acceleration[i].x)[c] = staging.shear[c * count + s];
            p.density[i] = staging.density[s];
            p.compaction[i] = staging.compaction[s];
            p.neighbours[i] = static_cast<float>(staging.neighbours[s]);
        }
        // Inputs come back as they went in.
        for (const ParticleArray& array : particle_arrays()) {
            if (array.role != ArrayRole::input) continue;
            const size_t size = array.size(inputs);
            array.resize(p, size);
            const float* from = array.data(const_cast<Particles&>(inputs));
            float* to = array.data(p);
            const size_t components = static_cast<size_t>(array.components);
            for (size_t r = 0; r < size; ++r) {
                for (size_t c = 0; c < components; ++c) to[order[r] * components + c] = from[c * count + r];
            }
        }
    }

    /// Flattens the bodies that move, or those that don't, for the device.
    void send_bodies(bool moving) {
        std::vector<Float4> position, target, normal, surface;
        std::vector<uint32_t> number;
        bool deforming = false;
        for (uint32_t k = 0; k < bodies.size(); ++k) {
            const KnownBody& known = bodies[k];
            const Body& b = known.body;
            if ((b.motion != Motion::still) != moving) continue;
            deforming |= b.motion == Motion::deforming;
            for (size_t i = 0; i < b.position.size(); ++i) {
                const auto value = [&](float uniform, const std::vector<float>& each) {
                    return each.empty() ? uniform : each[i];
                };
                position.push_back(float4(b.position[i], known.volume[i]));
                target.push_back(float4(known.goal.empty() ? b.position[i] : known.goal[i], 0));
                normal.push_back(b.normal.empty() ? Float4{} : float4(b.normal[i], 1));
                surface.push_back({value(b.friction, b.particle_friction), value(b.adhesion, b.particle_adhesion),
                                   value(b.bounce, b.particle_bounce), value(b.sticky, b.particle_sticky)});
                number.push_back(k);
            }
        }
        const BoundaryArrays arrays{position.data(), deforming ? target.data() : nullptr,
                                    normal.data(),   surface.data(),
                                    number.data(),   static_cast<uint32_t>(position.size())};
        if (moving) {
            device->set_moving(arrays);
        } else {
            device->set_still(arrays, acting.spacing);
        }
    }

    std::vector<BodyPlacement> placements(double share) const {
        std::vector<BodyPlacement> all;
        for (const KnownBody& b : bodies) all.push_back(placement(b, share));
        return all;
    }

    /// The next substep, s: what the motion allows, and whole substeps to the end of the frame.
    double choose_dt(const Speed& speed, double remaining, double frame) const {
        if (acting.substeps > 0) return frame / acting.substeps;
        const double dx = acting.spacing;
        double dt = acting.dt_max;
        // What flies as one piece, free of all forces, needs no more steps than keep it from flying past something.
        if (speed.free) dt = speed.difference > 0 ? std::max(dt, 0.01 * dx / speed.difference) : remaining;
        const double relative = std::max(speed.between, speed.approach);
        if (relative > 0) dt = std::min(dt, acting.cfl * dx / relative);
        dt = std::min(dt, flight_time(acting.cfl_flight * dx, speed.largest));
        if (acting.cfl_wave > 0) dt = std::min(dt, acting.cfl_wave * dx / wave_speed());
        dt = std::max(dt, double(acting.dt_min));
        double substeps_left = std::ceil(remaining / dt * (1 - 1e-9));
        // Not below dt_min either, unless dt_max forbids to take one fewer.
        if (substeps_left > 1 && remaining / substeps_left < acting.dt_min &&
            remaining / (substeps_left - 1) <= acting.dt_max)
            --substeps_left;
        return remaining / substeps_left;
    }

    /// How long something of this speed takes to fly so far, falling all the way, s.
    double flight_time(double distance, double v) const {
        const Float3& a = acting.gravity;
        const double g = std::sqrt(double(a.x) * a.x + double(a.y) * a.y + double(a.z) * a.z);
        return 2 * distance / (v + std::sqrt(v * v + 2 * g * distance) + 1e-30);
    }

    /// Of pressure waves in the stiffest unhardened snow, m/s.
    double wave_speed() const {
        const auto extreme = [&](const std::vector<float>& each, float uniform, bool most) {
            if (each.empty()) return double(uniform);
            return double(most ? *std::max_element(each.begin(), each.end())
                               : *std::min_element(each.begin(), each.end()));
        };
        const double E = extreme(inputs.young_modulus, acting.young_modulus, true);
        const double nu = extreme(inputs.poisson_ratio, acting.poisson_ratio, true);
        const double rho = extreme(inputs.rest_density, acting.rest_density, false);
        return std::sqrt(E * (1 - nu) / ((1 + nu) * (1 - 2 * nu) * rho));
    }

    FrameReport advance(double frame, const Observer& observer, const FrameStart& start);
    [[noreturn]] void fail(const StepResult&, int substep, double dt) const;
};

/// Solves of a frame that ran out of iterations. One that ended within ten times its tolerance moved the snow by
/// nothing that shows: the report has its residual, and the user no warning.
struct Shortfall {
    int substeps = 0;
    double worst = 0;

    void note(const SolveReport& solve) {
        if (solve.converged) return;
        ++substeps;
        worst = std::max(worst, solve.residual);
    }
    void warn(FrameReport& report, const std::string& solve, double tolerance) const {
        if (!substeps || worst <= 10 * tolerance) return;
        char residual[32];
        std::snprintf(residual, sizeof residual, "%.2g", worst);
        report.warnings.push_back("the " + solve + " solve stopped at " + solve + "_iterations_max in " +
                                  std::to_string(substeps) + " of " + std::to_string(report.substeps.size()) +
                                  " substeps, at worst with a residual of " + residual +
                                  "; shorten dt_max or allow more iterations");
    }
};

FrameReport Engine::Implementation::advance(double frame, const Observer& observer, const FrameStart& start) {
    if (!(frame > 0) || !std::isfinite(frame)) throw Error("a frame must take longer than 0 s");
    if (!(start.time >= 0 && start.time < frame) || start.substeps < 0)
        throw Error("a frame can't go on " + std::to_string(start.time) + " s after its beginning: it takes " +
                    std::to_string(frame) + " s");
    require_device();

    FrameReport report;
    std::vector<double> impulse(6 * bodies.size(), 0.0);
    double time = start.time;
    Shortfall pressure_shortfall, shear_shortfall;

    struct Watch {
        const Observer& observer;
        double fraction;
        int substep;
        static bool go_on(void* context, const char* phase, int iteration) {
            const Watch& w = *static_cast<Watch*>(context);
            return !w.observer || w.observer(Progress{w.fraction, w.substep, iteration, phase});
        }
    };
    const auto finish = [&](double share) {
        const double done = time - start.time;
        for (size_t k = 0; k < bodies.size(); ++k) {
            arrive(bodies[k], share);
            moving_changed |= bodies[k].body.motion == Motion::deforming;
            for (int c = 0; c < 3; ++c) {
                bodies[k].load.force[c] = done > 0 ? impulse[6 * k + static_cast<size_t>(c)] / done : 0;
                bodies[k].load.torque[c] = done > 0 ? impulse[6 * k + 3 + static_cast<size_t>(c)] / done : 0;
            }
        }
        report.time = time;
        report.bytes = device ? device->bytes() : 0;
        if (notice_is_news) report.warnings.push_back(notice);
        notice_is_news = false;
        pressure_shortfall.warn(report, "pressure", acting.pressure_tolerance);
        shear_shortfall.warn(report, "shear", acting.shear_tolerance);
    };

    const char* state_kept = "the state that was last uploaded or downloaded";
    try {
        require_memory(count, boundary_count());
        if (on_card && !kept_is_current) {
            fetch(kept);
            kept_is_current = true;
        }
        state_kept = "the state at the start of this frame";
        if (still_changed) send_bodies(false);
        if (moving_changed) send_bodies(true);
        still_changed = moving_changed = false;
        const std::vector<BodyPlacement> end = placements(1);
        const uint32_t body_count = static_cast<uint32_t>(bodies.size());
        for (int substep = start.substeps + 1;; ++substep) {
            const double remaining = frame - time;
            const std::vector<BodyPlacement> now = placements(time / frame);
            const Speed speed = device->prepare(acting, now.data(), end.data(), body_count, remaining, report.seconds);
            double dt = choose_dt(speed, remaining, frame);
            const bool last = acting.substeps > 0 ? substep == acting.substeps : dt >= remaining * (1 - 1e-9);
            if (last) dt = remaining;
            const double next_time = last ? frame : time + dt;

            Watch watch{observer, time / frame, substep};
            const std::vector<BodyPlacement> next = placements(next_time / frame);
            kept_is_current = false;
            const StepResult result = device->step(acting, dt, next.data(), body_count, impulse.data(),
                                                   Interrupt{&Watch::go_on, &watch}, report.seconds);
            if (result.status == StepResult::failed) fail(result, substep, dt);
            if (result.status == StepResult::interrupted) {
                report.interrupted = true;
                break;
            }
            time = next_time;
            report.substeps.push_back(
                {dt, result.pressure, result.shear, result.speed, std::max(speed.between, speed.approach)});
            pressure_shortfall.note(result.pressure);
            shear_shortfall.note(result.shear);
            if (last) break;
            if (observer && !observer(Progress{time / frame, substep, 0, "substep"})) {
                report.interrupted = true;
                break;
            }
        }
    } catch (const DeviceLost& lost) {
        time = start.time;
        finish(0);
        lose_card(lost, state_kept);
    } catch (...) {
        finish(time / frame);
        throw;
    }
    finish(time / frame);
    return report;
}

void Engine::Implementation::fail(const StepResult& r, int substep, double dt) const {
    const int64_t culprit = id.empty() ? int64_t(order.empty() ? 0 : order[r.rank]) : id[r.rank];
    throw Error(
        "the snow came apart in substep " + std::to_string(substep) + " (dt " + seconds_text(dt) + "): " + r.quantity +
        " of particle " + std::to_string(culprit) +
        " is not finite; the state before that substep is kept. Try a smaller cfl or dt_max, and check velocities and "
        "stiffness near that particle");
}

Engine::Engine(const Parameters& p, const std::string& device)
    : implementation_(std::make_unique<Implementation>(p, device)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

void Engine::set_parameters(const Parameters& p) {
    validate(p);
    Implementation& m = *implementation_;
    const bool rescaled = p.spacing != m.given.spacing || p.rest_density != m.given.rest_density;
    const bool resized = p.spacing != m.given.spacing || p.boundary_volume != m.given.boundary_volume;
    const bool rethreaded = p.threads != m.given.threads && m.device && !m.on_card;
    Particles state;
    if (rescaled || rethreaded) m.download(state);
    m.given = p;
    m.acting = effective(p);
    if (rethreaded) {
        m.device = make_cpu(m.device_name == "auto" ? "cpu" : m.device_name, p.threads);
        m.still_changed = m.moving_changed = true;
    }
    m.kept_is_current = false;
    if (rescaled || rethreaded) m.upload(state);
    for (KnownBody& b : m.bodies) {
        if (resized && b.body.volume.empty())
            b.volume = boundary_volumes(b.body.position, p.spacing, p.boundary_volume);
        if (resized) m.still_changed = m.moving_changed = true;
    }
}

const Parameters& Engine::parameters() const {
    return implementation_->given;
}

std::string Engine::device() const {
    if (!implementation_->device) return "none: " + implementation_->notice;
    if (implementation_->on_card) return implementation_->card;
    const SnowDevice& d = *implementation_->device;
    const int lanes = d.lanes();
    return "cpu, " + std::to_string(lanes) +
           (lanes == 8   ? " lanes (AVX2, FMA), "
            : lanes == 4 ? " lanes (SSE2), "
                         : " lane, ") +
           std::to_string(d.threads()) + (d.threads() == 1 ? " thread" : " threads");
}

std::string Engine::notice() const {
    return implementation_->notice;
}

BodyId Engine::add_body(const Body& body) {
    validate(body);
    Implementation& m = *implementation_;
    m.require_memory(m.count, m.boundary_count() + body.position.size());
    KnownBody known{m.next_body++, body, body.volume, {0, 0, 0}, body.placement, body.placement, {}, {}};
    if (known.volume.empty())
        known.volume = boundary_volumes(body.position, m.acting.spacing, m.acting.boundary_volume);
    for (const Float3& p : body.position) {
        const double n = static_cast<double>(body.position.size());
        known.pivot[0] += p.x / n;
        known.pivot[1] += p.y / n;
        known.pivot[2] += p.z / n;
    }
    m.bodies.push_back(std::move(known));
    // Bodies are numbered by their place in the list: all are sent again.
    m.still_changed = m.moving_changed = true;
    return m.bodies.back().id;
}

void Engine::remove_body(BodyId id) {
    Implementation& m = *implementation_;
    m.body(id);
    m.bodies.erase(std::find_if(m.bodies.begin(), m.bodies.end(), [&](const KnownBody& b) { return b.id == id; }));
    m.still_changed = m.moving_changed = true;
}

void Engine::move_body(BodyId id, const Transform& target) {
    KnownBody& b = implementation_->body(id);
    if (b.body.motion != Motion::rigid) {
        throw Error("body '" + b.body.name + "' can't be moved by a transform: it was not added as rigid");
    }
    validate(target, b.body.name);
    b.target = target;
}

void Engine::move_body(BodyId id, const std::vector<Float3>& target) {
    KnownBody& b = implementation_->body(id);
    if (b.body.motion != Motion::deforming) {
        throw Error("body '" + b.body.name + "' can't be moved by positions: it was not added as deforming");
    }
    if (target.size() != b.body.position.size()) {
        throw Error("body '" + b.body.name + "' has " + std::to_string(b.body.position.size()) + " particles but " +
                    std::to_string(target.size()) + " new positions");
    }
    for (size_t i = 0; i < target.size(); ++i) {
        if (!std::isfinite(target[i].x) || !std::isfinite(target[i].y) || !std::isfinite(target[i].z)) {
            throw Error("body '" + b.body.name + "': new position of particle " + std::to_string(i) + " is not finite");
        }
    }
    b.goal = target;
    implementation_->moving_changed = true;
}

std::vector<Float3> Engine::body_positions(BodyId id) const {
    return world_positions(implementation_->body(id));
}

BodyLoad Engine::body_load(BodyId id) const {
    return implementation_->body(id).load;
}

void Engine::upload(const Particles& p) {
    Implementation& m = *implementation_;
    try {
        m.upload(p);
    } catch (const DeviceLost& lost) {
        m.device.reset();
        m.notice = lost.what();
        m.upload(p);
    }
}

void Engine::download(Particles& p) const {
    try {
        implementation_->download(p);
    } catch (const DeviceLost& lost) {
        implementation_->lose_card(lost, "the state that was last uploaded or downloaded");
    }
}

uint64_t Engine::particle_count() const {
    return implementation_->count;
}

FrameReport Engine::advance(double seconds, const Observer& observer, const FrameStart& start) {
    return implementation_->advance(seconds, observer, start);
}

MemoryEstimate Engine::estimate(uint64_t particles, uint64_t boundary) const {
    return implementation_->estimate(particles, boundary);
}

}  // namespace firn
