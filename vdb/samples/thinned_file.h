#pragma once

// Some of the triangles of a mesh file that is too large to be read as a whole: of every so many faces one, at a place
// of chance among them. All points are looked at, or of more than a gigabyte of text every so many; the faces between
// are not read.

#include "samples/mesh_faces.h"

namespace firn {

/// Thrown where some of the triangles don't tell enough of the others.
struct TooFewTriangles {};

struct Thinning {
    uint64_t least_faces = uint64_t(1) << 22;  ///< a file of fewer is read as a whole
    uint64_t faces_read = uint64_t(1) << 19;   ///< about
};

/// Whether a file may have so many faces.
bool is_huge_mesh_file(const std::string& path, const Thinning& = {});

class ThinnedFile : public TriangleSource {
public:
    /// Scaled about the origin. Nothing for a file of few faces, and for one that has to be read as a whole: where some
    /// faces are so much larger than others that a few tell little of the area, or reach where none of those that were
    /// read does; and where it is damaged, or not of the usual form.
    static std::unique_ptr<ThinnedFile> of(const std::string& path, float scale, const Thinning& = {});

    void for_each(const Visit&) override;
    /// Throws TooFewTriangles where the faces are in no order, so that most are near any place, and where one is
    /// damaged.
    double for_each_near(const std::vector<Extent>&, double stride, const Visit&) override;
    double each_stands_for() const override { return each_stands_for_; }
    std::optional<Extent> extent() const override { return extent_; }
    /// What was read of the file, in words.
    std::string reading() const;

private:
    static constexpr uint64_t block_reads = 16;  ///< of a block, faces that follow each other in the file
    ThinnedFile(std::unique_ptr<MeshFaces> faces, float scale, uint64_t stride);
    bool read_some();
    bool tells_the_rest();
    void place(std::vector<Corners>&) const;
    uint64_t block_begin(uint64_t block) const;

    std::unique_ptr<MeshFaces> faces_;
    float scale_;
    uint64_t stride_;  ///< faces, of which one is read
    double each_stands_for_ = 1;
    std::vector<Corners> some_;
    std::vector<Extent> block_extent_;  ///< where the faces of each block lie, as far as they were read
    Extent extent_;                     ///< of all points
};

/// What `work` counts of a mesh file's triangles, scaled about the origin: of some where they are so many, or of all.
template <class Work>
auto of_file_triangles(const std::string& path, float scale, const Work& work) {
    if (const std::unique_ptr<ThinnedFile> some = ThinnedFile::of(path, scale)) {
        try {
            auto made = work(*some);
            made.notes.push_back(path + ": " + some->reading());
            return made;
        } catch (const TooFewTriangles&) {
        }
    }
    FileTriangles all(path, scale);
    return work(all);
}

}  // namespace firn
