// Faces of a PLY by number. Where all have the same number of corners and nothing else, which is what scanners and most
// programs write, each is where its number says. Others are passed over once, to see where every so many begin; of a
// text, all lines.

#include <cmath>
#include <cstring>

#include "samples/byte_window.h"
#include "samples/mesh_faces.h"
#include "samples/ply_header.h"
#include "samples/text_lines.h"

namespace firn {

namespace {

constexpr size_t most_corners = 60;  ///< of a face; larger ones are left to the other reader

bool is_corners(const PlyProperty& p) {
    return p.list && p.type < PlyType::float32 && (p.name == "vertex_indices" || p.name == "vertex_index");
}

/// Of every PLY: its header, and where its vertices and faces stand among its elements.
struct PlyPlan {
    PlyHeader header;
    uint64_t begin = 0;           ///< of what follows the header
    size_t vertex = 0, face = 0;  ///< elements
    size_t coordinate[3] = {};    ///< properties of a vertex
    bool usual = false;

    explicit PlyPlan(const std::string& path) {
        ByteWindow window = ByteWindow::of_file(path);
        header = read_ply_header(window, path);
        begin = window.consumed();
        int vertices = 0, faces = 0, found = 0;
        for (size_t e = 0; e < header.elements.size(); ++e) {
            const PlyElement& element = header.elements[e];
            if (element.name == "vertex") vertex = e, ++vertices;
            if (element.name == "face") face = e, ++faces;
            // Those before the faces must have equal lengths.
            for (const PlyProperty& p : element.properties)
                if (faces == 0 && p.list) return;
        }
        if (vertices != 1 || faces != 1 || vertex > face) return;
        const std::vector<PlyProperty>& properties = points().properties;
        for (size_t k = 0; k < properties.size(); ++k)
            for (size_t axis = 0; axis < 3; ++axis) {
                if (properties[k].name != std::string_view(&"xyz"[axis], 1)) continue;
                if (properties[k].type < PlyType::float32) return;
                coordinate[axis] = k;
                ++found;
            }
        int lists_of_corners = 0;
        for (const PlyProperty& p : this->faces().properties) lists_of_corners += is_corners(p);
        usual = found == 3 && lists_of_corners == 1;
    }
    const PlyElement& points() const { return header.elements[vertex]; }
    const PlyElement& faces() const { return header.elements[face]; }
};

class BinaryPlyFaces : public MeshFaces {
public:
    BinaryPlyFaces(const std::string& path, const PlyPlan& plan)
        : file_(path), plan_(plan), big_(plan.header.order == PlyOrder::big) {
        points_at_ = plan_.begin;
        for (size_t e = 0; e < plan_.face; ++e) {
            size_t bytes = 0;
            for (const PlyProperty& p : plan_.header.elements[e].properties) {
                if (e == plan_.vertex) point_property_at_.push_back(bytes);
                bytes += ply_type_bytes(p.type);
            }
            const uint64_t count = plan_.header.elements[e].count;
            const uint64_t at = e <= plan_.vertex ? points_at_ : faces_at_;
            if (at > file_.size() || count > (file_.size() - at) / std::max<size_t>(1, bytes)) return;
            if (e < plan_.vertex) points_at_ += count * bytes;
            if (e == plan_.vertex) faces_at_ = points_at_;
            if (e >= plan_.vertex) faces_at_ += count * bytes;
            if (e == plan_.vertex) point_bytes_ = bytes;
        }
        if (point_bytes_ > CachedBytes::longest || plan_.faces().count == 0) return;
        if (have_equal_lengths() || find_all()) count_ = plan_.faces().count;
    }
    uint64_t count() const override { return count_; }
    std::optional<Extent> extent() const override {
        return extent_of({file_, points_at_, plan_.points().count, point_bytes_}, 1,
                         [&](const char* vertex, size_t) { return point(vertex); });
    }
    std::unique_ptr<FaceReader> reader() const override { return std::make_unique<Reader>(*this); }

private:
    static constexpr uint64_t stride = 32;  ///< faces, of which one's place is remembered

