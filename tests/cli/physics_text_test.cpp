// What --resume compares: every key that the motion depends on, and no other.

#include "physics_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "scene_keys.h"
#include "temporary_folder.h"

namespace {

using firn::KeyEffect;
using firn::KeyType;
using firn::physics_difference;
using firn::SceneKey;

std::string first_word(const std::string& words) {
    return words.substr(0, words.find(' '));
}

std::string number(double value) {
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
}

/// A number within the row's limits that is not `other`.
std::string another_number(const SceneKey& key, double other) {
    for (const double value : {2.0, 3.0, 0.25, key.low, key.high})
        if (value != other && value >= key.low && value <= key.high &&
            (key.type == KeyType::number || key.type == KeyType::vector || value == static_cast<int>(value)))
            return number(value);
    ADD_FAILURE() << key.section << "." << key.key << " has no second value";
    return "0";
}

/// A scene in which a key of the table can be given, and two values for it.
class KeyChange {
public:
    KeyChange(const SceneKey& key, const std::string& folder) : key_(key), folder_(folder) {
        for (const char* name : {"a.obj", "b.obj"})
            std::ofstream(folder + "/" + name) << "v 0 0 0\nv 1 0 0\nv 0 1 " << name[0] - 'a' << "\nf 1 2 3\n";
    }

    firn::Scene before() const { return with(first()); }
    firn::Scene after() const { return with(second()); }
    std::string path() const { return std::string(key_.section) + "." + key_.key; }

private:
    bool is(const char* section, const char* key) const {
        return std::strcmp(key_.section, section) == 0 && std::strcmp(key_.key, key) == 0;
    }

    /// The [[snow]] or [[collider]] of the scene: a shape that has the key, with what that shape needs.
    std::string body(const char* section) const {
        const bool own = std::strcmp(key_.section, section) == 0;
        const std::string shape = is(section, "shape")       ? ""
                                  : own && *key_.shapes      ? first_word(key_.shapes)
                                  : !strcmp(section, "snow") ? "box"
                                                             : "plane";
        const SceneKey* file = firn::find_key(section, "file");
        std::string text = "[[" + std::string(section) + "]]\n" + (shape.empty() ? "" : "shape = \"" + shape + "\"\n");
        const bool needs_file = !shape.empty() && std::string(file->shapes).find(shape) != std::string::npos;
        if (needs_file && !is(section, "file") && !is(section, "on")) text += "file = \"a.obj\"\n";
        if (is("snow", "end")) text += own ? "rate = 1\n" : "";
        return text;
    }

    firn::Scene with(const std::string& value) const {
        const std::string section = key_.section;
        std::string line = std::string(key_.key) + " = " + value + "\n", text;
        if (section.empty()) text += line;
        if (section == "noise") line = (is("noise", "amplitude") ? "" : "amplitude = 0.5\n") + line;
        if (is("wind", "grid") || is("wind", "scale")) line = "file = \"a.obj\"\n" + line;
        text += body("snow") + (section == "snow" ? line : "");
        text += body("collider") + (section == "collider" ? line : "");
        if (is("snow", "on")) text += "[[collider]]\nname = \"one\"\n[[collider]]\nname = \"two\"\n";
        if (section == "keys")
            text += "keys = [{ " + (is("keys", "frame") ? "" : std::string("frame = 1, ")) + std::string(key_.key) +
                    " = " + value + " }]\n";
        if (section == "wedge")
            text += "[[wedge]]\n" + line +
                    (is("wedge", "key") ? "values = [1]\n" : std::string("key = \"scene.resolution\"\n"));
        else if (section == "noise")
            text += "[material.noise]\n" + line;
        else if (section != "" && section != "snow" && section != "collider" && section != "keys")
            text += "[" + section + "]\n" + line;
        return firn::parse_scene(text, folder_ + "/test.toml");
    }

    std::string first() const { return value(true); }
    std::string second() const { return value(false); }

