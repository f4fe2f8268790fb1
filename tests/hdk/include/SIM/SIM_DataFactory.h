#pragma once
// Fake of <SIM/SIM_DataFactory.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___data_factory.html
// and https://www.sidefx.com/docs/hdk/class_s_i_m___data_factory_creator.html
// How a SIM_Engine makes data by the name of its type.

#include <SIM/SIM_API.h>
#include <UT/UT_String.h>
#include <UT/UT_StringArray.h>
#include <UT/UT_StringHolder.h>

class SIM_Data;
class SIM_DataFactory;
class SIM_DopDescription;
class SIM_Engine;

typedef void (*SIM_GetSuperclasses)(UT_StringArray&);
typedef SIM_Data* (*SIM_DataConstructor)(const SIM_DataFactory*);
typedef void (*SIM_DataDestructor)(SIM_Data*);

class SIM_API SIM_DataFactory {
public:
    SIM_DataFactory(const UT_StringHolder& datatype, const UT_StringHolder& description,
                    SIM_GetSuperclasses get_superclasses, SIM_DataConstructor constructor,
                    SIM_DataDestructor destructor, const SIM_DopDescription* dopdesc, const SIM_Engine* engine);
    virtual ~SIM_DataFactory();
    SIM_DataFactory(const SIM_DataFactory&) = delete;
    SIM_DataFactory& operator=(const SIM_DataFactory&) = delete;

    const SIM_Engine& getEngine() const { return *engine_; }
    const UT_StringHolder& getDataType() const { return data_type_; }
    void getDataTypeSuperclasses(UT_StringArray& classes) const { superclasses_(classes); }
    const UT_StringHolder& getDescription() const { return description_; }

    virtual SIM_Data* newData(bool doinit) const;
    virtual void deleteData(SIM_Data* data) const;
    virtual const SIM_DopDescription* getDopDescription() const { return dop_description_; }

private:
    UT_StringHolder data_type_, description_;
    SIM_GetSuperclasses superclasses_;
    SIM_DataConstructor constructor_;
    SIM_DataDestructor destructor_;
    const SIM_DopDescription* dop_description_;
    const SIM_Engine* engine_;
};

class SIM_API SIM_DataFactoryCreator {
public:
    typedef void (*SIM_DataFactoryCreateFunc)(SIM_Engine* engine);

    explicit SIM_DataFactoryCreator(SIM_DataFactoryCreateFunc createfunc);
    ~SIM_DataFactoryCreator();
    SIM_DataFactoryCreator(const SIM_DataFactoryCreator&) = delete;
    SIM_DataFactoryCreator& operator=(const SIM_DataFactoryCreator&) = delete;

    void createDataFactory(SIM_Engine* engine) { create_(engine); }
    static void addDataFactory(SIM_Engine* engine, SIM_DataFactory* factory);

private:
    SIM_DataFactoryCreateFunc create_;
};
