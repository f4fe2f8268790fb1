// What Houdini looks for in a DSO with SOPs.

#include <SYS/SYS_Visibility.h>
#include <UT/UT_DSOVersion.h>

#include "dso_version.h"
#include "snow_sop.h"

extern "C" SYS_VISIBILITY_EXPORT void newSopOperator(OP_OperatorTable* operators) {
    if (!firn::fits_this_houdini()) return;
    firn::add_snow_source(operators);
    firn::add_snow_collider(operators);
    firn::add_snow_step(operators);
    firn::add_snow_rasterize(operators);
    firn::add_snow_surface(operators);
    firn::add_snow_grains(operators);
}