    double value(const char* at, PlyType type) const {
        if (!big_ && type == PlyType::float32) {
            float number;
            std::memcpy(&number, at, sizeof number);
            return static_cast<double>(number);
        }
        char bytes[8];
        const size_t size = ply_type_bytes(type);
        for (size_t k = 0; k < size; ++k) bytes[k] = at[big_ ? size - 1 - k : k];
        const auto as = [&](auto number) {
            std::memcpy(&number, bytes, sizeof number);
            return static_cast<double>(number);
        };
        switch (type) {
            case PlyType::int8:
                return as(int8_t());
            case PlyType::uint8:
                return as(uint8_t());
            case PlyType::int16:
                return as(int16_t());
            case PlyType::uint16:
                return as(uint16_t());
            case PlyType::int32:
                return as(int32_t());
            case PlyType::uint32:
                return as(uint32_t());
            case PlyType::float32:
                return static_cast<double>(as(float()));
            case PlyType::float64:
                break;
        }
        return as(double());
    }
    Float3 point(const char* vertex) const {
        float at[3];
        for (size_t axis = 0; axis < 3; ++axis) {
            const size_t k = plan_.coordinate[axis];
            const double number = value(vertex + point_property_at_[k], plan_.points().properties[k].type);
            // A double beyond float's range must not be cast.
            at[axis] = std::abs(number) <= 3.4e38 ? static_cast<float>(number) : HUGE_VALF;
        }
        return {at[0], at[1], at[2]};
    }

    /// Bytes of a face, and where its corners are in it. False if they are not all there, or it is unusual.
    struct Face {
        size_t bytes = 0, corners_at = 0, corners = 0;
        PlyType type = PlyType::int32;
    };
    bool measure(std::string_view here, Face& face) const {
        face.bytes = 0;
        for (const PlyProperty& p : plan_.faces().properties) {
            size_t length = 1;
            if (p.list) {
                const size_t count_bytes = ply_type_bytes(p.count_type);
                if (here.size() < face.bytes + count_bytes) return false;
                const double count = count_bytes == 1 ? static_cast<unsigned char>(here[face.bytes])
                                                      : value(here.data() + face.bytes, p.count_type);
                if (!(count >= 0) || count > double(most_corners)) return false;
                length = static_cast<size_t>(count);
                face.bytes += count_bytes;
            }
            if (is_corners(p)) {
                if (length < 3) return false;
                face.corners_at = face.bytes;
                face.corners = length;
                face.type = p.type;
            }
            face.bytes += length * ply_type_bytes(p.type);
        }
        return here.size() >= face.bytes && face.bytes <= CachedBytes::longest;
    }
    /// That the file's length is a multiple of the first face's, which is nothing but corners, says that all are alike:
    /// each that is read is looked at again.
    bool have_equal_lengths() {
        if (plan_.faces().properties.size() != 1 || plan_.face + 1 != plan_.header.elements.size()) return false;
        CachedBytes bytes(file_);
        Face first;
        const uint64_t left = file_.size() - faces_at_;
        if (!measure(bytes.bytes(faces_at_, CachedBytes::longest), first)) return false;
        if (left / first.bytes != plan_.faces().count || left % first.bytes != 0) return false;
        equal_ = first;
        return true;
    }
    bool find_all() {
        constexpr size_t part_bytes = 1 << 20;
        std::vector<char> bytes(part_bytes);
        uint64_t at = faces_at_;
        std::string_view left;
        Face face;
        for (uint64_t n = 0; n < plan_.faces().count; ++n) {
            if (left.size() < CachedBytes::longest) left = {bytes.data(), file_.read(at, bytes.data(), bytes.size())};
            if (!measure(left, face)) return false;
            if (n % stride == 0) place_.push_back(at);
            at += face.bytes;
            left.remove_prefix(face.bytes);
        }
        return true;
    }

