// GEO and GU: primitives.

#include <GA/GA_Handle.h>
#include <GU/GU_ConvertParms.h>
#include <GU/GU_PackedFragment.h>
#include <GU/GU_PackedGeometry.h>
#include <GU/GU_PrimMetaBall.h>
#include <GU/GU_PrimNURBCurve.h>
#include <GU/GU_PrimPoly.h>
#include <GU/GU_PrimPolySoup.h>
#include <GU/GU_PrimSphere.h>
#include <GU/GU_PrimVDB.h>
#include <GU/GU_PrimVolume.h>

#include <cmath>
#include <stdexcept>

GEO_Primitive::~GEO_Primitive() = default;

GU_DetailHandle GU_ConstDetailHandle::getWriteableCopy() const {
    GU_DetailHandle copy;
    if (!myGdp) return copy;
    copy.allocateAndSet(new GU_Detail);
    copy.gdpNC()->replaceWith(*myGdp);
    return copy;
}

bool GEO_Detail::getBBox(UT_BoundingBox* bbox) const {
    bbox->makeInvalid();
    for (GA_Iterator it(getPointRange()); !it.atEnd(); ++it) bbox->enlargeBounds(getPos3(*it));
    return bbox->isValid();
}

std::unique_ptr<GA_Primitive> GEO_PrimPoly::duplicate() const {
    return std::unique_ptr<GA_Primitive>(new GEO_PrimPoly(*this));
}
std::unique_ptr<GA_Primitive> GU_PrimPoly::duplicate() const {
    return std::unique_ptr<GA_Primitive>(new GU_PrimPoly(*this));
}
std::unique_ptr<GA_Primitive> GU_PrimVDB::duplicate() const {
    return std::unique_ptr<GA_Primitive>(new GU_PrimVDB(*this));
}
std::unique_ptr<GA_Primitive> GU_PrimVolume::duplicate() const {
    return std::unique_ptr<GA_Primitive>(new GU_PrimVolume(*this));
}
std::unique_ptr<GA_Primitive> GU_PrimPacked::duplicate() const {
    return std::unique_ptr<GA_Primitive>(new GU_PrimPacked(*this));
}

GA_Offset GEO_PrimPoly::buildBlock(GA_Detail* detail, GA_Offset startpt, GA_Size, const GEO_PolyCounts& polygonsizes,
                                   const int* polygonpointnumbers, bool closed) {
    GA_Offset first = GA_INVALID_OFFSET;
    for (const auto& [size, count] : polygonsizes.sizes()) {
        for (GA_Size k = 0; k < count; ++k) {
            auto polygon = std::make_unique<GU_PrimPoly>();
            for (GA_Size v = 0; v < size; ++v) polygon->appendVertex(*polygonpointnumbers++);
            polygon->setClosed(closed);
            const GA_Primitive* placed = detail->adopt(std::move(polygon), startpt);
            if (first == GA_INVALID_OFFSET) first = placed->getMapOffset();
        }
    }
    return first;
}

GEO_Primitive* GEO_Detail::appendPrimitive(const GA_PrimitiveTypeId& type) {
    return type == GEO_PRIMPOLY ? GU_PrimPoly::build(this, 0, GU_POLY_OPEN, 0) : nullptr;
}

GEO_PrimPoly* GEO_PrimPoly::build(GA_Detail* gdp, GA_Size nvertices, bool open, bool appendpts) {
    auto polygon = std::make_unique<GU_PrimPoly>();
    polygon->setClosed(!open);
    const GA_Offset first = appendpts ? gdp->appendPointBlock(nvertices) : GA_INVALID_OFFSET;
    for (GA_Size v = 0; v < nvertices; ++v) polygon->appendVertex(appendpts ? first + v : GA_INVALID_OFFSET);
    return static_cast<GEO_PrimPoly*>(gdp->adopt(std::move(polygon)));
}

GU_PrimPoly* GU_PrimPoly::build(GA_Detail* gdp, int npts, int open, int appendpts) {
    return static_cast<GU_PrimPoly*>(GEO_PrimPoly::build(gdp, npts, open != GU_POLY_CLOSED, appendpts != 0));
}

GA_Offset GA_Detail::appendPrimitivesAndVertices(const GA_PrimitiveTypeId& type, GA_Size nprimitives,
                                                 GA_Size nvertices_each, GA_Offset& vertex_block_start,
                                                 bool closed_flag) {
    if (type != GEO_PRIMPOLY) throw std::invalid_argument("the fake appends polygons alone");
    vertex_block_start = 0;
    for (const auto& primitive : myPrimitives) vertex_block_start += primitive->getVertexCount();
    const auto first = static_cast<GA_Offset>(myPrimitives.size());
    for (GA_Size k = 0; k < nprimitives; ++k) GEO_PrimPoly::build(this, nvertices_each, !closed_flag, false);
    return first;
}

