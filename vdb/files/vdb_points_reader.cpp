// Reads OpenVDB point grids. OpenVDB trusts what a file says, so it does that in a process of its own
// (grids/own_process.h), which hands the particles back as the bytes of a .bgeo.

#include <openvdb/openvdb.h>
#include <openvdb/points/AttributeArrayString.h>
#include <openvdb/points/AttributeGroup.h>
#include <openvdb/points/PointDataGrid.h>

#include <algorithm>
#include <cstring>
#include <istream>
#include <map>
#include <numeric>
#include <streambuf>
#include <vector>

#include "files/columns.h"
#include "files/formats.h"
#include "files/output.h"
#include "files/vdb_metadata.h"
#include "firn/error.h"
#include "firn/short_token.h"
#include "grids/own_process.h"
#include "grids/vdb_archive.h"

namespace firn {

namespace {

using openvdb::points::AttributeArray;
using openvdb::points::PointDataGrid;
using Leaf = PointDataGrid::TreeType::LeafNodeType;

/// A file in memory as a stream that can be sought in.
class MemoryBuffer : public std::streambuf {
public:
    MemoryBuffer(const uint8_t* bytes, size_t size) {
        char* begin = const_cast<char*>(reinterpret_cast<const char*>(bytes));  // never written to
        setg(begin, begin, begin + size);
    }

protected:
    pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
        const off_type start = from == std::ios_base::beg   ? 0
                               : from == std::ios_base::cur ? gptr() - eback()
                                                            : egptr() - eback();
        return seekpos(start + offset, std::ios_base::in);
    }
    pos_type seekpos(pos_type position, std::ios_base::openmode) override {
        if (off_type(position) < 0 || off_type(position) > egptr() - eback()) return pos_type(off_type(-1));
        setg(eback(), eback() + off_type(position), egptr());
        return position;
    }
};

/// A leaf with points, and where its points begin in the columns.
struct PlacedLeaf {
    const Leaf* leaf;
    size_t first, count;
};

/// Offsets within voxels -> metres.
void place(const PointDataGrid& grid, const PlacedLeaf& placed, float* positions) {
    size_t point = 0;
    for (openvdb::Index v = 0; v < Leaf::SIZE; ++v) {
        const openvdb::Coord voxel = placed.leaf->offsetToGlobalCoord(v);
        const size_t end = placed.leaf->getValue(v);
        if (end < point || end > placed.count) throw Error("it is damaged: a voxel has points that its leaf has not");
        for (; point < end; ++point) {
            float* p = positions + 3 * point;
            openvdb::Vec3d at;
            // A sum with zero would lose the sign of a negative zero.
            for (int axis = 0; axis < 3; ++axis)
                at[axis] = voxel[axis] == 0 ? double(p[axis]) : double(voxel[axis]) + double(p[axis]);
            const openvdb::Vec3d world = grid.indexToWorld(at);
            for (int axis = 0; axis < 3; ++axis) p[axis] = static_cast<float>(world[axis]);
        }
    }
}

/// The type of the numbers that a value consists of: of a Vec3f, float.
template <typename T, bool = std::is_arithmetic_v<T>>
struct NumberOf {
    using Type = T;
};
template <typename T>
struct NumberOf<T, false> {
    using Type = typename T::value_type;
};

template <typename Number>
constexpr Storage storage_of() {
    if (std::is_same_v<Number, float>) return Storage::float32;
    if (std::is_same_v<Number, double>) return Storage::float64;
    return sizeof(Number) == 8 ? Storage::int64 : Storage::int32;
}

class PointGridReader {
public:
    PointGridReader(const PointDataGrid& grid, const std::string& name) : grid_(grid), name_(name) {}

    ParticleFile read() {
        for (auto leaf = grid_.tree().cbeginLeaf(); leaf; ++leaf) {
            const size_t count = leaf->getLastValue();
            if (count > 0) leaves_.push_back({leaf.getLeaf(), count_, count});
            count_ += count;
        }
        read_metadata();
        if (!leaves_.empty())
            for (const auto& [name, position] : leaves_.front().leaf->attributeSet().descriptor().map())
                read_attribute(name);
        read_groups();
        finish_columns(file_, count_, name_ + ": ");
        restore_order();
        return std::move(file_);
    }

private:
    void read_metadata() {
        for (auto meta = grid_.beginMeta(); meta != grid_.endMeta(); ++meta) {
            const std::string& key = meta->first;
            const openvdb::Metadata* any = meta->second.get();
            std::string value;
            if (const auto* text = dynamic_cast<const openvdb::StringMetadata*>(any))
                value = text->value();
            else if (const auto* whole = dynamic_cast<const openvdb::Int64Metadata*>(any))
                value = text_of(whole->value());
            else if (const auto* narrow = dynamic_cast<const openvdb::Int32Metadata*>(any))
                value = text_of(int64_t{narrow->value()});
            else if (const auto* real = dynamic_cast<const openvdb::DoubleMetadata*>(any))
                value = text_of(real->value());
            else if (const auto* single = dynamic_cast<const openvdb::FloatMetadata*>(any))
                value = text_of(single->value());
            else if (const auto* toggle = dynamic_cast<const openvdb::BoolMetadata*>(any))
                value = toggle->value() ? "1" : "0";
            else
                continue;
            if (key.compare(0, own_vdb_prefix.size(), own_vdb_prefix) == 0) {
                const std::string own = key.substr(own_vdb_prefix.size());
                if (own.compare(0, 8, "strings:") == 0)
                    strings_[own.substr(8)] = value;
                else if (own.compare(0, 8, "meaning:") == 0)
                    meanings_[own.substr(8)] = value;
                else
                    file_.metadata[own] = value;
            } else if (!reserved_vdb_key(key)) {
                file_.metadata[key] = value;
            }
        }
    }

