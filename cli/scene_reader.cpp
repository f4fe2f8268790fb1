// The tables of a scene file -> Scene.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "firn/air.h"
#include "firn/error.h"
#include "firn/particles.h"
#include "firn/regular_file.h"
#include "firn/short_token.h"
#include "firn/spelling.h"
#include "scene.h"
#include "scene_keys.h"
#include "scene_materials.h"
#include "scene_override.h"
#include "scene_table.h"
#include "wording.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

constexpr float pi = 3.14159265358979f;

ShapeKind shape_named(const std::string& token) {
    if (token == "layer") return ShapeKind::heightfield;
    for (const ShapeKind shape : {ShapeKind::box, ShapeKind::sphere, ShapeKind::cylinder, ShapeKind::plane,
                                  ShapeKind::mesh, ShapeKind::vdb, ShapeKind::heightfield, ShapeKind::particles})
        if (token == shape_token(shape)) return shape;
    throw Error("there is no shape '" + token + "'");
}

/// Houdini's $F, $F4 and ####, as other programs write them, become %d, %04d and %04d.
std::string with_percent(const std::string& file) {
    std::string out;
    for (size_t at = 0; at < file.size();) {
        const bool houdini = file.compare(at, 2, "$F") == 0;
        size_t end = houdini ? at + 2 : at;
        if (houdini)
            while (end < file.size() && std::isdigit(static_cast<unsigned char>(file[end]))) ++end;
        else
            while (end < file.size() && file[end] == '#') ++end;
        if (end == at) {
            out += file[at++];
            continue;
        }
        const std::string digits = houdini ? file.substr(at + 2, end - at - 2) : std::to_string(end - at);
        out += digits.empty() || digits == "1" ? "%d" : "%0" + digits + "d";
        at = end;
    }
    return out;
}

/// How many '%04d' (or %d, %4d) stand in a file name, where $F4 and #### become one. Throws when another % does.
int frame_patterns(const SceneTable& section, std::string& file) {
    file = with_percent(file);
    int count = 0;
    for (size_t at = file.find('%'); at != std::string::npos; at = file.find('%', at + 1)) {
        size_t end = at + 1;
        while (end < file.size() && std::isdigit(static_cast<unsigned char>(file[end]))) ++end;
        if (end == file.size() || file[end] != 'd' || end > at + 3 || ++count > 1)
            section.fail_at("file", "file = \"" + file +
                                        "\": one %d, %04d, $F4 or #### may stand in it for the frame, and no other %");
    }
    return count;
}

Geometry read_geometry(const SceneTable& section, const std::string& folder) {
    Geometry geometry;
    const std::string token = section.text("shape");
    section.check_shape(token);
    geometry.shape = shape_named(token);
    geometry.size = section.vector("size");
    geometry.endless = geometry.shape == ShapeKind::plane && !section.has("size");
    geometry.radius = section.real("radius");
    geometry.height = section.real("height");
    if (section.has("grid")) geometry.grid = section.text("grid");
    geometry.cell = section.real("cell");
    geometry.relief = section.real("relief");
    geometry.placed.position = section.vector("position");
    geometry.placed.rotation = section.vector("rotation");
    geometry.placed.scale = section.real("scale");
    geometry.file = section.path("file", folder);
    const bool needs_file = geometry.shape == ShapeKind::mesh || geometry.shape == ShapeKind::vdb ||
                            geometry.shape == ShapeKind::heightfield || geometry.shape == ShapeKind::particles;
    const bool on_collider = token == "layer" && section.has("on");
    if (on_collider)
        for (const char* key : {"file", "position", "scale"})
            if (section.has(key))
                section.fail_at(
                    key, std::string("the collider of 'on' says what is under the layer; take this '") + key + "' out");
    if (needs_file && geometry.file.empty() && !on_collider)
        fail(section.where(), section.title() + " with shape = \"" + token + "\" needs a 'file'" +
                                  (token == "layer" ? ", or the name of a collider, 'on'" : ""));
    return geometry;
}

/// What a body's material keys come to; `own` as in Snow.
void note_material(const SceneTable& body, const SnowMaterial& material, bool own) {
    body.note("material", own ? "given" : "the scene's, or that of the particles");
    for (const MaterialQuantity& q : material_table()) body.note(q.token, shortest_text(material.material.*q.value));
    const MaterialNoise& noise = material.noise;
    body.note("noise.amplitude", shortest_text(noise.amplitude));
    if (noise.amplitude == 0) return;
    body.note("noise.scale", shortest_text(noise.scale));
    body.note("noise.seed", std::to_string(noise.seed));
    body.note("noise.of", comma_list(noise.of));
}

