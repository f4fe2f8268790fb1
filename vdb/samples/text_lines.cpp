#include "samples/text_lines.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstring>

#include "samples/plain_number.h"

namespace firn {

namespace {

constexpr uint64_t part_bytes = 1 << 20;

bool ends(const char* at, const char* end) {
    return at == end || is_blank(*at) || *at == '\n';
}

}  // namespace

bool number_at(const char*& at, const char* end, float& value) {
    const char* plain = at;
    if (plain_number(plain, end, value) && ends(plain, end)) {
        at = plain;
        return true;
    }
    const auto [after, error] = std::from_chars(at, end, value);
    at = after;
    return error == std::errc() && std::isfinite(value) && ends(at, end);
}

bool number_at(const char*& at, const char* end, int64_t& value) {
    const auto [after, error] = std::from_chars(at, end, value);
    at = after;
    return error == std::errc();
}

bool point_at(const char*& at, const char* end, Float3& p) {
    for (float* coordinate : {&p.x, &p.y, &p.z}) {
        skip_blanks(at, end);
        if (!number_at(at, end, *coordinate)) return false;
    }
    return true;
}

uint64_t look_stride(uint64_t bytes) {
    constexpr uint64_t looked_at = uint64_t(1) << 30;
    return 1 + bytes / looked_at;
}

TextLines::TextLines(const RandomAccessFile& file, uint64_t begin, KindOf kind_of, const Look& look)
    : file_(file), begin_(begin), block_bytes_(256), kind_of_(kind_of) {
    constexpr uint64_t most_blocks = 1 << 22;  // 32 MB
    const uint64_t bytes = file.size() - begin;
    while (bytes / block_bytes_ >= most_blocks && block_bytes_ < part_bytes) block_bytes_ *= 2;
    before_.resize(static_cast<size_t>(bytes / block_bytes_ + 1));
    std::atomic<bool> all_fine{true};
    struct Work {
        std::vector<char> bytes;
        Extent extent;
    };
    tbb::enumerable_thread_specific<Work> works;
    tbb::parallel_for(uint64_t(0), (bytes + part_bytes - 1) / part_bytes, [&](uint64_t k) {
        Work& work = works.local();
        if (all_fine && !look_through(k, look, work.bytes, work.extent)) all_fine = false;
    });
    if (!all_fine) return;
    for (const Work& work : works) extent_.add(work.extent);
    for (Counts& block : before_)
        for (size_t kind = 0; kind < kinds; ++kind) {
            const uint32_t here = block[kind];
            block[kind] = static_cast<uint32_t>(count_[kind]);
            count_[kind] += here;
        }
    fine_ = *std::max_element(count_.begin(), count_.end()) < UINT32_MAX;
}

/// The lines that begin in a part.
bool TextLines::look_through(uint64_t k, const Look& look, std::vector<char>& bytes, Extent& extent) {
    const uint64_t begin = begin_ + k * part_bytes;
    // One byte before, which tells whether a line begins here, and the rest of the last line.
    const uint64_t from = k == 0 ? begin : begin - 1;
    bytes.resize(part_bytes + 1 + longest_text_line);
    const char* const start = bytes.data();
    const char* const end = start + file_.read(from, bytes.data(), bytes.size());
    const char* const part = start + (begin - from);
    const char* const part_end = std::min(end, part + part_bytes);
    const auto next_line = [&](const char* at) {
        return static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
    };
    const char* at = part;
    if (k > 0) {
        at = next_line(start);
        if (!at) return false;
        ++at;
    }
    uint64_t looked_at = 0;
    Counts* const first_block = &before_[static_cast<size_t>(k * part_bytes / block_bytes_)];
    while (at < part_end) {
        const char* newline = next_line(at);
        if (!newline && from + static_cast<uint64_t>(end - start) < file_.size()) return false;
        if (!newline) newline = end;
        const std::string_view line(at, static_cast<size_t>(newline - at));
        if (line.size() > longest_text_line - 1) return false;
        const Kind kind = kind_of_(line);
        if (kind == unusual || (look && kind == first_kind && !look(line, looked_at++, extent))) return false;
        if (kind != other) ++first_block[static_cast<uint64_t>(at - part) / block_bytes_][kind];
        at = newline + 1;
    }
    return true;
}

std::optional<std::string_view> TextLines::line_at(uint64_t at, CachedBytes& bytes) {
    const std::string_view here = bytes.bytes(at, longest_text_line);
    const size_t newline = here.find('\n');
    if (newline != here.npos) return here.substr(0, newline);
    if (here.empty() || here.size() == longest_text_line) return {};
    return here;
}

std::optional<uint64_t> TextLines::first_line(uint64_t block, CachedBytes& bytes) const {
    const uint64_t at = begin_ + block * block_bytes_;
    if (block == 0) return at;
    const std::optional<std::string_view> rest = line_at(at - 1, bytes);
    if (!rest) return {};
    return at + rest->size();
}

std::optional<uint64_t> TextLines::place(Kind kind, uint64_t number, CachedBytes& bytes) const {
    if (number >= count_[kind]) return {};
    const auto behind = std::upper_bound(before_.begin(), before_.end(), number,
                                         [&](uint64_t n, const Counts& block) { return n < block[kind]; });
    uint64_t left = number - (*(behind - 1))[kind];
    std::optional<uint64_t> at = first_line(static_cast<uint64_t>(behind - 1 - before_.begin()), bytes);
    while (at) {
        const std::optional<std::string_view> line = line_at(*at, bytes);
        if (!line) return {};
        if (kind_of_(*line) == kind && left-- == 0) return at;
        *at += line->size() + 1;
    }
    return {};
}

uint64_t TextLines::count_before(Kind kind, uint64_t place, CachedBytes& bytes) const {
    const uint64_t block = (place - begin_) / block_bytes_;
    uint64_t count = before_[static_cast<size_t>(block)][kind];
    for (std::optional<uint64_t> at = first_line(block, bytes); at && *at < place;) {
        const std::optional<std::string_view> line = line_at(*at, bytes);
        if (!line) break;
        count += kind_of_(*line) == kind;
        *at += line->size() + 1;
    }
    return count;
}

}  // namespace firn
