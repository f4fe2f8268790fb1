// SIM_Data and its factories: names, sharing, copies, guides.

#include <PRM/PRM_Template.h>
#include <SIM/SIM_Container.h>
#include <SIM/SIM_DataFilter.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_Guide.h>
#include <SIM/SIM_GuidePerObject.h>
#include <SIM/SIM_GuideShared.h>
#include <SIM/SIM_Object.h>
#include <SIM/SIM_Options.h>
#include <UT/UT_IStream.h>

#include <ostream>
#include <string>

namespace {

std::vector<SIM_DataFactoryCreator*>& creators() {
    static std::vector<SIM_DataFactoryCreator*> all;
    return all;
}

}  // namespace

namespace firn_hdk {
const std::vector<SIM_DataFactoryCreator*>& data_factory_creators() {
    return creators();
}
}  // namespace firn_hdk

SIM_DataFactory::SIM_DataFactory(const UT_StringHolder& datatype, const UT_StringHolder& description,
                                 SIM_GetSuperclasses get_superclasses, SIM_DataConstructor constructor,
                                 SIM_DataDestructor destructor, const SIM_DopDescription* dopdesc,
                                 const SIM_Engine* engine)
    : data_type_(datatype),
      description_(description),
      superclasses_(get_superclasses),
      constructor_(constructor),
      destructor_(destructor),
      dop_description_(dopdesc),
      engine_(engine) {}

SIM_DataFactory::~SIM_DataFactory() = default;

SIM_Data* SIM_DataFactory::newData(bool doinit) const {
    SIM_Data* data = constructor_(this);
    if (doinit) data->initialize(SIM_SUBDATA_REPLACE);
    return data;
}

void SIM_DataFactory::deleteData(SIM_Data* data) const {
    destructor_(data);
}

SIM_DataFactoryCreator::SIM_DataFactoryCreator(SIM_DataFactoryCreateFunc createfunc) : create_(createfunc) {
    creators().push_back(this);
}

SIM_DataFactoryCreator::~SIM_DataFactoryCreator() {
    auto& all = creators();
    for (size_t k = 0; k < all.size(); ++k)
        if (all[k] == this) {
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
            return;
        }
}

void SIM_DataFactoryCreator::addDataFactory(SIM_Engine* engine, SIM_DataFactory* factory) {
    engine->factories_[factory->getDataType().toStdString()].reset(factory);
}

SIM_Data::SIM_Data(const SIM_DataFactory* factory) : factory_(factory) {}

SIM_Data::~SIM_Data() {
    clear_subdata();
    delete guide_;
}

const UT_StringHolder& SIM_Data::getDataType() const {
    return getDataTypeSubclass();
}

void SIM_Data::initialize(const SIM_SubdataBehavior& subdatabehavior) {
    if (subdatabehavior == SIM_SUBDATA_REPLACE) clear_subdata();
    initializeSubclass();
}

void SIM_Data::makeEqual(const SIM_Data* source, const SIM_SubdataBehavior& subdatabehavior) {
    if (source == this) return;
    if (subdatabehavior == SIM_SUBDATA_REPLACE) {
        clear_subdata();
        share_subdata_of(*source);
    }
    makeEqualSubclass(source);
    handleModification();
}

void SIM_Data::setParameters(const SIM_Options& parms) {
    setParametersSubclass(parms);
}

void SIM_Data::interpolate(const SIM_Data* source1, const SIM_Data* source2, fpreal interp) {
    if (interp <= 0)
        makeEqual(source1, SIM_SUBDATA_IGNORE);
    else if (interp >= 1)
        makeEqual(source2, SIM_SUBDATA_IGNORE);
    else
        interpolateSubclass(source1, source2, interp);
}

int64 SIM_Data::getMemorySize() const {
    return getMemorySizeSubclass();
}

bool SIM_Data::saveToStream(std::ostream& os, UT_CompressionType) const {
    saveIOSubclass(os, nullptr);
    return bool(os);
}

bool SIM_Data::loadFromStream(UT_IStream& is, bool) {
    initialize(SIM_SUBDATA_IGNORE);
    return loadIOSubclass(is, nullptr);
}

