// Scene files: what is read, and what is said about mistakes.

#include "scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "firn/air.h"
#include "firn/body.h"
#include "firn/error.h"
#include "firn/spelling.h"
#include "placement.h"
#include "scene_keys.h"

namespace {

using firn::Scene;

Scene parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return firn::parse_scene(text, "shot/test.toml", overrides);
}

std::string mistake(const std::string& text, const std::vector<std::string>& overrides = {}) {
    try {
        parse(text, overrides);
    } catch (const firn::Error& error) {
        return error.what();
    }
    return "no mistake found";
}

/// Both begin and contain.
void expect_mistake(const std::string& text, const std::string& beginning, const std::string& part,
                    const std::vector<std::string>& overrides = {}) {
    const std::string message = mistake(text, overrides);
    EXPECT_EQ(message.rfind(beginning, 0), 0u) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << "one line: " << message;
}

TEST(SceneFile, AnEmptyOneHasTheDefaultsOfTheTables) {
    const Scene scene = parse("");
    EXPECT_EQ(scene.name, "test");
    EXPECT_EQ(scene.folder, "shot");
    EXPECT_EQ(scene.first_frame, 1);
    EXPECT_EQ(scene.last_frame, 48);
    EXPECT_EQ(scene.fps, 24);
    EXPECT_EQ(scene.output.particles, "bgeo");
    EXPECT_EQ(scene.output.volumes, (std::vector<std::string>{"density", "vel", "surface"}));
    EXPECT_EQ(scene.output.checkpoint_every, 5);
    EXPECT_FALSE(scene.camera.given);
    EXPECT_EQ(scene.camera.width, 1280);
    const firn::Parameters defaults;
    for (const firn::ParameterInfo& info : firn::parameter_table())
        EXPECT_EQ(parameter_text(scene.parameters, info), parameter_text(defaults, info)) << info.token;
}

TEST(SceneFile, EveryParameterIsReadByItsTokenInItsSection) {
    for (const firn::ParameterInfo& info : firn::parameter_table()) {
        const std::string section = firn::section_of(info);
        // Any allowed value that is not the default.
        std::string value, wanted;
        switch (info.type) {
            case firn::ParameterType::real:
            case firn::ParameterType::integer:
                value = wanted = info.initial[0] == info.slider_high ? "1" : "2";
                if (info.high < 2) {
                    const double inside = info.slider_low + 0.4 * (info.slider_high - info.slider_low);
                    value = std::to_string(inside);
                    wanted = "";
                }
                break;
            case firn::ParameterType::toggle:
                value = info.initial[0] != 0 ? "false" : "true";
                wanted = info.initial[0] != 0 ? "off" : "on";
                break;
            case firn::ParameterType::choice:
                wanted = (info.initial[0] == 0 ? info.choices.back() : info.choices.front()).token;
                value = "\"" + wanted + "\"";
                break;
            case firn::ParameterType::vector:
                value = "[1, 2.5, -3]";
                wanted = "1 2.5 -3";
                break;
        }
        // The shortest and the longest substep must stay in order.
        const std::string token = info.token;
        if (token == "dt_min" || token == "dt_max") value = wanted = "0.5";
        const std::string text =
            "[" + section + "]\n" + token + " = " + value + "\n" + (token == "dt_min" ? "dt_max = 0.75\n" : "");
        const Scene scene = parse(text);
        const std::string got = parameter_text(scene.parameters, info);
        EXPECT_NE(got, parameter_text(firn::Parameters(), info)) << text;
        if (!wanted.empty()) {
            EXPECT_EQ(got, wanted) << text;
        }
        // The same through --set, by the token alone.
        if (token == "dt_min") continue;
        const Scene set = parse("", {token + "=" + value});
        EXPECT_EQ(parameter_text(set.parameters, info), got) << info.token;
    }
}

TEST(SceneFile, AliasesAreTheSameParameter) {
    EXPECT_EQ(parse("[material]\nE = 2e5").parameters.young_modulus, 2e5f);
    EXPECT_EQ(parse("[material]\nE = 2e5", {"young_modulus=3e5"}).parameters.young_modulus, 3e5f);
    EXPECT_EQ(parse("", {"material.E=2e5"}).parameters.young_modulus, 2e5f);
    expect_mistake("[material]\nE = 2e5\nyoung_modulus = 1e5", "shot/test.toml:", "same parameter");
}

