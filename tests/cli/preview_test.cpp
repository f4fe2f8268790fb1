#include "preview.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "firn/error.h"
#include "float3.h"

namespace firn {
namespace {

constexpr float pi = 3.14159265f;

PreviewSettings small(int threads = 2) {
    PreviewSettings settings;
    settings.width = 192;
    settings.height = 108;
    settings.threads = threads;
    return settings;
}

std::vector<Float3> ball(const Float3& centre, float radius, float spacing) {
    std::vector<Float3> points;
    const int n = static_cast<int>(radius / spacing) + 1;
    for (int k = -n; k <= n; ++k)
        for (int j = -n; j <= n; ++j)
            for (int i = -n; i <= n; ++i) {
                const Float3 p = spacing * Float3{static_cast<float>(i), static_cast<float>(j), static_cast<float>(k)};
                if (length(p) <= radius) points.push_back(centre + p);
            }
    return points;
}

/// Looks along -z, so that the sun's "right, up, towards the camera" are x, y, z.
PreviewFrame front_view(const Float3& target, float distance) {
    PreviewFrame frame;
    frame.camera.target = target;
    frame.camera.eye = target + Float3{0, 0, distance};
    return frame;
}

/// Where a point of the world is in the picture, by the textbook.
std::array<float, 2> project(const Float3& point, const PreviewCamera& camera, const Float3& up, int width,
                             int height) {
    const Float3 forward = normalized(camera.target - camera.eye);
    const Float3 right = normalized(cross(forward, up));
    const Float3 over = cross(right, forward);
    const Float3 p = point - camera.eye;
    const float scale = 0.5f * static_cast<float>(height) / std::tan(camera.angle / 2) / dot(p, forward);
    return {0.5f * static_cast<float>(width) + scale * dot(p, right),
            0.5f * static_cast<float>(height) - scale * dot(p, over)};
}

const uint8_t* pixel_at(const Picture& picture, const Float3& point, const PreviewFrame& frame) {
    const auto [x, y] = project(point, frame.camera, frame.up, picture.width, picture.height);
    EXPECT_TRUE(x >= 0 && y >= 0 && x < static_cast<float>(picture.width) && y < static_cast<float>(picture.height));
    return picture.pixel(static_cast<int>(x), static_cast<int>(y));
}

int brightness(const uint8_t* pixel) {
    return pixel[0] + pixel[1] + pixel[2];
}

/// Pixels that the frame changes against an empty sky.
int covered(const PreviewFrame& frame, const PreviewSettings& settings) {
    PreviewFrame empty = frame;
    empty.snow.clear();
    empty.colliders.clear();
    const Picture with = render_preview(frame, settings), without = render_preview(empty, settings);
    int count = 0;
    for (int y = 0; y < with.height; ++y)
        for (int x = 0; x < with.width; ++x)
            count += !std::equal(with.pixel(x, y), with.pixel(x, y) + 3, without.pixel(x, y));
    return count;
}

/// Of a ball in the middle of the picture: the cone of rays that touch it.
float silhouette(float radius, float distance, const PreviewCamera& camera, int height) {
    const float slope = radius / std::sqrt(distance * distance - radius * radius);
    const float pixels = 0.5f * static_cast<float>(height) * slope / std::tan(camera.angle / 2);
    return pi * pixels * pixels;
}

TEST(Preview, IsTheSameForAnyNumberOfThreads) {
    PreviewFrame frame = front_view({0, 0.3f, 0}, 3);
    frame.spacing = 0.05f;
    frame.snow = ball({0, 0.4f, 0}, 0.4f, 0.05f);
    for (int i = 0; i < 50; ++i)  // and grains that fly
        frame.snow.push_back({0.02f * static_cast<float>(i * 37 % 101) - 1, 0.01f * static_cast<float>(i * 53 % 89),
                              0.02f * static_cast<float>(i * 71 % 97) - 1});
    frame.colliders.push_back({sphere_mesh(0.3f), {0.4f, 0.1f, 0.1f}});
    frame.caption = "frame 1";
    const Picture one = render_preview(frame, small(1));
    EXPECT_EQ(one.rgb, render_preview(frame, small(2)).rgb);
    EXPECT_EQ(one.rgb, render_preview(frame, small(5)).rgb);
}

TEST(Preview, ASphereCoversItsProjection) {
    PreviewFrame frame = front_view({0, 0, 0}, 4);
    frame.has_ground = false;
    frame.colliders.push_back({sphere_mesh(0.8f, 5), {0.5f, 0.1f, 0.1f}});
    PreviewSettings settings = small();
    settings.samples = 1;  // a pixel counts when its centre is covered
    const float expected = silhouette(0.8f, 4, frame.camera, settings.height);
    EXPECT_NEAR(static_cast<float>(covered(frame, settings)), expected, 0.02f * expected);
}

TEST(Preview, SnowCoversWhatItsParticlesFill) {
    PreviewFrame frame = front_view({0, 0, 0}, 4);
    frame.has_ground = false;
    frame.spacing = 0.05f;
    frame.snow = ball({0, 0, 0}, 0.8f, 0.05f);
    PreviewSettings settings = small();
    settings.samples = 1;
    // The outermost particles' centres are at 0.8; their snow reaches half a spacing further, give or take another
    // half.
    const float count = static_cast<float>(covered(frame, settings));
    EXPECT_GT(count, silhouette(0.8f, 4, frame.camera, settings.height));
    EXPECT_LT(count, silhouette(0.85f, 4, frame.camera, settings.height));
}

TEST(Preview, SnowIsBrightItsShadeIsBlueAndItThrowsAShadow) {
    PreviewFrame frame = front_view({0, 0.5f, 0}, 5);
    frame.camera.eye.y = 2.5f;
    frame.spacing = 0.05f;
    frame.snow = ball({0, 0.5f, 0}, 0.5f, 0.05f);
    const PreviewSettings settings = small();
    const Picture picture = render_preview(frame, settings);
    const Float3 sun = normalized(settings.to_sun);
    const Float3 centre{0, 0.5f, 0};
    const Float3 view = normalized(frame.camera.eye - centre);

    const uint8_t* lit = pixel_at(picture, centre + 0.5f * normalized(sun + view), frame);
    const uint8_t* shade = pixel_at(picture, centre + 0.5f * normalized(view - 1.2f * sun), frame);
    EXPECT_GT(brightness(lit), 3 * 170);
    EXPECT_LT(*std::max_element(lit, lit + 3), 255);  // not burnt out
    EXPECT_LT(brightness(shade), brightness(lit) - 3 * 30);
    EXPECT_GT(brightness(shade), 3 * 60);  // but still snow
    EXPECT_GT(shade[2], shade[0] + 10);

    // The shadow's middle, and the same place on the sun's side.
    const Float3 shadow{-centre.y * sun.x / sun.y, 0, -centre.y * sun.z / sun.y};
    const Float3 open{-1.6f * shadow.x, 0, shadow.z};
    EXPECT_LT(brightness(pixel_at(picture, shadow, frame)), brightness(pixel_at(picture, open, frame)) * 2 / 3);

    const uint8_t* sky = picture.pixel(5, 0);
    EXPECT_GE(sky[2], sky[0]);
}

/// Flat snow in the sun keeps the shape of a hole pressed into it.
TEST(Preview, AHoleInALayerIsSeen) {
    PreviewFrame frame = front_view({0, 0, 0}, 2.2f);
    frame.camera.eye = {0, 1.6f, 1.6f};
    frame.spacing = 0.04f;
    for (float x = -1; x < 1; x += 0.04f)
        for (float z = -0.8f; z < 0.8f; z += 0.04f)
            for (float y = 0.02f; y < 0.3f; y += 0.04f)
                if (x * x + z * z > 0.09f || y < 0.08f) frame.snow.push_back({x, y, z});
    const Picture picture = render_preview(frame, small());
    const int flat = brightness(pixel_at(picture, {0.6f, 0.3f, 0}, frame));
    // The sun is on the left: the hole's left side is in shadow.
    const int hole = brightness(pixel_at(picture, {-0.18f, 0.1f, -0.05f}, frame));
    EXPECT_LT(hole, flat * 4 / 5);
}

TEST(Preview, AnEmptySceneShowsGroundAndSky) {
    PreviewFrame frame = front_view({0, 0.5f, 0}, 5);
    frame.camera.eye.y = 1.0f;
    const Picture picture = render_preview(frame, small());
    const uint8_t *sky = picture.pixel(96, 0), *ground = picture.pixel(96, 107);
    EXPECT_GT(sky[2], sky[0] + 20);
    EXPECT_LT(std::abs(ground[2] - ground[0]), 20);
    frame.has_ground = false;
    const Picture open = render_preview(frame, small());
    EXPECT_GT(brightness(open.pixel(96, 107)), brightness(ground));
}

TEST(Preview, ParticlesThatAreNotFiniteAreLeftOutAndSaid) {
    PreviewFrame frame = front_view({0, 0, 0}, 3);
    frame.spacing = 0.1f;
    frame.snow = ball({0, 0.4f, 0}, 0.4f, 0.1f);
    std::vector<std::string> warnings;
    const Picture clean = render_preview(frame, small(), &warnings);
    EXPECT_TRUE(warnings.empty());
    frame.snow.push_back({std::nanf(""), 0, 0});
    frame.snow.push_back({0, std::numeric_limits<float>::infinity(), 0});
    frame.snow.push_back({0, 0, 3e38f});
    EXPECT_EQ(render_preview(frame, small(), &warnings).rgb, clean.rgb);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].rfind("3 particles", 0), 0u) << warnings[0];
}

