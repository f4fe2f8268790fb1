#include "snow_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <thread>

// The picture is made in passes over images of depth (screen-space rendering): the room is ray traced, the particles
// are drawn as spheres into a depth image, that image is smoothed so that touching spheres become one surface, and the
// surface is lit with a shadow image from the sun and with the part of the sky that the depth image leaves open.

namespace {

using firn::Float3;

Float3 operator+(Float3 a, Float3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Float3 operator-(Float3 a, Float3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Float3 operator*(float s, Float3 a) {
    return {s * a.x, s * a.y, s * a.z};
}
Float3 operator*(Float3 a, Float3 b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
float dot(Float3 a, Float3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
Float3 cross(Float3 a, Float3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Float3 normalized(Float3 a) {
    return (1.0f / std::sqrt(std::max(dot(a, a), 1e-30f))) * a;
}
Float3 mix(Float3 a, Float3 b, float t) {
    return (1 - t) * a + t * b;
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float turn_angle = 6.2831853f;    // 2 pi
constexpr float golden_angle = 2.3999632f;  // steps of it never line up
constexpr int supersampling = 2;

// Light, linear RGB; the ground is dark so that white snow stands out against it.
constexpr Float3 sun_light{1.02f, 0.95f, 0.82f};
constexpr Float3 sky_light{0.27f, 0.34f, 0.46f};
constexpr Float3 snow_albedo{0.90f, 0.93f, 0.96f};
constexpr Float3 ground_albedo{0.105f, 0.115f, 0.13f};
constexpr Float3 brick_albedo{0.30f, 0.135f, 0.095f};
constexpr Float3 mortar_albedo{0.33f, 0.31f, 0.29f};
constexpr Float3 horizon{0.62f, 0.70f, 0.80f};
constexpr Float3 zenith{0.25f, 0.38f, 0.60f};

/// Rows are independent of each other in every pass, so they are shared out among threads.
void for_rows(int rows, const std::function<void(int)>& row) {
    const int count = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8);
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(count));
    for (int first = 0; first < count; ++first)
        threads.emplace_back([=, &row] {
            for (int y = first; y < rows; y += count) row(y);
        });
    for (std::thread& thread : threads) thread.join();
}

/// A repeatable random number in 0..1 from two integers.
float random(int x, int y) {
    uint32_t h = static_cast<uint32_t>(x) * 0x9E3779B1u ^ static_cast<uint32_t>(y) * 0x85EBCA77u;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    h *= 0x297A2D39u;
    h ^= h >> 15;
    return static_cast<float>(h >> 8) * (1.0f / 16777216.0f);
}

/// Points spread evenly over the unit disk in the plane y = 0 ...
const std::vector<Float3> disk = [] {
    const int count = 9;
    std::vector<Float3> points;
    for (int k = 0; k < count; ++k) {
        const float angle = golden_angle * static_cast<float>(k);
        const float distance = std::sqrt((static_cast<float>(k) + 0.5f) / static_cast<float>(count));
        points.push_back({distance * std::cos(angle), 0, distance * std::sin(angle)});
    }
    return points;
}();

/// ... and over the unit sphere.
const std::vector<Float3> sphere = [] {
    const int count = 11;  // per pixel; four of them make one of the picture
    std::vector<Float3> points;
    for (int k = 0; k < count; ++k) {
        const float angle = golden_angle * static_cast<float>(k);
        const float height = 1 - 2 * (static_cast<float>(k) + 0.5f) / static_cast<float>(count);
        const float ring = std::sqrt(1 - height * height);
        points.push_back({ring * std::cos(angle), height, ring * std::sin(angle)});
    }
    return points;
}();

/// The camera's frame: depth is the distance along its axis, m.
struct View {
    int width, height;
    Float3 eye, right, up, forward;
    float focal;  ///< pixels

    View(const Camera& camera, int w, int h) : width(w), height(h), eye(camera.eye) {
        forward = normalized(camera.target - camera.eye);
        right = normalized(cross(forward, {0, 1, 0}));
        up = cross(right, forward);
        focal = 0.5f * static_cast<float>(h) / std::tan(0.5f * camera.angle);
    }
    /// Through the pixel's centre, of length 1 along the axis.
    Float3 ray(float x, float y) const {
        return forward + ((x + 0.5f - 0.5f * static_cast<float>(width)) / focal) * right +
               ((0.5f * static_cast<float>(height) - y - 0.5f) / focal) * up;
    }
    Float3 ray(int x, int y) const { return ray(static_cast<float>(x), static_cast<float>(y)); }
    /// x, y in pixels, z the depth.
    Float3 project(Float3 point) const {
        const Float3 p = point - eye;
        const float depth = dot(p, forward);
        return {focal * dot(p, right) / depth + 0.5f * static_cast<float>(width) - 0.5f,
                0.5f * static_cast<float>(height) - focal * dot(p, up) / depth - 0.5f, depth};
    }
};

struct DepthImage {
    int width, height;
    std::vector<float> depth;

    DepthImage(int w, int h) : width(w), height(h), depth(static_cast<size_t>(w) * static_cast<size_t>(h), infinity) {}
    float& at(int x, int y) {
        return depth[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
    }
    float at(int x, int y) const { return const_cast<DepthImage*>(this)->at(x, y); }
    bool holds(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height; }

    /// Draws a sphere whose centre is at pixel (x, y), `pixels` wide and `radius` deep.
    void draw_sphere(float x, float y, float centre_depth, float pixels, float radius) {
        const int left = std::max(0, static_cast<int>(std::ceil(x - pixels)));
        const int right = std::min(width - 1, static_cast<int>(std::floor(x + pixels)));
        const int top = std::max(0, static_cast<int>(std::ceil(y - pixels)));
        const int bottom = std::min(height - 1, static_cast<int>(std::floor(y + pixels)));
        for (int j = top; j <= bottom; ++j)
            for (int i = left; i <= right; ++i) {
                const float dx = (static_cast<float>(i) - x) / pixels, dy = (static_cast<float>(j) - y) / pixels;
                const float rest = 1 - dx * dx - dy * dy;
                if (rest > 0) at(i, j) = std::min(at(i, j), centre_depth - radius * std::sqrt(rest));
            }
    }
};

struct Grain {
    Float3 centre;
    float radius;
};

/// A particle stands for a clump of snow, not for a ball: it is shown as a few grains of different size, always the
/// same ones for the same particle, so that nothing flickers from picture to picture.
std::vector<Grain> make_grains(const std::vector<Float3>& particles, float spacing) {
    const int per_particle = 7;
    std::vector<Grain> grains;
    grains.reserve(particles.size() * per_particle);
    for (size_t i = 0; i < particles.size(); ++i)
        for (int k = 0; k < per_particle; ++k) {
            const int seed = static_cast<int>(i) * per_particle + k;
            const float height = 2 * random(seed, 1) - 1, angle = turn_angle * random(seed, 2);
            const float ring = std::sqrt(1 - height * height);
            const Float3 direction{ring * std::cos(angle), height, ring * std::sin(angle)};
            const float distance = spacing * (0.15f + 0.4f * random(seed, 3));
            grains.push_back({particles[i] + distance * direction, spacing * (0.2f + 0.2f * random(seed, 4))});
        }
    return grains;
}

DepthImage draw_grains(const std::vector<Grain>& grains, const View& view) {
    DepthImage image(view.width, view.height);
    for (const Grain& grain : grains) {
        const Float3 p = view.project(grain.centre);
        // Behind the lens or filling the picture: nothing to see.
        if (p.z < 10 * grain.radius) continue;
        image.draw_sphere(p.x, p.y, p.z, std::max(0.8f, view.focal * grain.radius / p.z), grain.radius);
    }
    return image;
}

/// Neighbouring spheres run into one another, edges stay: a pixel takes the mean of those within `reach` pixels whose
/// depth differs by less than `step`, m.
DepthImage smoothed(const DepthImage& image, float reach, float step) {
    DepthImage result(image.width, image.height);
    const int n = std::max(1, static_cast<int>(std::ceil(reach)));
    for_rows(image.height, [&](int y) {
        for (int x = 0; x < image.width; ++x) {
            const float centre = image.at(x, y);
            if (centre == infinity) continue;
            float sum = 0, weights = 0;
            for (int j = -n; j <= n; ++j)
                for (int i = -n; i <= n; ++i) {
                    if (!image.holds(x + i, y + j)) continue;
                    const float other = image.at(x + i, y + j);
                    const float distance = static_cast<float>(i * i + j * j) / (reach * reach);
                    if (distance > 1 || !(std::abs(other - centre) < step)) continue;
                    const float near = 1 - distance, level = 1 - std::abs(other - centre) / step;
                    const float weight = near * near * level;
                    sum += weight * other;
                    weights += weight;
                }
            result.at(x, y) = weights > 0 ? sum / weights : centre;
        }
    });
    return result;
}

/// What the sun sees: parallel rays, one texel for `texel` metres.
class SunImage {
public:
    SunImage(const std::vector<Float3>& particles, float radius, Float3 to_sun)
        : sun_(to_sun), right_(normalized(cross({0, 1, 0.01f}, to_sun))), up_(cross(to_sun, right_)), radius_(radius) {
        Float3 low{infinity, infinity, 0}, high{-infinity, -infinity, 0};
        for (const Float3& particle : particles) {
            const Float3 p = placed(particle);
            low = {std::min(low.x, p.x), std::min(low.y, p.y), 0};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), 0};
        }
        if (particles.empty()) low = high = {};
        const float margin = 4 * radius;
        origin_ = {low.x - margin, low.y - margin, 0};
        const float extent = std::max(high.x - low.x, high.y - low.y) + 2 * margin;
        // Four texels across a grain, unless a grain that flew far away would make the image huge.
        texel_ = std::max(0.5f * radius, extent / 2048);
        const int size = static_cast<int>(extent / texel_) + 1;
        image_ = DepthImage(size, size);
        for (const Float3& particle : particles) {
            const Float3 p = placed(particle);
            image_.draw_sphere((p.x - origin_.x) / texel_, (p.y - origin_.y) / texel_, p.z, radius / texel_, radius);
        }
    }

    /// The part of the sun that reaches the point, 0..1. `turn` in 0..1 turns the pattern of samples.
    float light(Float3 point, float turn) const {
        const Float3 p = placed(point);
        const float x = (p.x - origin_.x) / texel_ + 0.5f,
                    y = (p.y - origin_.y) / texel_ + 0.5f;  // rounds to the nearest
        const float blur = 1.6f * radius_ / texel_;         // texels: the width of the penumbra
        if (!image_.holds(static_cast<int>(x), static_cast<int>(y))) return 1;
        const float c = blur * std::cos(turn_angle * turn), s = blur * std::sin(turn_angle * turn);
        int open = 0;
        for (const Float3& sample : disk) {
            const int i = static_cast<int>(x + c * sample.x - s * sample.z);
            const int j = static_cast<int>(y + s * sample.x + c * sample.z);
            if (!image_.holds(i, j) || image_.at(i, j) > p.z - 1.8f * radius_) ++open;
        }
        return static_cast<float>(open) / static_cast<float>(disk.size());
    }

private:
    /// In the sun's frame; z grows away from the sun.
    Float3 placed(Float3 point) const { return {dot(point, right_), dot(point, up_), -dot(point, sun_)}; }

    Float3 sun_, right_, up_, origin_;
    float radius_;
    float texel_ = 1;
    DepthImage image_{1, 1};
};

struct Hit {
    float distance = infinity;  ///< in lengths of the ray
    Float3 normal;
    bool wall = false;
};

Hit trace_room(const Room& room, Float3 from, Float3 ray) {
    Hit hit;
    if (ray.y < 0 && from.y > 0) hit = {-from.y / ray.y, {0, 1, 0}, false};
    for (const Wall& wall : room.walls) {
        const float origin[] = {from.x, from.y, from.z}, direction[] = {ray.x, ray.y, ray.z};
        const float low[] = {wall.low.x, wall.low.y, wall.low.z}, high[] = {wall.high.x, wall.high.y, wall.high.z};
        float enter = 1e-4f, leave = infinity;
        int axis = -1;
        for (int k = 0; k < 3; ++k) {
            const float inverse = 1.0f / direction[k];
            const float a = (low[k] - origin[k]) * inverse, b = (high[k] - origin[k]) * inverse;
            if (std::min(a, b) > enter) {
                enter = std::min(a, b);
                axis = k;
            }
            leave = std::min(leave, std::max(a, b));
        }
        if (axis < 0 || enter > leave || enter > hit.distance) continue;
        float normal[] = {0, 0, 0};
        normal[axis] = direction[axis] > 0 ? -1.0f : 1.0f;
        hit = {enter, {normal[0], normal[1], normal[2]}, true};
    }
    return hit;
}

/// Bricks of 25 x 8 cm in the plane of the wall's face.
Float3 wall_albedo(Float3 p, Float3 normal) {
    const float along = std::abs(normal.x) > 0.5f ? p.z : p.x, across = std::abs(normal.y) > 0.5f ? p.z : p.y;
    const float course = std::floor(across / 0.08f);
    const float shifted = along / 0.25f + (static_cast<int>(course) % 2 != 0 ? 0.5f : 0.0f);
    const float brick = std::floor(shifted);
    const float u = (shifted - brick) * 0.25f, v = across - course * 0.08f;
    const float edge = std::min(std::min(u, 0.25f - u), std::min(v, 0.08f - v));
    const float shade = 0.75f + 0.5f * random(static_cast<int>(brick), static_cast<int>(course));
    return mix(mortar_albedo, shade * brick_albedo, std::clamp((edge - 0.003f) / 0.003f, 0.0f, 1.0f));
}

Float3 sky(Float3 ray) {
    const float height = std::clamp(2.0f * normalized(ray).y, 0.0f, 1.0f);
    return mix(horizon, zenith, height);
}

/// The point's surface normal from the depths around it. On each axis the neighbour that is nearer in depth is taken,
/// so that normals at an edge don't mix the front with what lies behind it.
Float3 surface_normal(const DepthImage& image, const View& view, int x, int y) {
    const auto point = [&](int i, int j) { return image.at(i, j) * view.ray(i, j); };
    const auto slope = [&](int dx, int dy) {
        const auto gap = [&](int s) {
            const int i = x + s * dx, j = y + s * dy;
            return image.holds(i, j) ? std::abs(image.at(i, j) - image.at(x, y)) : infinity;
        };
        const int side = gap(1) <= gap(-1) ? 1 : -1;
        if (gap(side) == infinity) return Float3{};
        return static_cast<float>(side) * (point(x + side * dx, y + side * dy) - point(x, y));
    };
    const Float3 normal = cross(slope(0, 1), slope(1, 0));
    return dot(normal, normal) > 0 ? normalized(normal) : normalized(-1.0f * view.ray(x, y));
}

/// The part of the sky that is open above a point, 0..1: rays of length up to `reach` (m) are compared with the depth
/// image.
float open_sky(const DepthImage& scene, const View& view, Float3 point, Float3 normal, float reach, int x, int y) {
    float open = 0;
    const float turn = random(x + 7919, y);
    const float c = std::cos(turn_angle * turn), s = std::sin(turn_angle * turn);
    float step = turn;
    for (const Float3& sample : sphere) {
        // A point of the unit sphere moved by the normal: directions spread like the light that a matt surface takes.
        const Float3 direction =
            normalized(Float3{c * sample.x - s * sample.z, sample.y, s * sample.x + c * sample.z} + 1.02f * normal);
        step += 0.6180340f;
        step -= std::floor(step);
        const float length = reach * (0.08f + 0.92f * step);
        const Float3 p = view.project(point + length * direction);
        if (!(p.z > 0)) {
            open += 1;
            continue;
        }
        const float nearest_x = p.x + 0.5f, nearest_y = p.y + 0.5f;
        const int i = static_cast<int>(nearest_x), j = static_cast<int>(nearest_y);
        if (!scene.holds(i, j)) {
            open += 1;
            continue;
        }
        const float behind = p.z - scene.at(i, j);
        // Something far in front is another object, not one that closes this corner.
        open += behind > 0.02f * reach ? std::clamp(behind / reach - 1, 0.0f, 1.0f) : 1.0f;
    }
    return open / static_cast<float>(sphere.size());
}

uint8_t to_srgb(float linear) {
    const float toned = 1 - std::exp(-1.55f * std::max(linear, 0.0f));  // film: no hard white
    const float encoded = toned <= 0.0031308f ? 12.92f * toned : 1.055f * std::pow(toned, 1 / 2.4f) - 0.055f;
    return static_cast<uint8_t>(std::lround(255 * std::clamp(encoded, 0.0f, 1.0f)));
}

}  // namespace

Picture draw_snow(const std::vector<Float3>& particles, float spacing, const Room& room, int width, int height) {
    const View view(room.camera, width * supersampling, height * supersampling);
    const Float3 to_sun = normalized(room.to_sun);
    const float radius = 0.6f * spacing;  // of a particle's shadow
    const float distance = std::sqrt(dot(room.camera.target - room.camera.eye, room.camera.target - room.camera.eye));
    const float grain_pixels = view.focal * spacing / distance;

    const SunImage sun(particles, radius, to_sun);
    const DepthImage grains = draw_grains(make_grains(particles, spacing), view);
    DepthImage snow = grains;
    for (int pass = 0; pass < 2; ++pass)
        snow = smoothed(snow, std::clamp(0.55f * grain_pixels, 1.0f, 8.0f), 1.2f * spacing);

    DepthImage scene(view.width, view.height);
    for_rows(view.height, [&](int y) {
        for (int x = 0; x < view.width; ++x)
            scene.at(x, y) = std::min(trace_room(room, view.eye, view.ray(x, y)).distance, snow.at(x, y));
    });

    Picture picture(view.width, view.height);
    for_rows(view.height, [&](int y) {
        for (int x = 0; x < view.width; ++x) {
            const Float3 ray = view.ray(x, y);
            const Hit hit = trace_room(room, view.eye, ray);
            const bool is_snow = snow.at(x, y) < hit.distance;
            Float3 colour = sky(ray);
            if (scene.at(x, y) < infinity) {
                const Float3 point = view.eye + scene.at(x, y) * ray;
                Float3 normal = hit.normal, albedo = hit.wall ? wall_albedo(point, hit.normal) : ground_albedo;
                if (is_snow) {
                    // The smooth surface gives the form, the grains under it the roughness.
                    normal = normalized(surface_normal(snow, view, x, y) + 0.35f * surface_normal(grains, view, x, y));
                    albedo = snow_albedo;
                }
                const float lift = is_snow ? 0.0f : 1e-3f;
                const bool walled =
                    trace_room(room, point + lift * normal + 1e-3f * to_sun, to_sun).distance < infinity;
                // Light goes some way into snow and comes out around the corner: wrapped for snow, plain for the rest.
                const float wrap = is_snow ? 0.25f : 0.0f;
                const float facing = std::max(0.0f, (dot(normal, to_sun) + wrap) / (1 + wrap));
                const float direct = walled ? 0.0f : facing * sun.light(point, random(x, y));
                const float open = open_sky(scene, view, point, normal, 7 * spacing, x, y);
                const float dome = 0.6f + 0.4f * normal.y;  // the ground gives back less light than the sky
                const Float3 depth_tint = is_snow ? mix({0.55f, 0.72f, 1.0f}, {1, 1, 1}, open) : Float3{1, 1, 1};
                colour = albedo * (direct * sun_light + (open * dome) * (depth_tint * sky_light));
                const float far = std::max(0.0f, scene.at(x, y) / distance - 1);
                const float haze = 1 - std::exp(-0.09f * far);
                if (!is_snow) colour = mix(colour, horizon, haze);
            }
            uint8_t* pixel = picture.pixel(x, y);
            pixel[0] = to_srgb(colour.x);
            pixel[1] = to_srgb(colour.y);
            pixel[2] = to_srgb(colour.z);
        }
    });
    return shrink(picture, supersampling);
}
