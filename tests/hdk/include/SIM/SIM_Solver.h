#pragma once
// Fake of <SIM/SIM_Solver.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___solver.html

#include <SIM/SIM_API.h>
#include <SIM/SIM_DataUtils.h>
#include <SIM/SIM_PhysicalParms.h>

class SIM_Engine;
class SIM_ObjectArray;

class SIM_API SIM_Solver : public SIM_Data {
public:
    typedef enum { SIM_SOLVER_SUCCESS, SIM_SOLVER_REPEAT, SIM_SOLVER_SUBSTEP, SIM_SOLVER_FAIL } SIM_Result;

    SIM_Result solveObjects(SIM_Engine& engine, SIM_ObjectArray& objects, SIM_ObjectArray& newobjects,
                            SIM_ObjectArray& feedbacktoobjects, const SIM_Time& timestep) {
        return solveObjectsSubclass(engine, objects, newobjects, feedbacktoobjects, timestep);
    }
    int getRequestedCache() const { return getRequestedCacheSubclass(); }

protected:
    explicit SIM_Solver(const SIM_DataFactory* factory) : SIM_Data(factory) {}
    ~SIM_Solver() override = default;

    virtual SIM_Result solveObjectsSubclass(SIM_Engine& engine, SIM_ObjectArray& objects, SIM_ObjectArray& newobjects,
                                            SIM_ObjectArray& feedbacktoobjects, const SIM_Time& timestep) = 0;
    virtual int getRequestedCacheSubclass() const { return 0; }

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(SIM_Solver, SIM_Data)
};
