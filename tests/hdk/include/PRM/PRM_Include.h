#pragma once
// Fake of <PRM/PRM_Include.h>: https://www.sidefx.com/docs/hdk/_p_r_m___include_8h.html

#include <PRM/PRM_ChoiceList.h>
#include <PRM/PRM_Default.h>
#include <PRM/PRM_Name.h>
#include <PRM/PRM_Range.h>
#include <PRM/PRM_Shared.h>
#include <PRM/PRM_SpareData.h>
#include <PRM/PRM_Template.h>
#include <PRM/PRM_Type.h>