GA_OffsetListRef GA_Detail::getPrimitiveVertexList(GA_Offset primitive) const {
    GA_Offset first = 0;
    for (GA_Offset k = 0; k < primitive; ++k) first += getPrimitive(k)->getVertexCount();
    return GA_OffsetListRef(first, getPrimitiveVertexCount(primitive));
}
GA_Offset GA_Detail::vertexPoint(GA_Offset vertex) const {
    for (const auto& primitive : myPrimitives) {
        if (vertex < primitive->getVertexCount()) return primitive->getPointOffset(vertex);
        vertex -= primitive->getVertexCount();
    }
    return GA_INVALID_OFFSET;
}

const char* GEO_PrimVDB::getGridName() const {
    const GA_ROHandleS name(&getDetail(), GA_ATTRIB_PRIMITIVE, "name");
    myName = name.isValid() ? name.get(getMapOffset()).toStdString() : "";
    return myName.c_str();
}

GEO_PrimVDB* GU_PrimVDB::buildFromGrid(GU_Detail& gdp, openvdb::GridBase::Ptr grid, const GEO_PrimVDB*,
                                       const char* name) {
    const std::string called = name ? name : grid->getName();
    auto primitive = std::unique_ptr<GU_PrimVDB>(new GU_PrimVDB(std::move(grid)));
    primitive->addPoint(gdp.appendPoint());
    auto* placed = static_cast<GU_PrimVDB*>(gdp.adopt(std::move(primitive)));
    GA_RWHandleS(gdp.addStringTuple(GA_ATTRIB_PRIMITIVE, "name", 1)).set(placed->getMapOffset(), called);
    return placed;
}

void GEO_PrimVolume::getRes(int& rx, int& ry, int& rz) const {
    rx = myVoxels->getXRes();
    ry = myVoxels->getYRes();
    rz = myVoxels->getZRes();
}
bool GEO_PrimVolume::indexToPos(int x, int y, int z, UT_Vector3& position) const {
    const float c = myCell;
    const auto along = [&](int k) { return static_cast<float>(k) * c; };
    position = myHeightField ? UT_Vector3(myFirst.x() + along(x), myFirst.y() + along(z), myFirst.z() + along(y))
                             : UT_Vector3(myFirst.x() + along(x), myFirst.y() + along(y), myFirst.z() + along(z));
    return true;
}

GEO_PrimVolume* GU_PrimVolume::build(GU_Detail* gdp) {
    auto primitive = std::make_unique<GU_PrimVolume>();
    primitive->addPoint(gdp->appendPoint());
    return static_cast<GU_PrimVolume*>(gdp->adopt(std::move(primitive)));
}

void GU_PrimPacked::getFullTransform4(UT_Matrix4D& matrix) const {
    matrix.identity();
    const GA_ROHandleV3D position(getDetail().getP());
    const UT_Vector3D at = position.get(getPointOffset(0));
    for (unsigned r = 0; r < 3; ++r) {
        for (unsigned c = 0; c < 3; ++c) matrix(r, c) = localTransform()(r, c);
        matrix(3, r) = at(static_cast<int>(r));
    }
}

bool GU_PrimPacked::isPackedPrimitive(const GA_Primitive& prim) {
    return dynamic_cast<const GU_PrimPacked*>(&prim) != nullptr;
}

/// The fragment's own primitives and their points, or everything.
void GU_PrimPacked::own(GU_Detail& part) const {
    part.replaceWith(*myContent.detail.gdp());
    if (myContent.attribute.empty()) return;
    const GA_ROHandleS names(&part, GA_ATTRIB_PRIMITIVE, myContent.attribute.c_str());
    std::vector<bool> used(static_cast<size_t>(part.getNumPointOffsets()), false);
    GA_PrimitiveGroup others;
    GA_PointGroup unused;
    for (GA_Iterator it(part.getPrimitiveRange()); !it.atEnd(); ++it) {
        if (names.get(*it).toStdString() != myContent.value) {
            others.addOffset(*it);
            continue;
        }
        const GA_Primitive* primitive = part.getPrimitive(*it);
        for (GA_Size v = 0; v < primitive->getVertexCount(); ++v)
            used[static_cast<size_t>(primitive->getPointOffset(v))] = true;
    }
    for (GA_Offset point = 0; point < part.getNumPointOffsets(); ++point)
        if (!used[static_cast<size_t>(point)]) unused.addOffset(point);
    part.destroyPrimitives(part.getPrimitiveRange(&others));
    part.destroyPointOffsets(part.getPointRange(&unused));
}

