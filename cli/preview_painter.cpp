#include "preview_painter.h"

#include <algorithm>
#include <cmath>

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
constexpr Float3 snow_wrap{0.10f, 0.16f, 0.26f};

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
    const uint32_t count = static_cast<uint32_t>(settings.samples * interleave * interleave);
    for (uint32_t i = 0; i < count; ++i) {
        spread_.push_back({(static_cast<float>(i) + 0.5f) / static_cast<float>(count), radical_inverse(i, 2),
                           radical_inverse(i + 1, 3), radical_inverse(i + 1, 5)});
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
        const Float3 along = direction(static_cast<float>(x) + in_x, static_cast<float>(y) + in_y);
        const Hit hit = world_.trace(eye_, along);
        if (hit.on == Hit::On::nothing) {
            pixel.background += weight * sky_colour(along);
            continue;
        }
        const Lit sample = light(hit, along, spread_[number]);
        Lit& lit = pixel.lit[0].weight == 0 || pixel.lit[0].on == sample.on ? pixel.lit[0] : pixel.lit[1];
        lit.on = sample.on;
        lit.weight += weight;
        lit.sun += weight * sample.sun;
        lit.sky += weight * sample.sky;
        lit.sun_share += weight * sample.sun_share;
        lit.sky_share += weight * sample.sky_share;
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
        const Float3 light = (sun_sum / sum) * lit.sun + ((1 / sum) * sky_sum) * lit.sky;
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
    return share * mix(horizon, zenith, 0.62f) + (1 - share) * bounced(world_.up(), ground_colour, 0.8f);
}

Float3 Painter::bounced(const Float3& normal, const Float3& colour, float lit) const {
    const float share = 0.5f * (1 + dot(normal, world_.up()));
    const Float3 sky = (0.35f + 0.5f * share) * mix(horizon, zenith, 0.6f);
    return colour * (lit * std::max(0.0f, dot(normal, to_sun_)) * sun_light + sky);
}

Float3 Painter::roughened(const Float3& normal, const Float3& point, float distance) const {
    // The noise lies on a lattice of its own; askew, it does not line up with walls and floors.
    const Float3 x{0.7386f, 0.4286f, -0.5203f}, y{-0.2247f, 0.8841f, 0.4097f}, z = cross(x, y);
    const Float3 at{dot(x, point), dot(y, point), dot(z, point)};
    Float3 lean;
    for (const auto& [size, height] : {std::pair{0.60f, 0.16f}, std::pair{0.23f, 0.17f}}) {
        const float feature = size * world_.spacing();
        const float visible = std::min(1.0f, feature / (1.5f * pixel_size(distance)));
        const Float3 slope = grain_noise((1 / feature) * at).gradient;
        lean += (height * visible) * (slope.x * x + slope.y * y + slope.z * z);
    }
    return normalized(normal - (lean - dot(lean, normal) * normal), normal);
}

Lit Painter::light(const Hit& hit, const Float3& along, const std::array<float, 4>& random) const {
    Lit lit;
    lit.on = hit.on == Hit::On::grain ? Hit::On::snow : hit.on;
    lit.point = eye_ + hit.distance * along;
    const bool on_snow = lit.on == Hit::On::snow;
    lit.normal = on_snow ? roughened(hit.normal, lit.point, hit.distance) : hit.normal;

    // Light enters snow a little beside where it leaves: shadows that single grains throw on themselves fade.
    const float least = 1e-4f * (hit.distance + world_.spacing());
    const Float3 from = lit.point + std::max(on_snow ? 0.25f * world_.spacing() : 0.0f, least) * hit.normal;

    const float facing = dot(lit.normal, to_sun_);
    const Float3 wrap = on_snow ? snow_wrap : Float3{};
    const auto wrapped = [&](float w) { return std::max(0.0f, (facing + w) / ((1 + w) * (1 + 0.5f * w))); };
    lit.sun = hit.colour * sun_light * Float3{wrapped(wrap.x), wrapped(wrap.y), wrapped(wrap.z)};
    if (dot(hit.normal, to_sun_) > -wrap.z) {
        const float radius = sun_radius * std::sqrt(random[2]), turn = 2 * pi * random[3];
        const Float3 to =
            normalized(to_sun_ + (radius * std::cos(turn)) * sun_.right + (radius * std::sin(turn)) * sun_.up);
        const Float3 start = on_snow ? from + (0.3f * world_.spacing()) * to_sun_ : from;
        lit.sun_share = world_.is_blocked(start, to) ? 0.0f : 1.0f;
    }

    const Float3 open = open_light(hit.normal);
    lit.sky = hit.colour * open_light(lit.normal);
    const Directions around =
        directions_around(hit.normal, std::abs(hit.normal.y) < 0.9f ? Float3{0, 1, 0} : Float3{1, 0, 0});
    const float radius = std::sqrt(random[0]), turn = 2 * pi * random[1];
    const Float3 to = (radius * std::cos(turn)) * around.right + (radius * std::sin(turn)) * around.up +
                      std::sqrt(std::max(0.0f, 1 - random[0])) * hit.normal;
    const Hit other = world_.trace(from, to);
    const Float3 arriving = other.on == Hit::On::nothing ? sky_colour(to) : bounced(other.normal, other.colour, 0.45f);
    lit.sky_share = {arriving.x / open.x, arriving.y / open.y, arriving.z / open.z};
    return lit;
}

}  // namespace firn
