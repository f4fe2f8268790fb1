#include "preview.h"

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "caption.h"
#include "firn/error.h"
#include "float3.h"
#include "snow_surface.h"

namespace firn {

namespace {

constexpr float pi = 3.14159265f;
constexpr float infinity = std::numeric_limits<float>::infinity();

// The light, linear. A clear winter afternoon: a warm low sun, a blue sky that fills its shadows. Exposed so that snow
// in full sun stays below white and keeps its shape.
constexpr Float3 sun_light{0.82f, 0.72f, 0.58f};  ///< irradiance / pi across its rays
constexpr float sun_radius = 0.035f;              ///< rad; seven times the real sun, for a penumbra that one sees
constexpr Float3 zenith{0.115f, 0.205f, 0.40f};
constexpr Float3 horizon{0.42f, 0.50f, 0.60f};
constexpr Float3 snow_colour{0.90f, 0.925f, 0.95f};
constexpr Float3 ground_colour{0.26f, 0.255f, 0.25f};
/// How far light creeps round the edge into the shade, by colour: blue goes farthest in snow.
constexpr Float3 snow_wrap{0.10f, 0.16f, 0.26f};

/// Around each sample's directions: 4 x 4 pixels share one well-spread set, which the filter brings together again.
constexpr int interleave = 4;

struct Directions {
    Float3 right, up, forward;
};

Directions frame_around(const Float3& forward, const Float3& up) {
    Directions d;
    d.forward = forward;
    d.right = cross(forward, up);
    if (length(d.right) < 1e-4f) d.right = cross(forward, std::abs(up.x) < 0.9f ? Float3{1, 0, 0} : Float3{0, 0, 1});
    d.right = normalized(d.right, {1, 0, 0});
    d.up = cross(d.right, forward);
    return d;
}

float radical_inverse(uint32_t index, uint32_t base) {
    float value = 0, digit = 1 / static_cast<float>(base);
    const float step = digit;
    for (; index > 0; index /= base, digit *= step) value += static_cast<float>(index % base) * digit;
    return value;
}

struct DeviceRelease {
    void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
};
struct SceneRelease {
    void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
};
using Device = std::unique_ptr<std::remove_pointer_t<RTCDevice>, DeviceRelease>;
using Scene = std::unique_ptr<std::remove_pointer_t<RTCScene>, SceneRelease>;

/// What a ray hits.
struct Hit {
    enum class On : uint8_t { nothing, ground, snow, grain, collider } on = On::nothing;
    float distance = infinity;
    Float3 normal;  ///< unit, towards where the ray came from
    Float3 colour;
};

/// A collider's normal at each corner of each triangle: smooth over gentle bends, sharp at edges.
std::vector<Float3> corner_normals(const std::vector<Float3>& points,
                                   const std::vector<std::array<uint32_t, 3>>& triangles) {
    const float crease = std::cos(0.6f);
    std::vector<Float3> across(triangles.size());
    std::vector<std::vector<uint32_t>> around(points.size());
    for (size_t t = 0; t < triangles.size(); ++t) {
        const auto& [a, b, c] = triangles[t];
        across[t] = cross(points[b] - points[a], points[c] - points[a]);
        for (const uint32_t corner : triangles[t]) around[corner].push_back(static_cast<uint32_t>(t));
    }
    std::vector<Float3> normals(3 * triangles.size());
    for (size_t t = 0; t < triangles.size(); ++t) {
        const Float3 own = normalized(across[t]);
        for (size_t corner = 0; corner < 3; ++corner) {
            Float3 sum;
            for (const uint32_t other : around[triangles[t][corner]])
                if (dot(own, normalized(across[other])) > crease) sum += across[other];
            normals[3 * t + corner] = normalized(sum, own);
        }
    }
    return normals;
}

/// All that rays can meet, relative to the camera's target.
class World {
public:
    World(const PreviewFrame& frame, std::vector<std::string>* warnings)
        : up_(normalized(frame.up)), has_ground_(frame.has_ground), spacing_(frame.spacing) {
        const Float3& origin = frame.camera.target;
        ground_ = frame.ground - dot(up_, origin);
        device_.reset(rtcNewDevice(nullptr));
        if (!device_) throw Error("Embree, which renders previews, can't start on this machine");
        scene_.reset(rtcNewScene(device_.get()));
        rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST);

