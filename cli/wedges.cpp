#include "wedges.h"

#include "firn/error.h"
#include "firn/short_token.h"
#include "run_folder.h"

namespace firn {

int wedge_count(const Scene& scene) {
    if (scene.wedges.empty()) return 0;
    int count = 1;
    for (const WedgeAxis& axis : scene.wedges) count *= static_cast<int>(axis.values.size());
    return count;
}

std::vector<std::string> wedge_settings(const Scene& scene, int number) {
    const int count = wedge_count(scene);
    if (count == 0) throw Error(scene.path + ": has no wedges; write [[wedge]] with a key and its values");
    if (number < 0 || number >= count)
        throw Error(scene.path + ": there is no wedge " + std::to_string(number) + "; they go from 0 to " +
                    std::to_string(count - 1));
    std::vector<std::string> settings(scene.wedges.size());
    for (size_t k = scene.wedges.size(); k-- > 0;) {
        const WedgeAxis& axis = scene.wedges[k];
        const int values = static_cast<int>(axis.values.size());
        settings[k] = axis.key + "=" + axis.values[static_cast<size_t>(number % values)];
        number /= values;
    }
    return settings;
}

std::string wedge_folder(const std::string& out, int number) {
    return out + "/wedge_" + frame_text(number);
}

Scene read_wedge(const std::string& path, int number, const std::vector<std::string>& overrides) {
    const std::vector<std::string> of_wedge = wedge_settings(read_scene(path), number);
    std::vector<std::string> settings = of_wedge;
    settings.insert(settings.end(), overrides.begin(), overrides.end());
    try {
        return read_scene(path, settings);
    } catch (const Error& error) {
        std::string what = error.what();
        for (const std::string& setting : of_wedge) what = with_short_token(what, setting);
        throw Error(what);
    }
}

}  // namespace firn
