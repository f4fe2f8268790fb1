#pragma once
// Fake of <GA/GA_AttributeRef.h>: https://www.sidefx.com/docs/hdk/class_g_a___r_w_attribute_ref.html
// and https://www.sidefx.com/docs/hdk/class_g_a___r_o_attribute_ref.html

#include <GA/GA_Attribute.h>

class GA_ROAttributeRef {
public:
    GA_ROAttributeRef(const GA_Attribute* attribute = nullptr) : myAttribute(attribute) {}
    bool isValid() const { return myAttribute != nullptr; }
    bool isInvalid() const { return myAttribute == nullptr; }
    const GA_Attribute* getAttribute() const { return myAttribute; }
    operator const GA_Attribute*() const { return myAttribute; }
    const GA_Attribute* operator->() const { return myAttribute; }

private:
    const GA_Attribute* myAttribute;
};

class GA_RWAttributeRef {
public:
    GA_RWAttributeRef(GA_Attribute* attribute = nullptr) : myAttribute(attribute) {}
    bool isValid() const { return myAttribute != nullptr; }
    bool isInvalid() const { return myAttribute == nullptr; }
    GA_Attribute* getAttribute() const { return myAttribute; }
    operator GA_Attribute*() const { return myAttribute; }
    GA_Attribute* operator->() const { return myAttribute; }
    void setTypeInfo(GA_TypeInfo type) const { myAttribute->setTypeInfo(type); }

private:
    GA_Attribute* myAttribute;
};
