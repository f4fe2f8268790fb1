// Counts of grids in .vdb files. A large grid is never in memory: its leaves are read where somebody looks, and their
// neighbourhood becomes triangles there.

#include <fcntl.h>
#include <openvdb/io/Archive.h>
#include <openvdb/io/Compression.h>
#include <openvdb/io/GridDescriptor.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <istream>
#include <map>
#include <optional>
#include <sstream>
#include <streambuf>

#include "firn/error.h"
#include "firn/grid_mesh.h"
#include "firn/scattered.h"
#include "samples/counting.h"
#include "samples/mesh_sketch.h"
#include "samples/surface_places.h"
#include "samples/vdb_grid.h"

namespace firn {

namespace {

constexpr openvdb::Index64 few_leaves = 6000;  ///< a grid of so many is read as a whole
constexpr size_t leaves_looked_at = 3000;      ///< to know a large one
constexpr size_t leaves_held = 20000;          ///< in memory at once
constexpr size_t leaves_near = 12000;          ///< of all boxes in which the surface is made, about
constexpr double leaves_below_layers = 20000;  ///< of all squares in which a layer is looked at, about
constexpr size_t most_boxes = 16, least_boxes = 3;

/// A file in which it costs little to go on by a few bytes: std::filebuf forgets all that it has read.
class FileBytes : public std::streambuf {
public:
    explicit FileBytes(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), buffer_(1 << 14) {
        if (file_ < 0) throw Error(path + ": can't be opened for reading");
    }
    ~FileBytes() override { ::close(file_); }
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

protected:
    int_type underflow() override {
        const off_t next = begin_ + (egptr() - eback());
        const ssize_t count = ::pread(file_, buffer_.data(), buffer_.size(), next);
        if (count <= 0) return traits_type::eof();
        begin_ = next;
        setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
        return traits_type::to_int_type(*gptr());
    }
    pos_type seekpos(pos_type to, std::ios_base::openmode) override {
        const off_t wanted = static_cast<off_t>(to);
        if (wanted < 0) return pos_type(off_type(-1));
        if (wanted >= begin_ && wanted <= begin_ + (egptr() - eback())) {
            setg(eback(), eback() + (wanted - begin_), egptr());
        } else {
            begin_ = wanted;
            setg(buffer_.data(), buffer_.data(), buffer_.data());
        }
        return to;
    }
    pos_type seekoff(off_type by, std::ios_base::seekdir from, std::ios_base::openmode mode) override {
        if (from == std::ios_base::cur) return seekpos(begin_ + (gptr() - eback()) + by, mode);
        if (from == std::ios_base::beg) return seekpos(by, mode);
        return seekpos(::lseek(file_, by, SEEK_END), mode);
    }

private:
    int file_;
    std::vector<char> buffer_;
    off_t begin_ = 0;  ///< in the file, of the buffer
};

/// A file's tree without the values of its leaves, and where these are in the file.
class LeafArchive : public openvdb::io::Archive {
public:
    explicit LeafArchive(const std::string& path) : bytes_(path), in_(&bytes_) {
        in_.exceptions(std::ios::failbit | std::ios::badbit | std::ios::eofbit);
    }

