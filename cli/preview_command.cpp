#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "firn/error.h"
#include "firn/grain_file.h"
#include "firn/particle_file.h"
#include "float3.h"
#include "frame_range.h"
#include "manifest.h"
#include "preview.h"
#include "run_check.h"
#include "run_folder.h"
#include "scene.h"
#include "simulation.h"
#include "snow.h"
#include "subcommands.h"
#include "thread_limit.h"
#include "video.h"

namespace firn {

namespace {

void parse_size(const std::string& text, PreviewSettings& settings) {
    const size_t cross = text.find('x');
    const auto part = [&](const std::string& digits, int& value) {
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || stop != digits.data() + digits.size() || value < 16 || value > 16384)
            throw UsageError("--size " + text + ": write it as 1280x720, 16 to 16384 each way");
    };
    part(text.substr(0, cross), settings.width);
    part(cross == std::string::npos ? "" : text.substr(cross + 1), settings.height);
}

/// Up to `count` of them, evenly chosen, the first and the last among them.
std::vector<int> some_of(const std::vector<int>& frames, size_t count) {
    if (frames.size() <= count) return frames;
    std::vector<int> some;
    for (size_t i = 0; i < count; ++i) some.push_back(frames[i * (frames.size() - 1) / (count - 1)]);
    return some;
}

struct Box {
    Float3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};

    void include(const Float3& p) {
        if (!is_finite(p)) return;
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    bool is_empty() const { return low.x > high.x; }
};

/// Where most of the snow is: a few grains that fly far don't make the rest small.
void include_most(Box& box, const std::vector<Float3>& snow) {
    std::vector<Float3> finite;
    std::copy_if(snow.begin(), snow.end(), std::back_inserter(finite), [](const Float3& p) { return is_finite(p); });
    if (finite.empty()) return;
    Float3 low, high;
    for (float Float3::*axis : {&Float3::x, &Float3::y, &Float3::z}) {
        std::vector<float> values;
        for (const Float3& p : finite) values.push_back(p.*axis);
        const size_t out = values.size() / 200;
        const auto at = [&](size_t n) {
            std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), values.end());
            return values[n];
        };
        low.*axis = at(out);
        high.*axis = at(values.size() - 1 - out);
    }
    box.include(low);
    box.include(high);
}

class PreviewRun {
public:
    explicit PreviewRun(const CommandLine& line) : line_(line), scene_(find_scene(line)), run_(find_run(line, scene_)) {
        settings_.width = scene_.camera.width;
        settings_.height = scene_.camera.height;
        if (line.has("--size")) parse_size(line.text("--size", ""), settings_);
        settings_.threads = line.integer("--threads", 0, 0, 1024);
        const std::string fewer = limit_threads(settings_.threads);
        if (!fewer.empty()) std::fprintf(stderr, "firn preview: warning: %s\n", fewer.c_str());
        settings_.samples = line.integer("--samples", 0, 1, 1024);
        const std::string quality = line.text("--quality", "usual");
        if (quality != "draft" && quality != "usual" && quality != "best")
            throw UsageError("--quality is 'draft', 'usual' or 'best', not '" + quality + "'");
        settings_.quality = quality == "draft"  ? PreviewQuality::draft
                            : quality == "best" ? PreviewQuality::best
                                                : PreviewQuality::usual;
        show_ = line.text("--show", "auto");
        if (show_ != "auto" && show_ != "surface" && show_ != "grains")
            throw UsageError("--show is 'auto', 'surface' or 'grains', not '" + show_ + "'");
        turns_ = line.integer("--turntable", 0, 2, 10000);
        f_stop_ = line.number("--f-stop", double(scene_.camera.f_stop), 0.1, 1000);
        focus_ = line.number("--focus", double(scene_.camera.focus), 1e-4, 1e6);
        if (line.has("--motion-blur")) shutter_ = double(scene_.camera.shutter) / scene_.fps;
        const std::string camera = line.text("--camera", scene_.camera.given ? "scene" : "fitted");
        if (camera != "scene" && camera != "fitted")
            throw UsageError("--camera is 'fitted' or 'scene', not '" + camera + "'");
        if (camera == "scene" && !scene_.camera.given)
            throw Error(scene_.path + " has no [camera]; write one, or use --camera fitted");
        fitted_ = camera == "fitted";
        from_folder_ = std::filesystem::is_directory(line.required_text("RUN"));
        find_frames();
    }

