// Reads OpenVDB point grids without OpenVDB, whose reader trusts what a file says: here every count and offset is
// checked against the bytes that are there. The layout is that of OpenVDB 4 to 12 (file version 224 and up), as its
// PointDataGrid writes it: the tree's topology, then several passes over the leaves (voxel sizes, descriptors, sizes of
// attribute pages, voxel ends, attribute pages).

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "files/blosc_block.h"
#include "files/byte_cursor.h"
#include "files/columns.h"
#include "files/formats.h"
#include "files/half.h"
#include "files/vdb_metadata.h"
#include "firn/error.h"

namespace firn {

namespace {

constexpr uint32_t voxels_per_leaf = 512;
const char* const point_grid_type = "Tree_ptdataidx32_5_4_3";

enum Compression : uint32_t { zip = 1, active_mask = 2, blosc = 4 };
enum Serialization : uint8_t { strided = 1, uniform = 2, paged = 8 };

/// How one number of an attribute is stored.
enum class Stored { none, u8, i8, i16, i32, u32, i64, f16, f32, f64, unit8, unit16, centred8, centred16 };

struct AttributeType {
    Stored stored = Stored::none;  ///< none = passed over
    int components = 1;            ///< of one value
    Storage storage = Storage::float32;
};

size_t bytes_of(Stored stored) {
    switch (stored) {
        case Stored::u8:
        case Stored::i8:
        case Stored::unit8:
        case Stored::centred8:
            return 1;
        case Stored::i16:
        case Stored::f16:
        case Stored::unit16:
        case Stored::centred16:
            return 2;
        case Stored::i32:
        case Stored::u32:
        case Stored::f32:
            return 4;
        case Stored::i64:
        case Stored::f64:
            return 8;
        case Stored::none:
            break;
    }
    return 0;
}

AttributeType attribute_type(const std::string& type, const std::string& codec) {
    struct Row {
        const char* name;
        Stored stored;
        int components;
        Storage storage;
    };
    static const Row rows[] = {
        {"bool", Stored::u8, 1, Storage::int32},      {"int8", Stored::i8, 1, Storage::int32},
        {"uint8", Stored::u8, 1, Storage::int32},     {"int16", Stored::i16, 1, Storage::int32},
        {"int32", Stored::i32, 1, Storage::int32},    {"uint32", Stored::u32, 1, Storage::int64},
        {"int64", Stored::i64, 1, Storage::int64},    {"half", Stored::f16, 1, Storage::float32},
        {"float", Stored::f32, 1, Storage::float32},  {"double", Stored::f64, 1, Storage::float64},
        {"vec3i", Stored::i32, 3, Storage::int32},    {"vec3s", Stored::f32, 3, Storage::float32},
        {"vec3d", Stored::f64, 3, Storage::float64},  {"quats", Stored::f32, 4, Storage::float32},
        {"quatd", Stored::f64, 4, Storage::float64},  {"mat3s", Stored::f32, 9, Storage::float32},
        {"mat3d", Stored::f64, 9, Storage::float64},  {"mat4s", Stored::f32, 16, Storage::float32},
        {"mat4d", Stored::f64, 16, Storage::float64},
    };
    for (const Row& row : rows) {
        if (type != row.name) continue;
        AttributeType result{row.stored, row.components, row.storage};
        if (codec == "null") return result;
        if (row.stored != Stored::f32) return {};
        if (codec == "trnc")
            result.stored = Stored::f16;
        else if (codec == "fxpt8")
            result.stored = Stored::centred8;
        else if (codec == "fxpt16")
            result.stored = Stored::centred16;
        else if (codec == "ufxpt8")
            result.stored = Stored::unit8;
        else if (codec == "ufxpt16")
            result.stored = Stored::unit16;
        else
            return {};
        return result;
    }
    return {};
}

/// One stored number as T. Fixed-point numbers span 0 to 1, or -0.5 to 0.5.
template <typename T>
T number(Stored stored, const uint8_t* from) {
    const auto as = [&](auto value) {
        std::memcpy(&value, from, sizeof(value));
        return value;
    };
    switch (stored) {
        case Stored::u8:
            return static_cast<T>(as(uint8_t()));
        case Stored::i8:
            return static_cast<T>(as(int8_t()));
        case Stored::i16:
            return static_cast<T>(as(int16_t()));
        case Stored::i32:
            return static_cast<T>(as(int32_t()));
        case Stored::u32:
            return static_cast<T>(as(uint32_t()));
        case Stored::i64:
            return static_cast<T>(as(int64_t()));
        default:
            break;
    }
    // The rest are reals, and reals have columns of reals.
    if constexpr (std::is_floating_point_v<T>) {
        switch (stored) {
            case Stored::f16:
                return static_cast<T>(half_to_float(as(uint16_t())));
            case Stored::f32:
                return static_cast<T>(as(float()));
            case Stored::f64:
                return static_cast<T>(as(double()));
            case Stored::unit8:
                return static_cast<T>(as(uint8_t()) / 255.0f);
            case Stored::unit16:
                return static_cast<T>(as(uint16_t()) / 65535.0f);
            case Stored::centred8:
                return static_cast<T>(as(uint8_t()) / 255.0f - 0.5f);
            case Stored::centred16:
                return static_cast<T>(as(uint16_t()) / 65535.0f - 0.5f);
            default:
                break;
        }
    }
    return T(0);
}

struct Placement {
    double matrix[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};  ///< of row vectors; the last row is added
    bool diagonal = true;
};

struct Descriptor {
    std::vector<std::string> names;
    std::vector<AttributeType> types;
};

/// An attribute of one leaf.
struct Array {
    uint64_t bytes = 0;
    uint32_t size = 0, stride = 1;
    uint8_t serialization = 0;
    uint32_t page = 0, page_offset = 0;
};

struct Leaf {
    int32_t origin[3] = {0, 0, 0};
    uint32_t descriptor = 0, points = 0;
    uint64_t first_point = 0;
    std::vector<Array> arrays;
};

struct Page {
    int32_t packed = 0, unpacked = 0;  ///< packed < 0: not compressed
};

class PointGridReader : ByteCursor {
public:
    PointGridReader(const std::string& name, const uint8_t* bytes, size_t size)
        : ByteCursor(bytes, size, name), budget_(size) {}

