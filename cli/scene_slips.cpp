#include "scene_slips.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "colliders.h"
#include "firn/counts.h"
#include "firn/error.h"
#include "firn/samples.h"
#include "float3.h"
#include "snow.h"
#include "snow_filling.h"
#include "thin_colliders.h"
#include "volume_slips.h"

namespace firn {

namespace {

constexpr double most_points = 20000;       ///< of all snow together: bodies are filled more coarsely for it
constexpr double most_angles = 4e6;         ///< triangles that are looked at from points, all together: 0.3 s
constexpr double most_crossings = 4e6;      ///< of rays and triangles, all together: 0.1 s
constexpr int most_pairs = 8;               ///< of frames of a sequence
constexpr double most_looks = 400;          ///< points of a body that a collider is looked at from
constexpr double least_looks = 4;           ///< fewer tell nothing
constexpr double most_bytes = 10e6;         ///< of all files that are read for this: 0.3 s
constexpr double most_distances = 1e8;      ///< between points of snow: 0.2 s
constexpr double least_share = 0.01;        ///< of a body: less is not worth a warning
constexpr double steps_per_second = 1.3e5;  ///< particles * substeps of one core, roughly: scenes and machines differ
constexpr double joint_slowness = 2.5;      ///< roughly
constexpr double fall = 3;                  ///< m/s, what snow usually reaches

std::string percent(double share) {
    char text[16];
    std::snprintf(text, sizeof text, "%.0f %%", std::max(1.0, 100 * share));
    return text;
}

struct Box {
    static constexpr float far = std::numeric_limits<float>::max();
    Float3 low{far, far, far}, high{-far, -far, -far};

    explicit Box(const std::vector<Float3>& points) {
        for (const Float3& p : points) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        }
    }
    bool meets(const Box& b, float margin) const {
        return low.x <= b.high.x + margin && b.low.x <= high.x + margin && low.y <= b.high.y + margin &&
               b.low.y <= high.y + margin && low.z <= b.high.z + margin && b.low.z <= high.z + margin;
    }
    /// Inside or below: neither above nor beside.
    bool is_over(const Float3& p) const {
        return p.x >= low.x && p.x <= high.x && p.z >= low.z && p.z <= high.z && p.y <= high.y;
    }
};

struct FilledSnow {
    const Snow* snow;
    std::vector<Float3> points;
    Box box;

    FilledSnow(const Snow& of, std::vector<Float3> filled) : snow(&of), points(std::move(filled)), box(points) {}
};

/// What may still be read: `check` is quick whatever the scene, so the rest of large scenes is not looked at.
struct ReadingLimit {
    double left = most_bytes;

