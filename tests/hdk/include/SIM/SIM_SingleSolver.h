#pragma once
// Fake of <SIM/SIM_SingleSolver.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___single_solver.html
// One object at a time.

#include <SIM/SIM_API.h>
#include <SIM/SIM_Solver.h>

class SIM_Object;

class SIM_API SIM_SingleSolver : public SIM_Solver {
public:
    SIM_Result solveSingleObject(SIM_Engine& engine, SIM_Object& object, SIM_ObjectArray& feedbacktoobjects,
                                 const SIM_Time& timestep, bool newobject) {
        return solveSingleObjectSubclass(engine, object, feedbacktoobjects, timestep, newobject);
    }

protected:
    explicit SIM_SingleSolver(const SIM_DataFactory* factory) : SIM_Solver(factory) {}
    ~SIM_SingleSolver() override = default;

    SIM_Result solveObjectsSubclass(SIM_Engine& engine, SIM_ObjectArray& objects, SIM_ObjectArray& newobjects,
                                    SIM_ObjectArray& feedbacktoobjects, const SIM_Time& timestep) override;
    virtual SIM_Result solveSingleObjectSubclass(SIM_Engine& engine, SIM_Object& object,
                                                 SIM_ObjectArray& feedbacktoobjects, const SIM_Time& timestep,
                                                 bool newobject) = 0;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(SIM_SingleSolver, SIM_Solver)
};
