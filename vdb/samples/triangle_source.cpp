#include "samples/triangle_source.h"

#include <tbb/task_group.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "samples/mesh_reading.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr size_t batch_size = size_t(1) << 16;

/// Hands triangles on in parts of one size; while one is looked at, the next is gathered.
class Batch {
public:
    explicit Batch(const TriangleSource::Visit& visit) : visit_(visit) {
        some_.reserve(batch_size);
        looked_at_.reserve(batch_size);
    }
    ~Batch() {
        // A reader has thrown; what the visitor has to say no longer counts.
        try {
            looking_->wait();
        } catch (...) {
        }
    }
    void add(const Float3& a, const Float3& b, const Float3& c) {
        some_.push_back({a, b, c});
        if (some_.size() == batch_size) hand_on();
    }
    void finish() {
        if (!some_.empty()) hand_on();
        looking_->wait();
    }

private:
    void hand_on() {
        looking_->wait();
        std::swap(some_, looked_at_);
        some_.clear();
        looking_->run([this] { visit_(looked_at_.data(), looked_at_.size()); });
    }

    const TriangleSource::Visit& visit_;
    std::vector<Corners> some_, looked_at_;
    std::unique_ptr<tbb::task_group> looking_ = std::make_unique<tbb::task_group>();  ///< whose own end may throw
};

}  // namespace

void MeshTriangles::for_each(const Visit& visit) {
    Batch batch(visit);
    for (const auto& [a, b, c] : mesh_.triangles) batch.add(mesh_.points[a], mesh_.points[b], mesh_.points[c]);
    batch.finish();
}

Float3 heightfield_point(const Heightfield& field, int row, int column) {
    const size_t number = static_cast<size_t>(row) * static_cast<size_t>(field.columns) + static_cast<size_t>(column);
    return {field.origin.x + field.cell * static_cast<float>(column), field.origin.y + field.height[number],
            field.origin.z + field.cell * static_cast<float>(row)};
}

void HeightfieldTriangles::for_each(const Visit& visit) {
    Batch batch(visit);
    const auto point = [&](int row, int column) { return heightfield_point(field_, row, column); };
    for (int row = 0; row + 1 < field_.rows; ++row)
        for (int column = 0; column + 1 < field_.columns; ++column) {
            const Float3 a = point(row, column), c = point(row + 1, column + 1);
            batch.add(a, point(row + 1, column), c);
            batch.add(a, c, point(row, column + 1));
        }
    batch.finish();
}

void PlacedTriangles::for_each(const Visit& visit) {
    std::vector<Corners> moved;
    source_.for_each([&](const Corners* some, size_t count) {
        moved.assign(some, some + count);
        for (Corners& corners : moved)
            for (Float3& p : corners) p = apply_transform(placed_, p);
        visit(moved.data(), count);
    });
}

void ManyPoints::push_back(const Float3& p) {
    if (precise_.size() < most_precise_) return precise_.push_back(p);
    last_.push_back(p);
    if (last_.size() < group) return;
    Float3 low = last_.front(), high = low;
    for (const Float3& q : last_) {
        low = {std::min(low.x, q.x), std::min(low.y, q.y), std::min(low.z, q.z)};
        high = {std::max(high.x, q.x), std::max(high.y, q.y), std::max(high.z, q.z)};
    }
    constexpr float most = 65535;
    // Halves, so that no difference of two floats is beyond all numbers.
    const auto step = [&](float from, float to) { return 2 * ((0.5f * to - 0.5f * from) / most); };
    const Box box{low, {step(low.x, high.x), step(low.y, high.y), step(low.z, high.z)}};
    const auto packed = [&](float value, float from, float width) {
        const float steps = width > 0 ? 2 * ((0.5f * value - 0.5f * from) / width) : 0.0f;
        return static_cast<uint16_t>(std::clamp(std::round(steps), 0.0f, most));
    };
    for (const Float3& q : last_)
        packed_.push_back(
            {packed(q.x, low.x, box.step.x), packed(q.y, low.y, box.step.y), packed(q.z, low.z, box.step.z)});
    boxes_.push_back(box);
    last_.clear();
}

