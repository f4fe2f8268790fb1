#pragma once

// The triangles of a surface, one after the other and as often as asked for: of a mesh, or of a file that is larger
// than what a look at it may take.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/mesh.h"
#include "firn/rigid_transform.h"
#include "firn/samples.h"

namespace firn {

using Corners = std::array<Float3, 3>;

/// A box; before anything was added, one that holds nothing.
struct Extent {
    static constexpr float huge = std::numeric_limits<float>::max();
    Float3 low{huge, huge, huge}, high{-huge, -huge, -huge};  ///< m
    void add(const Float3& p) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    void add(const Extent& other) {
        low = {std::min(low.x, other.low.x), std::min(low.y, other.low.y), std::min(low.z, other.low.z)};
        high = {std::max(high.x, other.high.x), std::max(high.y, other.high.y), std::max(high.z, other.high.z)};
    }
    bool meets(const Extent& other) const {
        return high.x >= other.low.x && low.x <= other.high.x && high.y >= other.low.y && low.y <= other.high.y &&
               high.z >= other.low.z && low.z <= other.high.z;
    }
};

class TriangleSource {
public:
    using Visit = std::function<void(const Corners* some, size_t count)>;
    virtual ~TriangleSource() = default;
    /// All of them, always in the same order and the same parts; or as many as each_stands_for() says.
    virtual void for_each(const Visit&) = 0;
    /// So many triangles of the surface, for each that for_each() shows.
    virtual double each_stands_for() const { return 1; }
    /// Of those that reach into one of the boxes, and of some others: all, or one of so many as it returns, which are
    /// no more than `stride`.
    virtual double for_each_near(const std::vector<Extent>&, double /*stride*/, const Visit& visit) {
        for_each(visit);
        return each_stands_for();
    }
    /// Of all, where it is known.
    virtual std::optional<Extent> extent() const { return {}; }
};

class MeshTriangles : public TriangleSource {
public:
    /// Keeps a reference.
    explicit MeshTriangles(const Mesh& mesh) : mesh_(mesh) {}
    void for_each(const Visit&) override;

private:
    const Mesh& mesh_;
};

Float3 heightfield_point(const Heightfield&, int row, int column);

/// Those of heightfield_mesh().
class HeightfieldTriangles : public TriangleSource {
public:
    /// Keeps a reference.
    explicit HeightfieldTriangles(const Heightfield& field) : field_(field) {}
    void for_each(const Visit&) override;

private:
    const Heightfield& field_;
};

/// Those of another, turned and moved.
class PlacedTriangles : public TriangleSource {
public:
    /// Keeps a reference.
    PlacedTriangles(TriangleSource& source, const Transform& placed) : source_(source), placed_(placed) {}
    void for_each(const Visit&) override;
    double each_stands_for() const override { return source_.each_stands_for(); }

private:
    TriangleSource& source_;
    Transform placed_;
};

/// In blocks: a vector that grows takes twice what it holds.
template <class Value>
class Blocks {
public:
    void push_back(const Value& value) {
        if (count_ % block == 0) blocks_.emplace_back(new Value[block]);
        blocks_[count_ / block][count_ % block] = value;
        ++count_;
    }
    const Value& operator[](size_t i) const { return blocks_[i / block][i % block]; }
    size_t size() const { return count_; }

private:
    static constexpr size_t block = size_t(1) << 16;
    size_t count_ = 0;
    std::vector<std::unique_ptr<Value[]>> blocks_;
};

/// The points of a mesh. Behind the first `most_precise` they are kept with 16 bits a coordinate, within the box of
/// those that stand beside them in the file: where there are so many points, a 65,536th of that is nothing.
class ManyPoints {
public:
    explicit ManyPoints(size_t most_precise = size_t(1) << 21) : most_precise_(most_precise) {}
    void push_back(const Float3&);
    Float3 operator[](size_t i) const;
    size_t size() const { return precise_.size() + packed_.size() + last_.size(); }
    size_t bytes() const { return 12 * precise_.size() + 6 * packed_.size() + 24 * boxes_.size(); }

private:
    static constexpr size_t group = 256;
    using Packed = std::array<uint16_t, 3>;
    struct Box {
        Float3 low, step;  ///< m
    };

    size_t most_precise_;
    Blocks<Float3> precise_;
    Blocks<Packed> packed_;
    Blocks<Box> boxes_;         ///< of each group
    std::vector<Float3> last_;  ///< of a group that is not full yet
};

/// Of a mesh file (see read_mesh()), scaled about the origin. Keeps its points, and its triangles if both are not more
/// than `most_kept` bytes; else it reads them again.
class FileTriangles : public TriangleSource {
public:
    FileTriangles(std::string path, float scale, uint64_t most_kept = 100000000);
    ~FileTriangles() override;
    void for_each(const Visit&) override;

private:
    class Reading;

    std::string path_;
    float scale_;
    uint64_t most_kept_;  ///< bytes, of points and triangles together
    ManyPoints points_;
    bool points_known_ = false, kept_known_ = false;
    Blocks<std::array<uint32_t, 3>> kept_;
};

}  // namespace firn
