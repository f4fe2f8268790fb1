#include "dop_geometry.h"

#include <GA/GA_Handle.h>
#include <GEO/GEO_PrimPoly.h>

#include <algorithm>
#include <cstring>

#include "firn/error.h"
#include "particle_transfer.h"

namespace firn {

namespace {

Float3 placed(const Affine& a, const Float3& p) {
    const double* r = a.linear;
    return {static_cast<float>(r[0] * p.x + r[1] * p.y + r[2] * p.z + a.translation[0]),
            static_cast<float>(r[3] * p.x + r[4] * p.y + r[5] * p.z + a.translation[1]),
            static_cast<float>(r[6] * p.x + r[7] * p.y + r[8] * p.z + a.translation[2])};
}

Float3 turned(const Affine& a, const Float3& v) {
    Affine linear = a;
    std::fill(linear.translation, linear.translation + 3, 0.0);
    return placed(linear, v);
}

std::vector<std::array<uint32_t, 3>> triangles_of(const GU_Detail& detail) {
    std::vector<std::array<uint32_t, 3>> triangles;
    for (GA_Iterator it(detail.getPrimitiveRange()); !it.atEnd(); ++it) {
        const GA_Primitive* primitive = detail.getPrimitive(*it);
        if (primitive->getTypeId() != GEO_PRIMPOLY) continue;
        const auto* polygon = static_cast<const GEO_PrimPoly*>(primitive);
        if (!polygon->isClosed()) continue;
        // Houdini's polygons run clockwise when seen from outside, ours counter-clockwise.
        for (GA_Size k = 2; k < polygon->getVertexCount(); ++k)
            triangles.push_back({static_cast<uint32_t>(polygon->getPointIndex(0)),
                                 static_cast<uint32_t>(polygon->getPointIndex(k)),
                                 static_cast<uint32_t>(polygon->getPointIndex(k - 1))});
    }
    return triangles;
}

std::vector<Float3> vectors(const GU_Detail& detail, const std::vector<PointBlock>& blocks, const char* name) {
    std::vector<Float3> values(point_count(blocks));
    if (values.empty() || !read_floats(detail, blocks, name, 3, &values[0].x)) values.clear();
    return values;
}

std::vector<float> numbers(const GU_Detail& detail, const std::vector<PointBlock>& blocks, const char* name) {
    std::vector<float> values(point_count(blocks));
    if (values.empty() || !read_floats(detail, blocks, name, 1, values.data())) values.clear();
    return values;
}

}  // namespace

Affine affine_of(const UT_DMatrix4& m) {
    Affine a;
    for (unsigned row = 0; row < 3; ++row) {
        for (unsigned column = 0; column < 3; ++column) a.linear[3 * row + column] = m(column, row);
        a.translation[row] = m(3, row);
    }
    return a;
}

Shape collider_shape(const GU_Detail& detail, SurfaceLook& look) {
    const std::vector<PointBlock> blocks = point_blocks(detail);
    Shape shape;
    shape.mesh.points = vectors(detail, blocks, "P");
    shape.mesh.triangles = triangles_of(detail);
    if (shape.mesh.triangles.empty()) shape.normals = vectors(detail, blocks, "N");
    look.point_friction = numbers(detail, blocks, "friction");
    look.point_adhesion = numbers(detail, blocks, "adhesion");
    look.point_bounce = numbers(detail, blocks, "bounce");
    look.point_sticky = numbers(detail, blocks, "sticky");
    return shape;
}

Particles source_particles(const GU_Detail& detail, const Affine& placement, float spacing) {
    const std::vector<PointBlock> blocks = point_blocks(detail);
    Mesh mesh{{}, triangles_of(detail)};
    if (mesh.triangles.empty()) {
        Particles particles = read_particles(detail, blocks);
        for (Float3& p : particles.position) p = placed(placement, p);
        for (Float3& v : particles.velocity) v = turned(placement, v);
        return particles;
    }
    mesh.points = vectors(detail, blocks, "P");
    for (Float3& p : mesh.points) p = placed(placement, p);
    FillSettings settings;
    settings.spacing = spacing;
    Particles particles;
    particles.position = fill_mesh(mesh, settings).position;
    return particles;
}

int64_t content_hash(const Particles& particles) {
    uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const Float3& p : particles.position) {
        for (const float number : {p.x, p.y, p.z}) {
            uint32_t bits;
            std::memcpy(&bits, &number, sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    }
    int64_t result;
    std::memcpy(&result, &hash, sizeof result);
    return result;
}

void add_air(const Float3& wind, float drag, Particles& particles) {
    if (drag <= 0) return;
    particles.acceleration.resize(particles.count());
    for (size_t i = 0; i < particles.count(); ++i) {
        // A particle inside the snow has about thirty neighbours, and feels no air.
        const float around = particles.neighbours.empty() ? 0.0f : particles.neighbours[i];
        const float felt = drag * std::max(0.0f, 1 - around / 30);
        const Float3 v = particles.velocity.empty() ? Float3{} : particles.velocity[i];
        Float3& a = particles.acceleration[i];
        a = {a.x + felt * (wind.x - v.x), a.y + felt * (wind.y - v.y), a.z + felt * (wind.z - v.z)};
    }
}

void append_snow(GU_Detail& detail, const Particles& added, const Parameters& parameters, int64_t& next_id) {
    if (added.count() == 0) return;
    Particles particles = added;
    particles.id.resize(particles.count());
    for (int64_t& id : particles.id) id = next_id++;
    const size_t before = static_cast<size_t>(detail.getNumPoints());
    detail.appendPointBlock(static_cast<GA_Size>(particles.count()));
    std::vector<PointBlock> blocks;
    for (PointBlock block : point_blocks(detail)) {
        // New points come last; a page may hold both.
        const size_t end = block.index + static_cast<size_t>(block.count);
        if (end <= before) continue;
        const size_t skipped = block.index < before ? before - block.index : 0;
        blocks.push_back({block.start + static_cast<GA_Offset>(skipped), block.count - static_cast<GA_Size>(skipped),
                          block.index + skipped - before});
    }
    write_particles(detail, blocks, particles, parameters, {ArrayRole::required, ArrayRole::state, ArrayRole::input});
    const std::vector<float> radius(particles.count(), 0.5f * parameters.spacing);
    write_floats(detail, blocks, "pscale", 1, radius.data());
    detail.bumpDataIdsForAddOrRemove(true, false, false);
}

void add_guide_points(GU_Detail& detail, const std::vector<Float3>& positions, const UT_Vector3D& colour) {
    if (positions.empty()) return;
    const GA_Offset first = detail.appendPointBlock(static_cast<GA_Size>(positions.size()));
    GA_Attribute* cd = detail.addFloatTuple(GA_ATTRIB_POINT, "Cd", 3, GA_Defaults(1.0f)).getAttribute();
    cd->setTypeInfo(GA_TYPE_COLOR);
    const GA_RWHandleV3 painted(cd);
    for (size_t i = 0; i < positions.size(); ++i) {
        const GA_Offset point = first + static_cast<GA_Offset>(i);
        detail.setPos3(point, UT_Vector3(positions[i].x, positions[i].y, positions[i].z));
        painted.set(point, UT_Vector3(colour));
    }
}

}  // namespace firn
