#pragma once
// Fake of <GA/GA_Types.h>: https://www.sidefx.com/docs/hdk/_g_a___types_8h.html

#include <GA/GA_API.h>
#include <SYS/SYS_Types.h>

typedef exint GA_Size;
typedef exint GA_Offset;
typedef exint GA_Index;
typedef exint GA_PageNum;
typedef int64 GA_DataId;

#define GA_INVALID_OFFSET (GA_Offset(-1))
#define GA_INVALID_INDEX (GA_Index(-1))
#define GA_INVALID_DATAID (GA_DataId(-1))

#define GA_PAGE_BITS 10
#define GA_PAGE_SIZE (1 << GA_PAGE_BITS)

enum GA_AttributeOwner {
    GA_ATTRIB_INVALID = -1,
    GA_ATTRIB_VERTEX,
    GA_ATTRIB_POINT,
    GA_ATTRIB_PRIMITIVE,
    GA_ATTRIB_GLOBAL,
    GA_ATTRIB_OWNER_N,
    GA_ATTRIB_DETAIL = GA_ATTRIB_GLOBAL
};

enum GA_GroupType { GA_GROUP_INVALID = -1, GA_GROUP_POINT, GA_GROUP_PRIMITIVE };

enum GA_AttributeScope { GA_SCOPE_INVALID = -1, GA_SCOPE_PUBLIC, GA_SCOPE_PRIVATE, GA_SCOPE_GROUP };

/// The fake stores the four kinds that the nodes use.
enum GA_Storage {
    GA_STORE_INVALID = -1,
    GA_STORE_INT32 = 4,
    GA_STORE_INT64 = 5,
    GA_STORE_REAL32 = 7,
    GA_STORE_REAL64 = 8,
    GA_STORE_STRING = 9,
    GA_STORE_DICT = 10
};

enum GA_StorageClass {
    GA_STORECLASS_INVALID = -1,
    GA_STORECLASS_INT,
    GA_STORECLASS_REAL,
    GA_STORECLASS_STRING,
    GA_STORECLASS_DICT,
    GA_STORECLASS_OTHER
};

enum GA_TypeInfo {
    GA_TYPE_INVALID = -1,
    GA_TYPE_VOID,
    GA_TYPE_POINT,
    GA_TYPE_HPOINT,
    GA_TYPE_VECTOR,
    GA_TYPE_NORMAL,
    GA_TYPE_COLOR,
    GA_TYPE_NONARITHMETIC_INTEGER
};

inline GA_PageNum GAgetPageNum(GA_Offset offset) {
    return offset >> GA_PAGE_BITS;
}
inline GA_Offset GAgetPageOff(GA_Offset offset) {
    return offset & (GA_PAGE_SIZE - 1);
}