    /// `name` as a file's list has it, with a number where several grids, or none, have that name. Nothing for a grid
    /// that shares its tree with another, and for what former versions of OpenVDB wrote.
    openvdb::GridBase::Ptr read_topology(const std::string& name) {
        const std::string unique_name = openvdb::io::GridDescriptor::stringAsUniqueName(name);
        openvdb::io::setStreamMetadataPtr(in_, tags_, /*transfer=*/false);
        readHeader(in_);
        tags_->setFileVersion(fileVersion());
        tags_->setLibraryVersion(libraryVersion());
        tags_->setCompression(compression());
        tags_->setSeekable(true);
        setFormatVersion(in_);
        setLibraryVersion(in_);
        setDataCompression(in_);
        if (!inputHasGridOffsets() || fileVersion() < openvdb::OPENVDB_FILE_VERSION_NODE_MASK_COMPRESSION) return {};
        openvdb::MetaMap().readMeta(in_);
        const int32_t count = readGridCount(in_);
        for (int32_t k = 0; k < count; ++k) {
            openvdb::io::GridDescriptor descriptor;
            const openvdb::GridBase::Ptr grid = descriptor.read(in_);
            if (!grid) return {};
            if (descriptor.uniqueName() != unique_name) {
                descriptor.seekToEnd(in_);
                continue;
            }
            if (descriptor.isInstance()) return {};
            descriptor.seekToGrid(in_);
            readGridCompression(in_);
            grid->readMeta(in_);
            openvdb::io::setGridClass(in_, grid->getGridClass());
            grid->readTransform(in_);
            grid->readTopology(in_);
            grid->setName(descriptor.gridName());
            return grid;
        }
        return {};
    }
    std::istream& stream() { return in_; }

private:
    FileBytes bytes_;
    std::istream in_;
    openvdb::io::StreamMetadata::Ptr tags_{new openvdb::io::StreamMetadata};
};

/// Meshes, one after the other, as they are made.
class MeshesAsMade : public TriangleSource {
public:
    using Add = std::function<void(const Mesh&)>;
    explicit MeshesAsMade(std::function<void(const Add&)> make) : make_(std::move(make)) {}
    void for_each(const Visit& visit) override {
        make_([&](const Mesh& mesh) { MeshTriangles(mesh).for_each(visit); });
    }

private:
    std::function<void(const Add&)> make_;
};

/// Squares that a box is cut into, seen from above.
class Squares {
public:
    /// `width`: m, or wider where there would be many more than `most`.
    Squares(const Extent& box, double width, size_t most) : low_(wide(box.low)), width_(width) {
        const double x = double(box.high.x) - box.low.x, z = double(box.high.z) - box.low.z;
        width_ = std::max(width_, std::sqrt(x * z / (16.0 * static_cast<double>(most))));
        columns_ = static_cast<size_t>(x / width_) + 1;
        rows_ = static_cast<size_t>(z / width_) + 1;
    }
    size_t count() const { return columns_ * rows_; }
    double width() const { return width_; }
    double low_x(size_t square) const { return low_.x + width_ * static_cast<double>(square % columns_); }
    double low_z(size_t square) const { return low_.z + width_ * static_cast<double>(square / columns_); }
    /// Those that have more than an edge in common with the box.
    template <class Visit>
    void for_each_under(const Extent& box, const Visit& visit) const {
        const auto range = [&](double low, double high, size_t squares) {
            constexpr double edge = 1e-3;
            const auto within = [&](double at) {
                return static_cast<size_t>(std::clamp(at / width_, 0.0, static_cast<double>(squares - 1)));
            };
            return std::pair<size_t, size_t>(within(low + edge * width_), within(high - edge * width_));
        };
        const auto [left, right] = range(box.low.x - low_.x, box.high.x - low_.x, columns_);
        const auto [back, front] = range(box.low.z - low_.z, box.high.z - low_.z, rows_);
        for (size_t row = back; row <= front; ++row)
            for (size_t column = left; column <= right; ++column) visit(row * columns_ + column);
    }

private:
    Vec3 low_;
    double width_;
    size_t columns_ = 1, rows_ = 1;
};

template <class Grid>
class LargeGrid {
public:
    using Tree = typename Grid::TreeType;
    using Leaf = typename Tree::LeafNodeType;
    using Value = typename Grid::ValueType;

    LargeGrid(LeafArchive& archive, typename Grid::Ptr grid, const std::string& what)
        : archive_(archive), grid_(std::move(grid)), values_(grid_->getConstAccessor()), what_(what) {
        leaves_.reserve(grid_->tree().leafCount());
        for (auto leaf = grid_->tree().beginLeaf(); leaf; ++leaf) {
            leaf->setTransientData(static_cast<openvdb::Index32>(leaves_.size()));
            leaves_.push_back({&*leaf, 0, false});
        }
        find_places();
        find_surface();
        look();
    }

    const MeshFacts& facts() const { return facts_; }
    size_t leaf_count() const { return leaves_.size(); }

