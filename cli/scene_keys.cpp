#include "scene_keys.h"

#include <cstring>

#include "firn/materials.h"
#include "firn/method.h"

namespace firn {

namespace {

constexpr KeyType number = KeyType::number, integer = KeyType::integer, toggle = KeyType::toggle, text = KeyType::text,
                  file = KeyType::file, choice = KeyType::choice, words = KeyType::words, pair = KeyType::pair,
                  vector = KeyType::vector, values = KeyType::values, table = KeyType::table, tables = KeyType::tables,
                  either = KeyType::either;
constexpr double far = 1e6;  ///< m: float positions have centimetres left there

SceneKey no_motion(SceneKey key) {
    key.effect = KeyEffect::none;
    return key;
}

SceneKey derived(SceneKey key) {
    key.effect = KeyEffect::derived;
    return key;
}

SceneKey also_called(const char* alias, SceneKey key) {
    key.alias = alias;
    return key;
}

std::vector<SceneKey> make_table() {
    // clang-format off
    std::vector<SceneKey> keys = {
        // section, key, type, unit, default, limits, help, choices, shapes
        no_motion({"", "folder", text, "", "", 0, 0, "Where relative paths start; the scene file's own folder unless given. A run writes it into its copy of the scene."}),
        no_motion({"", "set", words, "", "", 0, 0, "Changes as --set makes them, [\"material.E=2e5\"], applied before those of the command line."}),

        no_motion({"scene", "name", text, "", "the file's name", 0, 0, "Name of the run's files: letters, digits, '_', '-' and '.'."}),
        derived({"scene", "resolution", number, "", "1", 0.01, 100, "Divides the particle spacing: 2 makes eight times as many particles. Low for tests, high for the final shot."}),

        {"scene", "method", choice, "", "snow", 0, 0, "What moves the particles."},

        {"time", "fps", number, "1/s", "24", 1e-3, 1e5, "Frames per second."},
        {"time", "start", integer, "frame", "1", -1e6, 1e6, "First frame; it holds the snow as it was placed."},
        no_motion({"time", "end", integer, "frame", "48", -1e6, 1e6, "Last frame."}),
        {"time", "settle", number, "s", "0", 0, 1e3, "Pre-roll: the snow of the first frame comes to rest for so long before the shot, with the colliders where they stand then; its speed is then that it was given. Try 0.5 for snow that lies on something."},

        derived({"material", "preset", choice, "", "dry", 0, 0, "Kind of snow that the values below start from; 'measured' takes them from field work for the density given as rest_density."}),
        derived({"material", "noise", table, "", "", 0, 0, "Makes the snow uneven."}),

        derived({"noise", "amplitude", number, "", "0.3", 0, 3, "How uneven the snow is: values are multiplied by e^-amplitude to e^amplitude."}),
        derived({"noise", "scale", number, "m", "0.1", 1e-4, 1e4, "Size of the lumps."}),
        derived({"noise", "seed", integer, "", "0", 0, 4294967295.0, "Each number gives another pattern."}),
        derived({"noise", "of", words, "", "young_modulus theta_c theta_s", 0, 0, "What varies: young_modulus (E), theta_c, theta_s, friction_angle, hardening (xi), rest_density (rho0)."}),

        no_motion({"machine", "device", text, "", "auto", 0, 0, "auto (the first card that works, else the CPU), cuda, cuda:N for a certain card, cpu, or cpu:8, cpu:4, cpu:1 for a given lane width; `firn check` shows what this machine has."}),

        {"snow", "name", text, "", "snow1, snow2, ...", 0, 0, "Used in messages and by --set."},
        {"snow", "shape", choice, "", "box", 0, 0, "What is filled with snow.", {"box", "sphere", "cylinder", "mesh", "vdb", "layer", "particles"}},
        derived({"snow", "material", either, "", "the [material]", 0, 0, "A preset, the name of a [materials.NAME], or { preset = \"wet\", E = 2e5, noise = { ... } }. Particles of a file keep their own unless it is given."}),
        derived({"snow", "density", number, "kg/m^3", "the material's", 1, 2000, "Rest density of this body."}),
        {"snow", "velocity", vector, "m/s", "0 0 0", -1e4, 1e4, "Velocity at the start."},
        {"snow", "spin", vector, "degrees/s", "0 0 0", -1e6, 1e6, "Rotation about the body's position, at the start."},
        {"snow", "thickness", number, "m", "0.2", 1e-4, 1e3, "Vertical thickness of the layer.", {}, "layer"},
        {"snow", "on", text, "", "", 0, 0, "Name of the collider that the layer lies on, instead of a file: a car, a roof, a branch. Snow lies where a snowfall straight down would leave it, on slopes of up to 60 degrees, and moves with the collider at the start.", {}, "layer"},
        {"snow", "overlap", choice, "", "keep", 0, 0, "remove: particles that would lie in snow that is there already are left out, so that bodies may be placed into each other. keep: they stay, and snow that is placed twice bursts apart.", {"keep", "remove"}},
        {"snow", "filling", choice, "", "regular", 0, 0, "regular: a lattice. relaxed: moved until the shape is filled evenly, so that thin features survive; slower.", {"regular", "relaxed"}, "box sphere cylinder mesh vdb layer"},
        {"snow", "jitter", number, "", "0", 0, 1, "Breaks up the lattice: each particle is moved at random by up to this fraction of half a spacing. 0.2 to 0.5 hides rows and straight cracks; higher values make the snow softer.", {}, "box sphere cylinder mesh vdb layer"},
        {"snow", "seed", integer, "", "0", 0, 4294967295.0, "Random seed of the jitter and of a source.", {}, "box sphere cylinder mesh vdb layer"},
        {"snow", "start", integer, "frame", "the first", -1e6, 1e6, "Frame at which the body appears, or the source starts."},
        {"snow", "rate", number, "kg/s", "0", 0, 1e9, "Above 0, the body is a source, such as snowfall: flakes appear in the shape with the given velocity, never on top of others.", {}, "box sphere cylinder mesh vdb layer"},
        {"snow", "end", integer, "frame", "the last", -1e6, 1e6, "Frame at which the source stops.", {}, "box sphere cylinder mesh vdb layer"},

        {"collider", "name", text, "", "collider1, collider2, ...", 0, 0, "Used in messages, by --set and in the USD stage."},
        {"collider", "shape", choice, "", "plane", 0, 0, "Shape that the snow collides with.", {"plane", "box", "sphere", "cylinder", "mesh", "vdb", "heightfield"}},
        {"collider", "friction", number, "", "0.5", 0, 1e6, "Coulomb's mu: 0 slippery, 0.5 wood, above 1 rough ground."},
        {"collider", "adhesion", number, "m/s^2", "0", 0, 1000, "Makes snow cling: how strongly the surface pulls snow within two spacings towards it. Raise it until snow stays on walls and overhangs: 9.81 carries one layer of particles against gravity, 50 a crust; 0 lets it fall off."},
        also_called("restitution", {"collider", "bounce", number, "", "0", 0, 1, "How much of their speed lone flakes keep when they bounce off: 0 none, 1 all."}),
        also_called("stickiness", {"collider", "sticky", number, "", "0", 0, 1, "How firmly snow stays attached when it is pulled off: 0 lets go cleanly, 1 is frozen on."}),
        {"collider", "inverted", toggle, "", "false", 0, 0, "Keeps snow inside instead of outside: a box becomes a container."},
        {"collider", "two_sided", toggle, "", "false", 0, 0, "An open surface keeps snow out on both sides."},
        {"collider", "keys", tables, "", "", 0, 0, "Keyframes: [{ frame = 1, position = [0, 1, 0] }, { frame = 24, position = [0, 0, 0], rotation = [0, 90, 0] }]. They replace position and rotation."},
        {"collider", "interpolation", choice, "", "smooth", 0, 0, "Between the keys: smooth starts and stops gently, linear does not.", {"smooth", "linear"}},
        no_motion({"collider", "visible", toggle, "", "true", 0, 0, "Show it in pictures."}),
        no_motion({"collider", "colour", vector, "", "0.45 0.42 0.4", 0, 1, "Colour in pictures: red, green, blue."}),

        {"keys", "frame", number, "frame", "", -1e6, 1e6, "Frame of the key."},
        {"keys", "position", vector, "m", "the key before", -far, far, "Position at that frame."},
        {"keys", "rotation", vector, "degrees", "the key before", -1e6, 1e6, "About x, then y, then z. Turns may exceed 360."},

        {"wind", "file", file, "", "", 0, 0, "A .vdb with velocities of the air in m/s, added to wind and gusts. 'wind.%04d.vdb' (or $F4, ####) = one for each frame, from the first to the last, interpolated in time. Each particle gets the velocity where it is at the beginning of a frame; outside of the voxels that is the grid's background, 0 in most files."},
        {"wind", "grid", text, "", "the first of vectors, else vel", 0, 0, "Name of the grid in the .vdb: one of vectors, or three of floats that are called NAME.x, NAME.y and NAME.z."},
        {"wind", "scale", number, "", "1", -1e6, 1e6, "Multiplies the velocities of the file. Raise it for a stronger wind."},

        no_motion({"camera", "eye", vector, "m", "fitted to the snow", -far, far, "Where the camera stands."}),
        no_motion({"camera", "target", vector, "m", "0 0 0", -far, far, "What it looks at."}),
        no_motion({"camera", "angle", number, "degrees", "35", 1, 170, "Angle of view, from top to bottom."}),
        no_motion({"camera", "size", pair, "pixels", "1280 720", 16, 16384, "Width and height of the pictures."}),
        no_motion({"camera", "f_stop", number, "", "none: all is sharp", 0.1, 1000, "Depth of field: lower values blur more of what is nearer or further than the focus. The film is 36 mm wide."}),
        no_motion({"camera", "focus", number, "m", "the target", 1e-4, 1e6, "How far from the camera things are sharp."}),
        no_motion({"camera", "shutter", number, "frames", "0.5", 0, 2, "How long the shutter is open, half of it before the frame: higher values blur motion more. For the USD stage and `firn preview --motion-blur`."}),
        no_motion({"camera", "ground", toggle, "", "where a level plane is a collider", 0, 0, "Pictures show a ground that reaches to the horizon."}),
        no_motion({"camera", "ground_height", number, "m", "that plane's", -far, far, "Height of that ground."}),

        no_motion({"output", "folder", text, "", "out/NAME, from where firn is started", 0, 0, "The run's folder, relative to the scene file; it must lie in the folder that firn is started in. --out overrides it, and may name any folder."}),
        no_motion({"output", "particles", choice, "", "bgeo", 0, 0, "Format of the particle files. bgeo.sc (compressed by Blosc) and bgeo.gz are smaller, and bgeo.gz slower to write; bgeo.sc16 and vdb16 smaller still, with 16 bits a number: good for looks, not to simulate on from.", {"bgeo", "bgeo.sc", "bgeo.sc16", "bgeo.gz", "bgeo_classic", "vdb", "vdb16", "none"}}),
        no_motion({"output", "volumes", words, "", "density vel surface", 0, 0, "Grids of the .vdb files: density, vel, surface, density_masked, and any particle attribute (compaction, pressure, ...). [] = none."}),
        no_motion({"output", "every", integer, "frames", "1", 1, 1e6, "Write files only every Nth frame."}),
        no_motion({"output", "voxel", number, "m", "half the spacing", 1e-4, 1e3, "Size of a voxel. Smaller voxels show finer detail and take more memory and time."}),
        no_motion({"output", "half_float", toggle, "", "true", 0, 0, "Store grids in 16 bits."}),
        no_motion({"output", "compression", choice, "", "blosc", 0, 0, "Compression of the .vdb files.", {"blosc", "zip", "none"}}),
        no_motion({"output", "staggered", toggle, "", "false", 0, 0, "Store velocities on the faces of the voxels."}),
        no_motion({"output", "velocity_extension", number, "m", "three spacings", 0, 1e3, "How far velocities reach past the surface, for motion blur."}),
        no_motion({"output", "density_grains", integer, "", "0", 0, 256, "Make the densities from this many render grains for each particle, 0 = from the particles themselves. Edges get as sharp as the grains are small: with 64 they fade over less than half of the distance."}),
        no_motion({"output", "surface_shape", choice, "", "balls", 0, 0, "balls are rounder. kernels follow the snow: flatter faces and sharper edges, but loose snow may get pinholes, and flakes that fly alone may be lost.", {"balls", "kernels"}}),
        no_motion({"output", "surface_radius", number, "m", "half a spacing", 1e-6, 1e3, "Radius of a particle in the surface: higher values thicken it."}),
        no_motion({"output", "surface_dilate", number, "m", "0", -1, 1e3, "Higher values close larger gaps: how far the surface grows before it is smoothed. 0 = half a spacing for balls, none for kernels; negative = none."}),
        no_motion({"output", "surface_smooth", integer, "", "2 or more for balls, 0 for kernels", 0, 100, "How many times the surface is smoothed."}),
        no_motion({"output", "surface_erode", number, "m", "0", -1, 1e3, "Higher values make the surface thinner: how far it shrinks after it is smoothed. 0 = back to where the snow ends, negative = none."}),
        no_motion({"output", "surface_relief", number, "m", "0.2 spacings", -1, 1e3, "Height of the surface's fine relief, at most a spacing. It sticks to the snow; pressed snow loses it, fresh breaks have up to 2.5 times as much. Negative = none. The preview shows it too."}),
        no_motion({"output", "surface_relief_size", number, "m", "1.5 spacings", 0, 1e3, "Size of the relief's largest lumps; finer ones of 0.4 and 0.17 of it go with them, where the voxels can show them."}),
        no_motion({"output", "usd", toggle, "", "true", 0, 0, "Write NAME.usda for Solaris and Blender."}),
        no_motion({"output", "checkpoint_every", integer, "frames", "5", 1, 1e6, "A crash loses at most this many frames; Ctrl-C loses nothing."}),
        no_motion({"output", "checkpoint_keep", integer, "", "2", 1, 1e6, "How many checkpoints are kept."}),

        no_motion({"wedge", "key", text, "", "", 0, 0, "The key that varies, as for --set: material.E, snow.ball.velocity, scene.resolution."}),
        no_motion({"wedge", "values", values, "", "", 0, 0, "Its values, one per run: [7e4, 1.4e5], [\"dry\", \"wet\"]. Several [[wedge]] give all combinations."}),
    };
    for (const char* section : {"snow", "collider"}) {
        const bool snow = std::strcmp(section, "snow") == 0;
        keys.insert(keys.end(), {
            {section, "size", vector, "m", "1 1 1", 1e-4, far, snow ? "Size of the box." : "Size of the box. A plane uses x and z; without a size it has no end.", {}, snow ? "box" : "plane box"},
            {section, "radius", number, "m", "0.5", 1e-4, far, "", {}, "sphere cylinder"},
            {section, "height", number, "m", "1", 1e-4, far, "Height of a cylinder, along y before it is rotated.", {}, "cylinder"},
            {section, "file", file, "", "", 0, 0, snow ? "OBJ, PLY or STL to fill; .vdb (level set or fog); what is under the layer: a greyscale PNG, a text grid of heights, or an OBJ, PLY or STL; .bgeo or .vdb with particles."
                                                   : "OBJ, PLY, STL, .vdb, or a greyscale PNG or text grid of heights. 'boot.%04d.obj' (or boot.$F4.obj, boot.####.obj) = one mesh for each frame. scripts/collider_sequence.py makes such meshes of Alembic and USD files.", {},
                      snow ? "mesh vdb layer particles" : "mesh vdb heightfield"},
            {section, "grid", text, "", "the first that fits", 0, 0, "Name of the grid in the .vdb.", {}, "vdb"},
            {section, "cell", number, "m", "0.1", 1e-5, 1e5, "Distance between two heights (pixels).", {}, snow ? "layer" : "heightfield"},
            {section, "relief", number, "m", "1", -far, far, "Height of white above black.", {}, snow ? "layer" : "heightfield"},
            {section, "position", vector, "m", "0 0 0", -far, far, snow ? "Position of the shape's centre. Heights of a file are centred on it, and lie above its y." : "Position of the shape's centre; for a plane, a point on its surface.", {}, ""},
            {section, "rotation", vector, "degrees", "0 0 0", -1e6, 1e6, "Rotation about x, then y, then z.", {}, snow ? "box sphere cylinder mesh vdb particles" : "plane box sphere cylinder mesh vdb"},
            {section, "scale", number, "", "1", 1e-6, 1e6, "Scale of what is in the file.", {}, snow ? "mesh vdb layer" : "mesh vdb"},
        });
    }
    // clang-format on
    for (SceneKey& key : keys) {
        const auto is = [&](const char* section, const char* name) {
            return !std::strcmp(key.section, section) && !std::strcmp(key.key, name);
        };
        if (is("material", "preset")) {
            for (const MaterialPreset& preset : material_presets()) key.choices.push_back(preset.token);
            key.choices.push_back("measured");
        }
        if (is("scene", "method"))
            for (const MethodInfo* method : method_table()) key.choices.push_back(method->name);
    }
    return keys;
}

}  // namespace

const std::vector<SceneSection>& scene_sections() {
    static const std::vector<SceneSection> sections = {
        {"", "(above all sections)", "Rarely needed; a run writes them into its own copy of the scene."},
        {"scene", "[scene]", "Size and gravity of everything."},
        {"time", "[time]", "Frames, and how long a substep may be."},
        {"material", "[material]",
         "The snow, unless a body has a material of its own. [materials.NAME] takes the same keys and defines a kind "
         "of snow that bodies can name."},
        {"noise", "[material.noise]", "Lumps: stiffer and weaker places. Also [materials.NAME.noise]."},
        {"snow", "[[snow]]", "One for each body or source of snow."},
        {"collider", "[[collider]]", "One for each object that the snow collides with."},
        {"keys", "keys of a [[collider]]", "Keyframes. The engine moves the collider evenly within a frame."},
        {"wind", "[wind]",
         "Air that brakes the snow and carries it along. Without this section there is none. With it, drag_law is "
         "\"flakes\" unless it or drag is given. velocity is another name of wind."},
        {"camera", "[camera]", "The camera of `firn preview` and of the USD stage."},
        {"output", "[output]", "What a run writes."},
        {"solver", "[solver]", "How the physics is solved; the defaults rarely need changing."},
        {"wedge", "[[wedge]]",
         "One for each value that varies from run to run: `firn wedges` lists them, `firn sim --wedge N` runs one."},
        {"machine", "[machine]", "What to run on. Results do not depend on the number of threads."},
    };
    return sections;
}

const std::vector<SceneKey>& scene_keys() {
    static const std::vector<SceneKey> keys = make_table();
    return keys;
}

const SceneKey* find_key(const std::string& section, const std::string& key) {
    for (const SceneKey& known : scene_keys())
        if (section == known.section && (key == known.key || (*known.alias && key == known.alias))) return &known;
    return nullptr;
}

const char* section_of(const ParameterInfo& info) {
    const std::string folder = info.folder;
    if (folder == "Snow") return "material";
    if (folder == "Scene") return "scene";
    if (folder == "Time") return "time";
    if (folder == "Wind") return "wind";
    if (folder == "Machine") return "machine";
    return "solver";
}

const ParameterInfo* find_parameter_in(const std::string& section, const std::string& token) {
    const bool of_wind = section == "wind" && token == "velocity";
    const ParameterInfo* info = find_parameter(of_wind ? "wind" : token);
    return info && section == section_of(*info) ? info : nullptr;
}

std::vector<std::string> words_of(const std::string& section) {
    std::vector<std::string> all;
    for (const SceneKey& key : scene_keys())
        if (section == key.section) all.push_back(key.key);
    for (const ParameterInfo& info : parameter_table())
        if (section == section_of(info)) all.push_back(info.token);
    return all;
}

}  // namespace firn
