#pragma once

// Faces of a mesh file by their numbers, without reading those before: for files that are too large to be read as a
// whole. Whatever is unusual or damaged is left to the readers of mesh_reading.h, which know every form and every
// error.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "samples/random_access.h"
#include "samples/triangle_source.h"
#include "samples/vec3.h"

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
    /// Of all points that are looked at. Nothing if one is not finite.
    virtual std::optional<Extent> extent() const = 0;
    /// One of so many points; of most files all.
    virtual uint64_t looks_at_one_of() const { return 1; }
    /// How long a face takes where all are read, compared with those of other files.
    virtual double cost() const { return 1; }
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

template <class Faces, class... Of>
std::unique_ptr<MeshFaces> if_any(const Of&... of) {
    auto faces = std::make_unique<Faces>(of...);
    if (faces->count() == 0) return nullptr;
    return faces;
}

/// Joins the extents of parts of a file, many at once. `look(part, bytes, extent)` widens one by a part's points, and
/// says whether all are finite; `bytes` is memory to work in.
std::optional<Extent> extent_of_parts(uint64_t parts,
                                      const std::function<bool(uint64_t, std::vector<char>&, Extent&)>& look);

/// In a file.
struct Records {
    const RandomAccessFile& file;
    uint64_t at, count;  ///< bytes; records
    size_t bytes;        ///< of one
};
/// The extent of the points in records: so many in each. `point(record, number)` reads one.
template <class Point>
std::optional<Extent> extent_of(const Records& records, size_t points, const Point& point) {
    constexpr size_t part_bytes = 1 << 20;
    const uint64_t part = std::max<size_t>(1, part_bytes / records.bytes);
    return extent_of_parts((records.count + part - 1) / part,
                           [&](uint64_t k, std::vector<char>& bytes, Extent& extent) {
                               const uint64_t count = std::min(part, records.count - k * part);
                               bytes.resize(static_cast<size_t>(part) * records.bytes);
                               const size_t got = records.file.read(records.at + k * part * records.bytes, bytes.data(),
                                                                    static_cast<size_t>(count) * records.bytes);
                               bool fine = true;
                               for (size_t at = 0; at + records.bytes <= got; at += records.bytes)
                                   for (size_t n = 0; n < points; ++n) {
                                       const Float3 p = point(bytes.data() + at, n);
                                       fine = fine & finite(p);
                                       extent.add(p);
                                   }
                               return fine;
                           });
}

}  // namespace firn