    int run() {
        const RunFolder out(line_.text("--out", run_.path()), run_.name());
        Manifest manifest(out.path());
        const bool force = line_.has("--force");
        const PreviewCamera camera = chosen_camera();
        // A turntable goes once around, while the shot goes on where it has several frames.
        const size_t pictures = turns_ > 0 ? static_cast<size_t>(turns_) : frames_.size();
        std::printf("%zu picture%s of %s, %d x %d\n", pictures, pictures == 1 ? "" : "s",
                    start_ ? (scene_.path + " as it begins (not simulated yet)").c_str() : run_.path().c_str(),
                    settings_.width, settings_.height);
        std::vector<std::string> written;
        PreviewFrame frame;
        std::optional<int> shown;
        for (size_t k = 0; k < pictures; ++k) {
            const int number = turns_ > 0 ? frames_[k * frames_.size() / pictures] : frames_[k];
            const auto start = std::chrono::steady_clock::now();
            if (shown != number) frame = read_frame(number);
            shown = number;
            frame.camera = turns_ > 0 ? turned(camera, static_cast<double>(k) / static_cast<double>(pictures)) : camera;
            std::vector<std::string> warnings;
            const Picture picture = render_preview(frame, settings_, &warnings);
            written.push_back(turns_ > 0 ? out.turntable(static_cast<int>(k) + 1) : out.picture(number));
            manifest.write(written.back(), force, [&] { write_png(written.back(), picture); });
            const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            std::printf("frame %d (%zu of %zu): %zu %s, %.1f s, %s\n", number, written.size(), pictures,
                        frame.grains.empty() ? frame.snow.size() : frame.grains.size(),
                        frame.grains.empty() ? "particles" : "grains", seconds, written.back().c_str());
            for (const std::string& warning : warnings)
                std::fprintf(stderr, "firn preview: warning: frame %d: %s\n", number, warning.c_str());
            std::fflush(stdout);
        }
        if (line_.has("--contact-sheet"))
            manifest.write(out.contact_sheet(), force, [&] { write_contact_sheet(out, written); });
        if (line_.has("--video")) {
            const std::string video = turns_ > 0 ? out.turntable_video() : out.video();
            manifest.claim({video}, force);
            const std::string reason = write_video(video, written, scene_.fps);
            if (reason.empty()) manifest.made(video);
            std::printf("%s\n", reason.empty() ? video.c_str() : reason.c_str());
        }
        return exit_done;
    }

private:
    static Scene find_scene(const CommandLine& line) {
        const std::string given = line.required_text("RUN");
        std::error_code ignored;
        if (!std::filesystem::exists(given, ignored))
            throw Error(given + " is not there; give the folder of a run, or a scene file");
        if (!std::filesystem::is_directory(given, ignored)) return read_scene(given);
        const std::string scene = RunFolder(given, "").scene();
        if (!std::filesystem::exists(scene, ignored))
            throw Error(given + " holds no run of firn sim: it has no scene.toml");
        return read_scene(scene);
    }

    static RunFolder find_run(const CommandLine& line, const Scene& scene) {
        const std::string given = line.required_text("RUN");
        if (std::filesystem::is_directory(given)) return {given, scene.name};
        return {folder_of_scene(scene), scene.name};
    }

    void find_frames() {
        const std::vector<int> all = run_.particle_frames();
        if (all.empty() && !from_folder_) {
            start_ = true;
            frames_ = {scene_.first_frame};
            return;
        }
        if (all.empty())
            throw Error(run_.path() + " holds no particles to show; `firn sim` writes them (output.particles)");
        const FrameSet set = line_.has("--frames") ? parse_frames(line_.text("--frames", "")) : FrameSet{};
        for (const int frame : all)
            if (set.has(frame, scene_.first_frame)) frames_.push_back(frame);
        if (frames_.empty())
            throw Error("--frames " + line_.text("--frames", "") + ": " + run_.path() + " has frames " +
                        frames_text({all.begin(), all.end()}));
    }

