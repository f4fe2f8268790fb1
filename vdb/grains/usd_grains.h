#pragma once

#include <map>
#include <string>

#include "firn/grain_file.h"

namespace firn {

/// Grains as a UsdGeomPoints /grains with one time sample, the frame: a value clip of the run's stage.
void write_usd_grains(const std::string& path, const RenderGrains&, const GrainFileSettings&, const FrameStamp&,
                      const std::map<std::string, std::string>& metadata);

}  // namespace firn