bool SIM_Data::getIsOfType(const UT_StringRef& datatype) const {
    return getCastToType(datatype) != nullptr;
}
const void* SIM_Data::getConstPointerToType(const UT_StringRef& datatype) const {
    return getCastToType(datatype);
}
void* SIM_Data::getPointerToType(const UT_StringRef& datatype) {
    return getCastToType(datatype);
}
const void* SIM_Data::castConstPointerToType(const SIM_Data* data, const UT_StringRef& datatype) {
    return data ? data->getConstPointerToType(datatype) : nullptr;
}
void* SIM_Data::castPointerToType(SIM_Data* data, const UT_StringRef& datatype) {
    return data ? data->getPointerToType(datatype) : nullptr;
}

int SIM_Data::getNumSubData() const {
    return static_cast<int>(subdata_.size());
}
const UT_StringHolder& SIM_Data::getSubDataName(int index) const {
    return subdata_[static_cast<size_t>(index)].name;
}
SIM_Data* SIM_Data::getSubData(int index) {
    return own(index);
}
const SIM_Data* SIM_Data::getConstSubData(int index) const {
    return subdata_[static_cast<size_t>(index)].data;
}

SIM_Data* SIM_Data::getNamedSubData(const char* dataname) {
    const std::string path(dataname);
    const size_t slash = path.find('/');
    const int index = index_of(path.substr(0, slash));
    if (index < 0) return nullptr;
    SIM_Data* found = own(index);
    return slash == std::string::npos ? found : found->getNamedSubData(path.c_str() + slash + 1);
}

const SIM_Data* SIM_Data::getConstNamedSubData(const char* dataname) const {
    const std::string path(dataname);
    const size_t slash = path.find('/');
    const int index = index_of(path.substr(0, slash));
    if (index < 0) return nullptr;
    const SIM_Data* found = getConstSubData(index);
    return slash == std::string::npos ? found : found->getConstNamedSubData(path.c_str() + slash + 1);
}

SIM_Data* SIM_Data::createNamedSubData(const char* dataname, const char* datatype, int creationflags, UT_String*) {
    const std::string path(dataname);
    const size_t slash = path.find('/');
    if (slash != std::string::npos) {
        const std::string first = path.substr(0, slash);
        SIM_Data* holder = getNamedSubData(first.c_str());
        if (!holder) holder = createNamedSubData(first.c_str(), "SIM_Container", 0);
        return holder->createNamedSubData(path.c_str() + slash + 1, datatype, creationflags);
    }
    const int index = index_of(path);
    if (index >= 0 && (creationflags & SIM_DATA_RETURN_EXISTING) && getConstSubData(index)->getIsOfType(datatype))
        return own(index);
    SIM_Data* data = getEngine().make(datatype, true);
    if (!data) return nullptr;
    if (index >= 0 && (creationflags & SIM_DATA_ADOPT_EXISTING_ON_DELETE))
        data->makeEqual(getConstSubData(index), SIM_SUBDATA_REPLACE);
    attach(path, data);
    return data;
}

void SIM_Data::setNamedSubData(const char* dataname, const SIM_Data* data, int) {
    attach(dataname, data);
}

void SIM_Data::removeNamedSubData(const char* dataname) {
    const int index = index_of(dataname);
    if (index >= 0) detach(index);
}

void SIM_Data::filterConstSubData(SIM_ConstDataArray& dp, UT_StringArray* names, const SIM_DataFilter& filter,
                                  const char* startfrom, const SIM_DataFilter& recurseFilter) const {
    const SIM_Data* root = startfrom ? getConstNamedSubData(startfrom) : this;
    if (!root) return;
    for (const Attached& sub : root->subdata_) {
        if (filter.acceptData(sub.data, sub.name.c_str())) {
            dp.append(sub.data);
            if (names) names->append(sub.name);
        }
        if (recurseFilter.acceptData(sub.data, sub.name.c_str()))
            sub.data->filterConstSubData(dp, names, filter, nullptr, recurseFilter);
    }
}

const SIM_Data* SIM_Data::getNthConstSubData(UT_String*, const SIM_DataFilter& filter, int n, const char* startfrom,
                                             const SIM_DataFilter& recurseFilter) const {
    SIM_ConstDataArray all;
    filterConstSubData(all, nullptr, filter, startfrom, recurseFilter);
    return n < all.entries() ? all(n) : nullptr;
}

void SIM_Data::forEachConstSubData(SIM_EachDataCallback& cb, const SIM_DataFilter& filter, const char* startfrom,
                                   const SIM_DataFilter& recurseFilter) const {
    SIM_ConstDataArray all;
    filterConstSubData(all, nullptr, filter, startfrom, recurseFilter);
    for (exint k = 0; k < all.entries(); ++k) cb.callbackConst(all(k), nullptr);
}

