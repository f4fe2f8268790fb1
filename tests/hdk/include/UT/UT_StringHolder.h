#pragma once
// Fake of <UT/UT_StringHolder.h>: https://www.sidefx.com/docs/hdk/class_u_t___string_holder.html
// and https://www.sidefx.com/docs/hdk/class_u_t___string_ref.html

#include <SYS/SYS_Types.h>
#include <UT/UT_API.h>

#include <string>

class UT_String;

/// The real one refers to a text that somebody else holds; this one keeps a copy.
class UT_StringRef {
public:
    UT_StringRef() = default;
    UT_StringRef(const char* text) : myText(text ? text : "") {}
    UT_StringRef(const std::string& text) : myText(text) {}
    UT_StringRef(const UT_String& text);

    const char* c_str() const { return myText.c_str(); }
    const char* buffer() const { return myText.c_str(); }
    operator const char*() const { return myText.c_str(); }
    exint length() const { return static_cast<exint>(myText.size()); }
    bool isstring() const { return !myText.empty(); }
    bool isEmpty() const { return myText.empty(); }
    std::string toStdString() const { return myText; }

    bool operator==(const UT_StringRef& other) const { return myText == other.myText; }
    bool operator!=(const UT_StringRef& other) const { return myText != other.myText; }
    bool operator<(const UT_StringRef& other) const { return myText < other.myText; }
    bool operator==(const char* other) const { return myText == (other ? other : ""); }
    bool operator!=(const char* other) const { return !(*this == other); }

protected:
    std::string myText;
};

class UT_StringHolder : public UT_StringRef {
public:
    UT_StringHolder() = default;
    UT_StringHolder(const char* text) : UT_StringRef(text) {}
    UT_StringHolder(const std::string& text) : UT_StringRef(text) {}
    UT_StringHolder(const UT_StringRef& text) : UT_StringRef(text) {}
    UT_StringHolder(const UT_String& text) : UT_StringRef(text) {}
    void clear() { myText.clear(); }
    UT_StringHolder& operator+=(const char* text) {
        myText += text;
        return *this;
    }
};

/// "name"_sh and "name"_UTsh, as in SideFX's samples.
inline UT_StringHolder operator""_sh(const char* text, std::size_t length) {
    return std::string(text, length);
}
inline UT_StringHolder operator""_UTsh(const char* text, std::size_t length) {
    return std::string(text, length);
}
