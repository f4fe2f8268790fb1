#pragma once
// Fake of <GA/GA_Attribute.h>: https://www.sidefx.com/docs/hdk/class_g_a___attribute.html

#include <GA/GA_Types.h>
#include <UT/UT_StringHolder.h>

#include <memory>

class GA_Detail;

class GA_API GA_Attribute {
public:
    virtual ~GA_Attribute();
    GA_Attribute(const GA_Attribute&) = delete;
    GA_Attribute& operator=(const GA_Attribute&) = delete;

    const UT_StringHolder& getName() const { return myName; }
    GA_AttributeOwner getOwner() const { return myOwner; }
    GA_TypeInfo getTypeInfo() const { return myTypeInfo; }
    void setTypeInfo(GA_TypeInfo type) { myTypeInfo = type; }
    GA_StorageClass getStorageClass() const;
    int getTupleSize() const { return myTupleSize; }
    /// Whether its values turn and move with the geometry.
    bool needsTransform() const { return myTypeInfo >= GA_TYPE_POINT && myTypeInfo <= GA_TYPE_NORMAL; }

    /// Equal ids promise equal data; whoever changes the data bumps the id.
    GA_DataId getDataId() const { return myDataId; }
    void bumpDataId();
    void assignNewDataId() { bumpDataId(); }
    void clearDataId() { myDataId = GA_INVALID_DATAID; }
    void cloneDataId(const GA_Attribute& src, bool /*allow_clear*/ = false) { myDataId = src.myDataId; }

    // What the fake's details need of their attributes; the real class has other ways.
    virtual std::unique_ptr<GA_Attribute> duplicate() const = 0;
    virtual std::unique_ptr<GA_Attribute> emptyLike() const = 0;
    /// New elements have the default value.
    virtual void resize(GA_Size elements) = 0;
    virtual void copyElement(GA_Offset to, const GA_Attribute& src, GA_Offset from) = 0;
    /// A hash over the values of all elements, to find changes that nobody announced.
    virtual uint64 contentHash(GA_Size elements) const = 0;
    virtual GA_Storage getStorage() const = 0;

protected:
    GA_Attribute(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size);
    void copyDescription(const GA_Attribute& src);

private:
    UT_StringHolder myName;
    GA_AttributeOwner myOwner;
    GA_TypeInfo myTypeInfo = GA_TYPE_VOID;
    int myTupleSize;
    GA_DataId myDataId;
};
