#pragma once

#include <functional>
#include <map>
#include <string>

#include "firn/grain_file.h"

namespace firn {

/// kg, of a grain of this radius (m) that belongs to this particle.
using GrainMass = std::function<double(float radius, uint32_t particle)>;

/// Grains as an OpenVDB point grid, brick after brick: at any time only one brick's grains are there as floats, the
/// others as the file will have them.
void write_grain_points(const std::string& path, const GrainField&, const GrainFileSettings&,
                        const std::map<std::string, std::string>& metadata, GrainFileStatistics&, const GrainMass&,
                        const std::function<bool()>& interrupted);

}  // namespace firn
