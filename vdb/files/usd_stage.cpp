#include "firn/usd_stage.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "files/file_error.h"
#include "files/output.h"
#include "files/usd_look.h"
#include "firn/error.h"
#include "firn/new_file.h"

namespace firn {

namespace {

/// Text with two digits of indentation per level, straight into the file.
class UsdaWriter {
public:
    UsdaWriter(Output& output, const UsdStage& stage) : output_(output), stage_(stage) {}

    void write() {
        if (!(stage_.fps > 0) || !std::isfinite(stage_.fps)) throw Error("a stage needs frames per second above 0");
        line("#usda 1.0");
        line("(");
        line("    defaultPrim = \"firn\"");
        line("    doc = \"Snow simulated by Firn\"");
        line("    endTimeCode = " + number(stage_.last_frame));
        line("    framesPerSecond = " + number(stage_.fps));
        line("    metersPerUnit = 1");
        line("    startTimeCode = " + number(stage_.first_frame));
        line("    timeCodesPerSecond = " + number(stage_.fps));
        line("    upAxis = \"Y\"");
        line(")");
        line("");
        begin("Xform", "firn", "", "component");
        output_.write(usd_snow_materials);
        if (!stage_.volumes.empty()) {
            std::set<std::string> names;
            begin("Scope", "volumes");
            for (const UsdStage::Volume& volume : stage_.volumes) write_volume(volume, names);
            end();
        }
        if (!stage_.colliders.empty()) {
            std::set<std::string> names;
            begin("Scope", "colliders");
            for (const UsdStage::Collider& collider : stage_.colliders) write_collider(collider, names);
            end();
        }
        if (stage_.has_grains) write_grains(stage_.grains);
        if (stage_.has_camera) write_camera(stage_.camera);
        write_lights();
        end();
        if (stage_.has_grains) write_grain_manifest();
    }

private:
    // Text.

    void line(const std::string& text) {
        if (!text.empty()) output_.write(std::string(4 * depth_, ' '));
        output_.write(text);
        output_.write("\n", 1);
    }
    void begin(const char* type, const std::string& name, const std::string& given = "", const char* kind = "",
               bool has_material = false) {
        const bool renamed = !given.empty() && given != name;
        if (!renamed && *kind == '\0' && !has_material) {
            line(std::string("def ") + type + " \"" + name + "\"");
        } else {
            line(std::string("def ") + type + " \"" + name + "\" (");
            if (has_material) line("    prepend apiSchemas = [\"MaterialBindingAPI\"]");
            if (renamed) {
                line("    customData = {");
                line("        string name = " + quoted(given));
                line("    }");
            }
            if (*kind != '\0') line(std::string("    kind = \"") + kind + "\"");
            line(")");
        }
        line("{");
        ++depth_;
    }
    void end() {
        --depth_;
        line("}");
    }

