// snowball_demo: a snowball is thrown at a brick wall; leaves a picture of every frame and a contact sheet.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "command_line.h"
#include "firn/engine.h"
#include "firn/materials.h"
#include "snow_picture.h"

namespace {

using firn::Float3;

// The scene, in metres and seconds. The snowball flies along +x; the wall's face is the plane x = 0.
constexpr float spacing = 0.025f;
constexpr float ball_radius = 0.4f;  // 17,000 particles
constexpr Float3 ball_centre{-0.75f, 0.95f, 0.0f};
constexpr float ball_lift = 1.0f;  // m/s, upwards
constexpr float ball_spin = 4.0f;  // rad/s, about z
constexpr Wall wall{{0.0f, 0.0f, -1.3f}, {0.25f, 1.8f, 1.3f}};
constexpr Float3 floor_low{-3.0f, 0.0f, -2.5f}, floor_high{2.0f, 0.0f, 2.5f};
constexpr double frame_seconds = 1.0 / 72;  // shown at 24 pictures a second: a third of real speed

/// A ball cut out of a lattice. The lattice is turned, so that no row of particles meets the wall head-on.
firn::Particles make_snowball(float speed) {
    firn::Particles snow;
    const float c1 = std::cos(0.5f), s1 = std::sin(0.5f), c2 = std::cos(0.7f), s2 = std::sin(0.7f);
    const int n = static_cast<int>(std::ceil(ball_radius / spacing));
    for (int i = -n; i <= n; ++i)
        for (int j = -n; j <= n; ++j)
            for (int k = -n; k <= n; ++k) {
                const float x = spacing * static_cast<float>(i), y = spacing * static_cast<float>(j),
                            z = spacing * static_cast<float>(k);
                if (x * x + y * y + z * z > ball_radius * ball_radius) continue;
                const float u = c1 * x - s1 * y, v = s1 * x + c1 * y;
                const Float3 from_centre{u, c2 * v - s2 * z, s2 * v + c2 * z};
                snow.position.push_back(
                    {ball_centre.x + from_centre.x, ball_centre.y + from_centre.y, ball_centre.z + from_centre.z});
                snow.velocity.push_back({speed - ball_spin * from_centre.y, ball_lift + ball_spin * from_centre.x, 0});
            }
    return snow;
}

/// One layer of particles through the rectangle that `u` and `v` span from `corner`.
void add_layer(firn::Body& body, Float3 corner, Float3 u, Float3 v, Float3 normal) {
    const auto steps = [](Float3 side) {
        return static_cast<int>(std::lround(std::sqrt(side.x * side.x + side.y * side.y + side.z * side.z) / spacing));
    };
    const int along_u = std::max(1, steps(u)), along_v = std::max(1, steps(v));
    for (int i = 0; i <= along_u; ++i)
        for (int j = 0; j <= along_v; ++j) {
            const float s = static_cast<float>(i) / static_cast<float>(along_u);
            const float t = static_cast<float>(j) / static_cast<float>(along_v);
            body.position.push_back(
                {corner.x + s * u.x + t * v.x, corner.y + s * u.y + t * v.y, corner.z + s * u.z + t * v.z});
            body.normal.push_back(normal);
        }
}

firn::Body make_floor() {
    firn::Body body;
    body.name = "floor";
    body.friction = 0.6f;
    add_layer(body, {floor_low.x, -0.5f * spacing, floor_low.z}, {floor_high.x - floor_low.x, 0, 0},
              {0, 0, floor_high.z - floor_low.z}, {0, 1, 0});
    return body;
}

/// The wall's face, back, top and ends, each half a spacing below the surface and clear of the next one's edge.
firn::Body make_wall() {
    firn::Body body;
    body.name = "wall";
    body.friction = 0.6f;
    body.stickiness = 0.2f;  // bricks are rough: a part of the snow stays on them
    const float inset = 0.5f * spacing;
    const Float3 low{wall.low.x + inset, wall.low.y + inset, wall.low.z + inset};
    const Float3 high{wall.high.x - inset, wall.high.y - inset, wall.high.z - inset};
    const float width = high.x - low.x, height = high.y - low.y, length = high.z - low.z;
    const float inner_width = width - 2 * spacing, inner_height = height - spacing;
    add_layer(body, low, {0, height, 0}, {0, 0, length}, {-1, 0, 0});
    add_layer(body, {high.x, low.y, low.z}, {0, height, 0}, {0, 0, length}, {1, 0, 0});
    add_layer(body, {low.x + spacing, high.y, low.z}, {inner_width, 0, 0}, {0, 0, length}, {0, 1, 0});
    add_layer(body, {low.x + spacing, low.y, low.z}, {inner_width, 0, 0}, {0, inner_height, 0}, {0, 0, -1});
    add_layer(body, {low.x + spacing, low.y, high.z}, {inner_width, 0, 0}, {0, inner_height, 0}, {0, 0, 1});
    return body;
}

Room make_room() {
    Room room;
    room.camera = {{-2.7f, 1.45f, 2.75f}, {-0.3f, 0.75f, 0.0f}, 0.62f};
    room.walls = {wall};
    room.to_sun = {-0.75f, 0.62f, 0.05f};
    return room;
}

struct Resolution {
    int width = 960, height = 540;
};

Resolution parse_resolution(const std::string& text) {
    Resolution resolution;
    char end = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &resolution.width, &resolution.height, &end) != 2 ||
        resolution.width < 32 || resolution.height < 32 || resolution.width > 8192 || resolution.height > 8192)
        throw firn::Error("--resolution needs WIDTHxHEIGHT from 32x32 to 8192x8192, not '" + text + "'");
    return resolution;
}

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string frame_path(const std::string& folder, int frame) {
    char name[32];
    std::snprintf(name, sizeof name, "/frame_%04d.png", frame);
    return folder + name;
}

