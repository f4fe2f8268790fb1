#include "air.h"

#include <GA/GA_Handle.h>
#include <GA/GA_Iterator.h>
#include <GEO/GEO_PrimType.h>
#include <GEO/GEO_PrimVDB.h>
#include <UT/UT_ParallelUtil.h>
#include <openvdb/tools/Interpolation.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "firn/error.h"
#include "particle_transfer.h"

namespace firn {

namespace {

void add_sampled(std::vector<Float3>& to, const openvdb::Vec3SGrid& grid, const std::vector<Float3>& positions) {
    UTparallelFor(UT_BlockedRange<size_t>(0, positions.size(), 4096), [&](const UT_BlockedRange<size_t>& range) {
        const openvdb::Vec3SGrid::ConstAccessor values = grid.getConstAccessor();  // the sampler keeps a reference
        openvdb::tools::GridSampler<openvdb::Vec3SGrid::ConstAccessor, openvdb::tools::BoxSampler> sampler(
            values, grid.transform());
        for (size_t i = range.begin(); i != range.end(); ++i) {
            const Float3& p = positions[i];
            const openvdb::Vec3s v = sampler.wsSample({p.x, p.y, p.z});
            to[i] = {to[i].x + v.x(), to[i].y + v.y(), to[i].z + v.z()};
        }
    });
}

bool named(const std::string& name, std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Adds the accelerations of the input's points to the particles of the same id.
bool add_by_id(std::vector<Float3>& to, const GU_Detail& input, const std::vector<int64_t>& id) {
    const char* name = input.findAttribute(GA_ATTRIB_POINT, "force")          ? "force"
                       : input.findAttribute(GA_ATTRIB_POINT, "acceleration") ? "acceleration"
                                                                              : nullptr;
    const std::vector<PointBlock> blocks = point_blocks(input);
    std::vector<int64_t> theirs;
    if (!name || blocks.empty() || !read_integers(input, blocks, "id", theirs)) return false;
    std::vector<Float3> values(theirs.size());
    read_floats(input, blocks, name, 3, &values[0].x);
    std::unordered_map<int64_t, size_t> of;
    for (size_t k = 0; k < theirs.size(); ++k) of.emplace(theirs[k], k);
    for (size_t i = 0; i < to.size(); ++i) {
        const auto found = of.find(id.empty() ? static_cast<int64_t>(i) : id[i]);
        if (found == of.end()) continue;
        const Float3& a = values[found->second];
        to[i] = {to[i].x + a.x, to[i].y + a.y, to[i].z + a.z};
    }
    return true;
}

}  // namespace

bool add_wind_and_forces(Particles& p, const GU_Detail& input) {
    bool understood = input.getNumPrimitives() == 0 && input.getNumPoints() == 0, windy = false;
    for (GA_Iterator it(input.getPrimitiveRange()); !it.atEnd(); ++it) {
        const GEO_Primitive* primitive = input.getGEOPrimitive(*it);
        if (primitive->getTypeId() != GEO_PRIMVDB) continue;
        const auto& vdb = static_cast<const GEO_PrimVDB&>(*primitive);
        const std::string name = vdb.getGridName();
        const bool is_wind = named(name, {"wind", "vel", "v"}), is_force = named(name, {"force", "acceleration"});
        if (!is_wind && !is_force) continue;
        const auto* grid = vdb.hasGrid() ? dynamic_cast<const openvdb::Vec3SGrid*>(&vdb.getConstGrid()) : nullptr;
        if (!grid)
            throw Error("VDB '" + name +
                        "' of the forces has to be a vector grid of floats; merge its parts with VDB Vector Merge");
        std::vector<Float3>& sum = is_wind ? p.air_velocity : p.acceleration;
        sum.resize(p.count());
        add_sampled(sum, *grid, p.position);
        understood = true;
        windy |= is_wind;
    }
    std::vector<Float3> each(p.count());
    if (p.count() && add_by_id(each, input, p.id)) {
        p.acceleration.resize(p.count());
        for (size_t i = 0; i < p.count(); ++i) {
            Float3& a = p.acceleration[i];
            a = {a.x + each[i].x, a.y + each[i].y, a.z + each[i].z};
        }
        understood = true;
    }
    if (!understood && p.count())
        throw Error("the forces need a vector VDB named wind or force, or points with id and force; there is neither");
    return windy;
}

}  // namespace firn
