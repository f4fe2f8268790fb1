#pragma once

// One implicit solve for stress, yield and contact. The velocity at the end of a step makes this potential least:
//
//     sum_i m_i |v_i - v*_i|^2 / 2  +  dt / tau sum_i V_i Psi_i(E_i + tau sym grad v_i),
//     no particle nearer to a surface than half a spacing,
//
// where dPsi/dE is the stress that the snow can bear. Psi is convex, so there is one such velocity, and Newton's method
// finds it: a few passes of stress, residual and surfaces, each followed by conjugate gradients with the tangent of the
// stress. A pass that is left out costs accuracy, never stability: every stress is one that the snow can bear.

#include "particles/krylov.h"
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

/// v = v* + dt a, and what surfaces allow of it; a follows.
struct JointVelocity {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 predicted = load4(s.predicted + i);
        Vec3 a = load3(s.after.shear_acceleration, i);
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
            store3(s.after.shear_acceleration, i, a);
        }
        const Mask sleeps = asleep(s, i);
        if (any(sleeps)) {
            v = select(sleeps, zero3(), v);
            store3(s.after.shear_acceleration, i, select(sleeps, (-1.0f / s.dt) * xyz(predicted), a));
        }
        store4(s.trial + i, with_w(v, predicted.w));
    }
};

/// How stress answers to strain in one particle: principal axes, and by how much each pair of them has yielded.
struct Tangent {
    Vec3 axis[3];
    Real firm[3];   ///< 1 = the axis has not yielded
    Real slip;      ///< no axes slip against each other: 0; all but axis k: k + 1; all: 4
    Real share[3];  ///< of the shear modulus between axes 1-2, 0-2, 0-1
    Real misfit;    ///< of the stiffness against motion that gradients can't see
    Real kept;      ///< of the elastic stiffness where it yields
};

/// What is kept of the stiffness in directions that yield: with little, most passes overshoot somewhere and are cut
/// short everywhere; with much, snow that flows comes near its velocity only by small steps. So it starts firm, and is
/// a quarter of that with every pass that finds the same directions yielding, down to about twice the inertia.
constexpr float firmest = 0.5f, softest = 0.02f;

/// The share of the elastic stiffness that resists a pass like twice the inertia of a particle.
FIRN_HD Real least_kept(const SnowView& s, uint32_t i, Real lag_stiffness) {
    const Real inertia = load(s.density + i) * s.spacing * s.spacing;
    return min(max(2.0f * inertia / (s.dt * lag_stiffness), softest), 0.5f * firmest);
}

/// Which axes have not yielded, as a number from 0 to 7, and eight times which slip.
FIRN_HD Real yield_code(const Tangent& t) {
    return t.firm[0] + 2.0f * t.firm[1] + 4.0f * t.firm[2] + 8.0f * t.slip;
}

/// What slipping axes have in common: the mean of two of them, or of all.
FIRN_HD void level_axes(Real slip, Real (&along)[3]) {
    const Real mean = (1.0f / 3.0f) * (along[0] + along[1] + along[2]);
    for (int k = 0; k < 3; ++k) along[k] = select(slip > 3.5f, mean, along[k]);
    for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const Mask these = abs(slip - float(k + 1)) < 0.5f;
        const Real half = 0.5f * (along[a] + along[b]);
        along[a] = select(these, half, along[a]);
        along[b] = select(these, half, along[b]);
    }
}

FIRN_HD void store_tangent(const SnowView& s, uint32_t i, const Tangent& t) {
    Float4* record = s.tangent + 3 * size_t(i);
    store4<3>(record, with_w(t.axis[0], t.share[0]));
    store4<3>(record + 1, with_w(t.axis[1], t.share[1]));
    store4<3>(record + 2, {t.share[2], yield_code(t), t.misfit, t.kept});
}

