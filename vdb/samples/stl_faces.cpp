// Triangles of a binary STL: each has 50 bytes.

#include <cstring>

#include "samples/mesh_faces.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr size_t header = 84, record = 50, corners_at = 12, corner_bytes = 36;

class StlFaces : public MeshFaces {
public:
    explicit StlFaces(const std::string& path) : file_(path) {
        char bytes[header];
        if (file_.read(0, bytes, header) < header) return;
        uint32_t count;
        std::memcpy(&count, bytes + 80, sizeof count);
        if (file_.size() == header + uint64_t(count) * record) count_ = count;
    }
    uint64_t count() const override { return count_; }
    std::optional<Extent> extent() const override {
        return extent_of({file_, header, count_, record}, [](std::string_view bytes, Extent& extent) {
            bool fine = true;
            for (size_t at = corners_at; at < bytes.size(); at += record) {
                Corners corners;
                std::memcpy(corners.data(), bytes.data() + at, corner_bytes);
                for (const Float3& p : corners) {
                    fine = fine & finite(p);
                    extent.add(p);
                }
            }
            return fine;
        });
    }
    std::unique_ptr<FaceReader> reader() const override { return std::make_unique<Reader>(*this); }

private:
    class Reader : public FaceReader {
    public:
        explicit Reader(const StlFaces& faces) : bytes_(faces.file_) {}
        bool read(uint64_t first, uint64_t count, std::vector<Corners>& triangles) override {
            for (uint64_t n = first; n < first + count; ++n) {
                const std::string_view here = bytes_.bytes(header + n * record + corners_at, corner_bytes);
                if (here.size() < corner_bytes) return false;
                static_assert(sizeof(Corners) == corner_bytes, "in memory as in the file");
                std::memcpy(triangles.emplace_back().data(), here.data(), corner_bytes);
            }
            return true;
        }

    private:
        CachedBytes bytes_;
    };

    RandomAccessFile file_;
    uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<MeshFaces> stl_faces(const std::string& path) {
    auto faces = std::make_unique<StlFaces>(path);
    if (faces->count() == 0) return nullptr;
    return faces;
}

}  // namespace firn
