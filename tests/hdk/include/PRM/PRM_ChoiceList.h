#pragma once
// Fake of <PRM/PRM_ChoiceList.h>: https://www.sidefx.com/docs/hdk/class_p_r_m___choice_list.html

#include <PRM/PRM_Name.h>

#include <vector>

enum PRM_ChoiceListType { PRM_CHOICELIST_SINGLE = 1, PRM_CHOICELIST_REPLACE = 2, PRM_CHOICELIST_TOGGLE = 4 };

class PRM_ChoiceList {
public:
    PRM_ChoiceList(PRM_ChoiceListType, PRM_Name* names) {
        for (; names && !names->isEnd(); ++names) myNames.push_back(*names);
    }
    explicit PRM_ChoiceList(std::vector<PRM_Name> names) : myNames(std::move(names)) {}
    const std::vector<PRM_Name>& names() const { return myNames; }

private:
    std::vector<PRM_Name> myNames;
};
