#pragma once

#include <GU/GU_DetailHandle.h>
#include <SIM/SIM_DataFactory.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_Guide.h>
#include <SIM/SIM_Object.h>
#include <SIM/SIM_ObjectArray.h>
#include <SIM/SIM_Options.h>
#include <SIM/SIM_OptionsUser.h>
#include <SIM/SIM_RootData.h>
#include <SIM/SIM_SingleSolver.h>
#include <SIM/SIM_Time.h>

#include <memory>

namespace firn {

struct SnowEngines;

/// DOP firn_snowsolver. The snow is the points of the object's geometry and their attributes; everything else that a
/// step needs is in the object's SIM_FirnSnowState. The engines that this holds are a cache of those, shared by all
/// copies that Houdini makes of the solver.
class SIM_FirnSnowSolver : public SIM_SingleSolver, public SIM_OptionsUser {
protected:
    explicit SIM_FirnSnowSolver(const SIM_DataFactory*);
    ~SIM_FirnSnowSolver() override;

    void makeEqualSubclass(const SIM_Data* source) override;
    SIM_Guide* createGuideObjectSubclass() const override;
    void buildGuideGeometrySubclass(const SIM_RootData& root, const SIM_Options& options, const GU_DetailHandle& gdh,
                                    UT_DMatrix4* xform, const SIM_Time& t) const override;
    SIM_Result solveSingleObjectSubclass(SIM_Engine& engine, SIM_Object& object, SIM_ObjectArray& feedbacktoobjects,
                                         const SIM_Time& timestep, bool newobject) override;

private:
    static const SIM_DopDescription* dop_description();

    std::shared_ptr<SnowEngines> engines_;

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_FirnSnowSolver, SIM_SingleSolver, "Firn Snow Solver", dop_description());
};

}  // namespace firn
