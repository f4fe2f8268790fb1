#include "scene_slips.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "colliders.h"
#include "firn/error.h"
#include "firn/flakes.h"
#include "float3.h"
#include "snow.h"
#include "snow_filling.h"

namespace firn {

namespace {

constexpr double most_points = 20000;       ///< of all snow together: bodies are filled more coarsely for it
constexpr double most_angles = 4e6;         ///< triangles that are looked at from points, for each collider
constexpr double least_share = 0.01;        ///< of a body: less is not worth a warning
constexpr double steps_per_second = 1.3e5;  ///< particles * substeps of one core, roughly: scenes and machines differ
constexpr double joint_slowness = 2.5;      ///< roughly
constexpr double fall = 3;                  ///< m/s, what snow usually reaches

std::string percent(double share) {
    char text[16];
    std::snprintf(text, sizeof text, "%.0f %%", std::max(1.0, 100 * share));
    return text;
}

struct FilledSnow {
    const Snow* snow;
    std::vector<Float3> points;
};

/// The snow of the first frame, coarsely.
std::vector<FilledSnow> coarse_snow(const Scene& scene, double particles, float& spacing) {
    Scene coarse = scene;
    spacing = scene.parameters.spacing * static_cast<float>(std::cbrt(std::max(1.0, particles / most_points)));
    coarse.parameters.spacing = spacing;
    std::vector<FilledSnow> bodies;
    for (const Snow& snow : coarse.snow) {
        if (snow.rate > 0 || first_frame_of(snow, scene) != scene.first_frame) continue;
        if (snow.geometry.shape == ShapeKind::particles) continue;  // the engine looks at these when they are there
        try {
            const size_t place = static_cast<size_t>(&snow - coarse.snow.data());
            bodies.push_back({&scene.snow[place], fill_snow(snow, coarse).position});
        } catch (const Error&) {
            // Too thin for so coarse a filling.
        }
    }
    return bodies;
}

/// The share of all directions in which a point sees the inner side of a surface: 1 in a closed one, 0 outside of it,
/// about a half below a wide floor. Van Oosterom and Strackee 1983.
double share_inside(const Mesh& mesh, const Float3& point) {
    double sum = 0;
    for (const auto& [i, j, k] : mesh.triangles) {
        const Float3 a = mesh.points[i] - point, b = mesh.points[j] - point, c = mesh.points[k] - point;
        const double la = length(a), lb = length(b), lc = length(c);
        const double volume = dot(a, cross(b, c));
        sum += 2 * std::atan2(volume,
                              la * lb * lc + double(dot(a, b)) * lc + double(dot(b, c)) * la + double(dot(c, a)) * lb);
    }
    return sum / (4 * 3.14159265358979323846);
}

/// Of the points, how many are on the wrong side.
double share_wrong(const Collider& collider, const Mesh& mesh, const std::vector<Float3>& points) {
    if (mesh.triangles.empty() || points.empty()) return 0;
    const size_t most =
        static_cast<size_t>(std::clamp(most_angles / static_cast<double>(mesh.triangles.size()), 8.0, 400.0));
    const size_t stride = std::max<size_t>(1, points.size() / most);
    double wrong = 0, count = 0;
    for (size_t i = stride / 2; i < points.size(); i += stride) {
        const double share = share_inside(mesh, points[i]);
        wrong += collider.inverted ? share > -0.5 : share > 0.3;
        ++count;
    }
    return count > 0 ? wrong / count : 0;
}

void find_overlaps(const std::vector<FilledSnow>& bodies, float spacing, std::vector<std::string>& slips) {
    for (size_t a = 0; a < bodies.size(); ++a)
        for (size_t b = a + 1; b < bodies.size(); ++b) {
            if (bodies[b].snow->spares) continue;
            const std::vector<uint8_t> near = near_any(bodies[b].points, bodies[a].points, 0.6f * spacing);
            const double share = static_cast<double>(std::count(near.begin(), near.end(), 1)) /
                                 std::max<double>(1, static_cast<double>(near.size()));
            if (share >= least_share)
                slips.push_back(bodies[b].snow->where + ": about " + percent(share) + " of snow '" +
                                bodies[b].snow->name + "' lies in snow '" + bodies[a].snow->name +
                                "' and will burst apart; move it, or set overlap = \"remove\"");
        }
}

void find_snow_in_colliders(const Scene& scene, const std::vector<FilledSnow>& bodies,
                            std::vector<std::string>& slips) {
    for (size_t k = 0; k < scene.colliders.size(); ++k) {
        const Collider& collider = scene.colliders[k];
        if (collider.two_sided) continue;
        const Mesh mesh = collider_mesh(scene, k, scene.first_frame);
        for (const FilledSnow& body : bodies) {
            const double share = share_wrong(collider, mesh, body.points);
            if (share < least_share) continue;
            const bool floor =
                collider.geometry.shape == ShapeKind::plane || collider.geometry.shape == ShapeKind::heightfield;
            slips.push_back(body.snow->where + ": about " + percent(share) + " of snow '" + body.snow->name +
                            "' lies " + (collider.inverted ? "outside of" : (floor ? "below" : "in")) + " collider '" +
                            collider.name + "' and will be thrown out; move one of them");
        }
    }
}

void find_short_sequences(const Scene& scene, std::vector<std::string>& slips) {
    for (const Collider& collider : scene.colliders) {
        const std::string& file = collider.geometry.file;
        if (file.find('%') == std::string::npos) continue;
        int first = scene.last_frame + 1, last = scene.first_frame - 1;
        for (int frame = scene.first_frame; frame <= scene.last_frame; ++frame) {
            std::error_code ignored;
            if (!std::filesystem::exists(frame_file(file, frame), ignored)) continue;
            first = std::min(first, frame);
            last = frame;
        }
        if (last < first || (first == scene.first_frame && last == scene.last_frame)) continue;
        slips.push_back(collider.where + ": the files of collider '" + collider.name + "' go from frame " +
                        std::to_string(first) + " to " + std::to_string(last) + ", the shot from " +
                        std::to_string(scene.first_frame) + " to " + std::to_string(scene.last_frame) +
                        ": it stands still in the rest");
    }
}

}  // namespace

std::vector<std::string> likely_slips(const Scene& scene, const SceneCounts& counts) {
    std::vector<std::string> slips;
    if (scene.snow.empty()) slips.push_back(scene.path + ": the scene has no [[snow]]");
    if (scene.colliders.empty() && !scene.snow.empty())
        slips.push_back(scene.path + ": the scene has no [[collider]]: its snow falls for ever");
    find_short_sequences(scene, slips);
    float spacing = 0;
    const std::vector<FilledSnow> bodies = coarse_snow(scene, counts.snow.particles, spacing);
    find_overlaps(bodies, spacing, slips);
    find_snow_in_colliders(scene, bodies, slips);
    return slips;
}

double estimated_seconds(const Scene& scene, double particles, int threads) {
    const Parameters& p = scene.parameters;
    double speed = fall;
    for (const Snow& snow : scene.snow) speed = std::max(speed, double(length(snow.velocity)));
    for (const Collider& collider : scene.colliders)
        for (size_t k = 1; k < collider.keys.size(); ++k) {
            const Key &from = collider.keys[k - 1], &to = collider.keys[k];
            speed = std::max(speed, double(length(to.position - from.position)) / (to.frame - from.frame) * scene.fps);
        }
    // What flies goes by cfl_flight, what meets snow or a boundary by cfl: between the two.
    const double reach = 0.5 * (double(p.cfl) + double(p.cfl_flight)) * double(p.spacing);
    double substeps = std::max(std::ceil(speed / scene.fps / reach), std::ceil(1 / scene.fps / double(p.dt_max)));
    if (p.substeps > 0) substeps = p.substeps;
    const double frames = scene.last_frame - scene.first_frame + scene.settle * scene.fps;
    const double slowness = p.solver == Solver::joint ? joint_slowness : 1;
    return particles * substeps * frames * slowness / (steps_per_second * std::max(1, threads));
}

}  // namespace firn