const SIM_Engine& SIM_Data::getEngine() const {
    return factory_->getEngine();
}

void SIM_Data::addError(const SIM_RootData* root, int errorcode, const char* errorparm,
                        UT_ErrorSeverity severity) const {
    getEngine().addError(root, this, errorcode, errorparm, severity);
}

void SIM_Data::handleModification(int code) {
    handleModificationSubclass(code);
}

void SIM_Data::deleteGuideObjectIfNotBuilding() const {
    delete guide_;
    guide_ = nullptr;
}

bool SIM_Data::saveOptionPacket(std::ostream& os, const char* name, const SIM_Options* opts) const {
    return opts->save(name, os);
}

bool SIM_Data::loadOptionPacket(UT_IStream& is, const char* name, SIM_Options* opts) const {
    return opts->load(name, is);
}

void SIM_Data::initializeFromParmDefaults() {
    const SIM_DopDescription* dop = factory_->getDopDescription();
    SIM_Options defaults;
    if (dop && dop->getTemplates())
        for (const PRM_Template* row = dop->getTemplates(); row->getType() != PRM_LIST_TERMINATOR; ++row)
            defaults.setOptionFromTemplateDefault(*row);
    setParameters(defaults);
}

void SIM_Data::initializeSubclass() {
    if (!options_) return;
    options_->clear();
    initializeFromParmDefaults();
}

void SIM_Data::makeEqualSubclass(const SIM_Data* source) {
    if (options_ && source->options_) *options_ = *source->options_;
}

void SIM_Data::saveSubclass(std::ostream& os) const {
    if (options_) saveOptionPacket(os, "Options", options_);
}

void SIM_Data::saveIOSubclass(std::ostream& os, SIM_DataThreadedIO*) const {
    saveSubclass(os);
}

bool SIM_Data::loadSubclass(UT_IStream& is) {
    return !options_ || loadOptionPacket(is, "Options", options_);
}

bool SIM_Data::loadIOSubclass(UT_IStream& is, SIM_DataThreadedIO*) {
    return loadSubclass(is);
}

SIM_Guide* SIM_Data::createGuideObjectSubclass() const {
    return nullptr;
}

void SIM_Data::buildGuideGeometrySubclass(const SIM_RootData&, const SIM_Options&, const GU_DetailHandle&, UT_DMatrix4*,
                                          const SIM_Time&) const {}

void SIM_Data::setParametersSubclass(const SIM_Options& parms) {
    if (options_) options_->merge(parms);
}

void SIM_Data::interpolateSubclass(const SIM_Data* source1, const SIM_Data* source2, fpreal interp) {
    makeEqualSubclass(interp < 0.5 ? source1 : source2);
}

int64 SIM_Data::getMemorySizeSubclass() const {
    return static_cast<int64>(sizeof *this) + (options_ ? options_->getMemoryUsage(false) : 0);
}

void SIM_Data::handleModificationSubclass(int) {
    deleteGuideObjectIfNotBuilding();
}

void* SIM_Data::getCastToType(const UT_StringRef& datatype) const {
    return datatype == "SIM_Data" ? const_cast<SIM_Data*>(this) : nullptr;
}

const UT_StringHolder& SIM_Data::getDataTypeSubclass() const {
    return factory_->getDataType();
}

const PRM_Template* SIM_Data::getEmptyTemplateList() {
    static const PRM_Template none[] = {PRM_Template()};
    return none;
}

const SIM_DopDescription* SIM_Data::getEmptyDopDescription() {
    static const SIM_DopDescription none(false, "", "", "", "", getEmptyTemplateList());
    return &none;
}

int SIM_Data::index_of(const UT_StringRef& name) const {
    for (size_t k = 0; k < subdata_.size(); ++k)
        if (subdata_[k].name == name) return static_cast<int>(k);
    return -1;
}

/// For somebody who wants to change it: data that others hold too is copied first.
SIM_Data* SIM_Data::own(int index) {
    Attached& sub = subdata_[static_cast<size_t>(index)];
    if (sub.data->references_ > 1) {
        SIM_Data* copy = getEngine().make(sub.data->getDataType(), true);
        const int64 before = sub.data->getMemorySize();
        copy->makeEqual(sub.data, SIM_SUBDATA_REPLACE);
        // What both share, they may report by halves.
        getEngine().copied_bytes += copy->getMemorySize() + sub.data->getMemorySize() - before;
        ++copy->references_;
        sub.data->release();
        sub.data = copy;
    }
    return sub.data;
}