TEST(SceneFile, ASectionOfWindMeansAir) {
    const auto read = [](const std::string& text, const std::vector<std::string>& set = {}) {
        return firn::parse_scene(text, "x.toml", set).parameters;
    };
    EXPECT_FALSE(firn::has_air(read("")));
    EXPECT_EQ(read("[wind]\nvelocity = [3, 0, 0]").drag_law, firn::DragLaw::flakes);
    EXPECT_EQ(read("[wind]\nvelocity = [3, 0, 0]").wind.x, 3);
    const firn::Parameters linear = read("[wind]\nwind = [3, 0, 0]\ndrag = 2");
    EXPECT_EQ(linear.drag_law, firn::DragLaw::linear);
    EXPECT_EQ(linear.drag, 2);
    EXPECT_FALSE(firn::has_air(read("[wind]\ndrag = 0")));
    EXPECT_EQ(read("[wind]\ndrag = 2\ndrag_law = \"flakes\"").drag_law, firn::DragLaw::flakes);
    EXPECT_THROW(read("[wind]\nwind = [1, 0, 0]\nvelocity = [3, 0, 0]"), firn::Error);
    EXPECT_EQ(read("[wind]\nwind = [1, 0, 0]", {"wind.velocity=[5, 0, 0]"}).wind.x, 5);
}

TEST(SceneFile, AliasesAreTheSameKey) {
    const std::string collider = "[[collider]]\nname = \"ground\"\n";
    EXPECT_EQ(parse(collider + "restitution = 0.25\nstickiness = 0.5").colliders[0].bounce, 0.25f);
    EXPECT_EQ(parse(collider + "restitution = 0.25\nstickiness = 0.5").colliders[0].sticky, 0.5f);
    EXPECT_EQ(parse(collider + "bounce = 0.25", {"collider.ground.restitution=0.75"}).colliders[0].bounce, 0.75f);
    EXPECT_EQ(parse(collider + "stickiness = 0.25", {"collider.0.sticky=0.75"}).colliders[0].sticky, 0.75f);
    expect_mistake(collider + "bounce = 0\nrestitution = 0", "shot/test.toml:4:1: ", "are the same key");
    expect_mistake(collider + "restitution = 2", "shot/test.toml:3:15: ", "restitution = 2 is out of range");
    expect_mistake(collider + "stickiness = \"a\"", "shot/test.toml:3:14: ", "stickiness must be a number");
}

TEST(SceneFile, ResolutionDividesTheSpacing) {
    EXPECT_FLOAT_EQ(parse("[scene]\nspacing = 0.04\nresolution = 2").parameters.spacing, 0.02f);
    EXPECT_FLOAT_EQ(parse("[scene]\nspacing = 0.04", {"scene.resolution=4"}).parameters.spacing, 0.01f);
}

TEST(SceneFile, Snow) {
    const Scene scene = parse(R"(
[material]
preset = "wet"
theta_c = 0.05
[materials.weak]
preset = "powder"
E = 1e4
noise = { amplitude = 0.4, scale = 0.2, seed = 7, of = ["E", "rho0"] }
[[snow]]
shape = "sphere"
radius = 0.3
position = [1, 2, 3]
velocity = [0, -4, 0]
spin = [0, 90, 0]
[[snow]]
name = "slab"
material = "weak"
density = 150
start = 10
[[snow]]
material = "crust"
[[snow]]
material = { E = 5e5 }
rate = 2
start = 3
end = 9
)");
    ASSERT_EQ(scene.snow.size(), 4u);
    EXPECT_EQ(scene.snow[0].name, "snow1");
    EXPECT_EQ(scene.snow[0].geometry.shape, firn::ShapeKind::sphere);
    EXPECT_EQ(scene.snow[0].geometry.radius, 0.3f);
    EXPECT_EQ(scene.snow[0].geometry.placed.position.z, 3);
    EXPECT_EQ(scene.snow[0].spin.y, 90);
    EXPECT_EQ(scene.snow[0].material.material.theta_c, 0.05f);
    EXPECT_EQ(scene.snow[0].material.material.rest_density, 500) << "of the preset";
    EXPECT_EQ(scene.snow[1].material.material.young_modulus, 1e4f);
    EXPECT_EQ(scene.snow[1].material.material.rest_density, 150);
    EXPECT_EQ(scene.snow[1].material.noise.of, (std::vector<std::string>{"young_modulus", "rest_density"}));
    EXPECT_EQ(scene.snow[1].material.noise.seed, 7u);
    EXPECT_EQ(*scene.snow[1].start, 10);
    EXPECT_EQ(scene.snow[2].material.material.young_modulus, 3e6f);
    EXPECT_EQ(scene.snow[3].material.material.young_modulus, 5e5f);
    EXPECT_EQ(scene.snow[3].material.material.theta_c, 0.05f) << "what it does not say, [material] does";
    EXPECT_EQ(*scene.snow[3].end, 9);
    EXPECT_EQ(scene.parameters.theta_c, 0.05f);
}

