#pragma once

// A plain check of every frame: motion that no force explains is a fault of the simulation, whatever caused it.

#include <functional>
#include <string>
#include <vector>

#include "boundary_bodies.h"
#include "engine/device_owner.h"
#include "firn/parameters.h"

namespace firn {

/// Knows what can have moved the particles in a frame: all together, and everyone by what was near it.
class EnergyCheck {
public:
    /// Looks at the particles as the frame begins, and at bodies that are at `now` and will move for `duration` of
    /// the frame's seconds. The bodies and the device's owner must stay.
    /// `air_speed`: of the fastest air that drags at the snow, m/s; 0 = no air.
    EnergyCheck(const std::vector<KnownBody>&, const Parameters&, const DeviceOwner&,
                const std::vector<BodyPlacement>& now, double frame, double duration, double air_speed);

    /// A substep that began `time` seconds after the frame; six numbers for each body: impulse and angular impulse.
    void add(double time, double dt, const double* impulse);
    /// Elastic energy that was there as the frame began, J.
    void add_stored(double energy) { given_ += energy; }
    /// For a device that has taken the place of another within the frame: what was thrown off before is not known then.
    void note_speeds(const std::vector<BodyPlacement>& now, double duration);
    /// The device was given other particles: those that came and went are at rest.
    void exchange(const Energy& held_before, const Energy& held_now) {
        before_.potential += held_now.potential - held_before.potential;
        before_.mass += held_now.mass - held_before.mass;
    }

    /// A warning if the particles, or some of them, move more than that allows; otherwise nothing. `name_of` gives the
    /// id of the particle of a rank.
    std::string compare(const std::function<int64_t(uint32_t)>& name_of) const;

private:
    struct Moving {
        size_t body;
        Travel travel;
        double pivot[3];  ///< as the frame begins, m
    };
    std::string compare_all() const;
    double pull() const;
    /// A speed that nothing has to explain, m/s.
    double allowance() const;

    const Parameters& parameters_;
    const DeviceOwner& owner_;
    std::vector<float> body_speed_;  ///< at which each throws off what rests, m/s
    Energy before_;
    double frame_, duration_, air_speed_;
    std::vector<Moving> rigid_;
    double time_ = 0;      ///< that the substeps took so far, s
    double given_ = 0;     ///< work of the bodies, and elastic energy, J
    double adhesion_ = 0;  ///< the strongest
};

}  // namespace firn
