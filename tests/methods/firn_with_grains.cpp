// `firn` with a second method.

#include "subcommands.h"

#define FIRN_LANES lanes1
#define FIRN_LANE_WIDTH 1
#include "devices/cpu_execution.h"
#include "grains.h"

int main(int argc, char** argv) {
    firn::add_method(firn::grains_method());
    return firn::run_firn(argc, argv);
}
