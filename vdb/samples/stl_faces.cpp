// Triangles of an STL. A binary one has 50 bytes for each. In a text each is found by itself, wherever somebody looks:
// what is at a place of the file stands for the number that belongs there.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "firn/scattered.h"
#include "samples/mesh_faces.h"
#include "samples/text_lines.h"

namespace firn {

namespace {

constexpr size_t header = 84, record = 50, corners_at = 12, corner_bytes = 36;

class BinaryStlFaces : public MeshFaces {
public:
    explicit BinaryStlFaces(const std::string& path) : file_(path) {
        char bytes[header];
        if (file_.read(0, bytes, header) < header) return;
        uint32_t count;
        std::memcpy(&count, bytes + 80, sizeof count);
        if (file_.size() == header + uint64_t(count) * record) count_ = count;
    }
    uint64_t count() const override { return count_; }
    std::optional<Extent> extent() const override {
        return extent_of({file_, header, count_, record}, 3, [](const char* triangle, size_t corner) {
            Float3 p;
            std::memcpy(&p, triangle + corners_at + corner * sizeof p, sizeof p);
            return p;
        });
    }
    std::unique_ptr<FaceReader> reader() const override { return std::make_unique<Reader>(*this); }

private:
    class Reader : public FaceReader {
    public:
        explicit Reader(const BinaryStlFaces& faces) : bytes_(faces.file_) {}
        bool read(uint64_t first, uint64_t count, std::vector<Corners>& triangles) override {
            for (uint64_t n = first; n < first + count; ++n) {
                const std::string_view here = bytes_.bytes(header + n * record + corners_at, corner_bytes);
                if (here.size() < corner_bytes) return false;
                static_assert(sizeof(Corners) == corner_bytes, "in memory as in the file");
                std::memcpy(triangles.emplace_back().data(), here.data(), corner_bytes);
            }
            return true;
        }

    private:
        CachedBytes bytes_;
    };

    RandomAccessFile file_;
    uint64_t count_ = 0;
};

/// A text from some place on, of which facets are read one after the other.
class Facets {
public:
    explicit Facets(const RandomAccessFile& file) : file_(file) {}
    /// To the first facet that begins at a place or behind it. False if there is none before the bytes end.
    bool move_to(uint64_t place, size_t bytes) {
        place_ = place - std::min<uint64_t>(place, 1);
        text_.resize(bytes);
        text_.resize(file_.read(place_, text_.data(), bytes));
        at_ = text_.data();
        end_ = at_ + text_.size();
        if (place == 0) return next_facet();
        return next_line() && next_facet();
    }
    /// Reads it, and moves on to the next. False if it is otherwise than was expected, or not there as a whole.
    bool read(Corners& corners) {
        if (!take("facet") || !next_line() || !take("outer") || !next_line()) return false;
        for (Float3& p : corners)
            if (!take("vertex") || !take_point(p)) return false;
        return take("endloop") && take("endfacet");
    }
    /// To the next facet from here on; other lines between two are passed over.
    bool next_facet() {
        for (;;) {
            skip_white();
            if (at_ == end_) return false;
            const char* const begin = at_;
            if (take("facet")) {
                at_ = begin;
                return true;
            }
            if (!next_line()) return false;
        }
    }
    /// In the file, of what comes next.
    uint64_t place() const { return place_ + static_cast<uint64_t>(at_ - text_.data()); }

private:
    static bool is_white(char c) { return c == '\n' || is_blank(c); }
    void skip_white() {
        while (at_ != end_ && is_white(*at_)) ++at_;
    }
    bool next_line() {
        const void* const newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
        at_ = newline ? static_cast<const char*>(newline) : end_;
        return at_ != end_;
    }
    bool take(std::string_view word) {
        skip_white();
        const size_t length = word.size();
        if (static_cast<size_t>(end_ - at_) <= length || std::memcmp(at_, word.data(), length) != 0) return false;
        at_ += length;
        return is_white(*at_);
    }
    bool take_point(Float3& p) {
        for (float* coordinate : {&p.x, &p.y, &p.z}) {
            skip_white();
            if (!number_at(at_, end_, *coordinate) || at_ == end_) return false;
        }
        return true;
    }