TEST(Preview, ACameraInTheSnowSeesSnowAndNoLight) {
    PreviewFrame frame = front_view({0, 0, 0}, 0.01f);
    frame.has_ground = false;
    frame.spacing = 0.1f;
    frame.snow = ball({0, 0, 0}, 1, 0.1f);
    const Picture picture = render_preview(frame, small());
    for (const int x : {5, 96, 180}) EXPECT_LT(brightness(picture.pixel(x, 54)), 3 * 150);
}

/// Only differences of positions count. With these numbers floats hold them exactly, so the pictures are equal.
TEST(Preview, FarFromTheOriginNothingChanges) {
    PreviewFrame near = front_view({0, 0, 0}, 4), far = front_view({1024, 0, -4096}, 4);
    near.spacing = far.spacing = 0.0625f;
    near.snow = ball({0, 0.5f, 0}, 0.5f, 0.0625f);
    far.snow = ball({1024, 0.5f, -4096}, 0.5f, 0.0625f);
    EXPECT_EQ(render_preview(near, small()).rgb, render_preview(far, small()).rgb);
}

/// z up is the same picture, turned.
TEST(Preview, UpIsWhereTheSceneSays) {
    PreviewFrame y_up = front_view({0, 0.5f, 0}, 4), z_up = y_up;
    for (PreviewFrame* frame : {&y_up, &z_up}) frame->spacing = 0.125f;
    y_up.colliders.push_back({box_mesh({1, 1, 1}), {0.5f, 0.4f, 0.3f}});
    z_up.colliders = y_up.colliders;
    const auto turned = [](const Float3& p) { return Float3{p.x, -p.z, p.y}; };
    z_up.up = {0, 0, 1};
    z_up.camera.eye = turned(y_up.camera.eye);
    z_up.camera.target = turned(y_up.camera.target);
    for (Float3& p : z_up.colliders[0].mesh.points) p = turned(p);
    const Picture a = render_preview(y_up, small()), b = render_preview(z_up, small());
    int different = 0;
    for (size_t i = 0; i < a.rgb.size(); ++i) different += std::abs(a.rgb[i] - b.rgb[i]) > 24;
    EXPECT_LT(different, static_cast<int>(a.rgb.size()) / 100);  // directions of the sky's rays differ
}

