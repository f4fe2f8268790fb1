// The surface is that of surface_grid(), of particles that have neighbours; those that have few are drawn as crumbs.

#include "firn/snow_surface.h"

#include <cmath>

#include "firn/grid_mesh.h"
#include "firn/grids.h"
#include "firn/scattered.h"
#include "leaf_loop.h"

namespace firn {

namespace {

// Lengths are in spacings here, whatever a scene's size.
constexpr float voxel = 0.5f;
/// Beyond this, voxels can't be counted.
constexpr float furthest = 4e6f;
// Density around a particle: 1 in bulk snow, 0.2 to 0.35 at a lone particle, 0.45 at the corner of a block.
constexpr float density_of_pairs = 0.36f, density_of_lumps = 0.42f;

float random(size_t particle, uint64_t purpose) {
    return static_cast<float>(scattered_unit(particle, purpose));
}

/// Where the particles are drawn, and their places in the caller's array.
struct DrawnParticles {
    std::vector<Float3> position;
    std::vector<size_t> index;
};

/// Snow in a scene starts on a lattice, and a lattice is what one would see: each particle is drawn a little beside its
/// place.
DrawnParticles drawn(const std::vector<Float3>& particles, float spacing, const Float3& origin) {
    DrawnParticles all;
    const auto place = [&](size_t i, float p, float from, uint64_t axis) {
        return static_cast<float>((double(p) - double(from)) / double(spacing)) + 0.4f * (random(i, axis) - 0.5f);
    };
    for (size_t i = 0; i < particles.size(); ++i) {
        const Float3& p = particles[i];
        const Float3 x{place(i, p.x, origin.x, 0), place(i, p.y, origin.y, 1), place(i, p.z, origin.z, 2)};
        if (!(std::abs(x.x) < furthest && std::abs(x.y) < furthest && std::abs(x.z) < furthest)) continue;
        all.position.push_back(x);
        all.index.push_back(i);
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
        result[i] = values.getValue(openvdb::Coord::round(openvdb::Vec3d(x.x, x.y, x.z) / double(voxel)));
    }
    return result;
}

/// A crumb is a handful of small spheres, another handful for each particle.
void add_crumb(size_t particle, const Float3& x, std::vector<Float4>& grains) {
    const float size = 0.75f + 0.5f * random(particle, 3);
    grains.push_back({x.x, x.y, x.z, 0.30f * size});
    for (uint64_t n = 0; n < 5; ++n) {
        const float turn = 6.2831853f * random(particle, 10 + 3 * n), up = 2 * random(particle, 11 + 3 * n) - 1;
        const float flat = std::sqrt(1 - up * up), far = 0.26f * size;
        grains.push_back({x.x + far * flat * std::cos(turn), x.y + far * up, x.z + far * flat * std::sin(turn),
                          (0.12f + 0.12f * random(particle, 12 + 3 * n)) * size});
    }
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

SnowSurface make_snow_surface(const std::vector<Float3>& particles, float spacing, const Float3& origin, int threads) {
    SnowSurface surface;
    DrawnParticles all = drawn(particles, spacing, origin);
    surface.left_out_count = particles.size() - all.position.size();
    if (all.position.empty()) return surface;

    GridSettings settings;
    settings.spacing = 1;
    settings.voxel = voxel;
    settings.threads = threads;
    Particles snow;
    snow.position = std::move(all.position);
    const std::vector<float> density = densities(snow, settings);
    Particles lumps;
    for (size_t i = 0; i < density.size(); ++i) {
        if (density[i] < density_of_lumps) add_crumb(all.index[i], snow.position[i], surface.grains);
        if (density[i] > density_of_pairs) lumps.position.push_back(snow.position[i]);
    }

    SurfaceGridSettings shape;
    shape.keep_lone = false;  // they are crumbs
    shape.dilate = 0.4f;      // less than usual: nothing may appear between two lumps that part
    const openvdb::FloatGrid::Ptr grid = surface_grid(lumps, shape, settings);
    arena_of(threads).execute([&] {
        PolygonMesh mesh = grid_polygons(*grid, 0);
        add_triangles(mesh, surface);
        surface.points = std::move(mesh.points);
    });
    add_normals(surface);
    for (Float3& p : surface.points) p = {p.x * spacing, p.y * spacing, p.z * spacing};
    for (Float4& g : surface.grains) g = {g.x * spacing, g.y * spacing, g.z * spacing, g.w * spacing};
    return surface;
}

}  // namespace firn