        surface_ = make_snow_surface(frame.snow, frame.spacing > 0 ? frame.spacing : 1.0f, origin);
        if (surface_.left_out_count > 0 && warnings)
            warnings->push_back(std::to_string(surface_.left_out_count) +
                                " particles are not shown: their positions are not finite or too far away");
        add_triangles(surface_.points, surface_.triangles, snow_mesh_);
        add_grains();
        for (const PreviewMesh& collider : frame.colliders) add_collider(collider, origin);
        build();
        if (const RTCError error = rtcGetDeviceError(device_.get()); error != RTC_ERROR_NONE)
            throw Error("Embree can't take in the frame (error " + std::to_string(error) +
                        "): is there enough memory for " + std::to_string(surface_.triangles.size()) + " triangles?");
    }

    const Float3& up() const { return up_; }
    float spacing() const { return spacing_; }

    Hit trace(const Float3& from, const Float3& along) const {
        RTCRayHit ray = make_ray(from, along);
#if RTC_VERSION_MAJOR >= 4
        rtcIntersect1(scene_.get(), &ray);
#else
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect1(scene_.get(), &context, &ray);
#endif
        Hit hit;
        if (ray.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
            hit.distance = ray.ray.tfar;
            if (ray.hit.geomID == snow_mesh_) {
                const auto& [a, b, c] = surface_.triangles[ray.hit.primID];
                const float u = ray.hit.u, v = ray.hit.v;
                hit.normal =
                    normalized((1 - u - v) * surface_.normals[a] + u * surface_.normals[b] + v * surface_.normals[c]);
                hit.on = Hit::On::snow;
                hit.colour = snow_colour;
            } else if (ray.hit.geomID == grains_) {
                hit.normal = normalized({ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z});
                hit.on = Hit::On::grain;
                hit.colour = snow_colour;
            } else {
                const Collider& collider = colliders_[ray.hit.geomID - first_collider_];
                const Float3* corner = &collider.normals[3 * size_t{ray.hit.primID}];
                const float u = ray.hit.u, v = ray.hit.v;
                hit.normal = normalized((1 - u - v) * corner[0] + u * corner[1] + v * corner[2]);
                hit.on = Hit::On::collider;
                hit.colour = collider.colour;
            }
            if (dot(hit.normal, along) > 0) hit.normal = -1.0f * hit.normal;
        }
        const float to_ground = ground_distance(from, along);
        // Floors often lie in the ground's plane: then the floor is seen.
        if (to_ground < (1 - 1e-4f) * hit.distance) {
            hit.on = Hit::On::ground;
            hit.distance = to_ground;
            hit.normal = height(from) > ground_ ? up_ : -1.0f * up_;
            hit.colour = ground_colour;
        }
        return hit;
    }

    bool is_blocked(const Float3& from, const Float3& along) const {
        if (ground_distance(from, along) < infinity) return true;
        RTCRayHit ray = make_ray(from, along);
#if RTC_VERSION_MAJOR >= 4
        rtcOccluded1(scene_.get(), &ray.ray);
#else
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcOccluded1(scene_.get(), &context, &ray.ray);
#endif
        return ray.ray.tfar < 0;
    }

private:
    struct Collider {
        Float3 colour;
        std::vector<Float3> normals;
    };

    static RTCRayHit make_ray(const Float3& from, const Float3& along) {
        RTCRayHit ray{};
        ray.ray.org_x = from.x;
        ray.ray.org_y = from.y;
        ray.ray.org_z = from.z;
        ray.ray.dir_x = along.x;
        ray.ray.dir_y = along.y;
        ray.ray.dir_z = along.z;
        ray.ray.tfar = infinity;
        ray.ray.mask = ~0u;
        ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        return ray;
    }

