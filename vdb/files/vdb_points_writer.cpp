// Particles as an OpenVDB point grid. Positions are stored as offsets from voxel centres; with a voxel size that is a
// power of two, they come back bit-exactly. Nothing is quantised, unless 16 bits are asked for.

#include <openvdb/openvdb.h>
#include <openvdb/points/PointAttribute.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointDataGrid.h>
#include <openvdb/points/PointGroup.h>
#include <openvdb/tools/PointIndexGrid.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "files/columns.h"
#include "files/formats.h"
#include "files/vdb_metadata.h"
#include "firn/error.h"
#include "grids/vdb_archive.h"

namespace firn {

namespace {

using openvdb::points::PointDataGrid;
using openvdb::points::PointDataTree;
using openvdb::tools::PointIndexGrid;
using openvdb::tools::PointIndexTree;

class Positions {
public:
    using PosType = openvdb::Vec3d;
    using value_type = openvdb::Vec3d;
    explicit Positions(const std::vector<Float3>& positions) : positions_(positions) {}
    size_t size() const { return positions_.size(); }
    void getPos(size_t n, openvdb::Vec3d& xyz) const { xyz = {positions_[n].x, positions_[n].y, positions_[n].z}; }

private:
    const std::vector<Float3>& positions_;
};

/// About eight particles for each voxel, and no voxel further out than 2^30.
double voxel_size(const ParticleFile& file) {
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, far = 0;
    bool first = true;
    for (const Float3& p : file.particles.position) {
        const double xyz[3] = {p.x, p.y, p.z};
        for (int axis = 0; axis < 3; ++axis) {
            if (!std::isfinite(xyz[axis])) throw Error("a point grid can't hold a position that is not finite");
            low[axis] = first ? xyz[axis] : std::min(low[axis], xyz[axis]);
            high[axis] = first ? xyz[axis] : std::max(high[axis], xyz[axis]);
            far = std::max(far, std::fabs(xyz[axis]));
        }
        first = false;
    }
    double size = 2.0 * file.spacing;
    if (!(size > 0)) {
        double volume = 1;
        for (int axis = 0; axis < 3; ++axis) volume *= std::max(high[axis] - low[axis], 1e-3);
        size = 2.0 * std::cbrt(volume / std::max<double>(1, static_cast<double>(file.particles.count())));
    }
    size = std::exp2(std::round(std::log2(size)));
    while (far / size > (1 << 30)) size *= 2;
    return size;
}

/// OpenVDB partitions in parallel; the order within a voxel must not depend on it.
void sort_within_voxels(PointIndexGrid& grid) {
    openvdb::tree::LeafManager<PointIndexTree> leaves(grid.tree());
    leaves.foreach ([](PointIndexTree::LeafNodeType& leaf, size_t) {
        auto& indices = leaf.indices();
        size_t begin = 0;
        for (openvdb::Index voxel = 0; voxel < PointIndexTree::LeafNodeType::SIZE; ++voxel) {
            const size_t end = leaf.getValue(voxel);
            std::sort(indices.begin() + static_cast<std::ptrdiff_t>(begin),
                      indices.begin() + static_cast<std::ptrdiff_t>(end));
            begin = end;
        }
    });
}

/// Adds an attribute of `stride` values of type T per point, where value(point, part) gives them.
template <typename T, typename Codec = openvdb::points::NullCodec, typename Value>
void add_attribute(PointDataTree& tree, const PointIndexTree& points, const std::string& name, int stride,
                   Value value) {
    using openvdb::points::AttributeWriteHandle;
    const auto width = static_cast<openvdb::Index>(stride);
    openvdb::points::appendAttribute<T, Codec>(tree, name, openvdb::zeroVal<T>(), width);
    const auto first = tree.cbeginLeaf();
    if (!first) return;
    const size_t position = first->attributeSet().find(name);
    openvdb::tree::LeafManager<PointDataTree> leaves(tree);
    leaves.foreach ([&](PointDataTree::LeafNodeType& leaf, size_t) {
        const auto& indices = points.probeConstLeaf(leaf.origin())->indices();
        AttributeWriteHandle<T, Codec> handle(leaf.attributeArray(position));
        // Bit for bit: a zero and a negative zero are two values here.
        bool uniform = true;
        const T front = value(indices[0], 0);
        openvdb::Index at = 0;
        for (const auto& point : indices) {
            for (openvdb::Index part = 0; part < width; ++part) {
                const T v = value(point, part);
                uniform = uniform && std::memcmp(&v, &front, sizeof(T)) == 0;
                handle.set(at, part, v);
            }
            ++at;
        }
        if (uniform) handle.collapse(front);
    });
}

/// Half floats are good for what is looked at. Where the snow was born is computed with, and stays whole; so does what
/// a half float can't hold.
bool may_be_half(const Column& column, size_t count) {
    if (!column.floats || column.name == "rest" || column.name == "birth") return false;
    const size_t numbers = count * static_cast<size_t>(column.components);
    return std::all_of(column.floats, column.floats + numbers, [](float x) { return std::fabs(x) <= 65504.0f; });
}

void add_column_to(PointDataTree& tree, const PointIndexTree& points, const Column& column, bool half) {
    using openvdb::points::TruncateCodec;
    const size_t size = static_cast<size_t>(column.components);
    if (half && size == 3) {
        add_attribute<openvdb::Vec3f, TruncateCodec>(
            tree, points, column.name, 1, [&](size_t p, size_t) { return openvdb::Vec3f(column.floats + 3 * p); });
    } else if (half) {
        add_attribute<float, TruncateCodec>(tree, points, column.name, column.components,
                                            [&](size_t p, size_t c) { return column.floats[size * p + c]; });
    } else if (column.constant) {
        add_attribute<float>(tree, points, column.name, 1, [&](size_t, size_t) { return *column.constant; });
    } else if (column.floats && size == 3) {
        add_attribute<openvdb::Vec3f>(tree, points, column.name, 1,
                                      [&](size_t p, size_t) { return openvdb::Vec3f(column.floats + 3 * p); });
    } else if (column.floats) {
        add_attribute<float>(tree, points, column.name, column.components,
                             [&](size_t p, size_t c) { return column.floats[size * p + c]; });
    } else if (column.doubles && size == 3) {
        add_attribute<openvdb::Vec3d>(tree, points, column.name, 1,
                                      [&](size_t p, size_t) { return openvdb::Vec3d(column.doubles + 3 * p); });
    } else if (column.doubles) {
        add_attribute<double>(tree, points, column.name, column.components,
                              [&](size_t p, size_t c) { return column.doubles[size * p + c]; });
    } else if (column.storage == Storage::int32) {
        add_attribute<int32_t>(tree, points, column.name, column.components,
                               [&](size_t p, size_t c) { return static_cast<int32_t>(column.integers[size * p + c]); });
    } else {
        add_attribute<int64_t>(tree, points, column.name, column.components,
                               [&](size_t p, size_t c) { return column.integers[size * p + c]; });
    }
}

void add_group(PointDataTree& tree, const PointIndexTree& points, const std::string& name,
               const std::vector<uint8_t>& member) {
    openvdb::points::appendGroup(tree, name);
    openvdb::tree::LeafManager<PointDataTree> leaves(tree);
    leaves.foreach ([&](PointDataTree::LeafNodeType& leaf, size_t) {
        const auto& indices = points.probeConstLeaf(leaf.origin())->indices();
        openvdb::points::GroupWriteHandle handle = leaf.groupWriteHandle(name);
        openvdb::Index at = 0;
        for (const auto& point : indices) handle.set(at++, member[point] != 0);
        handle.compact();
    });
}

void add_metadata(PointDataGrid& grid, const std::vector<Detail>& details, const std::vector<Column>& columns) {
    for (const Detail& detail : details) {
        const std::string key = reserved_vdb_key(detail.name) ? own_vdb_prefix + detail.name : detail.name;
        if (detail.kind == Detail::Kind::integer)
            grid.insertMeta(key, openvdb::Int64Metadata(detail.integer));
        else if (detail.kind == Detail::Kind::real)
            grid.insertMeta(key, openvdb::DoubleMetadata(detail.real));
        else
            grid.insertMeta(key, openvdb::StringMetadata(detail.text));
    }
    for (const Column& column : columns) {
        if (column.strings)
            grid.insertMeta(own_vdb_prefix + "strings:" + column.name,
                            openvdb::StringMetadata(joined_lines(*column.strings)));
        if (!column.meaning.empty())
            grid.insertMeta(own_vdb_prefix + "meaning:" + column.name, openvdb::StringMetadata(column.meaning));
    }
}

PointDataGrid::Ptr make_grid(const ParticleFile& file, bool small) {
    const auto transform = openvdb::math::Transform::createLinearTransform(voxel_size(file));
    const Positions positions(file.particles.position);
    const auto points = openvdb::tools::createPointIndexGrid<PointIndexGrid>(positions, *transform);
    sort_within_voxels(*points);
    using openvdb::points::createPointDataGrid;
    using openvdb::points::FixedPointCodec;
    using openvdb::points::NullCodec;
    const PointDataGrid::Ptr grid =
        small ? createPointDataGrid<FixedPointCodec<false>, PointDataGrid>(*points, positions, *transform)
              : createPointDataGrid<NullCodec, PointDataGrid>(*points, positions, *transform);
    grid->setName("points");
    // A point grid has an order of its own; with the ids the reader finds back to ours.
    std::vector<int64_t> numbers;
    std::vector<Column> columns = columns_of(file);
    if (file.particles.id.empty()) {
        numbers.resize(file.particles.count());
        for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
        Column id;
        id.name = "id";
        id.storage = Storage::int64;
        id.integers = numbers.data();
        columns.push_back(id);
    }
    for (const Column& column : columns)
        if (column.name != "P")
            add_column_to(grid->tree(), points->tree(), column, small && may_be_half(column, file.particles.count()));
    const std::vector<std::string> groups = group_names_of(file);
    for (size_t k = 0; k < groups.size(); ++k)
        add_group(grid->tree(), points->tree(), groups[k], file.groups[k].member);
    add_metadata(*grid, details_of(file), columns);
    return grid;
}

}  // namespace

void write_vdb_points(const std::string& path, const ParticleFile& file, bool small) {
    try {
        openvdb::initialize();
        write_vdb(path, {{make_grid(file, small)}, {}},
                  openvdb::io::COMPRESS_BLOSC | openvdb::io::COMPRESS_ACTIVE_MASK);
    } catch (const openvdb::Exception& error) {
        throw Error(path + ": can't be written: " + error.what());
    }
}

}  // namespace firn