    const AttributeArray& array_of(const PlacedLeaf& placed, const std::string& name) const {
        const size_t position = placed.leaf->attributeSet().find(name);
        if (position == openvdb::points::AttributeSet::INVALID_POS)
            throw Error(name_ + ": is damaged: a leaf lacks attribute '" + short_token(name) + "'");
        return placed.leaf->constAttributeArray(position);
    }

    void read_attribute(const std::string& name) {
        using Read = void (PointGridReader::*)(const std::string&);
        static const std::map<std::string, Read> types = {
            {"bool", &PointGridReader::read_as<bool>},
            {"int8", &PointGridReader::read_as<int8_t>},
            {"int16", &PointGridReader::read_as<int16_t>},
            {"int32", &PointGridReader::read_as<int32_t>},
            {"int64", &PointGridReader::read_as<int64_t>},
            {"float", &PointGridReader::read_as<float>},
            {"double", &PointGridReader::read_as<double>},
            {"vec3i", &PointGridReader::read_as<openvdb::Vec3i>},
            {"vec3s", &PointGridReader::read_as<openvdb::Vec3f>},
            {"vec3d", &PointGridReader::read_as<openvdb::Vec3d>},
            {"quats", &PointGridReader::read_as<openvdb::Quats>},
            {"quatd", &PointGridReader::read_as<openvdb::Quatd>},
            {"mat3s", &PointGridReader::read_as<openvdb::Mat3s>},
            {"mat3d", &PointGridReader::read_as<openvdb::Mat3d>},
            {"mat4s", &PointGridReader::read_as<openvdb::Mat4s>},
            {"mat4d", &PointGridReader::read_as<openvdb::Mat4d>},
        };
        const AttributeArray& first = array_of(leaves_.front(), name);
        // Groups have their own arrays; OpenVDB's own kind of text is nothing that a particle needs.
        if (openvdb::points::isGroup(first) || openvdb::points::isString(first)) return;
        if (const auto type = types.find(first.valueType()); type != types.end()) (this->*type->second)(name);
    }

    template <typename T>
    void read_as(const std::string& name) {
        using Number = typename NumberOf<T>::Type;
        constexpr size_t parts = sizeof(T) / sizeof(Number);
        const openvdb::Index stride = array_of(leaves_.front(), name).stride();
        const size_t components = parts * stride;
        const auto meaning = meanings_.find(name);
        const ColumnSpace space = add_column(file_, name, meaning == meanings_.end() ? "" : meaning->second,
                                             storage_of<Number>(), static_cast<int>(components), count_);
        for (const PlacedLeaf& placed : leaves_) {
            const AttributeArray& array = array_of(placed, name);
            if (array.stride() != stride || array.size() != placed.count)
                throw Error(name_ + ": is damaged: attribute '" + short_token(name) +
                            "' changes its shape from leaf to leaf");
            const openvdb::points::AttributeHandle<T> handle(array);
            const auto fill = [&](auto* to) {
                to += placed.first * components;
                for (openvdb::Index i = 0; i < placed.count; ++i)
                    for (openvdb::Index s = 0; s < stride; ++s) {
                        const T value = handle.get(i, s);
                        Number from[parts];
                        std::memcpy(from, &value, sizeof value);
                        for (const Number number : from) *to++ = static_cast<std::decay_t<decltype(*to)>>(number);
                    }
            };
            if (space.floats)
                fill(space.floats);
            else if (space.doubles)
                fill(space.doubles);
            else if (space.integers)
                fill(space.integers);
            if (name == "P" && space.floats && components == 3) {
                place(grid_, placed, space.floats + 3 * placed.first);
                // "null" is the codec of whole floats.
                file_.rounded = file_.rounded || array.type().second != openvdb::points::NullCodec::name();
            }
        }
        if (const auto lines = strings_.find(name); lines != strings_.end()) attach_strings(name, lines->second);
    }