    float height(const Float3& point) const {
        return dot(up_, point);
    }

    float ground_distance(const Float3& from, const Float3& along) const {
        if (!has_ground_) return infinity;
        const float distance = (ground_ - height(from)) / height(along);
        return distance > 0 ? distance : infinity;  // also when both are zero
    }

    template <typename Item>
    void* new_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, size_t count) {
        void* buffer = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(Item), count);
        if (!buffer) throw Error("not enough memory to render " + std::to_string(count) + " points");
        return buffer;
    }

    /// By one thread, so that it is the same tree every time: of two surfaces in the same place the tree decides which
    /// one a ray finds. Takes a fraction of the rays' time. (A device of one thread would hold back all of TBB while it
    /// lives.)
    void build() {
        const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
        tbb::task_arena(1).execute([&] { rtcCommitScene(scene_.get()); });
    }

    void attach(RTCGeometry geometry, unsigned& id) {
        rtcCommitGeometry(geometry);
        id = rtcAttachGeometry(scene_.get(), geometry);
        rtcReleaseGeometry(geometry);
    }

    void add_triangles(const std::vector<Float3>& points, const std::vector<std::array<uint32_t, 3>>& triangles,
                       unsigned& id) {
        if (triangles.empty()) return;
        RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE);
        std::copy(points.begin(), points.end(),
                  static_cast<Float3*>(
                      new_buffer<Float3>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, points.size())));
        using Triangle = std::array<uint32_t, 3>;
        std::copy(triangles.begin(), triangles.end(),
                  static_cast<Triangle*>(
                      new_buffer<Triangle>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, triangles.size())));
        attach(geometry, id);
    }

    void add_grains() {
        if (surface_.grains.empty()) return;
        RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_SPHERE_POINT);
        std::copy(surface_.grains.begin(), surface_.grains.end(),
                  static_cast<Float4*>(
                      new_buffer<Float4>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, surface_.grains.size())));
        attach(geometry, grains_);
    }

    void add_collider(const PreviewMesh& collider, const Float3& origin) {
        const Mesh& mesh = collider.mesh;
        std::vector<Float3> points(mesh.points.size());
        for (size_t i = 0; i < points.size(); ++i) points[i] = mesh.points[i] - origin;
        std::vector<std::array<uint32_t, 3>> triangles;
        for (const auto& triangle : mesh.triangles) {
            if (*std::max_element(triangle.begin(), triangle.end()) >= points.size())
                throw Error("a collider's triangle names point " +
                            std::to_string(*std::max_element(triangle.begin(), triangle.end())) + " of " +
                            std::to_string(points.size()));
            if (std::all_of(triangle.begin(), triangle.end(), [&](uint32_t p) { return is_finite(points[p]); }))
                triangles.push_back(triangle);
        }
        if (triangles.empty()) return;
        unsigned id = 0;
        add_triangles(points, triangles, id);
        if (colliders_.empty()) first_collider_ = id;
        colliders_.push_back({collider.colour, corner_normals(points, triangles)});
    }

    Float3 up_;
    bool has_ground_;
    float ground_;
    float spacing_;
    Device device_;
    Scene scene_;
    SnowSurface surface_;
    std::vector<Collider> colliders_;
    unsigned snow_mesh_ = RTC_INVALID_GEOMETRY_ID - 1, grains_ = RTC_INVALID_GEOMETRY_ID - 1, first_collider_ = 0;
};

/// Smooth noise of space, -1..1 about zero mean, and its gradient: values at whole numbers, eased in between.
struct Noise {
    float value;
    Float3 gradient;
};

