#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "firn/error.h"
#include "firn/new_file.h"
#include "samples/mesh_reading.h"
#include "samples/point_welding.h"

namespace firn {

namespace {

/// All of it.
class WholeMesh : public MeshSink {
public:
    void expect(uint64_t points, uint64_t faces) override {
        mesh_.points.reserve(points);
        mesh_.triangles.reserve(faces);
        places_ = points;
    }
    void point(const Float3& p) override { mesh_.points.push_back(p); }
    void face(const std::vector<uint32_t>& corners) override { add_polygon(mesh_, corners); }
    void triangle(const std::array<Float3, 3>& corners) override {
        if (!welding_) welding_.emplace(places_);
        mesh_.triangles.push_back(
            {welding_->number(corners[0]), welding_->number(corners[1]), welding_->number(corners[2])});
    }
    Mesh take() {
        if (welding_) mesh_.points = std::move(welding_->places());
        return std::move(mesh_);
    }

private:
    Mesh mesh_;
    uint64_t places_ = 0;
    std::optional<PointWelding> welding_;
};

/// What a reader finds in these bytes.
Mesh parsed(void (*read)(ByteWindow&, const std::string&, MeshSink&), std::string_view bytes, const std::string& name) {
    ByteWindow window(bytes);
    WholeMesh whole;
    read(window, name, whole);
    return whole.take();
}

std::string obj_text(const Mesh& mesh) {
    std::string text = "# Firn\n";
    char number[32];
    for (const Float3& p : mesh.points) {
        text += 'v';
        for (const float coordinate : {p.x, p.y, p.z}) {
            text += ' ';
            text.append(number, std::to_chars(number, number + sizeof number, coordinate).ptr);
        }
        text += '\n';
    }
    for (const auto& triangle : mesh.triangles) {
        text += 'f';
        for (const uint32_t corner : triangle) {
            text += ' ';
            text.append(number, std::to_chars(number, number + sizeof number, uint64_t(corner) + 1).ptr);
        }
        text += '\n';
    }
    return text;
}

std::string ply_bytes(const Mesh& mesh) {
    std::string bytes =
        "ply\nformat binary_little_endian 1.0\ncomment Firn\nelement vertex " + std::to_string(mesh.points.size()) +
        "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
        std::to_string(mesh.triangles.size()) + "\nproperty list uchar int vertex_indices\nend_header\n";
    static_assert(sizeof(Float3) == 12, "written as they are in memory");
    bytes.append(reinterpret_cast<const char*>(mesh.points.data()), 12 * mesh.points.size());
    for (const auto& triangle : mesh.triangles) {
        bytes += '\3';
        bytes.append(reinterpret_cast<const char*>(triangle.data()), 12);
    }
    return bytes;
}

}  // namespace

std::string mesh_ending(const std::string& path) {
    std::string text = std::filesystem::path(path).extension().string();
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

Mesh parse_obj(std::string_view bytes, const std::string& name) {
    return parsed(read_obj, bytes, name);
}

Mesh parse_ply(std::string_view bytes, const std::string& name) {
    return parsed(read_ply, bytes, name);
}

Mesh parse_stl(std::string_view bytes, const std::string& name) {
    return parsed(read_stl, bytes, name);
}

bool is_mesh_file(const std::string& path) {
    const std::string kind = mesh_ending(path);
    return kind == ".obj" || kind == ".ply" || kind == ".stl";
}

bool is_large_mesh_file(const std::string& path) {
    constexpr uintmax_t small = 24000000;
    std::error_code unknown;
    const uintmax_t bytes = std::filesystem::file_size(path, unknown);
    return !unknown && bytes > small;
}

Mesh read_mesh(const std::string& path) {
    WholeMesh whole;
    read_mesh(path, whole);
    return whole.take();
}

void read_mesh(const std::string& path, MeshSink& sink) {
    ByteWindow bytes = ByteWindow::of_file(path);
    const std::string kind = mesh_ending(path);
    if (kind == ".obj") return read_obj(bytes, path, sink);
    if (kind == ".ply") return read_ply(bytes, path, sink);
    if (kind == ".stl") return read_stl(bytes, path, sink);
    const auto begins = [&](std::string_view text) {
        return bytes.has(text.size()) && std::string_view(bytes.at, text.size()) == text;
    };
    if (begins("ply\n") || begins("ply\r")) return read_ply(bytes, path, sink);
    if (begins("solid ")) return read_stl(bytes, path, sink);
    const bool scene = kind == ".abc" || kind == ".usd" || kind == ".usda" || kind == ".usdc" || kind == ".usdz";
    throw Error(path + ": not a mesh that can be read; use .obj, .ply or .stl" +
                (scene ? std::string(", one file for each frame of what moves (Houdini and Blender export them)")
                       : std::string()));
}

void write_mesh(const std::string& path, const Mesh& mesh) {
    const std::string kind = mesh_ending(path);
    if (kind != ".obj" && kind != ".ply") throw Error(path + ": meshes are written as .obj or .ply");
    const std::string bytes = kind == ".obj" ? obj_text(mesh) : ply_bytes(mesh);
    NewFile file(path);
    std::ofstream out(file.temporary(), std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) throw Error(path + ": can't be written; is the disk full or the folder read-only?");
    file.commit();
}

}  // namespace firn
