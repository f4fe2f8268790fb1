#include "grains/grain_points.h"

#include <openvdb/openvdb.h>
#include <openvdb/points/AttributeArray.h>
#include <openvdb/points/PointDataGrid.h>

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "firn/error.h"
#include "firn/memory.h"
#include "grids/leaf_loop.h"
#include "grids/vdb_archive.h"

namespace firn {

namespace {

using openvdb::Coord;
using openvdb::Vec3f;
using openvdb::points::AttributeSet;
using openvdb::points::AttributeWriteHandle;
using openvdb::points::FixedPointCodec;
using openvdb::points::NullCodec;
using openvdb::points::PointDataGrid;
using openvdb::points::PositionRange;
using openvdb::points::TruncateCodec;
using openvdb::points::TypedAttributeArray;
using Leaf = openvdb::points::PointDataTree::LeafNodeType;

constexpr int brick_edge = 64;  ///< voxels: 8 leaves

/// With so many bits of its mantissa: nearly equal numbers become equal ones, which compress.
float coarse(float value, int bits) {
    if (value == 0 || !std::isfinite(value)) return value;
    int exponent = 0;
    const float mantissa = std::frexp(value, &exponent), steps = static_cast<float>(1 << bits);
    return std::ldexp(std::round(mantissa * steps) / steps, exponent);
}

/// Multiples of 1/64 of the power of two above the largest component: for blur that is enough, and the velocities of
/// neighbours become equal, which compresses.
Vec3f coarse(const Float3& v) {
    const float most = std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
    if (most == 0 || !std::isfinite(most)) return Vec3f(v.x, v.y, v.z);
    int exponent = 0;
    std::frexp(most, &exponent);
    const float step = std::ldexp(1.0f, exponent - 6);
    return Vec3f(step * std::round(v.x / step), step * std::round(v.y / step), step * std::round(v.z / step));
}

int32_t floor_div(int32_t a, int32_t b) {
    return (a - (a < 0 ? b - 1 : 0)) / b;
}

/// A voxel holds about eight grains.
double voxel_size(const GrainSettings& settings) {
    return std::exp2(std::round(std::log2(2 * double(settings.spacing) / std::cbrt(double(settings.per_particle)))));
}

struct BrickParent {
    Coord brick;
    uint32_t parent;
};

/// Which particles may have grains in which bricks, brick by brick.
std::vector<BrickParent> parents_by_brick(const GrainField& field, double voxel) {
    const double edge = voxel * brick_edge, reach = double(field.reach()) + voxel;
    std::vector<BrickParent> list;
    for (size_t k = 0; k < field.parents().size(); ++k) {
        const Float3& p = field.position(k);
        const double xyz[3] = {p.x, p.y, p.z};
        int32_t low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            if (std::fabs(xyz[axis]) / voxel > 1e9)
                throw Error("grains: a particle is too far away for voxels of " + std::to_string(voxel) +
                            " m; leave out those that flew away");
            low[axis] = static_cast<int32_t>(std::floor((xyz[axis] - reach) / edge));
            high[axis] = static_cast<int32_t>(std::floor((xyz[axis] + reach) / edge));
        }
        for (int32_t x = low[0]; x <= high[0]; ++x)
            for (int32_t y = low[1]; y <= high[1]; ++y)
                for (int32_t z = low[2]; z <= high[2]; ++z) list.push_back({Coord(x, y, z), static_cast<uint32_t>(k)});
    }
    std::sort(list.begin(), list.end(), [](const BrickParent& a, const BrickParent& b) {
        return a.brick < b.brick || (a.brick == b.brick && a.parent < b.parent);
    });
    return list;
}

class GrainPoints {
public:
    GrainPoints(const GrainField& field, const GrainFileSettings& settings, LeafLoop& loop)
        : field_(field), settings_(settings), loop_(loop), voxel_(voxel_size(field.settings())) {
        grid_ = PointDataGrid::create();
        grid_->setTransform(openvdb::math::Transform::createLinearTransform(voxel_));
        grid_->setName("points");
        make_descriptor();
    }

