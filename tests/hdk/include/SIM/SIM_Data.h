#pragma once
// Fake of <SIM/SIM_Data.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___data.html
// A piece of data with a name, attached to an object or to other data, shared between the frames of the cache until
// somebody asks for it to change it.

#include <GU/GU_DetailHandle.h>
#include <SIM/SIM_API.h>
#include <SIM/SIM_CacheCompression.h>
#include <SIM/SIM_DataFactory.h>
#include <SIM/SIM_Error.h>
#include <SIM/SIM_Time.h>
#include <SYS/SYS_Types.h>
#include <UT/UT_Array.h>
#include <UT/UT_Matrix4.h>
#include <UT/UT_StringArray.h>
#include <UT/UT_StringHolder.h>
#include <UT/UT_ValArray.h>

#include <memory>
#include <ostream>
#include <utility>
#include <vector>

class OP_Node;
class PRM_Template;
class SIM_Data;
class SIM_DataFilter;
class SIM_DataThreadedIO;
class SIM_DopDescription;
class SIM_Engine;
class SIM_Guide;
class SIM_Options;
class SIM_OptionsUser;
class SIM_RootData;
class UT_IStream;

typedef UT_ValArray<SIM_Data*> SIM_DataArray;
typedef UT_ValArray<const SIM_Data*> SIM_ConstDataArray;

class SIM_API SIM_EachDataCallback {
public:
    virtual ~SIM_EachDataCallback() = default;
    virtual bool callbackNeedsName() const { return false; }
    virtual void callbackConst(const SIM_Data* data, const char* name) = 0;
    virtual void callback(SIM_Data* data, const char* name) { callbackConst(data, name); }
};

#define SIM_DATA_RETURN_EXISTING 0x01
#define SIM_DATA_CREATE_UNIQUE_NAME 0x02
#define SIM_DATA_ADOPT_EXISTING_ON_DELETE 0x04

typedef enum { SIM_SUBDATA_REPLACE, SIM_SUBDATA_ADD, SIM_SUBDATA_IGNORE, SIM_SUBDATA_COPYING } SIM_SubdataBehavior;

class SIM_API SIM_Data {
public:
    const UT_StringHolder& getDataType() const;

    void initialize(const SIM_SubdataBehavior& subdatabehavior);
    void makeEqual(const SIM_Data* source, const SIM_SubdataBehavior& subdatabehavior);
    void setParameters(const SIM_Options& parms);
    void interpolate(const SIM_Data* source1, const SIM_Data* source2, fpreal interp);
    int64 getMemorySize() const;
    /// Shows or stands for the data that it is attached to.
    bool getIsAlternateRepresentation() const { return getIsAlternateRepresentationSubclass(); }

    bool saveToStream(std::ostream& os, UT_CompressionType compressionType) const;
    bool loadFromStream(UT_IStream& is, bool skiptype = false);

    bool getIsOfType(const UT_StringRef& datatype) const;
    const void* getConstPointerToType(const UT_StringRef& datatype) const;
    void* getPointerToType(const UT_StringRef& datatype);
    static const void* castConstPointerToType(const SIM_Data* data, const UT_StringRef& datatype);
    static void* castPointerToType(SIM_Data* data, const UT_StringRef& datatype);

    int getNumSubData() const;
    const UT_StringHolder& getSubDataName(int index) const;
    SIM_Data* getSubData(int index);
    const SIM_Data* getConstSubData(int index) const;
    SIM_Data* getNamedSubData(const char* dataname);
    const SIM_Data* getConstNamedSubData(const char* dataname) const;
    SIM_Data* createNamedSubData(const char* dataname, const char* datatype, int creationflags,
                                 UT_String* newdatanameptr = nullptr);
    void setNamedSubData(const char* dataname, const SIM_Data* data, int setflags);
    void removeNamedSubData(const char* dataname);

