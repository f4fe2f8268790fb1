#pragma once

// A plain check of every frame: motion that no force explains is a fault of the simulation, whatever caused it.

#include <string>
#include <vector>

#include "boundary_bodies.h"
#include "firn/parameters.h"

namespace firn {

/// Adds up what can have moved the particles in a frame.
class EnergyCheck {
public:
    /// `before`: of the particles as the frame begins. The bodies must stay.
    /// `air_speed`: of the fastest air that drags at the snow, m/s; 0 = no air.
    EnergyCheck(const std::vector<KnownBody>&, const Parameters&, const Energy& before, double frame, double air_speed);

    /// A substep that began `time` seconds after the frame; six numbers for each body: impulse and angular impulse.
    void add(double time, double dt, const double* impulse);
    /// Elastic energy that was there as the frame began, J.
    void add_stored(double energy) { given_ += energy; }

    /// A warning if the particles move more than that allows; otherwise nothing.
    std::string compare(const Energy& after) const;

private:
    struct Moving {
        size_t body;
        Travel travel;
        double pivot[3];  ///< as the frame begins, m
    };
    const Parameters& parameters_;
    Energy before_;
    double frame_;
    std::vector<Moving> rigid_;
    double time_ = 0;      ///< that the substeps took so far, s
    double given_ = 0;     ///< work of the bodies, and elastic energy, J
    double adhesion_ = 0;  ///< the strongest
};

}  // namespace firn
