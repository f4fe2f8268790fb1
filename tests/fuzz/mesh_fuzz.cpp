// OBJ, PLY and STL: the first byte says which, the rest is the file. What can be read must be sound: corners that
// exist, points that are finite.

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "firn/error.h"
#include "firn/mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        const firn::Mesh mesh = data[0] % 3 == 0   ? firn::parse_obj(file, "fuzz.obj")
                                : data[0] % 3 == 1 ? firn::parse_ply(file, "fuzz.ply")
                                                   : firn::parse_stl(file, "fuzz.stl");
        if (mesh.triangles.empty()) std::abort();
        for (const auto& triangle : mesh.triangles) {
            for (const uint32_t corner : triangle) {
                if (corner >= mesh.points.size() || !std::isfinite(mesh.points[corner].x)) std::abort();
            }
        }
        firn::examine(mesh);
    } catch (const firn::Error&) {
        // what a damaged file is answered with
    }
    return 0;
}
