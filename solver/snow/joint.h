#pragma once

// One implicit solve for stress, yield and contact. The velocity at the end of a step makes this potential least:
//
//     sum_i m_i |v_i - v*_i|^2 / 2  +  dt / tau sum_i V_i Psi_i(E_i + tau sym grad v_i),
//     no particle nearer to a surface than half a spacing,
//
// where dPsi/dE is the stress that the snow can bear. Psi is convex, so there is one such velocity; quasi_newton.h
// finds it. Every try looks at stress, surfaces and what they leave over. One that is left out costs accuracy, never
// stability: every stress is one that the snow can bear.

#include "particles/quasi_newton.h"
#include "particles/surface.h"
#include "snow/shear.h"

namespace firn::FIRN_LANES {

/// How a surface holds a particle.
struct Hold {
    /// `bonded`: a sticky surface resists that it leaves.
    static constexpr float free = 0, bonded = 0.5f, held = 1;
};

/// The surface that a particle meets: its plane, how near the particle may come, and how it starts.
struct FindSurfaces {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Real zero = splat(0.0f);
        store(s.hold + i, zero);
        store(s.drag + i, zero);
        if (s.boundary_neighbours.row(i).length == 0) return;
        const Vec3 x = xyz(load4(s.now.position + i));
        const Nearest near = nearest_boundary(s, i, x);
        // Beyond the edge of the patch that a boundary particle stands for, it is a corner: what counts is the
        // distance.
        Vec3 normal = surface_normal(s, i, x, near);
        const Vec3 away = x - near.position;
        const Real distance = sqrt(near.distance_squared), height = dot(normal, away);
        const Real aside = sqrt(max(near.distance_squared - height * height, 0.0f));
        const Mask corner = both(aside > 0.8f * s.spacing, height > 0.0f);
        normal = select(corner, (1.0f / max(distance, 1e-20f)) * away, normal);
        const Real gap = select(corner, distance, height);
        // Snow and surface are each half a spacing from their particles.
        const Mask touching = near.distance_squared < s.kernel.support_squared;
        Real slowest = select(touching, min((s.spacing - gap) / s.dt, 0.0f), -1e30f);
        // Lone flakes bounce.
        const Real arriving = dot(normal, xyz(load4(s.now.velocity + i)) - near.velocity);
        const Real predicted = dot(normal, xyz(load4(s.predicted + i)) - near.velocity);
        const Vec3 gradient = load3(s.gradient_sum, i);
        const Mask alone = dot(gradient, gradient) <= 0.0f;
        const Mask bounces = both(both(predicted < slowest, alone), arriving < -slowest_bounce(s));
        slowest = select(bounces, max(-near.bounce * arriving, slowest), slowest);
        // A first guess: what would pass if the snow were not there, is held.
        const Mask bonded = both(both(near.sticky > 0.0f, touching), gap < 1.25f * s.spacing);
        const Mask caught = both(touching, predicted < slowest);
        store(s.nearest + i, near.index);
        store4(s.surface_plane + i, with_w(normal, slowest));
        store(s.hold + i, select(caught, splat(Hold::held), select(bonded, splat(Hold::bonded), zero)));
    }
};

/// What the surface near a particle is like.
struct SurfaceAt {
    Vec3 normal;
    Real slowest;  ///< speed away from the surface that brings the particle to it
    Vec3 velocity;
    Real friction, sticky;
};

FIRN_HD SurfaceAt surface_at(const SnowView& s, uint32_t i) {
    const Vec4 plane = load4(s.surface_plane + i);
    const Index index = index_at(s.nearest + i);
    const Vec4 surface = gather4(s.boundary.surface, index);
    return {xyz(plane), plane.w, xyz(gather4(s.boundary.velocity, index)), surface.x, surface.w};
}

/// Friction and bonds resist with all they have from this speed on, and below in proportion to it; in the end, what is
/// slower stands still. m/s
FIRN_HD float slip_speed(const SnowView& s) {
    return 0.1f * s.set.parting_speed;
}

/// v = v* + dt a at the next place of the line, and what surfaces allow of it; a follows.
struct JointVelocity {
    SnowView s;
    LineVectors line;
    const SolveState* state;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        const Vec4 predicted = load4(s.predicted + i);
        Vec3 a = place_on_line(line, state, i);
        Vec3 v = xyz(predicted) + s.dt * a;
        if (s.boundary_neighbours.row(i).length > 0) {
            const SurfaceAt at = surface_at(s, i);
            const Real speed = dot(at.normal, v - at.velocity);
            Real hold = load(s.hold + i);
            hold = select(speed < at.slowest, splat(Hold::held), hold);
            store(s.hold + i, hold);
            const Vec3 held = v + (at.slowest - speed) * at.normal;
            v = select(hold > 0.75f, held, v);
            a = select(hold > 0.75f, (1.0f / s.dt) * (v - xyz(predicted)), a);
        }
        const Mask sleeps = asleep(s, i);
        v = select(sleeps, zero3(), v);
        a = select(sleeps, (-1.0f / s.dt) * xyz(predicted), a);
        store3(line.solution, i, a);
        store4(s.trial + i, with_w(v, predicted.w));
    }
};

