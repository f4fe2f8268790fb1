#include "geometry_pieces.h"

#include <GA/GA_Attribute.h>
#include <GA/GA_ElementGroup.h>
#include <GA/GA_Handle.h>
#include <GA/GA_Iterator.h>
#include <GEO/GEO_PrimPoly.h>
#include <GEO/GEO_PrimPolySoup.h>
#include <GEO/GEO_PrimType.h>
#include <GEO/GEO_PrimTypeCompat.h>
#include <GEO/GEO_PrimVDB.h>
#include <GEO/GEO_PrimVolume.h>
#include <GEO/GEO_VolumeOptions.h>
#include <GU/GU_ConvertParms.h>
#include <GU/GU_DetailHandle.h>
#include <GU/GU_PackedGeometry.h>
#include <GU/GU_PrimPacked.h>
#include <UT/UT_VoxelArray.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "firn/body.h"
#include "firn/error.h"
#include "firn/grid_mesh.h"
#include "particle_transfer.h"

namespace firn {

namespace {

std::string primitive_text(const GU_Detail& detail, GA_Offset primitive, const char* attribute) {
    require_no_array(detail.findAttribute(GA_ATTRIB_PRIMITIVE, attribute));
    const GA_ROHandleS text(&detail, GA_ATTRIB_PRIMITIVE, attribute);
    return text.isValid() ? text.get(primitive).toStdString() : std::string();
}

std::string primitive_name(const GU_Detail& detail, GA_Offset primitive) {
    return primitive_text(detail, primitive, "name");
}

/// Text or whole numbers of a primitive.
class PieceNames {
public:
    PieceNames(const GU_Detail& detail, const std::string& attribute) : attribute_(attribute) {
        if (attribute.empty()) return;
        const GA_Attribute* found = detail.findAttribute(GA_ATTRIB_PRIMITIVE, attribute.c_str());
        if (!found)
            throw Error("the input has no primitive attribute '" + attribute +
                        "' to split it into pieces; create one, or set Bodies to One Body");
        require_no_array(found);
        if (found->getStorageClass() == GA_STORECLASS_STRING)
            text_ = GA_ROHandleS(found);
        else
            number_ = GA_ROHandleI(found);
    }
    std::string of(GA_Offset primitive) const {
        if (text_.isValid()) return text_.get(primitive).toStdString();
        return number_.isValid() ? attribute_ + std::to_string(number_.get(primitive)) : std::string();
    }

private:
    std::string attribute_;
    GA_ROHandleS text_;
    GA_ROHandleI number_;
};

// ---- polygons

bool is_polygons(const GEO_Primitive& primitive) {
    return primitive.getTypeId() == GEO_PRIMPOLY || primitive.getTypeId() == GEO_PRIMPOLYSOUP;
}

/// An open polygon is a line from corner to corner, whatever shape its corners have.
bool is_curve(const GEO_Primitive& primitive) {
    return primitive.getTypeId() == GEO_PRIMPOLY && !static_cast<const GEO_PrimPoly&>(primitive).isClosed();
}

[[noreturn]] void throw_curve(const std::string& which) {
    throw Error(which +
                " is a curve, which has no surface: close it (Ends SOP), make it a tube (PolyWire SOP) or delete it");
}

/// `body(polygon)` for a polygon, or for each of a soup's; it has getVertexCount() and getPointOffset().
template <class Body>
void for_each_polygon(const GEO_Primitive& primitive, const Body& body) {
    if (primitive.getTypeId() == GEO_PRIMPOLYSOUP)
        for (GEO_PrimPolySoup::PolygonIterator it(static_cast<const GEO_PrimPolySoup&>(primitive)); !it.atEnd(); ++it)
            body(it);
    else
        body(primitive);
}

/// The polygons of one piece, over the points that they use, in the points' order.
SurfacePiece polygon_piece(const GU_Detail& detail, const std::vector<GA_Offset>& polygons,
                           const std::vector<PointBlock>& blocks, const std::vector<WantedValues>& wanted) {
    SurfacePiece piece;
    constexpr uint32_t unused = 0xffffffff;
    std::vector<uint32_t> number(static_cast<size_t>(detail.getNumPointOffsets()), unused);
    for (const GA_Offset polygon : polygons) {
        for_each_polygon(*detail.getGEOPrimitive(polygon), [&](const auto& one) {
            for (GA_Size v = 0; v < one.getVertexCount(); ++v) number[static_cast<size_t>(one.getPointOffset(v))] = 0;
        });
    }
    std::vector<Float3> all(point_count(blocks));
    if (!all.empty()) read_floats(detail, blocks, "P", 3, &all[0].x);
    std::vector<size_t> kept;
    for (const PointBlock& block : blocks) {
        for (GA_Size k = 0; k < block.count; ++k) {
            uint32_t& here = number[static_cast<size_t>(block.start + k)];
            if (here == unused) continue;
            here = static_cast<uint32_t>(kept.size());
            kept.push_back(block.index + static_cast<size_t>(k));
        }
    }
    for (const size_t k : kept) piece.mesh.points.push_back(all[k]);
    for (const WantedValues& want : wanted) {
        const auto components = static_cast<size_t>(want.components);
        std::vector<float> values(point_count(blocks) * components);
        if (values.empty() || !read_floats(detail, blocks, want.name, want.components, values.data())) continue;
        PointValues found{want.name, want.components, {}};
        for (const size_t k : kept)
            for (size_t c = 0; c < components; ++c) found.values.push_back(values[k * components + c]);
        piece.values.push_back(std::move(found));
    }
    std::vector<uint32_t> corners;
    for (const GA_Offset polygon : polygons) {
        for_each_polygon(*detail.getGEOPrimitive(polygon), [&](const auto& one) {
            corners.clear();
            // Houdini's polygons are clockwise, seen from outside.
            for (GA_Size v = one.getVertexCount(); v-- > 0;)
                corners.push_back(number[static_cast<size_t>(one.getPointOffset(v))]);
            // Fewer corners have no area.
            if (corners.size() >= 3) add_polygon(piece.mesh, corners);
        });
    }
    return piece;
}

/// All of these polygons, as pieces.
void add_polygon_pieces(const GU_Detail& detail, const std::vector<GA_Offset>& faces,
                        const std::string& piece_attribute, const std::vector<WantedValues>& wanted,
                        std::vector<SurfacePiece>& to) {
    if (faces.empty()) return;
    std::vector<std::pair<std::string, std::vector<GA_Offset>>> polygons;
    std::map<std::string, size_t> known;
    const PieceNames names(detail, piece_attribute);
    for (const GA_Offset face : faces) {
        const auto [at, fresh] = known.emplace(names.of(face), polygons.size());
        if (fresh) polygons.push_back({at->first, {}});
        polygons[at->second].second.push_back(face);
    }
    const std::vector<PointBlock> blocks = point_blocks(detail);
    for (const auto& [name, group] : polygons) {
        SurfacePiece piece = polygon_piece(detail, group, blocks, wanted);
        piece.name = name.empty() ? "mesh" : name;
        if (!piece.mesh.triangles.empty()) to.push_back(std::move(piece));
    }
}

/// Spheres, tubes, NURBS and the like as Houdini's Convert SOP makes polygons of them.
void add_converted(const GU_Detail& detail, const std::vector<GA_Offset>& foreign, const std::string& piece_attribute,
                   const std::vector<WantedValues>& wanted, std::vector<SurfacePiece>& to) {
    if (foreign.empty()) return;
    GU_Detail converted;
    converted.replaceWith(detail);
    // All at once: for each single one Houdini would move the indices of those that follow.
    GA_PrimitiveGroup* others = converted.newPrimitiveGroup("firn_others");
    for (GA_Iterator it(converted.getPrimitiveRange()); !it.atEnd(); ++it)
        if (!std::binary_search(foreign.begin(), foreign.end(), *it)) others->addOffset(*it);
    converted.destroyPrimitives(converted.getPrimitiveRange(others));
    GU_ConvertParms parms;
    parms.setFromType(GEO_PrimTypeCompat::GEOPRIMALL);
    parms.setToType(GEO_PrimTypeCompat::GEOPRIMPOLY);
    converted.convert(parms);
    const std::string first = "primitive " + std::to_string(detail.primitiveIndex(foreign[0]));
    bool all_polygons = true;
    std::vector<GA_Offset> faces;
    for (GA_Iterator it(converted.getPrimitiveRange()); !it.atEnd(); ++it) {
        const GEO_Primitive& primitive = *converted.getGEOPrimitive(*it);
        if (is_curve(primitive)) throw_curve(foreign.size() == 1 ? first : first + " or one after it");
        all_polygons &= is_polygons(primitive);
        faces.push_back(*it);
    }
    const size_t before = to.size();
    if (all_polygons) add_polygon_pieces(converted, faces, piece_attribute, wanted, to);
    if (to.size() == before)
        throw Error(first + " is of a kind that Firn can't read: Convert to polygons (Convert SOP) or delete it");
}

// ---- height fields

Heightfield height_field(const GEO_PrimVolume& volume) {
    int res[3];
    volume.getRes(res[0], res[1], res[2]);
    const int flat = res[2] == 1 ? 2 : res[1] == 1 ? 1 : 0;
    const int first = flat == 0 ? 1 : 0, second = flat == 2 ? 1 : 2;
    const auto at = [&](int a, int b, int index[3]) {
        index[0] = index[1] = index[2] = 0;
        index[first] = a;
        index[second] = b;
        UT_Vector3 position;
        volume.indexToPos(index[0], index[1], index[2], position);
        return position;
    };
    int index[3];
    const UT_Vector3 corner = at(0, 0, index), next = at(1, 0, index), beside = at(0, 1, index),
                     last = at(res[first] - 1, res[second] - 1, index);
    const float cell = (next - corner).length(), across = (beside - corner).length();
    const bool along_axes = std::abs(next.y() - corner.y()) < 1e-3f * cell &&
                            std::abs(beside.y() - corner.y()) < 1e-3f * cell &&
                            std::min(std::abs(next.x() - corner.x()), std::abs(next.z() - corner.z())) < 1e-3f * cell;
    if (res[first] < 2 || res[second] < 2 || !along_axes || std::abs(cell - across) > 1e-3f * cell)
        throw Error(
            "the height field has to lie along x and z with square cells, and heights along y; set its orientation to "
            "ZX Plane and don't rotate it");
    const bool first_along_x = std::abs(next.x() - corner.x()) > std::abs(next.z() - corner.z());
    Heightfield field;
    field.columns = first_along_x ? res[first] : res[second];
    field.rows = first_along_x ? res[second] : res[first];
    field.cell = cell;
    field.origin = {std::min(corner.x(), last.x()), corner.y(), std::min(corner.z(), last.z())};
    field.height.resize(static_cast<size_t>(field.columns) * static_cast<size_t>(field.rows));
    const UT_VoxelArrayReadHandleF voxels = volume.getVoxelHandle();
    for (int b = 0; b < res[second]; ++b) {
        for (int a = 0; a < res[first]; ++a) {
            const UT_Vector3 position = at(a, b, index);
            const auto column = static_cast<size_t>(std::lround((position.x() - field.origin.x) / cell));
            const auto row = static_cast<size_t>(std::lround((position.z() - field.origin.z) / cell));
            field.height[row * static_cast<size_t>(field.columns) + column] =
                voxels->getValue(index[0], index[1], index[2]);
        }
    }
    return field;
}

// ---- packed primitives

/// Splits a packed primitive's transform: what turns and moves is the placement, what stretches goes into the mesh.
void place(SurfacePiece& piece, const UT_Matrix4D& full) {
    Unstretched split;
    try {
        split = unstretched(affine_of(full));
    } catch (const Error& error) {
        throw Error("packed primitive '" + piece.name + "': " + error.what());
    }
    piece.placement = split.placement;
    if (split.rigid) return;
    for (Float3& p : piece.mesh.points) p = multiplied(split.stretch, p);
    if (split.mirrors)
        for (auto& triangle : piece.mesh.triangles) std::swap(triangle[1], triangle[2]);
}

std::string packed_name(const GU_Detail& detail, GA_Offset primitive) {
    for (const char* attribute : {"name", "path"}) {
        const std::string name = primitive_text(detail, primitive, attribute);
        if (!name.empty()) return name;
    }
    return "packed" + std::to_string(detail.primitiveIndex(primitive));
}

/// What carries the world into the space of a packed primitive.
Affine into_packed(const UT_Matrix4D& full, const std::string& name) {
    UT_Matrix4D inverse(full);
    if (inverse.invert() != 0) throw Error("packed primitive '" + name + "': its transform has no volume");
    return affine_of(inverse);
}

/// Everything in a packed primitive as one piece. Values that not all parts have are left out. False: it is empty.
bool packed_piece(const GU_Detail& detail, const GU_PrimPacked& packed, const std::vector<WantedValues>& wanted,
                  SurfacePiece& piece) {
    piece.packed = true;
    piece.name = packed_name(detail, packed.getMapOffset());
    UT_Matrix4D full;
    packed.getFullTransform4(full);
    // Only packed geometry is sure to hand out its own detail: a fragment may hand out that of all fragments, Alembic
    // and USD have none. What is unpacked is in the world, and goes back into the primitive's space.
    const bool is_geometry = packed.getTypeId() == GU_PackedGeometry::typeId();
    const GU_DetailHandleAutoReadLock inside(is_geometry ? packed.getPackedDetail() : GU_ConstDetailHandle());
    GU_Detail unpacked;
    const GU_Detail* content = is_geometry ? inside.getGdp() : nullptr;
    Affine back;
    if (!content) {
        if (!packed.unpackUsingPolygons(unpacked))
            throw Error("packed primitive '" + piece.name + "' could not be unpacked: is its file there?");
        content = &unpacked;
        back = into_packed(full, piece.name);
    }
    if (content->getNumPoints() == 0) return false;
    GeometryPieces parts;
    try {
        parts = geometry_pieces(*content, "", wanted);
    } catch (const Error& error) {
        throw Error("packed primitive '" + piece.name + "': " + error.what());
    }
    if (!parts.heightfields.empty())
        throw Error("packed primitive '" + piece.name + "' holds a height field; unpack it");
    if (parts.surfaces.empty()) throw Error("packed primitive '" + piece.name + "' holds points, no surface");
    for (size_t k = 0; k < parts.surfaces.size(); ++k) {
        const SurfacePiece& part = parts.surfaces[k];
        Mesh mesh = placed_mesh(part);
        if (content == &unpacked)
            for (Float3& p : mesh.points) p = apply_transform(back, p);
        const auto first = static_cast<uint32_t>(piece.mesh.points.size());
        piece.mesh.points.insert(piece.mesh.points.end(), mesh.points.begin(), mesh.points.end());
        for (const auto& t : mesh.triangles) piece.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
        if (parts.surfaces.size() == 1) piece.values = part.values;
        piece.from_volume |= part.from_volume;
    }
    place(piece, full);
    return true;
}

}  // namespace

Mesh placed_mesh(const SurfacePiece& piece) {
    return piece.packed ? transformed(piece.mesh, piece.placement) : piece.mesh;
}

Affine affine_of(const UT_DMatrix4& m) {
    Affine a;
    for (unsigned row = 0; row < 3; ++row) {
        for (unsigned column = 0; column < 3; ++column) a.linear[3 * row + column] = m(column, row);
        a.translation[row] = m(3, row);
    }
    return a;
}

std::vector<WantedValues> surface_values() {
    std::vector<WantedValues> wanted;
    for (const SurfaceQuantity& q : surface_table()) wanted.push_back({q.token, 1});
    return wanted;
}

const std::vector<float>* surface_value(const SurfacePiece& piece, size_t quantity) {
    for (const PointValues& values : piece.values)
        if (values.name == surface_table()[quantity].token) return &values.values;
    return nullptr;
}

GeometryPieces geometry_pieces(const GU_Detail& detail, const std::string& piece_attribute,
                               const std::vector<WantedValues>& wanted) {
    GeometryPieces pieces;
    std::vector<SurfacePiece> others;
    std::vector<const GU_PrimPacked*> packed;
    std::vector<GA_Offset> faces, foreign;
    for (GA_Iterator it(detail.getPrimitiveRange()); !it.atEnd(); ++it) {
        const GEO_Primitive* primitive = detail.getGEOPrimitive(*it);
        if (is_curve(*primitive)) throw_curve("primitive " + std::to_string(detail.primitiveIndex(*it)));
        if (is_polygons(*primitive)) {
            faces.push_back(*it);
        } else if (primitive->getTypeId() == GEO_PRIMVDB) {
            const auto& vdb = static_cast<const GEO_PrimVDB&>(*primitive);
            const std::string name = primitive_name(detail, *it);
            // A vector field is not a shape, but it may accompany one.
            if (!vdb.hasGrid() || !vdb.getConstGrid().isType<openvdb::FloatGrid>()) continue;
            SurfacePiece piece;
            piece.name = name.empty() ? "vdb" + std::to_string(detail.primitiveIndex(*it)) : name;
            piece.from_volume = true;
            piece.mesh = grid_mesh(vdb.getConstGrid(), "VDB '" + piece.name + "'");
            others.push_back(std::move(piece));
        } else if (primitive->getTypeId() == GEO_PRIMVOLUME) {
            const auto& volume = static_cast<const GEO_PrimVolume&>(*primitive);
            const std::string name = primitive_name(detail, *it);
            int res[3];
            volume.getRes(res[0], res[1], res[2]);
            if (res[0] != 1 && res[1] != 1 && res[2] != 1)
                throw Error("volume '" + name + "' is not a height field; convert it with Convert VDB first");
            // The other layers of a height field (mask, water, ...) are not its shape.
            if (name == "height" || (name.empty() && volume.getVisualization() == GEO_VOLUMEVIS_HEIGHTFIELD))
                pieces.heightfields.push_back(height_field(volume));
        } else if (GU_PrimPacked::isPackedPrimitive(*primitive)) {
            packed.push_back(static_cast<const GU_PrimPacked*>(primitive));
        } else {
            foreign.push_back(*it);
        }
    }
    std::sort(foreign.begin(), foreign.end());
    add_polygon_pieces(detail, faces, piece_attribute, wanted, pieces.surfaces);
    add_converted(detail, foreign, piece_attribute, wanted, pieces.surfaces);
    for (SurfacePiece& piece : others) pieces.surfaces.push_back(std::move(piece));
    for (const GU_PrimPacked* primitive : packed) {
        SurfacePiece piece;
        if (packed_piece(detail, *primitive, wanted, piece)) pieces.surfaces.push_back(std::move(piece));
    }
    return pieces;
}

}  // namespace firn
