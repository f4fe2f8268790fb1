// GA: details, their elements and attributes.

#include <GA/GA_Detail.h>
#include <GA/GA_Handle.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace {

std::atomic<GA_DataId> next_data_id{0};
std::atomic<exint> next_detail_id{0};

uint64 hashed(uint64 hash, const void* data, size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (size_t k = 0; k < bytes; ++k) hash = (hash ^ at[k]) * 1099511628211ull;
    return hash;
}

}  // namespace

void GA_ElementGroup::add(const GA_Primitive* primitive) {
    addOffset(primitive->getMapOffset());
}

GA_Iterator GA_Range::begin() const {
    return GA_Iterator(*this);
}

GA_Index GA_Primitive::getMapIndex() const {
    return getDetail().primitiveIndex(getMapOffset());
}
GA_Range GA_Primitive::getVertexRange() const {
    const GA_OffsetListRef corners = getDetail().getPrimitiveVertexList(getMapOffset());
    return GA_Range(getDetail(), GA_ATTRIB_VERTEX, corners(0), corners(corners.entries()));
}

// ---- attributes

GA_Attribute::GA_Attribute(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size)
    : myName(name), myOwner(owner), myTupleSize(tuple_size), myDataId(next_data_id++) {}
GA_Attribute::~GA_Attribute() = default;

void GA_Attribute::bumpDataId() {
    myDataId = next_data_id++;
}

GA_StorageClass GA_Attribute::getStorageClass() const {
    switch (getStorage()) {
        case GA_STORE_INT32:
        case GA_STORE_INT64:
            return GA_STORECLASS_INT;
        case GA_STORE_REAL32:
        case GA_STORE_REAL64:
            return GA_STORECLASS_REAL;
        case GA_STORE_STRING:
            return GA_STORECLASS_STRING;
        case GA_STORE_DICT:
            return GA_STORECLASS_DICT;
        case GA_STORE_INVALID:
            break;
    }
    return GA_STORECLASS_OTHER;
}

void GA_Attribute::copyDescription(const GA_Attribute& src) {
    myTypeInfo = src.myTypeInfo;
}

GA_ATINumeric::GA_ATINumeric(GA_AttributeOwner owner, const UT_StringHolder& name, GA_Storage storage, int tuple_size,
                             const GA_Defaults& defaults)
    : GA_Attribute(owner, name, tuple_size), myStorage(storage), myDefaults(defaults) {}

size_t GA_ATINumeric::tupleBytes() const {
    const bool wide = myStorage == GA_STORE_INT64 || myStorage == GA_STORE_REAL64;
    return static_cast<size_t>(getTupleSize()) * (wide ? 8 : 4);
}

GA_ATINumeric::Page& GA_ATINumeric::own(GA_PageNum number) {
    std::shared_ptr<Page>& page = myPages[static_cast<size_t>(number)];
    if (page.use_count() > 1) page = std::make_shared<Page>(*page);
    if (page->constant) {
        const size_t tuple = tupleBytes();
        const std::vector<unsigned char> value = page->bytes;
        page->bytes.resize(GA_PAGE_SIZE * tuple);
        for (size_t k = 0; k < GA_PAGE_SIZE; ++k) std::memcpy(page->bytes.data() + k * tuple, value.data(), tuple);
        page->constant = false;
    }
    return *page;
}

void GA_ATINumeric::hardenAllPages() {
    for (size_t page = 0; page < myPages.size(); ++page) own(static_cast<GA_PageNum>(page));
}

void GA_ATINumeric::resize(GA_Size elements) {
    const size_t pages = static_cast<size_t>((elements + GA_PAGE_SIZE - 1) / GA_PAGE_SIZE);
    if (pages < myPages.size()) myPages.resize(pages);
    while (myPages.size() < pages) {
        auto page = std::make_shared<Page>();
        page->bytes.resize(tupleBytes());
        for (int c = 0; c < getTupleSize(); ++c) {
            unsigned char* at =
                page->bytes.data() + static_cast<size_t>(c) * tupleBytes() / static_cast<size_t>(getTupleSize());
            const fpreal64 value = myDefaults.getF(c);
            const auto put = [&](auto number) { std::memcpy(at, &number, sizeof number); };
            if (myStorage == GA_STORE_INT32) put(static_cast<int32>(value));
            if (myStorage == GA_STORE_INT64) put(static_cast<int64>(value));
            if (myStorage == GA_STORE_REAL32) put(static_cast<fpreal32>(value));
            if (myStorage == GA_STORE_REAL64) put(value);
        }
        myPages.push_back(std::move(page));
    }
}

