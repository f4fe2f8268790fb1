#include "thin_colliders.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "colliders.h"
#include "float3.h"
#include "placement.h"

namespace firn {

namespace {

// Plates of 0.01 to 3 spacings, driven through a wall of snow at 0.5 to 200 m/s: at 1.1 spacings some of it is left
// behind, at 1.2 none; nor at 1 m/s, however thin the plate.
constexpr double thick_enough = 1.25;  ///< spacings
constexpr double slow_enough = 1;      ///< m/s
constexpr double least_share = 0.2;    ///< of the surface: a seam or a lace is not worth a warning
constexpr double most_rays = 96, least_rays = 12;
constexpr int most_frames = 200;
constexpr float near_corner = 0.8f;  ///< where the fastest places of what turns are

/// A place on the surface.
struct Site {
    size_t triangle;
    float share[3];  ///< of its corners
    double area;     ///< that it stands for, m^2
    double thickness;
};

Float3 place(const Mesh& mesh, const Site& site) {
    const auto& t = mesh.triangles[site.triangle];
    return site.share[0] * mesh.points[t[0]] + site.share[1] * mesh.points[t[1]] + site.share[2] * mesh.points[t[2]];
}

/// As long as twice the area, outward.
Float3 normal(const Mesh& mesh, size_t triangle) {
    const auto& [a, b, c] = mesh.triangles[triangle];
    return cross(mesh.points[b] - mesh.points[a], mesh.points[c] - mesh.points[a]);
}

/// Where a line goes into a closed piece of the mesh (step 1) or leaves one (-1).
struct Crossing {
    float way;
    int step;
    bool operator<(const Crossing& other) const { return way < other.way; }
};

/// How far a line from a place on the surface goes inward until it is outside all closed pieces, which may overlap;
/// nothing where the place lies within another piece. Moeller and Trumbore 1997.
std::optional<double> way_out(const Mesh& mesh, const Float3& from, const Float3& inward) {
    int around = 0;
    std::vector<Crossing> ahead;
    for (const auto& [i, j, k] : mesh.triangles) {
        const Float3 &a = mesh.points[i], ab = mesh.points[j] - a, ac = mesh.points[k] - a;
        const Float3 p = cross(inward, ac);
        const float det = dot(ab, p);
        if (!(std::abs(det) > 0)) continue;  // edge-on
        const Float3 s = from - a, q = cross(s, ab);
        const float u = dot(s, p) / det, v = dot(inward, q) / det, t = dot(ac, q) / det;
        // The face on which the line begins does not count, whatever rounding makes of it.
        const float rounding = 1e-5f * (length(from) + length(ab) + length(ac));
        if (!(u >= 0 && v >= 0 && u + v <= 1 && std::abs(t) > rounding)) continue;
        const int step = det > 0 ? 1 : -1;
        if (t > 0)
            ahead.push_back({t, step});
        else
            around += step;
    }
    if (around > 0) return std::nullopt;
    std::sort(ahead.begin(), ahead.end());
    int pieces = 1;
    for (const Crossing& crossing : ahead) {
        pieces += crossing.step;
        if (pieces <= 0) return crossing.way;
    }
    return std::numeric_limits<double>::infinity();
}

std::vector<Site> sites_of(const Mesh& mesh, double most) {
    const size_t stride = static_cast<size_t>(std::ceil(3 * static_cast<double>(mesh.triangles.size()) / most));
    std::vector<Site> sites;
    for (size_t k = 0; k < 3 * mesh.triangles.size(); k += std::max<size_t>(1, stride)) {
        const size_t triangle = k / 3;
        const Float3 n = normal(mesh, triangle);
        if (!(length(n) > 0)) continue;
        constexpr float rest = 0.5f * (1 - near_corner);
        Site site{triangle, {rest, rest, rest}, double(length(n)), 0};
        site.share[k % 3] = near_corner;
        const std::optional<double> thickness = way_out(mesh, place(mesh, site), -1 * normalized(n));
        if (!thickness) continue;
        site.thickness = *thickness;
        sites.push_back(site);
    }
    return sites;
}

/// How fast a site comes at what is before it or behind it, m/s.
class SiteSpeed {
public:
    SiteSpeed(const Scene& scene, const Collider& collider, const Mesh& mesh,
              const std::vector<std::pair<Mesh, Mesh>>& later)
        : mesh_(mesh),
          later_(later),
          fps_(scene.fps),
          first_(motion_between(placement_at(collider, scene.first_frame), Transform())) {
        if (!later.empty()) return;
        const int frames = scene.last_frame - scene.first_frame, stride = std::max(1, frames / most_frames);
        for (int frame = scene.first_frame; frame < scene.last_frame; frame += stride)
            steps_.emplace_back(placement_at(collider, frame), placement_at(collider, frame + 1));
    }