GU_ConstDetailHandle GU_PrimPacked::getPackedDetail() const {
    if (!myContent.has_detail) return GU_ConstDetailHandle();
    if (myContent.attribute.empty() || GU_PackedFragment::answers_with_whole_detail) return myContent.detail;
    GU_DetailHandle part;
    part.allocateAndSet(new GU_Detail);
    own(*part.gdpNC());
    return part;
}

namespace {

void turn_into_soup(GU_Detail& detail) {
    GEO_PolyCounts sizes;
    std::vector<int> corners;
    GA_PrimitiveGroup polygons;
    for (GA_Iterator it(detail.getPrimitiveRange()); !it.atEnd(); ++it) {
        const GA_Primitive* polygon = detail.getPrimitive(*it);
        if (polygon->getTypeId() != GEO_PRIMPOLY) continue;
        sizes.append(polygon->getVertexCount());
        for (GA_Size v = 0; v < polygon->getVertexCount(); ++v)
            corners.push_back(static_cast<int>(polygon->getPointOffset(v)));
        polygons.addOffset(*it);
    }
    detail.destroyPrimitives(detail.getPrimitiveRange(&polygons));
    GU_PrimPolySoup::build(&detail, 0, detail.getNumPoints(), sizes, corners.data());
}

}  // namespace

bool GU_PrimPacked::unpackUsingPolygons(GU_Detail& dest) const {
    if (!myContent.detail.isValid()) return false;
    GU_Detail part;
    own(part);
    UT_Matrix4D full;
    getFullTransform4(full);
    for (GA_Iterator it(part.getPointRange()); !it.atEnd(); ++it) {
        const UT_Vector3 p = part.getPos3(*it);
        UT_Vector3D to;
        for (unsigned c = 0; c < 3; ++c)
            to(static_cast<int>(c)) = p.x() * full(0, c) + p.y() * full(1, c) + p.z() * full(2, c) + full(3, c);
        part.setPos3(*it, UT_Vector3(to));
    }
    dest.merge(part);
    return true;
}

bool GU_PrimPacked::unpack(GU_Detail& dest) const {
    GU_Detail part;
    if (!unpackUsingPolygons(part)) return false;
    if (!myContent.has_detail) turn_into_soup(part);
    dest.merge(part);
    return true;
}

GU_PrimPacked* GU_PrimPacked::place(GU_Detail& gdp, GA_PrimitiveTypeId type, Content content) {
    auto primitive = std::make_unique<GU_PrimPacked>(type, std::move(content));
    const GA_Offset point = gdp.appendPoint();
    gdp.setPos3(point, UT_Vector3(0, 0, 0));
    primitive->addPoint(point);
    return static_cast<GU_PrimPacked*>(gdp.adopt(std::move(primitive)));
}

GU_PrimPacked* GU_PackedGeometry::packGeometry(GU_Detail& gdp, const GU_ConstDetailHandle& detail) {
    return GU_PrimPacked::place(gdp, typeId(), {detail, "", "", true});
}

bool GU_PackedFragment::answers_with_whole_detail = true;

GU_PrimPacked* GU_PackedFragment::createFragment(GU_Detail& dest, const GU_ConstDetailHandle& src,
                                                 const GA_Attribute* attrib, const UT_StringHolder& val) {
    return GU_PrimPacked::place(dest, typeId(), {src, attrib->getName().toStdString(), val.toStdString(), true});
}

GU_PrimPacked* hdk_fake::pack_reference(GU_Detail& gdp, const GU_ConstDetailHandle& detail) {
    return GU_PrimPacked::place(gdp, GA_PrimitiveTypeId(103), {detail, "", "", false});
}

// ---- other primitives

GA_Offset GU_PrimPolySoup::build(GA_Detail* gdp, GA_Offset startpt, GA_Size, const GEO_PolyCounts& polygonsizes,
                                 const int* polygonpointnumbers) {
    auto soup = std::make_unique<GU_PrimPolySoup>();
    for (const auto& [size, count] : polygonsizes.sizes()) {
        soup->mySizes.insert(soup->mySizes.end(), static_cast<size_t>(count), size);
        for (GA_Size v = 0; v < size * count; ++v) soup->addPoint(*polygonpointnumbers++);
    }
    return gdp->adopt(std::move(soup), startpt)->getMapOffset();
}
std::unique_ptr<GA_Primitive> GU_PrimPolySoup::duplicate() const {
    return std::unique_ptr<GA_Primitive>(new GU_PrimPolySoup(*this));
}

