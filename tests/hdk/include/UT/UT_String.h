#pragma once
// Fake of <UT/UT_String.h>: https://www.sidefx.com/docs/hdk/class_u_t___string.html

#include <UT/UT_StringHolder.h>

class UT_String {
public:
    UT_String(const char* text = nullptr) : myText(text ? text : "") {}
    UT_String(const std::string& text) : myText(text) {}
    UT_String(const UT_StringRef& text) : myText(text.toStdString()) {}

    const char* c_str() const { return myText.c_str(); }
    const char* buffer() const { return myText.c_str(); }
    operator const char*() const { return myText.c_str(); }
    bool isstring() const { return !myText.empty(); }
    std::string toStdString() const { return myText; }
    void harden() {}
    void harden(const char* text) { myText = text ? text : ""; }

    /// Leaves letters, digits and underscores.
    bool forceValidVariableName();

private:
    std::string myText;
};

inline UT_StringRef::UT_StringRef(const UT_String& text) : myText(text.toStdString()) {}

inline bool UT_String::forceValidVariableName() {
    bool changed = false;
    for (char& c : myText) {
        const bool fine = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        if (!fine) c = '_';
        changed |= !fine;
    }
    return changed;
}