Float3 ManyPoints::operator[](size_t i) const {
    if (i < precise_.size()) return precise_[i];
    i -= precise_.size();
    if (i >= packed_.size()) return last_[i - packed_.size()];
    const auto& [x, y, z] = packed_[i];
    const Box& box = boxes_[i / group];
    const auto unpacked = [](float low, uint16_t steps, float step) {
        constexpr double most = std::numeric_limits<float>::max();
        return static_cast<float>(std::clamp(double(low) + double(steps) * double(step), -most, most));
    };
    return {unpacked(box.low.x, x, box.step.x), unpacked(box.low.y, y, box.step.y), unpacked(box.low.z, z, box.step.z)};
}

/// What a reader finds, on its way to the visitor.
class FileTriangles::Reading : public MeshSink {
public:
    Reading(FileTriangles& file, const Visit& visit) : file_(file), batch_(visit), keeps_(!file.kept_known_) {}

    void expect(uint64_t, uint64_t) override {}
    bool wants_points() const override { return !file_.points_known_; }
    void point(const Float3& p) override {
        if (!file_.points_known_) file_.points_.push_back(scaled(p));
    }
    void face(const std::vector<uint32_t>& corners) override {
        if (corners.size() == 3) return add(corners[0], corners[1], corners[2]);
        polygon_.points.clear();
        polygon_.triangles.clear();
        numbers_.clear();
        for (const uint32_t corner : corners) {
            numbers_.push_back(static_cast<uint32_t>(numbers_.size()));
            polygon_.points.push_back(file_.points_[corner]);
        }
        add_polygon(polygon_, numbers_);
        for (const auto& [a, b, c] : polygon_.triangles) add(corners[a], corners[b], corners[c]);
    }
    void triangle(const std::array<Float3, 3>& corners) override {
        keeps_ = false;
        visit(scaled(corners[0]), scaled(corners[1]), scaled(corners[2]));
    }
    void finish() {
        batch_.finish();
        file_.points_known_ = true;
        if (keeps_) file_.kept_known_ = true;
    }

private:
    Float3 scaled(const Float3& p) const {
        const double scale = file_.scale_;
        return narrow({scale * p.x, scale * p.y, scale * p.z});
    }
    void add(uint32_t a, uint32_t b, uint32_t c) {
        visit(file_.points_[a], file_.points_[b], file_.points_[c]);
        if (!keeps_) return;
        file_.kept_.push_back({a, b, c});
        if (12 * file_.kept_.size() + file_.points_.bytes() <= file_.most_kept_) return;
        keeps_ = false;
        file_.kept_ = {};
    }
    void visit(const Float3& a, const Float3& b, const Float3& c) {
        // A mirror image would be inside out.
        if (file_.scale_ < 0)
            batch_.add(a, c, b);
        else
            batch_.add(a, b, c);
    }

    FileTriangles& file_;
    Batch batch_;
    bool keeps_;
    Mesh polygon_;
    std::vector<uint32_t> numbers_;
};

FileTriangles::FileTriangles(std::string path, float scale, uint64_t most_kept)
    : path_(std::move(path)), scale_(scale), most_kept_(most_kept) {}

FileTriangles::~FileTriangles() = default;

void FileTriangles::for_each(const Visit& visit) {
    if (kept_known_) {
        Batch batch(visit);
        const bool mirrored = scale_ < 0;
        for (size_t t = 0; t < kept_.size(); ++t) {
            const auto& [a, b, c] = kept_[t];
            batch.add(points_[a], points_[mirrored ? c : b], points_[mirrored ? b : c]);
        }
        batch.finish();
        return;
    }
    Reading reading(*this, visit);
    read_mesh(path_, reading);
    reading.finish();
}

}  // namespace firn
