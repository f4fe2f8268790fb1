#include "dop_geometry.h"

#include <GA/GA_Handle.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "appearing_snow.h"
#include "collider_bodies.h"
#include "firn/samples.h"
#include "geometry_pieces.h"
#include "particle_transfer.h"

namespace firn {

namespace {

Float3 placed(const Affine& a, const Float3& p) {
    const double* r = a.linear;
    return {static_cast<float>(r[0] * p.x + r[1] * p.y + r[2] * p.z + a.translation[0]),
            static_cast<float>(r[3] * p.x + r[4] * p.y + r[5] * p.z + a.translation[1]),
            static_cast<float>(r[6] * p.x + r[7] * p.y + r[8] * p.z + a.translation[2])};
}

Float3 turned(Affine a, const Float3& v) {
    std::fill(a.translation, a.translation + 3, 0.0);
    return placed(a, v);
}

bool is_identity(const Affine& a) {
    const Affine none;
    return std::equal(a.linear, a.linear + 9, none.linear) &&
           std::equal(a.translation, a.translation + 3, none.translation);
}

Affine after(const Affine& outer, const Transform& inner) {
    Affine out;
    for (int i = 0; i < 3; ++i) {
        out.translation[i] = outer.translation[i];
        for (int j = 0; j < 3; ++j) {
            out.translation[i] += outer.linear[3 * i + j] * inner.translation[j];
            out.linear[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k) out.linear[3 * i + j] += outer.linear[3 * i + k] * inner.rotation[3 * k + j];
        }
    }
    return out;
}

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

/// A piece's numbers behind those of the pieces before it; who has none has the single value.
void append_values(std::vector<float>& all, size_t before, float single, const SurfacePiece& piece, const char* name) {
    const auto found = std::find_if(piece.values.begin(), piece.values.end(),
                                    [&](const PointValues& values) { return values.name == name; });
    if (found == piece.values.end() && all.empty()) return;
    all.resize(before, single);
    if (found == piece.values.end())
        all.resize(before + piece.mesh.points.size(), single);
    else
        all.insert(all.end(), found->values.begin(), found->values.end());
}

/// The piece's mesh in its own space, and its numbers.
void add_piece(ColliderPart& part, const SurfacePiece& piece) {
    const size_t before = part.shape.mesh.points.size();
    append_values(part.look.point_friction, before, part.look.friction, piece, "friction");
    append_values(part.look.point_adhesion, before, part.look.adhesion, piece, "adhesion");
    append_values(part.look.point_bounce, before, part.look.bounce, piece, "bounce");
    append_values(part.look.point_sticky, before, part.look.sticky, piece, "sticky");
    append(part.shape.mesh, piece.mesh);
}

/// Some points have numbers; those behind them have the single value.
void complete(std::vector<float>& values, size_t count, float single) {
    if (!values.empty()) values.resize(count, single);
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

std::vector<ColliderPart> collider_parts(const GU_Detail& detail, const SurfaceLook& look, const Affine& placement) {
    const GeometryPieces pieces = geometry_pieces(detail, "", collider_values());
    std::vector<ColliderPart> parts;
    ColliderPart rest{"", {}, look, placement};
    if (pieces.surfaces.empty() && pieces.heightfields.empty()) {
        const std::vector<PointBlock> blocks = point_blocks(detail);
        rest.shape.mesh.points = vectors(detail, blocks, "P");
        rest.shape.normals = vectors(detail, blocks, "N");
        rest.look.point_friction = numbers(detail, blocks, "friction");
        rest.look.point_adhesion = numbers(detail, blocks, "adhesion");
        rest.look.point_bounce = numbers(detail, blocks, "bounce");
        rest.look.point_sticky = numbers(detail, blocks, "sticky");
        parts.push_back(std::move(rest));
        return parts;
    }
    std::map<std::string, int> named;
    for (const SurfacePiece& piece : pieces.surfaces) {
        if (!piece.packed) {
            add_piece(rest, piece);
            continue;
        }
        // Two primitives may have one name; they are told apart by their order.
        const int again = ++named[piece.name];
        ColliderPart part{again == 1 ? piece.name : piece.name + "_" + std::to_string(again), {}, look, {}};
        part.placement = after(placement, piece.placement);
        add_piece(part, piece);
        parts.push_back(std::move(part));
    }
    for (const Heightfield& field : pieces.heightfields) append(rest.shape.mesh, heightfield_mesh(field));
    if (!rest.shape.mesh.points.empty()) parts.push_back(std::move(rest));
    for (ColliderPart& part : parts) {
        const size_t count = part.shape.mesh.points.size();
        complete(part.look.point_friction, count, look.friction);
        complete(part.look.point_adhesion, count, look.adhesion);
        complete(part.look.point_bounce, count, look.bounce);
        complete(part.look.point_sticky, count, look.sticky);
    }
    return parts;
}

bool holds_bodies(const GU_Detail& detail) {
    return detail.findAttribute(GA_ATTRIB_POINT, "body") && detail.findAttribute(GA_ATTRIB_POINT, "motion");
}

void source_points(const GU_Detail& detail, const Affine& placement, float spacing, GU_Detail& out) {
    const GeometryPieces pieces = geometry_pieces(detail, "", {});
    std::vector<Float3> filled;
    FillSettings settings;
    settings.spacing = spacing;
    for (const SurfacePiece& piece : pieces.surfaces) {
        Mesh mesh = placed_mesh(piece);
        for (Float3& p : mesh.points) p = placed(placement, p);
        const std::vector<Float3> more = fill_mesh(mesh, settings).position;
        filled.insert(filled.end(), more.begin(), more.end());
    }
    if (!pieces.surfaces.empty()) {
        if (filled.empty()) return;
        out.appendPointBlock(static_cast<GA_Size>(filled.size()));
        write_floats(out, point_blocks(out), "P", 3, &filled[0].x);
    } else {
        out.replaceWith(detail);
        const std::vector<PointBlock> blocks = point_blocks(out);
        std::vector<Float3> positions = vectors(out, blocks, "P"), velocities = vectors(out, blocks, "v");
        for (Float3& p : positions) p = placed(placement, p);
        for (Float3& v : velocities) v = turned(placement, v);
        if (!is_identity(placement) && !positions.empty()) write_floats(out, blocks, "P", 3, &positions[0].x);
        if (!is_identity(placement) && !velocities.empty()) write_floats(out, blocks, "v", 3, &velocities[0].x);
    }
    if (out.getNumPoints() == 0 || out.findAttribute(GA_ATTRIB_POINT, "pscale")) return;
    const std::vector<PointBlock> blocks = point_blocks(out);
    write_floats(out, blocks, "pscale", 1, std::vector<float>(point_count(blocks), 0.5f * spacing).data());
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
