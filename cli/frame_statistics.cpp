#include "frame_statistics.h"

#include <algorithm>
#include <cmath>

namespace firn {

void add_statistics(FrameRecord& record, const Particles& p, const Parameters& parameters) {
    const double cell = double(parameters.spacing) * parameters.spacing * parameters.spacing;
    record.particles = p.count();
    record.height_low = p.count() ? p.position[0].y : 0;
    record.height_high = record.height_low;
    for (size_t i = 0; i < p.count(); ++i) {
        const double m = cell * (p.rest_density.empty() ? parameters.rest_density : p.rest_density[i]);
        const Float3& x = p.position[i];
        const Float3 v = p.velocity.empty() ? Float3{} : p.velocity[i];
        const double speed2 = double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z;
        const Float3& g = parameters.gravity;
        record.mass += m;
        record.kinetic_energy += 0.5 * m * speed2;
        record.potential_energy -= m * (double(g.x) * x.x + double(g.y) * x.y + double(g.z) * x.z);
        record.speed = std::max(record.speed, std::sqrt(speed2));
        record.height_low = std::min<double>(record.height_low, x.y);
        record.height_high = std::max<double>(record.height_high, x.y);
        record.height_mean += x.y / static_cast<double>(p.count());
    }
}

}  // namespace firn