    std::string value(bool first) const {
        if (is("", "set")) return first ? "[]" : "[\"output.every=2\"]";
        if (is("", "folder")) return first ? "\".\"" : "\"" + folder_ + "\"";
        if (is("material", "noise")) return first ? "{ amplitude = 0.1 }" : "{ amplitude = 0.2 }";
        if (is("noise", "of")) return first ? "[\"E\"]" : "[\"theta_c\"]";
        if (is("snow", "material")) return first ? "\"wet\"" : "{ preset = \"dry\" }";
        if (is("collider", "keys")) return first ? "[{ frame = 1 }]" : "[{ frame = 1 }, { frame = 2 }]";
        if (is("output", "volumes")) return first ? "[]" : "[\"density\"]";
        if (is("snow", "filling")) return first ? "\"regular\"" : "\"relaxed\"";
        if (is("time", "end")) return first ? "10" : "11";
        if (is("wedge", "key")) return first ? "\"scene.resolution\"" : "\"time.end\"";
        if (is("wedge", "values")) return first ? "[1]" : "[1, 2]";
        const auto number = [&] {
            const std::string one = another_number(key_, std::strtod(key_.initial, nullptr));
            return first ? one : another_number(key_, std::strtod(one.c_str(), nullptr));
        };
        switch (key_.type) {
            case KeyType::number:
            case KeyType::integer:
                return number();
            case KeyType::vector:
                return "[" + number() + ", 0.5, 0.5]";
            case KeyType::pair:
                return "[" + number() + ", 300]";
            case KeyType::toggle:
                return first ? "true" : "false";
            case KeyType::choice:
                return std::string("\"") + (first ? key_.choices[0] : key_.choices[1]) + "\"";
            case KeyType::text:
                return first ? "\"one\"" : "\"two\"";
            case KeyType::file:
                return first ? "\"a.obj\"" : "\"b.obj\"";
            default:
                ADD_FAILURE() << path() << ": say here how it changes";
                return "0";
        }
    }

