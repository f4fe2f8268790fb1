#pragma once
// Fake of <PRM/PRM_SpareData.h>: https://www.sidefx.com/docs/hdk/class_p_r_m___spare_data.html

#include <PRM/PRM_API.h>

class PRM_SpareData {};