TEST(SceneFile, MeasuredSnowNeedsOnlyItsDensity) {
    const firn::Material wanted = firn::measured_material(250);
    const Scene scene = parse("[material]\npreset = \"measured\"\nrest_density = 250");
    EXPECT_EQ(scene.parameters.young_modulus, wanted.young_modulus);
    EXPECT_EQ(scene.parameters.rest_density, 250);
}

TEST(SceneFile, CollidersAndKeys) {
    const Scene scene = parse(R"(
[[collider]]
shape = "box"
size = [1, 2, 3]
friction = 0.1
sticky = 1
keys = [{ frame = 1, position = [0, 0, 0] }, { frame = 11, position = [1, 0, 0], rotation = [0, 0, 90] }]
interpolation = "linear"
[[collider]]
shape = "mesh"
file = "boot.%04d.obj"
)");
    ASSERT_EQ(scene.colliders.size(), 2u);
    const firn::Collider& box = scene.colliders[0];
    EXPECT_EQ(box.sticky, 1);
    EXPECT_EQ(scene.colliders[1].geometry.file, "shot/boot.%04d.obj");
    // Half-way: half the distance and half the turn.
    const firn::Transform middle = placement_at(box, 6);
    EXPECT_NEAR(middle.translation[0], 0.5, 1e-6);
    const double half = std::sqrt(0.5);
    EXPECT_NEAR(middle.rotation[0], half, 1e-6);
    EXPECT_NEAR(middle.rotation[1], -half, 1e-6);
    EXPECT_NEAR(placement_at(box, -5).translation[0], 0, 1e-12);
    EXPECT_NEAR(placement_at(box, 50).translation[0], 1, 1e-12);
    EXPECT_TRUE(collider_moves(scene, 0));
}

TEST(SceneFile, SmoothKeysStartAndStopWithoutAJolt) {
    firn::Collider collider;
    collider.keys = {{0, {0, 0, 0}, {}}, {10, {1, 0, 0}, {}}};
    const auto x = [&](double frame) { return placement_at(collider, frame).translation[0]; };
    EXPECT_LT(x(0.1) - x(0), 0.001);
    EXPECT_LT(x(10) - x(9.9), 0.001);
    EXPECT_NEAR(x(5), 0.5, 1e-6);
}

TEST(SceneFile, RotationsGoAboutXThenYThenZ) {
    // 90 degrees about x carries y to z; then 90 about z leaves z, and carries x to y.
    const firn::Transform t = firn::transform_of({{0, 0, 0}, {90, 0, 90}, 1});
    const firn::Float3 y = firn::turned(t, {0, 1, 0}), x = firn::turned(t, {1, 0, 0});
    EXPECT_NEAR(y.z, 1, 1e-6);
    EXPECT_NEAR(x.y, 1, 1e-6);
}

