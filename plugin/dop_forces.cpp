#include "dop_forces.h"

#include <SIM/SIM_DataFilter.h>
#include <SIM/SIM_ForceGravity.h>
#include <SIM/SIM_Names.h>
#include <SIM/SIM_Utils.h>
#include <UT/UT_ParallelUtil.h>

#include <memory>

namespace firn {

namespace {

struct Range {
    size_t begin, end;
};

void add_of(SIM_ForceResolver& resolver, const Parameters& parameters, Range range, const Particles& particles,
            std::vector<Float3>& acceleration) {
    const double cell = double(parameters.spacing) * parameters.spacing * parameters.spacing;
    for (size_t i = range.begin; i < range.end; ++i) {
        const Float3& p = particles.position[i];
        const Float3 v = particles.velocity.empty() ? Float3{} : particles.velocity[i];
        const double mass =
            cell * (particles.rest_density.empty() ? parameters.rest_density : particles.rest_density[i]);
        UT_Vector3 force(0, 0, 0), torque(0, 0, 0);
        resolver.getForce(UT_Vector3(p.x, p.y, p.z), UT_Vector3(v.x, v.y, v.z), UT_Vector3(0, 0, 0), mass, force,
                          torque);
        Float3& a = acceleration[i];
        a = {static_cast<float>(a.x + force.x() / mass), static_cast<float>(a.y + force.y() / mass),
             static_cast<float>(a.z + force.z() / mass)};
    }
}

}  // namespace

ObjectForces forces_of(const SIM_Object& object) {
    ObjectForces forces;
    SIM_ConstDataArray all;
    object.filterConstSubData(all, nullptr, SIM_DataFilterByType("SIM_Force"), SIM_FORCES_DATANAME,
                              SIM_DataFilterNone());
    for (exint k = 0; k < all.entries(); ++k) {
        const SIM_ForceGravity* gravity = SIM_DATA_CASTCONST(all(k), SIM_ForceGravity);
        // Noise on it is data of its own; it makes the force differ from place to place.
        if (gravity && all(k)->getNumSubData() == 0) {
            const UT_Vector3 g = gravity->getGravity();
            forces.has_gravity = true;
            forces.gravity = {forces.gravity.x + g.x(), forces.gravity.y + g.y(), forces.gravity.z + g.z()};
        } else if (const SIM_Force* force = SIM_DATA_CASTCONST(all(k), SIM_Force)) {
            forces.others.push_back(force);
        }
    }
    return forces;
}

void add_accelerations(const SIM_Object& object, const std::vector<const SIM_Force*>& forces,
                       const Parameters& parameters, const Particles& particles, std::vector<Float3>& acceleration) {
    if (forces.empty()) return;
    acceleration.resize(particles.count());
    for (const SIM_Force* force : forces) {
        const std::unique_ptr<SIM_ForceResolver> resolver(force->getForceResolver(object));
        if (!resolver) continue;
        if (!resolver->threadsafe()) {
            add_of(*resolver, parameters, {0, particles.count()}, particles, acceleration);
            continue;
        }
        UTparallelFor(UT_BlockedRange<size_t>(0, particles.count()), [&](const UT_BlockedRange<size_t>& range) {
            const std::unique_ptr<SIM_ForceResolver> own(resolver->copy());
            add_of(*own, parameters, {range.begin(), range.end()}, particles, acceleration);
        });
    }
}

}  // namespace firn
