// GEO and GU: primitives.

#include <GA/GA_Handle.h>
#include <GU/GU_PackedGeometry.h>
#include <GU/GU_PrimPoly.h>
#include <GU/GU_PrimVDB.h>
#include <GU/GU_PrimVolume.h>

#include <stdexcept>

GEO_Primitive::~GEO_Primitive() = default;

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

GU_PrimPacked* GU_PackedGeometry::packGeometry(GU_Detail& gdp, const GU_ConstDetailHandle& detail) {
    auto primitive = std::make_unique<GU_PrimPacked>(detail);
    const GA_Offset point = gdp.appendPoint();
    gdp.setPos3(point, UT_Vector3(0, 0, 0));
    primitive->addPoint(point);
    return static_cast<GU_PrimPacked*>(gdp.adopt(std::move(primitive)));
}
