#pragma once
// Fake of <UT/UT_VectorTypes.h>: https://www.sidefx.com/docs/hdk/_u_t___vector_types_8h.html

#include <SYS/SYS_Types.h>

template <typename T>
class UT_Vector2T;
template <typename T>
class UT_Vector3T;
template <typename T>
class UT_Vector4T;
template <typename T>
class UT_Matrix3T;
template <typename T>
class UT_Matrix4T;

typedef UT_Vector2T<fpreal32> UT_Vector2F;
typedef UT_Vector2T<fpreal64> UT_Vector2D;
typedef UT_Vector2T<fpreal32> UT_Vector2;
typedef UT_Vector3T<fpreal32> UT_Vector3F;
typedef UT_Vector3T<fpreal64> UT_Vector3D;
typedef UT_Vector3T<fpreal32> UT_Vector3;
typedef UT_Vector4T<fpreal32> UT_Vector4F;
typedef UT_Vector4T<fpreal64> UT_Vector4D;
typedef UT_Vector4T<fpreal32> UT_Vector4;
typedef UT_Matrix3T<fpreal32> UT_Matrix3F;
typedef UT_Matrix3T<fpreal64> UT_Matrix3D;
typedef UT_Matrix3T<fpreal32> UT_Matrix3;
typedef UT_Matrix4T<fpreal32> UT_Matrix4F;
typedef UT_Matrix4T<fpreal64> UT_Matrix4D;
typedef UT_Matrix4T<fpreal32> UT_Matrix4;
typedef UT_Matrix3D UT_DMatrix3;
typedef UT_Matrix4D UT_DMatrix4;
