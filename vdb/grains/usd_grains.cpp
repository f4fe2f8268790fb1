#include "grains/usd_grains.h"

#include <algorithm>
#include <charconv>

#include "files/columns.h"
#include "files/file_error.h"
#include "files/output.h"
#include "firn/error.h"
#include "firn/new_file.h"
#include "samples/vec3.h"

namespace firn {

namespace {

class UsdGrains {
public:
    UsdGrains(Output& output, double frame) : output_(output), frame_(text_of(frame)) {}

    void line(const std::string& text) { output_.write(text + "\n"); }
    /// `write(k)` writes the value of grain k.
    template <class Write>
    void samples(const std::string& declaration, size_t count, const Write& write) {
        line("    " + declaration + ".timeSamples = {");
        output_.write("        " + frame_ + ": [");
        for (size_t k = 0; k < count; ++k) {
            if (k > 0) output_.write(", ", 2);
            write(k);
        }
        output_.write("],\n    }\n");
    }
    /// Seven digits: a float, but for its last bit or two.
    void number(float value) {
        char text[32];
        const auto [end, error] = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 7);
        (void)error;  // 32 characters are enough
        output_.write(text, static_cast<size_t>(end - text));
    }
    void tuple(const Float3& v) {
        output_.write("(", 1);
        number(v.x);
        output_.write(", ", 2);
        number(v.y);
        output_.write(", ", 2);
        number(v.z);
        output_.write(")", 1);
    }

private:
    Output& output_;
    std::string frame_;
};

void write(Output& output, const RenderGrains& grains, const GrainFileSettings& settings, const FrameStamp& stamp,
           const std::map<std::string, std::string>& metadata) {
    UsdGrains file(output, stamp.frame);
    file.line("#usda 1.0\n(\n    customLayerData = {");
    for (const auto& [name, value] : metadata) {
        std::string plain = value;
        for (char& c : plain)
            if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = ' ';
        file.line("        string " + name + " = \"" + plain + "\"");
    }
    file.line("    }\n    defaultPrim = \"grains\"\n    framesPerSecond = " + text_of(stamp.fps) +
              "\n    metersPerUnit = 1\n    timeCodesPerSecond = " + text_of(stamp.fps) +
              "\n    upAxis = \"Y\"\n)\n\ndef Points \"grains\"\n{");
    const size_t count = grains.count();
    Float3 low, high;
    for (size_t k = 0; k < count; ++k) {
        const Float3& p = grains.position[k];
        const float r = grains.radius[k];
        if (!finite(p) || !finite(grains.velocity[k]))
            throw Error("the velocity of grain " + std::to_string(grains.id[k]) + " is not finite");
        if (k == 0) {
            low = {p.x - r, p.y - r, p.z - r};
            high = {p.x + r, p.y + r, p.z + r};
        }
        low = {std::min(low.x, p.x - r), std::min(low.y, p.y - r), std::min(low.z, p.z - r)};
        high = {std::max(high.x, p.x + r), std::max(high.y, p.y + r), std::max(high.z, p.z + r)};
    }
    file.samples("float3[] extent", 2, [&](size_t k) { file.tuple(k == 0 ? low : high); });
    file.samples("int64[] ids", count, [&](size_t k) { output.write(std::to_string(grains.id[k])); });
    file.samples("point3f[] points", count, [&](size_t k) { file.tuple(grains.position[k]); });
    for (const auto& [name, values] : settings.attributes) {
        const std::vector<float>& of_particle = values;
        file.samples("float[] primvars:" + name, count,
                     [&](size_t k) { file.number(of_particle[grains.particle[k]]); });
    }
    file.samples("vector3f[] velocities", count, [&](size_t k) { file.tuple(grains.velocity[k]); });
    file.samples("float[] widths", count, [&](size_t k) { file.number(2 * grains.radius[k]); });
    file.line("}");
}

}  // namespace

void write_usd_grains(const std::string& path, const RenderGrains& grains, const GrainFileSettings& settings,
                      const FrameStamp& stamp, const std::map<std::string, std::string>& metadata) {
    with_file_name(path, [&] {
        NewFile target(path);
        Output output(target.temporary(), path);
        write(output, grains, settings, stamp, metadata);
        output.close();
        target.commit();
    });
}

}  // namespace firn
