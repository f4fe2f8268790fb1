#include "engine/misplaced.h"

#include <algorithm>
#include <cmath>

#include "firn/rigid_transform.h"

namespace firn {

namespace {

/// A closed surface is seen under the whole solid angle from within, and under none from outside; half of it below a
/// wide floor.
constexpr double least_share = 0.75;

struct Surface {
    std::vector<Float3> position, normal;  ///< in the world
    std::vector<double> area;              ///< m^2
};

Surface surface_of(const KnownBody& b, float spacing, float phi) {
    Surface s{world_positions(b), b.body.normal, {}};
    if (b.body.motion == Motion::rigid)
        for (Float3& n : s.normal) n = turned(b.now, n);
    // V_b = phi / sum W, and over a layer of one particle for each area A the sum is the integral of W over the plane,
    // 7/10 (2 / H) / A for the cubic spline of support H = 2 h. What the particle itself adds to it is in there.
    for (const float volume : b.volume) s.area.push_back(0.7 * volume / (phi * spacing));
    return s;
}

/// The share of the solid angle under which the surface's inner side is seen; 0 nearer than a spacing.
double share_inside(const Surface& s, const Float3& x, double spacing) {
    double sum = 0;
    for (size_t k = 0; k < s.position.size(); ++k) {
        const double d[3] = {double(s.position[k].x) - x.x, double(s.position[k].y) - x.y,
                             double(s.position[k].z) - x.z};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (r2 < spacing * spacing) return 0;
        const Float3& n = s.normal[k];
        sum += s.area[k] * (d[0] * n.x + d[1] * n.y + d[2] * n.z) / (r2 * std::sqrt(r2));
    }
    return sum / (4 * 3.14159265358979323846);
}

}  // namespace

std::vector<Float3> sampled_positions(const Particles& p, size_t first, size_t most) {
    const size_t stride = std::max<size_t>(1, (p.count() - first) / most);
    std::vector<Float3> sampled;
    for (size_t i = first + stride / 2; i < p.count(); i += stride) sampled.push_back(p.position[i]);
    return sampled;
}

std::vector<std::string> particles_inside(const std::vector<KnownBody>& bodies, const std::vector<Float3>& sampled,
                                          float spacing, float phi, const std::string& what) {
    std::vector<std::string> warnings;
    for (const KnownBody& b : bodies) {
        if (b.body.normal.empty() || sampled.empty()) continue;
        const Surface surface = surface_of(b, spacing, phi);
        const auto inside = std::count_if(sampled.begin(), sampled.end(), [&](const Float3& x) {
            return share_inside(surface, x, spacing) > least_share;
        });
        if (!inside) continue;
        const auto percent = std::max<long>(1, std::lround(100.0 * double(inside) / double(sampled.size())));
        warnings.push_back("about " + std::to_string(percent) + " % of the " + what + " is inside body '" +
                           b.body.name +
                           "', where it can't move sensibly; move one of them, or invert a body that is "
                           "meant to hold it");
    }
    return warnings;
}

std::vector<std::string> bodies_in_one_place(const std::vector<KnownBody>& bodies, float spacing) {
    std::vector<std::string> warnings;
    const double near = 0.01 * spacing;
    const auto same = [&](const Float3& a, const Float3& b) {
        return std::abs(a.x - b.x) < near && std::abs(a.y - b.y) < near && std::abs(a.z - b.z) < near;
    };
    std::vector<Float3> first;  ///< particle of each
    for (const KnownBody& b : bodies)
        first.push_back(b.body.position.empty() ? Float3{} : apply_transform(b.now, b.body.position[0]));
    for (size_t k = 1; k < bodies.size(); ++k) {
        for (size_t j = 0; j < k; ++j) {
            const Body &a = bodies[j].body, &b = bodies[k].body;
            if (b.position.empty() || a.position.size() != b.position.size() || !same(first[j], first[k])) continue;
            const std::vector<Float3> here = world_positions(bodies[k]), there = world_positions(bodies[j]);
            if (!std::equal(here.begin(), here.end(), there.begin(), same)) continue;
            warnings.push_back("bodies '" + a.name + "' and '" + b.name +
                               "' are in the same place and push the snow twice; remove one");
            break;
        }
    }
    return warnings;
}

}  // namespace firn
