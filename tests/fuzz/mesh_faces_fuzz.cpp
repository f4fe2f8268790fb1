// Faces of OBJ, PLY and STL files by their numbers: the first byte says which, the rest is the file. Whatever is
// damaged is left to the other readers (mesh_fuzz.cpp), without a crash.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "firn/error.h"
#include "samples/mesh_faces.h"

namespace {

/// A file that is in no folder.
class MemoryFile {
public:
    MemoryFile(const uint8_t* data, size_t size) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        if (file_ < 0 || ::write(file_, data, size) != static_cast<ssize_t>(size)) std::abort();
    }
    ~MemoryFile() { ::close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
    int file_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const MemoryFile file(data + 1, size - 1);
    try {
        const std::unique_ptr<firn::MeshFaces> faces = data[0] % 3 == 0   ? firn::obj_faces(file.path())
                                                       : data[0] % 3 == 1 ? firn::ply_faces(file.path())
                                                                          : firn::stl_faces(file.path());
        if (!faces) return 0;
        faces->extent();
        const std::unique_ptr<firn::FaceReader> reader = faces->reader();
        std::vector<firn::Corners> triangles;
        const uint64_t count = faces->count();
        reader->read(0, std::min<uint64_t>(count, 1000), triangles);
        for (const uint64_t number : {count - 1, count / 2, count / 3, count, 2 * count})
            reader->read(number, 1, triangles);
    } catch (const firn::Error&) {
        // what a damaged header is answered with
    }
    return 0;
}
