#pragma once
// Fake of <GA/GA_Handle.h>: https://www.sidefx.com/docs/hdk/_g_a___handle_8h.html,
// https://www.sidefx.com/docs/hdk/class_g_a___r_o_handle_t.html,
// https://www.sidefx.com/docs/hdk/class_g_a___r_w_handle_t.html and
// https://www.sidefx.com/docs/hdk/class_g_a___r_w_handle_s.html

#include <GA/GA_ATINumeric.h>
#include <GA/GA_ATIString.h>
#include <GA/GA_Detail.h>
#include <UT/UT_Matrix3.h>
#include <UT/UT_Matrix4.h>
#include <UT/UT_Vector3.h>
#include <UT/UT_Vector4.h>

#include <type_traits>

namespace hdk_fake {
/// How many numbers of which type a handle's value has.
template <typename T, typename = void>
struct Tuple {
    typedef typename T::value_type Number;
    static constexpr int size = T::tuple_size;
    static Number* data(T* value) { return value->data(); }
    static const Number* data(const T* value) { return value->data(); }
};
template <typename T>
struct Tuple<T, std::enable_if_t<std::is_arithmetic_v<T>>> {
    typedef T Number;
    static constexpr int size = 1;
    static T* data(T* value) { return value; }
    static const T* data(const T* value) { return value; }
};
}  // namespace hdk_fake

template <typename T, typename ENABLE = void>
class GA_ROHandleT {
    typedef hdk_fake::Tuple<T> Tuple;

public:
    typedef typename Tuple::Number BASETYPE;

    GA_ROHandleT() = default;
    GA_ROHandleT(const GA_Attribute* attribute) { bind(attribute); }
    GA_ROHandleT(const GA_ROAttributeRef& attribute) { bind(attribute.getAttribute()); }
    GA_ROHandleT(const GA_Detail* gdp, GA_AttributeOwner owner, const UT_StringRef& name, int minsize = 1) {
        bind(gdp, owner, name, minsize);
    }
    void bind(const GA_Detail* gdp, GA_AttributeOwner owner, const UT_StringRef& name, int minsize = 1) {
        bind(gdp->findAttribute(owner, name), minsize);
    }
    /// Binds numbers with enough components, or nothing.
    void bind(const GA_Attribute* attribute, int minsize = 1) {
        const GA_ATINumeric* numeric = GA_ATINumeric::cast(attribute);
        const bool fits = numeric && numeric->getTupleSize() >= std::max(minsize, Tuple::size);
        myAttrib = fits ? const_cast<GA_ATINumeric*>(numeric) : nullptr;
    }
    bool isValid() const { return myAttrib != nullptr; }
    bool isInvalid() const { return myAttrib == nullptr; }
    void clear() { myAttrib = nullptr; }
    int getTupleSize() const { return myAttrib->getTupleSize(); }
    const GA_ATINumeric* getAttribute() const { return myAttrib; }
    const GA_ATINumeric* operator->() const { return myAttrib; }
    GA_DataId getDataId() const { return myAttrib->getDataId(); }

    T get(GA_Offset offset, int component = 0) const {
        T value;
        getBlock(offset, 1, &value, 1, component);
        return value;
    }
    T operator()(GA_Offset offset, int component = 0) const { return get(offset, component); }
    void getBlock(GA_Offset startoff, GA_Size nelements, T* dest, int deststride = 1, int component = 0) const {
        for (int c = 0; c < Tuple::size; ++c)
            myAttrib->template readBlock<BASETYPE>(startoff, nelements, Tuple::data(dest) + c, deststride * Tuple::size,
                                                   component * Tuple::size + c);
    }

protected:
    GA_ATINumeric* myAttrib = nullptr;
};

template <typename T, typename ENABLE = void>
class GA_RWHandleT : public GA_ROHandleT<T, ENABLE> {
    typedef hdk_fake::Tuple<T> Tuple;
    using GA_ROHandleT<T, ENABLE>::myAttrib;

public:
    typedef typename Tuple::Number BASETYPE;