/// W^T W of the spin in a velocity gradient. Straight steps stretch a turning body by half of it, times dt^2: the solve
/// must see that to answer with the pull that keeps the body together.
FIRN_HD Sym spin_square(const Mat& gradient) {
    const Real x = 0.5f * (gradient.z.y - gradient.y.z), y = 0.5f * (gradient.x.z - gradient.z.x),
               z = 0.5f * (gradient.y.x - gradient.x.y);
    return {y * y + z * z, -(x * y), -(x * z), x * x + z * z, -(y * z), x * x + y * y};
}

/// Nothing summed up yet.
FIRN_HD Misfit no_misfit() {
    return {zero3(), zero3(), splat(0.0f)};
}

/// Stiffness of the misfit, Pa/m^2: as an energy for each volume, k q^2 / 2.
FIRN_HD Real misfit_stiffness(const SnowView& s, uint32_t i) {
    return (s.set.hourglass / (s.spacing * s.spacing)) * load(s.shear_modulus + i);
}

/// How far neighbours may shift before they stay where they are, m. More than a tenth of the strain at which the snow
/// yields would add to its strength.
FIRN_HD Real largest_misfit(const SnowView& s, uint32_t i) {
    const Mask pressed = trace(load_sym(s.before.strain, i)) < 0.0f;
    return (0.1f * s.spacing) *
           select(pressed, s.material.theta_c.at(s.now.rank, i), s.material.theta_s.at(s.now.rank, i));
}

/// The share of a misfit that is elastic.
FIRN_HD Real elastic_misfit(const Vec3& misfit, Real largest) {
    return min(largest / max(sqrt(dot(misfit, misfit)), 1e-30f), 1.0f);
}

/// Three records for the divergence, V T in rows and V Q in their last numbers, and the particle's own share (Eq. 19,
/// as in StressOfField). `Q` is what resists the misfit, Pa/m.
FIRN_HD void store_stress(const SnowView& s, uint32_t i, const Sym& sigma, const Sym& correction, const Vec3& Q,
                          const Misfit& misfit) {
    // The adjoint of seen_whole().
    const Mat turned = matrix(sigma) + (-1.0f) * (matrix(load_sym(s.blind, i)) * sigma);
    Mat t = turned * correction;
    t += outer(Q, -(correction * misfit.offset));
    const Vec3 own = t * load3(s.gradient_sum, i) + misfit.fill * Q;
    const Real volume = load4(s.now.position + i).w;
    Float4* record = s.stress + 3 * size_t(i);
    store4<3>(record, with_w(volume * t.x, volume * Q.x));
    store4<3>(record + 1, with_w(volume * t.y, volume * Q.y));
    store4<3>(record + 2, with_w(volume * t.z, volume * Q.z));
    store3(s.own_force, i, own);
}

/// div sigma, and what resists the misfits: sum_j V_j (T_i + T_j) grad W_ij + w_ij (Q_i - Q_j).
FIRN_HD Vec3 joint_divergence(const SnowView& s, uint32_t i) {
    const Vec3 x = xyz(load4(s.now.position + i));
    Vec3 force = load3(s.own_force, i);
    const auto near = s.neighbours.row(i);
    for (uint32_t k = 0; k < near.length; ++k) {
        const Index index = near[k];
        const Vec4 j = gather4(s.now.position, index);
        const Vec4 tx = gather4<3>(s.stress, index);
        const Vec4 ty = gather4<3>(s.stress + 1, index);
        const Vec4 tz = gather4<3>(s.stress + 2, index);
        const Vec3 d = x - xyz(j);
        const Real r_squared = dot(d, d), slope = near.slope(k, s.kernel, r_squared);
        const Vec3 gradient = slope * d;
        force += Vec3{dot(xyz(tx), gradient), dot(xyz(ty), gradient), dot(xyz(tz), gradient)};
        force += ((1.0f / 3.0f) * slope * r_squared) * Vec3{tx.w, ty.w, tz.w};
    }
    return force;
}

