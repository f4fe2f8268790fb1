#include "dop_snow_state.h"

#include <PRM/PRM_Include.h>
#include <PRM/PRM_Template.h>
#include <SIM/SIM_Utils.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "remembered_snow.h"

namespace firn {

namespace {

template <class T, class Same>
std::shared_ptr<const T> shared(const std::shared_ptr<const T>& known, const T& now, const Same& same) {
    return known && same(*known, now) ? known : std::make_shared<const T>(now);
}

bool same_points(const std::vector<Float3>& a, const std::vector<Float3>& b) {
    return a.empty() && b.empty();  // those of a deforming collider differ from step to step
}

}  // namespace

SIM_FirnSnowState::SIM_FirnSnowState(const SIM_DataFactory* factory)
    : BaseClass(factory), remembered_(std::make_shared<const RememberedSnow>()) {}
SIM_FirnSnowState::~SIM_FirnSnowState() = default;

const SIM_DopDescription* SIM_FirnSnowState::dop_description() {
    static PRM_Template none[] = {PRM_Template()};
    static const SIM_DopDescription description(false, "firn_snowstate", "Firn Snow State", data_name, classname(),
                                                none);
    return &description;
}

void SIM_FirnSnowState::initializeSubclass() {
    BaseClass::initializeSubclass();
    remembered_ = std::make_shared<const RememberedSnow>();
}

void SIM_FirnSnowState::makeEqualSubclass(const SIM_Data* source) {
    BaseClass::makeEqualSubclass(source);
    if (const SIM_FirnSnowState* other = SIM_DATA_CASTCONST(source, SIM_FirnSnowState))
        remembered_ = other->remembered_;
}

void SIM_FirnSnowState::interpolateSubclass(const SIM_Data* source1, const SIM_Data* source2, fpreal interp) {
    makeEqualSubclass(interp < 0.5 ? source1 : source2);
}

void SIM_FirnSnowState::saveSubclass(std::ostream& os) const {
    BaseClass::saveSubclass(os);
    write_remembered(os, *remembered_);
}

bool SIM_FirnSnowState::loadSubclass(UT_IStream& is) {
    if (!BaseClass::loadSubclass(is)) return false;
    RememberedSnow snow;
    const auto read = [&](char* to, size_t bytes) {
        return is.bread(to, static_cast<exint>(bytes)) == static_cast<exint>(bytes);
    };
    if (!read_remembered(read, snow)) return false;
    remember(std::move(snow));
    return true;
}

int64 SIM_FirnSnowState::getMemorySizeSubclass() const {
    return BaseClass::getMemorySizeSubclass() + static_cast<int64>(sizeof *this - sizeof(BaseClass)) +
           memory_of(*remembered_) / std::max<long>(1, remembered_.use_count());
}

void SIM_FirnSnowState::remember(RememberedSnow snow) {
    remembered_ = std::make_shared<const RememberedSnow>(std::move(snow));
    handleModification();
}

std::vector<CollidingObject> SIM_FirnSnowState::colliders() const {
    std::vector<CollidingObject> all;
    for (const RememberedCollider& kept : remembered_->colliders)
        all.push_back({kept.object, kept.piece, {kept.motion, *kept.rest, kept.placement, *kept.points}});
    return all;
}

void SIM_FirnSnowState::set_colliders(const std::vector<CollidingObject>& all) {
    RememberedSnow snow;
    snow.emitted = remembered_->emitted;
    for (const CollidingObject& now : all) {
        const auto& before = remembered_->colliders;
        const auto known = std::find_if(before.begin(), before.end(), [&](const RememberedCollider& then) {
            return then.object == now.object && then.piece == now.piece;
        });
        const bool found = known != before.end();
        snow.colliders.push_back({now.object, now.piece, now.state.motion, now.state.placement,
                                  shared(found ? known->rest : nullptr, now.state.rest, same_shape),
                                  shared(found ? known->points : nullptr, now.state.points, same_points)});
    }
    remember(std::move(snow));
}

std::map<int, int64_t> SIM_FirnSnowState::emitted() const {
    return remembered_->emitted;
}

void SIM_FirnSnowState::set_emitted(const std::map<int, int64_t>& all) {
    if (all == remembered_->emitted) return;
    RememberedSnow snow = *remembered_;
    snow.emitted = all;
    remember(std::move(snow));
}

}  // namespace firn
