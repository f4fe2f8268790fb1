#pragma once
// Fake of <SIM/SIM_ObjectArray.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___object_array.html
// Pointers, in the order of the objects' ids.

#include <SIM/SIM_API.h>
#include <SIM/SIM_PtrArraySorted.h>

class SIM_Object;

class SIM_API SIM_ObjectArray : public SIM_PtrArraySorted<SIM_Object*> {
public:
    SIM_Object* findObjectById(int objectid) const;
};

class SIM_API SIM_ConstObjectArray : public SIM_PtrArraySorted<const SIM_Object*> {
public:
    const SIM_Object* findObjectById(int objectid) const;
};
