#pragma once

// Faces of a mesh file by their numbers, without reading those before: for files that are too large to be read as a
// whole. Whatever is unusual or damaged is left to the readers of mesh_reading.h, which know every form and every
// error.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "samples/random_access.h"
#include "samples/triangle_source.h"

namespace firn {

/// For one thread.
class FaceReader {
public:
    virtual ~FaceReader() = default;
    /// Appends the triangles of `count` faces. False for faces that are otherwise than was expected.
    virtual bool read(uint64_t first, uint64_t count, std::vector<Corners>&) = 0;
};

class MeshFaces {
public:
    virtual ~MeshFaces() = default;
    virtual uint64_t count() const = 0;
    /// Of all points, each of which is looked at. Nothing if one is not finite.
    virtual std::optional<Extent> extent() const = 0;
    /// The faces must outlive it.
    virtual std::unique_ptr<FaceReader> reader() const = 0;
};

// Nothing for a file whose faces can't be found so.
std::unique_ptr<MeshFaces> obj_faces(const std::string& path);
std::unique_ptr<MeshFaces> ply_faces(const std::string& path);
std::unique_ptr<MeshFaces> stl_faces(const std::string& path);
/// By the name's ending.
std::unique_ptr<MeshFaces> mesh_faces(const std::string& path);

/// Cuts a face into triangles, as add_polygon() does.
class FaceCutter {
public:
    void add(const std::vector<Float3>& corners, std::vector<Corners>& triangles);

private:
    Mesh polygon_;
    std::vector<uint32_t> numbers_;
};

/// The extent of the points in `count` records of a file, many of which are read at once. `look(bytes, extent)` widens
/// an extent by the points of some records, and says whether all are finite.
struct Records {
    const RandomAccessFile& file;
    uint64_t at, count;  ///< bytes; records
    size_t bytes;        ///< of one
};
std::optional<Extent> extent_of(const Records&, const std::function<bool(std::string_view, Extent&)>& look);

}  // namespace firn