    template <typename T>
    static std::string number(T value) {
        if (!std::isfinite(value)) throw Error("a stage can't hold a number that is not finite");
        char text[64];
        const auto [stop, error] = std::to_chars(text, text + sizeof(text), value);
        (void)error;  // 64 characters are enough
        return {text, stop};
    }
    static std::string tuple(const Float3& v) {
        return "(" + number(v.x) + ", " + number(v.y) + ", " + number(v.z) + ")";
    }
    static std::string quoted(const std::string& text) {
        std::string result = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\') {
                result += '\\';
                result += c;
            } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
                result += ' ';
            } else {
                result += c;
            }
        }
        return result + "\"";
    }
    /// An asset's path. Relative ones get "./", so that they start from the stage and not from a search path.
    static std::string asset(const std::string& path) {
        const bool absolute = !path.empty() && path[0] == '/';
        const bool anchored = path.compare(0, 2, "./") == 0 || path.compare(0, 3, "../") == 0;
        const bool other = path.find("://") != std::string::npos || (path.size() > 1 && path[1] == ':');
        const std::string full = absolute || anchored || other ? path : "./" + path;
        if (std::any_of(full.begin(), full.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
            throw Error("a stage can't name a file with control characters: " + quoted(full));
        if (full.find('@') == std::string::npos) return "@" + full + "@";
        if (full.find("@@@") != std::string::npos || full.back() == '@')
            throw Error("a stage can't name this file, rename it: " + full);
        return "@@@" + full + "@@@";
    }
    /// A prim's name: letters, digits and underscores, unique among its siblings.
    static std::string prim_name(const std::string& given, std::set<std::string>& taken) {
        std::string name;
        bool gap = false;  // a letter beyond ASCII is several bytes and becomes one underscore
        for (const char c : given) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
            const bool digit = c >= '0' && c <= '9';
            if (digit && name.empty()) name += '_';
            if (letter || digit)
                name += c;
            else if (!gap)
                name += '_';
            gap = !letter && !digit;
        }
        if (name.empty()) name = "_";
        std::string unique = name;
        for (int i = 2; !taken.insert(unique).second; ++i) unique = name + "_" + std::to_string(i);
        return unique;
    }

    /// An attribute that is constant with one sample, and sampled over time with more. USD wants rising, unique times.
    template <typename Samples, typename Text>
    void attribute(const std::string& declaration, const Samples& samples, Text text) {
        if (samples.empty()) return;
        line(declaration + " = " + text(samples.front()));
        if (samples.size() == 1) return;
        line(declaration + ".timeSamples = {");
        const auto* last = &samples.front();
        for (const auto& sample : samples) {
            if (&sample != last && !(sample.frame > last->frame))
                throw Error("frames of a stage must rise: " + number(sample.frame) + " follows " + number(last->frame));
            line("    " + number(sample.frame) + ": " + text(sample) + ",");
            last = &sample;
        }
        line("}");
    }

    // Volumes.

    void write_volume(const UsdStage::Volume& volume, std::set<std::string>& names) {
        const std::string name = prim_name(volume.name, names);
        begin("Volume", name, volume.name, "", true);
        line("rel material:binding = </firn/materials/snow_volume>");
        std::vector<UsdStage::Sample> bounded;
        for (const UsdStage::Sample& file : volume.files)
            if (file.low.x < file.high.x || file.low.y < file.high.y || file.low.z < file.high.z)
                bounded.push_back(file);
        if (bounded.size() == volume.files.size())
            attribute("float3[] extent", bounded, [](const UsdStage::Sample& file) {
                return "[" + tuple(file.low) + ", " + tuple(file.high) + "]";
            });
        std::set<std::string> field_names;
        std::vector<std::string> prims;
        for (const std::string& field : volume.fields) {
            prims.push_back(prim_name(field, field_names));
            line("rel field:" + prims.back() + " = </firn/volumes/" + name + "/" + prims.back() + ">");
        }
        for (size_t i = 0; i < prims.size(); ++i) write_field(volume, volume.fields[i], prims[i]);
        end();
    }

    void write_field(const UsdStage::Volume& volume, const std::string& field, const std::string& prim) {
        const bool vector = field == "vel" || field == "v" || field == "velocity";
        const bool level_set = field == "surface";
        const bool fog = field.compare(0, 7, "density") == 0;
        line("");
        begin("OpenVDBAsset", prim, field);
        line(std::string("token fieldClass = \"") + (level_set ? "levelSet" : fog ? "fogVolume" : "unknown") + "\"");
        line(std::string("token fieldDataType = \"") + (vector ? "float3" : "float") + "\"");
        line("token fieldName = " + quoted(field));
        attribute("asset filePath", volume.files, [](const UsdStage::Sample& file) { return asset(file.path); });
        if (vector) line("token vectorDataRoleHint = \"Vector\"");
        end();
    }

    // Colliders.

    static std::string extent(const std::vector<Float3>& points) {
        if (points.empty()) return "[]";
        Float3 low = points.front(), high = low;
        for (const Float3& p : points) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        }
        return "[" + tuple(low) + ", " + tuple(high) + "]";
    }
    static std::string all(const std::vector<Float3>& points) {
        std::string text = "[";
        for (size_t i = 0; i < points.size(); ++i) text += (i > 0 ? ", " : "") + tuple(points[i]);
        return text + "]";
    }
    /// USD multiplies row vectors from the left, so the rotation is transposed and the translation is the last row.
    static std::string matrix(const Transform& transform) {
        std::string text = "( ";
        for (int row = 0; row < 3; ++row) {
            text += "(";
            for (int column = 0; column < 3; ++column) text += number(transform.rotation[3 * column + row]) + ", ";
            text += "0), ";
        }
        const double* t = transform.translation;
        return text + "(" + number(t[0]) + ", " + number(t[1]) + ", " + number(t[2]) + ", 1) )";
    }

    void write_collider(const UsdStage::Collider& collider, std::set<std::string>& names) {
        using Collider = UsdStage::Collider;
        const Mesh& mesh = collider.mesh;
        for (const Collider::Points& sample : collider.deformed)
            if (sample.points.size() != mesh.points.size())
                throw Error("collider '" + collider.name + "': frame " + number(sample.frame) + " has " +
                            std::to_string(sample.points.size()) + " points, its mesh has " +
                            std::to_string(mesh.points.size()));
        const std::string name = prim_name(collider.name, names);
        begin("Mesh", name, collider.name, "", true);
        const std::string material = "/firn/colliders/" + name + "/material";
        line("rel material:binding = <" + material + ">");
        line("uniform bool doubleSided = 1");
        if (collider.deformed.empty())
            line("float3[] extent = " + extent(mesh.points));
        else
            attribute("float3[] extent", collider.deformed, [](const Collider::Points& s) { return extent(s.points); });

        std::string counts = "[", indices = "[";
        for (size_t i = 0; i < mesh.triangles.size(); ++i) {
            counts += i > 0 ? ", 3" : "3";
            for (const uint32_t corner : mesh.triangles[i]) {
                if (corner >= mesh.points.size())
                    throw Error("collider '" + collider.name + "': triangle " + std::to_string(i) + " has a corner " +
                                std::to_string(corner) + " of " + std::to_string(mesh.points.size()));
                if (indices.size() > 1) indices += ", ";
                indices += std::to_string(corner);
            }
        }
        line("int[] faceVertexCounts = " + counts + "]");
        line("int[] faceVertexIndices = " + indices + "]");
        if (collider.deformed.empty())
            line("point3f[] points = " + all(mesh.points));
        else
            attribute("point3f[] points", collider.deformed, [](const Collider::Points& s) { return all(s.points); });
        line("color3f[] primvars:displayColor = [" + tuple(collider.colour) + "]");
        line("uniform token subdivisionScheme = \"none\"");
        if (!collider.placements.empty()) {
            attribute("matrix4d xformOp:transform", collider.placements,
                      [](const Collider::Placed& placed) { return matrix(placed.transform); });
            line("uniform token[] xformOpOrder = [\"xformOp:transform\"]");
        }
        begin("Material", "material");
        line("token outputs:surface.connect = <" + material + "/preview.outputs:surface>");
        begin("Shader", "preview");
        line("uniform token info:id = \"UsdPreviewSurface\"");
        line("color3f inputs:diffuseColor = " + tuple(collider.colour));
        line("float inputs:roughness = 0.6");
        line("token outputs:surface");
        end();
        end();
        end();
    }

    // Grains. The clips' prim is /grains; what attributes it has, an over of that name in this very file says, so that
    // nobody has to open every clip to find out.

    void write_grains(const UsdStage::Grains& grains) {
        line("def Points \"grains\" (");
        line("    prepend apiSchemas = [\"MaterialBindingAPI\"]");
        line("    clips = {");
        line("        dictionary default = {");
        line("            asset manifestAssetPath = " + asset(grains.stage));
        line("            string primPath = \"/grains\"");
        line("            string templateAssetPath = " + quoted(grains.folder + "/" + grains.name + ".####.usda"));
        line("            double templateEndTime = " + number(stage_.last_frame));
        line("            double templateStartTime = " + number(stage_.first_frame));
        line("            double templateStride = " + std::to_string(grains.every));
        line("        }");
        line("    }");
        line(")");
        line("{");
        ++depth_;
        line("rel material:binding = </firn/materials/snow_surface>");
        line("color3f[] primvars:displayColor = [(0.9, 0.94, 0.97)]");
        end();
    }
    void write_grain_manifest() {
        line("");
        line("over \"grains\"");
        line("{");
        for (const char* attribute :
             {"float3[] extent", "int64[] ids", "point3f[] points", "vector3f[] velocities", "float[] widths"})
            line(std::string("    ") + attribute);
        line("}");
    }

    // Lights: the sun, and the sky as a dome of one colour.

    void write_lights() {
        const Float3& s = stage_.to_sun;
        const double length = std::sqrt(double(s.x) * s.x + double(s.y) * s.y + double(s.z) * s.z);
        if (!(length > 0) || !std::isfinite(length)) throw Error("the sun needs a direction");
        // A distant light shines along its -z: first it looks down from its height, then it turns about y.
        const double degrees = 180 / 3.14159265358979323846;
        const double down = -std::asin(double(s.y) / length) * degrees, about = std::atan2(double(s.x), double(s.z));
        begin("Scope", "lights");
        begin("DistantLight", "sun");
        line("float inputs:angle = 0.53");
        line("color3f inputs:color = (1, 0.93, 0.82)");
        line("float inputs:intensity = 3");
        line("bool inputs:normalize = 1");
        line("float3 xformOp:rotateXYZ = (" + number(static_cast<float>(down)) + ", " +
             number(static_cast<float>(about * degrees)) + ", 0)");
        line("uniform token[] xformOpOrder = [\"xformOp:rotateXYZ\"]");
        end();
        begin("DomeLight", "sky");
        line("color3f inputs:color = (0.55, 0.72, 1)");
        line("float inputs:intensity = 0.7");
        end();
        end();
    }

    // The camera.

    void write_camera(const UsdStage::Camera& camera) {
        if (!(camera.angle > 0) || !(camera.angle < 3.14f))
            throw Error("a camera needs an angle between 0 and 180 degrees");
        if (!(camera.aspect > 0)) throw Error("a camera needs an aspect above 0");
        const double to[3] = {double(camera.eye.x) - camera.target.x, double(camera.eye.y) - camera.target.y,
                              double(camera.eye.z) - camera.target.z};
        const double distance = std::sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
        if (!(distance > 0) || !std::isfinite(distance)) throw Error("a camera needs a target apart from its eye");
        // It looks along its -z, y is up; straight up or down, the picture's top is -z or z.
        const double z[3] = {to[0] / distance, to[1] / distance, to[2] / distance};
        double up[3] = {0, 1, 0};
        if (std::fabs(z[1]) > 1 - 1e-6) {
            up[1] = 0;
            up[2] = z[1] > 0 ? -1 : 1;
        }
        double x[3] = {up[1] * z[2] - up[2] * z[1], up[2] * z[0] - up[0] * z[2], up[0] * z[1] - up[1] * z[0]};
        const double length = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        for (double& c : x) c /= length;
        const double y[3] = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
        Transform transform;
        for (int row = 0; row < 3; ++row) {
            transform.rotation[3 * row] = x[row];
            transform.rotation[3 * row + 1] = y[row];
            transform.rotation[3 * row + 2] = z[row];
        }
        transform.translation[0] = camera.eye.x;
        transform.translation[1] = camera.eye.y;
        transform.translation[2] = camera.eye.z;

        // USD counts apertures in tenths of a unit: 0.36 is the 36 mm of full frame.
        const double width = 0.36, height = width / camera.aspect;
        begin("Camera", "camera");
        line("float2 clippingRange = (" + number(distance * 1e-3) + ", " + number(distance * 1e3) + ")");
        line("float focalLength = " + number(static_cast<float>(height / 2 / std::tan(camera.angle / 2.0))));
        line("float focusDistance = " + number(camera.focus > 0 ? camera.focus : static_cast<float>(distance)));
        line("float fStop = " + number(camera.f_stop));
        line("float horizontalAperture = " + number(static_cast<float>(width)));
        line("token projection = \"perspective\"");
        line("double shutter:close = " + number(camera.shutter / 2));
        line("double shutter:open = " + number(-camera.shutter / 2));
        line("float verticalAperture = " + number(static_cast<float>(height)));
        line("matrix4d xformOp:transform = " + matrix(transform));
        line("uniform token[] xformOpOrder = [\"xformOp:transform\"]");
        end();
    }

    Output& output_;
    const UsdStage& stage_;
    size_t depth_ = 0;
};

}  // namespace

void write_usda(const std::string& path, const UsdStage& stage) {
    with_file_name(path, [&] {
        NewFile target(path);
        Output output(target.temporary(), path);
        UsdaWriter(output, stage).write();
        output.close();
        target.commit();
    });
}

}  // namespace firn