    /// Places on the surface, in equal parts of its area.
    std::vector<SurfacePlace> places(size_t count) const {
        return scattered_places(seen_.drawn, seen_.facts.area, count);
    }
    Vec3 normal(const SurfacePlace& place) const {
        const auto& [a, b, c] = seen_.drawn.triangles[place.triangle];
        const Vec3 at = wide(seen_.drawn.points[a]);
        return unit(cross(wide(seen_.drawn.points[b]) - at, wide(seen_.drawn.points[c]) - at));
    }
    /// How many leaves a box of this width holds that has its middle on the surface.
    double leaves_in(double width) const {
        const double share = std::min(1.0, 2 * width * width / std::max(facts_.area, 1e-300));
        return static_cast<double>(leaves_.size()) * share;
    }

    bool inside(const Vec3& world) {
        const openvdb::Vec3d at = grid_->transform().worldToIndex(openvdb::Vec3d(world.x, world.y, world.z));
        return distance(value(openvdb::Coord::round(at))) < 0;
    }

    /// The surface in a box, m, and a bit more.
    Mesh near(const Vec3& low, const Vec3& high) {
        const openvdb::CoordBBox box = grid_->transform().worldToIndexNodeCentered(
            openvdb::BBoxd({low.x, low.y, low.z}, {high.x, high.y, high.z}));
        Mesh mesh;
        for (const Stored& stored : leaves_) {
            openvdb::CoordBBox cells = stored.leaf->getNodeBoundingBox();
            cells.max().offset(1);
            if (box.hasOverlap(cells)) add_surface(*stored.leaf, mesh);
        }
        return mesh;
    }

    /// How thick the snow is below places of the surface, in spacings, up to `reach`.
    std::vector<double> thicknesses(double spacing, double reach) {
        const double voxel = grid_->voxelSize().x();
        std::vector<double> thick;
        for (const SurfacePlace& place : places(128)) {
            const auto& [a, b, c] = seen_.drawn.triangles[place.triangle];
            // What was drawn was made larger about its middle, which is still on the surface.
            const std::vector<Float3>& points = seen_.drawn.points;
            const Vec3 from = 1.0 / 3 * (wide(points[a]) + wide(points[b]) + wide(points[c])),
                       along = -1.0 * normal(place);
            double t = 0.75 * voxel;
            while (t < reach * spacing && inside(from + t * along)) t += 0.5 * voxel;
            thick.push_back(std::min(reach, t / spacing));
        }
        return thick;
    }

