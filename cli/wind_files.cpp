#include "wind_files.h"

#include <filesystem>

#include "colliders.h"
#include "firn/air.h"
#include "firn/error.h"
#include "firn/velocity_file.h"

namespace firn {

namespace {

bool is_sequence(const SceneWind& wind) {
    return wind.file.find('%') != std::string::npos;
}

bool exists(const std::string& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
}

std::string file_of(const Scene& scene, int frame) {
    return is_sequence(scene.wind) ? frame_file(scene.wind.file, frame) : scene.wind.file;
}

/// The file of a frame that has none.
[[noreturn]] void refuse_missing(const Scene& scene, int frame) {
    const auto has = [&](int number) { return exists(frame_file(scene.wind.file, number)); };
    int earlier = frame, later = frame;
    while (earlier >= scene.first_frame && !has(earlier)) --earlier;
    while (later <= scene.last_frame && !has(later)) ++later;
    const std::string shot = std::to_string(scene.first_frame) + " to " + std::to_string(scene.last_frame);
    const bool before = earlier >= scene.first_frame, after = later <= scene.last_frame;
    const std::string absent = frame_file(scene.wind.file, frame) + ": there is no such file; ";
    if (before && after)
        throw Error(absent + "those of frames " + std::to_string(earlier) + " and " + std::to_string(later) +
                    " are there. Write it again: the wind needs one for each of the frames " + shot);
    if (before)
        throw Error(absent + "the wind's files end at frame " + std::to_string(earlier) + ", the shot at " +
                    std::to_string(scene.last_frame) +
                    ". Write the rest, or set time.end = " + std::to_string(earlier));
    if (after)
        throw Error(absent + "the wind's files begin at frame " + std::to_string(later) + ", the shot at " +
                    std::to_string(scene.first_frame) +
                    ". Write the rest, or set time.start = " + std::to_string(later));
    throw Error(absent + "the wind needs one for each of the frames " + shot + ", and none is there. Check the path");
}

/// Its errors with the place in the scene file.
template <class Action>
auto naming(const Scene& scene, const Action& action) {
    try {
        return action();
    } catch (const Error& error) {
        throw Error(scene.wind.where + ": " + error.what());
    }
}

std::vector<Float3> wind_at(const Scene& scene, int frame, const std::vector<Float3>& positions) {
    std::vector<Float3> wind =
        naming(scene, [&] { return velocities_at(file_of(scene, frame), scene.wind.grid, positions); });
    for (Float3& u : wind) u = {scene.wind.scale * u.x, scene.wind.scale * u.y, scene.wind.scale * u.z};
    return wind;
}

}  // namespace

void require_wind_files(const Scene& scene) {
    if (scene.wind.file.empty()) return;
    naming(scene, [&] {
        const int last = is_sequence(scene.wind) ? scene.last_frame : scene.first_frame;
        // All names before any contents: those take longer.
        for (int frame = scene.first_frame; frame <= last && is_sequence(scene.wind); ++frame)
            if (!exists(file_of(scene, frame))) refuse_missing(scene, frame);
        for (int frame = scene.first_frame; frame <= last; ++frame)
            require_velocities(file_of(scene, frame), scene.wind.grid);
    });
}

void set_wind_of_files(const Scene& scene, int frame, Particles& particles) {
    if (scene.wind.file.empty() || !has_air(effective(scene.parameters))) return;
    particles.air_velocity = wind_at(scene, frame - 1, particles.position);
    if (!is_sequence(scene.wind)) return;
    // Half-way from this frame to the next: what the air does on average.
    const std::vector<Float3> end = wind_at(scene, frame, particles.position);
    for (size_t i = 0; i < end.size(); ++i) {
        Float3& u = particles.air_velocity[i];
        u = {0.5f * (u.x + end[i].x), 0.5f * (u.y + end[i].y), 0.5f * (u.z + end[i].z)};
    }
}

void clear_wind_of_files(Particles& particles) {
    particles.air_velocity.clear();
}

}  // namespace firn
