// SIM_Geometry and SIM_GeometryCopy. In files go points and polygons with the attributes of points and of the detail;
// other primitives stay behind, because no test saves any.

#include <GA/GA_ATINumeric.h>
#include <GA/GA_ATIString.h>
#include <GEO/GEO_PrimPoly.h>
#include <GU/GU_PrimPoly.h>
#include <SIM/SIM_GeometryCopy.h>
#include <UT/UT_IStream.h>

#include <ostream>
#include <string>

namespace {

void put(std::ostream& os, int64 number) {
    os.write(reinterpret_cast<const char*>(&number), sizeof number);
}
void put(std::ostream& os, double number) {
    os.write(reinterpret_cast<const char*>(&number), sizeof number);
}
void put(std::ostream& os, const std::string& text) {
    put(os, static_cast<int64>(text.size()));
    os.write(text.data(), static_cast<std::streamsize>(text.size()));
}

struct Input {
    UT_IStream& stream;
    bool good = true;

    template <class T>
    T number() {
        T value{};
        good = good && stream.bread(reinterpret_cast<char*>(&value), sizeof value) == sizeof value;
        return good ? value : T{};
    }
    std::string text() {
        const int64 size = number<int64>();
        if (size < 0 || size > (1 << 20)) good = false;
        std::string bytes(good ? static_cast<size_t>(size) : 0, ' ');
        good = good && stream.bread(bytes.data(), size) == size;
        return bytes;
    }
};

void write_attributes(std::ostream& os, const GU_Detail& gdp, GA_AttributeOwner owner,
                      const std::vector<GA_Offset>& offsets) {
    put(os, static_cast<int64>(gdp.attributes(owner).size()));
    for (const auto& attribute : gdp.attributes(owner)) {
        put(os, attribute->getName().toStdString());
        put(os, static_cast<int64>(attribute->getStorage()));
        put(os, static_cast<int64>(attribute->getTupleSize()));
        put(os, static_cast<int64>(attribute->getTypeInfo()));
        const GA_ATINumeric* numeric = GA_ATINumeric::cast(attribute.get());
        const GA_ATIString* strings = GA_ATIString::cast(attribute.get());
        const bool real = attribute->getStorageClass() == GA_STORECLASS_REAL;
        for (const GA_Offset offset : offsets) {
            if (strings) put(os, strings->getString(offset).toStdString());
            if (!numeric) continue;
            for (int c = 0; c < attribute->getTupleSize(); ++c) {
                if (real)
                    put(os, numeric->getValue<double>(offset, c));
                else
                    put(os, numeric->getValue<int64>(offset, c));
            }
        }
    }
}

bool read_attributes(Input& in, GU_Detail& gdp, GA_AttributeOwner owner, GA_Offset first, GA_Size count) {
    const int64 attributes = in.number<int64>();
    for (int64 k = 0; k < attributes && in.good; ++k) {
        const std::string name = in.text();
        const auto storage = static_cast<GA_Storage>(in.number<int64>());
        const int size = static_cast<int>(in.number<int64>());
        const auto type = static_cast<GA_TypeInfo>(in.number<int64>());
        if (!in.good || size < 1 || size > 64) return false;
        GA_Attribute* attribute = gdp.findAttribute(owner, name);
        const bool real = storage == GA_STORE_REAL32 || storage == GA_STORE_REAL64;
        if (!attribute && storage == GA_STORE_STRING)
            attribute = gdp.addStringTuple(owner, name, 1).getAttribute();
        else if (!attribute && real)
            attribute =
                gdp.addFloatTuple(owner, name, size, GA_Defaults(0.0), nullptr, nullptr, storage).getAttribute();
        else if (!attribute)
            attribute = gdp.addIntTuple(owner, name, size, GA_Defaults(0), nullptr, nullptr, storage).getAttribute();
        if (!attribute) return false;
        attribute->setTypeInfo(type);
        GA_ATINumeric* numeric = GA_ATINumeric::cast(attribute);
        GA_ATIString* strings = GA_ATIString::cast(attribute);
        for (GA_Size i = 0; i < count && in.good; ++i) {
            if (strings) strings->setString(first + i, in.text());
            if (!numeric) continue;
            for (int c = 0; c < size; ++c) {
                if (real)
                    numeric->setValue(first + i, c, in.number<double>());
                else
                    numeric->setValue(first + i, c, in.number<int64>());
            }
        }
    }
    return in.good;
}

void write_detail(std::ostream& os, const GU_Detail& gdp) {
    std::vector<GA_Offset> points;
    for (GA_Offset offset = 0; offset < gdp.getNumPointOffsets(); ++offset)
        if (gdp.isActive(GA_ATTRIB_POINT, offset)) points.push_back(offset);
    put(os, static_cast<int64>(points.size()));
    write_attributes(os, gdp, GA_ATTRIB_POINT, points);
    write_attributes(os, gdp, GA_ATTRIB_DETAIL, {0});
    std::vector<const GEO_PrimPoly*> polygons;
    for (GA_Index k = 0; k < gdp.getNumPrimitives(); ++k)
        if (const auto* polygon = dynamic_cast<const GEO_PrimPoly*>(gdp.getPrimitive(gdp.primitiveOffset(k))))
            polygons.push_back(polygon);
    put(os, static_cast<int64>(polygons.size()));
    for (const GEO_PrimPoly* polygon : polygons) {
        put(os, static_cast<int64>(polygon->isClosed()));
        put(os, polygon->getVertexCount());
        for (GA_Size v = 0; v < polygon->getVertexCount(); ++v) put(os, polygon->getPointIndex(v));
    }
}

bool read_detail(UT_IStream& stream, GU_Detail& gdp) {
    Input in{stream};
    const int64 points = in.number<int64>();
    if (!in.good || points < 0 || points > (1 << 26)) return false;
    const GA_Offset first = points ? gdp.appendPointBlock(points) : 0;
    if (!read_attributes(in, gdp, GA_ATTRIB_POINT, first, points)) return false;
    if (!read_attributes(in, gdp, GA_ATTRIB_DETAIL, 0, 1)) return false;
    const int64 polygons = in.number<int64>();
    for (int64 k = 0; k < polygons && in.good; ++k) {
        const bool closed = in.number<int64>() != 0;
        const int64 corners = in.number<int64>();
        GU_PrimPoly* polygon = GU_PrimPoly::build(&gdp, 0, closed ? GU_POLY_CLOSED : GU_POLY_OPEN, 0);
        for (int64 v = 0; v < corners && in.good; ++v) polygon->appendVertex(first + in.number<int64>());
    }
    return in.good;
}

/// A detail of its own with the same content and the same data ids: Houdini's copies promise equal data too.
GU_DetailHandle copy_of(const GU_ConstDetailHandle& source) {
    GU_DetailHandle copy;
    if (source.isNull()) return copy;
    auto* gdp = new GU_Detail;
    gdp->replaceWith(*source.gdp());
    copy.allocateAndSet(gdp);
    return copy;
}

}  // namespace