    const SceneKey& key_;
    std::string folder_;
};

TEST(PhysicsText, NoticesEveryKeyThatTheMotionDependsOnAndNoOther) {
    const TemporaryFolder folder;
    std::set<std::string> compared, passed_over;
    for (const SceneKey& key : firn::scene_keys()) {
        // With one choice there is nothing to change (scene.method; tests/methods has two).
        if (key.type == KeyType::choice && key.choices.size() == 1) continue;
        const KeyChange change(key, folder.path());
        const std::string difference = physics_difference(physics_text(change.before()), physics_text(change.after()));
        (key.effect == KeyEffect::none ? passed_over : compared).insert(change.path());
        if (key.effect == KeyEffect::none) {
            EXPECT_EQ(difference, "") << change.path();
            continue;
        }
        EXPECT_NE(difference, "") << change.path() << " was changed, and --resume does not notice";
        // The line that changed is named; a body's name changes all of its lines.
        if (key.effect == KeyEffect::motion && std::strcmp(key.key, "name") != 0) {
            EXPECT_NE(difference.find(std::string(".") + key.key), std::string::npos) << difference;
        }
    }
    EXPECT_GE(compared.size(), 45u);
    EXPECT_GE(passed_over.size(), 30u);
}

TEST(PhysicsText, NoticesEveryParameterButThoseOfTheMachine) {
    const std::string before = physics_text(firn::parse_scene("[[snow]]\n", "x.toml"));
    for (const firn::ParameterInfo& info : firn::parameter_table()) {
        firn::Scene scene = firn::parse_scene("[[snow]]\n", "x.toml");
        firn::Parameters& p = scene.parameters;
        switch (info.type) {
            case firn::ParameterType::toggle:
                set_parameter(p, info.token, info.initial[0] != 0 ? "off" : "on");
                break;
            case firn::ParameterType::choice:
                set_parameter(p, info.token, info.choices[info.initial[0] == 0 ? 1 : 0].token);
                break;
            case firn::ParameterType::vector:
                set_parameter(p, info.token, "1 2 3");
                break;
            case firn::ParameterType::integer:
            case firn::ParameterType::real:
                set_parameter(p, info.token, number(info.initial[0] == info.low ? info.high : info.low));
        }
        const std::string difference = physics_difference(before, physics_text(scene));
        if (std::strcmp(info.folder, "Machine") == 0) {
            EXPECT_EQ(difference, "") << info.token;
        } else {
            EXPECT_NE(difference, "") << info.token;
        }
    }
}

TEST(PhysicsText, ComparesParametersAsTheyAct) {
    const auto text = [](const std::vector<std::string>& set) {
        return firn::physics_text(firn::parse_scene("[solver]\nmode = \"published\"\n[[snow]]\n", "x.toml", set));
    };
    EXPECT_EQ(text({}), text({"pressure_warm_start=off"})) << "published mode starts cold, whatever is asked";
}

TEST(PhysicsText, HasEachNameOnce) {
    const firn::Scene scene = firn::parse_scene(
        "[wind]\n[[snow]]\n[[snow]]\nrate = 1\n[[collider]]\nkeys = [{ frame = 1 }, { frame = 3 }]\n", "x.toml");
    std::set<std::string> names;
    for (const firn::MotionValue& value : scene.motion) EXPECT_TRUE(names.insert(value.name).second) << value.name;
    EXPECT_TRUE(names.count("snow.snow2.rate"));
    EXPECT_TRUE(names.count("collider.collider1.keys.1.position"));
    EXPECT_NE(firn::physics_text(scene).find("\ndrag_law = flakes\n"), std::string::npos);
}

TEST(PhysicsText, EqualMaterialsAreEqualHoweverTheyAreWritten) {
    const auto text = [](const std::string& scene) { return firn::physics_text(firn::parse_scene(scene, "x.toml")); };
    EXPECT_EQ(text("[[snow]]\nmaterial = \"wet\""), text("[[snow]]\nmaterial = { preset = \"wet\" }"));
    EXPECT_EQ(text("[scene]\nspacing = 0.04\nresolution = 2"), text("[scene]\nspacing = 0.02"));
    EXPECT_EQ(text("[[snow]]"), text("[[snow]]\nstart = 1"));
}

TEST(PhysicsText, FilesCountByWhatIsInThem) {
    const TemporaryFolder folder;
    const auto text = [&](const char* name) {
        return firn::physics_text(firn::parse_scene(
            std::string("[[collider]]\nshape = \"mesh\"\nfile = \"") + name + "\"", folder.path() + "/test.toml"));
    };
    std::ofstream(folder.path() + "/a.obj") << "v 0 0 0\n";
    std::ofstream(folder.path() + "/same.obj") << "v 0 0 0\n";
    EXPECT_EQ(text("a.obj"), text("same.obj"));
    const std::string before = text("a.obj");
    std::ofstream(folder.path() + "/a.obj") << "v 0 0 1\n";
    EXPECT_NE(physics_difference(before, text("a.obj")).find("collider1.file"), std::string::npos);
}

TEST(PhysicsText, BodiesThatChangePlacesAreNoticed) {
    const auto text = [](const std::string& scene) { return firn::physics_text(firn::parse_scene(scene, "x.toml")); };
    const std::string a = "[[snow]]\nname = \"a\"\n", b = "[[snow]]\nname = \"b\"\n";
    EXPECT_NE(physics_difference(text(a + b), text(b + a)), "");
}

TEST(PhysicsText, TellsWhatChanged) {
    const auto text = [](const std::vector<std::string>& set) {
        return firn::physics_text(firn::parse_scene("[[snow]]\nname = \"ball\"\n[[collider]]\n", "x.toml", set));
    };
    const std::string base = text({});
    EXPECT_EQ(physics_difference(base, base), "");
    EXPECT_NE(physics_difference(base, text({"cfl=0.1"})).find("and is 'cfl = 0.1"), std::string::npos);
    EXPECT_EQ(physics_difference(base, text({"snow.ball.velocity=[0,1.1,0]"})),
              "it was 'snow.ball.velocity = 0 0 0' and is 'snow.ball.velocity = 0 1.1 0'");
    EXPECT_NE(physics_difference(base, text({"snow.ball.end=3", "snow.ball.rate=1"})), "");
}

}  // namespace