void run(const CommandLine& line) {
    const double speed = line.number("--speed", 14, 0, 100);
    const int frames = line.integer("--frames", 48, 1, 9999);
    const std::string folder = line.text("--out", "out/demo");
    const Resolution resolution = parse_resolution(line.text("--resolution", "960x540"));
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw firn::Error("can't make the folder " + folder + ": " + error.message());

    firn::Parameters parameters;
    parameters.spacing = spacing;
    firn::apply(firn::find_preset(line.text("--snow", "powder")).material, parameters);
    parameters.surface_floor = 0.8f;  // loose: chunks give off single grains
    for (const std::string& assignment : line.all("--set")) {
        const size_t equals = assignment.find('=');
        if (equals == std::string::npos) throw firn::Error("--set " + assignment + ": write it as token=value");
        firn::set_parameter(parameters, assignment.substr(0, equals), assignment.substr(equals + 1));
    }
    firn::Engine engine(parameters, line.text("--device", "auto"));
    engine.add_body(make_floor());
    engine.add_body(make_wall());
    firn::Particles snow = make_snowball(static_cast<float>(speed));
    engine.upload(snow);
    std::printf("A snowball of %zu particles at %g m/s, on %s\n", snow.count(), speed, engine.device().c_str());

    const Room room = make_room();
    const int sheet_pictures = std::min(frames, 12);
    std::vector<Picture> sheet;
    double simulating = 0, drawing = 0;
    for (int frame = 1; frame <= frames; ++frame) {
        const double start = seconds_now();
        // The first picture is the snowball in the air.
        const firn::FrameReport report = frame == 1 ? firn::FrameReport{} : engine.advance(frame_seconds);
        engine.download(snow);
        const double simulated = seconds_now();
        const Picture picture = draw_snow(snow.position, spacing, room, resolution.width, resolution.height);
        write_png(frame_path(folder, frame), picture);
        const double drawn = seconds_now();
        simulating += simulated - start;
        drawing += drawn - simulated;

        if (static_cast<int>(sheet.size()) * frames <= (frame - 1) * sheet_pictures)
            sheet.push_back(shrink(picture, 3));
        std::printf("frame %2d of %d: %3zu substeps, %5.1f s simulating and %5.1f s drawing so far\n", frame, frames,
                    report.substeps.size(), simulating, drawing);
        std::fflush(stdout);
        for (const std::string& warning : report.warnings) std::printf("  note: %s\n", warning.c_str());
    }
    write_png(folder + "/contact_sheet.png", contact_sheet(sheet, std::min(sheet_pictures, 4)));
    std::printf("%d pictures in %s, and %s/contact_sheet.png shows them at a glance\n", frames, folder.c_str(),
                folder.c_str());
}

std::vector<Option> options() {
    return {
        {"--frames", "N", "how many pictures (default 48)"},
        {"--out", "FOLDER", "where they go (default out/demo)"},
        {"--resolution", "WxH", "their size in pixels (default 960x540)"},
        {"--snow", "NAME", "powder, dry, wet, packed, slush, crust or ice (default powder)"},
        {"--speed", "M/S", "of the throw (default 14)"},
        {"--set", "TOKEN=VALUE", "any parameter of the engine, such as E=140e3; may be repeated"},
        {"--device", "NAME", "auto, cpu, or cpu:8, cpu:4, cpu:1 for a given lane width (default auto)"},
    };
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const CommandLine line(argc, argv, options(), {"--set"});
        if (line.help_wanted())
            std::printf("snowball_demo: throws a snowball at a wall and draws it.\n\n%s", line.option_help().c_str());
        else
            run(line);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "snowball_demo: %s\n", error.what());
        return 1;
    }
}
