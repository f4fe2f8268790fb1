#include "preview_world.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"

namespace firn {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

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

RTCRayHit make_ray(const Float3& from, const Float3& along, float time) {
    RTCRayHit ray{};
    ray.ray.org_x = from.x;
    ray.ray.org_y = from.y;
    ray.ray.org_z = from.z;
    ray.ray.dir_x = along.x;
    ray.ray.dir_y = along.y;
    ray.ray.dir_z = along.z;
    ray.ray.tfar = infinity;
    ray.ray.time = time;
    ray.ray.mask = ~0u;
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    return ray;
}

template <typename Item>
void add_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, const std::vector<Item>& items,
                unsigned slot = 0) {
    void* buffer = rtcSetNewGeometryBuffer(geometry, type, slot, format, sizeof(Item), items.size());
    if (!buffer) throw Error("not enough memory to render " + std::to_string(items.size()) + " points");
    std::copy(items.begin(), items.end(), static_cast<Item*>(buffer));
}

/// Spacings. A compact body of so many particles has a surface of as many voxels as the picture has pixels, or four
/// times as many: coarse snow is shown with all its relief, fine snow in a few seconds.
float voxel_of(size_t particles, PreviewQuality quality) {
    const bool best = quality == PreviewQuality::best;
    const double faces = 6 * std::pow(double(std::max<size_t>(particles, 1)), 2.0 / 3);
    return std::clamp(static_cast<float>(std::sqrt(faces / (best ? 1.6e6 : 4e5))), best ? 0.12f : 0.16f,
                      best ? 0.25f : 0.4f);
}

/// Where points are, `share` of the way from the shutter's middle.
void move(std::vector<Float3>& points, const std::vector<Float3>& velocity, float time) {
    for (size_t i = 0; i < points.size(); ++i) points[i] += time * velocity[i];
}
void move(std::vector<Float4>& grains, const std::vector<Float3>& velocity, float time) {
    for (size_t i = 0; i < grains.size(); ++i) {
        const Float3 by = time * velocity[i];
        grains[i] = {grains[i].x + by.x, grains[i].y + by.y, grains[i].z + by.z, grains[i].w};
    }
}

}  // namespace

World::World(const PreviewFrame& frame, PreviewQuality quality, int threads, std::vector<std::string>* warnings)
    : up_(normalized(frame.up)),
      has_ground_(frame.has_ground),
      ground_colour_(frame.ground_colour),
      spacing_(frame.spacing) {
    const Float3& origin = frame.camera.target;
    ground_ = frame.ground - dot(up_, origin);
    device_.reset(rtcNewDevice(nullptr));
    if (!device_) throw Error("Embree, which renders previews, can't start on this machine");
    scene_.reset(rtcNewScene(device_.get()));
    rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST);
    if (quality == PreviewQuality::draft) rtcSetSceneBuildQuality(scene_.get(), RTC_BUILD_QUALITY_LOW);

    add_snow(frame, quality, threads, warnings);
    for (const PreviewMesh& collider : frame.colliders) add_collider(collider, origin);
    build();
    if (const RTCError error = rtcGetDeviceError(device_.get()); error != RTC_ERROR_NONE)
        throw Error("Embree can't take in the frame (error " + std::to_string(error) +
                    "): is there enough memory for " + std::to_string(surface_.triangles.size()) + " triangles and " +
                    std::to_string(surface_.grains.size()) + " grains?");
}

void World::add_snow(const PreviewFrame& frame, PreviewQuality quality, int threads,
                     std::vector<std::string>* warnings) {
    const Float3& origin = frame.camera.target;
    const bool moves = frame.shutter > 0;
    if (frame.grains.empty()) {
        SnowSurfaceSettings settings = frame.surface;
        settings.spacing = frame.spacing > 0 ? frame.spacing : 1.0f;
        settings.origin = origin;
        settings.threads = threads;
        settings.with_velocity = moves && !frame.velocity.empty();
        settings.lone_spheres = quality == PreviewQuality::draft;
        if (quality == PreviewQuality::draft) settings.kernels = false;
        settings.voxel = quality == PreviewQuality::draft ? 0.8f : voxel_of(frame.snow.size(), quality);
        Particles snow;
        snow.position = frame.snow;
        if (settings.with_velocity) snow.velocity = frame.velocity;
        snow.id = frame.id;
        snow.compaction = frame.compaction;
        surface_ = make_snow_surface(snow, quality == PreviewQuality::draft ? GrainBirths{} : frame.births, settings);
        if (surface_.left_out_count > 0 && warnings)
            warnings->push_back(std::to_string(surface_.left_out_count) +
                                " particles are not shown: their positions are not finite or too far away");
        std::vector<Float3> later;
        if (!surface_.velocity.empty()) {
            later = surface_.points;
            move(later, surface_.velocity, 0.5f * frame.shutter);
            move(surface_.points, surface_.velocity, -0.5f * frame.shutter);
        }
        add_triangles(surface_.points, later, surface_.triangles, snow_mesh_);
    } else {
        surface_.grains.reserve(frame.grains.size());
        for (const Float4& g : frame.grains)
            surface_.grains.push_back({g.x - origin.x, g.y - origin.y, g.z - origin.z, g.w});
        if (moves) surface_.grain_velocity = frame.grain_velocity;
        std::vector<Float3> snow(frame.snow.size());
        for (size_t i = 0; i < snow.size(); ++i) snow[i] = frame.snow[i] - origin;
        grain_out_ = directions_out(surface_.grains, snow, frame.spacing, threads);
    }
    if (grain_out_.empty()) grain_out_.resize(surface_.grains.size());
    add_grains(surface_.grain_velocity, frame.shutter);
}