Snow read_snow(SceneTable section, Scene& scene, const Materials& materials, const SnowMaterial& otherwise) {
    Snow snow;
    snow.where = section.where();
    snow.name = section.has("name") ? section.text("name") : "snow" + std::to_string(scene.snow.size() + 1);
    section.record(scene.motion, "snow." + snow.name);
    snow.geometry = read_geometry(section, scene.folder);
    if (frame_patterns(section, snow.geometry.file))
        section.fail_at("file", "snow is placed once: give one file, without %d, $F or ####");
    snow.material = read_body_material(section, materials, otherwise);
    if (section.has("density")) snow.material.material.rest_density = section.real("density");
    snow.own_material = section.has("material") || section.has("density");
    note_material(section, snow.material, snow.own_material && snow.geometry.shape == ShapeKind::particles);
    snow.thickness = section.real("thickness");
    if (section.has("on")) snow.on = section.text("on");
    snow.spares = section.text("overlap") == "remove";
    snow.velocity = section.vector("velocity");
    snow.spin = section.vector("spin");
    snow.relaxed = section.text("filling") == "relaxed";
    snow.jitter = section.real("jitter");
    snow.seed = section.seed("seed");
    snow.start = section.optional_integer("start", scene.first_frame);
    snow.end = section.optional_integer("end");
    snow.rate = section.real("rate");
    if (snow.end && snow.rate == 0) section.fail_at("end", "'end' closes a source; give it a 'rate' too");
    if (snow.start && snow.end && *snow.end < *snow.start) section.fail_at("end", "the source ends before it starts");
    return snow;
}

std::vector<Key> read_keys(const SceneTable& collider) {
    std::vector<Key> keys;
    for (const SceneTable& section : collider.list("keys", "keys", "keys = [{ frame = 1, position = [0, 0, 0] }]")) {
        Key key = keys.empty() ? Key{} : keys.back();
        if (!section.has("frame")) fail(section.where(), "a key needs its 'frame'");
        key.frame = section.number("frame");
        if (!keys.empty() && key.frame <= keys.back().frame)
            section.fail_at("frame", "the keys must be in the order of their frames");
        key.position = section.vector("position", key.position);
        key.rotation = section.vector("rotation", key.rotation);
        keys.push_back(key);
    }
    return keys;
}

Collider read_collider(SceneTable section, Scene& scene) {
    Collider collider;
    collider.where = section.where();
    collider.name =
        section.has("name") ? section.text("name") : "collider" + std::to_string(scene.colliders.size() + 1);
    section.record(scene.motion, "collider." + collider.name);
    collider.geometry = read_geometry(section, scene.folder);
    const bool sequence = frame_patterns(section, collider.geometry.file) > 0;
    if (sequence && collider.geometry.shape != ShapeKind::mesh)
        section.fail_at("file", "only meshes may come as one file for each frame");
    collider.keys = read_keys(section);
    if (sequence && !collider.keys.empty())
        section.fail_at("keys", "a collider moves by its keys or by a file for each frame, not by both");
    for (const char* key : {"position", "rotation"})
        if (!collider.keys.empty() && section.has(key))
            section.fail_at(key,
                            std::string("the keys say where it is; take this '") + key + "' out, or put it into them");
    if (!collider.keys.empty()) {
        collider.geometry.placed.position = collider.keys.front().position;
        collider.geometry.placed.rotation = collider.keys.front().rotation;
    }
    if (collider.geometry.shape == ShapeKind::heightfield && !collider.keys.empty())
        section.fail_at("keys", "a heightfield can't move; use a mesh");
    collider.smooth = section.text("interpolation") == "smooth";
    collider.inverted = section.toggle("inverted");
    collider.two_sided = section.toggle("two_sided");
    collider.friction = section.real("friction");
    collider.adhesion = section.real("adhesion");
    collider.bounce = section.real("bounce");
    collider.sticky = section.real("sticky");
    collider.visible = section.toggle("visible");
    collider.colour = section.vector("colour");
    return collider;
}