Noise noise(const Float3& at) {
    const auto value_at = [](int64_t i, int64_t j, int64_t k) {
        uint64_t x = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u ^ static_cast<uint64_t>(j) * 0xc2b2ae3d27d4eb4fu ^
                     static_cast<uint64_t>(k) * 0x165667b19e3779f9u;
        x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
        return static_cast<float>((x ^ (x >> 32)) >> 40) * 0x1p-23f - 1;
    };
    const float low[3] = {std::floor(at.x), std::floor(at.y), std::floor(at.z)};
    const float t[3] = {at.x - low[0], at.y - low[1], at.z - low[2]};
    float ease[3], slope[3];
    for (int axis = 0; axis < 3; ++axis) {
        ease[axis] = t[axis] * t[axis] * (3 - 2 * t[axis]);
        slope[axis] = 6 * t[axis] * (1 - t[axis]);
    }
    Noise sum{0, {}};
    for (int n = 0; n < 8; ++n) {
        float weight[3], change[3];
        for (int axis = 0; axis < 3; ++axis) {
            const bool far = n >> axis & 1;
            weight[axis] = far ? ease[axis] : 1 - ease[axis];
            change[axis] = far ? slope[axis] : -slope[axis];
        }
        const float v = value_at(static_cast<int64_t>(low[0]) + (n & 1), static_cast<int64_t>(low[1]) + (n >> 1 & 1),
                                 static_cast<int64_t>(low[2]) + (n >> 2));
        sum.value += v * weight[0] * weight[1] * weight[2];
        sum.gradient += v * Float3{change[0] * weight[1] * weight[2], weight[0] * change[1] * weight[2],
                                   weight[0] * weight[1] * change[2]};
    }
    return sum;
}

/// Light on a piece of surface, apart from what the surface makes of it: so that the filter can smooth the light and
/// leave the surface sharp.
struct Lit {
    Hit::On on = Hit::On::nothing;
    float weight = 0;  ///< of the pixel that it covers
    Float3 sun, sky;   ///< what the surface makes of full sunlight and of the open sky
    float sun_share = 0;
    Float3 sky_share;  ///< of the open sky's light that arrives, and what others reflect; 0..1 and a little above
    Float3 point, normal;
};

/// A pixel's samples, taken together by what they fell on. A third kind of surface in one pixel joins the second.
struct Pixel {
    Float3 background;
    std::array<Lit, 2> lit;
};

class Painter {
public:
    Painter(const PreviewFrame& frame, const PreviewSettings& settings, const World& world)
        : settings_(settings), world_(world) {
        eye_ = frame.camera.eye - frame.camera.target;
        view_ = frame_around(normalized(-1.0f * eye_, {0, 0, -1}), world.up());
        const Float3 level = normalized(cross(view_.right, world.up()), view_.forward);  // towards the camera
        to_sun_ =
            normalized(settings.to_sun.x * view_.right + settings.to_sun.y * world.up() + settings.to_sun.z * level);
        sun_ = frame_around(to_sun_, world.up());
        reach_ = length(eye_);
        tan_half_ = std::tan(frame.camera.angle / 2);
        const uint32_t count = static_cast<uint32_t>(settings.samples * interleave * interleave);
        for (uint32_t i = 0; i < count; ++i) {
            spread_.push_back({(static_cast<float>(i) + 0.5f) / static_cast<float>(count), radical_inverse(i, 2),
                               radical_inverse(i + 1, 3), radical_inverse(i + 1, 5)});
        }
    }