    PreviewFrame read_frame(int number) const {
        PreviewFrame frame;
        frame.spacing = scene_.parameters.spacing;
        frame.shutter = static_cast<float>(shutter_);
        if (start_) {
            Particles snow;
            int64_t next_id = 0;
            SnowPlacer(scene_).place(number, snow, next_id);
            frame.births.rest = snow.position;
            frame.snow = std::move(snow.position);
        } else {
            ParticleFile file = read_particles(run_.find_particles(number));
            frame.births = births_of(file);
            frame.snow = std::move(file.particles.position);
            frame.velocity = std::move(file.particles.velocity);
            frame.id = std::move(file.particles.id);
            frame.compaction = std::move(file.particles.compaction);
            if (file.spacing > 0) frame.spacing = file.spacing;
            read_grains(number, frame);
        }
        const VolumeSettings files = volume_settings(scene_);
        frame.surface.kernels = files.surface_kernels;
        frame.surface.radius = files.surface_radius;
        frame.surface.dilate = files.surface_dilate;
        frame.surface.erode = files.surface_erode;
        frame.surface.smooth = files.surface_smooth;
        frame.surface.relief = files.surface_relief;
        frame.surface.relief_size = files.surface_relief_size;
        for (size_t i = 0; i < scene_.colliders.size(); ++i) {
            if (!scene_.colliders[i].visible) continue;
            PreviewMesh shown{collider_mesh(scene_, i, number), scene_.colliders[i].colour};
            if (shutter_ > 0 && collider_moves(scene_, i)) {
                const double half = 0.5 * shutter_ * scene_.fps;
                shown.opening = collider_mesh(scene_, i, number - half).points;
                shown.closing = collider_mesh(scene_, i, number + half).points;
            }
            frame.colliders.push_back(std::move(shown));
        }
        frame.has_ground = scene_.has_ground;
        frame.ground = scene_.ground;
        for (const Collider& c : scene_.colliders)
            if (c.geometry.shape == ShapeKind::plane && c.geometry.placed.position.y == scene_.ground)
                frame.ground_colour = c.colour;  // it goes on beyond its edges
        if (line_.has("--caption")) {
            char text[64];
            std::snprintf(text, sizeof text, "  frame %d  %.3f s", number, (number - scene_.first_frame) / scene_.fps);
            frame.caption = scene_.name + text;
        }
        return frame;
    }

    /// The grains that `firn grains` has left of a frame, where they are to be shown.
    void read_grains(int number, PreviewFrame& frame) const {
        if (show_ == "surface") return;
        const std::string path = run_.find_grains(number);
        if (path.empty()) {
            if (show_ == "grains")
                throw Error(run_.path() + " has no grains of frame " + std::to_string(number) +
                            " as .vdb or .bgeo; `firn grains` makes them");
            return;
        }
        ParticleFile file = read_particles(path);
        const std::vector<float>* radius = nullptr;
        for (const ExtraAttribute& extra : file.extra)
            if (extra.name == "pscale" && extra.components == 1) radius = &extra.floats;
        const float usual = 0.5f * file.spacing;
        if (!radius && !(usual > 0)) throw Error(path + ": the grains have no radii (pscale)");
        const bool moving = shutter_ > 0 && file.particles.velocity.size() == file.particles.count();
        for (size_t k = 0; k < file.particles.count(); ++k) {
            const Float3& p = file.particles.position[k];
            const float r = radius ? (*radius)[k] : usual;
            if (!is_finite(p) || !(r > 0)) continue;
            frame.grains.push_back({p.x, p.y, p.z, r});
            if (moving) frame.grain_velocity.push_back(file.particles.velocity[k]);
        }
    }

    PreviewCamera chosen_camera() const {
        PreviewCamera camera =
            fitted_ ? fit() : PreviewCamera{scene_.camera.eye, scene_.camera.target, scene_.camera.angle};
        if (f_stop_ > 0) {
            // The film is 36 mm wide, as in the stage.
            const double film = 0.036 * settings_.height / settings_.width;
            const double focal = film / 2 / std::tan(double(camera.angle) / 2);
            camera.lens = static_cast<float>(focal / (2 * f_stop_));
        }
        camera.focus = static_cast<float>(focus_);
        return camera;
    }

    /// Around the target, by a share of a whole turn.
    static PreviewCamera turned(const PreviewCamera& camera, double share) {
        const double turn = 6.283185307179586 * share, c = std::cos(turn), s = std::sin(turn);
        const Float3 from = camera.eye - camera.target;
        PreviewCamera other = camera;
        other.eye = camera.target + Float3{static_cast<float>(c * from.x + s * from.z), from.y,
                                           static_cast<float>(c * from.z - s * from.x)};
        return other;
    }

