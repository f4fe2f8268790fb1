#pragma once
// Fake of <GA/GA_ATIString.h>: https://www.sidefx.com/docs/hdk/class_g_a___a_t_i_string.html
// One string per element (the real one takes tuples), shared in a table.

#include <GA/GA_Attribute.h>

#include <map>
#include <string>
#include <vector>

typedef int32 GA_StringIndexType;
#define GA_INVALID_STRING_INDEX (GA_StringIndexType(-1))

class GA_API GA_ATIString : public GA_Attribute {
public:
    GA_ATIString(GA_AttributeOwner owner, const UT_StringHolder& name);

    static GA_ATIString* cast(GA_Attribute* attribute) { return dynamic_cast<GA_ATIString*>(attribute); }
    static const GA_ATIString* cast(const GA_Attribute* attribute) {
        return dynamic_cast<const GA_ATIString*>(attribute);
    }

    UT_StringHolder getString(GA_Offset offset, int component = 0) const;
    GA_StringIndexType getStringIndex(GA_Offset offset, int component = 0) const;
    void setString(GA_Offset offset, const UT_StringHolder& text, int component = 0);

    GA_Storage getStorage() const override { return GA_STORE_STRING; }
    std::unique_ptr<GA_Attribute> duplicate() const override;
    std::unique_ptr<GA_Attribute> emptyLike() const override;
    void resize(GA_Size elements) override;
    void copyElement(GA_Offset to, const GA_Attribute& src, GA_Offset from) override;
    uint64 contentHash(GA_Size elements) const override;

private:
    std::vector<GA_StringIndexType> myHandles;
    std::vector<std::string> myTexts;
    std::map<std::string, GA_StringIndexType> myIndices;
};
