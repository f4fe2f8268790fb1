#pragma once

// How often a mesh winds about a place: 1 inside, 0 outside, and something between near holes (Jacobson 2013). Far
// triangles act as one dipole, so that a question costs the logarithm of the triangles (Barill 2018).

#include <vector>

#include "firn/mesh.h"
#include "samples/vec3.h"

namespace firn {

class Winding {
public:
    /// Of one triangle in each `step`, which stands for all of them: near enough a few of them away from the surface.
    explicit Winding(const Mesh&, uint32_t step = 1);
    double operator()(const Vec3& at) const;

private:
    struct Node {
        Vec3 centre;    ///< of the area
        Vec3 area;      ///< m^2, the sum of the normals times areas
        double radius;  ///< m, all corners are as near to the centre
    };
    Node build(size_t node, size_t begin, size_t end);
    double ask(const Vec3& at, size_t node, size_t begin, size_t end) const;

    struct Triangle {
        Vec3 a, b, c;
    };
    double weight_;                    ///< triangles that each stands for
    std::vector<Triangle> triangles_;  ///< along a curve that fills space
    std::vector<Node> nodes_;          ///< a heap: the children of n are 2 n + 1 and 2 n + 2, each has half the range
};

}  // namespace firn