    GA_RWHandleT() = default;
    GA_RWHandleT(GA_Attribute* attribute) : GA_ROHandleT<T, ENABLE>(attribute) {}
    GA_RWHandleT(const GA_RWAttributeRef& attribute) : GA_ROHandleT<T, ENABLE>(attribute.getAttribute()) {}
    GA_RWHandleT(GA_Detail* gdp, GA_AttributeOwner owner, const UT_StringRef& name, int minsize = 1)
        : GA_ROHandleT<T, ENABLE>(gdp, owner, name, minsize) {}
    GA_ATINumeric* getAttribute() const { return myAttrib; }
    GA_ATINumeric* operator->() const { return myAttrib; }
    void bumpDataId() const { myAttrib->bumpDataId(); }

    void set(GA_Offset offset, const T& value) const { setBlock(offset, 1, &value); }
    void set(GA_Offset offset, int component, const T& value) const { setBlock(offset, 1, &value, 1, component); }
    void setBlock(GA_Offset startoff, GA_Size nelements, const T* source, int sourcestride = 1,
                  int component = 0) const {
        for (int c = 0; c < Tuple::size; ++c)
            myAttrib->template writeBlock<BASETYPE>(startoff, nelements, Tuple::data(source) + c,
                                                    sourcestride * Tuple::size, component * Tuple::size + c);
    }
    void makeConstant(const T& value) const {
        for (int c = 0; c < Tuple::size; ++c) myAttrib->template makeConstant<BASETYPE>(Tuple::data(&value)[c], c);
    }
};

typedef GA_ROHandleT<fpreal32> GA_ROHandleF;
typedef GA_RWHandleT<fpreal32> GA_RWHandleF;
typedef GA_ROHandleT<fpreal64> GA_ROHandleD;
typedef GA_RWHandleT<fpreal64> GA_RWHandleD;
typedef GA_ROHandleT<int32> GA_ROHandleI;
typedef GA_RWHandleT<int32> GA_RWHandleI;
typedef GA_ROHandleT<int64> GA_ROHandleID;
typedef GA_RWHandleT<int64> GA_RWHandleID;
typedef GA_ROHandleT<UT_Vector3F> GA_ROHandleV3;
typedef GA_RWHandleT<UT_Vector3F> GA_RWHandleV3;
typedef GA_ROHandleT<UT_Vector3D> GA_ROHandleV3D;
typedef GA_RWHandleT<UT_Vector3D> GA_RWHandleV3D;
typedef GA_ROHandleT<UT_Vector4F> GA_ROHandleV4;
typedef GA_RWHandleT<UT_Vector4F> GA_RWHandleV4;

class GA_ROHandleS {
public:
    GA_ROHandleS() = default;
    GA_ROHandleS(const GA_Attribute* attribute) : myAttrib(GA_ATIString::cast(attribute)) {}
    GA_ROHandleS(const GA_Detail* gdp, GA_AttributeOwner owner, const UT_StringRef& name)
        : myAttrib(GA_ATIString::cast(gdp->findAttribute(owner, name))) {}
    bool isValid() const { return myAttrib != nullptr; }
    bool isInvalid() const { return myAttrib == nullptr; }
    UT_StringHolder get(GA_Offset offset, int component = 0) const { return myAttrib->getString(offset, component); }
    GA_StringIndexType getIndex(GA_Offset offset, int component = 0) const {
        return myAttrib->getStringIndex(offset, component);
    }

private:
    const GA_ATIString* myAttrib = nullptr;
};

class GA_RWHandleS {
public:
    GA_RWHandleS() = default;
    GA_RWHandleS(GA_Attribute* attribute) : myAttrib(GA_ATIString::cast(attribute)) {}
    bool isValid() const { return myAttrib != nullptr; }
    bool isInvalid() const { return myAttrib == nullptr; }
    UT_StringHolder get(GA_Offset offset, int component = 0) const { return myAttrib->getString(offset, component); }
    void set(GA_Offset offset, const UT_StringHolder& text) const { myAttrib->setString(offset, text); }
    void bumpDataId() const { myAttrib->bumpDataId(); }

private:
    GA_ATIString* myAttrib = nullptr;
};