GEO_Primitive* GU_PrimSphere::build(const GU_PrimSphereParms& parms) {
    auto sphere = std::unique_ptr<GU_PrimSphere>(new GU_PrimSphere(parms.xform(0, 0)));
    const GA_Offset point = parms.gdp->appendPoint();
    parms.gdp->setPos3(point, UT_Vector3(parms.xform(3, 0), parms.xform(3, 1), parms.xform(3, 2)));
    sphere->addPoint(point);
    return static_cast<GEO_Primitive*>(parms.gdp->adopt(std::move(sphere)));
}
std::unique_ptr<GA_Primitive> GU_PrimSphere::duplicate() const {
    return std::unique_ptr<GA_Primitive>(new GU_PrimSphere(*this));
}

GU_PrimMetaBall* GU_PrimMetaBall::build(GU_Detail* gdp, int) {
    auto ball = std::unique_ptr<GU_PrimMetaBall>(new GU_PrimMetaBall);
    ball->addPoint(gdp->appendPoint());
    return static_cast<GU_PrimMetaBall*>(gdp->adopt(std::move(ball)));
}
std::unique_ptr<GA_Primitive> GU_PrimMetaBall::duplicate() const {
    return std::unique_ptr<GA_Primitive>(new GU_PrimMetaBall(*this));
}

GU_PrimNURBCurve* GU_PrimNURBCurve::build(GU_Detail* gdp, int nPts, int, int, int, int appendPts) {
    auto curve = std::unique_ptr<GU_PrimNURBCurve>(new GU_PrimNURBCurve);
    for (int k = 0; k < nPts; ++k) curve->addPoint(appendPts ? gdp->appendPoint() : GA_INVALID_OFFSET);
    return static_cast<GU_PrimNURBCurve*>(gdp->adopt(std::move(curve)));
}
std::unique_ptr<GA_Primitive> GU_PrimNURBCurve::duplicate() const {
    return std::unique_ptr<GA_Primitive>(new GU_PrimNURBCurve(*this));
}

namespace {

/// Rows of quads from pole to pole, clockwise seen from outside.
void add_globe(GU_Detail& detail, const UT_Vector3& centre, float radius) {
    constexpr int rows = 12, columns = 24;
    const GA_Offset first = detail.appendPointBlock((rows - 1) * columns + 2);
    const auto at = [&](int row, int column) {
        if (row == 0) return first + (rows - 1) * columns;
        if (row == rows) return first + (rows - 1) * columns + 1;
        return first + (row - 1) * columns + column % columns;
    };
    for (int row = 0; row <= rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const double down = M_PI * row / rows, around = 2 * M_PI * column / columns;
            const UT_Vector3D d(std::sin(down) * std::cos(around), std::cos(down), std::sin(down) * std::sin(around));
            detail.setPos3(at(row, column), centre + UT_Vector3(d) * radius);
        }
    }
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            GU_PrimPoly* polygon = GU_PrimPoly::build(&detail, 0, GU_POLY_CLOSED, 0);
            polygon->appendVertex(at(row, column));
            if (row > 0) polygon->appendVertex(at(row, column + 1));
            polygon->appendVertex(at(row + 1, column + 1));
            if (row + 1 < rows) polygon->appendVertex(at(row + 1, column));
        }
    }
}

}  // namespace

void GU_Detail::convert(GEO_ConvertParms& parms) {
    if (parms.toType() != GEO_PrimTypeCompat::GEOPRIMPOLY) throw std::invalid_argument("the fake converts to polygons");
    std::vector<const GU_PrimSphere*> spheres;
    std::vector<const GU_PrimNURBCurve*> curves;
    for (GA_Iterator it(getPrimitiveRange()); !it.atEnd(); ++it) {
        if (const auto* sphere = dynamic_cast<const GU_PrimSphere*>(getPrimitive(*it))) spheres.push_back(sphere);
        if (const auto* curve = dynamic_cast<const GU_PrimNURBCurve*>(getPrimitive(*it))) curves.push_back(curve);
    }
    for (const GU_PrimNURBCurve* curve : curves) {
        GU_PrimPoly* line = GU_PrimPoly::build(this, 0, GU_POLY_OPEN, 0);
        for (GA_Size v = 0; v < curve->getVertexCount(); ++v) line->appendVertex(curve->getPointOffset(v));
        destroyPrimitiveOffset(curve->getMapOffset());
    }
    for (const GU_PrimSphere* sphere : spheres) {
        add_globe(*this, getPos3(sphere->getPointOffset(0)), sphere->radius());
        destroyPrimitiveOffset(sphere->getMapOffset());
    }
    bumpAllDataIds();
}