    void filterConstSubData(SIM_ConstDataArray& dp, UT_StringArray* names, const SIM_DataFilter& filter,
                            const char* startfrom, const SIM_DataFilter& recurseFilter) const;
    const SIM_Data* getNthConstSubData(UT_String* name, const SIM_DataFilter& filter, int n, const char* startfrom,
                                       const SIM_DataFilter& recurseFilter) const;
    void forEachConstSubData(SIM_EachDataCallback& cb, const SIM_DataFilter& filter, const char* startfrom,
                             const SIM_DataFilter& recurseFilter) const;

    GU_ConstDetailHandle getGuideGeometry(const SIM_RootData& root, const char* datapath, UT_DMatrix4& xform,
                                          const SIM_Time& t) const;
    void buildGuideOptions(SIM_Options& options, const SIM_Time& time) const;

    long getReferenceCount() const { return references_; }
    OP_Node* getCreatorNode() const { return nullptr; }
    const SIM_Engine& getEngine() const;

    void addError(const SIM_RootData* root, int errorcode, const char* errorparm, UT_ErrorSeverity severity) const;

    SIM_Data(const SIM_Data&) = delete;
    SIM_Data& operator=(const SIM_Data&) = delete;

protected:
    explicit SIM_Data(const SIM_DataFactory* factory);
    virtual ~SIM_Data();

    void handleModification(int code = -1);
    void deleteGuideObjectIfNotBuilding() const;
    bool saveOptionPacket(std::ostream& os, const char* name, const SIM_Options* opts) const;
    bool loadOptionPacket(UT_IStream& is, const char* name, SIM_Options* opts) const;
    void initializeFromParmDefaults();
    /// Makes an alternate representation look at its parent, which the fake knows while it builds a guide.
    void initAlternateRepresentation() const;

    virtual bool getIsAlternateRepresentationSubclass() const { return false; }
    virtual void initAlternateRepresentationSubclass(const SIM_Data& parent);
    virtual void initializeSubclass();
    virtual void makeEqualSubclass(const SIM_Data* source);
    virtual void saveSubclass(std::ostream& os) const;
    virtual void saveIOSubclass(std::ostream& os, SIM_DataThreadedIO* io) const;
    virtual bool loadSubclass(UT_IStream& is);
    virtual bool loadIOSubclass(UT_IStream& is, SIM_DataThreadedIO* io);
    virtual SIM_Guide* createGuideObjectSubclass() const;
    virtual void buildGuideGeometrySubclass(const SIM_RootData& root, const SIM_Options& options,
                                            const GU_DetailHandle& gdh, UT_DMatrix4* xform, const SIM_Time& t) const;
    virtual void setParametersSubclass(const SIM_Options& parms);
    virtual void interpolateSubclass(const SIM_Data* source1, const SIM_Data* source2, fpreal interp);
    virtual int64 getMemorySizeSubclass() const;
    virtual void handleModificationSubclass(int code);
    virtual void* getCastToType(const UT_StringRef& datatype) const;
    virtual const UT_StringHolder& getDataTypeSubclass() const;

    static const PRM_Template* getEmptyTemplateList();
    static const SIM_DopDescription* getEmptyDopDescription();
    static void getDataTypeSuperclasses(UT_StringArray&) {}

private:
    struct Attached {
        UT_StringHolder name;
        SIM_Data* data;
    };

    int index_of(const UT_StringRef& name) const;
    SIM_Data* own(int index);
    void attach(const UT_StringRef& name, const SIM_Data* data);
    void detach(int index);
    void clear_subdata();
    void share_subdata_of(const SIM_Data& source);
    void release() const;

    const SIM_DataFactory* factory_;
    SIM_Options* options_ = nullptr;
    std::vector<Attached> subdata_;
    mutable long references_ = 0;
    mutable SIM_Guide* guide_ = nullptr;
    mutable const SIM_Data* represented_ = nullptr;

    friend class SIM_DataFactory;
    friend class SIM_Engine;
    friend class SIM_Guide;
    friend class SIM_OptionsUser;
    friend class SIM_SimulationState;
};