    double of(const Site& site) const {
        double fastest = 0;
        for (const auto& [now, next] : later_) {
            if (now.triangles.size() != mesh_.triangles.size() || next.triangles.size() != mesh_.triangles.size())
                continue;
            const Float3 way = place(next, site) - place(now, site);
            fastest = std::max(fastest, std::abs(double(dot(way, normalized(normal(now, site.triangle))))));
        }
        const Float3 own = apply_transform(first_, place(mesh_, site));
        const Float3 facing = turned(first_, normalized(normal(mesh_, site.triangle)));
        for (const auto& [now, next] : steps_) {
            const Float3 way = apply_transform(next, own) - apply_transform(now, own);
            fastest = std::max(fastest, std::abs(double(dot(way, turned(now, facing)))));
        }
        return fastest * fps_;
    }

private:
    const Mesh& mesh_;
    const std::vector<std::pair<Mesh, Mesh>>& later_;
    double fps_;
    Transform first_;  ///< from the world into the collider's own frame
    std::vector<std::pair<Transform, Transform>> steps_;
};

double least_size(const Geometry& g) {
    switch (g.shape) {
        case ShapeKind::box:
            return std::min({g.size.x, g.size.y, g.size.z});
        case ShapeKind::sphere:
            return 2 * g.radius;
        case ShapeKind::cylinder:
            return std::min(2 * g.radius, g.height);
        case ShapeKind::mesh:
            return 0;
        default:
            return std::numeric_limits<double>::infinity();
    }
}

}  // namespace

bool may_be_thin(const Scene& scene, size_t index) {
    const Collider& collider = scene.colliders[index];
    return collider_moves(scene, index) && !collider.inverted && !collider.two_sided &&
           least_size(collider.geometry) < thick_enough * scene.parameters.spacing;
}

std::string thinness_warning(const Scene& scene, size_t index, const Mesh& mesh,
                             const std::vector<std::pair<Mesh, Mesh>>& later, double most_crossings) {
    const double rays = std::min(most_rays, most_crossings / std::max<double>(1, double(mesh.triangles.size())));
    if (rays < least_rays) return {};
    const Collider& collider = scene.colliders[index];
    const double enough = thick_enough * scene.parameters.spacing;
    const SiteSpeed speed(scene, collider, mesh, later);
    double all = 0, thin = 0, fastest = 0, thickness = enough;
    for (const Site& site : sites_of(mesh, rays)) {
        all += site.area;
        if (site.thickness >= enough) continue;
        const double here = speed.of(site);
        if (here <= slow_enough) continue;
        thin += site.area;
        fastest = std::max(fastest, here);
        thickness = std::min(thickness, site.thickness);
    }
    if (!(thin > least_share * all)) return {};
    char text[256];
    std::snprintf(
        text, sizeof text,
        "' is %.3g m thick, and its faces move at up to %.3g m/s: snow passes through what is thinner than %.3g "
        "spacings (%.3g m) and that fast; make it thicker, lower the spacing, or set two_sided = true",
        thickness, fastest, thick_enough, enough);
    return collider.where + ": collider '" + collider.name + text;
}

}  // namespace firn