    /// Of the surface, scaled and then placed.
    Extent bounds(float scale, const Transform& placed) const {
        Extent all;
        for (const Float3& p : seen_.as_they_are.mesh.points) all.add(placed_at(p, scale, placed));
        return all;
    }
    /// m^2, seen from above, on which a layer stays when the surface is scaled and then placed; from squares about as
    /// wide as a leaf, of which some are looked at. `bounds`: of the whole.
    double covered(float scale, const Transform& placed, const Extent& bounds) {
        const Squares squares(bounds, leaf_width(scale), leaves_.size());
        const auto for_each_square = [&](const Stored& stored, const auto& visit) {
            Extent around;
            for (const Float3& corner : corners(*stored.leaf)) around.add(placed_at(corner, scale, placed));
            squares.for_each_under(around, [&](size_t square) { visit(square, around.high.y); });
        };
        std::vector<uint8_t> below(squares.count(), 0);
        double pairs = 0;
        for (const Stored& stored : leaves_)
            for_each_square(stored, [&](size_t square, float) {
                below[square] = 1;
                ++pairs;
            });
        // One of every so many, at a place of chance among them.
        const double with_leaves = static_cast<double>(std::count(below.begin(), below.end(), 1));
        const size_t stride = static_cast<size_t>(std::max(1.0, pairs / leaves_below_layers));
        struct Below {
            float top;  ///< m
            const Leaf* leaf;
        };
        std::map<size_t, std::vector<Below>> chosen;
        size_t number = 0;
        for (size_t square = 0; square < below.size(); ++square) {
            if (!below[square]) continue;
            if (number % stride == scattered(number / stride, 13) % stride) chosen[square];
            ++number;
        }
        for (const Stored& stored : leaves_)
            for_each_square(stored, [&](size_t square, float top) {
                if (const auto found = chosen.find(square); found != chosen.end())
                    found->second.push_back({top, stored.leaf});
            });
        double share = 0;
        for (auto& [square, some] : chosen) {
            std::sort(some.begin(), some.end(), [](const Below& a, const Below& b) { return a.top > b.top; });
            auto next = some.begin();
            const auto next_from_above = [&, end = some.end()](float lowest, Mesh& part) {
                if (next == end || next->top < lowest) return false;
                add_surface(*next++->leaf, part);
                for (Float3& p : part.points) p = placed_at(p, scale, placed);
                return true;
            };
            share += share_covered(squares.low_x(square), squares.low_z(square), squares.width(), next_from_above);
        }
        return share / static_cast<double>(chosen.size()) * with_leaves * squares.width() * squares.width();
    }

private:
    static Float3 placed_at(const Float3& p, float scale, const Transform& placed) {
        return apply_transform(placed, narrow(double(scale) * wide(p)));
    }
    /// m, of what lies between the voxels of a leaf, and between its last and their neighbours.
    std::array<Float3, 8> corners(const Leaf& leaf) const {
        std::array<Float3, 8> world;
        for (int n = 0; n < 8; ++n) {
            const openvdb::Coord at =
                leaf.origin().offsetBy(n & 1 ? Leaf::DIM : 0, n & 2 ? Leaf::DIM : 0, n & 4 ? Leaf::DIM : 0);
            const openvdb::Vec3d p = grid_->constTransform().indexToWorld(at.asVec3d());
            world[static_cast<size_t>(n)] = narrow({p.x(), p.y(), p.z()});
        }
        return world;
    }
    double leaf_width(float scale) const { return std::abs(double(scale)) * Leaf::DIM * grid_->voxelSize().x(); }

    struct Stored {
        Leaf* leaf;
        std::streamoff at;  ///< in the file
        /// Its values are in memory. The leaf can't tell: when an accessor comes to a leaf without values, it asks for
        /// buffer().data(), which allocates them without setting them, and from then on buffer().empty() is false.
        bool held;
    };

    void find_places() {
        std::istream& in = archive_.stream();
        const bool half = grid_->saveFloatAsHalf();
        for (Stored& stored : leaves_) {
            stored.at = in.tellg();
            in.seekg(static_cast<std::streamoff>(stored.leaf->getValueMask().memUsage()), std::ios::cur);
            openvdb::io::readCompressedValues(in, static_cast<Value*>(nullptr), Leaf::SIZE, stored.leaf->getValueMask(),
                                              half);
        }
    }

    /// With its values.
    const Leaf& loaded(const Leaf* leaf) {
        Stored& stored = leaves_[leaf->transientData()];
        if (stored.held) return *leaf;
        if (held_.size() >= leaves_held) {
            for (Stored* other : held_) forget(*other);
            held_.clear();
        }
        archive_.stream().seekg(stored.at);
        stored.leaf->readBuffers(archive_.stream(), grid_->saveFloatAsHalf());
        stored.held = true;
        held_.push_back(&stored);
        return *leaf;
    }
    static void forget(Stored& stored) {
        typename Leaf::Buffer none(openvdb::PartialCreate(), Value(0));
        // The accessor may keep the address of what is freed here. It uses it in getValue() of a place in that leaf
        // only, and value() asks that of places without a leaf only.
        stored.leaf->swap(none);
        stored.held = false;
    }

    Value value(const openvdb::Coord& at) {
        const Leaf* leaf = values_.probeConstLeaf(at);
        return leaf ? loaded(leaf).getValue(at) : values_.getValue(at);
    }
    /// From the surface, negative inside; in whatever unit the values have.
    double distance(Value value) const { return level_set_ ? double(value) - level_ : level_ - double(value); }