TEST(Preview, WhatCantBeShownIsAnError) {
    const PreviewFrame good = front_view({0, 0, 0}, 3);
    const auto fails = [](const PreviewFrame& frame, const PreviewSettings& settings) {
        EXPECT_THROW(render_preview(frame, settings), Error);
    };
    PreviewFrame frame = good;
    frame.snow = {{0, 0, 0}};
    fails(frame, small());  // no spacing
    frame.spacing = std::nanf("");
    fails(frame, small());
    frame = good;
    frame.camera.eye = frame.camera.target;
    fails(frame, small());
    frame.camera.eye.x = std::nanf("");
    fails(frame, small());
    frame = good;
    frame.camera.angle = 4;
    fails(frame, small());
    frame = good;
    frame.up = {0, 0, 0};
    fails(frame, small());
    frame = good;
    frame.colliders.push_back({});
    frame.colliders[0].mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    frame.colliders[0].mesh.triangles = {{0, 1, 3}};
    fails(frame, small());
    PreviewSettings settings = small();
    settings.width = 0;
    fails(good, settings);
    settings = small();
    settings.height = 1 << 20;
    fails(good, settings);
    settings = small();
    settings.samples = -1;
    fails(good, settings);
    frame = good;
    frame.camera.lens = -1;
    fails(frame, small());
    frame.camera.lens = 0;
    frame.camera.focus = std::nanf("");
    fails(frame, small());
}