std::unique_ptr<GA_Attribute> GA_ATINumeric::emptyLike() const {
    auto copy = std::make_unique<GA_ATINumeric>(getOwner(), getName(), myStorage, getTupleSize(), myDefaults);
    copy->copyDescription(*this);
    return copy;
}

std::unique_ptr<GA_Attribute> GA_ATINumeric::duplicate() const {
    std::unique_ptr<GA_Attribute> copy = emptyLike();
    static_cast<GA_ATINumeric&>(*copy).myPages = myPages;
    copy->cloneDataId(*this);
    return copy;
}

void GA_ATINumeric::copyElement(GA_Offset to, const GA_Attribute& src, GA_Offset from) {
    const GA_ATINumeric* numeric = cast(&src);
    if (!numeric) return;
    for (int c = 0; c < std::min(getTupleSize(), src.getTupleSize()); ++c) {
        if (numeric->getStorageClass() == GA_STORECLASS_INT)
            setValue<int64>(to, c, numeric->getValue<int64>(from, c));
        else
            setValue<fpreal64>(to, c, numeric->getValue<fpreal64>(from, c));
    }
}

uint64 GA_ATINumeric::contentHash(GA_Size elements) const {
    uint64 hash = 14695981039346656037ull;
    const size_t tuple = tupleBytes();
    for (GA_Offset k = 0; k < elements; ++k) {
        const Page& page = *myPages[static_cast<size_t>(GAgetPageNum(k))];
        hash =
            hashed(hash, page.bytes.data() + (page.constant ? 0 : static_cast<size_t>(GAgetPageOff(k)) * tuple), tuple);
    }
    return hash;
}

GA_ATIString::GA_ATIString(GA_AttributeOwner owner, const UT_StringHolder& name) : GA_Attribute(owner, name, 1) {}

UT_StringHolder GA_ATIString::getString(GA_Offset offset, int) const {
    const GA_StringIndexType handle = myHandles[static_cast<size_t>(offset)];
    return handle < 0 ? UT_StringHolder() : UT_StringHolder(myTexts[static_cast<size_t>(handle)]);
}
GA_StringIndexType GA_ATIString::getStringIndex(GA_Offset offset, int) const {
    return myHandles[static_cast<size_t>(offset)];
}
void GA_ATIString::setString(GA_Offset offset, const UT_StringHolder& text, int) {
    const auto [at, fresh] = myIndices.emplace(text.toStdString(), static_cast<GA_StringIndexType>(myTexts.size()));
    if (fresh) myTexts.push_back(text.toStdString());
    myHandles[static_cast<size_t>(offset)] = at->second;
}
void GA_ATIString::resize(GA_Size elements) {
    myHandles.resize(static_cast<size_t>(elements), GA_INVALID_STRING_INDEX);
}
std::unique_ptr<GA_Attribute> GA_ATIString::emptyLike() const {
    return std::make_unique<GA_ATIString>(getOwner(), getName());
}
std::unique_ptr<GA_Attribute> GA_ATIString::duplicate() const {
    auto copy = std::make_unique<GA_ATIString>(getOwner(), getName());
    copy->myHandles = myHandles;
    copy->myTexts = myTexts;
    copy->myIndices = myIndices;
    copy->cloneDataId(*this);
    return copy;
}
void GA_ATIString::copyElement(GA_Offset to, const GA_Attribute& src, GA_Offset from) {
    if (const GA_ATIString* text = cast(&src))
        if (text->getStringIndex(from) >= 0) setString(to, text->getString(from));
}
uint64 GA_ATIString::contentHash(GA_Size elements) const {
    uint64 hash = 14695981039346656037ull;
    for (GA_Offset k = 0; k < elements; ++k) {
        const std::string text = getString(k).toStdString();
        hash = hashed(hash, text.c_str(), text.size() + 1);
    }
    return hash;
}