FIRN_HD Strength strength(const SnowView& s, uint32_t i) {
    const uint32_t* rank = s.now.rank;
    const Real damage = load(s.after.damage + i), collapse = s.material.collapse.at(rank, i);
    return {s.material.poisson_ratio.at(rank, i),
            s.material.theta_c.at(rank, i) * (1.0f - collapse * damage),
            s.material.theta_s.at(rank, i) * (1.0f - damage),
            s.set.joint ? sine_of_degrees(s.material.friction_angle.at(rank, i)) : splat(1.0f),
            collapse,
            s.set.yield_by_stress};
}

/// How much of its elastic stiffness snow is taken to have where it yields. None would let a step overshoot.
constexpr float kept_stiffness = 0.5f;

/// The stress that the snow can bear at the velocity of this try.
struct JointStress {
    SnowView s;
    const SolveState* state;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        const Sym correction = load_sym(s.correction, i);
        Misfit misfit = no_misfit();
        const FieldGradient g = field_gradient(s, s.trial, i, splat(0.0f), correction, &misfit);
        const Real lag = load(s.lag + i);
        Sym strain = load_sym(s.before.strain, i) + (0.5f * lag) * twice_symmetric(g.corrected);
        strain += (lag * s.dt) * (0.5f * spin_square(g.corrected));
        const Strength limit = strength(s, i);
        const Real r = limit.nu / (1.0f - 2.0f * limit.nu);
        Sym borne = strain;
        Real left = splat(1.0f);
        const Mask yields = may_yield(strain, limit);
        if (any(yields)) {
            const Eigen e = eigen_decomposition(strain);
            const Yielded y = yielded(e.values, limit);
            borne = select(yields, compose(y.strain, e.vectors), strain);
            left = select(yields, kept_stiffness + (1.0f - kept_stiffness) * elastic_share(e.values, y), left);
        }
        const Real twice_shear = 2.0f * load(s.shear_modulus + i);
        const Sym stress = twice_shear * (borne + identity_times(r * trace(borne)));
        store(s.after.pressure + i, (-1.0f / 3.0f) * trace(stress));
        store(s.shear_lever + i, left);
        const Vec3 shifted = load3(s.before.misfit, i) + lag * misfit.rate;
        const Real elastic = elastic_misfit(shifted, largest_misfit(s, i));
        store_stress(s, i, stress, correction, (misfit_stiffness(s, i) * elastic) * shifted, misfit);
    }

    /// How much of the differences between principal strains is elastic.
    FIRN_HD static Real elastic_share(const Real (&strain)[3], const Yielded& y) {
        Real sum = splat(0.0f);
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            const Real apart = strain[a] - strain[b];
            const Mask differ = abs(apart) > 1e-9f;
            const Real share = (y.strain[a] - y.strain[b]) / select(differ, apart, 1.0f);
            sum += select(differ, min(max(share, 0.0f), 1.0f), 1.0f);
        }
        return (1.0f / 3.0f) * sum;
    }
};

/// Where a particle may move from this try.
FIRN_HD Vec3 let_move(const SnowView& s, uint32_t i, const Vec3& wanted) {
    const Vec3 a = select(asleep(s, i), zero3(), wanted);
    if (s.boundary_neighbours.row(i).length == 0) return a;
    const Real hold = load(s.hold + i);
    const Vec3 n = xyz(load4(s.surface_plane + i));
    return select(hold > 0.75f, a - dot(a, n) * n, a);
}

/// The part of a motion against a surface that it resists: along it if the particle is held, any if it is bonded.
FIRN_HD Vec3 resisted(const Vec3& normal, Real hold, const Vec3& velocity) {
    const Vec3 along = velocity - dot(velocity, normal) * normal;
    return select(hold > 0.75f, along, select(hold > 0.25f, velocity, zero3()));
}

/// M^-1 r: scaled by the diagonal of the stress, and where a surface resists by that of its resistance too.
FIRN_HD Vec3 scaled_down(const SnowView& s, uint32_t i, const Vec3& r) {
    const Real scale = s.shear_scaling ? load(s.shear_scaling + i) : splat(1.0f);
    if (s.boundary_neighbours.row(i).length == 0) return scale * r;
    const Vec3 slowed = resisted(xyz(load4(s.surface_plane + i)), load(s.hold + i), r);
    const Real rubbing = s.dt * load(s.drag + i) * scale;
    return scale * (r - (rubbing / (1.0f + rubbing)) * slowed);
}