    bool allows(const Geometry& g, int frame) {
        if (g.file.empty()) return true;
        // A small .vdb can hold a huge mesh.
        if (g.shape == ShapeKind::vdb || g.shape == ShapeKind::particles) return false;
        const bool sequence = g.file.find('%') != std::string::npos;
        std::error_code unknown;
        const auto bytes = std::filesystem::file_size(sequence ? frame_file(g.file, frame) : g.file, unknown);
        if (unknown || static_cast<double>(bytes) > left) return false;
        left -= static_cast<double>(bytes);
        return true;
    }
};

/// The snow of the first frame, coarsely.
std::vector<FilledSnow> coarse_snow(const Scene& scene, double particles, ReadingLimit& reading, float& spacing) {
    Scene coarse = scene;
    spacing = scene.parameters.spacing * static_cast<float>(std::cbrt(std::max(1.0, particles / most_points)));
    coarse.parameters.spacing = spacing;
    std::vector<FilledSnow> bodies;
    for (size_t k = 0; k < coarse.snow.size(); ++k) {
        Snow& snow = coarse.snow[k];
        if (snow.rate > 0 || first_frame_of(snow, scene) != scene.first_frame) continue;
        snow.relaxed = false;
        try {
            const Geometry& on =
                snow.on.empty() ? snow.geometry : scene.colliders[collider_under(snow, scene)].geometry;
            // The mesh of a heightfield that snow lies on has two triangles for each of its heights.
            if ((!snow.on.empty() && on.shape == ShapeKind::heightfield) || !reading.allows(on, scene.first_frame))
                continue;
            bodies.emplace_back(scene.snow[k], fill_snow(snow, coarse).position);
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

/// Of some points, the share for which `is_wrong(point)`. Not all of them are asked.
template <class IsWrong>
double share_wrong(const std::vector<Float3>& points, double most, const IsWrong& is_wrong) {
    const size_t stride = std::max<size_t>(1, points.size() / static_cast<size_t>(std::min(most, most_looks)));
    double wrong = 0, count = 0;
    for (size_t i = stride / 2; i < points.size(); i += stride) {
        wrong += is_wrong(points[i]);
        ++count;
    }
    return count > 0 ? wrong / count : 0;
}

/// Of a heightfield: without its mesh, which may be large.
bool is_below(const Heightfield& field, const Float3& p) {
    const float x = (p.x - field.origin.x) / field.cell, z = (p.z - field.origin.z) / field.cell;
    if (!(x >= 0 && z >= 0 && x <= float(field.columns - 1) && z <= float(field.rows - 1))) return false;
    const size_t i = std::min(static_cast<size_t>(x), static_cast<size_t>(field.columns - 2));
    const size_t j = std::min(static_cast<size_t>(z), static_cast<size_t>(field.rows - 2));
    const float* row = field.height.data() + j * static_cast<size_t>(field.columns) + i;
    const float u = x - float(i), v = z - float(j);
    const float near = row[0] + u * (row[1] - row[0]);
    const float* next = row + field.columns;
    const float far = next[0] + u * (next[1] - next[0]);
    return p.y < field.origin.y + near + v * (far - near);
}

// Inside of a lattice at least 7 of its points lie within 1.25 of its spacings, half a spacing off its face at most 6:
// so near to it a body that just touches it may begin, when both are filled coarsely. At its corners there are 4.
constexpr int surely_within = 7, perhaps_within = 4;

int points_near(const std::vector<Float3>& lattice, float spacing, const Float3& point) {
    const float reach = 1.25f * spacing;
    int near = 0;
    for (const Float3& p : lattice) near += dot(p - point, p - point) < reach * reach;
    return near;
}

void find_overlaps(const std::vector<FilledSnow>& bodies, float spacing, std::vector<std::string>& slips) {
    double work = 0;
    for (size_t a = 0; a < bodies.size(); ++a)
        for (size_t b = a + 1; b < bodies.size() && work < most_distances; ++b, ++work) {
            if (bodies[b].snow->spares || !bodies[a].box.meets(bodies[b].box, spacing)) continue;
            bool surely = false;
            const double share = share_wrong(bodies[b].points, most_looks, [&](const Float3& point) {
                work += static_cast<double>(bodies[a].points.size());
                const int near = points_near(bodies[a].points, spacing, point);
                surely = surely || near >= surely_within;
                return near >= perhaps_within;
            });
            if (surely && share >= least_share)
                slips.push_back(bodies[b].snow->where + ": about " + percent(share) + " of snow '" +
                                bodies[b].snow->name + "' lies in snow '" + bodies[a].snow->name +
                                "' and will burst apart; move it, or set overlap = \"remove\"");
        }
}

/// Of a collider's mesh: so that it need not be made to know that it has too many.
double least_triangles(ShapeKind shape) {
    switch (shape) {
        case ShapeKind::sphere:
            return 5120;
        case ShapeKind::cylinder:
            return 256;
        case ShapeKind::box:
            return 12;
        default:
            return 1;
    }
}

void find_snow_in_colliders(const Scene& scene, const std::vector<FilledSnow>& bodies, ReadingLimit& reading,
                            std::vector<std::string>& slips) {
    double pairs_left = static_cast<double>(scene.colliders.size()) * static_cast<double>(bodies.size()),
           angles_left = most_angles;
    for (size_t k = 0; k < scene.colliders.size(); ++k, pairs_left -= static_cast<double>(bodies.size())) {
        const Collider& collider = scene.colliders[k];
        const Geometry& g = collider.geometry;
        const bool heights = g.shape == ShapeKind::heightfield;
        if (collider.two_sided || (heights && collider.inverted) || !reading.allows(g, scene.first_frame)) continue;
        const double most_triangles = angles_left / std::max(1.0, pairs_left) / least_looks;
        if (!heights && least_triangles(g.shape) > most_triangles) continue;
        Mesh mesh;
        Heightfield field;
        if (heights) {
            field = look_at_heightfield(g.file, g.cell, g.relief).field;
            field.origin = field.origin + g.placed.position;
        } else {
            mesh = collider_mesh(scene, k, scene.first_frame);
        }
        const Box box(mesh.points);
        const double triangles = std::max<double>(1, static_cast<double>(mesh.triangles.size()));
        const double most = heights ? most_looks : angles_left / std::max(1.0, pairs_left) / triangles;
        if (most < least_looks) continue;
        for (const FilledSnow& body : bodies) {
            const double share = share_wrong(body.points, most, [&](const Float3& point) {
                if (heights) return is_below(field, point);
                if (!collider.inverted && !box.is_over(point)) return false;
                angles_left -= triangles;
                const double inside = share_inside(mesh, point);
                return collider.inverted ? inside > -0.5 : inside > 0.3;
            });
            if (share < least_share) continue;
            const bool floor = g.shape == ShapeKind::plane || heights;
            slips.push_back(body.snow->where + ": about " + percent(share) + " of snow '" + body.snow->name +
                            "' lies " + (collider.inverted ? "outside of" : (floor ? "below" : "in")) + " collider '" +
                            collider.name + "' and will be thrown out; move one of them");
        }
    }
}

/// Some frames of a sequence, each with the next.
std::vector<std::pair<Mesh, Mesh>> pairs_of_frames(const Scene& scene, size_t index, ReadingLimit& reading) {
    std::vector<std::pair<Mesh, Mesh>> pairs;
    const Geometry& g = scene.colliders[index].geometry;
    const int frames = scene.last_frame - scene.first_frame, stride = std::max(1, frames / most_pairs);
    for (int frame = scene.first_frame; frame < scene.last_frame; frame += stride) {
        if (!reading.allows(g, frame) || !reading.allows(g, frame + 1)) break;
        pairs.emplace_back(collider_mesh(scene, index, frame), collider_mesh(scene, index, frame + 1));
    }
    return pairs;
}

void find_thin_colliders(const Scene& scene, ReadingLimit& reading, std::vector<std::string>& slips) {
    std::vector<size_t> thin;
    for (size_t k = 0; k < scene.colliders.size(); ++k)
        if (may_be_thin(scene, k)) thin.push_back(k);
    for (const size_t k : thin) {
        const Geometry& g = scene.colliders[k].geometry;
        const double most = most_crossings / static_cast<double>(thin.size());
        if (least_triangles(g.shape) > most || !reading.allows(g, scene.first_frame)) continue;
        const bool sequence = g.file.find('%') != std::string::npos;
        const std::string warning = thinness_warning(
            scene, k, collider_mesh(scene, k, scene.first_frame),
            sequence ? pairs_of_frames(scene, k, reading) : std::vector<std::pair<Mesh, Mesh>>(), most);
        if (!warning.empty()) slips.push_back(warning);
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
    ReadingLimit reading;
    float spacing = 0;
    const std::vector<FilledSnow> bodies = coarse_snow(scene, counts.snow.particles, reading, spacing);
    find_overlaps(bodies, spacing, slips);
    find_snow_in_colliders(scene, bodies, reading, slips);
    find_thin_colliders(scene, reading, slips);
    const std::vector<std::string> of_volumes = volume_slips(scene);
    slips.insert(slips.end(), of_volumes.begin(), of_volumes.end());
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
