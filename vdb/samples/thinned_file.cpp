#include "samples/thinned_file.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "firn/scattered.h"
#include "samples/vec3.h"

namespace firn {

namespace {

/// Reads parts of a file's faces at once, and hands on what is in them part by part.
class PartReading {
public:
    explicit PartReading(const MeshFaces& faces) : readers_([&faces] { return faces.reader(); }) {}

    /// `read(reader, part, triangles)` and `take(part, triangles)` for each of the parts. False when a reader said so.
    template <class Read, class Take>
    bool for_each(size_t count, const Read& read, const Take& take) {
        constexpr size_t at_once = 1024;
        std::vector<std::vector<Corners>> triangles(at_once);
        for (size_t begin = 0; begin < count; begin += at_once) {
            const size_t parts = std::min(at_once, count - begin);
            std::atomic<bool> fine{true};
            tbb::parallel_for(size_t(0), parts, [&](size_t k) {
                triangles[k].clear();
                if (!read(*readers_.local(), begin + k, triangles[k])) fine = false;
            });
            if (!fine) return false;
            for (size_t k = 0; k < parts; ++k) take(begin + k, triangles[k]);
        }
        return true;
    }

private:
    tbb::enumerable_thread_specific<std::unique_ptr<FaceReader>> readers_;
};

/// Of the faces [begin, end), one at a place of chance among every `stride`.
bool read_one_of(uint64_t stride, uint64_t begin, uint64_t end, FaceReader& reader, std::vector<Corners>& triangles) {
    if (stride == 1) return reader.read(begin, end - begin, triangles);
    for (uint64_t first = begin; first < end; first += stride) {
        const uint64_t width = std::min(stride, end - first);
        if (!reader.read(first + scattered(first, 11) % width, 1, triangles)) return false;
    }
    return true;
}

double diagonal(const Extent& extent) {
    return length(wide(extent.high) - wide(extent.low));
}

}  // namespace

bool is_huge_mesh_file(const std::string& path, const Thinning& thinning) {
    constexpr uint64_t least_face_bytes = 13;  // of a PLY, the shortest of all
    std::error_code unknown;
    const uintmax_t bytes = std::filesystem::file_size(path, unknown);
    return !unknown && bytes >= least_face_bytes * thinning.least_faces;
}

ThinnedFile::ThinnedFile(std::unique_ptr<MeshFaces> faces, float scale, uint64_t stride)
    : faces_(std::move(faces)), scale_(scale), stride_(stride) {}

std::unique_ptr<ThinnedFile> ThinnedFile::of(const std::string& path, float scale, const Thinning& thinning) {
    if (!is_huge_mesh_file(path, thinning)) return nullptr;
    std::unique_ptr<MeshFaces> faces = mesh_faces(path);
    if (!faces || static_cast<double>(faces->count()) * faces->cost() < static_cast<double>(thinning.least_faces))
        return nullptr;
    const uint64_t stride = std::max<uint64_t>(2, faces->count() / thinning.faces_read);
    std::unique_ptr<ThinnedFile> file(new ThinnedFile(std::move(faces), scale, stride));
    if (!file->read_some() || !file->tells_the_rest()) return nullptr;
    return file;
}

/// Scaled; a mirror image would be inside out.
void ThinnedFile::place(std::vector<Corners>& triangles) const {
    const double scale = scale_;
    for (Corners& corners : triangles) {
        for (Float3& p : corners) p = narrow(scale * wide(p));
        if (scale < 0) std::swap(corners[1], corners[2]);
    }
}

uint64_t ThinnedFile::block_begin(uint64_t block) const {
    return std::min(faces_->count(), block * block_reads * stride_);
}

bool ThinnedFile::read_some() {
    const uint64_t count = faces_->count(), block_faces = block_reads * stride_;
    PartReading reading(*faces_);
    uint64_t reads = 0;
    const auto read = [&](FaceReader& reader, size_t block, std::vector<Corners>& triangles) {
        if (!read_one_of(stride_, block_begin(block), block_begin(block + 1), reader, triangles)) return false;
        place(triangles);
        return true;
    };
    const auto take = [&](size_t block, const std::vector<Corners>& triangles) {
        Extent here;
        Vec3 largest;
        for (const Corners& corners : triangles) {
            Extent one;
            for (const Float3& p : corners) one.add(p);
            here.add(one);
            const Vec3 size = wide(one.high) - wide(one.low);
            largest = {std::max(largest.x, size.x), std::max(largest.y, size.y), std::max(largest.z, size.z)};
        }
        // Those between reach a bit farther, most where the block is long.
        const Vec3 aside = 1.0 / block_reads * (wide(here.high) - wide(here.low)) + 2 * largest;
        here = {narrow(wide(here.low) - aside), narrow(wide(here.high) + aside)};
        block_extent_.push_back(here);
        some_.insert(some_.end(), triangles.begin(), triangles.end());
        reads += (block_begin(block + 1) - block_begin(block) + stride_ - 1) / stride_;
    };
    some_.reserve(static_cast<size_t>(count / stride_ + 1));
    if (!reading.for_each(static_cast<size_t>((count + block_faces - 1) / block_faces), read, take)) return false;
    each_stands_for_ = double(count) / double(reads);
    return true;
}

bool ThinnedFile::tells_the_rest() {
    constexpr double area_tolerance = 0.01, place_tolerance = 0.005;
    // By how much each differs from the one after it: what is large beside what is large is no error.
    double area = 0, error = 0, last = 0;
    Extent seen;
    for (const auto& [a, b, c] : some_) {
        const double here = 0.5 * length(cross(wide(b) - wide(a), wide(c) - wide(a)));
        error += 0.5 * (here - last) * (here - last);
        area += here;
        last = here;
        for (const Float3& p : {a, b, c}) seen.add(p);
    }
    if (!(area > 0) || !(std::sqrt(error) < area_tolerance * area)) return false;
    const std::optional<Extent> points = faces_->extent();
    if (!points) return false;
    const double scale = scale_;
    extent_.add(narrow(scale * wide(points->low)));
    extent_.add(narrow(scale * wide(points->high)));
    const double tolerance = place_tolerance * diagonal(seen);
    const Vec3 below = wide(seen.low) - wide(extent_.low), above = wide(extent_.high) - wide(seen.high);
    return std::max({below.x, below.y, below.z, above.x, above.y, above.z}) <= tolerance;
}

std::string ThinnedFile::reading() const {
    const uint64_t stride = faces_->looks_at_one_of();
    return "counted from " + std::to_string(some_.size()) + " of about " +
           std::to_string(static_cast<uint64_t>(each_stands_for_ * static_cast<double>(some_.size()))) +
           " triangles, spread over the file, and " +
           (stride == 1 ? "all of its points" : "one of " + std::to_string(stride) + " of its points");
}

void ThinnedFile::for_each(const Visit& visit) {
    constexpr size_t at_once = size_t(1) << 16;
    for (size_t begin = 0; begin < some_.size(); begin += at_once)
        visit(some_.data() + begin, std::min(at_once, some_.size() - begin));
}

double ThinnedFile::for_each_near(const std::vector<Extent>& boxes, double stride, const Visit& visit) {
    if (stride >= each_stands_for_) {
        for_each(visit);
        return each_stands_for_;
    }
    std::vector<uint64_t> near;
    for (size_t block = 0; block < block_extent_.size(); ++block)
        if (std::any_of(boxes.begin(), boxes.end(), [&](const Extent& box) { return box.meets(block_extent_[block]); }))
            near.push_back(block);
    const uint64_t step = static_cast<uint64_t>(std::max(1.0, stride));
    constexpr uint64_t most_faces = 4000000;
    if (near.size() * block_reads * stride_ / step > most_faces) throw TooFewTriangles();
    PartReading reading(*faces_);
    const auto read = [&](FaceReader& reader, size_t k, std::vector<Corners>& triangles) {
        const uint64_t begin = block_begin(near[k]), end = block_begin(near[k] + 1);
        if (!read_one_of(step, begin, end, reader, triangles)) return false;
        place(triangles);
        return true;
    };
    const auto take = [&](size_t, const std::vector<Corners>& triangles) { visit(triangles.data(), triangles.size()); };
    if (!reading.for_each(near.size(), read, take)) throw TooFewTriangles();
    return double(step);
}

}  // namespace firn