/// r = -a + div sigma / rho and what surfaces do; the sums of a try, and those of the error and its squares.
struct JointResidual {
    SnowView s;
    LineVectors line;
    const SolveState* state;
    float still, moving;  ///< error that is allowed: m/s, and as a share of what the step changes
    int settled_from;     ///< tries after which friction stays what it was, and nobody is let go
    FIRN_HD Values<8> operator()(uint32_t i) const {
        if (state->done) return {};
        const Vec3 stress = (1.0f / load(s.density + i)) * joint_divergence(s, i);
        const Vec3 a = load3(s.after.shear_acceleration, i);
        Vec3 r = stress - a;
        const Mask sleeps = asleep(s, i);
        if (any(sleeps)) {
            const Real force = unborne(i, r), scale = s.shear_scaling ? load(s.shear_scaling + i) : splat(1.0f);
            // In stiff snow, the least motion is a large force.
            const Mask counts = s.dt * scale * force > 0.1f * s.set.sleep_speed;
            const Mask overcome = both(both(sleeps, counts), force > s.set.wake_force);
            store(s.after.calm + i, select(overcome, splat(0.0f), load(s.before.calm + i)));
        }
        r = s.boundary_neighbours.row(i).length > 0 ? with_surface(i, r) : let_move(i, r);
        store3(line.tried, i, r);
        const Values<6> tried = try_sums(*this, line, i, r);
        const Real energy = dot(r, precondition(i, r));
        const Vec3 changed = xyz(load4(s.trial + i)) - xyz(load4(s.now.velocity + i));
        // Snow on the ground does not move when it is hit: what the hit changes there is its pressure.
        const Real pressed = load(s.after.pressure + i) - load(s.before.pressure + i);
        const Real change =
            sqrt(dot(changed, changed)) + (0.3f * s.dt / (s.spacing * load(s.density + i))) * abs(pressed);
        // Errors where surfaces hold the snow are friction that is never too small, only too large.
        const float share = s.boundary_neighbours.row(i).length > 0 ? 0.3f * moving : moving;
        // Where hardly anything changes, what does is noise, and a share of it would keep it alive.
        const Real allowed = still + share * change * change / (change + s.set.parting_speed);
        const Real error = error_speed(i, r, energy);
        // What sleeps has no error.
        const Real mass = select(sleeps, splat(0.0f), weight(i));
        return {{tried.v[0], tried.v[1], tried.v[2], tried.v[3], tried.v[4], tried.v[5], mass * error,
                 mass * error * error / allowed}};
    }

    /// What is left over, beyond what the rounding of velocities leaves, as a speed: by its energy, of which a stiff
    /// body that moves as a whole shows only a small part; so by its force too.
    FIRN_HD Real error_speed(uint32_t i, const Vec3& r, Real energy) const {
        const Real square = dot(r, r), stiffness = square / max(energy, 1e-30f);
        const Vec3 v = xyz(load4(s.trial + i));
        const Real rounding = 1.5e-7f * sqrt(dot(v, v)) * stiffness;
        const Real share = 1.0f / sqrt(max(stiffness, 1.0f));
        return max(s.dt * sqrt(square) - rounding, 0.0f) * min(max(share, 0.15f), 15.0f * share);
    }

    FIRN_HD Real weight(uint32_t i) const { return particle_mass(s, i); }
    FIRN_HD Vec3 precondition(uint32_t i, const Vec3& r) const { return scaled_down(s, i, r); }
    FIRN_HD Vec3 let_move(uint32_t i, const Vec3& d) const { return FIRN_LANES::let_move(s, i, d); }

    /// The part of what is left over that no surface can bear, as an acceleration, for a particle that stands still.
    FIRN_HD Real unborne(uint32_t i, const Vec3& r) const {
        if (s.boundary_neighbours.row(i).length == 0) return sqrt(dot(r, r));
        const SurfaceAt at = surface_at(s, i);
        const Vec4 plane = load4(s.surface_plane + i);
        const Mask touching = plane.w > -1e29f;
        const Real along_normal = dot(r, at.normal), bond = strength_of_bond(i) * at.sticky;
        const Vec3 along = r - along_normal * at.normal;
        const Real sliding = sqrt(dot(along, along)) - at.friction * max(-along_normal, 0.0f) - bond;
        return select(touching, max(sliding, along_normal - bond), sqrt(dot(r, r)));
    }

