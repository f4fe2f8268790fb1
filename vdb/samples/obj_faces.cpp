// Faces of an OBJ by number. All of its lines are passed over once, many parts of the file at a time, to find where
// every so many points and faces begin; the numbers in a line are read only where somebody asks for it.

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>

#include "samples/mesh_faces.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr uint64_t part_bytes = 1 << 20;
constexpr size_t longest_line = CachedBytes::longest;
constexpr uint64_t point_stride = 8, face_stride = 16;  ///< lines of a kind, of which one is remembered

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/// A number as most are written, without an exponent: that takes a third of the time of std::from_chars.
bool quick_number(const char*& at, const char* end, float& value) {
    const char* const begin = at;
    const bool negative = at != end && *at == '-';
    if (negative) ++at;
    uint64_t digits = 0;
    const char* const first = at;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) digits = 10 * digits + static_cast<uint64_t>(*at - '0');
    std::ptrdiff_t count = at - first, behind_point = 0;
    if (at != end && *at == '.') {
        const char* const point = at++;
        for (; at != end && *at >= '0' && *at <= '9'; ++at) digits = 10 * digits + static_cast<uint64_t>(*at - '0');
        behind_point = at - point - 1;
        count += behind_point;
    }
    constexpr double part[] = {1,    1e-1, 1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,
                               1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15};
    if (count > 0 && count <= 15 && (at == end || is_blank(*at))) {
        const double size = static_cast<double>(digits) * part[behind_point];
        value = static_cast<float>(negative ? -size : size);
        return true;
    }
    const auto [after, error] = std::from_chars(begin, end, value);
    at = after;
    return error == std::errc() && std::isfinite(value) && (at == end || is_blank(*at));
}

/// The point of a line that begins with "v".
bool point_in(std::string_view line, Float3& p) {
    const char *at = line.data() + 1, *const end = line.data() + line.size();
    for (float* coordinate : {&p.x, &p.y, &p.z}) {
        while (at != end && is_blank(*at)) ++at;
        if (!quick_number(at, end, *coordinate)) return false;
    }
    return true;
}

/// The numbers of the points of a line that begins with "f", from 0 on. False for numbers that count backwards, too.
bool corners_in(std::string_view line, uint64_t points, std::vector<uint64_t>& corners) {
    const char *at = line.data() + 1, *const end = line.data() + line.size();
    corners.clear();
    for (;;) {
        while (at != end && is_blank(*at)) ++at;
        if (at == end) return corners.size() >= 3;
        uint64_t number = 0;
        const auto [after, error] = std::from_chars(at, end, number);
        if (error != std::errc() || number == 0 || number > points) return false;
        corners.push_back(number - 1);
        at = after;
        while (at != end && !is_blank(*at)) ++at;  // the texture's and the normal's numbers
    }
}

/// Nothing at the end of the file, and for a line that is too long.
std::optional<std::string_view> line_at(uint64_t at, CachedBytes& bytes) {
    const std::string_view here = bytes.bytes(at, longest_line);
    const size_t newline = here.find('\n');
    if (newline != here.npos) return here.substr(0, newline);
    if (here.empty() || here.size() == longest_line) return {};
    return here;
}

bool is_of_kind(std::string_view line, char letter) {
    return line.size() > 1 && line[0] == letter && is_blank(line[1]);
}

/// Where some of a part's lines of one kind begin.
struct SomeLines {
    explicit SomeLines(uint64_t of_so_many) : stride(of_so_many) {}
    uint64_t stride;
    uint64_t first = 0;            ///< in the file, the number of the part's first
    uint64_t count = 0;            ///< of the part
    std::vector<uint32_t> offset;  ///< in the part, of every `stride`-th
    void add(size_t at) {
        if (count++ % stride == 0) offset.push_back(static_cast<uint32_t>(at));
    }
};
struct Part {
    SomeLines points{point_stride}, faces{face_stride};
    Extent extent;
};

