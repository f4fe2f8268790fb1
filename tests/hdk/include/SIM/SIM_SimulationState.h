#pragma once
// Fake of <SIM/SIM_SimulationState.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___simulation_state.html
// The objects and relationships of one time step. A copy shares all data with its source, until one of them changes it.

#include <SIM/SIM_Object.h>
#include <SIM/SIM_Relationship.h>

#include <string>
#include <vector>

class SIM_API SIM_SimulationState : public SIM_DataFactory {
public:
    explicit SIM_SimulationState(const SIM_Engine* engine);
    SIM_SimulationState(const SIM_SimulationState& source, const SIM_Time& time);
    ~SIM_SimulationState() override;

    SIM_Object* add_object(int id);
    SIM_Relationship* add_relationship(const char* name);
    /// In a text of its own; of `bytes` that are no state, or with data that would not load, false.
    void write(std::ostream& os) const;
    bool read(const std::string& bytes);

    SIM_Time time;
    std::vector<SIM_Object*> objects;
    std::vector<SIM_Relationship*> relationships;
};
