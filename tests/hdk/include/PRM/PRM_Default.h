#pragma once
// Fake of <PRM/PRM_Default.h>: https://www.sidefx.com/docs/hdk/class_p_r_m___default.html

#include <PRM/PRM_API.h>
#include <SYS/SYS_Types.h>

#include <string>

class PRM_Default {
public:
    PRM_Default(fpreal number = 0, const char* text = nullptr) : myNumber(number), myText(text ? text : "") {}
    fpreal getFloat() const { return myNumber; }
    /// An expression, or the value of a string parameter.
    const char* getString() const { return myText.c_str(); }

private:
    fpreal myNumber;
    std::string myText;
};
