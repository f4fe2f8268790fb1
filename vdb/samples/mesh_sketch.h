#pragma once

// What there is to know of a surface from one look at its triangles, in memory that does not grow with them.

#include "firn/mesh.h"
#include "samples/triangle_source.h"

namespace firn {

/// Some of a surface's triangles, each with its own three points.
struct DrawnTriangles {
    Mesh mesh;
    std::vector<float> stands_for;  ///< m^2 of the surface, for each of them
};
/// Each made larger about its middle to the area that it stands for, or to `times` as much. Where a surface is rough,
/// this makes it rougher.
Mesh made_larger(const DrawnTriangles&, double times = 1);

/// Draws triangles by area, with a chance that falls as more come: one for each step of a running sum of areas, at a
/// place of chance within it.
class TriangleDraw {
public:
    explicit TriangleDraw(size_t most) : most_(most) {}
    /// `area`: m^2, of the triangle.
    void add(const Corners&, double area);
    /// All of them are in the mesh.
    bool whole() const { return step_ == 0; }
    /// `most` or about as many.
    DrawnTriangles drawn();

private:
    struct Drawn {
        Corners corners;
        float stands_for;  ///< m^2
    };
    uint64_t drawn_from(double area);
    void thin_out();
    void begin_steps();

    size_t most_;
    uint64_t seen_ = 0, steps_ = 0;
    double area_ = 0, step_ = 0, sum_ = 0, next_ = 0;  ///< m^2
    std::vector<Drawn> drawn_;
};

struct MeshSketch {
    /// As examine(), but for the numbers of edges; and edges that as many triangles pass one way as the other are taken
    /// for closed. Of a source that shows only some triangles, about; closed is then what faces all ways alike.
    MeshFacts facts;
    double volume_error = 0;  ///< m^3, what is to be expected; of such a source
    uint64_t triangles = 0;   ///< of the surface
    /// As many triangles as a sketch may have: all of them, or some, drawn by area.
    DrawnTriangles as_they_are;
    /// The same, made larger where they are only some.
    Mesh drawn;
    bool whole = true;  ///< all were drawn
};
MeshSketch sketch(TriangleSource&, size_t most_drawn = size_t(3) << 16);

}  // namespace firn
