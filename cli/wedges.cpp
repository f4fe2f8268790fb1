#include "wedges.h"

#include "firn/error.h"
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
    std::vector<std::string> settings = wedge_settings(read_scene(path), number);
    settings.insert(settings.end(), overrides.begin(), overrides.end());
    return read_scene(path, settings);
}

}  // namespace firn