    class Reader : public FaceReader {
    public:
        explicit Reader(const BinaryPlyFaces& faces)
            : faces_(faces), face_bytes_(faces.file_), point_bytes_(faces.file_) {}
        bool read(uint64_t first, uint64_t count, std::vector<Corners>& triangles) override {
            if (first + count > faces_.count_) return false;
            const bool equal = faces_.place_.empty();
            const uint64_t passed = equal ? 0 : first % stride;
            uint64_t at = equal ? faces_.faces_at_ + first * faces_.equal_.bytes
                                : faces_.place_[static_cast<size_t>(first / stride)];
            Face face;
            for (uint64_t n = 0; n < passed + count; ++n, at += face.bytes) {
                const std::string_view here = face_bytes_.bytes(at, CachedBytes::longest);
                if (!faces_.measure(here, face)) return false;
                if (equal && face.bytes != faces_.equal_.bytes) return false;
                if (n < passed) continue;
                corners_.resize(face.corners);
                for (size_t k = 0; k < face.corners; ++k)
                    if (!find_point(here.data() + face.corners_at + k * ply_type_bytes(face.type), face, corners_[k]))
                        return false;
                cutter_.add(corners_, triangles);
            }
            return true;
        }

    private:
        bool find_point(const char* corner, const Face& face, Float3& p) {
            const double number = faces_.value(corner, face.type);
            if (!(number >= 0) || number >= static_cast<double>(faces_.plan_.points().count)) return false;
            const std::string_view here = point_bytes_.bytes(
                faces_.points_at_ + static_cast<uint64_t>(number) * faces_.point_bytes_, faces_.point_bytes_);
            if (here.size() < faces_.point_bytes_) return false;
            p = faces_.point(here.data());
            return true;
        }

        const BinaryPlyFaces& faces_;
        CachedBytes face_bytes_, point_bytes_;
        std::vector<Float3> corners_;
        FaceCutter cutter_;
    };

    RandomAccessFile file_;
    PlyPlan plan_;
    bool big_;
    uint64_t points_at_ = 0, faces_at_ = 0, count_ = 0;
    size_t point_bytes_ = 0;
    std::vector<size_t> point_property_at_;  ///< in a vertex
    Face equal_;                             ///< all of them, unless:
    std::vector<uint64_t> place_;            ///< of every so many faces
};

/// One line for each vertex and each face.
class TextPlyFaces : public MeshFaces {
public:
    TextPlyFaces(const std::string& path, const PlyPlan& plan)
        : file_(path), plan_(plan), stride_(look_stride(file_.size())), lines_(file_, plan_.begin, kind_of) {
        if (!lines_.fine()) return;
        uint64_t lines = 0;
        for (size_t e = 0; e < plan_.header.elements.size(); ++e) {
            if (e == plan_.vertex) first_point_ = lines;
            if (e == plan_.face) first_face_ = lines;
            if (plan_.header.elements[e].count > lines_.count(TextLines::first_kind)) return;
            lines += plan_.header.elements[e].count;
        }
        if (lines == lines_.count(TextLines::first_kind)) count_ = plan_.faces().count;
    }
    uint64_t count() const override { return count_; }
    std::optional<Extent> extent() const override {
        constexpr uint64_t part = 1 << 14;
        const uint64_t count = plan_.points().count;
        return extent_of_parts((count + part - 1) / part, [&](uint64_t k, std::vector<char>&, Extent& extent) {
            CachedBytes bytes(file_);
            std::optional<uint64_t> at = lines_.place(TextLines::first_kind, first_point_ + k * part, bytes);
            for (uint64_t n = 0; n < std::min(part, count - k * part); ++n) {
                const std::optional<std::string_view> line = at ? TextLines::line_at(*at, bytes) : std::nullopt;
                if (!line) return false;
                *at += line->size() + 1;
                Float3 p;
                if (n % stride_ != 0) continue;
                if (!point(*line, p)) return false;
                extent.add(p);
            }
            return true;
        });
    }
    uint64_t looks_at_one_of() const override { return stride_; }
    std::unique_ptr<FaceReader> reader() const override { return std::make_unique<Reader>(*this); }

private:
    static TextLines::Kind kind_of(std::string_view line) {
        return line.empty() || line[0] <= ' ' ? TextLines::unusual : TextLines::first_kind;
    }
    bool point(std::string_view line, Float3& p) const {
        const char *at = line.data(), *const end = at + line.size();
        for (size_t k = 0; k < plan_.points().properties.size(); ++k) {
            skip_blanks(at, end);
            if (at == end) return false;
            float* coordinate = nullptr;
            for (size_t axis = 0; axis < 3; ++axis)
                if (plan_.coordinate[axis] == k) coordinate = axis == 0 ? &p.x : axis == 1 ? &p.y : &p.z;
            if (!coordinate)
                skip_word(at, end);
            else if (!number_at(at, end, *coordinate))
                return false;
        }
        skip_blanks(at, end);
        return at == end;
    }

