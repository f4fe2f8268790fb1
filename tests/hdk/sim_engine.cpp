// SIM_Engine, its states, objects and relationships.

#include <GA/GA_Handle.h>
#include <GU/GU_Detail.h>
#include <SIM/SIM_Container.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_ForceGravity.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_PositionSimple.h>
#include <SIM/SIM_RelationshipCollide.h>
#include <SIM/SIM_RelationshipSource.h>
#include <SIM/SIM_SingleSolver.h>
#include <UT/UT_IStream.h>
#include <UT/UT_Interrupt.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace firn_hdk {
const std::vector<SIM_DataFactoryCreator*>& data_factory_creators();
}

// ---- Arrays and relationships

template <class Pointer>
exint SIM_PtrArraySorted<Pointer>::add(Pointer pointer) {
    const auto before = [](Pointer a, Pointer b) { return a->getObjectId() < b->getObjectId(); };
    const auto at = std::lower_bound(pointers_.begin(), pointers_.end(), pointer, before);
    const exint index = at - pointers_.begin();
    if (at == pointers_.end() || *at != pointer) pointers_.insert(at, pointer);
    return index;
}
template class SIM_PtrArraySorted<SIM_Object*>;
template class SIM_PtrArraySorted<const SIM_Object*>;

SIM_Object* SIM_ObjectArray::findObjectById(int objectid) const {
    for (exint k = 0; k < entries(); ++k)
        if ((*this)(k)->getObjectId() == objectid) return (*this)(k);
    return nullptr;
}

const SIM_Object* SIM_ConstObjectArray::findObjectById(int objectid) const {
    for (exint k = 0; k < entries(); ++k)
        if ((*this)(k)->getObjectId() == objectid) return (*this)(k);
    return nullptr;
}

SIM_Relationship::SIM_Relationship(const SIM_SimulationState* factory) : SIM_RootData(factory) {}

bool SIM_Relationship::getGroupHasObject(const SIM_Object* object) const {
    return group_.findObjectById(object->getObjectId()) != nullptr;
}

bool SIM_Relationship::getAffGroupHasObject(const SIM_Object* object) const {
    return affectors_.findObjectById(object->getObjectId()) != nullptr;
}

// ---- Objects

SIM_Object::SIM_Object(const SIM_SimulationState* factory) : SIM_RootData(factory), state_(factory) {}

void SIM_Object::getAffectors(SIM_ObjectArray& affobjs, const char* relationshiptype) {
    for (SIM_Relationship* relationship : state_->relationships) {
        const SIM_Data* type = relationship->getConstRelationshipTypeData();
        if (!type || !type->getIsOfType(relationshiptype) || !relationship->getGroupHasObject(this)) continue;
        for (exint k = 0; k < relationship->affectors_.entries(); ++k) affobjs.add(relationship->affectors_(k));
    }
}

void SIM_Object::getConstAffectors(SIM_ConstObjectArray& affobjs, const char* relationshiptype) const {
    SIM_ObjectArray found;
    const_cast<SIM_Object*>(this)->getAffectors(found, relationshiptype);
    for (exint k = 0; k < found.entries(); ++k) affobjs.add(found(k));
}

void SIM_Object::getColliderInfo(SIM_ColliderInfoArray& colliderinfo) const {
    SIM_ObjectArray found;
    const_cast<SIM_Object*>(this)->getAffectors(found, "SIM_RelationshipCollide");
    for (exint k = 0; k < found.entries(); ++k) colliderinfo.append(SIM_ColliderInfo(found(k)));
}

const SIM_Solver* SIM_Object::getSolver() const {
    return SIM_DATA_GETCONST(*this, SIM_SOLVER_DATANAME, SIM_Solver);
}
const SIM_Position* SIM_Object::getPosition() const {
    return SIM_DATA_GETCONST(*this, SIM_POSITION_DATANAME, SIM_Position);
}
const SIM_Geometry* SIM_Object::getGeometry() const {
    return SIM_DATA_GETCONST(*this, SIM_GEOMETRY_DATANAME, SIM_Geometry);
}
const SIM_PhysicalParms* SIM_Object::getPhysicalParms() const {
    return SIM_DATA_GETCONST(*this, SIM_PHYSICALPARMS_DATANAME, SIM_PhysicalParms);
}

void SIMgetPositionTransform(UT_DMatrix4& result, const SIM_Object& object) {
    result.identity();
    if (object.getPosition()) object.getPosition()->getTransform(result);
}

