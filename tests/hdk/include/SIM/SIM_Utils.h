#pragma once
// Fake of <SIM/SIM_Utils.h>: https://www.sidefx.com/docs/hdk/_s_i_m___utils_8h.html
// Casts, look-ups, transforms, and the function that a DSO with data types exports.

#include <SIM/SIM_API.h>
#include <SIM/SIM_Data.h>
#include <SIM/SIM_DataFilter.h>
#include <SIM/SIM_Names.h>
#include <SIM/SIM_Time.h>
#include <SYS/SYS_Visibility.h>

class SIM_Object;

namespace hdk_fake {

/// The data as a type that may lie across its line of descent, or nothing.
template <class Type>
Type* as(SIM_Data* data, const char* name) {
    return static_cast<Type*>(SIM_Data::castPointerToType(data, name));
}
template <class Type>
const Type* as_const(const SIM_Data* data, const char* name) {
    return static_cast<const Type*>(SIM_Data::castConstPointerToType(data, name));
}

/// One string for each type, for functions that return a reference.
template <class Type>
const UT_StringHolder& constant_string(const char* text) {
    static const UT_StringHolder kept(text);
    return kept;
}

}  // namespace hdk_fake

#define SIM_DATA_CAST(Given, Type) hdk_fake::as<Type>(Given, #Type)
#define SIM_DATA_CASTCONST(Given, Type) hdk_fake::as_const<Type>(Given, #Type)
#define SIM_DATA_GET(Owner, Name, Type) hdk_fake::as<Type>((Owner).getNamedSubData(Name), #Type)
#define SIM_DATA_GETCONST(Owner, Name, Type) hdk_fake::as_const<Type>((Owner).getConstNamedSubData(Name), #Type)
#define SIM_DATA_CREATE(Owner, Name, Type, Flags) \
    hdk_fake::as<Type>((Owner).createNamedSubData(Name, #Type, Flags), #Type)

/// From the object's own space to the world's.
SIM_API void SIMgetPositionTransform(UT_DMatrix4& result, const SIM_Object&);
/// From the space of the object's geometry to the world's.
SIM_API void SIMgetGeometryTransform(UT_DMatrix4& result, const SIM_Object&);

extern "C" {
SYS_VISIBILITY_EXPORT extern void initializeSIM(void* data);
}
