#pragma once
// Fake of <OP/OP_Options.h>: https://www.sidefx.com/docs/hdk/class_o_p___options.html

#include <UT/UT_Options.h>

class PRM_Template;

class OP_Options : public UT_Options {
public:
    OP_Options() = default;
    ~OP_Options() override = default;
    OP_Options(const OP_Options&) = delete;
    OP_Options& operator=(const OP_Options&) = delete;

    void setOptionFromTemplateDefault(const PRM_Template& tp);
};
