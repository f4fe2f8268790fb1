// GEO and GU: primitives.

#include <GA/GA_Handle.h>
#include <GU/GU_PackedGeometry.h>
#include <GU/GU_PrimPoly.h>
#include <GU/GU_PrimVDB.h>
#include <GU/GU_PrimVolume.h>

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

GU_PrimPoly* GU_PrimPoly::build(GA_Detail* gdp, int npts, int open, int appendpts) {
    auto polygon = std::make_unique<GU_PrimPoly>();
    polygon->setClosed(open == GU_POLY_CLOSED);
    if (appendpts) {
        const GA_Offset first = gdp->appendPointBlock(npts);
        for (int v = 0; v < npts; ++v) polygon->appendVertex(first + v);
    }
    return static_cast<GU_PrimPoly*>(gdp->adopt(std::move(polygon)));
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