SIM_Geometry::SIM_Geometry(const SIM_DataFactory* factory) : SIM_Data(factory), SIM_OptionsUser(this) {}
SIM_Geometry::~SIM_Geometry() = default;

GU_ConstDetailHandle SIM_Geometry::getGeometry() const {
    return geometry_.isNull() ? getGeometrySubclass() : GU_ConstDetailHandle(geometry_);
}

void SIM_Geometry::getTransform(UT_DMatrix4& xform) const {
    if (transform_)
        xform = *transform_;
    else
        getTransformSubclass(xform);
}

void SIM_Geometry::setOwnGeometry(const GU_DetailHandle& gdh) {
    geometry_ = gdh;
    handleModification();
}

void SIM_Geometry::setOwnTransform(UT_DMatrix4* xform) {
    transform_.reset(xform);
    handleModification();
}

void SIM_Geometry::initializeSubclass() {
    BaseClass::initializeSubclass();
    geometry_.clear();
    transform_.reset();
}

void SIM_Geometry::makeEqualSubclass(const SIM_Data* source) {
    BaseClass::makeEqualSubclass(source);
    const SIM_Geometry* other = SIM_DATA_CASTCONST(source, SIM_Geometry);
    if (!other) return;
    geometry_ = copy_of(other->getGeometry());
    transform_.reset(other->transform_ ? new UT_DMatrix4(*other->transform_) : nullptr);
}

