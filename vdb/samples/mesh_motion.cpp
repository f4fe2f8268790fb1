// How the mesh of a sequence of files moves, from some of its points: for files that are too large to be held.

#include <algorithm>

#include "firn/collider.h"
#include "samples/mesh_reading.h"
#include "samples/thinned_file.h"

namespace firn {

namespace {

/// Every so many of a file's points, and a number that tells its faces from others.
class SomePoints : public MeshSink {
public:
    void expect(uint64_t, uint64_t) override {}
    void point(const Float3& p) override {
        if (count_++ % stride_ != 0) return;
        points_.push_back(p);
        if (points_.size() < most) return;
        for (size_t i = 0; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
        points_.resize((points_.size() + 1) / 2);
        stride_ *= 2;
    }
    void face(const std::vector<uint32_t>& corners) override {
        for (const uint32_t corner : corners) faces_ = (faces_ ^ corner) * 0x9e3779b97f4a7c15ull;
        faces_ += corners.size();
    }
    void triangle(const std::array<Float3, 3>& corners) override {
        for (const Float3& p : corners) point(p);
    }
    /// Of a huge file: the corners of a few faces. False where they can't be found so.
    bool look_at_some(const std::string& path) {
        const std::unique_ptr<MeshFaces> faces = is_huge_mesh_file(path) ? mesh_faces(path) : nullptr;
        if (!faces) return false;
        constexpr uint64_t some = most / 4;
        const std::unique_ptr<FaceReader> reader = faces->reader();
        std::vector<Corners> found;
        for (uint64_t k = 0; k < some; ++k)
            if (!reader->read(k * (faces->count() - 1) / (some - 1), 1, found)) return false;
        for (const Corners& corners : found) triangle(corners);
        faces_ = faces->count();
        return true;
    }
    bool has_the_faces_of(const SomePoints& other) const { return count_ == other.count_ && faces_ == other.faces_; }
    const std::vector<Float3>& points() const { return points_; }

private:
    static constexpr size_t most = size_t(1) << 15;
    uint64_t count_ = 0, stride_ = 1, faces_ = 0;
    std::vector<Float3> points_;
};

}  // namespace

Motion motion_of_files(const std::vector<std::string>& files, float scale, float spacing) {
    if (files.empty()) return Motion::rigid;
    const auto look = [](const std::string& file, SomePoints& points) {
        if (!points.look_at_some(file)) read_mesh(file, points = SomePoints());
    };
    SomePoints first;
    look(files.front(), first);
    for (auto file = files.begin() + 1; file != files.end(); ++file) {
        SomePoints now;
        look(*file, now);
        const float tolerance = motion_tolerance * spacing / std::abs(scale);
        if (!now.has_the_faces_of(first) || !rigid_motion(first.points(), now.points(), tolerance))
            return Motion::deforming;
    }
    return Motion::rigid;
}

}  // namespace firn
