// Planes and terrains whose boundary particles are made brick by brick: compared with brute force over all of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "firn/error.h"
#include "firn/rigid_transform.h"
#include "firn/surface_sources.h"

namespace {

using firn::BoundarySettings;
using firn::Float3;
using firn::Heightfield;
using firn::SurfaceSource;
using firn::Transform;

constexpr float h = 0.05f;

BoundarySettings settings() {
    BoundarySettings s;
    s.spacing = h;
    return s;
}

double distance(const Float3& a, const Float3& b) {
    return std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z);
}

std::vector<SurfaceSource::Brick> bricks(const SurfaceSource& source, const Float3& low, const Float3& high) {
    std::vector<SurfaceSource::Brick> found;
    source.find_bricks(low, high, found);
    return found;
}

/// Hills, up to about 45 degrees steep.
Heightfield hills() {
    Heightfield field;
    field.columns = 21;
    field.rows = 17;
    field.cell = 0.2f;
    field.origin = {-1.5f, 0.3f, -2.0f};
    for (int j = 0; j < field.rows; ++j)
        for (int i = 0; i < field.columns; ++i)
            field.height.push_back(0.5f * std::sin(0.35f * float(i)) * std::cos(0.4f * float(j)));
    return field;
}

/// Distances from each particle to the next one, and from places on the surface, pushed in as far, to the next
/// particle.
void expect_even(const SurfaceSource::Particles& all, const std::vector<Float3>& places, double nearest, double hole) {
    double closest = 1e9, farthest = 0;
    for (size_t i = 0; i < all.position.size(); ++i)
        for (size_t j = 0; j < i; ++j) closest = std::min(closest, distance(all.position[i], all.position[j]));
    for (const Float3& p : places) {
        double next = 1e9;
        for (const Float3& q : all.position) next = std::min(next, distance(p, q));
        farthest = std::max(farthest, next);
    }
    EXPECT_GT(closest, nearest * h);
    EXPECT_LT(farthest, hole * h);
}

TEST(SheetSource, CoversAPlaneEvenly) {
    const auto plane = firn::plane_source(1.53, 1.1, Transform(), settings());
    const SurfaceSource::Particles all = firn::all_particles(*plane);
    EXPECT_NEAR(static_cast<double>(all.position.size()), 1.53 * 1.1 / (h * h), 0.03 * 1.53 * 1.1 / (h * h));
    std::vector<Float3> places;
    for (float x = -0.76f; x < 0.76f; x += 0.013f)
        for (float z = -0.54f; z < 0.54f; z += 0.017f) places.push_back({x, -0.5f * h, z});
    expect_even(all, places, 0.9, 0.8);
    for (size_t i = 0; i < all.position.size(); ++i) {
        EXPECT_FLOAT_EQ(all.position[i].y, -0.5f * h);
        EXPECT_EQ(all.normal[i].y, 1);
    }
}

TEST(SheetSource, APlaneWithoutEndIsTheSameWhereAPlaneEnds) {
    // In whole tiles of four spacings.
    const auto small = firn::plane_source(2, 4, Transform(), settings()),
               large = firn::plane_source(1000, 1000, Transform(), settings()),
               endless = firn::plane_source(0, 0, Transform(), settings());
    const SurfaceSource::Particles all = firn::all_particles(*small);
    for (const auto* other : {large.get(), endless.get()}) {
        std::vector<Float3> near;
        for (const SurfaceSource::Brick& brick : bricks(*other, {-1.2f, -0.1f, -2.2f}, {1.2f, 0.1f, 2.2f})) {
            const SurfaceSource::Particles some = other->make(brick);
            near.insert(near.end(), some.position.begin(), some.position.end());
        }
        for (const Float3& p : all.position)
            EXPECT_TRUE(std::any_of(near.begin(), near.end(), [&](const Float3& q) { return distance(p, q) < 1e-6; }));
    }
    EXPECT_TRUE(std::isinf(endless->radius()));
    EXPECT_THROW(firn::all_particles(*endless), firn::Error);
}

TEST(SheetSource, FarAwayAPlaneWithoutEndIsThereToo) {
    const auto endless = firn::plane_source(0, 0, Transform(), settings());
    const std::vector<SurfaceSource::Brick> far = bricks(*endless, {5000, -0.1f, -7000}, {5000.1f, 0.1f, -6999.9f});
    ASSERT_FALSE(far.empty());
    EXPECT_EQ(endless->make(far[0]).position.size(), 256u);
    EXPECT_TRUE(bricks(*endless, {5000, 1, -7000}, {5000.1f, 2, -6999.9f}).empty());
}