/// How steep the brightness gets along the middle row: blur makes it less.
int steepest(const Picture& picture) {
    int most = 0;
    for (int x = 1; x < picture.width; ++x)
        most = std::max(most, std::abs(brightness(picture.pixel(x, picture.height / 2)) -
                                       brightness(picture.pixel(x - 1, picture.height / 2))));
    return most;
}

/// A pillar of a dark colour before the sky, 1 m in front of the target.
PreviewFrame pillar() {
    PreviewFrame frame = front_view({0, 0, 0}, 4);
    frame.has_ground = false;
    PreviewMesh post{box_mesh({0.3f, 20, 0.3f}), {0.02f, 0.02f, 0.02f}};
    for (Float3& p : post.mesh.points) p.z += 1;
    frame.colliders.push_back(post);
    return frame;
}

TEST(Preview, DepthOfFieldBlursWhatIsNotInFocus) {
    PreviewFrame frame = pillar();
    PreviewSettings settings = small();
    settings.samples = 64;
    const int sharp = steepest(render_preview(frame, settings));
    frame.camera.lens = 0.15f;
    const int blurred = steepest(render_preview(frame, settings));
    EXPECT_LT(blurred, sharp / 2);
    frame.camera.focus = 3 - 0.15f;  // on its front
    EXPECT_GT(steepest(render_preview(frame, settings)), sharp * 3 / 4);
}

TEST(Preview, MotionBlurIsAsWideAsTheMotion) {
    PreviewFrame frame = pillar();
    PreviewSettings settings = small();
    settings.samples = 64;
    const int sharp = steepest(render_preview(frame, settings));
    PreviewMesh& post = frame.colliders[0];
    post.opening = post.closing = post.mesh.points;
    for (Float3& p : post.opening) p.x -= 0.3f;
    for (Float3& p : post.closing) p.x += 0.3f;
    const Picture moving = render_preview(frame, settings);
    EXPECT_LT(steepest(moving), sharp / 3);
    // It is seen from -0.45 to 0.45 m, at 3 m.
    const int sky = brightness(moving.pixel(2, moving.height / 2));
    const int inside = brightness(pixel_at(moving, {0.40f, 0, 1}, frame)),
              outside = brightness(pixel_at(moving, {0.52f, 0, 1}, frame));
    EXPECT_LT(inside, sky - 10);
    EXPECT_NEAR(outside, sky, 12);

    // Snow that moves as fast is blurred as widely.
    PreviewFrame snow = front_view({0, 0, 0}, 4);
    snow.has_ground = false;
    snow.spacing = 0.05f;
    snow.snow = ball({0, 0, 0}, 0.3f, 0.05f);
    const int still = covered(snow, settings);
    snow.shutter = 0.02f;
    snow.velocity.assign(snow.snow.size(), {30, 0, 0});
    EXPECT_GT(covered(snow, settings), still * 3 / 2);
}

TEST(Preview, ShowsGrainsWhereThereAreSome) {
    PreviewFrame frame = front_view({0, 0, 0}, 4);
    frame.has_ground = false;
    frame.spacing = 0.05f;
    frame.snow = ball({0, 0, 0}, 0.8f, 0.05f);
    for (const Float3& p : ball({0, 0, 0}, 0.8f, 0.02f)) frame.grains.push_back({p.x, p.y, p.z, 0.012f});
    PreviewSettings settings = small();
    settings.samples = 1;
    PreviewFrame none = frame;
    none.snow.clear();
    none.grains.clear();
    const Picture with = render_preview(frame, settings), without = render_preview(none, settings);
    int count = 0;
    for (int y = 0; y < with.height; ++y)
        for (int x = 0; x < with.width; ++x)
            count += !std::equal(with.pixel(x, y), with.pixel(x, y) + 3, without.pixel(x, y));
    const float expected = silhouette(0.8f, 4, frame.camera, settings.height);
    EXPECT_NEAR(static_cast<float>(count), expected, 0.04f * expected);
    // Lit from the side of the sun, as a whole: the grains' own bumps don't decide.
    const Float3 sun = normalized(settings.to_sun), view{0, 0, 1};
    const int lit = brightness(pixel_at(with, 0.8f * normalized(sun + view), frame)),
              shade = brightness(pixel_at(with, 0.8f * normalized(view - 1.2f * sun), frame));
    EXPECT_GT(lit, shade + 60);
}

