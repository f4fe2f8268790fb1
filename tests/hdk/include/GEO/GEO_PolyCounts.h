#pragma once
// Fake of <GEO/GEO_PolyCounts.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___poly_counts.html

#include <GA/GA_Types.h>
#include <GEO/GEO_API.h>

#include <utility>
#include <vector>

class GEO_PolyCounts {
public:
    void append(GA_Size size, GA_Size count = 1) { mySizes.emplace_back(size, count); }
    const std::vector<std::pair<GA_Size, GA_Size>>& sizes() const { return mySizes; }

private:
    std::vector<std::pair<GA_Size, GA_Size>> mySizes;
};