    /// Decides who is let go, and leaves what a particle may still do something about.
    FIRN_HD Vec3 with_surface(uint32_t i, const Vec3& r) const {
        const SurfaceAt at = surface_at(s, i);
        const bool settled = state->iterations >= settled_from;
        Real hold = load(s.hold + i);
        // Of a held particle the surface takes whatever the snow leaves over, if it must push for that.
        const Real push = -dot(r, at.normal);
        const Real bond = strength_of_bond(i) * at.sticky;
        const Mask released = both(hold > 0.75f, push < (settled ? -1e30f : 0.0f));
        hold = select(released, select(bond > 0.0f, splat(Hold::bonded), splat(Hold::free)), hold);
        store(s.hold + i, hold);
        const Real pressed = select(hold > 0.75f, push, 0.0f);
        const Vec3 moving_on = resisted(at.normal, hold, xyz(load4(s.trial + i)) - at.velocity);
        const Real fresh = (at.friction * pressed + bond) / max(sqrt(dot(moving_on, moving_on)), slip_speed(s));
        // More than this stops anything within the step.
        const Real drag = settled ? load(s.drag + i) : min(fresh, splat(1e4f / s.dt));
        store(s.drag + i, drag);
        const Vec3 rubbed = -drag * moving_on;
        // What the snow's own forces leave over, whether or not friction has settled: so snow and body keep their
        // momentum.
        const Vec3 pushed = select(hold > 0.25f, (-particle_mass(s, i) * s.dt) * r, zero3());
        store3(s.impulse, i, select(asleep(s, i), s.dt * load3(s.before.support, i), pushed));
        return let_move(i, r + rubbed);
    }
    /// What a sticky surface holds at most, as an acceleration: the snow's own strength on a particle's face.
    FIRN_HD Real strength_of_bond(uint32_t i) const {
        const Real young = 2.0f * load(s.shear_modulus + i) * (1.0f + s.material.poisson_ratio.at(s.now.rank, i));
        return young * s.material.theta_s.at(s.now.rank, i) / (load(s.density + i) * s.spacing);
    }
};

/// How much a particle's stress answers to one neighbour's motion, from the share of its stiffness that is left.
struct JointLever {
    SnowView s;
    uint32_t count;
    FIRN_HD void operator()(uint32_t i) const {
        const Real kept = load(s.shear_lever + i), G = load(s.shear_modulus + i), first = load(s.first_lame + i);
        const Real stiffness =
            load(s.lag + i) * kept * ((4.0f / 9.0f) * G + (1.0f / 9.0f) * first) * square(load_sym(s.correction, i));
        store(s.shear_lever + i, select(below(i, count), stiffness, 0.0f));
    }
};

/// 1 / the diagonal of the stiffness, about.
struct JointScaling {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i);
        Real neighbours = splat(0.0f);
        const auto near = s.neighbours.row(i);
        for (uint32_t k = 0; k < near.length; ++k) {
            const Index index = near[k];
            const Vec4 j = gather4(s.now.position, index);
            const Vec3 d = xyz(own) - xyz(j);
            const Real r_squared = dot(d, d), slope = near.slope(k, s.kernel, r_squared);
            neighbours += gather(s.shear_lever, index) * j.w * slope * slope * r_squared;
        }
        const Vec3 sum = load_sym(s.correction, i) * load3(s.gradient_sum, i);
        const Real stiffness =
            own.w * neighbours +
            load(s.lag + i) *
                (((4.0f / 3.0f) * load(s.shear_modulus + i) + (1.0f / 3.0f) * load(s.first_lame + i)) * dot(sum, sum) +
                 misfit_stiffness(s, i));
        store(s.shear_scaling + i, 1.0f / (1.0f + (s.dt / load(s.density + i)) * stiffness));
    }
};

/// Whether the error of a try is small enough, and where to go if not.
struct JudgeTry {
    SolveState* state;
    double tolerance;
    FIRN_HD void operator()() const {
        SolveState& s = *state;
        if (s.done) return;
        // Each particle weighs as much as it errs: quiet snow elsewhere does not make the error smaller.
        s.residual = tolerance * (s.sums[6] > 0 ? s.sums[7] / s.sums[6] : 0);
        s.done = s.residual <= tolerance;
        AfterTry{state}();
    }
};

/// The velocity that the solve found, for the rest of the step. What a surface can hold stands still on it.
struct TakeVelocity {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 velocity = load4(s.trial + i);
        Vec3 v = xyz(velocity);
        if (s.boundary_neighbours.row(i).length > 0) {
            const SurfaceAt at = surface_at(s, i);
            const Vec3 way = resisted(at.normal, load(s.hold + i), v - at.velocity);
            const Mask stands = dot(way, way) <= slip_speed(s) * slip_speed(s);
            Vec3 stopped = select(both(stands, load(s.drag + i) > 0.0f), way, zero3());
            stopped = select(asleep(s, i), zero3(), stopped);
            v -= stopped;
            store3(s.impulse, i, load3(s.impulse, i) - velocity.w * stopped);
        }
        store4(s.allowed + i, with_w(v, velocity.w));
    }
};

}  // namespace firn::FIRN_LANES
