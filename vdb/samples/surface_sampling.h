#pragma once

#include "firn/samples.h"
#include "samples/surface_sites.h"

namespace firn {

/// Samples with the cloud that they were chosen from.
struct SampledSurface {
    SurfaceCloud cloud;
    SurfaceSites sites;        ///< the samples' places on the surface
    std::vector<float> depth;  ///< m, of each sample: what was wanted, or to the middle of what is thin
    SurfaceSamples samples;
};
/// `turned`: the triangles are seen from behind.
SampledSurface sampled_surface(const Mesh&, const MeshFacts&, float spacing, double depth, bool turned);

}  // namespace firn