namespace {

/// An attribute of arrays or dictionaries: it is there, and has nothing that the nodes could read.
class Unreadable : public GA_Attribute {
public:
    Unreadable(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size, GA_Storage storage)
        : GA_Attribute(owner, name, tuple_size), myStorage(storage) {}
    GA_Storage getStorage() const override { return myStorage; }
    std::unique_ptr<GA_Attribute> duplicate() const override {
        std::unique_ptr<GA_Attribute> copy = emptyLike();
        copy->cloneDataId(*this);
        return copy;
    }
    std::unique_ptr<GA_Attribute> emptyLike() const override {
        return std::make_unique<Unreadable>(getOwner(), getName(), getTupleSize(), myStorage);
    }
    void resize(GA_Size) override {}
    void copyElement(GA_Offset, const GA_Attribute&, GA_Offset) override {}
    uint64 contentHash(GA_Size) const override { return 0; }

private:
    GA_Storage myStorage;
};

}  // namespace

GA_RWAttributeRef GA_Detail::addFloatArray(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size) {
    return add(std::make_unique<Unreadable>(owner, name, tuple_size, GA_STORE_INVALID));
}
GA_RWAttributeRef GA_Detail::addIntArray(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size) {
    return addFloatArray(owner, name, tuple_size);
}
GA_RWAttributeRef GA_Detail::addStringArray(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size) {
    return addFloatArray(owner, name, tuple_size);
}
GA_RWAttributeRef GA_Detail::addDictTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size) {
    return add(std::make_unique<Unreadable>(owner, name, tuple_size, GA_STORE_DICT));
}

// ---- ranges

GA_Size GA_Range::getEntries() const {
    GA_Size count = 0;
    for (GA_Iterator it(*this); !it.atEnd(); ++it) ++count;
    return count;
}

GA_Offset GA_Iterator::offset(GA_Offset place) const {
    return myRange.detail()->ordered(myRange.getOwner(), place);
}
bool GA_Iterator::active(GA_Offset place) const {
    const GA_Offset at = offset(place);
    return myRange.detail()->isActive(myRange.getOwner(), at) && (!myRange.group() || myRange.group()->contains(at));
}
void GA_Iterator::rewind() {
    myAt = myRange.startOffset();
    while (!atEnd() && !active(myAt)) ++myAt;
}
void GA_Iterator::advance() {
    ++myAt;
    while (!atEnd() && !active(myAt)) ++myAt;
}
GA_Index GA_Iterator::getIndex() const {
    return myRange.getOwner() == GA_ATTRIB_POINT ? myRange.detail()->pointIndex(getOffset())
                                                 : myRange.detail()->primitiveIndex(getOffset());
}
bool GA_Iterator::fullBlockAdvance(GA_Offset& start, GA_Offset& end) {
    if (atEnd()) return false;
    start = end = getOffset();
    while (!atEnd() && active(myAt) && getOffset() == end) ++end, ++myAt;
    while (!atEnd() && !active(myAt)) ++myAt;
    return true;
}
bool GA_Iterator::blockAdvance(GA_Offset& start, GA_Offset& end) {
    if (atEnd()) return false;
    start = end = getOffset();
    const GA_Offset border = (GAgetPageNum(start) + 1) << GA_PAGE_BITS;
    while (!atEnd() && end < border && active(myAt) && getOffset() == end) ++end, ++myAt;
    while (!atEnd() && !active(myAt)) ++myAt;
    return true;
}

// ---- primitives

GA_Primitive::~GA_Primitive() = default;
GA_Index GA_Primitive::getPointIndex(GA_Size i) const {
    return myDetail->pointIndex(getPointOffset(i));
}
UT_Vector3 GA_Primitive::getPos3(GA_Size i) const {
    return myDetail->getPos3(getPointOffset(i));
}
void GA_Primitive::setPos3(GA_Size i, const UT_Vector3& position) {
    myDetail->setPos3(getPointOffset(i), position);
}

// ---- details

GA_Detail::GA_Detail() : myTopology(*this), myUniqueId(next_detail_id++) {
    myActive[GA_ATTRIB_GLOBAL].push_back(true);
    myNumber[GA_ATTRIB_GLOBAL] = 1;
    clearAndDestroy();
}
GA_Detail::~GA_Detail() = default;

