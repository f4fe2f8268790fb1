// The tests of the internal headers once more, for one lane.

#define FIRN_LANES test_lanes1
#define FIRN_LANE_WIDTH 1
#define FIRN_SUITE(noun) noun##Lanes1

#include "eigen_test.cpp"
#include "kernel_test.cpp"
#include "law_test.cpp"
#include "neighbours_test.cpp"