TEST(SceneFile, MistakesHaveTheirPlaceAndASuggestion) {
    expect_mistake("[scene]\nspaceing = 0.1", "shot/test.toml:2:1: ", "did you mean 'spacing'?");
    expect_mistake("[scene]\nspacing = \"2 cm\"", "shot/test.toml:2:11: ", "a number (m), not text");
    expect_mistake("[scene]\nspacing = -2", "shot/test.toml:2:11: ", "0.001 to 100 m");
    expect_mistake("[scenne]\n", "shot/test.toml:1:", "did you mean 'scene'?");
    expect_mistake("[[snow]]\nshape = \"spere\"", "shot/test.toml:2:9: ", "did you mean 'sphere'?");
    expect_mistake("[[snow]]\nshape = \"box\"\nradius = 2", "shot/test.toml:3:1: ", "a box has no 'radius'");
    expect_mistake("[[snow]]\nvelocity = [1, 2]", "shot/test.toml:2:12: ", "3 numbers, [x, y, z] in m/s, not 2 values");
    expect_mistake("[[snow]]\nvelocity = [1, \"a\", 3]", "shot/test.toml:2:16: ", "number");
    expect_mistake("[[snow]]\nmaterial = \"wett\"", "shot/test.toml:2:12: ", "did you mean 'wet'?");
    expect_mistake("[[snow]]\nshape = \"mesh\"", "shot/test.toml:1:1: ", "needs a 'file'");
    expect_mistake("[time]\nend = 1.5", "shot/test.toml:2:7: ", "whole number");
    expect_mistake("[time]\nend = 0", "shot/test.toml:2:7: ", "before the first");
    expect_mistake("[time]\nspacing = 1", "shot/test.toml:2:1: ", "[scene]");
    expect_mistake("spacing = 1", "shot/test.toml:1:1: ", "[scene]");
    expect_mistake("[solver]\nmode = \"publshed\"", "shot/test.toml:2:8: ", "standard, published");
    expect_mistake("[solver]\nE = 1", "shot/test.toml:2:1: ", "[material]");
    expect_mistake("[scene\n", "shot/test.toml:1:", "");
    expect_mistake("[scene]\nname = \"../x\"", "shot/test.toml:2:8: ", "file names");
    expect_mistake("[output]\nvolumes = [\"densty\"]", "shot/test.toml:2:11: ", "did you mean 'density'?");
    expect_mistake("[[collider]]\nkeys = [{ frame = 2 }, { frame = 1 }]", "shot/test.toml:2:34: ", "order");
    expect_mistake("[[collider]]\nkeys = [{ frame = 2 }]\nposition = [0, 0, 0]", "shot/test.toml:3:12: ", "keys");
    expect_mistake("[[snow]]\nname = \"a\"\n[[snow]]\nname = \"a\"", "shot/test.toml:3:1: ", "twice");
    expect_mistake("[[collider]]\nshape = \"mesh\"\nfile = \"a%s.obj\"", "shot/test.toml:3:8: ", "%04d");
    expect_mistake("[scene]\nspacing = nan", "shot/test.toml:2:11: ", "");
    expect_mistake("[camera]\nangle = 0.6", "shot/test.toml:2:9: ", "degrees");
    expect_mistake("\xc3\xa9 = 1", "shot/test.toml:1:", "");
    expect_mistake("[=]\nx = 1", "shot/test.toml:1:", "");
    expect_mistake("snow = 3", "shot/test.toml:1:8: ", "list of tables");
}

