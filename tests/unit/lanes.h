#pragma once

// The internal headers are compiled once per lane width, each in a namespace of its own. Tests of them are compiled for
// four lanes where they are written, and for one lane by lanes1_test.cpp, which includes them again. Eight lanes need
// compiler flags of their own and are covered through the Engine.

#ifndef FIRN_LANE_WIDTH
#define FIRN_LANES test_lanes4
#define FIRN_LANE_WIDTH 4
/// The suite's name says for which width it is.
#define FIRN_SUITE(noun) noun##Lanes4
#endif