/// A strain that the tangent turns into stress over 2 G; r = nu / (1 - 2 nu).
FIRN_HD Sym tangent_stress(const SnowView& s, uint32_t i, const Sym& strain, Real r) {
    const Float4* record = s.tangent + 3 * size_t(i);
    const Vec4 last = load4<3>(record + 2);
    const Sym elastic = strain + identity_times(r * trace(strain));
    if (!any(abs(last.y - 7.0f) > 0.5f)) return elastic;
    const Vec4 first = load4<3>(record), second = load4<3>(record + 1);
    const Vec3 p = xyz(first), q = xyz(second), n = cross(p, q);
    const Real zero = splat(0.0f), one = splat(1.0f);
    Real slip = zero;
    for (int k = 1; k <= 4; ++k) slip += select(last.y > float(8 * k) - 0.5f, one, zero);
    const Real code = last.y - 8.0f * slip;
    const Real firm2 = select(code > 3.5f, one, zero), rest = code - 4.0f * firm2;
    const Real firm1 = select(rest > 1.5f, one, zero), firm0 = rest - 2.0f * firm1;
    const Vec3 sp = strain * p, sq = strain * q, sn = strain * n;
    // Before and after the rest, so that the whole stays symmetric.
    Real along[3] = {dot(p, sp), dot(q, sq), dot(n, sn)};
    level_axes(slip, along);
    const Real e0 = along[0], e1 = along[1], e2 = along[2];
    const Real soft = 3.0f - firm0 - firm1 - firm2;
    const Real mean = r * (firm0 * e0 + firm1 * e1 + firm2 * e2) / (1.0f + soft * r);
    Real answer[3] = {firm0 * (e0 + mean), firm1 * (e1 + mean), firm2 * (e2 + mean)};
    level_axes(slip, answer);
    const Real d0 = answer[0], d1 = answer[1], d2 = answer[2];
    const Real s12 = first.w * dot(q, sn), s02 = second.w * dot(p, sn), s01 = last.x * dot(p, sq);
    // sum_ab stress_ab axis_a axis_b^T
    const Vec3 row_p = d0 * p + s01 * q + s02 * n, row_q = s01 * p + d1 * q + s12 * n,
               row_n = s02 * p + s12 * q + d2 * n;
    const Sym yielding = {p.x * row_p.x + q.x * row_q.x + n.x * row_n.x, p.x * row_p.y + q.x * row_q.y + n.x * row_n.y,
                          p.x * row_p.z + q.x * row_q.z + n.x * row_n.z, p.y * row_p.y + q.y * row_q.y + n.y * row_n.y,
                          p.y * row_p.z + q.y * row_q.z + n.y * row_n.z, p.z * row_p.z + q.z * row_q.z + n.z * row_n.z};
    return last.w * elastic + (1.0f - last.w) * yielding;
}

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
    return {s.material.poisson_ratio.at(s.now.rank, i), s.material.theta_c.at(s.now.rank, i),
            s.material.theta_s.at(s.now.rank, i) * (1.0f - load(s.after.damage + i)),
            s.set.joint ? sine_of_degrees(s.material.friction_angle.at(s.now.rank, i)) : splat(1.0f),
            s.set.yield_by_stress};
}

/// Which axes slip. One that is at a limit besides takes its partner along: neither has any stiffness left.
FIRN_HD void set_slip(Tangent& t, const Yielded& y) {
    const Real zero = splat(0.0f), one = splat(1.0f);
    Real slips[3], firm = one, count = zero;
    for (int k = 0; k < 3; ++k) {
        slips[k] = select(abs(y.slipped[k]) > 0.0f, one, zero);
        count += slips[k];
        firm = firm * (1.0f - slips[k] * (1.0f - t.firm[k]));
    }
    t.slip = zero;
    for (int k = 0; k < 3; ++k) {
        t.firm[k] = select(both(slips[k] > 0.5f, firm < 0.5f), zero, t.firm[k]);
        t.slip += select(both(count > 1.5f, slips[k] < 0.5f), splat(float(k + 1)), zero);
    }
    t.slip = select(count > 2.5f, splat(4.0f), t.slip);
    t.slip = select(firm < 0.5f, zero, t.slip);
}

