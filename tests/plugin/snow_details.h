#pragma once

// Geometry for the plugin's tests, and what is in it, read point by point: another way than the plugin's own.

#include <GA/GA_Handle.h>
#include <GU/GU_PackedGeometry.h>
#include <GU/GU_PrimPacked.h>
#include <GU/GU_PrimPoly.h>
#include <GU/GU_PrimPolySoup.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "firn/mesh.h"
#include "firn/particles.h"

inline void add_points(GU_Detail& detail, const std::vector<firn::Float3>& points) {
    const GA_Offset first = detail.appendPointBlock(static_cast<GA_Size>(points.size()));
    for (size_t i = 0; i < points.size(); ++i)
        detail.setPos3(first + static_cast<GA_Offset>(i), {points[i].x, points[i].y, points[i].z});
}

/// Triangles as Houdini has them: clockwise, seen from outside.
inline void add_mesh(GU_Detail& detail, const firn::Mesh& mesh) {
    const GA_Offset first = detail.getNumPointOffsets();
    add_points(detail, mesh.points);
    for (const auto& t : mesh.triangles) {
        GU_PrimPoly* polygon = GU_PrimPoly::build(&detail, 0, GU_POLY_CLOSED, 0);
        for (const uint32_t corner : {t[2], t[1], t[0]}) polygon->appendVertex(first + corner);
    }
}

/// Moves a packed primitive to a placement.
inline void place_packed(GU_Detail& detail, GU_PrimPacked* packed, const firn::Transform& t) {
    UT_Matrix3D local(1.0);
    for (unsigned r = 0; r < 3; ++r)
        for (unsigned c = 0; c < 3; ++c) local(c, r) = t.rotation[3 * r + c];
    packed->setLocalTransform(local);
    detail.setPos3(packed->getPointOffset(0),
                   {static_cast<float>(t.translation[0]), static_cast<float>(t.translation[1]),
                    static_cast<float>(t.translation[2])});
}

/// A packed mesh at a placement.
inline GU_PrimPacked* add_packed(GU_Detail& detail, const firn::Mesh& mesh, const firn::Transform& t) {
    GU_DetailHandle inside;
    inside.allocateAndSet(new GU_Detail);
    add_mesh(*inside.gdpNC(), mesh);
    GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(detail, inside);
    place_packed(detail, packed, t);
    return packed;
}

/// A mesh at a placement as a packed Alembic or USD primitive has it: nothing to look at without unpacking.
inline GU_PrimPacked* add_reference(GU_Detail& detail, const firn::Mesh& mesh, const firn::Transform& t) {
    GU_DetailHandle inside;
    inside.allocateAndSet(new GU_Detail);
    add_mesh(*inside.gdpNC(), mesh);
    GU_PrimPacked* packed = hdk_fake::pack_reference(detail, inside);
    place_packed(detail, packed, t);
    return packed;
}

/// The mesh as one polygon soup.
inline void add_soup(GU_Detail& detail, const firn::Mesh& mesh) {
    const GA_Offset first = detail.getNumPointOffsets();
    add_points(detail, mesh.points);
    GEO_PolyCounts sizes;
    std::vector<int> corners;
    for (const auto& t : mesh.triangles) {
        sizes.append(3);
        for (const uint32_t corner : {t[2], t[1], t[0]}) corners.push_back(static_cast<int>(corner));
    }
    GU_PrimPolySoup::build(&detail, first, static_cast<GA_Size>(mesh.points.size()), sizes, corners.data());
}

/// All snow arrays, by id.
inline firn::Particles snow_of(const GU_Detail& detail) {
    struct Row {
        int64_t id;
        GA_Offset at;
    };
    std::vector<Row> rows;
    const GA_ROHandleID id(&detail, GA_ATTRIB_POINT, "id");
    for (GA_Iterator it(detail.getPointRange()); !it.atEnd(); ++it)
        rows.push_back({id.isValid() ? id.get(*it) : static_cast<int64_t>(rows.size()), *it});
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.id < b.id; });
    firn::Particles particles;
    for (const Row& row : rows) particles.id.push_back(row.id);
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        const GA_ROHandleF handle(&detail, GA_ATTRIB_POINT, array.name);
        if (array.components == 0 || handle.isInvalid()) continue;
        array.resize(particles, rows.size());
        for (size_t i = 0; i < rows.size(); ++i)
            for (int c = 0; c < array.components; ++c)
                array.data(particles)[i * static_cast<size_t>(array.components) + static_cast<size_t>(c)] =
                    handle.get(rows[i].at, c);
    }
    return particles;
}

/// The names of the arrays in which two states differ by a bit; `only` = those that both have to have.
inline std::string differences(const firn::Particles& a_in, const firn::Particles& b_in,
                               const std::vector<std::string>& only = {}) {
    firn::Particles a = a_in, b = b_in;
    std::string names;
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        if (!only.empty() && std::find(only.begin(), only.end(), array.name) == only.end()) continue;
        const size_t bytes = array.size(a) * static_cast<size_t>(array.components) * sizeof(float);
        const bool same =
            array.size(a) == array.size(b) && (bytes == 0 || std::memcmp(array.data(a), array.data(b), bytes) == 0);
        if (!same) names += std::string(array.name) + " ";
    }
    if (a.id != b.id) names += "id ";
    return names;
}

inline float value(const GU_Detail& detail, const char* attribute, GA_Offset point, int component = 0) {
    return GA_ROHandleF(&detail, GA_ATTRIB_POINT, attribute).get(point, component);
}
