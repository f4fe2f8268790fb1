#pragma once

// What all point files have in common: columns of equal length, one for each attribute, and a few facts about the
// whole.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/particle_file.h"

namespace firn {

enum class Storage { float32, float64, int32, int64 };

/// An attribute about to be written: one of the three pointers is set (the ParticleFile owns the memory), or
/// `constant`.
struct Column {
    std::string name;  ///< as Houdini allows it, unique
    std::string meaning;
    int components = 1;
    Storage storage = Storage::float32;
    const float* floats = nullptr;
    const double* doubles = nullptr;
    const int64_t* integers = nullptr;
    const std::vector<std::string>* strings = nullptr;  ///< not null = the integers number these
    std::optional<float> constant;                      ///< every point's value
    double standard = 0;                                ///< Houdini's default for new points
};

/// Every array of the particles that is not empty, pscale from the spacing, and the extra attributes, P first. Throws
/// Error when their lengths differ.
std::vector<Column> columns_of(const ParticleFile&);

/// One entry of the metadata, as a number where its text is exactly how that number is written.
struct Detail {
    enum class Kind { integer, real, text };
    std::string name;
    Kind kind = Kind::text;
    int64_t integer = 0;
    double real = 0;
    std::string text;
};
std::vector<Detail> details_of(const ParticleFile&);
/// The names of the groups, as Houdini allows them. Throws Error when a group has more or fewer points than the file.
std::vector<std::string> group_names_of(const ParticleFile&);
std::string text_of(int64_t number);
std::string text_of(double number);
/// The shortest text that is this float again.
std::string text_of(float number);

/// Where a reader puts the numbers of an attribute; one of the three is set (none for an attribute of no points).
struct ColumnSpace {
    float* floats = nullptr;
    double* doubles = nullptr;
    int64_t* integers = nullptr;
};
/// Makes room for count * components numbers: in Particles where the engine knows name and shape, else as an extra.
ColumnSpace add_column(ParticleFile&, const std::string& name, const std::string& meaning, Storage, int components,
                       size_t count);
/// The last step of every reader: takes the spacing from pscale and checks that there are positions. `where` begins
/// the error.
void finish_columns(ParticleFile&, size_t count, const std::string& where);

/// How much a reader may take, in proportion to the file, so that no number in a hostile file is believed.
class MemoryBudget {
public:
    explicit MemoryBudget(size_t file_bytes) : left_((uint64_t{1} << 20) + 64 * uint64_t{file_bytes}) {}
    /// Whether count * components numbers of `bytes` bytes still fit; if so, they count as taken.
    bool take(uint64_t count, uint64_t components, uint64_t bytes);

private:
    uint64_t left_;
};

}  // namespace firn