/// The stress that the snow can bear at the velocity of this pass, and its tangent.
struct JointStress {
    SnowView s;
    float softened;  ///< what yields as before is less firm by this factor; 0 = there is no tangent yet
    FIRN_HD void operator()(uint32_t i) const {
        const Sym correction = load_sym(s.correction, i);
        Misfit misfit = no_misfit();
        const FieldGradient g = field_gradient(s, s.trial, i, splat(0.0f), correction, &misfit);
        const Real lag = load(s.lag + i);
        Sym strain = load_sym(s.before.strain, i) + (0.5f * lag) * twice_symmetric(g.corrected);
        strain += (lag * s.dt) * (0.5f * spin_square(g.corrected));
        const Eigen e = eigen_decomposition(strain);
        const Strength limit = strength(s, i);
        const Yielded y = yielded(e.values, limit);
        const Real r = limit.nu / (1.0f - 2.0f * limit.nu), mean = r * (y.strain[0] + y.strain[1] + y.strain[2]);
        const Real twice_shear = 2.0f * load(s.shear_modulus + i);
        const Real zero = splat(0.0f), one = splat(1.0f);
        Tangent t;
        Real stress[3];
        for (int k = 0; k < 3; ++k) {
            stress[k] = twice_shear * (y.strain[k] + mean);
            t.axis[k] = e.vectors[k];
            t.firm[k] = select(abs(y.plastic[k]) > 0.0f, zero, one);
        }
        set_slip(t, y);
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            const Real apart = e.values[a] - e.values[b], kept = y.strain[a] - y.strain[b];
            const Real same = t.firm[a] * t.firm[b];
            const Real share = select(abs(apart) > 1e-9f, kept / select(abs(apart) > 1e-9f, apart, 1.0f), same);
            t.share[k] = min(max(share, 0.0f), 1.0f);
        }
        const Vec3 shifted = load3(s.before.misfit, i) + lag * misfit.rate;
        t.misfit = elastic_misfit(shifted, largest_misfit(s, i));
        t.kept = splat(firmest);
        if (softened > 0) {
            const Vec4 last = load4<3>(s.tangent + 3 * size_t(i) + 2);
            const Real least = least_kept(s, i, lag * twice_shear);
            const Mask goes_on = abs(last.y - yield_code(t)) < 0.5f;
            t.kept = select(goes_on, max(softened * last.w, least), t.kept);
        }
        // A left-handed set of axes would turn the third one round, which changes nothing but the signs of two shears
        // that cancel.
        store_tangent(s, i, t);
        store(s.after.pressure + i, (-1.0f / 3.0f) * (stress[0] + stress[1] + stress[2]));
        store_stress(s, i, compose(stress, e.vectors), correction, (misfit_stiffness(s, i) * t.misfit) * shifted,
                     misfit);
    }
};

/// Where a particle may move in this pass.
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

/// r = -a + div sigma / rho and what surfaces do; sums of |r|^2, r . M^-1 r, r . d, and of the error's squares.
struct JointResidual {
    SnowView s;
    Columns residual;
    Columns step;         ///< d, the last pass's
    float still, moving;  ///< error that is allowed: m/s, and as a share of what the step changes
    bool settled;         ///< friction stays what it was, and nobody is let go: who is held hardly changes any more
    FIRN_HD Values<5> operator()(uint32_t i) const {
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
        r = s.boundary_neighbours.row(i).length > 0 ? with_surface(i, r) : let_move(s, i, r);
        store3(residual, i, r);
        // What sleeps has no error.
        const Real weight = select(sleeps, splat(0.0f), particle_mass(s, i));
        const Real energy = dot(r, scaled_down(s, i, r));
        // The square root of the energy that is left over, as a speed, over what is allowed.
        const Vec3 changed = xyz(load4(s.trial + i)) - xyz(load4(s.now.velocity + i));
        // Snow on the ground does not move when it is hit: what the hit changes there is its pressure.
        const Real pressed = load(s.after.pressure + i) - load(s.before.pressure + i);
        const Real change =
            sqrt(dot(changed, changed)) + (0.3f * s.dt / (s.spacing * load(s.density + i))) * abs(pressed);
        // Errors where surfaces hold the snow are friction that is never too small, only too large.
        const float share = s.boundary_neighbours.row(i).length > 0 ? 0.3f * moving : moving;
        // Where hardly anything changes, what does is noise, and a share of it would keep it alive.
        const Real allowed = still + share * change * change / (change + s.set.parting_speed);
        const Real error = s.dt * sqrt(max(energy, 0.0f));
        return {{weight * dot(r, r), weight * energy, weight * dot(r, load3(step, i)), weight * error,
                 weight * error * error / allowed}};
    }

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
        return let_move(s, i, r + rubbed);
    }
    /// What a sticky surface holds at most, as an acceleration: the snow's own strength on a particle's face.
    FIRN_HD Real strength_of_bond(uint32_t i) const {
        const Real young = 2.0f * load(s.shear_modulus + i) * (1.0f + s.material.poisson_ratio.at(s.now.rank, i));
        return young * s.material.theta_s.at(s.now.rank, i) / (load(s.density + i) * s.spacing);
    }
};