    /// Whether it is a level set; and of a fog the value of its surface, half of the largest.
    void find_surface() {
        const size_t step = std::max<size_t>(1, leaves_.size() / leaves_looked_at);
        double least = double(grid_->background()), most = least;
        const auto see = [&](Value v) {
            if (!std::isfinite(double(v))) throw Error(what_ + " holds values that are not finite");
            least = std::min(least, double(v));
            most = std::max(most, double(v));
        };
        for (size_t k = 0; k < leaves_.size(); k += step)
            for (auto at = loaded(leaves_[k].leaf).cbeginValueOn(); at; ++at) see(*at);
        auto tile = grid_->cbeginValueOn();
        tile.setMaxDepth(tile.getLeafDepth() - 1);
        for (; tile; ++tile) see(*tile);
        level_set_ = grid_->getGridClass() == openvdb::GRID_LEVEL_SET || least < 0;
        level_ = level_set_ ? 0 : 0.5 * most;
    }

    /// Facts and places of the surface, from some of the leaves.
    void look() {
        const size_t count = std::min(leaves_.size(), leaves_looked_at);
        double inside_voxels = 0;
        MeshesAsMade surface([&](const MeshesAsMade::Add& add) {
            for (size_t k = 0; k < count; ++k) {
                // One in each of as many parts of the tree, which keeps together what is near.
                const double begin = double(k) * double(leaves_.size()) / double(count),
                             part = double(leaves_.size()) / double(count);
                const size_t chosen =
                    std::min(leaves_.size() - 1, static_cast<size_t>(begin + scattered_unit(k, 7) * part));
                const Leaf& leaf = loaded(leaves_[chosen].leaf);
                for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) inside_voxels += distance(leaf.getValue(i)) < 0;
                Mesh made;
                add_surface(leaf, made);
                add(made);
            }
        });
        seen_ = sketch(surface);
        const double each_stands_for = double(leaves_.size()) / double(count);
        inside_voxels *= each_stands_for;
        // Blocks of one value, without leaves.
        auto tile = grid_->tree().cbeginValueAll();
        tile.setMaxDepth(tile.getLeafDepth() - 1);
        for (; tile; ++tile)
            if (tile.getDepth() > 0 && distance(*tile) < 0) inside_voxels += double(tile.getVoxelCount());
        if (!(seen_.facts.area > 0)) throw Error(what_ + " has no surface");
        facts_.closed = true;
        facts_.area = seen_.facts.area * each_stands_for;
        facts_.volume = inside_voxels * std::abs(grid_->constTransform().voxelVolume());
        find_bounds();
    }
    void find_bounds() {
        openvdb::CoordBBox active;
        grid_->tree().evalActiveVoxelBoundingBox(active);
        // A level set knows distances on both sides of its surface.
        const double aside = level_set_ ? std::abs(double(grid_->background())) / grid_->voxelSize().x() : 0;
        const openvdb::BBoxd box = grid_->transform().indexToWorld(openvdb::BBoxd(
            active.min().asVec3d() + openvdb::Vec3d(aside), active.max().asVec3d() - openvdb::Vec3d(aside)));
        facts_.low = narrow({box.min().x(), box.min().y(), box.min().z()});
        facts_.high = narrow({box.max().x(), box.max().y(), box.max().z()});
    }

