#include "samples/surface_places.h"

#include "firn/scattered.h"

namespace firn {

std::vector<SurfacePlace> scattered_places(const Mesh& mesh, double area, size_t count) {
    std::vector<SurfacePlace> places;
    double sum = 0;
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto& [ia, ib, ic] = mesh.triangles[t];
        const Vec3 a = wide(mesh.points[ia]), ab = wide(mesh.points[ib]) - a, ac = wide(mesh.points[ic]) - a;
        sum += 0.5 * length(cross(ab, ac));
        // One in each of as many equal parts of the area.
        while (places.size() < count && sum >= (double(places.size()) + 0.5) / double(count) * area) {
            const double u = std::sqrt(scattered_unit(places.size(), 1)), v = scattered_unit(places.size(), 2);
            places.push_back({a + u * (1 - v) * ab + u * v * ac, t});
        }
    }
    return places;
}

}  // namespace firn
