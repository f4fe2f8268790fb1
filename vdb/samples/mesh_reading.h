#pragma once

// Readers of mesh files: what they find goes, in the order of the file, to somebody who keeps it or only looks at it.

#include <string>
#include <vector>

#include "firn/mesh.h"
#include "samples/byte_window.h"

namespace firn {

class MeshSink {
public:
    virtual ~MeshSink() = default;
    /// Before the rest, where the file says how much follows; the file is long enough for it.
    virtual void expect(uint64_t points, uint64_t faces) = 0;
    /// Whether points are of interest; else they are counted and passed over.
    virtual bool wants_points() const { return true; }
    virtual void point(const Float3&) = 0;
    /// Three corners or more, all of them points that came before.
    virtual void face(const std::vector<uint32_t>& corners) = 0;
    /// Of files that repeat the place of every corner.
    virtual void triangle(const std::array<Float3, 3>& corners) = 0;
};

// parse_obj(), parse_ply() and parse_stl() of a file as it is read.
void read_obj(ByteWindow&, const std::string& name, MeshSink&);
void read_ply(ByteWindow&, const std::string& name, MeshSink&);
void read_stl(ByteWindow&, const std::string& name, MeshSink&);
/// By the name's ending, or by the first bytes where that says nothing.
void read_mesh(const std::string& path, MeshSink&);
/// The name's ending in small letters, with its point.
std::string mesh_ending(const std::string& path);

}  // namespace firn
