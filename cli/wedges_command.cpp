#include <cstdio>
#include <nlohmann/json.hpp>

#include "firn/error.h"
#include "subcommands.h"
#include "wedges.h"

namespace firn {

namespace {

int run(const CommandLine& line) {
    const std::string path = line.text("SCENE", "");
    const Scene scene = read_scene(path);
    const int count = wedge_count(scene);
    // A value that doesn't fit shows here, and not on the farm.
    for (int number = 0; number < count; ++number) read_wedge(path, number, {});

    if (line.has("--count")) {
        std::printf("%d\n", count);
    } else if (line.has("--json")) {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (int number = 0; number < count; ++number)
            all.push_back({{"wedge", number}, {"set", wedge_settings(scene, number)}});
        std::printf("%s\n", all.dump(1).c_str());
    } else if (count == 0) {
        std::printf("%s has no wedges\n", path.c_str());
    } else {
        for (int number = 0; number < count; ++number) {
            std::printf("%4d ", number);
            for (const std::string& setting : wedge_settings(scene, number)) std::printf(" %s", setting.c_str());
            std::printf("\n");
        }
    }
    return exit_done;
}

constexpr const char* details =
    "A scene's [[wedge]] tables say what varies; every combination is a wedge:\n"
    "\n"
    "  [[wedge]]\n"
    "  key = \"material.E\"                what --set would take\n"
    "  values = [7e4, 1.4e5, 2.8e5]\n"
    "  [[wedge]]\n"
    "  key = \"collider.ground.friction\"\n"
    "  values = [0.1, 0.6]\n"
    "\n"
    "  firn wedges scene.toml             0 to 5, and what each changes; every one is checked\n"
    "  firn sim scene.toml --wedge 3      one of them, into out/scene/wedge_0003\n";

}  // namespace

Subcommand wedges_command() {
    return {"wedges",
            "list the wedges of a scene: its runs with other values",
            "firn wedges SCENE [options]",
            details,
            {{"SCENE", "", "a scene file (.toml)"},
             {"--count", "", "only how many there are"},
             {"--json", "", "for programs"}},
            run};
}

}  // namespace firn