    void add_brick(const BrickParent* begin, const BrickParent* end, GrainFileStatistics& statistics,
                   const GrainMass& mass) {
        const Coord brick = begin->brick;
        constexpr size_t piece = 256;
        const size_t count = static_cast<size_t>(end - begin), pieces = (count + piece - 1) / piece;
        std::vector<RenderGrains> made(pieces);
        loop_.chunks(pieces, [&](size_t k) {
            std::vector<uint32_t> parents;
            for (size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i) parents.push_back(begin[i].parent);
            field_.append(parents, made[k]);
        });
        std::vector<Point> points;
        for (size_t k = 0; k < pieces; ++k)
            for (size_t i = 0; i < made[k].count(); ++i) {
                const Float3& p = made[k].position[i];
                const Coord at = Coord::round(openvdb::Vec3d(p.x, p.y, p.z) / voxel_);
                if (floor_div(at.x(), brick_edge) != brick.x() || floor_div(at.y(), brick_edge) != brick.y() ||
                    floor_div(at.z(), brick_edge) != brick.z())
                    continue;
                const Coord leaf = at & ~(static_cast<int>(Leaf::DIM) - 1);
                points.push_back({leaf, Leaf::coordToOffset(at), made[k].id[i], at, static_cast<uint32_t>(k),
                                  static_cast<uint32_t>(i)});
            }
        loop_.within([&] { tbb::parallel_sort(points.begin(), points.end()); });
        std::vector<size_t> first;
        for (size_t i = 0; i < points.size(); ++i)
            if (i == 0 || points[i].leaf != points[i - 1].leaf) first.push_back(i);
        first.push_back(points.size());
        std::vector<std::unique_ptr<Leaf>> leaves(first.size() - 1);
        loop_.ranges(leaves.size(), [&](size_t from, size_t to) {
            for (size_t k = from; k < to; ++k) leaves[k] = make_leaf(&points[first[k]], &points[first[k + 1]], made);
        });
        for (std::unique_ptr<Leaf>& leaf : leaves) grid_->tree().addLeaf(leaf.release());
        statistics.grains += points.size();
        for (const Point& p : points)
            statistics.mass += mass(made[p.piece].radius[p.place], made[p.piece].particle[p.place]);
    }

    PointDataGrid::Ptr grid() const { return grid_; }

private:
    struct Point {
        Coord leaf;
        openvdb::Index voxel;
        int64_t id;
        Coord at;
        uint32_t piece, place;

        bool operator<(const Point& other) const {
            if (leaf != other.leaf) return leaf < other.leaf;
            return voxel != other.voxel ? voxel < other.voxel : id < other.id;
        }
    };

    void make_descriptor() {
        narrow_ids_ = field_.largest_id() <= INT32_MAX;
        const bool full = settings_.bits == 32;
        // Radii of less than a tenth of a millimetre are below what a half float tells apart.
        full_radius_ = full || double(field_.settings().spacing) / std::cbrt(field_.settings().per_particle) < 1e-3;
        const auto position = full ? TypedAttributeArray<Vec3f, NullCodec>::attributeType()
                              : settings_.bits == 16
                                  ? TypedAttributeArray<Vec3f, FixedPointCodec<false, PositionRange>>::attributeType()
                                  : TypedAttributeArray<Vec3f, FixedPointCodec<true, PositionRange>>::attributeType();
        const auto real = [](bool whole) {
            return whole ? TypedAttributeArray<float, NullCodec>::attributeType()
                         : TypedAttributeArray<float, TruncateCodec>::attributeType();
        };
        descriptor_ = AttributeSet::Descriptor::create(position);
        descriptor_ =
            descriptor_->duplicateAppend("v", full ? TypedAttributeArray<Vec3f, NullCodec>::attributeType()
                                                   : TypedAttributeArray<Vec3f, TruncateCodec>::attributeType());
        descriptor_ = descriptor_->duplicateAppend("id", narrow_ids_ ? TypedAttributeArray<int32_t>::attributeType()
                                                                     : TypedAttributeArray<int64_t>::attributeType());
        descriptor_ = descriptor_->duplicateAppend("pscale", real(full_radius_));
        for (const auto& [name, values] : settings_.attributes)
            descriptor_ = descriptor_->duplicateAppend(name, real(full));
    }