    const RandomAccessFile& file_;
    std::vector<char> text_;
    uint64_t place_ = 0;
    const char *at_ = nullptr, *end_ = nullptr;
};

class TextStlFaces : public MeshFaces {
public:
    explicit TextStlFaces(const std::string& path) : file_(path), stride_(look_stride(2 * file_.size())) {
        char start[512];
        const size_t got = file_.read(0, start, sizeof start);
        if (got < sizeof start || std::memcmp(start, "solid", 5) != 0 || std::memchr(start, 0, got)) return;
        // As long as some of them are, all are in the mean.
        constexpr uint64_t looks = 4096;
        const uint64_t apart = file_.size() / looks;
        Facets facets(file_);
        Corners corners;
        double bytes = 0, seen = 0;
        for (uint64_t k = 0; k < looks; ++k) {
            if (!facets.move_to(k * apart + scattered(k, 13) % std::max<uint64_t>(1, apart), 2 * most_bytes)) continue;
            const uint64_t begin = facets.place();
            if (!facets.read(corners)) return;
            if (!facets.next_facet()) continue;
            bytes += static_cast<double>(facets.place() - begin);
            ++seen;
        }
        if (seen < 0.9 * looks) return;
        facet_bytes_ = bytes / seen;
        count_ = static_cast<uint64_t>(static_cast<double>(file_.size()) / facet_bytes_);
    }
    uint64_t count() const override { return count_; }
    std::optional<Extent> extent() const override {
        const uint64_t apart = stride_ * part_bytes;
        return extent_of_parts((file_.size() + apart - 1) / apart, [&](uint64_t k, std::vector<char>&, Extent& extent) {
            Facets facets(file_);
            Corners corners;
            bool more = facets.move_to(k * apart, part_bytes + 2 * most_bytes);
            for (; more && facets.place() < k * apart + part_bytes; more = facets.next_facet()) {
                if (!facets.read(corners)) return false;
                for (const Float3& p : corners) extent.add(p);
            }
            return true;
        });
    }
    uint64_t looks_at_one_of() const override { return stride_; }
    double cost() const override { return 2; }
    std::unique_ptr<FaceReader> reader() const override { return std::make_unique<Reader>(*this); }

private:
    static constexpr size_t most_bytes = 1024;  ///< of a facet
    static constexpr size_t part_bytes = 1 << 16;

    class Reader : public FaceReader {
    public:
        explicit Reader(const TextStlFaces& faces) : faces_(faces), facets_(faces.file_) {}
        bool read(uint64_t first, uint64_t count, std::vector<Corners>& triangles) override {
            if (first + count > faces_.count_) return false;
            uint64_t place = static_cast<uint64_t>(static_cast<double>(first) * faces_.facet_bytes_);
            for (uint64_t n = 0; n < count; ++n) {
                // Behind the last there is none: it is taken again.
                bool found = facets_.move_to(place, 2 * most_bytes);
                for (uint64_t back = most_bytes; !found && place > back; back *= 2)
                    found = back < (1 << 16) && facets_.move_to(place - back, back + 2 * most_bytes);
                if (!found || !facets_.read(triangles.emplace_back())) return false;
                place = facets_.place();
            }
            return true;
        }

    private:
        const TextStlFaces& faces_;
        Facets facets_;
    };

    RandomAccessFile file_;
    uint64_t stride_, count_ = 0;
    double facet_bytes_ = 0;  ///< in the mean
};

}  // namespace

std::unique_ptr<MeshFaces> stl_faces(const std::string& path) {
    if (std::unique_ptr<MeshFaces> faces = if_any<BinaryStlFaces>(path)) return faces;
    return if_any<TextStlFaces>(path);
}

}  // namespace firn
