// The surface is that of surface_grid(), of particles that have neighbours; those that have few are drawn as grains.

#include "firn/snow_surface.h"

#include <openvdb/tools/Interpolation.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cmath>

#include "firn/grid_mesh.h"
#include "firn/grids.h"
#include "leaf_loop.h"

namespace firn {

namespace {

// Lengths are in spacings here, whatever a scene's size.
// Of lone particles: few look like beads.
constexpr double fewest_grains = 48, most_grains = 200, all_grains = 2e6;
/// Of a lone particle that is one sphere, as of `pscale`.
constexpr float lone_radius = 0.5f;
/// Beyond this, voxels can't be counted.
constexpr float furthest = 4e6f;
// Density around a particle: 1 in bulk snow, 0.2 to 0.35 at a lone particle, 0.45 at the corner of a block.
constexpr float density_of_pairs = 0.36f, density_of_lumps = 0.42f;

/// The particles that can be drawn, in spacings from the origin, with what the surface needs of them.
struct DrawnParticles {
    Particles snow;
    GrainBirths births;

    void add(const DrawnParticles& from, size_t i) {
        const auto copy = [i](const auto& all, auto& some) {
            if (i < all.size()) some.push_back(all[i]);
        };
        copy(from.snow.position, snow.position);
        copy(from.snow.velocity, snow.velocity);
        copy(from.snow.id, snow.id);
        copy(from.snow.compaction, snow.compaction);
        copy(from.births.rest, births.rest);
        copy(from.births.time, births.time);
    }
};

DrawnParticles drawn(const Particles& particles, const GrainBirths& births, float spacing, const Float3& origin) {
    DrawnParticles all;
    const auto placed = [&](const Float3& p) {
        const auto place = [&](float at, float from) {
            return static_cast<float>((double(at) - double(from)) / double(spacing));
        };
        return Float3{place(p.x, origin.x), place(p.y, origin.y), place(p.z, origin.z)};
    };
    const bool born = !births.rest.empty() && births.rest.size() == particles.count();
    const auto near = [](const Float3& x) {
        return std::abs(x.x) < furthest && std::abs(x.y) < furthest && std::abs(x.z) < furthest;
    };
    for (size_t i = 0; i < particles.count(); ++i) {
        const Float3 x = placed(particles.position[i]);
        // From the world's origin, as in files: relief depends on it.
        const Float3 rest =
            born ? Float3{births.rest[i].x / spacing, births.rest[i].y / spacing, births.rest[i].z / spacing} : x;
        if (!near(x) || !near(rest)) continue;
        all.snow.position.push_back(x);
        // Files of other programs may number their points as they like.
        const int64_t id = particles.id.empty() ? -1 : particles.id[i];
        all.snow.id.push_back(id >= 0 && id < int64_t{1} << 40 ? id : static_cast<int64_t>(i));
        if (!particles.velocity.empty()) {
            const Float3& v = particles.velocity[i];
            all.snow.velocity.push_back({v.x / spacing, v.y / spacing, v.z / spacing});
        }
        if (!particles.compaction.empty()) all.snow.compaction.push_back(particles.compaction[i]);
        if (born) all.births.rest.push_back(rest);
        if (born && !births.time.empty()) all.births.time.push_back(births.time[i]);
    }
    return all;
}

/// The density at each particle, as a fraction of that of bulk snow.
std::vector<float> densities(const Particles& particles, const GridSettings& settings) {
    const openvdb::FloatGrid::Ptr grid = density_grid(particles, 1, settings);
    const openvdb::FloatGrid::ConstAccessor values = grid->getConstAccessor();
    std::vector<float> result(particles.count());
    for (size_t i = 0; i < result.size(); ++i) {
        const Float3& x = particles.position[i];
        result[i] = values.getValue(openvdb::Coord::round(openvdb::Vec3d(x.x, x.y, x.z) / double(settings.voxel)));
    }
    return result;
}

/// As `firn grains` would make them, but for few particles.
void add_grains(DrawnParticles lone, const SnowSurfaceSettings& settings, SnowSurface& surface) {
    if (lone.snow.count() == 0) return;
    if (settings.lone_spheres) {
        for (const Float3& p : lone.snow.position) surface.grains.push_back({p.x, p.y, p.z, lone_radius});
        if (settings.with_velocity) surface.grain_velocity = std::move(lone.snow.velocity);
        return;
    }
    if (lone.births.rest.empty()) lone.births.rest = lone.snow.position;
    GrainSettings grain;
    grain.spacing = 1;
    grain.per_particle =
        static_cast<int>(std::clamp(all_grains / static_cast<double>(lone.snow.count()), fewest_grains, most_grains));
    grain.threads = settings.threads;
    const RenderGrains made = GrainField(lone.snow, std::move(lone.births), grain).all();
    for (size_t k = 0; k < made.count(); ++k) {
        const Float3& p = made.position[k];
        surface.grains.push_back({p.x, p.y, p.z, made.radius[k]});
    }
    if (settings.with_velocity) surface.grain_velocity = made.velocity;
}

/// Houdini's polygons are clockwise.
void add_triangles(const PolygonMesh& mesh, SnowSurface& surface) {
    const auto corner = [&](size_t at) { return static_cast<uint32_t>(mesh.corners[at]); };
    const auto add = [&](size_t a, size_t b, size_t c) {
        surface.triangles.push_back({corner(a), corner(c), corner(b)});
    };
    surface.triangles.reserve(mesh.triangles + 2 * mesh.quads);
    for (size_t t = 0; t < mesh.triangles; ++t) add(3 * t, 3 * t + 1, 3 * t + 2);
    for (size_t q = 0; q < mesh.quads; ++q) {
        const size_t first = 3 * mesh.triangles + 4 * q;
        add(first, first + 1, first + 2);
        add(first, first + 2, first + 3);
    }
}

/// At each point, the mean of its triangles' normals by area.
void add_normals(SnowSurface& surface) {
    surface.normals.resize(surface.points.size());
    for (const auto& [a, b, c] : surface.triangles) {
        const Float3 &p = surface.points[a], &q = surface.points[b], &r = surface.points[c];
        const float ux = q.x - p.x, uy = q.y - p.y, uz = q.z - p.z;
        const float vx = r.x - p.x, vy = r.y - p.y, vz = r.z - p.z;
        for (const uint32_t point : {a, b, c}) {
            Float3& n = surface.normals[point];
            n = {n.x + uy * vz - uz * vy, n.y + uz * vx - ux * vz, n.z + ux * vy - uy * vx};
        }
    }
    for (Float3& n : surface.normals) {
        const float length = std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
        n = length > 0 ? Float3{n.x / length, n.y / length, n.z / length} : Float3{0, 1, 0};
    }
}

}  // namespace

SnowSurface make_snow_surface(const Particles& particles, const GrainBirths& births, const SnowSurfaceSettings& given) {
    SnowSurface surface;
    const float spacing = given.spacing;
    DrawnParticles all = drawn(particles, births, spacing, given.origin);
    surface.left_out_count = particles.count() - all.snow.count();
    if (all.snow.count() == 0) return surface;

    GridSettings settings;
    settings.spacing = 1;
    settings.voxel = given.voxel;
    settings.threads = given.threads;
    SurfaceGridSettings shape;
    if (given.kernels) shape.shape = SurfaceGridSettings::Shape::kernels;
    shape.radius = given.radius / spacing;
    shape.dilate = given.dilate / spacing;
    shape.erode = given.erode / spacing;
    shape.smooth = given.smooth;
    shape.relief = given.relief / spacing;
    shape.relief_size = given.relief_size / spacing;
    shape.keep_lone = !given.lone_grains;
    DrawnParticles lumps;
    if (given.lone_grains) {
        const std::vector<float> density = densities(all.snow, settings);
        DrawnParticles lone;
        for (size_t i = 0; i < density.size(); ++i) {
            if (density[i] < density_of_lumps) lone.add(all, i);
            if (density[i] > density_of_pairs) lumps.add(all, i);
        }
        add_grains(std::move(lone), given, surface);
        all = {};
    } else {
        lumps = std::move(all);
    }
    if (!lumps.births.rest.empty()) shape.births = &lumps.births;
    const openvdb::FloatGrid::Ptr grid = surface_grid(lumps.snow, shape, settings);
    arena_of(given.threads).execute([&] {
        PolygonMesh mesh = grid_polygons(*grid, 0);
        add_triangles(mesh, surface);
        surface.points = std::move(mesh.points);
    });
    add_normals(surface);
    if (given.with_velocity && !lumps.snow.velocity.empty()) {
        settings.voxel = 0.5f;
        const openvdb::Vec3SGrid::Ptr field = velocity_grid(lumps.snow, {}, settings);
        const auto values = field->getConstAccessor();
        surface.velocity.reserve(surface.points.size());
        for (const Float3& p : surface.points) {
            const openvdb::Vec3s v = openvdb::tools::BoxSampler::sample(
                values, field->worldToIndex(openvdb::Vec3d(double(p.x), double(p.y), double(p.z))));
            surface.velocity.push_back({v[0] * spacing, v[1] * spacing, v[2] * spacing});
        }
    }
    for (Float3& p : surface.points) p = {p.x * spacing, p.y * spacing, p.z * spacing};
    for (Float4& g : surface.grains) g = {g.x * spacing, g.y * spacing, g.z * spacing, g.w * spacing};
    for (Float3& v : surface.grain_velocity) v = {v.x * spacing, v.y * spacing, v.z * spacing};
    return surface;
}

std::vector<Float3> directions_out(const std::vector<Float4>& points, const std::vector<Float3>& snow, float spacing,
                                   int threads) {
    std::vector<Float3> out(points.size());
    Particles particles;
    for (const Float3& p : snow)
        if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) particles.position.push_back(p);
    if (particles.count() == 0) return out;
    const openvdb::FloatGrid::Ptr density = density_grid(particles, 1, {spacing, 0.7f * spacing, threads});
    arena_of(threads).execute([&] {
        tbb::parallel_for(tbb::blocked_range<size_t>(0, points.size(), 4096), [&](const auto& range) {
            const auto values = density->getConstAccessor();
            for (size_t i = range.begin(); i != range.end(); ++i) {
                const openvdb::Vec3d at = density->worldToIndex(
                    openvdb::Vec3d(double(points[i].x), double(points[i].y), double(points[i].z)));
                openvdb::Vec3d slope;
                for (int axis = 0; axis < 3; ++axis) {
                    openvdb::Vec3d step(0, 0, 0);
                    step[axis] = 0.7;
                    slope[axis] = double(openvdb::tools::BoxSampler::sample(values, at - step)) -
                                  double(openvdb::tools::BoxSampler::sample(values, at + step));
                }
                // Below a twentieth of what a face has there is no direction.
                const double size = slope.length();
                if (size > 0.03) out[i] = {float(slope[0] / size), float(slope[1] / size), float(slope[2] / size)};
            }
        });
    });
    return out;
}

}  // namespace firn