    ParticleFile read() {
        find_grid();
        compression_ = value<uint32_t>();
        if (compression_ > 7) fail(offset_ - 4, "unknown compression " + std::to_string(compression_));
        read_metadata(true);
        read_placement();
        read_topology();
        read_leaves();
        finish_columns(file_, static_cast<size_t>(point_count_), name_ + ": ");
        restore_order();
        return std::move(file_);
    }

private:
    // Bytes.

    template <typename T>
    T value() {
        T result;
        std::memcpy(&result, take(sizeof(T)), sizeof(T));
        return result;
    }
    std::string text() {
        const uint32_t length = value<uint32_t>();
        const uint8_t* begin = take(length);
        return {begin, begin + length};
    }
    void charge(uint64_t count, uint64_t bytes) {
        if (!budget_.take(count, 1, bytes))
            fail(offset_, "this would need far more memory than the file has: it is damaged");
    }

    // The archive.

    void find_grid() {
        take(8);  // is_vdb() has seen them
        const uint32_t version = value<uint32_t>();
        if (version < 224)
            fail(8, "file version " + std::to_string(version) + " of OpenVDB has no points; 224 and later are read");
        take(8);  // of the library
        const bool offsets = value<uint8_t>() != 0;
        take(36);  // a unique name
        read_metadata(false);
        const uint32_t grids = value<uint32_t>();
        std::string found;
        for (uint32_t i = 0; i < grids; ++i) {
            const std::string name = text(), type = text(), parent = text();
            const int64_t begin = value<int64_t>();
            take(8);
            const int64_t end = value<int64_t>();
            if (type.compare(0, std::strlen(point_grid_type), point_grid_type) == 0 && parent.empty()) {
                if (offsets) {
                    if (begin < static_cast<int64_t>(offset_) || static_cast<uint64_t>(begin) > size_)
                        fail(offset_ - 24, "grid '" + name + "' can't begin at byte " + std::to_string(begin));
                    offset_ = static_cast<size_t>(begin);
                }
                return;
            }
            found += (found.empty() ? "" : ", ") + name.substr(0, 40);
            if (!offsets) break;  // only reading it tells where it ends
            if (end < static_cast<int64_t>(offset_) || static_cast<uint64_t>(end) > size_)
                fail(offset_ - 8, "grid '" + name.substr(0, 40) + "' can't end at byte " + std::to_string(end));
            offset_ = static_cast<size_t>(end);
        }
        fail(offset_, "no point grid in this file" + (found.empty() ? "" : ", only " + found.substr(0, 200)));
    }

