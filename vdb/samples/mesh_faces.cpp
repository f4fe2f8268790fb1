#include "samples/mesh_faces.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <numeric>

#include "samples/mesh_reading.h"

namespace firn {

std::unique_ptr<MeshFaces> mesh_faces(const std::string& path) {
    const std::string kind = mesh_ending(path);
    if (kind == ".obj") return obj_faces(path);
    if (kind == ".ply") return ply_faces(path);
    if (kind == ".stl") return stl_faces(path);
    return nullptr;
}

void FaceCutter::add(const std::vector<Float3>& corners, std::vector<Corners>& triangles) {
    if (corners.size() == 3) return triangles.push_back({corners[0], corners[1], corners[2]});
    polygon_.points = corners;
    polygon_.triangles.clear();
    numbers_.resize(corners.size());
    std::iota(numbers_.begin(), numbers_.end(), 0u);
    add_polygon(polygon_, numbers_);
    for (const auto& [a, b, c] : polygon_.triangles) triangles.push_back({corners[a], corners[b], corners[c]});
}

std::optional<Extent> extent_of_parts(uint64_t parts,
                                      const std::function<bool(uint64_t, std::vector<char>&, Extent&)>& look) {
    struct Work {
        std::vector<char> bytes;
        Extent extent;
    };
    tbb::enumerable_thread_specific<Work> works;
    std::atomic<bool> fine{true};
    tbb::parallel_for(uint64_t(0), parts, [&](uint64_t k) {
        Work& work = works.local();
        if (fine && !look(k, work.bytes, work.extent)) fine = false;
    });
    if (!fine) return {};
    Extent all;
    for (const Work& work : works) all.add(work.extent);
    return all;
}

}  // namespace firn