/// How much a particle's stress answers to one neighbour's motion.
struct JointLever {
    SnowView s;
    uint32_t count;
    FIRN_HD void operator()(uint32_t i) const {
        const Float4* record = s.tangent + 3 * size_t(i);
        const Vec4 last = load4<3>(record + 2);
        const Real firm = (1.0f / 3.0f) * (load4<3>(record).w + load4<3>(record + 1).w + last.x);
        const Real kept = last.w + (1.0f - last.w) * firm;
        const Real lag = load(s.lag + i), G = kept * load(s.shear_modulus + i), first = kept * load(s.first_lame + i);
        const Real stiffness = lag * ((4.0f / 9.0f) * G + (1.0f / 9.0f) * first) * square(load_sym(s.correction, i));
        store(s.shear_lever + i, select(below(i, count), stiffness, 0.0f));
    }
};

/// 1 / the diagonal of the operator, about.
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

struct JointTangentOfField {
    SnowView s;
    const SolveState* state;
    const Float4* field;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        const Sym correction = load_sym(s.correction, i);
        Misfit misfit = no_misfit();
        const FieldGradient g = field_gradient(s, field, i, splat(0.0f), correction, &misfit);
        const Real ahead = s.dt * load(s.lag + i);
        const Sym strain = (0.5f * ahead) * twice_symmetric(g.corrected);
        const Real twice_shear = 2.0f * load(s.shear_modulus + i);
        const Real r = load(s.first_lame + i) / max(twice_shear, 1e-20f);
        const Vec4 last = load4<3>(s.tangent + 3 * size_t(i) + 2);
        const Real kept = max(last.z, last.w);
        store_stress(s, i, twice_shear * tangent_stress(s, i, strain, r), correction,
                     (ahead * kept * misfit_stiffness(s, i)) * misfit.rate, misfit);
    }
};

/// The left-hand side of a pass, A d = d - div sigma(dt tau sym grad d) / rho with the tangent, where particles may
/// move.
struct JointOperator {
    SnowView s;

    void ready(Execution& on, uint32_t count, const Float4* field, const SolveState* state) const {
        on.for_each(count, JointTangentOfField{s, state, field});
    }
    FIRN_HD Vec3 product(const Float4* field, uint32_t i) const {
        const Vec3 p = xyz(load4(field + i));
        const Vec3 free = p - (1.0f / load(s.density + i)) * joint_divergence(s, i);
        if (s.boundary_neighbours.row(i).length == 0) return let_move(s, i, free);
        return let_move(s, i, free + dragged(i, p));
    }
    FIRN_HD Real weight(uint32_t i) const { return particle_mass(s, i); }
    FIRN_HD Vec3 precondition(uint32_t i, const Vec3& r) const { return scaled_down(s, i, r); }

    /// The tangent of friction and bonds: what slides is resisted across its way, along it hardly any more.
    FIRN_HD Vec3 dragged(uint32_t i, const Vec3& p) const {
        const SurfaceAt at = surface_at(s, i);
        const Real hold = load(s.hold + i);
        const Vec3 way = resisted(at.normal, hold, xyz(load4(s.trial + i)) - at.velocity);
        const Vec3 change = resisted(at.normal, hold, p);
        const Real speed_squared = dot(way, way);
        const Real kept = select(speed_squared > slip_speed(s) * slip_speed(s), splat(1.0f - firmest), splat(0.0f));
        return (s.dt * load(s.drag + i)) * (change - (kept * dot(change, way) / max(speed_squared, 1e-20f)) * way);
    }
};

/// Before a pass's conjugate gradients: nothing found yet.
struct ClearStep {
    Columns step;
    FIRN_HD void operator()(uint32_t i) const { store3(step, i, zero3()); }
};

/// a += share d
struct TakeStep {
    SnowView s;
    Columns step;
    float share;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec3 d = load3(step, i);
        store3(s.after.shear_acceleration, i, load3(s.after.shear_acceleration, i) + share * d);
    }
};

/// The sums of a residual: is it small enough, and how small must the next pass make it?
struct BeginPass {
    KrylovProgress at;
    FIRN_HD void operator()() const {
        SolveState& s = *at.state;
        s.scale = s.sums[0];
        s.rho = s.sums[1];
        s.progress = 0;
        s.goal = 0.4;
        // Each particle weighs as much as it errs: quiet snow elsewhere does not make the error smaller.
        s.residual = at.tolerance * (s.sums[3] > 0 ? s.sums[4] / s.sums[3] : 0);
        s.done = s.residual <= at.tolerance;
        if (!at.finite(s.sums[0])) s.failed = s.done = 1;
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
