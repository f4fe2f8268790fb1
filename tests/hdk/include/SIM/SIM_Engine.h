#pragma once
// Fake of <SIM/SIM_Engine.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___engine.html
// Steps objects through time and keeps every step, as a DOP network does. A test is the network: it derives from this
// and says in preSimulationStep() what its nodes make of the objects.

#include <SIM/SIM_API.h>
#include <SIM/SIM_Data.h>
#include <SIM/SIM_Options.h>
#include <SIM/SIM_SimulationState.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

class SIM_API SIM_Engine {
public:
    explicit SIM_Engine(OP_Node* owner);
    virtual ~SIM_Engine();
    SIM_Engine(const SIM_Engine&) = delete;
    SIM_Engine& operator=(const SIM_Engine&) = delete;

    SIM_Object* addSimulationObject(bool solvefirstframe);
    int getNumSimulationObjects() const;
    const SIM_Object* getSimulationObject(int index) const;
    const SIM_Object* getSimulationObjectFromId(int objectid) const;
    SIM_Relationship* addRelationship(const char* name, int creationflags);

    /// The object as it was at a step of the past, or null; the fake never interpolates.
    const SIM_Object* getObjectAtTime(const SIM_Object& object, const SIM_Time& time, bool allowinterpolation) const;

    void setSimulationTime(const SIM_Time& t, bool resimlasttimestep, bool forceresetsim, bool allowsimulation);
    const SIM_Time& getSimulationTime() const { return states_[current_]->time; }
    const SIM_Time getGlobalTime(const SIM_Time& t) const { return t; }
    const SIM_Time& getTimeStep() const { return time_step_; }
    void setTimeStep(const SIM_Time& time) { time_step_ = time; }
    int64 getTotalMemorySize() const;
    bool saveSimulationState(std::ostream& os, UT_CompressionType type = UT_COMPRESSION_TYPE_BLOSC) const;

    void addError(const SIM_RootData* rootdata, const SIM_Data* data, int errorcode, const char* errorparm,
                  UT_ErrorSeverity severity) const;
    const SIM_DopDescription* getDopDescription(const UT_StringRef& datatype) const;
    void getDataTypes(UT_StringArray& datatypes, const UT_StringRef& datatype) const;

    // For tests.
    struct Message {
        UT_ErrorSeverity severity;
        std::string text;
    };
    mutable std::vector<Message> messages;  ///< what data reported
    mutable int64 copied_bytes = 0;         ///< of data that was asked for to change it while others held it too
    bool interrupted = false;               ///< the last step was; it is not in the cache
    SIM_Options guide_options;              ///< what the guide parameters of every node say
    size_t cached_steps() const { return states_.size(); }
    /// Goes on from a state of a file alone.
    bool load_state(const std::string& bytes);
    SIM_Object* changeable_object(int index) { return states_[current_]->objects[static_cast<size_t>(index)]; }
    /// Forgets what comes after the current step: something in it was edited.
    void forget_later_steps() { states_.resize(current_ + 1); }

protected:
    virtual void preSimulationStep() {}

private:
    void step();
    void solve(SIM_Object& object);
    SIM_Data* make(const UT_StringRef& type, bool initialised) const;

    std::map<std::string, std::unique_ptr<SIM_DataFactory>> factories_;
    std::vector<std::unique_ptr<SIM_SimulationState>> states_;
    size_t current_ = 0;
    int next_id_ = 0;
    SIM_Time time_step_ = 1.0 / 24;

    friend class SIM_Data;
    friend class SIM_DataFactoryCreator;
    friend class SIM_SimulationState;
};
