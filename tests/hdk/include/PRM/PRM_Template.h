#pragma once
// Fake of <PRM/PRM_Template.h>: https://www.sidefx.com/docs/hdk/class_p_r_m___template.html

#include <PRM/PRM_ChoiceList.h>
#include <PRM/PRM_Default.h>
#include <PRM/PRM_Name.h>
#include <PRM/PRM_Range.h>
#include <PRM/PRM_SpareData.h>
#include <PRM/PRM_Type.h>
#include <SYS/SYS_Types.h>

#include <memory>
#include <string>
#include <vector>

typedef int (*PRM_CallbackFunction)(void* data, int index, fpreal t, const class PRM_Template* tplate);
class PRM_Callback {
public:
    PRM_Callback(PRM_CallbackFunction called = nullptr) : myFunction(called) {}
    PRM_CallbackFunction called_function() const { return myFunction; }

private:
    PRM_CallbackFunction myFunction;
};
class PRM_ConditionalBase;

class PRM_API PRM_Template {
public:
    /// Whether the viewer shows it above the geometry.
    enum PRM_Export { PRM_EXPORT_MIN, PRM_EXPORT_MAX, PRM_EXPORT_TBX };

    /// Ends a list.
    PRM_Template() = default;
    PRM_Template(PRM_Type thetype, int thevectorsize = 1, PRM_Name* thenameptr = nullptr,
                 PRM_Default* thedefaults = nullptr, PRM_ChoiceList* thechoicelistptr = nullptr,
                 PRM_Range* therangeptr = nullptr, PRM_Callback thecallbackfunc = nullptr,
                 PRM_SpareData* thespareptr = nullptr, int theparmgroup = 1, const char* thehelptext = nullptr,
                 PRM_ConditionalBase* condptr = nullptr);
    PRM_Template(PRM_Type thetype, PRM_Export, int thevectorsize, PRM_Name* thenameptr,
                 PRM_Default* thedefaults = nullptr, PRM_ChoiceList* thechoicelistptr = nullptr,
                 PRM_Range* therangeptr = nullptr, PRM_Callback thecallbackfunc = nullptr,
                 PRM_SpareData* thespareptr = nullptr, int theparmgroup = 1, const char* thehelptext = nullptr,
                 PRM_ConditionalBase* condptr = nullptr)
        : PRM_Template(thetype, thevectorsize, thenameptr, thedefaults, thechoicelistptr, therangeptr, thecallbackfunc,
                       thespareptr, theparmgroup, thehelptext, condptr) {}

    PRM_Type getType() const { return myType; }
    const char* getToken() const { return myName.getToken(); }
    const char* getLabel() const { return myName.getLabel(); }
    int getVectorSize() const { return mySize; }
    const PRM_Default& getDefault(int index) const;
    const PRM_ChoiceList* getChoiceListPtr() const { return myChoices.get(); }
    const PRM_Range* getRangePtr() const { return myRange.get(); }
    const char* getHelpText() const { return myHelp.c_str(); }
    bool isString() const { return myType == PRM_STRING; }

    // Filled by the fake's PRM_TemplateBuilder.
    PRM_Type myType = PRM_LIST_TERMINATOR;
    int mySize = 1;
    PRM_Name myName;
    std::vector<PRM_Default> myDefaults;
    std::shared_ptr<PRM_ChoiceList> myChoices;
    std::shared_ptr<PRM_Range> myRange;
    std::string myHelp, myFolder, myDisableWhen;
};