    void attach_strings(const std::string& name, const std::string& lines) {
        ExtraAttribute& extra = file_.extra.back();
        if (extra.name != name || extra.integers.empty()) return;
        extra.strings = split_lines(lines);
        const auto [low, high] = std::minmax_element(extra.integers.begin(), extra.integers.end());
        if (*low < -1 || *high >= static_cast<int64_t>(extra.strings.size()))
            throw Error(name_ + ": is damaged: attribute '" + short_token(name) + "' names a text that is not there");
    }

    void read_groups() {
        if (leaves_.empty()) return;
        for (const auto& [name, offset] : leaves_.front().leaf->attributeSet().descriptor().groupMap()) {
            PointGroup group{name, std::vector<uint8_t>(count_)};
            for (const PlacedLeaf& placed : leaves_) {
                const openvdb::points::GroupHandle members = placed.leaf->groupHandle(name);
                for (openvdb::Index i = 0; i < placed.count; ++i) group.member[placed.first + i] = members.get(i);
            }
            file_.groups.push_back(std::move(group));
        }
    }

    /// A point grid sorts by voxel; particles with ids go back into the order of their ids.
    void restore_order() {
        Particles& particles = file_.particles;
        if (particles.id.size() != particles.count() || std::is_sorted(particles.id.begin(), particles.id.end()))
            return;
        std::vector<size_t> order(particles.count());
        std::iota(order.begin(), order.end(), size_t{0});
        std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            return particles.id[a] != particles.id[b] ? particles.id[a] < particles.id[b] : a < b;
        });
        const auto sort = [&](auto* numbers, int components) {
            const size_t width = static_cast<size_t>(components);
            const std::vector<std::decay_t<decltype(*numbers)>> source(numbers, numbers + order.size() * width);
            for (size_t i = 0; i < order.size(); ++i)
                std::copy_n(source.data() + order[i] * width, width, numbers + i * width);
        };
        for (const ParticleArray& array : particle_arrays())
            if (float* numbers = array.data(particles)) sort(numbers, array.components);
        for (ExtraAttribute& extra : file_.extra) {
            if (!extra.floats.empty()) sort(extra.floats.data(), extra.components);
            if (!extra.doubles.empty()) sort(extra.doubles.data(), extra.components);
            if (!extra.integers.empty()) sort(extra.integers.data(), extra.components);
        }
        for (PointGroup& group : file_.groups) sort(group.member.data(), 1);
        sort(particles.id.data(), 1);
    }

    const PointDataGrid& grid_;
    const std::string& name_;
    std::vector<PlacedLeaf> leaves_;
    size_t count_ = 0;
    ParticleFile file_;
    std::map<std::string, std::string> strings_, meanings_;
};

ParticleFile read_unguarded(const std::string& name, const uint8_t* bytes, size_t size) {
    MemoryBuffer buffer(bytes, size);
    std::istream in(&buffer);
    const VdbFile file = read_vdb(in, name, PointDataGrid::gridType());
    std::string others;
    for (const openvdb::GridBase::Ptr& grid : file.grids) {
        if (const auto points = openvdb::gridPtrCast<PointDataGrid>(grid)) return PointGridReader(*points, name).read();
        others += (others.empty() ? ", only " : ", ") + short_token(grid->getName());
    }
    throw Error(name + ": no point grid in this file" + others.substr(0, 200));
}

}  // namespace

bool is_vdb(const uint8_t* bytes, size_t size) {
    const uint8_t magic[] = {0x20, 0x42, 0x44, 0x56, 0, 0, 0, 0};
    return size >= 4 && std::memcmp(bytes, magic, std::min(size, sizeof(magic))) == 0;
}

ParticleFile read_vdb_points(const std::string& name, const uint8_t* bytes, size_t size) {
    constexpr char exact = '=', rounded = '~';  // before the .bgeo
    const std::string answer = in_own_process(name, size, [&] {
        const ParticleFile file = read_unguarded(name, bytes, size);
        std::string text(1, file.rounded ? rounded : exact);
        Output output(text);
        write_bgeo(output, file);
        output.close();
        return text;
    });
    ParticleFile file = read_bgeo(name, reinterpret_cast<const uint8_t*>(answer.data()) + 1, answer.size() - 1);
    file.rounded = answer.front() == rounded;
    return file;
}

std::optional<uint64_t> vdb_points_count(const std::string& path) {
    const std::string counted = in_own_process(path, bytes_of_file(path), [&] {
        openvdb::initialize();
        // Attributes stay in the file until they are asked for.
        openvdb::io::File file(path);
        file.open();
        for (auto name = file.beginName(); name != file.endName(); ++name) {
            if (file.readGridMetadata(name.gridName())->type() != PointDataGrid::gridType()) continue;
            const auto grid = openvdb::gridPtrCast<PointDataGrid>(file.readGrid(name.gridName()));
            uint64_t count = 0;
            for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) count += leaf->pointCount();
            return std::to_string(count);
        }
        return std::string();
    });
    if (counted.empty()) return {};
    return std::stoull(counted);
}

}  // namespace firn