class ObjFaces : public MeshFaces {
public:
    explicit ObjFaces(const std::string& path)
        : file_(path), parts_(static_cast<size_t>((file_.size() + part_bytes - 1) / part_bytes)) {
        std::atomic<bool> fine{true};
        tbb::enumerable_thread_specific<std::vector<char>> bytes;
        tbb::parallel_for(size_t(0), parts_.size(), [&](size_t k) {
            if (fine && !look_through(k, bytes.local())) fine = false;
        });
        if (!fine) return;
        for (Part& part : parts_) {
            part.points.first = points_;
            part.faces.first = count_;
            points_ += part.points.count;
            count_ += part.faces.count;
        }
    }
    uint64_t count() const override { return count_; }
    std::optional<Extent> extent() const override {
        Extent all;
        for (const Part& part : parts_) all.add(part.extent);
        return all;
    }
    std::unique_ptr<FaceReader> reader() const override { return std::make_unique<Reader>(*this); }

private:
    /// The lines that begin in a part. False for what this file is not for.
    bool look_through(size_t k, std::vector<char>& bytes) {
        Part& part = parts_[k];
        const uint64_t begin = uint64_t(k) * part_bytes;
        // One byte before, which tells whether a line begins here, and the rest of the last line.
        const uint64_t from = k == 0 ? 0 : begin - 1;
        bytes.resize(part_bytes + 1 + longest_line);
        const char* const start = bytes.data();
        const char* const end = start + file_.read(from, bytes.data(), bytes.size());
        const char* const part_end = std::min(end, start + (begin - from) + part_bytes);
        const auto next_line = [&](const char* at) {
            return static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
        };
        const char* at = start;
        if (k > 0) {
            at = next_line(start);
            if (!at) return false;
            ++at;
        }
        while (at < part_end) {
            const char* newline = next_line(at);
            if (!newline && from + static_cast<uint64_t>(end - start) < file_.size()) return false;
            if (!newline) newline = end;
            const std::string_view line(at, static_cast<size_t>(newline - at));
            const size_t offset = static_cast<size_t>(at - start - static_cast<std::ptrdiff_t>(begin - from));
            at = newline + 1;
            if (line.empty() || line == "\r") continue;
            if (line.size() > longest_line - 1 || line[0] <= ' ' || line.back() == '\\') return false;
            if (is_of_kind(line, 'v')) {
                Float3 p;
                if (!point_in(line, p)) return false;
                part.extent.add(p);
                part.points.add(offset);
            } else if (is_of_kind(line, 'f')) {
                part.faces.add(offset);
            } else if (line[0] == 'f') {
                return false;
            }
        }
        return true;
    }

    class Reader : public FaceReader {
    public:
        explicit Reader(const ObjFaces& faces) : faces_(faces), face_bytes_(faces.file_), point_bytes_(faces.file_) {}
        bool read(uint64_t first, uint64_t count, std::vector<Corners>& triangles) override {
            if (count == 0) return true;
            std::optional<uint64_t> at = place_of(&Part::faces, 'f', first, face_bytes_);
            if (!at) return false;
            for (uint64_t n = 0; n < count;) {
                const std::optional<std::string_view> line = line_at(*at, face_bytes_);
                if (!line) return false;
                *at += line->size() + 1;
                if (!is_of_kind(*line, 'f')) continue;
                ++n;
                if (!corners_in(*line, faces_.points_, numbers_)) return false;
                corners_.resize(numbers_.size());
                for (size_t k = 0; k < numbers_.size(); ++k)
                    if (!find_point(numbers_[k], corners_[k])) return false;
                cutter_.add(corners_, triangles);
            }
            return true;
        }

    private:
        bool find_point(uint64_t number, Float3& p) {
            const std::optional<uint64_t> at = place_of(&Part::points, 'v', number, point_bytes_);
            const std::optional<std::string_view> line = at ? line_at(*at, point_bytes_) : std::nullopt;
            return line && point_in(*line, p);
        }
        /// Where a line of a kind begins.
        std::optional<uint64_t> place_of(SomeLines Part::*kind, char letter, uint64_t number, CachedBytes& bytes) {
            const std::vector<Part>& parts = faces_.parts_;
            const auto behind = std::upper_bound(parts.begin(), parts.end(), number,
                                                 [&](uint64_t n, const Part& part) { return n < (part.*kind).first; });
            const auto part = behind - 1;
            const SomeLines& lines = (*part).*kind;
            const uint64_t within = number - lines.first;
            uint64_t at = static_cast<uint64_t>(part - parts.begin()) * part_bytes +
                          lines.offset[static_cast<size_t>(within / lines.stride)];
            for (uint64_t left = within % lines.stride;;) {
                const std::optional<std::string_view> line = line_at(at, bytes);
                if (!line) return {};
                if (is_of_kind(*line, letter) && left-- == 0) return at;
                at += line->size() + 1;
            }
        }

        const ObjFaces& faces_;
        CachedBytes face_bytes_, point_bytes_;
        std::vector<uint64_t> numbers_;
        std::vector<Float3> corners_;
        FaceCutter cutter_;
    };

    RandomAccessFile file_;
    std::vector<Part> parts_;
    uint64_t points_ = 0, count_ = 0;
};

}  // namespace

std::unique_ptr<MeshFaces> obj_faces(const std::string& path) {
    auto faces = std::make_unique<ObjFaces>(path);
    if (faces->count() == 0) return nullptr;
    return faces;
}

}  // namespace firn
