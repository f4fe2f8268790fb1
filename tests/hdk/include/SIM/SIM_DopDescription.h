#pragma once
// Fake of <SIM/SIM_DopDescription.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___dop_description.html
// The node that Houdini makes for a data type.

#include <SIM/SIM_API.h>
#include <UT/UT_String.h>

class OP_Node;
class PRM_Template;

class SIM_API SIM_DopDescription {
public:
    typedef bool (*SIM_UpdateParmsFlags)(OP_Node* node);

    SIM_DopDescription(bool createdop, const char* dopname, const char* dopenglish, const char* dataname,
                       const char* datatypename, const PRM_Template* templates)
        : create_(createdop),
          name_(dopname),
          english_(dopenglish),
          data_name_(dataname),
          data_type_(datatypename),
          templates_(templates) {}
    SIM_DopDescription(const SIM_DopDescription&) = delete;
    SIM_DopDescription& operator=(const SIM_DopDescription&) = delete;

    bool getCreateDop() const { return create_; }
    const UT_String& getDopName() const { return name_; }
    const UT_String& getDopEnglish() const { return english_; }
    const UT_String& getDataName() const { return data_name_; }
    const UT_String& getDataTypeName() const { return data_type_; }
    const PRM_Template* getTemplates() const { return templates_; }

    void setDefaultUniqueDataName(int unique) { unique_ = unique; }
    int getDefaultUniqueDataName() const { return unique_; }
    void setGuideTemplates(const PRM_Template* tplates) { guide_templates_ = tplates; }
    const PRM_Template* getGuideTemplates() const { return guide_templates_; }
    void setUpdateParmsFlags(SIM_UpdateParmsFlags callback) { update_ = callback; }
    bool updateParmsFlags(OP_Node* node) const { return update_ ? update_(node) : false; }

private:
    bool create_;
    UT_String name_, english_, data_name_, data_type_;
    const PRM_Template* templates_;
    const PRM_Template* guide_templates_ = nullptr;
    SIM_UpdateParmsFlags update_ = nullptr;
    int unique_ = 0;
};