void SIMgetGeometryTransform(UT_DMatrix4& result, const SIM_Object& object) {
    SIMgetPositionTransform(result, object);
    if (!object.getGeometry()) return;
    UT_DMatrix4 own;
    object.getGeometry()->getTransform(own);
    result = own * result;
}

// ---- Solvers

SIM_Solver::SIM_Result SIM_SingleSolver::solveObjectsSubclass(SIM_Engine& engine, SIM_ObjectArray& objects,
                                                              SIM_ObjectArray& newobjects,
                                                              SIM_ObjectArray& feedbacktoobjects,
                                                              const SIM_Time& timestep) {
    SIM_Result worst = SIM_SOLVER_SUCCESS;
    for (exint k = 0; k < objects.entries(); ++k)
        worst = std::max(worst, solveSingleObject(engine, *objects(k), feedbacktoobjects, timestep, false));
    for (exint k = 0; k < newobjects.entries(); ++k)
        worst = std::max(worst, solveSingleObject(engine, *newobjects(k), feedbacktoobjects, timestep, true));
    return worst;
}

void SIM_PositionSimple::getTransformSubclass(UT_DMatrix4& xform) const {
    const UT_Vector3D r = getRotationD(), t = getPositionD();
    xform.identity();
    for (int axis = 0; axis < 3; ++axis) {
        const double angle = r(axis) * M_PI / 180, c = std::cos(angle), s = std::sin(angle);
        const unsigned j = static_cast<unsigned>(axis + 1) % 3, k = static_cast<unsigned>(axis + 2) % 3;
        UT_DMatrix4 turn(1.0);
        turn(j, j) = c;
        turn(j, k) = s;
        turn(k, j) = -s;
        turn(k, k) = c;
        xform = xform * turn;
    }
    for (unsigned axis = 0; axis < 3; ++axis) xform(3, axis) = t(static_cast<int>(axis));
}

void SIM_Force::getForceSubclass(const SIM_Object&, const UT_Vector3&, const UT_Vector3&, const UT_Vector3&,
                                 const fpreal, UT_Vector3& force, UT_Vector3& torque) const {
    force.assign(0, 0, 0);
    torque.assign(0, 0, 0);
}

void SIM_Force::getForceOnCircleSubclass(const SIM_Object& object, const UT_Vector3& position, const UT_Vector3&,
                                         const fpreal radius, const UT_Vector3& velocity, const UT_Vector3& angvel,
                                         const fpreal mass, UT_Vector3& force, UT_Vector3& torque) const {
    getForce(object, position, velocity, angvel, mass, force, torque);
    force *= static_cast<fpreal32>(M_PI * radius * radius);
}

void SIM_Force::getForceOnSphereSubclass(const SIM_Object& object, const UT_Vector3& position, const fpreal radius,
                                         const UT_Vector3& velocity, const UT_Vector3& angvel, const fpreal mass,
                                         UT_Vector3& force, UT_Vector3& torque) const {
    getForce(object, position, velocity, angvel, mass, force, torque);
    force *= static_cast<fpreal32>(4.0 / 3 * M_PI * radius * radius * radius);
}

void SIM_Force::getPointForces(SIM_PointForceCallback& cb, const SIM_Object& object, const GU_ConstDetailHandle& gdh,
                               const UT_DMatrix4&, const SIM_Position*, const SIM_Motion*, bool) const {
    const GU_Detail& gdp = *gdh.gdp();
    const GA_ROHandleV3 velocity(&gdp, GA_ATTRIB_POINT, "v");
    const GA_ROHandleF mass(&gdp, GA_ATTRIB_POINT, "mass");
    for (GA_Index k = 0; k < gdp.getNumPoints(); ++k) {
        const GA_Offset point = gdp.pointOffset(k);
        UT_Vector3 force, torque;
        getForce(object, gdp.getPos3(point), velocity.isValid() ? velocity.get(point) : UT_Vector3(0, 0, 0),
                 UT_Vector3(0, 0, 0), mass.isValid() ? mass.get(point) : 1.0, force, torque);
        cb.forceCallbackOffset(point, force, torque);
    }
}

SIM_ForceResolver* SIM_Force::getForceResolverSubclass(const SIM_Object& object) const {
    return new SIM_ForceResolverGeneric(this, &object);
}