void GA_Detail::clearAndDestroy() {
    myPrimitives.clear();
    myOrder.clear();
    for (const GA_AttributeOwner owner : {GA_ATTRIB_VERTEX, GA_ATTRIB_POINT, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL}) {
        myAttributes[static_cast<size_t>(owner)].clear();
        if (owner == GA_ATTRIB_GLOBAL) continue;
        myActive[static_cast<size_t>(owner)].clear();
        myNumber[static_cast<size_t>(owner)] = 0;
    }
    myP = addFloatTuple(GA_ATTRIB_POINT, "P", 3);
    myP->setTypeInfo(GA_TYPE_POINT);
}

GA_Attribute* GA_Detail::add(std::unique_ptr<GA_Attribute> attribute) {
    auto& list = myAttributes[static_cast<size_t>(attribute->getOwner())];
    destroyAttribute(attribute->getOwner(), attribute->getName());
    attribute->resize(offsets(attribute->getOwner()));
    list.push_back(std::move(attribute));
    return list.back().get();
}

GA_RWAttributeRef GA_Detail::addFloatTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size,
                                           const GA_Defaults& defaults, const UT_Options*, const GA_AttributeOptions*,
                                           GA_Storage storage) {
    GA_ATINumeric* there = GA_ATINumeric::cast(findAttribute(owner, name));
    if (there && there->getStorage() == storage && there->getTupleSize() == tuple_size) return there;
    return add(std::make_unique<GA_ATINumeric>(owner, name, storage, tuple_size, defaults));
}
GA_RWAttributeRef GA_Detail::addIntTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size,
                                         const GA_Defaults& defaults, const UT_Options* arguments,
                                         const GA_AttributeOptions* options, GA_Storage storage) {
    return addFloatTuple(owner, name, tuple_size, defaults, arguments, options, storage);
}
GA_RWAttributeRef GA_Detail::addStringTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int) {
    if (GA_ATIString* there = GA_ATIString::cast(findAttribute(owner, name))) return there;
    return add(std::make_unique<GA_ATIString>(owner, name));
}

bool GA_Detail::destroyAttribute(GA_AttributeOwner owner, const UT_StringRef& name) {
    auto& list = myAttributes[static_cast<size_t>(owner)];
    const auto at = std::find_if(list.begin(), list.end(), [&](const auto& a) { return a->getName() == name; });
    if (at == list.end()) return false;
    list.erase(at);
    return true;
}

const GA_Attribute* GA_Detail::findAttribute(GA_AttributeOwner owner, const UT_StringRef& name) const {
    for (const auto& attribute : myAttributes[static_cast<size_t>(owner)])
        if (attribute->getName() == name) return attribute.get();
    return nullptr;
}
GA_Attribute* GA_Detail::findAttribute(GA_AttributeOwner owner, const UT_StringRef& name) {
    return const_cast<GA_Attribute*>(static_cast<const GA_Detail*>(this)->findAttribute(owner, name));
}
const GA_Attribute* GA_Detail::findFloatTuple(GA_AttributeOwner owner, const UT_StringRef& name, int min_size,
                                              int max_size) const {
    const GA_Attribute* found = findAttribute(owner, name);
    const bool fits = found && found->getStorageClass() == GA_STORECLASS_REAL && found->getTupleSize() >= min_size &&
                      (max_size < 0 || found->getTupleSize() <= max_size);
    return fits ? found : nullptr;
}
void GA_Detail::destroyStashed() {
    destroyAll(GA_Range(*this, GA_ATTRIB_PRIMITIVE, 0, myStashed.second));
    destroyAll(GA_Range(*this, GA_ATTRIB_POINT, 0, myStashed.first));
    myStashed = {0, 0};
}
GA_Attribute* GA_Detail::findIntTuple(GA_AttributeOwner owner, const UT_StringRef& name, int min_size, int max_size) {
    GA_Attribute* found = findAttribute(owner, name);
    const bool fits = found && found->getStorageClass() == GA_STORECLASS_INT && found->getTupleSize() >= min_size &&
                      (max_size < 0 || found->getTupleSize() <= max_size);
    return fits ? found : nullptr;
}
GA_Attribute* GA_Detail::findFloatTuple(GA_AttributeOwner owner, const UT_StringRef& name, int min_size, int max_size) {
    return const_cast<GA_Attribute*>(
        static_cast<const GA_Detail*>(this)->findFloatTuple(owner, name, min_size, max_size));
}

