#include "preview_painter.h"

#include <algorithm>
#include <cmath>

#include "firn/scattered.h"
#include "float3.h"
#include "grain_noise.h"

namespace firn {

namespace {

constexpr float pi = 3.14159265f;

// The light, linear. A clear winter afternoon: a warm low sun, a blue sky that fills its shadows. Exposed so that snow
// in full sun stays below white and keeps its shape.
constexpr Float3 sun_light{0.82f, 0.72f, 0.58f};  ///< irradiance / pi across its rays
constexpr float sun_radius = 0.035f;              ///< rad; seven times the real sun, for a penumbra that one sees
constexpr Float3 zenith{0.115f, 0.205f, 0.40f};
constexpr Float3 horizon{0.42f, 0.50f, 0.60f};
/// How far light creeps round the edge into the shade, by colour: blue goes farthest in snow.
constexpr Float3 snow_wrap{0.14f, 0.20f, 0.30f};
/// Between loose grains it goes further.
constexpr Float3 grain_wrap{0.32f, 0.40f, 0.52f};
/// How quickly diffuse light dies away inside of snow, 1/m: sqrt(3 a (a + s (1 - g))) of Stomakhin 2013's medium,
/// extinction 724 1/m, albedo 0.9, 0.95, 1, g 0.5. Blue is not absorbed there; a floor stands for dirt and leaks.
constexpr Float3 snow_depth{293.0f, 203.0f, 90.0f};
constexpr float sun_through = 0.45f;  ///< of the sun's light that enters at a grazing rear face and comes on
constexpr float glint_share = 0.004f, glint_brightness = 4;

/// Around each sample's directions: 4 x 4 pixels share one well-spread set, which the filter brings together again.
constexpr int interleave = 4;

float radical_inverse(uint32_t index, uint32_t base) {
    float value = 0, digit = 1 / static_cast<float>(base);
    const float step = digit;
    for (; index > 0; index /= base, digit *= step) value += static_cast<float>(index % base) * digit;
    return value;
}

}  // namespace

Painter::Painter(const PreviewFrame& frame, const PreviewSettings& settings, const World& world)
    : settings_(settings), world_(world) {
    eye_ = frame.camera.eye - frame.camera.target;
    view_ = directions_around(normalized(-1.0f * eye_, {0, 0, -1}), world.up());
    const Float3 level = normalized(cross(view_.right, world.up()), view_.forward);  // towards the camera
    to_sun_ = normalized(settings.to_sun.x * view_.right + settings.to_sun.y * world.up() + settings.to_sun.z * level);
    sun_ = directions_around(to_sun_, world.up());
    reach_ = length(eye_);
    tan_half_ = std::tan(frame.camera.angle / 2);
    if (settings_.samples == 0)
        settings_.samples =
            settings.quality == PreviewQuality::draft ? 1 : (settings.quality == PreviewQuality::best ? 16 : 4);
    lens_ = frame.camera.lens;
    focus_ = frame.camera.focus > 0 ? frame.camera.focus : reach_;
    const uint32_t count = static_cast<uint32_t>(settings_.samples * interleave * interleave);
    for (uint32_t i = 0; i < count; ++i) {
        spread_.push_back({{(static_cast<float>(i) + 0.5f) / static_cast<float>(count), radical_inverse(i, 2)},
                           {radical_inverse(i + 1, 3), radical_inverse(i + 1, 5)},
                           {radical_inverse(i + 1, 7), radical_inverse(i + 1, 11)},
                           radical_inverse(i + 1, 13)});
    }
}

Pixel Painter::paint(int x, int y) const {
    // Neighbours' numbers are far apart in the sequence: the bits of x and y, turned round (a Bayer matrix).
    const uint32_t a = static_cast<uint32_t>(x % interleave), b = static_cast<uint32_t>(y % interleave);
    const uint32_t odd = a ^ b;
    const uint32_t place = ((odd & 1) << 3) | ((b & 1) << 2) | (odd & 2) | (b >> 1);
    const float weight = 1 / static_cast<float>(settings_.samples);
    Pixel pixel;
    for (int s = 0; s < settings_.samples; ++s) {
        const size_t number = static_cast<size_t>(s) * interleave * interleave + place;
        const float in_x = (static_cast<float>(s) + 0.5f) * weight;
        const float in_y = std::min(radical_inverse(static_cast<uint32_t>(s), 2) + 0.5f * weight, 0.999f);
        Float3 along = direction(static_cast<float>(x) + in_x, static_cast<float>(y) + in_y);
        const Choice& choice = spread_[number];
        Float3 from = eye_;
        if (lens_ > 0) {
            // Rays through all of the lens meet on the plane of focus.
            const Float3 sharp = eye_ + (focus_ / dot(along, view_.forward)) * along;
            const float radius = lens_ * std::sqrt(choice.lens[0]), turn = 2 * pi * choice.lens[1];
            from += (radius * std::cos(turn)) * view_.right + (radius * std::sin(turn)) * view_.up;
            along = normalized(sharp - from);
        }
        const Hit hit = world_.trace(from, along, choice.time);
        if (hit.on == Hit::On::nothing) {
            pixel.background += weight * sky_colour(along);
            continue;
        }
        const Lit sample = light(hit, from, along, choice);
        Lit& lit = pixel.lit[0].weight == 0 || pixel.lit[0].on == sample.on ? pixel.lit[0] : pixel.lit[1];
        lit.on = sample.on;
        lit.weight += weight;
        lit.sun += weight * sample.sun;
        lit.sky += weight * sample.sky;
        lit.sun_share += weight * sample.sun_share;
        lit.sky_share += weight * sample.sky_share;
        lit.more += weight * sample.more;
        lit.point += weight * sample.point;
        lit.normal += weight * sample.normal;
    }
    for (Lit& lit : pixel.lit) {
        if (lit.weight == 0) continue;
        const float scale = 1 / lit.weight;
        lit.sun = scale * lit.sun;
        lit.sky = scale * lit.sky;
        lit.sun_share *= scale;
        lit.sky_share = scale * lit.sky_share;
        lit.more = scale * lit.more;
        lit.point = scale * lit.point;
        lit.normal = normalized(lit.normal);
    }
    return pixel;
}

Float3 Painter::filtered(int x, const std::array<const Pixel*, 2 * filter_rim + 1>& rows) const {
    const Pixel& own = rows[filter_rim][x];
    Float3 colour = own.background;
    for (const Lit& lit : own.lit) {
        if (lit.weight == 0) continue;
        const float distance = length(lit.point - eye_);
        const float thick = std::max(0.6f * world_.spacing(), 2 * pixel_size(distance));
        Float3 sky_sum;
        float sun_sum = 0, sum = 0;
        // Five wide with half weight at the rims: every place of the 4 x 4 pattern counts once.
        for (int j = -filter_rim; j <= filter_rim; ++j) {
            const Pixel* row = rows[static_cast<size_t>(filter_rim + j)];
            if (!row) continue;
            for (int i = std::max(-filter_rim, -x); i <= std::min(filter_rim, settings_.width - 1 - x); ++i)
                for (const Lit& other : row[x + i].lit) {
                    if (other.weight == 0 || other.on != lit.on) continue;
                    const float off = std::abs(dot(lit.normal, other.point - lit.point)) / thick;
                    const float weight = (std::abs(i) == filter_rim ? 0.5f : 1.0f) *
                                         (std::abs(j) == filter_rim ? 0.5f : 1.0f) * other.weight *
                                         std::max(0.0f, 1 - off) * std::max(0.05f, dot(lit.normal, other.normal));
                    sky_sum += weight * other.sky_share;
                    sun_sum += weight * other.sun_share;
                    sum += weight;
                }
        }
        const Float3 light = (sun_sum / sum) * lit.sun + ((1 / sum) * sky_sum) * lit.sky + lit.more;
        colour += lit.weight * (lit.on == Hit::On::ground ? hazed(light, distance) : light);
    }
    return colour;
}

Float3 Painter::direction(float x, float y) const {
    const float width = static_cast<float>(settings_.width), height = static_cast<float>(settings_.height);
    const float u = (2 * x / width - 1) * tan_half_ * width / height;
    const float v = (1 - 2 * y / height) * tan_half_;
    return normalized(view_.forward + u * view_.right + v * view_.up);
}

float Painter::pixel_size(float distance) const {
    return 2 * tan_half_ * distance / static_cast<float>(settings_.height);
}

Float3 Painter::sky_colour(const Float3& along) const {
    const float rise = dot(along, world_.up());
    return mix(horizon, zenith, std::sqrt(std::max(0.0f, rise)));
}

Float3 Painter::hazed(const Float3& colour, float distance) const {
    const float far = std::max(0.0f, distance / reach_ - 1.5f) / 12;
    return mix(colour, horizon, 1 - std::exp(-far));
}

Float3 Painter::open_light(const Float3& normal) const {
    const float share = 0.5f * (1 + dot(normal, world_.up()));
    return share * mix(horizon, zenith, 0.62f) + (1 - share) * bounced(world_.up(), world_.ground_colour(), 0.8f);
}

Float3 Painter::bounced(const Float3& normal, const Float3& colour, float lit) const {
    const float share = 0.5f * (1 + dot(normal, world_.up()));
    // What is as white as snow lights itself once more: it stands among its like.
    const float white = std::min({colour.x, colour.y, colour.z});
    const Float3 sky = (0.35f + 0.5f * share + 0.25f * white * white) * mix(horizon, zenith, 0.6f);
    return colour * (lit * std::max(0.0f, dot(normal, to_sun_)) * sun_light + sky);
}

Float3 Painter::roughened(const Float3& normal, const Float3& point, float distance) const {
    // The noise lies on a lattice of its own; askew, it does not line up with walls and floors.
    const Float3 x{0.7386f, 0.4286f, -0.5203f}, y{-0.2247f, 0.8841f, 0.4097f}, z = cross(x, y);
    const Float3 at{dot(x, point), dot(y, point), dot(z, point)};
    // Finer than the surface's voxels: the grain that `firn grains` gives the files.
    const float feature = 0.2f * world_.spacing();
    const float visible = std::min(1.0f, feature / (1.5f * pixel_size(distance)));
    const Float3 slope = grain_noise((1 / feature) * at).gradient;
    const Float3 lean = (0.15f * visible) * (slope.x * x + slope.y * y + slope.z * z);
    return normalized(normal - (lean - dot(lean, normal) * normal), normal);
}

float Painter::glint(const Float3& point, const Float3& normal, const Float3& along, float distance) const {
    // One crystal for each cell about as large as a pixel, of sizes that double, so that glints stay where they are
    // while the camera moves.
    const float cell = std::exp2(std::ceil(std::log2(0.7f * pixel_size(distance))));
    const Float3 half = normalized(to_sun_ - along);
    const auto place = [&](float at) { return static_cast<int64_t>(std::floor(at / cell)); };
    const uint64_t key = scattered(static_cast<uint64_t>(place(point.x)), static_cast<uint64_t>(place(point.y)),
                                   static_cast<uint64_t>(place(point.z)));
    // Of crystals that lie every way, few face half-way between sun and camera; more where the surface does.
    const float facing = std::max(0.0f, dot(normal, half));
    const float share = glint_share * facing * facing;
    const float chance = static_cast<float>(key >> 40) * 0x1p-24f;
    if (chance >= share) return 0;
    // Most are faint.
    const float size = static_cast<float>(key & 0xffff) / 65535.0f;
    return glint_brightness * size * size * size;
}

Lit Painter::light(const Hit& hit, const Float3& eye, const Float3& along, const Choice& choice) const {
    Lit lit;
    lit.on = hit.on == Hit::On::grain ? Hit::On::snow : hit.on;
    lit.point = eye + hit.distance * along;
    const bool on_snow = lit.on == Hit::On::snow, on_grain = hit.on == Hit::On::grain;
    lit.normal = on_snow && !on_grain ? roughened(hit.normal, lit.point, hit.distance) : hit.normal;

    // Light enters snow a little beside where it leaves: shadows that single grains throw on themselves fade.
    const float least = 1e-4f * (hit.distance + world_.spacing());
    const Float3 from = lit.point + std::max(on_snow ? 0.25f * world_.spacing() : 0.0f, least) * hit.normal;

    const float facing = dot(lit.normal, to_sun_);
    const Float3 wrap = on_grain ? grain_wrap : (on_snow ? snow_wrap : Float3{});
    const auto wrapped = [&](float w) { return std::max(0.0f, (facing + w) / ((1 + w) * (1 + 0.5f * w))); };
    lit.sun = hit.colour * sun_light * Float3{wrapped(wrap.x), wrapped(wrap.y), wrapped(wrap.z)};
    if (dot(hit.normal, to_sun_) > -wrap.z) {
        const float radius = sun_radius * std::sqrt(choice.sun[0]), turn = 2 * pi * choice.sun[1];
        const Float3 to =
            normalized(to_sun_ + (radius * std::cos(turn)) * sun_.right + (radius * std::sin(turn)) * sun_.up);
        const Float3 start = on_snow ? from + (0.3f * world_.spacing()) * to_sun_ : from;
        lit.sun_share = world_.is_blocked(start, to, choice.time) ? 0.0f : 1.0f;
    }
    if (on_snow && facing > 0 && lit.sun_share > 0)
        lit.more += glint(lit.point, lit.normal, along, hit.distance) * sun_light;

    const Float3 open = open_light(hit.normal);
    lit.sky = hit.colour * open_light(lit.normal);
    if (settings_.quality == PreviewQuality::draft) {
        // What lies low or faces down sees less of the sky.
        const float share = 0.55f + 0.4f * std::max(0.0f, dot(hit.normal, world_.up()));
        lit.sky_share = {share, share, share};
        return lit;
    }
    if (on_snow && !on_grain && facing < 0.3f) {
        // Thin snow glows, the bluer the thicker.
        const float way = world_.way_through_snow(lit.point - std::max(least, 0.02f * world_.spacing()) * hit.normal,
                                                  to_sun_, choice.time);
        const float grazing = std::min(1.0f, (0.3f - facing) / 0.5f);
        lit.more +=
            (sun_through * grazing) * (sun_light * Float3{std::exp(-snow_depth.x * way), std::exp(-snow_depth.y * way),
                                                          std::exp(-snow_depth.z * way)});
    }
    const Directions around =
        directions_around(hit.normal, std::abs(hit.normal.y) < 0.9f ? Float3{0, 1, 0} : Float3{1, 0, 0});
    const float radius = std::sqrt(choice.sky[0]), turn = 2 * pi * choice.sky[1];
    const Float3 to = (radius * std::cos(turn)) * around.right + (radius * std::sin(turn)) * around.up +
                      std::sqrt(std::max(0.0f, 1 - choice.sky[0])) * hit.normal;
    const Hit other = world_.trace(from, to, choice.time);
    Float3 arriving = sky_colour(to);
    if (other.on != Hit::On::nothing) {
        // Sunlit snow lights its surroundings: whether the sun is there is worth a ray.
        const Float3 there = from + other.distance * to + least * other.normal;
        const bool sunny = dot(other.normal, to_sun_) > 0 &&
                           !world_.is_blocked(there + (0.3f * world_.spacing()) * to_sun_, to_sun_, choice.time);
        arriving = bounced(other.normal, other.colour, sunny ? 1.0f : 0.0f);
    }
    lit.sky_share = {arriving.x / open.x, arriving.y / open.y, arriving.z / open.z};
    return lit;
}

}  // namespace firn