TEST(Preview, ADraftShowsTheSameShapes) {
    PreviewFrame frame = front_view({0, 0.4f, 0}, 3);
    frame.spacing = 0.05f;
    frame.snow = ball({0, 0.4f, 0}, 0.4f, 0.05f);
    PreviewSettings settings = small();
    const Picture usual = render_preview(frame, settings);
    settings.quality = PreviewQuality::draft;
    const Picture draft = render_preview(frame, settings);
    double difference = 0;
    for (size_t i = 0; i < usual.rgb.size(); ++i) difference += std::abs(usual.rgb[i] - draft.rgb[i]);
    EXPECT_LT(difference / static_cast<double>(usual.rgb.size()), 12);
}

/// The sun shines through a sheet of 8 mm, and not through one of 8 cm.
TEST(Preview, ThinSnowGlowsInTheLightFromBehind) {
    const auto back = [](float thickness) {
        PreviewFrame frame = front_view({0, 0, 0}, 1);
        frame.has_ground = false;
        frame.spacing = 0.004f;
        for (float x = -0.1f; x < 0.1f; x += 0.004f)
            for (float y = -0.1f; y < 0.1f; y += 0.004f)
                for (float z = 0; z < thickness; z += 0.004f) frame.snow.push_back({x, y, -z});
        PreviewSettings settings = small();
        settings.to_sun = {0, 0.2f, -1};
        const Picture picture = render_preview(frame, settings);
        const uint8_t* pixel = pixel_at(picture, {0, 0, 0}, frame);
        return std::array<int, 3>{pixel[0], pixel[1], pixel[2]};
    };
    const auto thin = back(0.008f), thick = back(0.08f);
    EXPECT_GT(thin[2], thick[2] + 10);
    EXPECT_GT(thin[2] - thin[0], thick[2] - thick[0]);  // and bluer
}

TEST(Preview, ColliderPointsThatAreNotFiniteOnlyCostTheirTriangles) {
    PreviewFrame frame = front_view({0, 0, 0}, 4);
    frame.has_ground = false;
    frame.colliders.push_back({box_mesh({1, 1, 1}), {0.5f, 0.4f, 0.3f}});
    const Picture clean = render_preview(frame, small());
    Mesh& mesh = frame.colliders[0].mesh;
    const uint32_t extra = static_cast<uint32_t>(mesh.points.size());
    mesh.points.push_back({std::nanf(""), 0, 0});
    mesh.triangles.push_back({0, 1, extra});
    EXPECT_EQ(render_preview(frame, small()).rgb, clean.rgb);
}

TEST(FitCamera, SeesTheWholeBoxAndLittleElse) {
    const Float3 boxes[][2] = {{{-1, 0, -1}, {1, 1, 1}},
                               {{0, 0, 0}, {10, 0.2f, 10}},
                               {{-0.1f, 0, -0.1f}, {0.1f, 2, 0.1f}},
                               {{100, 50, -300}, {101, 52, -260}},
                               {{-5, 0, 0}, {5, 5, 0}}};
    for (const auto& [low, high] : boxes)
        for (const float aspect : {0.6f, 1.0f, 16.0f / 9, 3.0f})
            for (const Float3& up : {Float3{0, 1, 0}, Float3{0, 0, 1}}) {
                const PreviewCamera camera = fit_camera(low, high, aspect, up);
                float outermost = 0;
                const int height = 1000, width = static_cast<int>(1000 * aspect);
                for (int n = 0; n < 8; ++n) {
                    const Float3 corner{n & 1 ? high.x : low.x, n & 2 ? high.y : low.y, n & 4 ? high.z : low.z};
                    ASSERT_GT(dot(corner - camera.eye, camera.target - camera.eye), 0);
                    const auto [x, y] = project(corner, camera, up, width, height);
                    const float across = std::abs(2 * x / static_cast<float>(width) - 1);
                    const float along = std::abs(2 * y / static_cast<float>(height) - 1);
                    outermost = std::max({outermost, across, along});
                }
                EXPECT_LE(outermost, 1.0f);
                EXPECT_GE(outermost, 0.8f);
            }
    // A box without extent, and one that is none.
    const PreviewCamera camera = fit_camera({1, 2, 3}, {1, 2, 3}, 1.5f);
    EXPECT_GT(length(camera.target - camera.eye), 0);
    EXPECT_THROW(fit_camera({0, 0, 0}, {std::nanf(""), 1, 1}, 1.5f), Error);
}

}  // namespace
}  // namespace firn
