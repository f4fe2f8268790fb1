#pragma once

// What a Houdini geometry is made of, as sources and colliders see it: meshes, VDBs, height fields and packed
// primitives.

#include <GU/GU_Detail.h>
#include <UT/UT_Matrix4.h>

#include <string>
#include <vector>

#include "firn/mesh.h"
#include "firn/rigid_transform.h"
#include "firn/samples.h"

namespace firn {

/// A point attribute of a piece: numbers for each point of its mesh.
struct PointValues {
    std::string name;
    int components;
    std::vector<float> values;
};

/// Something with a surface.
struct SurfacePiece {
    std::string name;
    Mesh mesh;                        ///< m; in the space of the packed primitive, else in the world
    std::vector<PointValues> values;  ///< the requested ones that exist
    bool packed = false;
    bool from_volume = false;  ///< its mesh has another topology at every frame
    Transform placement;       ///< of a packed one; its scale and shear are in the mesh
};

struct GeometryPieces {
    std::vector<SurfacePiece> surfaces;
    std::vector<Heightfield> heightfields;
};

/// A point attribute to read.
struct WantedValues {
    const char* name;
    int components;
};

/// `piece_attribute`: a primitive attribute that splits the polygons into pieces; "" = one piece. Throws Error for
/// what can't be used.
GeometryPieces geometry_pieces(const GU_Detail&, const std::string& piece_attribute, const std::vector<WantedValues>&);

/// The mesh where it is in the world.
Mesh placed_mesh(const SurfacePiece&);

/// Houdini multiplies row vectors by a matrix; Affine acts on columns.
Affine affine_of(const UT_DMatrix4&);

/// The point attributes that say how a collider's surface treats snow.
std::vector<WantedValues> surface_values();
/// Those of a piece, in the order of surface_table(); null = it has none.
const std::vector<float>* surface_value(const SurfacePiece&, size_t quantity);

}  // namespace firn
