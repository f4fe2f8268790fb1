// Faces of a PLY by number: of little-endian ones in which all vertices take the same bytes, and all faces have the
// same number of corners and nothing else. That is what scanners and most programs write.

#include <cstring>

#include "samples/byte_window.h"
#include "samples/mesh_faces.h"
#include "samples/ply_header.h"
#include "samples/vec3.h"

namespace firn {

namespace {

class PlyFaces : public MeshFaces {
public:
    explicit PlyFaces(const std::string& path) : file_(path) {
        ByteWindow window = ByteWindow::of_file(path);
        const PlyHeader header = read_ply_header(window, path);
        if (header.order != PlyOrder::little || header.elements.size() != 2) return;
        const PlyElement &vertex = header.elements[0], &face = header.elements[1];
        if (vertex.name != "vertex" || face.name != "face" || !find_coordinates(vertex)) return;
        if (face.properties.size() != 1 || !has_plain_corners(face.properties[0])) return;
        points_at_ = window.consumed();
        points_ = vertex.count;
        const uint64_t left = file_.size() - points_at_;
        if (points_ > left / point_bytes_ || face.count == 0) return;
        faces_at_ = points_at_ + points_ * point_bytes_;
        const uint64_t face_bytes = (file_.size() - faces_at_) / face.count;
        if (face_bytes * face.count != file_.size() - faces_at_ || face_bytes % 4 != 1) return;
        corners_ = static_cast<size_t>(face_bytes / 4);
        if (corners_ < 3 || face_bytes > CachedBytes::longest) return;
        count_ = face.count;
    }
    uint64_t count() const override { return count_; }
    std::optional<Extent> extent() const override {
        return extent_of({file_, points_at_, points_, point_bytes_}, [&](std::string_view bytes, Extent& extent) {
            bool fine = true;
            for (size_t at = 0; at < bytes.size(); at += point_bytes_) {
                const Float3 p = point(bytes.data() + at);
                fine = fine & finite(p);
                extent.add(p);
            }
            return fine;
        });
    }
    std::unique_ptr<FaceReader> reader() const override { return std::make_unique<Reader>(*this); }

private:
    class Reader : public FaceReader {
    public:
        explicit Reader(const PlyFaces& faces)
            : faces_(faces), face_bytes_(faces.file_), point_bytes_(faces.file_), corners_(faces.corners_) {}
        bool read(uint64_t first, uint64_t count, std::vector<Corners>& triangles) override {
            const size_t size = 1 + 4 * faces_.corners_;
            for (uint64_t n = first; n < first + count; ++n) {
                const std::string_view here = face_bytes_.bytes(faces_.faces_at_ + n * size, size);
                if (here.size() < size || static_cast<unsigned char>(here[0]) != faces_.corners_) return false;
                for (size_t k = 0; k < faces_.corners_; ++k) {
                    uint32_t number;
                    std::memcpy(&number, here.data() + 1 + 4 * k, sizeof number);
                    if (number >= faces_.points_) return false;
                    const std::string_view point =
                        point_bytes_.bytes(faces_.points_at_ + number * faces_.point_bytes_, faces_.point_bytes_);
                    if (point.size() < faces_.point_bytes_) return false;
                    corners_[k] = faces_.point(point.data());
                }
                cutter_.add(corners_, triangles);
            }
            return true;
        }

    private:
        const PlyFaces& faces_;
        CachedBytes face_bytes_, point_bytes_;
        std::vector<Float3> corners_;
        FaceCutter cutter_;
    };

    static bool has_plain_corners(const PlyProperty& p) {
        return p.list && (p.name == "vertex_indices" || p.name == "vertex_index") && p.count_type == PlyType::uint8 &&
               (p.type == PlyType::int32 || p.type == PlyType::uint32);
    }
    /// Where x, y and z are in a vertex.
    bool find_coordinates(const PlyElement& vertex) {
        int found = 0;
        for (const PlyProperty& p : vertex.properties) {
            if (p.list) return false;
            for (size_t axis = 0; axis < 3; ++axis) {
                if (p.name != std::string_view(&"xyz"[axis], 1)) continue;
                if (p.type < PlyType::float32) return false;
                coordinate_[axis] = {point_bytes_, p.type == PlyType::float64};
                ++found;
            }
            point_bytes_ += ply_type_bytes(p.type);
        }
        return found == 3 && point_bytes_ <= CachedBytes::longest;
    }
    Float3 point(const char* bytes) const {
        const auto value = [&](const Coordinate& coordinate) {
            if (!coordinate.is_double) {
                float number;
                std::memcpy(&number, bytes + coordinate.at, sizeof number);
                return number;
            }
            double number;
            std::memcpy(&number, bytes + coordinate.at, sizeof number);
            // A double beyond float's range must not be cast.
            return std::abs(number) <= 3.4e38 ? static_cast<float>(number) : HUGE_VALF;
        };
        return {value(coordinate_[0]), value(coordinate_[1]), value(coordinate_[2])};
    }

    struct Coordinate {
        size_t at = 0;
        bool is_double = false;
    };
    RandomAccessFile file_;
    Coordinate coordinate_[3];
    uint64_t points_at_ = 0, faces_at_ = 0, points_ = 0, count_ = 0;
    size_t point_bytes_ = 0, corners_ = 0;
};

}  // namespace

std::unique_ptr<MeshFaces> ply_faces(const std::string& path) {
    auto faces = std::make_unique<PlyFaces>(path);
    if (faces->count() == 0) return nullptr;
    return faces;
}

}  // namespace firn