SceneWind read_wind(const SceneTable& section, const std::string& folder) {
    SceneWind wind;
    for (const char* key : {"grid", "scale"})
        if (section.has(key) && !section.has("file"))
            section.fail_at(key, std::string("'") + key + "' belongs to a .vdb; give its 'file' too");
    if (!section.has("file")) return wind;
    wind.where = section.where("file");
    wind.file = section.path("file", folder);
    if (wind.file.empty()) section.fail_at("file", "'file' is empty; name a .vdb, or take it out");
    frame_patterns(section, wind.file);
    if (section.has("grid")) wind.grid = section.text("grid");
    wind.scale = section.real("scale");
    return wind;
}

SceneCamera read_camera(const SceneTable& section) {
    SceneCamera camera;
    camera.given = section.has("eye");
    if (camera.given) camera.eye = section.vector("eye");
    camera.target = section.vector("target");
    camera.angle = section.real("angle") * pi / 180;
    std::tie(camera.width, camera.height) = section.whole_pair("size");
    camera.f_stop = section.real_or_zero("f_stop");
    camera.focus = section.real_or_zero("focus");
    camera.shutter = section.real("shutter");
    const Float3 &e = camera.eye, &t = camera.target;
    if (camera.given && e.x == t.x && e.y == t.y && e.z == t.z)
        section.fail_at("eye", "the camera's eye and target are the same point");
    return camera;
}

/// A picture shows a ground where the snow has one: a plane that lies level and still.
void read_ground(const SceneTable& camera, Scene& scene) {
    for (const Collider& c : scene.colliders) {
        const Float3& turn = c.geometry.placed.rotation;
        if (c.geometry.shape != ShapeKind::plane || c.keys.size() > 1 || c.inverted || turn.x != 0 || turn.z != 0)
            continue;
        if (!scene.has_ground || c.geometry.placed.position.y < scene.ground)
            scene.ground = c.geometry.placed.position.y;
        scene.has_ground = true;
    }
    if (camera.has("ground")) scene.has_ground = camera.toggle("ground");
    if (camera.has("ground_height")) scene.ground = camera.real("ground_height");
}

SceneOutput read_output(const SceneTable& section, const std::string& folder) {
    SceneOutput output;
    if (section.has("folder")) output.folder = resolved(folder, section.text("folder"));
    output.particles = section.text("particles");
    output.volumes = section.words("volumes");
    std::vector<std::string> grids = {"density", "vel", "surface", "density_masked"};
    for (const ParticleArray& array : particle_arrays())
        if ((array.components == 1 || array.components == 3) && std::string(array.name) != "P")
            grids.push_back(array.name);
    for (const std::string& grid : output.volumes)
        if (std::find(grids.begin(), grids.end(), grid) == grids.end())
            section.fail_at("volumes", "there is no grid '" + short_token(grid) + "'" + did_you_mean(grid, grids) +
                                           "; there are " + comma_list(grids));
    output.every = section.integer("every");
    output.voxel = section.real_or_zero("voxel");
    output.half_float = section.toggle("half_float");
    output.compression = section.text("compression");
    output.staggered = section.toggle("staggered");
    output.velocity_extension = section.real_or_zero("velocity_extension");
    output.surface_radius = section.real_or_zero("surface_radius");
    output.surface_dilate = section.real("surface_dilate");
    if (section.has("surface_smooth")) output.surface_smooth = section.integer("surface_smooth");
    output.surface_erode = section.real("surface_erode");
    output.surface_shape = section.text("surface_shape");
    output.surface_relief = section.real_or_zero("surface_relief");
    output.surface_relief_size = section.real_or_zero("surface_relief_size");
    output.density_grains = section.integer("density_grains");
    output.usd = section.toggle("usd");
    output.checkpoint_every = section.integer("checkpoint_every");
    output.checkpoint_keep = section.integer("checkpoint_keep");
    return output;
}

WedgeAxis read_wedge_axis(const SceneTable& section) {
    WedgeAxis axis;
    if (!section.has("key")) fail(section.where(), "a [[wedge]] needs its 'key', as --set takes it");
    axis.key = section.text("key");
    if (axis.key.empty() || axis.key.find('=') != std::string::npos)
        section.fail_at("key",
                        "key = \"" + axis.key + "\" names no value; write it as --set takes it, without the '='");
    const toml::node* node = section.get("values");
    const toml::array* list = node ? node->as_array() : nullptr;
    if (!list || list->empty()) section.fail_at("values", "a [[wedge]] needs its 'values', [1, 2, 3]");
    for (const toml::node& value : *list) {
        if (const auto number = value.value_exact<double>()) {
            axis.values.push_back(shortest_text(*number));  // 0.1, not 0.10000000000000001
            continue;
        }
        std::ostringstream text;
        value.visit([&](const auto& it) { text << it; });
        axis.values.push_back(text.str());
    }
    return axis;
}