    std::unique_ptr<Leaf> make_leaf(const Point* begin, const Point* end, const std::vector<RenderGrains>& made) const {
        auto leaf = std::make_unique<Leaf>(begin->leaf, 0u, false);
        const auto count = static_cast<openvdb::Index>(end - begin);
        leaf->replaceAttributeSet(new AttributeSet(descriptor_, count), /*allowMismatchingDescriptors=*/true);
        std::vector<Leaf::ValueType> offsets(Leaf::SIZE);
        const Point* point = begin;
        for (openvdb::Index v = 0; v < Leaf::SIZE; ++v) {
            while (point != end && point->voxel == v) ++point;
            offsets[v] = static_cast<openvdb::Index>(point - begin);
        }
        leaf->setOffsets(offsets);
        AttributeWriteHandle<Vec3f> position(leaf->attributeArray(0)), velocity(leaf->attributeArray(1));
        AttributeWriteHandle<float> radius(leaf->attributeArray(3));
        const bool small = settings_.bits == 8;
        for (openvdb::Index k = 0; k < count; ++k) {
            const RenderGrains& from = made[begin[k].piece];
            const size_t i = begin[k].place;
            const Float3 &p = from.position[i], &v = from.velocity[i];
            const openvdb::Vec3d at(begin[k].at.x(), begin[k].at.y(), begin[k].at.z());
            position.set(k, rounded(openvdb::Vec3d(p.x, p.y, p.z) / voxel_ - at));
            velocity.set(k, small ? coarse(v) : Vec3f(v.x, v.y, v.z));
            radius.set(k, small ? coarse(from.radius[i], 6) : from.radius[i]);
        }
        if (narrow_ids_)
            set_ids<int32_t>(*leaf, begin, count);
        else
            set_ids<int64_t>(*leaf, begin, count);
        for (size_t a = 0; a < settings_.attributes.size(); ++a) {
            AttributeWriteHandle<float> handle(leaf->attributeArray(4 + a));
            for (openvdb::Index k = 0; k < count; ++k)
                handle.set(k, settings_.attributes[a].second[made[begin[k].piece].particle[begin[k].place]]);
        }
        return leaf;
    }

    /// OpenVDB's codecs cut off what their bits can't hold: half a step more, and they round.
    Vec3f rounded(const openvdb::Vec3d& offset) const {
        if (settings_.bits == 32) return Vec3f(offset);
        const double half = 0.5 / (settings_.bits == 8 ? 255 : 65535);
        Vec3f result;
        for (int axis = 0; axis < 3; ++axis) result[axis] = static_cast<float>(std::min(0.5, offset[axis] + half));
        return result;
    }

    template <typename Id>
    static void set_ids(Leaf& leaf, const Point* points, openvdb::Index count) {
        AttributeWriteHandle<Id> id(leaf.attributeArray(2));
        for (openvdb::Index k = 0; k < count; ++k) id.set(k, static_cast<Id>(points[k].id));
    }

    const GrainField& field_;
    const GrainFileSettings& settings_;
    LeafLoop& loop_;
    double voxel_;
    bool narrow_ids_ = true, full_radius_ = false;
    AttributeSet::Descriptor::Ptr descriptor_;
    PointDataGrid::Ptr grid_;
};

void require_room(const std::string& path, const GrainField& field, const GrainFileSettings& settings) {
    const double each = (settings.bits == 8    ? 3
                         : settings.bits == 16 ? 6
                                               : 12) +
                        (settings.bits == 32 ? 12 : 6) + 8 + 4 + 4.0 * double(settings.attributes.size());
    const double bytes = 1.2 * each * field.expected_count() + 1e8;
    const double available = static_cast<double>(memory_available());
    if (bytes > available)
        throw Error(path + ": about " + std::to_string(static_cast<int64_t>(field.expected_count() / 1e6)) +
                    " million grains need " + std::to_string(static_cast<int64_t>(bytes / 1e9) + 1) + " GB, " +
                    std::to_string(static_cast<int64_t>(available / 1e9)) + " GB are free; ask for fewer");
}

}  // namespace

void write_grain_points(const std::string& path, const GrainField& field, const GrainFileSettings& settings,
                        const std::map<std::string, std::string>& metadata, GrainFileStatistics& statistics,
                        const GrainMass& mass, const std::function<bool()>& interrupted) {
    require_room(path, field, settings);
    try {
        openvdb::initialize();
        LeafLoop loop(field.settings().threads, interrupted);
        GrainPoints points(field, settings, loop);
        const std::vector<BrickParent> list = parents_by_brick(field, points.grid()->voxelSize()[0]);
        for (size_t first = 0, last = 0; first < list.size(); first = last) {
            while (last < list.size() && list[last].brick == list[first].brick) ++last;
            points.add_brick(list.data() + first, list.data() + last, statistics, mass);
        }
        openvdb::MetaMap about;
        for (const auto& [name, value] : metadata) {
            points.grid()->insertMeta(name, openvdb::StringMetadata(value));
            about.insertMeta(name, openvdb::StringMetadata(value));
        }
        write_vdb(path, {{points.grid()}, about}, openvdb::io::COMPRESS_BLOSC | openvdb::io::COMPRESS_ACTIVE_MASK);
    } catch (const openvdb::Exception& error) {
        throw Error(path + ": can't be written: " + error.what());
    }
}

}  // namespace firn
