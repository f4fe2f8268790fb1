#include "firn/surface_source.h"

namespace firn {

SurfaceSource::~SurfaceSource() = default;

}  // namespace firn
