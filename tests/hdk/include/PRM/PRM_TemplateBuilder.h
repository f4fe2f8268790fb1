#pragma once
// Fake of <PRM/PRM_TemplateBuilder.h>: https://www.sidefx.com/docs/hdk/class_p_r_m___template_builder.html
// Reads the part of DialogScript that the nodes write, strictly: what it does not know is an error.

#include <PRM/PRM_API.h>
#include <UT/UT_StringHolder.h>

#include <memory>
#include <vector>

class PRM_Callback;
class PRM_Template;

class PRM_API PRM_TemplateBuilder {
public:
    /// Throws std::runtime_error for a text that it can't read (the real one prints it).
    PRM_TemplateBuilder(const UT_StringHolder& name, const char* dstext, const char** cpp_options = nullptr,
                        int extra_parms = 0);
    ~PRM_TemplateBuilder();
    PRM_Template* templates() const;
    int templateLength() const;
    /// True once.
    bool justBuilt();
    void setCallback(const UT_StringRef& name, PRM_Callback callback);
    PRM_Template* findTemplate(const UT_StringRef& name);

private:
    std::unique_ptr<std::vector<PRM_Template>> myTemplates;
    bool myJustBuilt = true;
};
