#include "remembered_snow.h"

#include <algorithm>
#include <cstring>
#include <ostream>

namespace firn {

namespace {

constexpr char magic[8] = {'F', 'i', 'r', 'n', 'S', 'n', 'o', 'w'};
constexpr uint32_t version = 1;

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
int64_t bytes_of(const std::vector<T>& values) {
    return static_cast<int64_t>(values.capacity() * sizeof(T));
}

// ---- to a stream

template <class T>
void put(std::ostream& os, const T& value) {
    os.write(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
void put_all(std::ostream& os, const T* values, size_t count) {
    put(os, static_cast<uint64_t>(count));
    os.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
}

// ---- from a stream

template <class T>
bool take(const ReadBytes& read, T& value) {
    return read(reinterpret_cast<char*>(&value), sizeof value);
}

/// In parts, so that a damaged count ends where the bytes end and not where the memory does.
template <class Values>
bool take_all(const ReadBytes& read, Values& values) {
    constexpr uint64_t part = 1 << 16;
    uint64_t count = 0;
    if (!take(read, count)) return false;
    values.clear();
    for (uint64_t done = 0; done < count;) {
        const uint64_t more = std::min(part, count - done);
        values.resize(static_cast<size_t>(done + more));
        if (!read(reinterpret_cast<char*>(&values[static_cast<size_t>(done)]), more * sizeof values[0])) return false;
        done += more;
    }
    return true;
}

bool take_shape(const ReadBytes& read, ColliderShape& shape) {
    uint8_t by_placement = 0;
    if (!take_all(read, shape.mesh.points) || !take_all(read, shape.mesh.triangles) || !take_all(read, shape.normals) ||
        !take(read, by_placement))
        return false;
    shape.moves_by_placement = by_placement != 0;
    const size_t points = shape.mesh.points.size();
    return std::all_of(shape.mesh.triangles.begin(), shape.mesh.triangles.end(),
                       [&](const auto& t) { return t[0] < points && t[1] < points && t[2] < points; });
}

bool take_collider(const ReadBytes& read, RememberedCollider& collider) {
    int32_t object = 0;
    uint8_t motion = 0;
    ColliderShape rest;
    std::vector<Float3> points;
    if (!take(read, object) || !take_all(read, collider.piece) || !take(read, motion) || motion > 2 ||
        !take(read, collider.placement.rotation) || !take(read, collider.placement.translation) ||
        !take_shape(read, rest) || !take_all(read, points))
        return false;
    collider.object = object;
    collider.motion = static_cast<Motion>(motion);
    if (collider.motion == Motion::deforming && points.size() != rest.mesh.points.size()) return false;
    collider.rest = std::make_shared<const ColliderShape>(std::move(rest));
    collider.points = std::make_shared<const std::vector<Float3>>(std::move(points));
    return true;
}

}  // namespace

bool same_shape(const ColliderShape& a, const ColliderShape& b) {
    return same(a.mesh.points, b.mesh.points) && same(a.mesh.triangles, b.mesh.triangles) &&
           same(a.normals, b.normals) && a.moves_by_placement == b.moves_by_placement;
}

int64_t memory_of(const RememberedSnow& snow) {
    int64_t bytes =
        static_cast<int64_t>(sizeof snow + snow.emitted.size() * 4 * sizeof(void*)) + bytes_of(snow.colliders);
    for (const RememberedCollider& collider : snow.colliders) {
        const ColliderShape& rest = *collider.rest;
        const int64_t shape = bytes_of(rest.mesh.points) + bytes_of(rest.mesh.triangles) + bytes_of(rest.normals);
        bytes += static_cast<int64_t>(collider.piece.capacity()) +
                 shape / std::max<long>(1, collider.rest.use_count()) +
                 bytes_of(*collider.points) / std::max<long>(1, collider.points.use_count());
    }
    return bytes;
}

void write_remembered(std::ostream& os, const RememberedSnow& snow) {
    os.write(magic, sizeof magic);
    put(os, version);
    put(os, static_cast<uint32_t>(snow.colliders.size()));
    for (const RememberedCollider& collider : snow.colliders) {
        put(os, static_cast<int32_t>(collider.object));
        put_all(os, collider.piece.data(), collider.piece.size());
        put(os, static_cast<uint8_t>(collider.motion));
        put(os, collider.placement.rotation);
        put(os, collider.placement.translation);
        const ColliderShape& rest = *collider.rest;
        put_all(os, rest.mesh.points.data(), rest.mesh.points.size());
        put_all(os, rest.mesh.triangles.data(), rest.mesh.triangles.size());
        put_all(os, rest.normals.data(), rest.normals.size());
        put(os, static_cast<uint8_t>(rest.moves_by_placement));
        put_all(os, collider.points->data(), collider.points->size());
    }
    put(os, static_cast<uint32_t>(snow.emitted.size()));
    for (const auto& [object, hash] : snow.emitted) {
        put(os, static_cast<int32_t>(object));
        put(os, hash);
    }
}

bool read_remembered(const ReadBytes& read, RememberedSnow& to) {
    char begins[sizeof magic];
    uint32_t number = 0, colliders = 0, sources = 0;
    if (!read(begins, sizeof begins) || std::memcmp(begins, magic, sizeof magic) != 0) return false;
    if (!take(read, number) || number != version || !take(read, colliders)) return false;
    RememberedSnow snow;
    for (uint32_t k = 0; k < colliders; ++k) {
        snow.colliders.emplace_back();
        if (!take_collider(read, snow.colliders.back())) return false;
    }
    if (!take(read, sources)) return false;
    for (uint32_t k = 0; k < sources; ++k) {
        int32_t object = 0;
        int64_t hash = 0;
        if (!take(read, object) || !take(read, hash)) return false;
        snow.emitted[object] = hash;
    }
    to = std::move(snow);
    return true;
}

}  // namespace firn