GA_Offset GA_Detail::pointOffset(GA_Index index) const {
    if (getNumPoints() == getNumPointOffsets()) return ordered(GA_ATTRIB_POINT, index);
    for (GA_Offset place = 0; place < getNumPointOffsets(); ++place)
        if (isActive(GA_ATTRIB_POINT, ordered(GA_ATTRIB_POINT, place)) && index-- == 0)
            return ordered(GA_ATTRIB_POINT, place);
    return GA_INVALID_OFFSET;
}
GA_Index GA_Detail::pointIndex(GA_Offset offset) const {
    if (getNumPoints() == getNumPointOffsets() && myOrder.empty()) return offset;
    GA_Index index = 0;
    for (GA_Offset place = 0; ordered(GA_ATTRIB_POINT, place) != offset; ++place)
        index += isActive(GA_ATTRIB_POINT, ordered(GA_ATTRIB_POINT, place));
    return index;
}
GA_Offset GA_Detail::primitiveOffset(GA_Index index) const {
    return index;
}
GA_Index GA_Detail::primitiveIndex(GA_Offset offset) const {
    return offset;
}

GA_Offset GA_Detail::appendPointBlock(GA_Size npoints) {
    const GA_Offset first = getNumPointOffsets();
    myActive[GA_ATTRIB_POINT].resize(static_cast<size_t>(first + npoints), true);
    myNumber[GA_ATTRIB_POINT] += npoints;
    if (!myOrder.empty())
        for (GA_Offset k = first; k < first + npoints; ++k) myOrder.push_back(k);
    for (auto& attribute : myAttributes[GA_ATTRIB_POINT]) attribute->resize(first + npoints);
    return first;
}

bool GA_Detail::destroyOffset(GA_AttributeOwner owner, GA_Offset offset) {
    if (!isActive(owner, offset)) return false;
    myActive[static_cast<size_t>(owner)][static_cast<size_t>(offset)] = false;
    --myNumber[static_cast<size_t>(owner)];
    return true;
}
bool GA_Detail::destroyOne(GA_AttributeOwner owner, GA_Offset offset) {
    // Each makes Houdini move the indices of all that come after it.
    if (++myDestroyedOneByOne > 1000) throw std::logic_error("elements destroyed one by one: destroy a range of them");
    return destroyOffset(owner, offset);
}
GA_Size GA_Detail::destroyAll(const GA_Range& range) {
    std::vector<GA_Offset> offsets;
    for (GA_Iterator it(range); !it.atEnd(); ++it) offsets.push_back(*it);
    for (const GA_Offset offset : offsets) destroyOffset(range.getOwner(), offset);
    return static_cast<GA_Size>(offsets.size());
}
void GA_Detail::reorderPoints(const std::vector<GA_Offset>& order, bool announced) {
    if (static_cast<GA_Size>(order.size()) != getNumPointOffsets())
        throw std::invalid_argument("an order of all offsets");
    myOrder = order;
    if (announced) myTopology.bumpDataId();
}

UT_Vector3 GA_Detail::getPos3(GA_Offset point) const {
    return GA_ROHandleV3(myP).get(point);
}
void GA_Detail::setPos3(GA_Offset point, const UT_Vector3& position) {
    GA_RWHandleV3(myP).set(point, position);
}

void GA_Detail::bumpDataIdsForAddOrRemove(bool points_added, bool vertices_added, bool primitives_added) {
    const bool changed[] = {vertices_added, points_added, primitives_added, false};
    for (size_t owner = 0; owner < GA_ATTRIB_OWNER_N; ++owner)
        for (auto& attribute : myAttributes[owner])
            if (changed[owner]) attribute->bumpDataId();
    if (points_added || vertices_added || primitives_added) myTopology.bumpDataId();
}
void GA_Detail::bumpAllDataIds() {
    for (auto& list : myAttributes)
        for (auto& attribute : list) attribute->bumpDataId();
    myTopology.bumpDataId();
}

