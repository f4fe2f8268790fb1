#pragma once
// Double of <SIM/SIM_DataUtils.h>: https://www.sidefx.com/docs/hdk/_s_i_m___data_utils_8h.html
// The macros that make a class a data type.

#include <SIM/SIM_Data.h>
#include <SIM/SIM_DataFactory.h>
#include <SIM/SIM_Utils.h>
#include <UT/UT_StringArray.h>
#include <UT/UT_StringHolder.h>

#define DECLARE_CLASSNAME(DataClass, SuperClass)                   \
private:                                                           \
    typedef SuperClass BaseClass;                                  \
    typedef DataClass ThisClass;                                   \
                                                                   \
public:                                                            \
    static inline const UT_StringHolder& classname() {             \
        static const UT_StringHolder name(#DataClass);             \
        return name;                                               \
    }                                                              \
                                                                   \
private:                                                           \
    const UT_StringHolder& getDataTypeSubclass() const override {  \
        return classname();                                        \
    }                                                              \
                                                                   \
protected:                                                         \
    static void getDataTypeSuperclasses(UT_StringArray& classes) { \
        classes.append(UT_StringHolder(#SuperClass));              \
        SuperClass::getDataTypeSuperclasses(classes);              \
    }                                                              \
                                                                   \
private:

#define DECLARE_STANDARD_GETCASTTOTYPE()                                \
protected:                                                              \
    void* getCastToType(const UT_StringRef& totype) const override {    \
        if (totype == classname()) return const_cast<ThisClass*>(this); \
        return BaseClass::getCastToType(totype);                        \
    }

#define DECLARE_DATAFACTORY(DataClass, SuperClass, Description, DopParms)                                        \
public:                                                                                                          \
    class DataClass##Factory : public SIM_DataFactory {                                                          \
    public:                                                                                                      \
        explicit DataClass##Factory(SIM_Engine* engine)                                                          \
            : SIM_DataFactory(UT_StringHolder(#DataClass), UT_StringHolder(Description),                         \
                              DataClass::getDataTypeSuperclasses, DataClass::constructor, DataClass::destructor, \
                              DataClass::DopParms, engine) {}                                                    \
        ~DataClass##Factory() override {}                                                                        \
    };                                                                                                           \
    static void createDataFactory(SIM_Engine* engine) {                                                          \
        SIM_DataFactoryCreator::addDataFactory(engine, new DataClass##Factory(engine));                          \
    }                                                                                                            \
    friend class DataClass##Factory;                                                                             \
                                                                                                                 \
private:                                                                                                         \
    DECLARE_CLASSNAME(DataClass, SuperClass)                                                                     \
    static SIM_Data* constructor(const SIM_DataFactory* factory) {                                               \
        return static_cast<BaseClass*>(new DataClass(factory));                                                  \
    }                                                                                                            \
    static void destructor(SIM_Data* data) {                                                                     \
        delete static_cast<DataClass*>(data->getPointerToType(#DataClass));                                      \
    }

#define IMPLEMENT_DATAFACTORY(DataClass) static SIM_DataFactoryCreator DataClass##Creator(DataClass::createDataFactory);
