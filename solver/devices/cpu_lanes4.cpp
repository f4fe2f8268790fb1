#define FIRN_LANES lanes4
#define FIRN_LANE_WIDTH 4

#include "devices/cpu_execution.h"
#include "snow/step.h"

namespace firn::lanes4 {

std::unique_ptr<SnowDevice> make_cpu(int threads) {
    return std::unique_ptr<SnowDevice>(new SnowStep(threads));
}

}  // namespace firn::lanes4