    void read_metadata(bool keep) {
        const uint32_t count = value<uint32_t>();
        for (uint32_t i = 0; i < count; ++i) {
            const std::string key = text(), type = text();
            const uint32_t length = value<uint32_t>();
            const uint8_t* begin = take(length);
            if (keep) keep_metadata(key, type, begin, length);
        }
    }

    void keep_metadata(const std::string& key, const std::string& type, const uint8_t* begin, uint32_t length) {
        const auto is = [&](const char* name, size_t size) { return type == name && length == size; };
        const auto as = [&](auto number) {
            std::memcpy(&number, begin, sizeof(number));
            return number;
        };
        std::string value;
        if (type == "string")
            value.assign(begin, begin + length);
        else if (is("int64", 8))
            value = text_of(as(int64_t()));
        else if (is("int32", 4))
            value = text_of(int64_t{as(int32_t())});
        else if (is("double", 8))
            value = text_of(as(double()));
        else if (is("float", 4))
            value = text_of(as(float()));
        else if (is("bool", 1))
            value = as(uint8_t()) ? "1" : "0";
        else
            return;
        charge(1, 64 + 2 * (key.size() + value.size()));
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

    void read_placement() {
        const size_t at = offset_;
        const std::string kind = text();
        const auto vector = [&](double* to) {
            for (int i = 0; i < 3; ++i) to[i] = value<double>();
        };
        double scale[3] = {1, 1, 1}, shift[3] = {0, 0, 0};
        if (kind == "UniformScaleMap" || kind == "ScaleMap") {
            vector(scale);
            take(4 * 24);  // what OpenVDB derives from it
        } else if (kind == "UniformScaleTranslateMap" || kind == "ScaleTranslateMap") {
            vector(shift);
            vector(scale);
            take(4 * 24);
        } else if (kind == "TranslationMap") {
            vector(shift);
        } else if (kind == "AffineMap" || kind == "UnitaryMap") {
            placement_.diagonal = false;
            for (int row = 0; row < 4; ++row) {
                vector(placement_.matrix[row]);
                value<double>();
            }
            return;
        } else {
            fail(at, "points in a grid with a transform of kind '" + kind.substr(0, 40) + "' are not read");
        }
        for (int axis = 0; axis < 3; ++axis) {
            placement_.matrix[axis][axis] = scale[axis];
            placement_.matrix[3][axis] = shift[axis];
        }
    }

    // The tree: a root, nodes of 32^3 children, nodes of 16^3 children, leaves of 8^3 voxels.

    void read_topology() {
        value<uint32_t>();  // number of buffers
        value<uint32_t>();  // background
        const uint32_t tiles = value<uint32_t>();
        const uint32_t children = value<uint32_t>();
        for (uint32_t i = 0; i < tiles; ++i) take(12 + 4 + 1);
        for (uint32_t i = 0; i < children; ++i) {
            int32_t origin[3];
            for (int32_t& c : origin) c = value<int32_t>();
            read_inner(origin, 5, 7);
        }
    }

    /// A node with 2^log2 children along each axis, each 2^child voxels wide.
    void read_inner(const int32_t origin[3], unsigned log2, unsigned child) {
        const uint32_t count = 1u << (3 * log2);
        const uint8_t* children = take(count / 8);
        const uint8_t* active = take(count / 8);
        pass_inner_values(active, count);
        for (uint32_t n = 0; n < count; ++n) {
            if (children[n / 8] == 0) {
                n |= 7;  // most are empty
                continue;
            }
            if (!(children[n / 8] >> (n % 8) & 1)) continue;
            const uint32_t local[3] = {n >> (2 * log2), (n >> log2) & ((1u << log2) - 1), n & ((1u << log2) - 1)};
            int32_t at[3];
            // Unsigned, so that a hostile origin wraps instead of being undefined.
            for (int axis = 0; axis < 3; ++axis)
                at[axis] = static_cast<int32_t>(static_cast<uint32_t>(origin[axis]) + (local[axis] << child));
            if (child == 3) {
                take(voxels_per_leaf / 8);
                charge(1, sizeof(Leaf));
                leaves_.emplace_back();
                std::copy_n(at, 3, leaves_.back().origin);
            } else {
                read_inner(at, 4, 3);
            }
        }
    }

    /// The values of an inner node's tiles say nothing about points.
    void pass_inner_values(const uint8_t* active, uint32_t count) {
        const size_t at = offset_;
        const uint8_t form = value<uint8_t>();
        if (form > 6) fail(at, "unknown form of node values " + std::to_string(form));
        const bool one = form == 2 || form == 4 || form == 5;
        if (one) take(4);
        if (form == 5) take(4);
        if (form == 3 || form == 4 || form == 5) take(count / 8);
        uint64_t values = count;
        if ((compression_ & active_mask) && form != 6) {
            values = 0;
            for (uint32_t i = 0; i < count / 8; ++i) values += static_cast<uint64_t>(__builtin_popcount(active[i]));
        }
        if (compression_ & (blosc | zip)) {
            const size_t length_at = offset_;
            const int64_t length = value<int64_t>();
            if (length == std::numeric_limits<int64_t>::min()) fail(length_at, "a block can't be that long");
            take(static_cast<uint64_t>(length < 0 ? -length : length));
        } else {
            take(values * 4);
        }
    }

    // The leaves.

    void read_leaves() {
        if (leaves_.empty()) return;  // nothing follows
        const size_t at = offset_;
        const uint16_t passes = value<uint16_t>();
        if (passes < 4 || passes % 2 != 0) fail(at, "points can't come in " + std::to_string(passes) + " passes");
        const uint32_t attributes = (passes - 4u) / 2;
        take(uint64_t{2} * leaves_.size());  // sizes of the voxel buffers
        read_descriptors();
        count_points(at);
        std::vector<std::vector<Page>> pages(attributes);
        for (uint32_t a = 0; a < attributes; ++a) pages[a] = read_page_sizes(a);
        read_voxel_ends();
        make_columns(attributes);
        for (uint32_t a = 0; a < attributes; ++a) read_arrays(a, pages[a]);
    }

    void read_descriptors() {
        bool shared = false;
        for (Leaf& leaf : leaves_) {
            if (!shared) {
                const size_t at = offset_;
                const uint8_t header = value<uint8_t>();
                if (header > 3) fail(at, "unknown kind of leaf " + std::to_string(header));
                read_descriptor();
                shared = header & 1;
                if (header & 2) take(value<uint64_t>());
            }
            leaf.descriptor = static_cast<uint32_t>(descriptors_.size() - 1);
            const size_t count = descriptors_.back().types.size();
            charge(count, sizeof(Array));
            leaf.arrays.resize(count);
            for (Array& array : leaf.arrays) read_array_sizes(array);
        }
    }

    void read_descriptor() {
        const size_t at = offset_;
        const uint64_t count = value<uint64_t>();
        // Two lengths and a position are 16 bytes for each.
        if (count > (size_ - offset_) / 16) fail(at, std::to_string(count) + " attributes can't be in this file");
        charge(count, sizeof(std::string) + sizeof(AttributeType));
        Descriptor descriptor;
        descriptor.names.resize(static_cast<size_t>(count));
        for (uint64_t i = 0; i < count; ++i) {
            const std::string type = text(), codec = text();
            descriptor.types.push_back(attribute_type(type, codec));
        }
        for (uint64_t i = 0; i < count; ++i) {
            const std::string name = text();
            const size_t position_at = offset_;
            const uint64_t position = value<uint64_t>();
            if (position >= count) fail(position_at, "attribute '" + name.substr(0, 40) + "' has no place");
            charge(1, name.size());
            descriptor.names[static_cast<size_t>(position)] = name;
        }
        const uint64_t groups = value<uint64_t>();
        for (uint64_t i = 0; i < groups; ++i) {
            text();
            take(8);
        }
        read_metadata(false);
        descriptors_.push_back(std::move(descriptor));
    }

    void read_array_sizes(Array& array) {
        const size_t at = offset_;
        array.bytes = value<uint64_t>();
        value<uint8_t>();  // flags
        array.serialization = value<uint8_t>();
        array.size = value<uint32_t>();
        if (array.bytes < 6 || array.serialization >= 16) fail(at, "an attribute with impossible sizes");
        array.bytes -= 6;  // flags and size
        if (array.serialization & strided) array.stride = value<uint32_t>();
    }

    void count_points(size_t at) {
        for (Leaf& leaf : leaves_) {
            const Descriptor& descriptor = descriptors_[leaf.descriptor];
            const auto found = std::find(descriptor.names.begin(), descriptor.names.end(), "P");
            if (found == descriptor.names.end()) fail(at, "the points have no position P");
            leaf.points = leaf.arrays[static_cast<size_t>(found - descriptor.names.begin())].size;
            leaf.first_point = point_count_;
            point_count_ += leaf.points;
        }
        // The smallest codec of a position has three bytes; Blosc can't do wonders with them.
        if (point_count_ > 64 * uint64_t{size_})
            fail(at,
                 std::to_string(point_count_) + " points can't be in a file of " + std::to_string(size_) + " bytes");
    }

    std::vector<Page> read_page_sizes(uint32_t attribute) {
        std::vector<Page> pages;
        uint64_t used = 0;
        for (Leaf& leaf : leaves_) {
            if (attribute >= leaf.arrays.size()) continue;
            Array& array = leaf.arrays[attribute];
            if (!(array.serialization & paged)) continue;
            if (pages.empty() || used == static_cast<uint64_t>(pages.back().unpacked)) {
                const size_t at = offset_;
                Page page;
                page.packed = value<int32_t>();
                if (page.packed == 0 || page.packed == std::numeric_limits<int32_t>::min())
                    fail(at, "a page without a size");
                page.unpacked = page.packed > 0 ? value<int32_t>() : -page.packed;
                if (page.unpacked <= 0) fail(at, "a page without a size");
                charge(1, sizeof(Page));
                pages.push_back(page);
                used = 0;
            }
            if (array.bytes > static_cast<uint64_t>(pages.back().unpacked) - used)
                fail(offset_, "an attribute is longer than its page");
            array.page = static_cast<uint32_t>(pages.size() - 1);
            array.page_offset = static_cast<uint32_t>(used);
            used += array.bytes;
        }
        return pages;
    }

    void read_voxel_ends() {
        charge(leaves_.size(), voxels_per_leaf * 4);
        ends_.resize(leaves_.size() * voxels_per_leaf);
        std::vector<uint8_t> buffer;
        for (size_t i = 0; i < leaves_.size(); ++i) {
            take(voxels_per_leaf / 8);  // the mask once more
            const size_t at = offset_;
            const uint16_t length = value<uint16_t>();
            uint32_t* ends = &ends_[i * voxels_per_leaf];
            if (length == 0xffff) {
                std::memcpy(ends, take(voxels_per_leaf * 4), voxels_per_leaf * 4);
            } else {
                buffer.clear();
                unpack(take(length), length, buffer, at);
                if (buffer.size() != voxels_per_leaf * 4) fail(at, "a leaf with a wrong number of voxels");
                std::memcpy(ends, buffer.data(), voxels_per_leaf * 4);
            }
            for (uint32_t v = 0; v < voxels_per_leaf; ++v)
                if (ends[v] > leaves_[i].points || (v > 0 && ends[v] < ends[v - 1]))
                    fail(at, "voxels with impossible points");
            if (ends[voxels_per_leaf - 1] != leaves_[i].points) fail(at, "points that are in no voxel");
        }
    }

    void unpack(const uint8_t* from, size_t length, std::vector<uint8_t>& to, size_t at) const {
        if (!has_blosc()) fail(at, "this file needs Blosc, and this Firn was built without it");
        if (!blosc_unpack(from, length, to)) fail(at, "a damaged Blosc block");
    }

    void make_columns(uint32_t attributes) {
        const size_t count = static_cast<size_t>(point_count_);
        std::set<std::string> seen;
        for (const Leaf& leaf : leaves_) {
            const Descriptor& descriptor = descriptors_[leaf.descriptor];
            for (size_t a = 0; a < leaf.arrays.size() && a < attributes; ++a) {
                const std::string& name = descriptor.names[a];
                const AttributeType& type = descriptor.types[a];
                const Array& array = leaf.arrays[a];
                if (type.stored == Stored::none || !seen.insert(name).second) continue;
                if (array.stride == 0 || array.stride > 4096)
                    fail(offset_,
                         "attribute '" + name + "' can't have " + std::to_string(array.stride) + " numbers per point");
                const uint64_t components = static_cast<uint64_t>(type.components) * array.stride;
                if (!budget_.take(count, components, 8))
                    fail(offset_,
                         "attribute '" + name + "' would need far more memory than the file has: it is damaged");
                const auto meaning = meanings_.find(name);
                add_column(file_, name, meaning == meanings_.end() ? "" : meaning->second, type.storage,
                           static_cast<int>(components), count);
                columns_[name] = {type, array.stride, static_cast<size_t>(components)};
            }
            // Leaves of one grid have the same attributes; with one descriptor for all, one look is enough.
            if (descriptors_.size() == 1) break;
        }
    }

    /// The memory of a column; add_column() may have moved extras since, so it is asked for again.
    ColumnSpace space(const std::string& name) {
        for (const ParticleArray& array : particle_arrays()) {
            if (name != array.name || array.size(file_.particles) == 0) continue;
            if (array.components == 0) return {nullptr, nullptr, file_.particles.id.data()};
            return {array.data(file_.particles), nullptr, nullptr};
        }
        for (ExtraAttribute& extra : file_.extra) {
            if (extra.name != name) continue;
            return {extra.floats.empty() ? nullptr : extra.floats.data(),
                    extra.doubles.empty() ? nullptr : extra.doubles.data(),
                    extra.integers.empty() ? nullptr : extra.integers.data()};
        }
        return {};
    }

    void read_arrays(uint32_t attribute, const std::vector<Page>& pages) {
        std::vector<uint8_t> page_bytes, own_bytes;
        size_t loaded = pages.size();
        for (size_t i = 0; i < leaves_.size(); ++i) {
            Leaf& leaf = leaves_[i];
            if (attribute >= leaf.arrays.size()) continue;
            const Array& array = leaf.arrays[attribute];
            const size_t at = offset_;
            const uint8_t* data;
            uint64_t length;
            if (array.serialization & paged) {
                if (loaded != array.page) {
                    const Page& page = pages[array.page];
                    page_bytes.clear();
                    if (page.packed > 0) {
                        unpack(take(static_cast<uint64_t>(page.packed)), static_cast<size_t>(page.packed), page_bytes,
                               at);
                    } else {
                        const uint8_t* begin = take(static_cast<uint64_t>(page.unpacked));
                        page_bytes.assign(begin, begin + page.unpacked);
                    }
                    // Small pages are padded before they are packed.
                    if (page_bytes.size() < static_cast<size_t>(page.unpacked)) fail(at, "a page that is too short");
                    loaded = array.page;
                }
                data = page_bytes.data() + array.page_offset;
                length = array.bytes;
            } else {
                const bool packed = !(array.serialization & uniform) && value<uint8_t>() == 1;
                data = take(array.bytes);
                length = array.bytes;
                if (packed) {
                    own_bytes.clear();
                    unpack(data, static_cast<size_t>(length), own_bytes, at);
                    data = own_bytes.data();
                    length = own_bytes.size();
                }
            }
            store(i, attribute, array, data, length, at);
        }
        const auto strings = leaves_.empty() ? strings_.end() : strings_.find(name_of(leaves_.front(), attribute));
        if (strings != strings_.end()) attach_strings(strings->first, strings->second);
    }

    std::string name_of(const Leaf& leaf, uint32_t attribute) const {
        const Descriptor& descriptor = descriptors_[leaf.descriptor];
        return attribute < descriptor.names.size() ? descriptor.names[attribute] : "";
    }

    void attach_strings(const std::string& name, const std::string& lines) {
        for (ExtraAttribute& extra : file_.extra) {
            if (extra.name != name || extra.integers.empty()) continue;
            const int64_t count = std::count(lines.begin(), lines.end(), '\n');
            charge(static_cast<uint64_t>(count), sizeof(std::string));
            const auto [low, high] = std::minmax_element(extra.integers.begin(), extra.integers.end());
            if (*low < -1 || *high >= count) fail(offset_, "attribute '" + name + "' names a text that is not there");
            extra.strings = split_lines(lines);
        }
    }

    /// Puts one leaf's numbers where they belong.
    void store(size_t index, uint32_t attribute, const Array& array, const uint8_t* data, uint64_t length, size_t at) {
        const Leaf& leaf = leaves_[index];
        const std::string& name = descriptors_[leaf.descriptor].names[attribute];
        const AttributeType& type = descriptors_[leaf.descriptor].types[attribute];
        if (type.stored == Stored::none || leaf.points == 0) return;
        const auto column = columns_.find(name);
        if (column == columns_.end() || column->second.type.storage != type.storage ||
            column->second.type.components != type.components || column->second.stride != array.stride)
            fail(at, "attribute '" + name + "' changes its shape from leaf to leaf");
        const size_t components = column->second.components;
        const bool same = array.serialization & uniform;
        const size_t step = bytes_of(type.stored);
        const uint64_t values = same ? static_cast<uint64_t>(type.components) : uint64_t{leaf.points} * components;
        if (array.size != leaf.points || length < values * step)
            fail(at, "attribute '" + name + "' has too few numbers for its leaf");
        const ColumnSpace to = space(name);
        const size_t first = static_cast<size_t>(leaf.first_point) * components;
        const size_t total = leaf.points * components;
        const auto fill = [&](auto* numbers) {
            using T = std::remove_pointer_t<decltype(numbers)>;
            const bool verbatim = !same && ((type.stored == Stored::f32 && std::is_same_v<T, float>) ||
                                            (type.stored == Stored::f64 && std::is_same_v<T, double>) ||
                                            (type.stored == Stored::i64 && std::is_same_v<T, int64_t>));
            if (verbatim) {
                std::memcpy(numbers + first, data, total * sizeof(T));
                return;
            }
            const size_t period = same ? static_cast<size_t>(type.components) : total;
            for (size_t k = 0; k < total; ++k) numbers[first + k] = number<T>(type.stored, data + k % period * step);
        };
        if (to.floats)
            fill(to.floats);
        else if (to.doubles)
            fill(to.doubles);
        else if (to.integers)
            fill(to.integers);
        if (name == "P" && to.floats && components == 3) place(index, to.floats + first);
    }

    /// From offsets within voxels to metres.
    void place(size_t index, float* positions) const {
        const Leaf& leaf = leaves_[index];
        const uint32_t* ends = &ends_[index * voxels_per_leaf];
        uint32_t point = 0;
        for (uint32_t v = 0; v < voxels_per_leaf; ++v) {
            const double voxel[3] = {double(leaf.origin[0]) + (v >> 6), double(leaf.origin[1]) + ((v >> 3) & 7),
                                     double(leaf.origin[2]) + (v & 7)};
            for (; point < ends[v]; ++point) {
                float* p = positions + 3 * size_t{point};
                double at[3];
                // A sum with zero would lose the sign of a negative zero.
                for (int axis = 0; axis < 3; ++axis) at[axis] = voxel[axis] == 0 ? p[axis] : voxel[axis] + p[axis];
                for (int axis = 0; axis < 3; ++axis) {
                    double world = at[axis] * placement_.matrix[axis][axis];
                    if (!placement_.diagonal)
                        world = at[0] * placement_.matrix[0][axis] + at[1] * placement_.matrix[1][axis] +
                                at[2] * placement_.matrix[2][axis];
                    if (placement_.matrix[3][axis] != 0) world += placement_.matrix[3][axis];
                    p[axis] = static_cast<float>(world);
                }
            }
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
        const auto sorted = [&](auto& numbers, size_t components) {
            if (numbers.empty()) return;
            auto source = numbers;
            for (size_t i = 0; i < order.size(); ++i)
                std::copy_n(source.data() + order[i] * components, components, numbers.data() + i * components);
        };
        for (const ParticleArray& array : particle_arrays()) {
            float* numbers = array.data(particles);
            if (!numbers) continue;
            const size_t components = static_cast<size_t>(array.components);
            const std::vector<float> source(numbers, numbers + order.size() * components);
            for (size_t i = 0; i < order.size(); ++i)
                std::copy_n(source.data() + order[i] * components, components, numbers + i * components);
        }
        for (ExtraAttribute& extra : file_.extra) {
            const size_t components = static_cast<size_t>(extra.components);
            sorted(extra.floats, components);
            sorted(extra.doubles, components);
            sorted(extra.integers, components);
        }
        sorted(particles.id, 1);
    }

    struct ColumnShape {
        AttributeType type;
        uint32_t stride = 1;
        size_t components = 1;
    };

    MemoryBudget budget_;
    ParticleFile file_;
    std::map<std::string, std::string> strings_, meanings_;
    uint32_t compression_ = 0;
    Placement placement_;
    std::vector<Descriptor> descriptors_;
    std::vector<Leaf> leaves_;
    std::vector<uint32_t> ends_;  ///< where each voxel's points end, for each leaf
    uint64_t point_count_ = 0;
    std::map<std::string, ColumnShape> columns_;
};

}  // namespace

bool is_vdb(const uint8_t* bytes, size_t size) {
    const uint8_t magic[] = {0x20, 0x42, 0x44, 0x56, 0, 0, 0, 0};
    return size >= 4 && std::memcmp(bytes, magic, std::min(size, sizeof(magic))) == 0;
}

ParticleFile read_vdb_points(const std::string& name, const uint8_t* bytes, size_t size) {
    return PointGridReader(name, bytes, size).read();
}

}  // namespace firn
