// Wavefront OBJ: points and faces; everything else is passed over.

#include "samples/mesh_reading.h"
#include "samples/mesh_text.h"

namespace firn {

namespace {

/// The point that an index means: 1 is the first, -1 the last before this line.
uint32_t corner(MeshText& text, size_t points) {
    const int64_t index = text.integer("corner of a face", '/');
    text.skip_word();  // the texture's and the normal's indices
    const int64_t count = static_cast<int64_t>(points);
    const int64_t point = index > 0 ? index - 1 : count + index;
    if (index == 0 || point < 0 || point >= count) {
        text.fail("a face has corner " + std::to_string(index) + ", but there are " + std::to_string(points) +
                  " points before it");
    }
    return static_cast<uint32_t>(point);
}

}  // namespace

void read_obj(ByteWindow& bytes, const std::string& name, MeshSink& sink) {
    MeshText text(bytes, name);
    size_t points = 0;
    bool has_faces = false;
    std::vector<uint32_t> corners;
    for (; text.next(); text.skip_line()) {
        const std::string_view word = text.word();
        if (word == "v") {
            if (points >= UINT32_MAX) text.fail("more points than 2^32");
            ++points;
            if (!sink.wants_points()) continue;
            float at[3];
            for (float& coordinate : at) {
                if (!text.next_in_line()) text.fail("a point needs three coordinates");
                coordinate = text.number("coordinate");
            }
            sink.point({at[0], at[1], at[2]});
        } else if (word == "f" || word == "fo") {
            corners.clear();
            while (text.next_in_line()) corners.push_back(corner(text, points));
            if (corners.size() < 3) text.fail("a face needs three corners or more");
            sink.face(corners);
            has_faces = true;
        } else if (static_cast<unsigned char>(word[0]) < 32 || static_cast<unsigned char>(word[0]) == 127) {
            text.fail("'" + short_token(word) + "' is no OBJ; is this a text file?");
        }
    }
    if (!has_faces) throw Error(name + ": no faces in this OBJ (" + std::to_string(points) + " points)");
}

}  // namespace firn
