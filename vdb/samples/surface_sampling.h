#pragma once

#include "firn/samples.h"
#include "samples/surface_sites.h"

namespace firn {

constexpr double bytes_per_sample = 1200;  ///< of the cloud and what goes with it, measured

/// How a mesh is sampled. Throws Error for settings that make no sense, and for a mesh too far away.
struct SurfacePlan {
    MeshFacts facts;
    double depth = 0;     ///< m
    bool turned = false;  ///< the triangles are seen from behind
    std::vector<std::string> warnings;
};
SurfacePlan surface_plan(const MeshFacts&, const SurfaceSettings&);
/// One for every spacing^2.
double expected_samples(const MeshFacts&, double spacing);

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