    class Reader : public FaceReader {
    public:
        explicit Reader(const TextPlyFaces& faces)
            : faces_(faces), face_bytes_(faces.file_), point_bytes_(faces.file_) {}
        bool read(uint64_t first, uint64_t count, std::vector<Corners>& triangles) override {
            if (first + count > faces_.count_) return false;
            std::optional<uint64_t> at =
                faces_.lines_.place(TextLines::first_kind, faces_.first_face_ + first, face_bytes_);
            for (uint64_t n = 0; n < count; ++n) {
                const std::optional<std::string_view> line = at ? TextLines::line_at(*at, face_bytes_) : std::nullopt;
                if (!line || !find_corners(*line)) return false;
                *at += line->size() + 1;
                cutter_.add(corners_, triangles);
            }
            return true;
        }

    private:
        bool find_corners(std::string_view line) {
            const char *at = line.data(), *const end = at + line.size();
            for (const PlyProperty& p : faces_.plan_.faces().properties) {
                int64_t length = 1;
                skip_blanks(at, end);
                if (p.list && (!number_at(at, end, length) || length < 0 || length > int64_t(most_corners)))
                    return false;
                const bool corners = is_corners(p);
                if (corners) corners_.clear();
                if (corners && length < 3) return false;
                for (int64_t k = 0; k < length; ++k) {
                    skip_blanks(at, end);
                    if (at == end) return false;
                    if (!corners) {
                        skip_word(at, end);
                        continue;
                    }
                    int64_t number = 0;
                    if (!number_at(at, end, number) || !find_point(number)) return false;
                }
            }
            skip_blanks(at, end);
            return at == end;
        }
        bool find_point(int64_t number) {
            if (number < 0 || static_cast<uint64_t>(number) >= faces_.plan_.points().count) return false;
            const std::optional<uint64_t> at = faces_.lines_.place(
                TextLines::first_kind, faces_.first_point_ + static_cast<uint64_t>(number), point_bytes_);
            const std::optional<std::string_view> line = at ? TextLines::line_at(*at, point_bytes_) : std::nullopt;
            return line && faces_.point(*line, corners_.emplace_back());
        }

        const TextPlyFaces& faces_;
        CachedBytes face_bytes_, point_bytes_;
        std::vector<Float3> corners_;
        FaceCutter cutter_;
    };

    RandomAccessFile file_;
    PlyPlan plan_;
    uint64_t stride_;
    TextLines lines_;
    uint64_t first_point_ = 0, first_face_ = 0, count_ = 0;  ///< lines
};

}  // namespace

std::unique_ptr<MeshFaces> ply_faces(const std::string& path) {
    const PlyPlan plan(path);
    if (!plan.usual) return nullptr;
    if (plan.header.order == PlyOrder::text) return if_any<TextPlyFaces>(path, plan);
    return if_any<BinaryPlyFaces>(path, plan);
}

}  // namespace firn