TEST(SceneFile, SetReachesEveryKindOfKey) {
    const std::string text = "[[snow]]\nname = \"ball\"\n[[collider]]\n";
    EXPECT_EQ(parse(text, {"snow.ball.velocity=[1,2,3]"}).snow[0].velocity.z, 3);
    EXPECT_EQ(parse(text, {"snow.0.shape=sphere"}).snow[0].geometry.shape, firn::ShapeKind::sphere);
    EXPECT_EQ(parse(text, {"collider.0.friction=0"}).colliders[0].friction, 0);
    EXPECT_EQ(parse(text, {"output.half_float=off"}).output.half_float, false);
    EXPECT_EQ(parse(text, {"output.volumes=[]"}).output.volumes.size(), 0u);
    EXPECT_EQ(parse(text, {"snow.ball.material=wet"}).snow[0].material.material.rest_density, 500);
    EXPECT_EQ(parse(text, {"time.end=5", "time.end=6"}).last_frame, 6) << "the last one holds";
    EXPECT_EQ(parse("set = [\"time.end=7\"]\n" + text).last_frame, 7);
    EXPECT_EQ(parse("set = [\"time.end=7\"]\n" + text, {"time.end=8"}).last_frame, 8);

    expect_mistake(text, "--set snow.bell.velocity=[1,2,3]: ", "there are ball", {"snow.bell.velocity=[1,2,3]"});
    // Bodies without a name have one all the same, which messages use too.
    const std::string unnamed = "[[snow]]\n[[snow]]\n[[collider]]\n";
    EXPECT_EQ(parse(unnamed, {"snow.snow2.velocity=[1,2,3]"}).snow.at(1).velocity.y, 2);
    EXPECT_EQ(parse(unnamed, {"snow.1.velocity=[1,2,3]"}).snow.at(1).velocity.y, 2);
    EXPECT_EQ(parse(unnamed, {"collider.collider1.friction=0.25"}).colliders.at(0).friction, 0.25f);
    expect_mistake(unnamed, "--set snow.snow3.rate=1: ", "there are snow1, snow2", {"snow.snow3.rate=1"});
    expect_mistake(text, "--set snow.ball.velocty=1: ", "did you mean 'velocity'?", {"snow.ball.velocty=1"});
    expect_mistake(text, "--set material.E=-5: ", "1 to 1e+10 Pa", {"material.E=-5"});
    expect_mistake(text, "--set E: ", "KEY=VALUE", {"E"});
    expect_mistake(text, "--set radius=1: ", "snow.radius", {"radius=1"});
    expect_mistake(text, "--set time.end=[: ", "not a value", {"time.end=["});
}

TEST(SceneFile, TheCopyOfARunKeepsTheTextWithoutItsTop) {
    const Scene scene = parse("folder = \"/elsewhere\"\nset = [\"time.end=7\"]\n# a comment\n[time]\nfps = 30\n");
    EXPECT_EQ(scene.folder, "/elsewhere");
    EXPECT_EQ(scene.text, "# a comment\n[time]\nfps = 30\n");
    EXPECT_EQ(scene.overrides, std::vector<std::string>{"time.end=7"});
}

TEST(SceneFile, LikelySlipsAreWarnedOf) {
    EXPECT_EQ(parse("[[snow]]\nmaterial = { E = 140 }").warnings.size(), 1u);
    EXPECT_EQ(parse("[[snow]]\nmaterial = { E = 140e3 }").warnings.size(), 0u);
}

TEST(Keys, EveryRowIsComplete) {
    for (const firn::SceneKey& key : firn::scene_keys()) {
        EXPECT_LE(key.low, key.high) << key.section << "." << key.key;
        const bool speaks_for_itself = std::string(key.key) == "radius";
        EXPECT_EQ(std::string(key.help).empty(), speaks_for_itself) << key.section << "." << key.key;
        EXPECT_EQ(key.type == firn::KeyType::choice, !key.choices.empty()) << key.section << "." << key.key;
    }
}

TEST(Keys, OfASurfaceHaveTheEnginesRanges) {
    for (const firn::SurfaceQuantity& quantity : firn::surface_table()) {
        const firn::SceneKey* key = firn::find_key("collider", quantity.token);
        ASSERT_TRUE(key) << quantity.token;
        EXPECT_EQ(key->low, 0) << quantity.token;
        EXPECT_EQ(static_cast<float>(key->high), quantity.high) << quantity.token;
    }
}

TEST(Spelling, DistancesByHand) {
    EXPECT_EQ(firn::edit_distance("", "abc"), 3u);
    EXPECT_EQ(firn::edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(firn::edit_distance("frictoin", "friction"), 1u) << "neighbours that swap places are one slip";
    EXPECT_EQ(firn::edit_distance("same", "same"), 0u);
    EXPECT_EQ(firn::nearest_word("Radius", {"radius", "ratio"}), "radius");
    EXPECT_EQ(firn::nearest_word("xyz", {"radius", "ratio"}), "");
    EXPECT_EQ(firn::nearest_word(std::string(100000, 'a'), {"radius"}), "");
}

}  // namespace