void SIM_ForceGravity::getForceSubclass(const SIM_Object&, const UT_Vector3&, const UT_Vector3&, const UT_Vector3&,
                                        const fpreal mass, UT_Vector3& force, UT_Vector3& torque) const {
    force = getGravity() * static_cast<fpreal32>(mass);
    torque.assign(0, 0, 0);
}

// ---- States

namespace {

void no_superclasses(UT_StringArray&) {}
SIM_Data* no_constructor(const SIM_DataFactory*) {
    return nullptr;
}
void no_destructor(SIM_Data*) {}

}  // namespace

SIM_SimulationState::SIM_SimulationState(const SIM_Engine* engine)
    : SIM_DataFactory("SIM_SimulationState", "", no_superclasses, no_constructor, no_destructor, nullptr, engine) {}

SIM_SimulationState::SIM_SimulationState(const SIM_SimulationState& source, const SIM_Time& at)
    : SIM_SimulationState(&source.getEngine()) {
    time = at;
    for (const SIM_Object* object : source.objects) {
        SIM_Object* copy = add_object(object->id_);
        copy->new_ = false;
        copy->name_ = object->name_;
        copy->share_subdata_of(*object);
    }
    for (const SIM_Relationship* relationship : source.relationships) {
        SIM_Relationship* copy = add_relationship(relationship->getName().c_str());
        copy->share_subdata_of(*relationship);
        const auto here = [&](const SIM_Object* object) {
            return *std::find_if(objects.begin(), objects.end(),
                                 [&](const SIM_Object* mine) { return mine->id_ == object->id_; });
        };
        for (exint k = 0; k < relationship->group_.entries(); ++k) copy->addGroup(here(relationship->group_(k)));
        for (exint k = 0; k < relationship->affectors_.entries(); ++k)
            copy->addAffGroup(here(relationship->affectors_(k)));
    }
}

SIM_SimulationState::~SIM_SimulationState() {
    for (SIM_Relationship* relationship : relationships) delete relationship;
    for (SIM_Object* object : objects) delete object;
}

SIM_Object* SIM_SimulationState::add_object(int id) {
    objects.push_back(new SIM_Object(this));
    objects.back()->id_ = id;
    return objects.back();
}

SIM_Relationship* SIM_SimulationState::add_relationship(const char* name) {
    relationships.push_back(new SIM_Relationship(this));
    relationships.back()->name_.harden(name);
    return relationships.back();
}

