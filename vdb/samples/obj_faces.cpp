// Faces of an OBJ by number. All of its lines are passed over once; the numbers in a face's line are read only where
// somebody asks for it.

#include "samples/mesh_faces.h"
#include "samples/text_lines.h"

namespace firn {

namespace {

constexpr TextLines::Kind point_line = TextLines::first_kind, face_line = TextLines::second_kind;

TextLines::Kind kind_of(std::string_view line) {
    if (line.empty() || line == "\r") return TextLines::other;
    const bool lone = line.size() > 1 && is_blank(line[1]);
    const bool joined =
        line.back() == '\\' || (line.size() > 1 && line.back() == '\r' && line[line.size() - 2] == '\\');
    if (line[0] <= ' ' || joined || (line[0] == 'f' && !lone)) return TextLines::unusual;
    if (line[0] == 'v' && lone) return point_line;
    return line[0] == 'f' ? face_line : TextLines::other;
}

/// The point of a line that begins with "v".
bool point_in(std::string_view line, Float3& p) {
    const char* at = line.data() + 1;
    return point_at(at, line.data() + line.size(), p);
}

class ObjFaces : public MeshFaces {
public:
    explicit ObjFaces(const std::string& path)
        : file_(path),
          stride_(look_stride(file_.size())),
          lines_(file_, 0, kind_of, [this](std::string_view line, uint64_t number, Extent& extent) {
              Float3 p;
              if (number % stride_ != 0) return true;
              if (!point_in(line, p)) return false;
              extent.add(p);
              return true;
          }) {}
    uint64_t count() const override { return lines_.fine() ? lines_.count(face_line) : 0; }
    std::optional<Extent> extent() const override { return lines_.extent(); }
    uint64_t looks_at_one_of() const override { return stride_; }
    std::unique_ptr<FaceReader> reader() const override { return std::make_unique<Reader>(*this); }

private:
    class Reader : public FaceReader {
    public:
        explicit Reader(const ObjFaces& faces) : faces_(faces), face_bytes_(faces.file_), point_bytes_(faces.file_) {}
        bool read(uint64_t first, uint64_t count, std::vector<Corners>& triangles) override {
            if (count == 0) return true;
            std::optional<uint64_t> at = faces_.lines_.place(face_line, first, face_bytes_);
            if (!at) return false;
            for (uint64_t n = 0; n < count;) {
                const std::optional<std::string_view> line = TextLines::line_at(*at, face_bytes_);
                if (!line) return false;
                const uint64_t begin = *at;
                *at += line->size() + 1;
                if (kind_of(*line) != face_line) continue;
                ++n;
                if (!find_corners(*line, begin)) return false;
                corners_.resize(numbers_.size());
                for (size_t k = 0; k < numbers_.size(); ++k)
                    if (!find_point(numbers_[k], corners_[k])) return false;
                cutter_.add(corners_, triangles);
            }
            return true;
        }

    private:
        /// The numbers of the points of a line that begins with "f", from 0 on.
        bool find_corners(std::string_view line, uint64_t begin) {
            const char *at = line.data() + 1, *const end = line.data() + line.size();
            const uint64_t points = faces_.lines_.count(point_line);
            std::optional<uint64_t> before;  // the line; which only faces that count backwards ask for
            numbers_.clear();
            for (;;) {
                skip_blanks(at, end);
                if (at == end) return numbers_.size() >= 3;
                int64_t number = 0;
                if (!number_at(at, end, number) || number == 0) return false;
                if (number < 0) {
                    if (!before) before = faces_.lines_.count_before(point_line, begin, point_bytes_);
                    if (-number > static_cast<int64_t>(*before)) return false;
                    number += static_cast<int64_t>(*before) + 1;
                }
                if (static_cast<uint64_t>(number) > points) return false;
                numbers_.push_back(static_cast<uint64_t>(number) - 1);
                skip_word(at, end);  // the texture's and the normal's numbers
            }
        }
        bool find_point(uint64_t number, Float3& p) {
            const std::optional<uint64_t> at = faces_.lines_.place(point_line, number, point_bytes_);
            const std::optional<std::string_view> line = at ? TextLines::line_at(*at, point_bytes_) : std::nullopt;
            return line && point_in(*line, p);
        }

        const ObjFaces& faces_;
        CachedBytes face_bytes_, point_bytes_;
        std::vector<uint64_t> numbers_;
        std::vector<Float3> corners_;
        FaceCutter cutter_;
    };

    RandomAccessFile file_;
    uint64_t stride_;
    TextLines lines_;
};

}  // namespace

std::unique_ptr<MeshFaces> obj_faces(const std::string& path) {
    return if_any<ObjFaces>(path);
}

}  // namespace firn
