#include "dop_geometry.h"

#include <GA/GA_Attribute.h>
#include <GA/GA_Defaults.h>
#include <GA/GA_Handle.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "appearing_snow.h"
#include "firn/error.h"
#include "firn/memory.h"
#include "firn/samples.h"
#include "geometry_pieces.h"
#include "particle_transfer.h"

namespace firn {

namespace {

void append(Mesh& to, const Mesh& more) {
    const auto first = static_cast<uint32_t>(to.points.size());
    to.points.insert(to.points.end(), more.points.begin(), more.points.end());
    for (const auto& t : more.triangles) to.triangles.push_back({first + t[0], first + t[1], first + t[2]});
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

/// The piece's mesh in its own space, and its point attributes. Points of pieces without an attribute that another
/// piece has get the single value.
void add_piece(ColliderPart& part, const SurfacePiece& piece) {
    const size_t before = part.shape.mesh.points.size();
    append(part.shape.mesh, piece.mesh);
    for (size_t q = 0; q < surface_quantity_count; ++q) {
        std::vector<float>& all = part.surface.at_points[q];
        const std::vector<float>* more = surface_value(piece, q);
        if (!more && all.empty()) continue;
        all.resize(before, part.surface.value[q]);
        if (more) all.insert(all.end(), more->begin(), more->end());
        all.resize(part.shape.mesh.points.size(), part.surface.value[q]);
    }
}

}  // namespace

std::vector<ColliderPart> collider_parts(const GU_Detail& detail, const ColliderSurface& surface,
                                         const Affine& placement) {
    const GeometryPieces pieces = geometry_pieces(detail, "", surface_values());
    std::vector<ColliderPart> parts;
    ColliderPart rest{"", {}, surface, placement};
    if (pieces.surfaces.empty() && pieces.heightfields.empty()) {
        if (detail.getNumPrimitives() > 0)
            throw Error("its primitives have no surface: give it polygons, or only points");
        const std::vector<PointBlock> blocks = point_blocks(detail);
        rest.shape.mesh.points = vectors(detail, blocks, "P");
        rest.shape.normals = vectors(detail, blocks, "N");
        for (size_t q = 0; q < surface_quantity_count; ++q)
            rest.surface.at_points[q] = numbers(detail, blocks, surface_table()[q].token);
        parts.push_back(std::move(rest));
        return parts;
    }
    std::map<std::string, int> named;
    for (const SurfacePiece& piece : pieces.surfaces) {
        if (!piece.packed) {
            add_piece(rest, piece);
            continue;
        }
        // Two primitives may have one name; their order distinguishes them.
        const int again = ++named[piece.name];
        ColliderPart part{again == 1 ? piece.name : piece.name + "_" + std::to_string(again), {}, surface, {}};
        part.placement = composed(placement, piece.placement);
        part.shape.moves_by_placement = true;
        add_piece(part, piece);
        parts.push_back(std::move(part));
    }
    for (const Heightfield& field : pieces.heightfields) append(rest.shape.mesh, heightfield_mesh(field));
    if (!rest.shape.mesh.points.empty()) parts.push_back(std::move(rest));
    for (ColliderPart& part : parts) {
        const size_t count = part.shape.mesh.points.size();
        for (size_t q = 0; q < surface_quantity_count; ++q)
            if (!part.surface.at_points[q].empty()) part.surface.at_points[q].resize(count, surface.value[q]);
    }
    return parts;
}

bool holds_bodies(const GU_Detail& detail) {
    return detail.findAttribute(GA_ATTRIB_POINT, "body") && detail.findAttribute(GA_ATTRIB_POINT, "motion");
}

void source_points(const GU_Detail& detail, const Affine& placement, const Parameters& parameters, GU_Detail& out) {
    const GeometryPieces pieces = geometry_pieces(detail, "", {});
    std::vector<Float3> filled;
    FillSettings settings;
    settings.spacing = parameters.spacing;
    settings.memory_limit = allowed_bytes(parameters);
    for (const SurfacePiece& piece : pieces.surfaces) {
        Mesh mesh = placed_mesh(piece);
        for (Float3& p : mesh.points) p = apply_transform(placement, p);
        const std::vector<Float3> more = fill_mesh(mesh, settings).position;
        filled.insert(filled.end(), more.begin(), more.end());
    }
    if (!pieces.heightfields.empty())
        throw Error("a height field has no inside; fill it with Firn Snow Source and give the points");
    if (detail.getNumPrimitives() > 0) {
        if (pieces.surfaces.empty())
            throw Error("its primitives have no surface to fill: give it polygons, or only points");
        if (filled.empty()) return;
        out.appendPointBlock(static_cast<GA_Size>(filled.size()));
        write_floats(out, point_blocks(out), "P", 3, &filled[0].x);
    } else {
        out.replaceWith(detail);
        const std::vector<PointBlock> blocks = point_blocks(out);
        std::vector<Float3> positions = vectors(out, blocks, "P"), velocities = vectors(out, blocks, "v");
        const bool moved = !(placement == Affine());
        for (Float3& p : positions) p = apply_transform(placement, p);
        for (Float3& v : velocities) v = multiplied(placement.linear, v);
        if (moved && !positions.empty()) write_floats(out, blocks, "P", 3, &positions[0].x);
        if (moved && !velocities.empty()) write_floats(out, blocks, "v", 3, &velocities[0].x);
    }
    if (out.getNumPoints() == 0 || out.findAttribute(GA_ATTRIB_POINT, "pscale")) return;
    const std::vector<PointBlock> blocks = point_blocks(out);
    write_floats(out, blocks, "pscale", 1, std::vector<float>(point_count(blocks), 0.5f * parameters.spacing).data());
}

int64_t position_hash(const GU_Detail& detail) {
    uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const Float3& p : vectors(detail, point_blocks(detail), "P")) {
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

void complete_snow(GU_Detail& snow, float spacing, float seconds) {
    complete_ids(snow);
    const std::vector<PointBlock> blocks = point_blocks(snow);
    if (blocks.empty()) return;
    std::vector<float> age(point_count(blocks), 0.0f);
    const bool known = read_floats(snow, blocks, "age", 1, age.data());
    for (float& a : age) a += seconds;
    if (!known || seconds > 0) write_floats(snow, blocks, "age", 1, age.data());
    if (!snow.findAttribute(GA_ATTRIB_POINT, "pscale"))
        write_floats(snow, blocks, "pscale", 1, std::vector<float>(age.size(), 0.5f * spacing).data());
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