    /// One camera for all frames, from a dozen of them.
    PreviewCamera fit() const {
        Box snow, all;
        std::vector<Box> colliders;
        for (const int number : some_of(frames_, 12)) {
            const PreviewFrame frame = read_frame(number);
            include_most(snow, frame.snow);
            colliders.resize(frame.colliders.size());
            for (size_t i = 0; i < colliders.size(); ++i)
                for (const Float3& point : frame.colliders[i].mesh.points) colliders[i].include(point);
        }
        // Floors and hillsides may go on beyond the picture; what is of the snow's size belongs into it.
        all = snow;
        for (const Box& box : colliders) {
            if (box.is_empty()) continue;
            if (snow.is_empty() || length(box.high - box.low) < 2 * length(snow.high - snow.low)) {
                all.include(box.low);
                all.include(box.high);
            }
        }
        if (all.is_empty()) all = {{-1, 0, -1}, {1, 1, 1}};
        return fit_camera(all.low, all.high,
                          static_cast<float>(settings_.width) / static_cast<float>(settings_.height));
    }

    void write_contact_sheet(const RunFolder& out, const std::vector<std::string>& written) const {
        std::vector<int> order(written.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
        std::vector<Picture> small;
        for (const int i : some_of(order, 20))
            small.push_back(shrink(read_png(written[static_cast<size_t>(i)]), std::max(1, settings_.width / 400)));
        write_png(out.contact_sheet(), contact_sheet(small, 4));
        std::printf("%s\n", out.contact_sheet().c_str());
    }

    const CommandLine& line_;
    Scene scene_;
    RunFolder run_;
    PreviewSettings settings_;
    bool fitted_ = true;
    bool from_folder_;    ///< given, not found by way of a scene file
    bool start_ = false;  ///< not simulated yet: show the scene as it begins
    std::string show_;
    int turns_ = 0;  ///< pictures of a turntable; 0 = none
    double f_stop_ = 0, focus_ = 0, shutter_ = 0;
    std::vector<int> frames_;
};

int run(const CommandLine& line) {
    return PreviewRun(line).run();
}

const char* const details =
    R"(Pictures go to RUN/preview/0001.png, the contact sheet to RUN/contact_sheet.png, the video to RUN/preview.mp4; with
--out DIR to the same names there; a turntable's to RUN/turntable/0001.png and RUN/turntable.mp4. A run may still be going on: frames that are there are shown. Of a scene file that was
not simulated yet, the beginning is shown.

  firn preview out/wall --contact-sheet --video
  firn preview out/wall --quality draft                    coarse and quick
  firn preview out/wall --frames 1-48:4 --size 640x360     a quick look at every fourth frame
  firn preview out/wall --frames 16 --turntable 48 --video
  firn preview out/wall --quality best --motion-blur --f-stop 4

The surface is that of the run's volumes, relief included; where `firn grains` has made .vdb or .bgeo of a frame, its
grains are shown instead. Snow is white because light leaves it after many bounces: shade is filled with the light of
the snow around it, thin edges let the sun through, and crystals glint.
)";

}  // namespace

Subcommand preview_command() {
    return {"preview",
            "render frames to PNG, a contact sheet and a video",
            "firn preview RUN [options]",
            details,
            {{"RUN", "", "a run's folder, or a scene file"},
             {"--frames", "LIST", "which frames: 12, 1-48, 1-48:4, 1-10,20,30- (default: all)"},
             {"--quality", "HOW", "draft (coarse and quick), usual or best (default: usual)"},
             {"--show", "WHAT", "surface, grains, or auto: grains where there are some (default: auto)"},
             {"--size", "WxH", "of the pictures in pixels (default: the scene's, 1280x720)"},
             {"--camera", "WHICH", "scene or fitted (default: the scene's where it has one)"},
             {"--caption", "", "write the scene's name, frame and time into the pictures"},
             {"--contact-sheet", "", "up to twenty frames on one picture"},
             {"--video", "", "an MP4 of the pictures (needs ffmpeg)"},
             {"--turntable", "N", "N pictures from all sides, once around"},
             {"--motion-blur", "", "what moves is blurred, by the camera's shutter"},
             {"--f-stop", "N", "depth of field: lower blurs more (default: the scene's; none = all is sharp)"},
             {"--focus", "METRES", "from the camera, with --f-stop (default: the scene's, or the camera's target)"},
             {"--samples", "N", "per pixel (default: 1, 4 or 16 by the quality)"},
             {"--threads", "N", "(default: all cores)"},
             {"--out", "DIR", "where to write (default: the run's folder)"},
             {"--force", "", "overwrite files of others that are in the way"}},
            run};
}

}  // namespace firn
