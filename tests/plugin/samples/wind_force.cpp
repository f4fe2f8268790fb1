#include "wind_force.h"

#include <GA/GA_Handle.h>
#include <GU/GU_Detail.h>
#include <GU/GU_PrimPoly.h>
#include <PRM/PRM_Include.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_GuideShared.h>

SIM_WindForce::SIM_WindForce(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}
SIM_WindForce::~SIM_WindForce() {}

const SIM_DopDescription* SIM_WindForce::getWindForceDopDescription() {
    static PRM_Name velocity_name("velocity", "Velocity");
    static PRM_Name drag_name("drag", "Drag");
    static PRM_Name guide_name(SIM_NAME_SHOWGUIDE, "Show Guide");
    static PRM_Template templates[] = {PRM_Template(PRM_XYZ_J, 3, &velocity_name),
                                       PRM_Template(PRM_FLT_J, 1, &drag_name, PRMoneDefaults), PRM_Template()};
    static PRM_Template guide_templates[] = {PRM_Template(PRM_TOGGLE, 1, &guide_name, PRMoneDefaults), PRM_Template()};
    static SIM_DopDescription description(true, "sample_wind", "Wind Force", SIM_FORCES_DATANAME "/Wind", classname(),
                                          templates);
    description.setGuideTemplates(guide_templates);
    description.setDefaultUniqueDataName(1);
    return &description;
}

void SIM_WindForce::getForceSubclass(const SIM_Object&, const UT_Vector3&, const UT_Vector3& velocity,
                                     const UT_Vector3&, const fpreal mass, UT_Vector3& force,
                                     UT_Vector3& torque) const {
    force = getVelocity() - velocity;
    force *= mass * getDrag();
    torque = 0.0;
}

SIM_Guide* SIM_WindForce::createGuideObjectSubclass() const {
    return new SIM_GuideShared(this, true);
}

void SIM_WindForce::buildGuideGeometrySubclass(const SIM_RootData&, const SIM_Options& options,
                                               const GU_DetailHandle& gdh, UT_DMatrix4* xform, const SIM_Time&) const {
    if (!options.hasOption(SIM_NAME_SHOWGUIDE) || !options.getOptionB(SIM_NAME_SHOWGUIDE)) return;
    if (!gdh.isNull()) {
        GU_DetailHandleAutoWriteLock lock(gdh);
        GU_Detail* gdp = lock.getGdp();
        const GA_Offset points = gdp->appendPointBlock(2);
        gdp->setPos3(points, UT_Vector3(0, 0, 0));
        gdp->setPos3(points + 1, getVelocity());
        GU_PrimPoly* line = GU_PrimPoly::build(gdp, 0, GU_POLY_OPEN, 0);
        line->appendVertex(points);
        line->appendVertex(points + 1);
    }
    if (xform) xform->identity();
}

void register_wind_force() {
    IMPLEMENT_DATAFACTORY(SIM_WindForce);
}
