#pragma once

// A table of a scene file, read by its keys. Every value is checked against the table of keys (scene_keys.h) before it
// is handed out; a mistake is an Error with its place.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/parameters.h"
#include "firn/vector.h"
#include "scene.h"
#include "scene_keys.h"
#include "toml_parser.h"

namespace firn {

/// Begins the source of a value that came from the command line.
inline const std::string set_mark = "--set ";

/// "file:line:column", or the --set that it came from.
std::string place_of(const std::string& file, const toml::source_region&);
/// Throws Error "where: what".
[[noreturn]] void fail(const std::string& where, const std::string& what);
/// "a number", "a list", ...
const char* type_name(const toml::node&);

class SceneTable {
public:
    /// Throws Error for a key that `section` does not have. `title` is for messages: "[scene]". The TOML must outlive
    /// this.
    SceneTable(std::string file, const toml::table&, std::string section, std::string title);
    /// From now on every value that is read, and that the motion depends on, is noted there as "name.key". Tables of
    /// list() inherit it.
    void record(std::vector<MotionValue>& to, std::string name);

    const std::string& title() const { return title_; }
    std::string where() const { return place_of(file_, table_->source()); }
    std::string where(const char* key) const;
    /// Under its name or its alias.
    const toml::node* get(const char* key) const { return table_->get(given_name(key)); }
    bool has(const char* key) const { return get(key) != nullptr; }
    [[noreturn]] void fail_at(const char* key, const std::string& what) const { fail(where(key), what); }

    // The value of a key, or the default of its row.
    double number(const char* key) const;
    float real(const char* key) const;
    /// A number whose default is not one: 0 stands for "not given".
    float real_or_zero(const char* key) const { return has(key) ? real(key) : 0.0f; }
    int integer(const char* key) const;
    uint32_t seed(const char* key) const;
    /// None unless given; `meaning` is what none stands for.
    std::optional<int> optional_integer(const char* key, std::optional<int> meaning = {}) const;
    bool toggle(const char* key) const;
    std::string text(const char* key) const;
    /// A path, seen from the folder unless it is absolute; "" unless given.
    std::string path(const char* key, const std::string& folder) const;
    std::vector<std::string> words(const char* key) const;
    Float3 vector(const char* key) const;
    /// `otherwise` unless given.
    Float3 vector(const char* key, const Float3& otherwise) const;
    std::pair<int, int> whole_pair(const char* key) const;
    /// Notes what follows from several keys.
    void note(const std::string& name, const std::string& value, bool is_file = false) const;

    /// A table within this one.
    std::optional<SceneTable> table(const char* key, const char* section, const std::string& title) const;
    /// The tables of a list; one table alone counts as a list of one.
    std::vector<SceneTable> list(const char* key, const char* section, const std::string& title) const;

    /// Sets the engine's parameters that stand in this table.
    void set_parameters(Parameters&) const;
    /// Throws when a key was given that this shape does not have.
    void check_shape(const std::string& shape) const;

private:
    std::string key_place(const toml::key&, const toml::node&) const;
    void check_known(const toml::key&, const toml::node&) const;
    const SceneKey& row(const char* key) const;
    /// The one of its names that the file uses.
    const char* given_name(const char* key) const;
    void note(const SceneKey&, const std::string& value) const;
    // Checked, and not noted.
    double number_of(const char* key) const;
    std::string text_of(const char* key) const;
    std::vector<std::string> words_of(const char* key) const;
    double number(const SceneKey&, const toml::node&, const std::string& name) const;
    void numbers(const char* key, double* value, size_t count, const char* form) const;
    std::string parameter_value(const ParameterInfo&, const std::string& token, const toml::node&) const;

    std::string file_;
    const toml::table* table_;
    std::string section_, title_;
    std::vector<MotionValue>* recorder_ = nullptr;
    std::string name_;  ///< of this table in the record
};

/// A path as it stands in a scene, seen from the folder unless it is absolute.
std::string resolved(const std::string& folder, const std::string& file);

}  // namespace firn
