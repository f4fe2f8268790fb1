#pragma once

// The one table of what a scene file may hold. The reader checks against it, `firn keys` and docs/scene.md print it.
// The engine's own parameters are not repeated here: they come from parameter_table(), each in the section of its
// folder.

#include <string>
#include <vector>

#include "firn/parameters.h"

namespace firn {

enum class KeyType {
    number,   ///< of any kind
    integer,  ///< whole
    toggle,   ///< true or false
    text,
    file,    ///< a path, relative to the scene file
    choice,  ///< one of a few words
    words,   ///< ["a", "b"]
    values,  ///< a list of anything
    pair,    ///< [1280, 720]
    vector,  ///< [x, y, z]
    table,   ///< a section of its own, or { inline = true }
    tables,  ///< a list of them
    either,  ///< text, or a table
};

/// What --resume makes of a key when it compares scenes (physics_text.h).
enum class KeyEffect {
    motion,   ///< the motion depends on it: its value is compared
    derived,  ///< the motion depends on it by way of engine parameters or a body's material: those are compared
    none,     ///< pictures, files and other runs: not compared
};

struct SceneKey {
    const char* section;
    const char* key;
    KeyType type;
    const char* unit;     ///< "" = none
    const char* initial;  ///< the default as text, "" = none
    double low, high;     ///< of numbers, both allowed
    const char* help;     ///< one line
    std::vector<const char*> choices = {};
    const char* shapes = "";  ///< in [[snow]] and [[collider]]: the shapes that have this key, "" = all
    KeyEffect effect = KeyEffect::motion;
    const char* alias = "";  ///< another name that files may use, "" = none
};

struct SceneSection {
    const char* name;     ///< as in SceneKey::section
    const char* heading;  ///< as it stands in a file: "[[snow]]"
    const char* help;
};

const std::vector<SceneSection>& scene_sections();
const std::vector<SceneKey>& scene_keys();
/// By its name or its alias; nullptr if there is none.
const SceneKey* find_key(const std::string& section, const std::string& key);

/// The section that a parameter stands in: material, scene, time, solver or machine.
const char* section_of(const ParameterInfo&);
/// nullptr unless the section takes that parameter; aliases are known.
const ParameterInfo* find_parameter_in(const std::string& section, const std::string& token);

/// Every key of a section, parameters included, for suggestions.
std::vector<std::string> words_of(const std::string& section);

}  // namespace firn