GA_Primitive* GA_Detail::adopt(std::unique_ptr<GA_Primitive> primitive, GA_Offset first_point) {
    primitive->place(*this, static_cast<GA_Offset>(myPrimitives.size()), first_point);
    myPrimitives.push_back(std::move(primitive));
    myActive[GA_ATTRIB_PRIMITIVE].push_back(true);
    ++myNumber[GA_ATTRIB_PRIMITIVE];
    for (auto& attribute : myAttributes[GA_ATTRIB_PRIMITIVE]) attribute->resize(offsets(GA_ATTRIB_PRIMITIVE));
    return myPrimitives.back().get();
}

int64 GA_Detail::getMemoryUsage(bool inclusive) const {
    int64 bytes = inclusive ? static_cast<int64>(sizeof *this) : 0;
    for (const auto& attribute : myAttributes[GA_ATTRIB_POINT])
        bytes += getNumPointOffsets() * attribute->getTupleSize() * 4;
    return bytes;
}

GA_Topology::GA_Topology(GA_Detail& detail) : myDetail(detail), myDataId(next_data_id++) {}
void GA_Topology::bumpDataId() {
    myDataId = next_data_id++;
}
void GA_Topology::wireVertexPoint(GA_Offset vtx, GA_Offset pt) {
    for (GA_Iterator it(myDetail.getPrimitiveRange()); !it.atEnd(); ++it) {
        GA_Primitive* primitive = myDetail.getPrimitive(*it);
        if (vtx < primitive->getVertexCount()) return primitive->setPointOffset(vtx, pt);
        vtx -= primitive->getVertexCount();
    }
    throw std::out_of_range("the detail has no such vertex");
}

void GA_Detail::replaceWith(const GA_Detail& src) {
    if (&src == this) return;
    myPrimitives.clear();
    myActive = src.myActive;
    myNumber = src.myNumber;
    myOrder = src.myOrder;
    myTopology.cloneDataId(src.myTopology);
    for (size_t owner = 0; owner < GA_ATTRIB_OWNER_N; ++owner) {
        myAttributes[owner].clear();
        for (const auto& attribute : src.myAttributes[owner]) myAttributes[owner].push_back(attribute->duplicate());
    }
    myP = findAttribute(GA_ATTRIB_POINT, "P");
    for (const auto& primitive : src.myPrimitives) {
        myPrimitives.push_back(primitive->duplicate());
        myPrimitives.back()->place(*this, static_cast<GA_Offset>(myPrimitives.size()) - 1, 0);
    }
}

void GA_Detail::append(const GA_Detail& src) {
    std::vector<GA_Offset> moved(static_cast<size_t>(src.getNumPointOffsets()));
    const GA_Offset first = appendPointBlock(src.getNumPoints());
    GA_Offset next = first;
    for (GA_Iterator it(src.getPointRange()); !it.atEnd(); ++it) moved[static_cast<size_t>(*it)] = next++;
    const GA_Offset first_primitive = static_cast<GA_Offset>(myPrimitives.size());
    for (const auto& primitive : src.myPrimitives) {
        if (!src.isActive(GA_ATTRIB_PRIMITIVE, primitive->getMapOffset())) continue;
        GA_Primitive* copy = adopt(primitive->duplicate());
        for (GA_Size v = 0; v < copy->getVertexCount(); ++v)
            copy->movePoint(v, moved[static_cast<size_t>(copy->getPointOffset(v))]);
    }
    for (const GA_AttributeOwner owner : {GA_ATTRIB_POINT, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL}) {
        for (const auto& attribute : src.myAttributes[static_cast<size_t>(owner)]) {
            GA_Attribute* to = findAttribute(owner, attribute->getName());
            if (!to) to = add(attribute->emptyLike());
            if (owner == GA_ATTRIB_POINT)
                for (GA_Iterator it(src.getPointRange()); !it.atEnd(); ++it)
                    to->copyElement(moved[static_cast<size_t>(*it)], *attribute, *it);
            if (owner == GA_ATTRIB_PRIMITIVE)
                for (GA_Offset k = 0, next_primitive = first_primitive;
                     k < static_cast<GA_Offset>(src.myPrimitives.size()); ++k)
                    if (src.isActive(GA_ATTRIB_PRIMITIVE, k)) to->copyElement(next_primitive++, *attribute, k);
            if (owner == GA_ATTRIB_GLOBAL) to->copyElement(0, *attribute, 0);
        }
    }
    bumpAllDataIds();
}
