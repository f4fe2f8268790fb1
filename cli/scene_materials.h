#pragma once

#include <map>
#include <string>

#include "scene.h"
#include "scene_table.h"

namespace firn {

/// The [materials.NAME] of a scene.
using Materials = std::map<std::string, SnowMaterial>;

/// A [material] or the inline material of a body. `otherwise`: what holds where neither a preset nor a value is given.
SnowMaterial read_material(const SceneTable&, const SnowMaterial& otherwise);
Materials read_materials(const std::string& file, const toml::table& root, const SnowMaterial& otherwise);
/// The `material` of a [[snow]]: a preset, one of the scene's, or a table.
SnowMaterial read_body_material(const SceneTable& body, const Materials&, const SnowMaterial& otherwise);

}  // namespace firn
