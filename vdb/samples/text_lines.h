#pragma once

// The lines of a huge text file by their numbers: how many of each kind begin before every so many bytes is known, and
// from there they are counted.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "samples/random_access.h"
#include "samples/triangle_source.h"

namespace firn {

constexpr size_t longest_text_line = CachedBytes::longest;

inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
/// The number at `at`, which moves on behind it. False for what is none, or not finite.
bool number_at(const char*& at, const char* end, float& value);
bool number_at(const char*& at, const char* end, int64_t& value);
inline void skip_blanks(const char*& at, const char* end) {
    while (at != end && is_blank(*at)) ++at;
}
inline void skip_word(const char*& at, const char* end) {
    while (at != end && !is_blank(*at)) ++at;
}
/// Three numbers that come next.
bool point_at(const char*& at, const char* end, Float3& p);

/// Of text files that are larger not all points are looked at: every so many lines one.
uint64_t look_stride(uint64_t bytes);

class TextLines {
public:
    static constexpr int kinds = 2;
    enum Kind { first_kind, second_kind, other, unusual };
    using KindOf = Kind (*)(std::string_view line);
    /// Of a line of the first kind, `number` of which came before it in some part of the file: widens the extent by
    /// its point. False if it has none.
    using Look = std::function<bool(std::string_view line, uint64_t number, Extent&)>;

    /// Looks through all lines from `begin` on, once.
    TextLines(const RandomAccessFile&, uint64_t begin, KindOf, const Look& = {});
    /// All lines are short, and none is unusual or was looked at in vain.
    bool fine() const { return fine_; }
    uint64_t count(Kind kind) const { return count_[kind]; }
    /// Of all that was looked at.
    const Extent& extent() const { return extent_; }

    /// Where the line of a number begins, among those of its kind. `bytes`: of the same file.
    std::optional<uint64_t> place(Kind, uint64_t number, CachedBytes& bytes) const;
    /// How many lines of a kind begin before a place.
    uint64_t count_before(Kind, uint64_t place, CachedBytes& bytes) const;
    /// Nothing at the end of the file, and for a line that is too long.
    static std::optional<std::string_view> line_at(uint64_t at, CachedBytes& bytes);

private:
    using Counts = std::array<uint32_t, kinds>;
    bool look_through(uint64_t part, const Look&, std::vector<char>& bytes, Extent&);
    /// Of the first line that begins in a block or behind it.
    std::optional<uint64_t> first_line(uint64_t block, CachedBytes& bytes) const;

    const RandomAccessFile& file_;
    uint64_t begin_, block_bytes_;
    KindOf kind_of_;
    std::vector<Counts> before_;  ///< lines that begin before each block; while they are counted, in it
    std::array<uint64_t, kinds> count_{};
    Extent extent_;
    bool fine_ = false;
};

}  // namespace firn
