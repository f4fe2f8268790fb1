#pragma once
// Fake of <PRM/PRM_Type.h>: https://www.sidefx.com/docs/hdk/_p_r_m___type_8h.html
// The real types are objects with flags; here they are numbers.

#include <PRM/PRM_API.h>

enum PRM_Type {
    PRM_LIST_TERMINATOR,
    PRM_FLT,
    PRM_FLT_J,
    PRM_FLT_LOG,
    PRM_ANGLE,
    PRM_ANGLE_J,
    PRM_INT,
    PRM_INT_J,
    PRM_INT_E,
    PRM_TOGGLE,
    PRM_TOGGLE_J,
    PRM_ORD,
    PRM_XYZ,
    PRM_XYZ_J,
    PRM_STRING,
    PRM_CALLBACK,
    PRM_SWITCHER,
    PRM_LABEL,
    PRM_SEPARATOR,
    PRM_RGB,
    PRM_RGB_J
};