namespace {

// A state's text: counted blocks. Each piece of data gets a stream of its own and must read all that it wrote.

void put_number(std::ostream& os, int64 number) {
    os.write(reinterpret_cast<const char*>(&number), sizeof number);
}

void put_block(std::ostream& os, const std::string& bytes) {
    put_number(os, static_cast<int64>(bytes.size()));
    os.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

struct Blocks {
    UT_IStream stream;
    bool good = true;

    explicit Blocks(const std::string& bytes) : stream(bytes.data(), bytes.size(), UT_ISTREAM_BINARY) {}
    int64 number() {
        int64 value = 0;
        good = good && stream.bread(reinterpret_cast<char*>(&value), sizeof value) == sizeof value && value >= 0;
        return good ? value : 0;
    }
    std::string block() {
        const int64 size = number();
        std::string bytes;
        if (size > (int64(1) << 32)) good = false;
        if (!good) return bytes;
        bytes.resize(static_cast<size_t>(size));
        good = stream.bread(bytes.data(), size) == size;
        return bytes;
    }
};

void write_subdata(std::ostream& os, const SIM_Data& parent) {
    put_number(os, parent.getNumSubData());
    for (int k = 0; k < parent.getNumSubData(); ++k) {
        const SIM_Data& data = *parent.getConstSubData(k);
        std::ostringstream content;
        data.saveToStream(content, UT_COMPRESSION_TYPE_NONE);
        put_block(os, parent.getSubDataName(k).toStdString());
        put_block(os, data.getDataType().toStdString());
        put_block(os, content.str());
        write_subdata(os, data);
    }
}

bool read_subdata(Blocks& blocks, SIM_Data& parent) {
    const int64 count = blocks.number();
    for (int64 k = 0; k < count && blocks.good; ++k) {
        const std::string name = blocks.block(), type = blocks.block(), content = blocks.block();
        if (!blocks.good) return false;
        SIM_Data* data = parent.createNamedSubData(name.c_str(), type.c_str(), 0);
        if (!data) return false;
        UT_IStream stream(content.data(), content.size(), UT_ISTREAM_BINARY);
        if (!data->loadFromStream(stream) || !stream.isEof()) return false;
        if (!read_subdata(blocks, *data)) return false;
    }
    return blocks.good;
}

}  // namespace

void SIM_SimulationState::write(std::ostream& os) const {
    os << "SIM ";
    const double seconds = time;
    os.write(reinterpret_cast<const char*>(&seconds), sizeof seconds);
    put_number(os, static_cast<int64>(objects.size()));
    for (const SIM_Object* object : objects) {
        put_number(os, object->id_);
        put_block(os, object->getName().toStdString());
        write_subdata(os, *object);
    }
    put_number(os, static_cast<int64>(relationships.size()));
    for (const SIM_Relationship* relationship : relationships) {
        put_block(os, relationship->getName().toStdString());
        for (const SIM_ObjectArray* group : {&relationship->group_, &relationship->affectors_}) {
            put_number(os, group->entries());
            for (exint k = 0; k < group->entries(); ++k) put_number(os, (*group)(k)->getObjectId());
        }
        write_subdata(os, *relationship);
    }
}

bool SIM_SimulationState::read(const std::string& bytes) {
    if (bytes.compare(0, 4, "SIM ") != 0) return false;
    Blocks blocks(bytes.substr(4));
    double seconds = 0;
    blocks.good = blocks.stream.bread(reinterpret_cast<char*>(&seconds), sizeof seconds) == sizeof seconds;
    time = seconds;
    const int64 object_count = blocks.number();
    for (int64 k = 0; k < object_count && blocks.good; ++k) {
        SIM_Object* object = add_object(static_cast<int>(blocks.number()));
        object->new_ = false;
        object->setName(blocks.block().c_str());
        if (!read_subdata(blocks, *object)) return false;
    }
    const int64 relationship_count = blocks.number();
    for (int64 k = 0; k < relationship_count && blocks.good; ++k) {
        SIM_Relationship* relationship = add_relationship(blocks.block().c_str());
        for (SIM_ObjectArray* group : {&relationship->group_, &relationship->affectors_}) {
            const int64 count = blocks.number();
            for (int64 i = 0; i < count && blocks.good; ++i) {
                const int64 id = blocks.number();
                for (SIM_Object* object : objects)
                    if (object->id_ == id) group->add(object);
            }
        }
        if (!read_subdata(blocks, *relationship)) return false;
    }
    return blocks.good;
}

// ---- The engine

SIM_Engine::SIM_Engine(OP_Node*) {
    hdk_fake::DataType<SIM_Container>::enrol(this);
    hdk_fake::DataType<SIM_ForceGravity>::enrol(this);
    hdk_fake::DataType<SIM_GeometryCopy>::enrol(this);
    hdk_fake::DataType<SIM_PhysicalParms>::enrol(this);
    hdk_fake::DataType<SIM_PositionSimple>::enrol(this);
    hdk_fake::DataType<SIM_RelationshipCollide>::enrol(this);
    hdk_fake::DataType<SIM_RelationshipSource>::enrol(this);
    for (SIM_DataFactoryCreator* creator : firn_hdk::data_factory_creators()) creator->createDataFactory(this);
}

SIM_Engine::~SIM_Engine() {
    states_.clear();
}

SIM_Data* SIM_Engine::make(const UT_StringRef& type, bool initialised) const {
    const auto factory = factories_.find(type.toStdString());
    return factory == factories_.end() ? nullptr : factory->second->newData(initialised);
}

SIM_Object* SIM_Engine::addSimulationObject(bool) {
    return states_[current_]->add_object(next_id_++);
}

int SIM_Engine::getNumSimulationObjects() const {
    return states_.empty() ? 0 : static_cast<int>(states_[current_]->objects.size());
}

const SIM_Object* SIM_Engine::getSimulationObject(int index) const {
    return states_[current_]->objects[static_cast<size_t>(index)];
}

const SIM_Object* SIM_Engine::getSimulationObjectFromId(int objectid) const {
    for (const SIM_Object* object : states_[current_]->objects)
        if (object->getObjectId() == objectid) return object;
    return nullptr;
}

SIM_Relationship* SIM_Engine::addRelationship(const char* name, int) {
    return states_[current_]->add_relationship(name);
}

const SIM_Object* SIM_Engine::getObjectAtTime(const SIM_Object& object, const SIM_Time& time, bool) const {
    for (const auto& state : states_) {
        if (state->time != time) continue;
        for (const SIM_Object* then : state->objects)
            if (then->getObjectId() == object.getObjectId()) return then;
    }
    return nullptr;
}

void SIM_Engine::setSimulationTime(const SIM_Time& t, bool resimlasttimestep, bool forceresetsim,
                                   bool allowsimulation) {
    if (forceresetsim) states_.clear();
    if (resimlasttimestep && !states_.empty()) states_.pop_back();
    interrupted = false;
    while ((states_.empty() || states_.back()->time < t) && allowsimulation && !interrupted) step();
    current_ = states_.empty() ? 0 : states_.size() - 1;
    while (current_ > 0 && states_[current_]->time > t) --current_;
}

void SIM_Engine::step() {
    if (states_.empty()) {
        next_id_ = 0;
        states_.push_back(std::make_unique<SIM_SimulationState>(this));
    } else {
        const SIM_SimulationState& last = *states_.back();
        states_.push_back(std::make_unique<SIM_SimulationState>(last, SIM_Time(last.time + time_step_)));
    }
    current_ = states_.size() - 1;
    preSimulationStep();

    // Affectors first.
    std::set<const SIM_Object*> solved;
    const std::vector<SIM_Object*> objects = states_[current_]->objects;
    const auto visit = [&](SIM_Object* object, const auto& again) -> void {
        if (!solved.insert(object).second) return;
        for (SIM_Relationship* relationship : states_[current_]->relationships) {
            if (!relationship->getGroupHasObject(object)) continue;
            for (int k = 0; k < relationship->getAffGroupEntries(); ++k)
                again(const_cast<SIM_Object*>(relationship->getAffGroupObject(k)), again);
        }
        solve(*object);
    };
    for (SIM_Object* object : objects) visit(object, visit);

    if (UTgetInterrupt() && UTgetInterrupt()->opInterrupt()) {
        interrupted = true;
        states_.pop_back();
        current_ = states_.empty() ? 0 : states_.size() - 1;
    }
}

void SIM_Engine::solve(SIM_Object& object) {
    SIM_Solver* solver = SIM_DATA_GET(object, SIM_SOLVER_DATANAME, SIM_Solver);
    if (!solver) return;
    SIM_ObjectArray objects, new_objects, feedback;
    (object.new_ ? new_objects : objects).add(&object);
    solver->solveObjects(*this, objects, new_objects, feedback, time_step_);
}

int64 SIM_Engine::getTotalMemorySize() const {
    std::set<const SIM_Data*> all;
    const auto visit = [&](const SIM_Data& data, const auto& again) -> void {
        if (!all.insert(&data).second) return;
        for (int k = 0; k < data.getNumSubData(); ++k) again(*data.getConstSubData(k), again);
    };
    for (const auto& state : states_)
        for (const SIM_Object* object : state->objects) visit(*object, visit);
    int64 bytes = 0;
    for (const SIM_Data* data : all) bytes += data->getMemorySize();
    return bytes;
}

bool SIM_Engine::saveSimulationState(std::ostream& os, UT_CompressionType) const {
    states_[current_]->write(os);
    return bool(os);
}

bool SIM_Engine::load_state(const std::string& bytes) {
    auto state = std::make_unique<SIM_SimulationState>(this);
    if (!state->read(bytes)) {
        addError(nullptr, nullptr, SIM_BADSTATEFILE, "the state file can't be read", UT_ERROR_ABORT);
        return false;
    }
    for (const SIM_Object* object : state->objects) next_id_ = std::max(next_id_, object->getObjectId() + 1);
    states_.clear();
    states_.push_back(std::move(state));
    current_ = 0;
    return true;
}

void SIM_Engine::addError(const SIM_RootData*, const SIM_Data*, int, const char* errorparm,
                          UT_ErrorSeverity severity) const {
    messages.push_back({severity, errorparm ? errorparm : ""});
}

const SIM_DopDescription* SIM_Engine::getDopDescription(const UT_StringRef& datatype) const {
    const auto factory = factories_.find(datatype.toStdString());
    return factory == factories_.end() ? nullptr : factory->second->getDopDescription();
}

void SIM_Engine::getDataTypes(UT_StringArray& datatypes, const UT_StringRef& datatype) const {
    for (const auto& [name, factory] : factories_) {
        UT_StringArray kinds;
        kinds.append(UT_StringHolder(name));
        factory->getDataTypeSuperclasses(kinds);
        if (!datatype.isstring() || kinds.find(UT_StringHolder(datatype)) >= 0) datatypes.append(UT_StringHolder(name));
    }
}
