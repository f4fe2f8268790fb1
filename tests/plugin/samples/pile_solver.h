#pragma once

// A solver and a data type with state, written in the manner of SideFX's published samples SNOW_Solver and
// SIM_SolverHair (sidefx.com/docs/hdk, Examples: SIM/SNOW_Solver.C, SIM/SIM_SolverHair.C).

#include <SIM/SIM_Names.h>
#include <SIM/SIM_OptionsUser.h>
#include <SIM/SIM_SingleSolver.h>

#include <vector>

class SIM_GeometryCopy;

/// Heights in a row of bins, kept in a member of its own.
class SIM_PileHeights : public SIM_Data, public SIM_OptionsUser {
public:
    GETSET_DATA_FUNCS_I("bins", Bins);

    int getHeight(int bin) const;
    void addGrain(int bin);

protected:
    explicit SIM_PileHeights(const SIM_DataFactory* factory);
    ~SIM_PileHeights() override;

    void initializeSubclass() override;
    void makeEqualSubclass(const SIM_Data* source) override;
    void saveSubclass(std::ostream& os) const override;
    bool loadSubclass(UT_IStream& is) override;
    int64 getMemorySizeSubclass() const override;
    void optionChangedSubclass(const char* name) override;

private:
    static const SIM_DopDescription* getPileHeightsDopDescription();

    std::vector<int32> myHeights;

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_PileHeights, SIM_Data, "Pile Heights", getPileHeightsDopDescription());
};

/// Shows the heights that it is attached to: one line for each bin.
class SIM_PileView : public SIM_Data, public SIM_OptionsUser {
public:
    GET_GUIDE_FUNC_B(SIM_NAME_SHOWGUIDE, ShowGuide, true);
    GET_GUIDE_FUNC_V3(SIM_NAME_COLOR, Color, (1, 1, 0.5));

protected:
    explicit SIM_PileView(const SIM_DataFactory* factory);
    ~SIM_PileView() override;

    void initializeSubclass() override;
    bool getIsAlternateRepresentationSubclass() const override;
    void initAlternateRepresentationSubclass(const SIM_Data& parent) override;
    SIM_Guide* createGuideObjectSubclass() const override;
    void buildGuideGeometrySubclass(const SIM_RootData& root, const SIM_Options& options, const GU_DetailHandle& gdh,
                                    UT_DMatrix4* xform, const SIM_Time& t) const override;

private:
    static const SIM_DopDescription* getPileViewDopDescription();

    const SIM_PileHeights* myHeights;

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_PileView, SIM_Data, "Pile View", getPileViewDopDescription());
};

/// Drops one grain per step for each point of its sources.
class SIM_SolverPile : public SIM_SingleSolver, public SIM_OptionsUser {
protected:
    explicit SIM_SolverPile(const SIM_DataFactory* factory);
    ~SIM_SolverPile() override;

    SIM_Result solveSingleObjectSubclass(SIM_Engine& engine, SIM_Object& object, SIM_ObjectArray& feedbacktoobjects,
                                         const SIM_Time& timestep, bool newobject) override;

private:
    static const SIM_DopDescription* getSolverPileDopDescription();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_SolverPile, SIM_SingleSolver, "Pile Solver", getSolverPileDopDescription());
};

/// What its initializeSIM() would do.
void register_pile_solver();
