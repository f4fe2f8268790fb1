#pragma once

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "firn/snow_surface.h"
#include "float3.h"
#include "preview.h"

namespace firn {

// Linear.
constexpr Float3 snow_colour{0.90f, 0.93f, 0.96f};

/// What a ray hits.
struct Hit {
    enum class On : uint8_t { nothing, ground, snow, grain, collider } on = On::nothing;
    float distance = std::numeric_limits<float>::infinity();
    Float3 normal;  ///< unit, towards where the ray came from
    Float3 colour;
};

/// All that the rays of a picture can meet, relative to the camera's target.
class World {
public:
    /// `threads` 0 = all cores.
    World(const PreviewFrame&, PreviewQuality, int threads, std::vector<std::string>* warnings);

    const Float3& up() const { return up_; }
    const Float3& ground_colour() const { return ground_colour_; }
    float spacing() const { return spacing_; }

    /// `time` 0 = the shutter opens, 1 = it closes.
    Hit trace(const Float3& from, const Float3& along, float time) const;
    bool is_blocked(const Float3& from, const Float3& along, float time) const;
    /// How far a ray goes through snow that starts just inside of it; infinite where it meets something else.
    float way_through_snow(const Float3& from, const Float3& along, float time) const;

private:
    struct ColliderSurface {
        Float3 colour;
        std::vector<Float3> normals;
    };
    struct Release {
        void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
        void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
    };

    float height(const Float3& point) const { return dot(up_, point); }
    float ground_distance(const Float3& from, const Float3& along) const;
    void build();
    void attach(RTCGeometry, unsigned& id);
    /// `later`: the points as the shutter closes, or empty.
    void add_triangles(const std::vector<Float3>& points, const std::vector<Float3>& later,
                       const std::vector<std::array<uint32_t, 3>>& triangles, unsigned& id);
    void add_grains(const std::vector<Float3>& velocity, float shutter);
    void add_snow(const PreviewFrame&, PreviewQuality, int threads, std::vector<std::string>* warnings);
    void add_collider(const PreviewMesh&, const Float3& origin);

    Float3 up_;
    bool has_ground_;
    float ground_;
    Float3 ground_colour_;
    float spacing_;
    std::unique_ptr<std::remove_pointer_t<RTCDevice>, Release> device_;
    std::unique_ptr<std::remove_pointer_t<RTCScene>, Release> scene_;
    SnowSurface surface_;
    std::vector<Float3> grain_out_;  ///< of each grain: the direction out of the snow around it
    std::vector<ColliderSurface> colliders_;
    unsigned snow_mesh_ = RTC_INVALID_GEOMETRY_ID - 1, grains_ = RTC_INVALID_GEOMETRY_ID - 1, first_collider_ = 0;
};

}  // namespace firn
