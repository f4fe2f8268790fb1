// What Houdini looks for in a DSO with data types of simulations.

#include <SIM/SIM_DataUtils.h>

#include "dop_snow_report.h"
#include "dop_snow_solver.h"
#include "dop_snow_state.h"
#include "dso_version.h"

void initializeSIM(void*) {
    using firn::SIM_FirnSnowReport;
    using firn::SIM_FirnSnowSolver;
    using firn::SIM_FirnSnowState;
    if (!firn::fits_this_houdini()) return;
    IMPLEMENT_DATAFACTORY(SIM_FirnSnowSolver)
    IMPLEMENT_DATAFACTORY(SIM_FirnSnowState)
    IMPLEMENT_DATAFACTORY(SIM_FirnSnowReport)
}