    /// What of the surface passes between the voxels of a leaf, and between its last and their neighbours.
    void add_surface(const Leaf& leaf, Mesh& mesh) {
        constexpr int wide_ = Leaf::DIM + 1;
        const openvdb::Coord origin = leaf.origin();
        double at[wide_][wide_][wide_];
        bool any_inside = false, any_outside = false;
        for (int i = 0; i < wide_; ++i) {
            for (int j = 0; j < wide_; ++j) {
                for (int k = 0; k < wide_; ++k) {
                    const openvdb::Coord here = origin.offsetBy(i, j, k);
                    const bool own = i < wide_ - 1 && j < wide_ - 1 && k < wide_ - 1;
                    const double d = distance(own ? loaded(&leaf).getValue(here) : value(here));
                    at[i][j][k] = d;
                    (d < 0 ? any_inside : any_outside) = true;
                }
            }
        }
        if (!any_inside || !any_outside) return;
        for (int i = 0; i + 1 < wide_; ++i) {
            for (int j = 0; j + 1 < wide_; ++j) {
                for (int k = 0; k + 1 < wide_; ++k) {
                    Corner corner[8];
                    int inside_count = 0;
                    for (int n = 0; n < 8; ++n) {
                        const int x = i + (n & 1), y = j + (n >> 1 & 1), z = k + (n >> 2);
                        corner[n] = {{double(origin.x() + x), double(origin.y() + y), double(origin.z() + z)},
                                     at[x][y][z]};
                        inside_count += corner[n].distance < 0;
                    }
                    if (inside_count == 0 || inside_count == 8) continue;
                    // Six tetrahedra about the diagonal from 0 to 7, which fit those of the cells around.
                    constexpr int path[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
                    for (const auto& [first, second] : path)
                        add_tetrahedron({corner[0], corner[first], corner[second], corner[7]}, mesh);
                }
            }
        }
    }
    struct Corner {
        Vec3 index;
        double distance;
    };
    void add_tetrahedron(const std::array<Corner, 4>& corner, Mesh& mesh) {
        std::array<const Corner*, 4> in{}, out{};
        size_t ins = 0, outs = 0;
        for (const Corner& c : corner) (c.distance < 0 ? in[ins++] : out[outs++]) = &c;
        if (ins == 0 || outs == 0) return;
        const auto between = [](const Corner& a, const Corner& b) {
            return a.index + a.distance / (a.distance - b.distance) * (b.index - a.index);
        };
        if (ins == 2) {
            const Vec3 p[4] = {between(*in[0], *out[0]), between(*in[0], *out[1]), between(*in[1], *out[1]),
                               between(*in[1], *out[0])};
            add_triangle(p[0], p[1], p[2], *in[0], mesh);
            add_triangle(p[0], p[2], p[3], *in[0], mesh);
        } else {
            const Corner& lone = ins == 1 ? *in[0] : *out[0];
            const auto& others = ins == 1 ? out : in;
            add_triangle(between(lone, *others[0]), between(lone, *others[1]), between(lone, *others[2]), *in[0], mesh);
        }
    }
    /// Facing away from a corner inside.
    void add_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Corner& inside_corner, Mesh& mesh) const {
        const auto world = [&](const Vec3& index) {
            const openvdb::Vec3d p = grid_->constTransform().indexToWorld(openvdb::Vec3d(index.x, index.y, index.z));
            return Vec3{p.x(), p.y(), p.z()};
        };
        const Vec3 p = world(a), q = world(b), r = world(c);
        const bool turned = dot(cross(q - p, r - p), world(inside_corner.index) - p) > 0;
        const uint32_t first = static_cast<uint32_t>(mesh.points.size());
        for (const Vec3& corner : {p, turned ? r : q, turned ? q : r}) mesh.points.push_back(narrow(corner));
        mesh.triangles.push_back({first, first + 1, first + 2});
    }

