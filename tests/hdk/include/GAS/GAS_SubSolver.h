#pragma once
// Fake of <GAS/GAS_SubSolver.h>: https://www.sidefx.com/docs/hdk/class_g_a_s___sub_solver.html
// A solver of one object, with options of its own: what microsolvers are made of.

#include <SIM/SIM_OptionsUser.h>
#include <SIM/SIM_RawField.h>
#include <SIM/SIM_Solver.h>

#include <memory>

class SIM_GeometryCopy;
class SIM_Object;

#define GAS_NAME_GEOMETRY "geometry"

class SIM_API GAS_SubSolver : public SIM_Solver, public SIM_OptionsUser {
public:
    bool solveGas(SIM_Engine& engine, SIM_Object* object, SIM_Time time, SIM_Time timestep) {
        return solveGasSubclass(engine, object, time, timestep);
    }

protected:
    explicit GAS_SubSolver(const SIM_DataFactory* factory) : SIM_Solver(factory), SIM_OptionsUser(this) {}
    ~GAS_SubSolver() override = default;

    virtual bool solveGasSubclass(SIM_Engine& engine, SIM_Object* object, SIM_Time time, SIM_Time timestep) = 0;
    SIM_Result solveObjectsSubclass(SIM_Engine& engine, SIM_ObjectArray& objects, SIM_ObjectArray& newobjects,
                                    SIM_ObjectArray& feedbacktoobjects, const SIM_Time& timestep) override;

    /// Adds what every microsolver's node has.
    static void setGasDescription(SIM_DopDescription&) {}
    /// The geometry that the option names.
    SIM_GeometryCopy* getGeometryCopy(SIM_Object* object, const char* optionname, bool silent = false);

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(GAS_SubSolver, SIM_Solver)
};