Hit World::trace(const Float3& from, const Float3& along, float time) const {
    RTCRayHit ray = make_ray(from, along, time);
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
            // A grain is lit as the snow that it belongs to, and a little by its own shape: light that enters one
            // leaves by another.
            const Float3 own = normalized({ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z});
            const Float3& out = grain_out_[ray.hit.primID];
            hit.normal = dot(out, out) > 0 ? normalized(out + 0.35f * own, own) : own;
            hit.on = Hit::On::grain;
            hit.colour = snow_colour;
        } else {
            const ColliderSurface& collider = colliders_[ray.hit.geomID - first_collider_];
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
        hit.colour = ground_colour_;
    }
    return hit;
}

bool World::is_blocked(const Float3& from, const Float3& along, float time) const {
    if (ground_distance(from, along) < infinity) return true;
    RTCRayHit ray = make_ray(from, along, time);
#if RTC_VERSION_MAJOR >= 4
    rtcOccluded1(scene_.get(), &ray.ray);
#else
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(scene_.get(), &context, &ray.ray);
#endif
    return ray.ray.tfar < 0;
}

float World::way_through_snow(const Float3& from, const Float3& along, float time) const {
    const Hit hit = trace(from, along, time);
    return hit.on == Hit::On::snow ? hit.distance : infinity;
}

float World::ground_distance(const Float3& from, const Float3& along) const {
    if (!has_ground_) return infinity;
    const float distance = (ground_ - height(from)) / height(along);
    return distance > 0 ? distance : infinity;  // also when both are zero
}

/// By one thread, so that it is the same tree every time: of two surfaces in the same place the tree decides which
/// one a ray finds. Takes a fraction of the rays' time. (A device of one thread would hold back all of TBB while it
/// lives.)
void World::build() {
    const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
    tbb::task_arena(1).execute([&] { rtcCommitScene(scene_.get()); });
}

void World::attach(RTCGeometry geometry, unsigned& id) {
    rtcCommitGeometry(geometry);
    id = rtcAttachGeometry(scene_.get(), geometry);
    rtcReleaseGeometry(geometry);
}

void World::add_triangles(const std::vector<Float3>& points, const std::vector<Float3>& later,
                          const std::vector<std::array<uint32_t, 3>>& triangles, unsigned& id) {
    if (triangles.empty()) return;
    RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!later.empty()) rtcSetGeometryTimeStepCount(geometry, 2);
    add_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, points);
    if (!later.empty()) add_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, later, 1);
    add_buffer(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, triangles);
    attach(geometry, id);
}

void World::add_grains(const std::vector<Float3>& velocity, float shutter) {
    if (surface_.grains.empty()) return;
    RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_SPHERE_POINT);
    const bool moves = shutter > 0 && velocity.size() == surface_.grains.size();
    if (moves) {
        rtcSetGeometryTimeStepCount(geometry, 2);
        move(surface_.grains, velocity, -0.5f * shutter);
    }
    add_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, surface_.grains);
    if (moves) {
        move(surface_.grains, velocity, shutter);
        add_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, surface_.grains, 1);
    }
    attach(geometry, grains_);
}

void World::add_collider(const PreviewMesh& collider, const Float3& origin) {
    const Mesh& mesh = collider.mesh;
    const auto placed = [&](const std::vector<Float3>& all) {
        std::vector<Float3> here(all.size());
        for (size_t i = 0; i < here.size(); ++i) here[i] = all[i] - origin;
        return here;
    };
    const bool moves = collider.opening.size() == mesh.points.size() && collider.closing.size() == mesh.points.size();
    const std::vector<Float3> points = placed(moves ? collider.opening : mesh.points);
    const std::vector<Float3> later = moves ? placed(collider.closing) : std::vector<Float3>();
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
    add_triangles(points, later, triangles, id);
    if (colliders_.empty()) first_collider_ = id;
    colliders_.push_back({collider.colour, corner_normals(points, triangles)});
}

}  // namespace firn
