#pragma once
// Fake of <SIM/SIM_DataUtils.h>: https://www.sidefx.com/docs/hdk/_s_i_m___data_utils_8h.html
// The macros that make a class a data type. They only say who a class is; templates do the rest.

#include <SIM/SIM_Data.h>
#include <SIM/SIM_DataFactory.h>
#include <SIM/SIM_Utils.h>
#include <UT/UT_StringArray.h>
#include <UT/UT_StringHolder.h>

namespace hdk_fake {

/// What an engine does with a type of data: made from what the macros leave in the class, whose friend it is.
template <class Type>
struct DataType {
    static SIM_Data* make(const SIM_DataFactory* factory) { return new Type(factory); }
    static void unmake(SIM_Data* data) { delete static_cast<Type*>(data); }
    static void ancestors(UT_StringArray& names) { Type::getDataTypeSuperclasses(names); }
    static void enrol(SIM_Engine* engine) {
        SIM_DataFactoryCreator::addDataFactory(
            engine, new SIM_DataFactory(Type::classname(), UT_StringHolder(Type::described()), &ancestors, &make,
                                        &unmake, Type::dop(), engine));
    }
};

}  // namespace hdk_fake

#define DECLARE_CLASSNAME(Type, Parent)                           \
    typedef Type ThisClass;                                       \
    typedef Parent BaseClass;                                     \
                                                                  \
public:                                                           \
    static const UT_StringHolder& classname() {                   \
        return hdk_fake::constant_string<ThisClass>(#Type);       \
    }                                                             \
                                                                  \
protected:                                                        \
    static void getDataTypeSuperclasses(UT_StringArray& names) {  \
        BaseClass::getDataTypeSuperclasses(names);                \
        names.append(UT_StringHolder(#Parent));                   \
    }                                                             \
                                                                  \
private:                                                          \
    const UT_StringHolder& getDataTypeSubclass() const override { \
        return classname();                                       \
    }

#define DECLARE_STANDARD_GETCASTTOTYPE()                                                            \
protected:                                                                                          \
    void* getCastToType(const UT_StringRef& name) const override {                                  \
        return name == classname() ? const_cast<ThisClass*>(this) : BaseClass::getCastToType(name); \
    }

#define DECLARE_DATAFACTORY(Type, Parent, Description, DopDescription) \
private:                                                               \
    friend struct hdk_fake::DataType<Type>;                            \
    static const char* described() {                                   \
        return Description;                                            \
    }                                                                  \
    static const SIM_DopDescription* dop() {                           \
        return DopDescription;                                         \
    }                                                                  \
    DECLARE_CLASSNAME(Type, Parent)

#define IMPLEMENT_DATAFACTORY(Type) static SIM_DataFactoryCreator enrolled##Type(&hdk_fake::DataType<Type>::enrol);