/// More is a slip, and would start as many runs.
constexpr size_t wedge_limit = 10000;

std::vector<WedgeAxis> read_wedges(const SceneTable& top) {
    std::vector<WedgeAxis> axes;
    size_t count = 1;
    for (const SceneTable& section : top.list("wedge", "wedge", "[[wedge]]")) {
        axes.push_back(read_wedge_axis(section));
        if (count > wedge_limit / axes.back().values.size())
            section.fail_at("values", "more than " + std::to_string(wedge_limit) + " combinations of wedges");
        count *= axes.back().values.size();
    }
    return axes;
}

template <class Body>
void require_own_names(const std::vector<Body>& bodies) {
    std::set<std::string> names;
    for (const Body& body : bodies) {
        if (body.name.empty()) fail(body.where, "a name is empty");
        if (!names.insert(body.name).second) fail(body.where, "the name '" + body.name + "' is taken twice");
    }
}

void require_file_name(const std::string& name, const std::string& where) {
    const bool fine = !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
                      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
                          std::string::npos;
    if (!fine)
        fail(where, "the scene's name '" + name +
                        "' becomes part of file names: use up to 100 letters, digits, '_', '-' and '.'");
}

void collect_hints(Scene& scene) {
    const auto hint = [&](const std::string& where, const std::string& what) {
        scene.warnings.push_back(where + ": " + what);
    };
    for (const Snow& snow : scene.snow) {
        if (snow.material.material.young_modulus < 1000)
            hint(snow.where, "'" + snow.name + "' has E = " + nine_digits(snow.material.material.young_modulus) +
                                 " Pa, softer than any snow; E is in Pa, 140 kPa is 140e3");
        const bool late = snow.start && *snow.start > scene.last_frame;
        if (late) hint(snow.where, "'" + snow.name + "' starts after the last frame");
    }
    if (!scene.wind.file.empty() && !has_air(effective(scene.parameters)))
        hint(scene.wind.where,
             "the wind does nothing while there is no air: raise 'drag', or set drag_law = \"flakes\"");
    for (const Collider& collider : scene.colliders) {
        if (!collider.keys.empty() && collider.keys.front().frame > scene.last_frame)
            hint(collider.where, "'" + collider.name + "' has its first key after the last frame");
    }
}

/// The lines that a run put above its copy of the scene, `folder` and `set`, taken out of the text again.
std::string without_top(const std::string& text, const toml::table& root) {
    std::set<size_t> drop;
    for (const char* key : {"folder", "set"}) {
        const toml::node* node = root.get(key);
        if (!node) continue;
        for (auto line = node->source().begin.line; line <= node->source().end.line; ++line) drop.insert(line);
    }
    if (drop.empty()) return text;
    std::istringstream in(text);
    std::string kept;
    size_t number = 0;
    for (std::string line; std::getline(in, line);)
        if (!drop.count(++number)) kept += line + "\n";
    return kept;
}