    Pixel paint(int x, int y) const {
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

    /// The pixel's colour, linear. Its light is the mean of its neighbours' where they lie on the same piece of
    /// surface. `row_at(j)` are the pixels of row y + j, -2 <= j <= 2, or nullptr beyond the picture.
    template <typename RowAt>
    Float3 filtered(int x, RowAt row_at) const {
        const Pixel& own = row_at(0)[x];
        Float3 colour = own.background;
        for (const Lit& lit : own.lit) {
            if (lit.weight == 0) continue;
            const float distance = length(lit.point - eye_);
            const float thick = std::max(0.6f * world_.spacing(), 2 * pixel_size(distance));
            Float3 sky_sum;
            float sun_sum = 0, sum = 0;
            // Five wide with half weight at the rims: every place of the 4 x 4 pattern counts once.
            for (int j = -2; j <= 2; ++j) {
                const Pixel* row = row_at(j);
                if (!row) continue;
                for (int i = std::max(-2, -x); i <= std::min(2, settings_.width - 1 - x); ++i)
                    for (const Lit& other : row[x + i].lit) {
                        if (other.weight == 0 || other.on != lit.on) continue;
                        const float off = std::abs(dot(lit.normal, other.point - lit.point)) / thick;
                        const float weight = (std::abs(i) == 2 ? 0.5f : 1.0f) * (std::abs(j) == 2 ? 0.5f : 1.0f) *
                                             other.weight * std::max(0.0f, 1 - off) *
                                             std::max(0.05f, dot(lit.normal, other.normal));
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

private:
    Float3 direction(float x, float y) const {
        const float width = static_cast<float>(settings_.width), height = static_cast<float>(settings_.height);
        const float u = (2 * x / width - 1) * tan_half_ * width / height;
        const float v = (1 - 2 * y / height) * tan_half_;
        return normalized(view_.forward + u * view_.right + v * view_.up);
    }

    float pixel_size(float distance) const { return 2 * tan_half_ * distance / static_cast<float>(settings_.height); }

    Float3 sky_colour(const Float3& along) const {
        const float rise = dot(along, world_.up());
        return mix(horizon, zenith, std::sqrt(std::max(0.0f, rise)));
    }

    /// Far ground turns into the horizon.
    Float3 hazed(const Float3& colour, float distance) const {
        const float far = std::max(0.0f, distance / reach_ - 1.5f) / 12;
        return mix(colour, horizon, 1 - std::exp(-far));
    }

    /// Light that the open sky and the ground would send to a surface that faces `normal`; / pi.
    Float3 open_light(const Float3& normal) const {
        const float share = 0.5f * (1 + dot(normal, world_.up()));
        return share * mix(horizon, zenith, 0.62f) + (1 - share) * bounced(world_.up(), ground_colour, 0.8f);
    }

    /// A guess at what a surface reflects, for light that comes by way of it.
    Float3 bounced(const Float3& normal, const Float3& colour, float lit) const {
        const float share = 0.5f * (1 + dot(normal, world_.up()));
        const Float3 sky = (0.35f + 0.5f * share) * mix(horizon, zenith, 0.6f);
        return colour * (lit * std::max(0.0f, dot(normal, to_sun_)) * sun_light + sky);
    }

    /// The grain of snow, finer than its particles: the normal leans as on a rough surface, where a pixel can show
    /// that.
    Float3 roughened(const Float3& normal, const Float3& point, float distance) const {
        // The noise lies on a lattice of its own; askew, it does not line up with walls and floors.
        const Float3 x{0.7386f, 0.4286f, -0.5203f}, y{-0.2247f, 0.8841f, 0.4097f}, z = cross(x, y);
        const Float3 at{dot(x, point), dot(y, point), dot(z, point)};
        Float3 lean;
        for (const auto& [size, height] : {std::pair{0.60f, 0.16f}, std::pair{0.23f, 0.17f}}) {
            const float feature = size * world_.spacing();
            const float visible = std::min(1.0f, feature / (1.5f * pixel_size(distance)));
            const Float3 slope = noise((1 / feature) * at).gradient;
            lean += (height * visible) * (slope.x * x + slope.y * y + slope.z * z);
        }
        return normalized(normal - (lean - dot(lean, normal) * normal), normal);
    }

    Lit light(const Hit& hit, const Float3& along, const std::array<float, 4>& random) const {
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
            frame_around(hit.normal, std::abs(hit.normal.y) < 0.9f ? Float3{0, 1, 0} : Float3{1, 0, 0});
        const float radius = std::sqrt(random[0]), turn = 2 * pi * random[1];
        const Float3 to = (radius * std::cos(turn)) * around.right + (radius * std::sin(turn)) * around.up +
                          std::sqrt(std::max(0.0f, 1 - random[0])) * hit.normal;
        const Hit other = world_.trace(from, to);
        const Float3 arriving =
            other.on == Hit::On::nothing ? sky_colour(to) : bounced(other.normal, other.colour, 0.45f);
        lit.sky_share = {arriving.x / open.x, arriving.y / open.y, arriving.z / open.z};
        return lit;
    }

    PreviewSettings settings_;
    const World& world_;
    Float3 to_sun_, eye_;
    Directions sun_, view_;
    float reach_, tan_half_;
    std::vector<std::array<float, 4>> spread_;  ///< two numbers for the sky's direction, two for the sun's disc
};

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
    if (settings.samples < 1 || settings.samples > 1024) throw Error("samples per pixel: give 1 to 1024");
    if (!frame.snow.empty() && !(frame.spacing > 0 && std::isfinite(frame.spacing)))
        throw Error("the snow's particle spacing is not known: it must be above 0 m");
    const PreviewCamera& camera = frame.camera;
    const float distance = length(camera.target - camera.eye);
    if (!is_finite(camera.eye) || !is_finite(camera.target) || !(distance > 0) || !std::isfinite(distance))
        throw Error("the camera looks nowhere: its eye and its target must be finite and apart");
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
        const World world(frame, warnings);
        const Painter painter(frame, settings, world);
        // Band by band, so that a huge picture takes no more memory than a large one. The filter looks two rows up and
        // down.
        constexpr int band = 256, rim = 2;
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
                const Float3 colour = painter.filtered(
                    x, [&](int j) -> const Pixel* { return y + j < first || y + j >= last ? nullptr : row(y + j); });
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

PreviewCamera fit_camera(const Float3& low, const Float3& high, float aspect, const Float3& up) {
    PreviewCamera camera;
    const Float3 middle = 0.5f * (low + high);
    const Float3 size = high - low;
    if (!is_finite(middle) || !(aspect > 0)) throw Error("no camera can be fitted: the box is not finite");
    const Float3 upward = normalized(up);
    // From the front (z, or x when that is up), a third to the side, a quarter up.
    const Float3 front = std::abs(upward.z) < 0.9f ? Float3{0, 0, 1} : Float3{1, 0, 0};
    const Float3 side = normalized(cross(upward, front), {1, 0, 0});
    const Float3 back = normalized(cross(side, upward) + 0.38f * side + 0.32f * upward);
    const Directions view = frame_around(-1.0f * back, upward);

    const float tan_y = std::tan(camera.angle / 2) * 0.9f;  // a tenth of the picture is margin
    const float tan_x = tan_y * aspect;
    // The nearest eye from which every corner is inside: along each of the picture's axes, the two outermost corners
    // decide where the eye is across, and how far back it must be.
    Float3 eye = middle;
    float back_by = 0, depth = 0;
    for (const auto& [across, slope] : {std::pair{view.right, tan_x}, std::pair{view.up, tan_y}}) {
        float most = -infinity, least = infinity;
        for (int n = 0; n < 8; ++n) {
            const Float3 corner{n & 1 ? high.x : low.x, n & 2 ? high.y : low.y, n & 4 ? high.z : low.z};
            const float a = dot(corner - middle, across), d = dot(corner - middle, view.forward);
            most = std::max(most, a - d * slope);
            least = std::min(least, a + d * slope);
            depth = std::max(depth, -d);
        }
        eye += ((most + least) / 2) * across;
        back_by = std::max(back_by, (most - least) / (2 * slope));
    }
    const float smallest = std::max({length(size), 1e-4f * length(middle), 1e-3f});
    back_by = std::max(back_by, depth + 0.02f * smallest);
    camera.eye = eye - back_by * view.forward;
    camera.target = camera.eye + back_by * view.forward;
    return camera;
}

}  // namespace firn