void SIM_Data::attach(const UT_StringRef& name, const SIM_Data* data) {
    SIM_Data* changeable = const_cast<SIM_Data*>(data);
    ++changeable->references_;
    const int index = index_of(name);
    if (index < 0) {
        subdata_.push_back({name, changeable});
        return;
    }
    Attached& sub = subdata_[static_cast<size_t>(index)];
    sub.data->release();
    sub.data = changeable;
}

void SIM_Data::detach(int index) {
    subdata_[static_cast<size_t>(index)].data->release();
    subdata_.erase(subdata_.begin() + index);
}

void SIM_Data::clear_subdata() {
    for (const Attached& sub : subdata_) sub.data->release();
    subdata_.clear();
}

void SIM_Data::share_subdata_of(const SIM_Data& source) {
    for (const Attached& sub : source.subdata_) attach(sub.name, sub.data);
}

void SIM_Data::release() const {
    if (--references_ == 0) factory_->deleteData(const_cast<SIM_Data*>(this));
}

bool SIM_DataFilterByType::acceptData(const SIM_Data* data, const char*) const {
    return data && data->getIsOfType(type_);
}

void SIM_Data::buildGuideOptions(SIM_Options& options, const SIM_Time&) const {
    const SIM_DopDescription* dop = factory_->getDopDescription();
    if (dop && dop->getGuideTemplates())
        for (const PRM_Template* row = dop->getGuideTemplates(); row->getType() != PRM_LIST_TERMINATOR; ++row)
            options.setOptionFromTemplateDefault(*row);
    options.merge(getEngine().guide_options);
}

void SIM_Data::initAlternateRepresentationSubclass(const SIM_Data&) {}

void SIM_Data::initAlternateRepresentation() const {
    if (represented_) const_cast<SIM_Data*>(this)->initAlternateRepresentationSubclass(*represented_);
}

GU_ConstDetailHandle SIM_Data::getGuideGeometry(const SIM_RootData& root, const char* datapath, UT_DMatrix4& xform,
                                                const SIM_Time& t) const {
    if (!guide_) guide_ = createGuideObjectSubclass();
    if (!guide_) return GU_ConstDetailHandle();
    if (getIsAlternateRepresentation()) {
        const std::string path = datapath, parent = path.substr(0, path.find_last_of('/'));
        represented_ = parent == path ? &root : root.getConstNamedSubData(parent.c_str());
    }
    const GU_ConstDetailHandle built = guide_->getGuideGeometry(root, xform, t);
    represented_ = nullptr;
    return built;
}

bool SIM_Guide::buildGuideGeometry(const SIM_RootData& root, const GU_DetailHandle& gdh, UT_DMatrix4* xform,
                                   const SIM_Time& t) const {
    SIM_Options options;
    owner_->buildGuideOptions(options, t);
    owner_->buildGuideGeometrySubclass(root, options, gdh, xform, t);
    return true;
}

GU_ConstDetailHandle SIM_Guide::getGuideGeometrySubclass(const SIM_RootData& root, UT_DMatrix4& xform,
                                                         const SIM_Time& t) {
    GU_DetailHandle geometry;
    geometry.allocateAndSet(new GU_Detail);
    xform.identity();
    buildGuideGeometry(root, geometry, &xform, t);
    return geometry;
}

GU_ConstDetailHandle SIM_GuideShared::getGuideGeometrySubclass(const SIM_RootData& root, UT_DMatrix4& xform,
                                                               const SIM_Time& t) {
    if (!first_) {
        first_ = &root;
        geometry_.allocateAndSet(new GU_Detail);
        transform_.identity();
        buildGuideGeometry(root, geometry_, &transform_, t);
    }
    xform = transform_;
    if (once_ && first_ != &root) return GU_ConstDetailHandle();
    return geometry_;
}

GU_ConstDetailHandle SIM_GuidePerObject::getGuideGeometrySubclass(const SIM_RootData& root, UT_DMatrix4& xform,
                                                                  const SIM_Time& t) {
    const auto* object = dynamic_cast<const SIM_Object*>(&root);
    GU_ConstDetailHandle& geometry = geometries_[object ? object->getObjectId() : -1];
    if (!geometry.isValid()) geometry = SIM_Guide::getGuideGeometrySubclass(root, xform, t);
    xform.identity();
    return geometry;
}
