#pragma once

// Bodies of snow, boundaries and statistics that several tests share. SI units; floors have their surface at the height
// given, one layer of particles half a spacing below it, and snow starts half a spacing above.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "firn/body.h"
#include "firn/engine.h"
#include "firn/particles.h"

namespace scenes {

using firn::Body;
using firn::Float3;
using firn::Motion;
using firn::Particles;

constexpr double gravity = 9.81;  ///< m/s^2

// ---- vectors, in double so that statistics add no rounding of their own

struct Double3 {
    double x = 0, y = 0, z = 0;
};
inline Double3 operator+(const Double3& a, const Double3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Double3 operator-(const Double3& a, const Double3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Double3 operator*(double s, const Double3& a) {
    return {s * a.x, s * a.y, s * a.z};
}
inline double dot(const Double3& a, const Double3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline double length(const Double3& a) {
    return std::sqrt(dot(a, a));
}
inline Double3 cross(const Double3& a, const Double3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Double3 wide(const Float3& a) {
    return {a.x, a.y, a.z};
}
inline Float3 narrow(const Double3& a) {
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}

/// Rotation by |w| radians about w.
inline Double3 rotated(const Double3& a, const Double3& w) {
    const double angle = length(w);
    if (angle == 0) return a;
    const Double3 k = (1 / angle) * w;
    return std::cos(angle) * a + std::sin(angle) * cross(k, a) + ((1 - std::cos(angle)) * dot(k, a)) * k;
}

/// The same as a rigid placement, then moved by `translation`.
inline firn::Transform turn(const Double3& w, const Double3& translation = {}) {
    firn::Transform t;
    for (int c = 0; c < 3; ++c) {
        const Double3 axis = {c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0, c == 2 ? 1.0 : 0.0};
        const Double3 column = rotated(axis, w);
        t.rotation[c] = column.x;
        t.rotation[3 + c] = column.y;
        t.rotation[6 + c] = column.z;
    }
    t.translation[0] = translation.x;
    t.translation[1] = translation.y;
    t.translation[2] = translation.z;
    return t;
}

// ---- snow

/// nx x ny x nz particles, the lower corner of the snow (not of the first particle) at `corner`.
inline std::vector<Float3> lattice_box(int nx, int ny, int nz, double dx, const Double3& corner = {}) {
    std::vector<Float3> p;
    p.reserve(static_cast<size_t>(nx) * static_cast<size_t>(ny) * static_cast<size_t>(nz));
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) p.push_back(narrow(corner + dx * Double3{i + 0.5, j + 0.5, k + 0.5}));
    return p;
}

/// The lattice points within `radius` of `centre`; the lattice is symmetric about the centre.
inline std::vector<Float3> lattice_ball(double radius, double dx, const Double3& centre = {}) {
    std::vector<Float3> p;
    const int n = static_cast<int>(std::ceil(radius / dx)) + 1;
    for (int k = -n; k < n; ++k)
        for (int j = -n; j < n; ++j)
            for (int i = -n; i < n; ++i) {
                const Double3 d = dx * Double3{i + 0.5, j + 0.5, k + 0.5};
                if (dot(d, d) <= radius * radius) p.push_back(narrow(centre + d));
            }
    return p;
}

/// The points of a box that lie within `radius` of the axis x = centre.x, z = centre.z: an upright cylinder on y = 0.
inline std::vector<Float3> lattice_cylinder(double radius, double height, double dx, const Double3& centre = {}) {
    std::vector<Float3> p;
    const int n = static_cast<int>(std::ceil(radius / dx)) + 1, ny = static_cast<int>(std::lround(height / dx));
    for (int k = -n; k < n; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = -n; i < n; ++i) {
                const Double3 d = dx * Double3{i + 0.5, j + 0.5, k + 0.5};
                if (d.x * d.x + d.z * d.z <= radius * radius) p.push_back(narrow(centre + d));
            }
    return p;
}

inline Particles snow_at(std::vector<Float3> position, const Float3& velocity = {}) {
    Particles p;
    p.position = std::move(position);
    if (velocity.x != 0 || velocity.y != 0 || velocity.z != 0) p.velocity.assign(p.count(), velocity);
    return p;
}

/// Appends what two sets of particles have in common to be given: positions and velocities.
inline void append(Particles& to, const Particles& more) {
    const bool moving = !to.velocity.empty() || !more.velocity.empty();
    to.velocity.resize(moving ? to.count() : 0);
    to.position.insert(to.position.end(), more.position.begin(), more.position.end());
    to.velocity.insert(to.velocity.end(), more.velocity.begin(), more.velocity.end());
    to.velocity.resize(moving ? to.count() : 0);
}

/// After positions and velocities were appended to what an engine gave back: the rest of the new particles' state is
/// that of new snow.
inline void grow_state(Particles& p) {
    for (const firn::ParticleArray& array : firn::particle_arrays())
        if (array.role == firn::ArrayRole::state && array.components > 0 && array.size(p) > 0)
            array.resize(p, p.count());
    while (!p.id.empty() && p.id.size() < p.count()) p.id.push_back(static_cast<int64_t>(p.id.size()));
}

/// Moves every particle by up to `size` in each direction, the same every time for a given seed.
inline void jitter(std::vector<Float3>& position, double size, uint64_t seed = 1) {
    std::mt19937_64 engine(seed);
    const auto random = [&] {
        return static_cast<float>(size * (2 * std::generate_canonical<double, 53>(engine) - 1));
    };
    for (Float3& p : position) {
        p.x += random();
        p.y += random();
        p.z += random();
    }
}

// ---- boundaries

/// A horizontal square of half-width `half_width` about the origin, its upper surface at `height`.
inline Body floor_body(double half_width, double dx, double height = 0) {
    Body body;
    body.name = "floor";
    const int n = static_cast<int>(std::ceil(half_width / dx));
    for (int k = -n; k < n; ++k)
        for (int i = -n; i < n; ++i) {
            body.position.push_back(narrow({(i + 0.5) * dx, height - 0.5 * dx, (k + 0.5) * dx}));
            body.normal.push_back({0, 1, 0});
        }
    return body;
}

/// A vertical wall that faces +x, its surface at `x`, from y = `bottom` to `top`.
inline Body wall_body(double x, double half_width, double bottom, double top, double dx) {
    Body body;
    body.name = "wall";
    const int n = static_cast<int>(std::ceil(half_width / dx));
    const int rows = static_cast<int>(std::ceil((top - bottom) / dx));
    for (int k = -n; k < n; ++k)
        for (int j = 0; j < rows; ++j) {
            body.position.push_back(narrow({x - 0.5 * dx, bottom + (j + 0.5) * dx, (k + 0.5) * dx}));
            body.normal.push_back({1, 0, 0});
        }
    return body;
}

/// One layer of particles on a parallelogram: n_a by n_b points from `corner` along the edges a and b (one spacing
/// each).
inline Body sheet_body(const Double3& corner, const Double3& a, int n_a, const Double3& b, int n_b) {
    Body body;
    body.name = "sheet";
    const Double3 n = cross(a, b);
    for (int j = 0; j < n_b; ++j)
        for (int i = 0; i < n_a; ++i) {
            body.position.push_back(narrow(corner + (i + 0.5) * a + (j + 0.5) * b));
            body.normal.push_back(narrow((1 / length(n)) * n));
        }
    return body;
}

/// The same body moved by rotation and translation, for scenes that are turned as a whole.
inline Body placed(Body body, const Double3& w, const Double3& translation = {}) {
    for (Float3& p : body.position) p = narrow(rotated(wide(p), w) + translation);
    for (Float3& n : body.normal) n = narrow(rotated(wide(n), w));
    return body;
}

// ---- statistics

/// kg; the mass that the engine gives a particle.
inline double particle_mass(const firn::Parameters& p) {
    return double(p.rest_density) * p.spacing * p.spacing * p.spacing;
}

/// J, for particles of one mass (kg).
inline double kinetic_energy(const Particles& p, double mass) {
    double sum = 0;
    for (const Float3& v : p.velocity) sum += 0.5 * mass * dot(wide(v), wide(v));
    return sum;
}

inline Double3 mean(const std::vector<Float3>& values) {
    Double3 sum;
    for (const Float3& v : values) sum = sum + wide(v);
    return values.empty() ? sum : (1.0 / static_cast<double>(values.size())) * sum;
}

inline Double3 centre_of_mass(const Particles& p) {
    return mean(p.position);
}

/// kg m/s
inline Double3 momentum(const Particles& p, double mass) {
    return (mass * static_cast<double>(p.count())) * mean(p.velocity);
}

/// kg m^2/s about `pivot`.
inline Double3 angular_momentum(const Particles& p, double mass, const Double3& pivot = {}) {
    Double3 sum;
    for (size_t i = 0; i < p.count(); ++i) {
        sum = sum + mass * cross(wide(p.position[i]) - pivot, wide(p.velocity[i]));
    }
    return sum;
}

inline double largest_speed(const Particles& p) {
    double most = 0;
    for (const Float3& v : p.velocity) most = std::max(most, length(wide(v)));
    return most;
}

/// `share` 0..1 of the values lie below the result.
inline double percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const double at = share * static_cast<double>(values.size() - 1);
    const size_t low = static_cast<size_t>(at), high = std::min(low + 1, values.size() - 1);
    return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

inline std::vector<double> component(const std::vector<Float3>& values, int axis) {
    std::vector<double> c;
    c.reserve(values.size());
    for (const Float3& v : values) c.push_back(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
    return c;
}

/// Height of the highest and lowest particle, m.
inline double highest(const Particles& p) {
    return percentile(component(p.position, 1), 1);
}
inline double lowest(const Particles& p) {
    return percentile(component(p.position, 1), 0);
}

/// Particles with fewer than `few` snow neighbours after the last step (download() tells): dust.
inline size_t singles(const Particles& p, float few = 1) {
    return static_cast<size_t>(
        std::count_if(p.neighbours.begin(), p.neighbours.end(), [&](float n) { return n < few; }));
}

inline bool finite(const std::vector<Float3>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](const Float3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); });
}

/// Every array of the particles that holds floats.
inline bool finite(const Particles& particles) {
    Particles p = particles;
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        const float* data = array.data(p);
        if (!data) continue;
        const size_t floats = array.size(p) * static_cast<size_t>(array.components);
        for (size_t i = 0; i < floats; ++i) {
            if (!std::isfinite(data[i])) return false;
        }
    }
    return true;
}

}  // namespace scenes