Scene scene_of(const toml::table& root, const std::string& path, const std::string& text) {
    Scene scene;
    scene.path = path;
    scene.text = without_top(text, root);
    const SceneTable top(path, root, "", "the file's top level");
    const toml::table nothing;
    // A section that is not there is an empty one: the defaults stand in the table of keys.
    const auto section = [&](const char* name) {
        const std::string title = "[" + std::string(name) + "]";
        SceneTable table = top.table(name, name, title).value_or(SceneTable(path, nothing, name, title));
        table.record(scene.motion, name);
        return table;
    };

    scene.folder = fs::path(path).parent_path().string();
    if (top.has("folder")) scene.folder = resolved(scene.folder, top.text("folder"));

    const SceneTable about = section("scene");
    scene.name = about.has("name") ? about.text("name") : fs::path(path).stem().string();
    require_file_name(scene.name, about.where("name"));
    scene.resolution = about.real("resolution");
    scene.method = about.text("method");
    about.set_parameters(scene.parameters);

    const SceneTable time = section("time");
    time.set_parameters(scene.parameters);
    scene.fps = time.number("fps");
    scene.first_frame = time.integer("start");
    scene.last_frame = time.has("end") ? time.integer("end") : scene.first_frame + 47;
    scene.settle = time.number("settle");
    if (scene.last_frame < scene.first_frame) time.fail_at("end", "the last frame comes before the first");

    const SceneTable machine = section("machine");
    machine.set_parameters(scene.parameters);
    scene.device = machine.text("device");
    section("solver").set_parameters(scene.parameters);
    const SceneTable wind = section("wind");
    if (root.contains("wind") && !wind.has("drag")) scene.parameters.drag_law = DragLaw::flakes;
    wind.set_parameters(scene.parameters);
    scene.wind = read_wind(wind, scene.folder);

    const SnowMaterial common = read_material(section("material"), {material_of(Parameters()), {}});
    apply(common.material, scene.parameters);
    const Materials materials = read_materials(path, root, common);

    scene.parameters.spacing /= scene.resolution;
    try {
        validate(scene.parameters);
    } catch (const Error& error) {
        fail(about.where("resolution"), std::string(error.what()) + " (spacing is divided by the resolution)");
    }

    for (const SceneTable& body : top.list("snow", "snow", "[[snow]]"))
        scene.snow.push_back(read_snow(body, scene, materials, common));
    require_own_names(scene.snow);
    for (const SceneTable& body : top.list("collider", "collider", "[[collider]]"))
        scene.colliders.push_back(read_collider(body, scene));
    require_own_names(scene.colliders);
    for (const Snow& snow : scene.snow) {
        if (snow.on.empty()) continue;
        std::vector<std::string> names;
        for (const Collider& collider : scene.colliders) names.push_back(collider.name);
        if (std::find(names.begin(), names.end(), snow.on) == names.end())
            fail(snow.where, "'" + snow.name + "' lies on '" + snow.on + "', but no collider is called that" +
                                 did_you_mean(snow.on, names));
    }

    const SceneTable camera = section("camera");
    scene.camera = read_camera(camera);
    read_ground(camera, scene);
    scene.output = read_output(section("output"), scene.folder);
    scene.wedges = read_wedges(top);
    collect_hints(scene);
    return scene;
}

}  // namespace

const char* shape_token(ShapeKind shape) {
    switch (shape) {
        case ShapeKind::box:
            return "box";
        case ShapeKind::sphere:
            return "sphere";
        case ShapeKind::cylinder:
            return "cylinder";
        case ShapeKind::plane:
            return "plane";
        case ShapeKind::mesh:
            return "mesh";
        case ShapeKind::vdb:
            return "vdb";
        case ShapeKind::heightfield:
            return "heightfield";
        case ShapeKind::particles:
            return "particles";
    }
    return "";
}

Scene parse_scene(const std::string& text, const std::string& path, const std::vector<std::string>& overrides) {
    toml::table root;
    try {
        root = toml::parse(text, path);
    } catch (const toml::parse_error& error) {
        fail(place_of(path, error.source()), library_words(error.description()));
    }
    std::vector<std::string> applied;
    if (root.contains("set")) applied = SceneTable(path, root, "", "the file's top level").words("set");
    applied.insert(applied.end(), overrides.begin(), overrides.end());
    for (const std::string& assignment : applied) apply_override(root, assignment);
    Scene scene = scene_of(root, path, text);
    scene.overrides = std::move(applied);
    return scene;
}

Scene read_scene(const std::string& path, const std::vector<std::string>& overrides) {
    std::error_code error;
    if (fs::is_directory(path, error)) throw Error(path + ": this is a folder; give a scene file");
    // What a shell hands over, `firn check <(...)`, is a pipe that has a writer.
    if (path.rfind("/dev/", 0) != 0) require_regular_file(path);
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(path + ": can't read this scene file; is the name right?");
    constexpr std::streamsize limit = 64 << 20;
    std::string text;
    std::vector<char> block(1 << 16);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
        text.append(block.data(), static_cast<size_t>(file.gcount()));
        if (text.size() > static_cast<size_t>(limit))
            throw Error(path + ": is larger than 64 MB; that is no scene file");
    }
    return parse_scene(text, path, overrides);
}

}  // namespace firn