TEST(SheetSource, PlacesATurnedPlane) {
    Transform placed;
    const double c = std::cos(0.5), s = std::sin(0.5);
    const double about_z[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    std::copy(about_z, about_z + 9, placed.rotation);
    placed.translation[1] = 3;
    const auto plane = firn::plane_source(0, 0, placed, settings());
    const Float3 at = firn::apply_transform(placed, {2, 0, 1});
    std::vector<SurfaceSource::Brick> found =
        bricks(*plane, {at.x - h, at.y - h, at.z - h}, {at.x + h, at.y + h, at.z + h});
    double next = 1e9;
    for (const SurfaceSource::Brick& brick : found) {
        const SurfaceSource::Particles some = plane->make(brick);
        for (size_t i = 0; i < some.position.size(); ++i) {
            next = std::min(next, distance(some.position[i], at));
            const Float3& p = some.position[i];
            EXPECT_NEAR(-s * p.x + c * (p.y - 3), -0.5 * h, 1e-5);
            EXPECT_NEAR(some.normal[i].x, -s, 1e-6);
        }
    }
    EXPECT_LT(next, h);
}

TEST(SheetSource, CoversATerrainEvenly) {
    const Heightfield field = hills();
    const auto source = firn::heightfield_source(field, settings());
    const SurfaceSource::Particles all = firn::all_particles(*source);
    const double area = firn::heightfield_facts(field).area;
    EXPECT_NEAR(static_cast<double>(all.position.size()), area / (h * h), 0.06 * area / (h * h));
    // Places on the triangles of its mesh, half a spacing below.
    const firn::Mesh mesh = firn::heightfield_mesh(field);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> any(0, 1);
    std::vector<Float3> places;
    for (const auto& [a, b, c] : mesh.triangles) {
        const Float3 &p = mesh.points[a], &q = mesh.points[b], &r = mesh.points[c];
        const Float3 e{q.x - p.x, q.y - p.y, q.z - p.z}, f{r.x - p.x, r.y - p.y, r.z - p.z};
        Float3 n{e.y * f.z - e.z * f.y, e.z * f.x - e.x * f.z, e.x * f.y - e.y * f.x};
        const float size = std::hypot(n.x, n.y, n.z);
        for (int k = 0; k < 4; ++k) {
            float s = any(random), t = any(random);
            if (s + t > 1) s = 1 - s, t = 1 - t;
            const float deep = 0.5f * h / size;
            places.push_back({p.x + s * e.x + t * f.x - deep * n.x, p.y + s * e.y + t * f.y - deep * n.y,
                              p.z + s * e.z + t * f.z - deep * n.z});
        }
    }
    expect_even(all, places, 0.45, 1.05);
}

TEST(SheetSource, EachBrickAloneHasTheVolumesOfTheWhole) {
    const auto source = firn::heightfield_source(hills(), settings());
    const SurfaceSource::Particles all = firn::all_particles(*source);
    const std::vector<float> volume = firn::boundary_volumes(all.position, h, settings().boundary_volume);
    for (size_t i = 0; i < volume.size(); ++i) EXPECT_NEAR(all.volume[i], volume[i], 1e-5 * volume[i]);
}

TEST(SheetSource, FindsEveryBrickThatHasParticlesInABox) {
    const auto source = firn::heightfield_source(hills(), settings());
    const SurfaceSource::Particles all = firn::all_particles(*source);
    std::mt19937 random(2);
    std::uniform_real_distribution<float> any(-2, 2);
    for (int k = 0; k < 200; ++k) {
        const Float3 low{any(random), 0.4f * any(random), any(random)}, high{low.x + 0.3f, low.y + 0.2f, low.z + 0.1f};
        const auto inside = [&](const Float3& p) {
            return p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y && p.z <= high.z;
        };
        size_t found = 0;
        for (const SurfaceSource::Brick& brick : bricks(*source, low, high)) {
            const SurfaceSource::Particles some = source->make(brick);
            found += static_cast<size_t>(std::count_if(some.position.begin(), some.position.end(), inside));
        }
        EXPECT_EQ(found, static_cast<size_t>(std::count_if(all.position.begin(), all.position.end(), inside)));
    }
}

TEST(SheetSource, RemembersWhatAPlaneWasMadeFrom) {
    const auto plane = firn::plane_source(3, 0, Transform(), settings());
    ASSERT_TRUE(firn::plane_shape(plane.get()));
    EXPECT_EQ(firn::plane_shape(plane.get())->size_x, 3);
    EXPECT_TRUE(*firn::plane_shape(plane.get()) ==
                *firn::plane_shape(firn::plane_source(3, 0, Transform(), settings()).get()));
    EXPECT_FALSE(*firn::plane_shape(plane.get()) ==
                 *firn::plane_shape(firn::plane_source(3, 1, Transform(), settings()).get()));
    EXPECT_FALSE(firn::plane_shape(firn::heightfield_source(hills(), settings()).get()));
}

}  // namespace
