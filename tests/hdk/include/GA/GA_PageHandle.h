#pragma once
// Fake of <GA/GA_PageHandle.h>: https://www.sidefx.com/docs/hdk/_g_a___page_handle_8h.html
// and https://www.sidefx.com/docs/hdk/class_g_a___page_handle_t.html
// Values are read and written through the attribute, one page at a time; the real one gives out the page's memory.

#include <GA/GA_Handle.h>

template <typename T>
class GA_ROPageHandleT {
public:
    GA_ROPageHandleT() = default;
    GA_ROPageHandleT(const GA_Attribute* attribute) : myHandle(attribute) {}
    void bind(const GA_Attribute* attribute) { myHandle.bind(attribute); }
    bool isValid() const { return myHandle.isValid(); }
    void setPage(GA_Offset offset) { myPage = GAgetPageNum(offset); }
    T value(GA_Offset offset) const { return myHandle.get(offset); }
    T get(GA_Offset offset) const { return myHandle.get(offset); }

private:
    GA_ROHandleT<T> myHandle;
    GA_PageNum myPage = -1;
};

template <typename T>
class GA_RWPageHandleT {
public:
    GA_RWPageHandleT() = default;
    GA_RWPageHandleT(GA_Attribute* attribute) : myHandle(attribute) {}
    void bind(GA_Attribute* attribute) { myHandle = GA_RWHandleT<T>(attribute); }
    bool isValid() const { return myHandle.isValid(); }
    void setPage(GA_Offset offset) { myPage = GAgetPageNum(offset); }
    T get(GA_Offset offset) const { return myHandle.get(offset); }
    void set(GA_Offset offset, const T& value) { myHandle.set(offset, value); }
    void bumpDataId() const { myHandle.bumpDataId(); }

private:
    GA_RWHandleT<T> myHandle;
    GA_PageNum myPage = -1;
};

typedef GA_ROPageHandleT<fpreal32> GA_ROPageHandleF;
typedef GA_RWPageHandleT<fpreal32> GA_RWPageHandleF;
typedef GA_ROPageHandleT<UT_Vector3F> GA_ROPageHandleV3;
typedef GA_RWPageHandleT<UT_Vector3F> GA_RWPageHandleV3;
