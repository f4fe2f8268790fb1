#include "appearing_snow.h"

#include <GA/GA_Attribute.h>
#include <GA/GA_Defaults.h>
#include <GA/GA_ElementGroup.h>
#include <GA/GA_Handle.h>

#include <algorithm>
#include <cmath>

#include "firn/flakes.h"

namespace firn {

namespace {

/// Snow without a material of its own gets the solver's, even when merged with snow that has one.
void match_materials(GU_Detail& to, const GU_Detail& other, const Parameters& parameters) {
    for (const ParticleArray& array : particle_arrays()) {
        const ParameterInfo* info = array.role == ArrayRole::input ? find_parameter(array.name) : nullptr;
        if (!info || !other.findAttribute(GA_ATTRIB_POINT, array.name) || to.findAttribute(GA_ATTRIB_POINT, array.name))
            continue;
        const float value = *static_cast<const float*>(info->field(const_cast<Parameters&>(parameters)));
        GA_Attribute* made = to.addFloatTuple(GA_ATTRIB_POINT, array.name, 1, GA_Defaults(value));
        made->bumpDataId();
    }
}

/// Which points of a source appear, in their order.
std::vector<bool> appearing(const GU_Detail& snow, const GU_Detail& source, const std::vector<PointBlock>& blocks,
                            int64_t now, bool first, float spacing) {
    const size_t count = point_count(blocks);
    std::vector<int64_t> birth, flake;
    std::vector<bool> appears(count, first);
    if (read_integers(source, blocks, "birth_frame", birth))
        for (size_t i = 0; i < count; ++i) appears[i] = birth[i] == now || (first && birth[i] < now);
    if (!read_integers(source, blocks, "flake", flake)) return appears;

    const std::vector<PointBlock> there = point_blocks(snow);
    std::vector<Float3> all(count), places, taken(point_count(there));
    if (!taken.empty()) read_floats(snow, there, "P", 3, &taken[0].x);
    if (count) read_floats(source, blocks, "P", 3, &all[0].x);
    std::vector<size_t> of;
    for (size_t i = 0; i < count; ++i) {
        if (!appears[i]) continue;
        if (flake[i] == 0) {
            taken.push_back(all[i]);
        } else {
            appears[i] = false;
            places.push_back(all[i]);
            of.push_back(i);
        }
    }
    for (const uint64_t k : free_places(places, taken, spacing)) appears[of[k]] = true;
    return appears;
}

GA_Attribute* next_id_attribute(GU_Detail& snow) {
    GA_Attribute* there = snow.findAttribute(GA_ATTRIB_DETAIL, "nextid");
    require_no_array(there);
    if (there) return there;
    return snow.addIntTuple(GA_ATTRIB_DETAIL, "nextid", 1, GA_Defaults(0), nullptr, nullptr, GA_STORE_INT64);
}

/// Ids for the points from `from` on; the others keep theirs.
void number_from(GU_Detail& snow, size_t from) {
    const std::vector<PointBlock> blocks = point_blocks(snow);
    std::vector<int64_t> id;
    if (!read_integers(snow, blocks, "id", id)) id.assign(point_count(blocks), 0);
    int64_t next = 0;
    for (size_t i = 0; i < from; ++i) next = std::max(next, id[i] + 1);
    GA_Attribute* counter = next_id_attribute(snow);
    const GA_RWHandleT<int64> handle(counter);
    if (handle.isValid()) next = std::max<int64_t>(next, handle.get(GA_Offset(0)));
    for (size_t i = from; i < id.size(); ++i) id[i] = next++;
    write_integers(snow, blocks, "id", id);
    if (!handle.isValid()) return;
    handle.set(GA_Offset(0), next);
    counter->bumpDataId();
}

}  // namespace

void complete_ids(GU_Detail& snow) {
    if (snow.getNumPoints() && !snow.findAttribute(GA_ATTRIB_POINT, "id")) number_from(snow, 0);
}

size_t add_appearing_snow(GU_Detail& snow, const GU_Detail& source, double frame, bool first,
                          const Parameters& parameters) {
    const int64_t now = std::llround(frame);
    // Between frames nothing appears, or it would appear twice.
    if (std::abs(frame - static_cast<double>(now)) > 1e-3) return 0;
    const std::vector<PointBlock> blocks = point_blocks(source);
    const std::vector<bool> appears = appearing(snow, source, blocks, now, first, parameters.spacing);
    const auto count = static_cast<size_t>(std::count(appears.begin(), appears.end(), true));
    if (count == 0) return 0;
    complete_ids(snow);
    const auto before = static_cast<size_t>(snow.getNumPoints());

    GU_Detail fresh;
    fresh.replaceWith(source);
    // All at once: for each single one Houdini would move the indices of those that follow.
    GA_PointGroup* unwanted = fresh.newPointGroup("firn_unwanted");
    for (const PointBlock& block : blocks)
        for (GA_Size k = 0; k < block.count; ++k)
            if (!appears[block.index + static_cast<size_t>(k)]) unwanted->addOffset(block.start + k);
    fresh.destroyPointOffsets(fresh.getPointRange(unwanted));
    fresh.destroyPointGroup(unwanted);
    fresh.destroyAttribute(GA_ATTRIB_POINT, "birth_frame");
    fresh.destroyAttribute(GA_ATTRIB_POINT, "flake");
    match_materials(snow, fresh, parameters);
    match_materials(fresh, snow, parameters);
    snow.merge(fresh);
    snow.bumpDataIdsForAddOrRemove(true, false, false);
    number_from(snow, before);
    return count;
}

}  // namespace firn
