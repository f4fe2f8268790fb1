#pragma once
// Fake of <OP/OP_NodeInfoParms.h>: https://www.sidefx.com/docs/hdk/class_o_p___node_info_parms.html

#include <OP/OP_API.h>

#include <string>

class OP_NodeInfoParms {
public:
    void append(const char* text) { myText += text; }
    // For tests.
    const std::string& text() const { return myText; }

private:
    std::string myText;
};