    LeafArchive& archive_;
    typename Grid::Ptr grid_;
    openvdb::tree::ValueAccessor<const Tree> values_;
    std::string what_;
    std::vector<Stored> leaves_;  ///< in the order of the file; a leaf's transient data is its number
    std::vector<Stored*> held_;
    bool level_set_ = false;
    double level_ = 0;
    MeshFacts facts_;
    MeshSketch seen_;  ///< of the leaves that were looked at
};

/// On its way from one process to the other. Errors of counting don't begin with the file's name: they are an answer
/// too.
std::string bytes_of(const Count& count) {
    std::ostringstream out;
    out.precision(17);
    out << count.particles << ' ' << count.exact << ' ' << count.bytes;
    for (const Float3& p : {count.low, count.high}) out << ' ' << p.x << ' ' << p.y << ' ' << p.z;
    out << '\n';
    for (const std::string& warning : count.warnings) out << 'w' << warning << '\n';
    for (const std::string& note : count.notes) out << 'n' << note << '\n';
    return "c" + out.str();
}
Count count_of(const std::string& bytes, const std::string& path) {
    if (!bytes.empty() && bytes[0] == 'e') throw Error(bytes.substr(1));
    std::istringstream in(bytes.empty() ? "" : bytes.substr(1));
    Count count;
    in >> count.particles >> count.exact >> count.bytes;
    for (Float3* p : {&count.low, &count.high}) in >> p->x >> p->y >> p->z;
    if (!in) throw Error(path + ": is damaged: OpenVDB could not count it; write it again");
    in.ignore();
    for (std::string line; std::getline(in, line);)
        if (!line.empty()) (line[0] == 'w' ? count.warnings : count.notes).push_back(line.substr(1));
    return count;
}

/// `whole` counts with a mesh, `large` with a LargeGrid.
template <class Whole, class Large>
Count count_vdb(const std::string& path, const std::string& name, const Whole& whole, const Large& large) {
    const auto counted = [&](const auto& make) {
        try {
            return bytes_of(make());
        } catch (const Error& error) {
            return "e" + std::string(error.what());
        }
    };
    const auto work = [&] {
        openvdb::io::File file(path);
        file.open();
        const std::string chosen = surface_grid_name(file, name);
        LeafArchive archive(path);
        const openvdb::GridBase::Ptr topology = archive.read_topology(chosen);
        const auto counted_large = [&](auto&& grid) {
            return counted([&] {
                Count count = large(grid);
                count.notes.push_back(path + ": counted from " + std::to_string(leaves_looked_at) + " of its " +
                                      std::to_string(grid.leaf_count()) + " leaves, and from more in some places");
                return count;
            });
        };
        const auto is_large = [](const auto& grid) { return grid && grid->tree().leafCount() > few_leaves; };
        const auto floats = openvdb::gridPtrCast<openvdb::FloatGrid>(topology);
        const auto doubles = openvdb::gridPtrCast<openvdb::DoubleGrid>(topology);
        if (is_large(floats)) {
            return counted_large(LargeGrid<openvdb::FloatGrid>(archive, floats, grid_in(path, *floats)));
        }
        if (is_large(doubles)) {
            return counted_large(LargeGrid<openvdb::DoubleGrid>(archive, doubles, grid_in(path, *doubles)));
        }
        const openvdb::GridBase::Ptr grid = file.readGrid(chosen);
        const Mesh mesh = grid_mesh(*grid, grid_in(path, *grid));
        return counted([&] { return whole(mesh); });
    };
    return count_of(made_of_vdb(path, work), path);
}

}  // namespace

Count count_vdb_surface(const std::string& path, const std::string& name, const SurfaceSettings& settings,
                        double probes) {
    return count_vdb(
        path, name, [&](const Mesh& mesh) { return count_surface(mesh, settings, probes); },
        [&](auto& grid) {
            const double boxes = double(leaves_near) / grid.leaves_in(near_width(settings));
            std::vector<Vec3> middles;
            for (const SurfacePlace& place :
                 grid.places(static_cast<size_t>(std::clamp(boxes, double(least_boxes), double(most_boxes)))))
                middles.push_back(place.position);
            return count_surface_near(grid.facts(), settings, middles,
                                      [&](const Vec3& low, const Vec3& high) { return grid.near(low, high); });
        });
}

Count count_vdb_filling(const std::string& path, const std::string& name, const FillSettings& settings) {
    return count_vdb(
        path, name, [&](const Mesh& mesh) { return count_filling(mesh, settings); },
        [&](auto& grid) {
            return count_filling_of(
                grid.facts(), settings, [&](const Vec3& at) { return grid.inside(at); },
                [&](double reach) { return grid.thicknesses(settings.spacing, reach); });
        });
}

Count count_vdb_layer(const std::string& path, const std::string& name, float scale, const Transform& placed,
                      float thickness, const FillSettings& settings) {
    return count_vdb(
        path, name,
        [&](const Mesh& mesh) { return count_layer(transformed(mesh, placed, scale), thickness, settings); },
        [&](auto& grid) {
            const Extent bounds = grid.bounds(scale, placed);
            MeshFacts ground;
            ground.low = bounds.low;
            ground.high = bounds.high;
            return count_layer_of(ground, thickness, settings, [&] { return grid.covered(scale, placed, bounds); });
        });
}

}  // namespace firn
