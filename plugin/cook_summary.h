#pragma once

// What a node tells of the frame that it has simulated: where, how much memory, how many iterations.

#include <cstdint>
#include <string>

#include "engine_cache.h"

namespace firn {

/// Plain figures, the same at every run of a frame on one device.
struct CookSummary {
    std::string device, notice;  ///< notice: why not the device that was asked for; mostly empty
    uint64_t snow_particles = 0, boundary_particles = 0;
    uint64_t asleep = 0;  ///< snow particles
    uint64_t bytes = 0;   ///< estimate of the memory that the engine needs
    int substeps = 0;
    std::vector<SolveSummary> solves;
    std::string limit;     ///< of the most frequent limit: how many substeps, and who asked for the shortest
    double speed = 0;      ///< the largest of the frame, m/s
    std::string warnings;  ///< one in a line
};

CookSummary cook_summary(const EngineCache&, const FrameReport&);

/// "12 substeps; 5.5 pressure and 8.0 shear iterations each"
std::string substeps_and_iterations(const CookSummary&);

/// "1000 snow and 200 boundary particles, about 12 MB"
std::string particles_and_memory(const CookSummary&);

}  // namespace firn
