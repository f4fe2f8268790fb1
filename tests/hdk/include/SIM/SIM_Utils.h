#pragma once
// Double of <SIM/SIM_Utils.h>: https://www.sidefx.com/docs/hdk/_s_i_m___utils_8h.html
// Casts, look-ups, transforms, and the function that a DSO with data types exports.

#include <SIM/SIM_API.h>
#include <SIM/SIM_Data.h>
#include <SIM/SIM_DataFilter.h>
#include <SIM/SIM_Names.h>
#include <SIM/SIM_Time.h>
#include <SYS/SYS_Visibility.h>

class SIM_Object;

#define SIM_DATA_CAST(Data, DataClass) \
    ((DataClass*)(SIM_Data::castPointerToType(static_cast<SIM_Data*>(Data), #DataClass)))
#define SIM_DATA_CASTCONST(Data, DataClass) \
    ((const DataClass*)(SIM_Data::castConstPointerToType(static_cast<const SIM_Data*>(Data), #DataClass)))
#define SIM_DATA_GET(Parent, DataName, DataClass) SIM_DATA_CAST((Parent).getNamedSubData(DataName), DataClass)
#define SIM_DATA_GETCONST(Parent, DataName, DataClass) \
    SIM_DATA_CASTCONST((Parent).getConstNamedSubData(DataName), DataClass)
#define SIM_DATA_CREATE(Parent, DataName, DataClass, Flags) \
    SIM_DATA_CAST((static_cast<SIM_Data&>(Parent)).createNamedSubData(DataName, #DataClass, Flags), DataClass)

/// From the object's own space to the world's.
SIM_API void SIMgetPositionTransform(UT_DMatrix4& result, const SIM_Object&);
/// From the space of the object's geometry to the world's.
SIM_API void SIMgetGeometryTransform(UT_DMatrix4& result, const SIM_Object&);

extern "C" {
SYS_VISIBILITY_EXPORT extern void initializeSIM(void* data);
}
