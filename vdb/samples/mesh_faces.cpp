#include "samples/mesh_faces.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
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

std::optional<Extent> extent_of(const Records& records, const std::function<bool(std::string_view, Extent&)>& look) {
    constexpr uint64_t part_bytes = 1 << 20;
    struct Work {
        std::vector<char> bytes;
        Extent extent;
    };
    tbb::enumerable_thread_specific<Work> works;
    const uint64_t part = std::max<uint64_t>(1, part_bytes / records.bytes);
    std::atomic<bool> fine{true};
    tbb::parallel_for(uint64_t(0), (records.count + part - 1) / part, [&](uint64_t k) {
        if (!fine) return;
        Work& work = works.local();
        const uint64_t first = k * part, count = std::min(part, records.count - first);
        work.bytes.resize(static_cast<size_t>(part) * records.bytes);
        const size_t bytes = records.file.read(records.at + first * records.bytes, work.bytes.data(),
                                               static_cast<size_t>(count) * records.bytes);
        if (!look({work.bytes.data(), bytes}, work.extent)) fine = false;
    });
    if (!fine) return {};
    Extent all;
    for (const Work& work : works) all.add(work.extent);
    return all;
}

}  // namespace firn
