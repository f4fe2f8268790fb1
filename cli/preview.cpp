#include "preview.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "caption.h"
#include "firn/error.h"
#include "float3.h"
#include "preview_painter.h"
#include "preview_world.h"

namespace firn {

namespace {

/// Linear up to the middle, then gently towards white, so that nothing burns out.
float toned(float value) {
    constexpr float knee = 0.55f;
    if (!(value > 0)) return 0;
    return value < knee ? value : knee + (1 - knee) * (1 - std::exp((knee - value) / (1 - knee)));
}

uint8_t srgb(float value, float dither) {
    const float curved = value <= 0.0031308f ? 12.92f * value : 1.055f * std::pow(value, 1 / 2.4f) - 0.055f;
    return static_cast<uint8_t>(std::clamp(255 * curved + dither, 0.0f, 255.0f));
}

void check(const PreviewFrame& frame, const PreviewSettings& settings) {
    if (settings.width < 1 || settings.height < 1 || settings.width > 16384 || settings.height > 16384)
        throw Error("a picture of " + std::to_string(settings.width) + " x " + std::to_string(settings.height) +
                    " pixels can't be made: give 1 to 16384 each way");
    if (settings.samples < 0 || settings.samples > 1024) throw Error("samples per pixel: give 1 to 1024");
    if (!frame.snow.empty() && !(frame.spacing > 0 && std::isfinite(frame.spacing)))
        throw Error("the snow's particle spacing is not known: it must be above 0 m");
    const PreviewCamera& camera = frame.camera;
    const float distance = length(camera.target - camera.eye);
    if (!is_finite(camera.eye) || !is_finite(camera.target) || !(distance > 0) || !std::isfinite(distance))
        throw Error("the camera looks nowhere: its eye and its target must be finite and apart");
    if (!(camera.lens >= 0 && camera.focus >= 0) || !std::isfinite(camera.lens) || !std::isfinite(camera.focus))
        throw Error("the camera's lens and its focus must be numbers of metres, 0 or above");
    if (!(camera.angle > 0.001f && camera.angle < 3.1f))
        throw Error("the camera's angle of view must be between 0.001 and 3.1 rad, top to bottom");
    if (!is_finite(frame.up) || !(length(frame.up) > 0)) throw Error("the frame's up direction has no length");
}

}  // namespace

Picture render_preview(const PreviewFrame& frame, const PreviewSettings& settings, std::vector<std::string>* warnings) {
    check(frame, settings);
    Picture picture(settings.width, settings.height);
    tbb::task_arena arena(settings.threads > 0 ? settings.threads : tbb::task_arena::automatic);
    arena.execute([&] {
        const World world(frame, settings.quality, settings.threads, warnings);
        const Painter painter(frame, settings, world);
        // Band by band, so that a huge picture takes no more memory than a large one.
        constexpr int band = 256, rim = Painter::filter_rim;
        const size_t width = static_cast<size_t>(settings.width);
        std::vector<Pixel> pixels(width * static_cast<size_t>(std::min(settings.height, band + 2 * rim)));
        for (int top = 0; top < settings.height; top += band) {
            const int bottom = std::min(settings.height, top + band);
            const int first = std::max(0, top - rim), last = std::min(settings.height, bottom + rim);
            const auto row = [&](int y) { return &pixels[static_cast<size_t>(y - first) * width]; };
            const auto for_each_row = [&](int begin, int end, auto function) {
                tbb::parallel_for(tbb::blocked_range<int>(begin, end), [&](const auto& rows) {
                    for (int y = rows.begin(); y != rows.end(); ++y)
                        for (int x = 0; x < settings.width; ++x) function(x, y);
                });
            };
            for_each_row(first, last, [&](int x, int y) { row(y)[x] = painter.paint(x, y); });
            for_each_row(top, bottom, [&](int x, int y) {
                std::array<const Pixel*, 2 * rim + 1> rows{};
                for (int k = std::max(first, y - rim); k <= std::min(last - 1, y + rim); ++k)
                    rows[static_cast<size_t>(k - y + rim)] = row(k);
                const Float3 colour = painter.filtered(x, rows);
                // Smooth skies show steps of 1/255 unless neighbours round differently.
                const float dither = (static_cast<float>((x * 5 + y * 3) % 8) + 0.5f) / 8;
                uint8_t* pixel = picture.pixel(x, y);
                pixel[0] = srgb(toned(colour.x), dither);
                pixel[1] = srgb(toned(colour.y), dither);
                pixel[2] = srgb(toned(colour.z), dither);
            });
        }
    });
    if (!frame.caption.empty()) draw_caption(picture, frame.caption);
    return picture;
}

}  // namespace firn