void SIM_Geometry::saveIOSubclass(std::ostream& os, SIM_DataThreadedIO* io) const {
    BaseClass::saveIOSubclass(os, io);
    put(os, static_cast<int64>(transform_ != nullptr));
    for (int k = 0; transform_ && k < 16; ++k) put(os, transform_->data()[k]);
    put(os, static_cast<int64>(!geometry_.isNull()));
    if (!geometry_.isNull()) write_detail(os, *geometry_.gdp());
}

bool SIM_Geometry::loadIOSubclass(UT_IStream& is, SIM_DataThreadedIO* io) {
    if (!BaseClass::loadIOSubclass(is, io)) return false;
    Input in{is};
    transform_.reset(in.number<int64>() ? new UT_DMatrix4(1.0) : nullptr);
    for (int k = 0; transform_ && k < 16; ++k) transform_->data()[k] = in.number<double>();
    geometry_.clear();
    if (in.number<int64>()) {
        auto* gdp = new GU_Detail;
        geometry_.allocateAndSet(gdp);
        if (!read_detail(is, *gdp)) return false;
    }
    return in.good;
}

void SIM_Geometry::interpolateSubclass(const SIM_Data* source1, const SIM_Data* source2, fpreal interp) {
    makeEqualSubclass(source1);
    const SIM_Geometry* later = SIM_DATA_CASTCONST(source2, SIM_Geometry);
    if (!later || geometry_.isNull() || later->getGeometry().isNull()) return;
    const GU_Detail& to = *later->getGeometry().gdp();
    GU_Detail& gdp = *geometry_.gdpNC();
    if (to.getNumPoints() != gdp.getNumPoints()) return;
    for (GA_Index k = 0; k < gdp.getNumPoints(); ++k) {
        const UT_Vector3 a = gdp.getPos3(gdp.pointOffset(k)), b = to.getPos3(to.pointOffset(k));
        gdp.setPos3(gdp.pointOffset(k), a + (b - a) * static_cast<fpreal32>(interp));
    }
    gdp.getP()->bumpDataId();
}

int64 SIM_Geometry::getMemorySizeSubclass() const {
    int64 bytes = BaseClass::getMemorySizeSubclass();
    return geometry_.isNull() ? bytes : bytes + geometry_.gdp()->getMemoryUsage(false);
}

GU_ConstDetailHandle SIM_Geometry::getGeometrySubclass() const {
    return GU_ConstDetailHandle();
}

void SIM_Geometry::getTransformSubclass(UT_DMatrix4& xform) const {
    xform.identity();
}

SIM_GeometryCopy::SIM_GeometryCopy(const SIM_DataFactory* factory) : SIM_Geometry(factory) {}
SIM_GeometryCopy::~SIM_GeometryCopy() = default;

void SIM_GeometryCopy::makeEqualSubclass(const SIM_Data* source) {
    SIM_Geometry::makeEqualSubclass(source);
}

GU_DetailHandle SIM_GeometryCopy::lockGeometry() {
    if (getOwnGeometry().isNull()) {
        GU_DetailHandle empty;
        empty.allocateAndSet(new GU_Detail);
        setOwnGeometry(empty);
    }
    ++locks_;
    return getOwnGeometry();
}

void SIM_GeometryCopy::releaseGeometry(SIM_DataIdStrategy strategy) {
    if (strategy == SIM_DATA_ID_BUMP) getOwnGeometry().gdpNC()->bumpAllDataIds();
    if (--locks_ == 0) handleModification();
}

UT_DMatrix4& SIM_GeometryCopy::lockTransform() {
    if (!getOwnTransform()) setOwnTransform(new UT_DMatrix4(1.0));
    return *getOwnTransform();
}

void SIM_GeometryCopy::releaseTransform() {
    handleModification();
}
