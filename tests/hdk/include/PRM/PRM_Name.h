#pragma once
// Fake of <PRM/PRM_Name.h>: https://www.sidefx.com/docs/hdk/class_p_r_m___name.html

#include <PRM/PRM_API.h>

#include <string>

class PRM_Name {
public:
    PRM_Name(const char* token = nullptr, const char* label = nullptr)
        : myToken(token ? token : ""), myLabel(label ? label : ""), myEnd(token == nullptr) {}
    const char* getToken() const { return myToken.c_str(); }
    const char* getLabel() const { return myLabel.c_str(); }
    /// A list of names ends with one that has no token.
    bool isEnd() const { return myEnd; }

private:
    std::string myToken, myLabel;
    bool myEnd;
};
