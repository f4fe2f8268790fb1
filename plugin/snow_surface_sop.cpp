// firn::snow_surface: the snow's surface as a level set or a mesh.

#include <GA/GA_Handle.h>
#include <GEO/GEO_PolyCounts.h>
#include <GU/GU_PrimPoly.h>
#include <GU/GU_PrimVDB.h>

#include "cook_interrupt.h"
#include "firn/grid_mesh.h"
#include "firn/grids.h"
#include "nearest_point.h"
#include "particle_transfer.h"
#include "snow_sop.h"
#include "surface_settings.h"

namespace firn {

namespace {

class SnowSurface : public SnowSopCache {
public:
    SnowSurface() : SnowSopCache(snow_surface_table()) {}

private:
    void cook_snow() override {
        CookInterrupt interrupt("Surfacing snow");
        const GU_Detail& input = *inputGeo(0);
        const std::vector<PointBlock> blocks = point_blocks(input);
        const Particles particles = read_particles(input, blocks);
        const GrainBirths births = births_of(input, blocks, particles, inputGeo(1));
        const GridSettings grids = grid_settings(*this, input);
        SurfaceGridSettings settings = surface_settings(*this, births);
        settings.half_width = static_cast<int>(integer("half_width"));
        const openvdb::FloatGrid::Ptr surface = surface_grid(particles, settings, grids, interrupt.interrupted());
        surface->setName("surface");
        gdp->clearAndDestroy();
        const std::string output = text("output");
        std::string info = std::to_string(surface->activeVoxelCount()) + " voxels\n";
        if (output != "mesh") GU_PrimVDB::buildFromGrid(*gdp, surface, nullptr, "surface");
        interrupt.require_uninterrupted();
        if (output != "sdf") {
            const PolygonMesh mesh = grid_polygons(*surface, real("adaptivity"));
            add(mesh, particles);
            info += std::to_string(mesh.triangles + mesh.quads) + " polygons\n";
        }
        set_info(info);
    }

    void add(const PolygonMesh& mesh, const Particles& particles) {
        if (mesh.points.empty()) return;
        const GA_Offset first = gdp->appendPointBlock(static_cast<GA_Size>(mesh.points.size()));
        std::vector<PointBlock> blocks;
        for (const PointBlock& block : point_blocks(*gdp)) {
            // A VDB's own point, if there is one, stands before them.
            if (block.start + block.count <= first) continue;
            const GA_Offset start = std::max(block.start, first);
            blocks.push_back({start, block.start + block.count - start, static_cast<size_t>(start - first)});
        }
        write_floats(*gdp, blocks, "P", 3, &mesh.points[0].x);
        GEO_PolyCounts counts;
        if (mesh.triangles) counts.append(3, static_cast<GA_Size>(mesh.triangles));
        if (mesh.quads) counts.append(4, static_cast<GA_Size>(mesh.quads));
        GEO_PrimPoly::buildBlock(gdp, first, static_cast<GA_Size>(mesh.points.size()), counts, mesh.corners.data());
        if (toggle("mesh_velocity") && !particles.velocity.empty()) {
            const NearestPoint nearest(particles.position);
            std::vector<Float3> velocity;
            velocity.reserve(mesh.points.size());
            for (const Float3& p : mesh.points) velocity.push_back(particles.velocity[nearest.to(p)]);
            write_floats(*gdp, blocks, "v", 3, &velocity[0].x);
        }
        gdp->bumpDataIdsForAddOrRemove(true, true, true);
    }
};

}  // namespace

void add_snow_surface(OP_OperatorTable* operators) {
    VerbSop<snow_surface_table, SnowSurface, SOP_NodeVerb::COOK_GENERATOR>::add(operators);
}

}  // namespace firn
