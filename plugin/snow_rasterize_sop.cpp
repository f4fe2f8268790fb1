// firn::snow_rasterize: snow particles -> VDBs.

#include <GA/GA_Attribute.h>
#include <GU/GU_PrimVDB.h>

#include <sstream>

#include "cook_interrupt.h"
#include "firn/error.h"
#include "firn/grids.h"
#include "particle_transfer.h"
#include "snow_sop.h"
#include "surface_settings.h"

namespace firn {

namespace {

class SnowRasterize : public SnowSopCache {
public:
    SnowRasterize() : SnowSopCache(snow_rasterize_table()) {}

private:
    void cook_snow() override {
        CookInterrupt interrupt("Rasterizing snow");
        const GU_Detail& input = *inputGeo(0);
        const std::vector<PointBlock> blocks = point_blocks(input);
        const Particles particles = read_particles(input, blocks);
        const GridSettings grids = grid_settings(*this, input);
        const auto rest_density = static_cast<float>(real("rest_density"));
        const GrainBirths births = births_of(input, blocks, particles, inputGeo(1));
        gdp->clearAndDestroy();
        made_.clear();

        openvdb::FloatGrid::Ptr density;
        GridSettings fine = grids;
        if (toggle("density") || toggle("masked_density"))
            density = density_of(particles, births, rest_density, fine, interrupt);
        if (toggle("density")) add(density, "density");
        if (toggle("velocity")) {
            VelocityGridSettings velocity;
            velocity.staggered = toggle("staggered");
            velocity.extension = static_cast<float>(real("velocity_extension"));
            velocity.shutter = static_cast<float>(real("shutter") * real("timestep"));
            add(velocity_grid(particles, velocity, grids, interrupt.interrupted()), text("velocity_name"));
        }
        if (toggle("masked_density")) {
            const openvdb::FloatGrid::Ptr surface =
                surface_grid(particles, surface_settings(*this, births), fine, interrupt.interrupted());
            add(masked_density_grid(*density, *surface, static_cast<float>(real("fade"))), "density_masked");
        }
        std::istringstream names(text("attributes"));
        for (std::string name; names >> name;) add_attribute(input, blocks, particles, name, grids, interrupt);
        set_info(made_);
    }

    /// `grids` gets the voxels that suit it.
    openvdb::FloatGrid::Ptr density_of(const Particles& particles, const GrainBirths& births, float rest_density,
                                       GridSettings& grids, CookInterrupt& interrupt) {
        const int per_particle = static_cast<int>(integer("density_grains"));
        if (per_particle <= 0) return density_grid(particles, rest_density, grids, interrupt.interrupted());
        if (births.rest.empty() && particles.count() > 0) throw Error(no_births);
        if (grids.voxel == 0) grids.voxel = 0.5f * grain_spacing(grids.spacing, per_particle);
        return grain_density_grid(particles, births, {per_particle, rest_density}, grids, interrupt.interrupted());
    }

    void add_attribute(const GU_Detail& input, const std::vector<PointBlock>& blocks, const Particles& particles,
                       const std::string& name, const GridSettings& grids, CookInterrupt& interrupt) {
        const GA_Attribute* attribute = input.findAttribute(GA_ATTRIB_POINT, name.c_str());
        if (!attribute || attribute->getStorageClass() == GA_STORECLASS_STRING)
            throw Error("the particles have no point attribute '" + name + "' of numbers; look at Attributes");
        require_no_array(attribute);
        const int components = attribute->getTupleSize();
        std::vector<float> values(particles.count() * static_cast<size_t>(components));
        if (!values.empty()) read_floats(input, blocks, name.c_str(), components, values.data());
        if (components == 3) {
            std::vector<Float3> vectors(particles.count());
            for (size_t i = 0; i < vectors.size(); ++i)
                vectors[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
            add(attribute_grid(particles, vectors, name.c_str(), grids, interrupt.interrupted()), name);
            return;
        }
        // Six numbers are a symmetric matrix, which no renderer reads: one grid for each.
        static const char* const ending[] = {"_xx", "_xy", "_xz", "_yy", "_yz", "_zz"};
        for (int c = 0; c < components; ++c) {
            std::vector<float> one(particles.count());
            for (size_t i = 0; i < one.size(); ++i)
                one[i] = values[i * static_cast<size_t>(components) + static_cast<size_t>(c)];
            const std::string grid = components == 1   ? name
                                     : components == 6 ? name + ending[c]
                                                       : name + "_" + std::to_string(c);
            add(attribute_grid(particles, one, grid.c_str(), grids, interrupt.interrupted()), grid);
        }
    }

    void add(const openvdb::GridBase::Ptr& grid, const std::string& name) {
        grid->setName(name);
        made_ += name + ": " + std::to_string(grid->activeVoxelCount()) + " voxels\n";
        GU_PrimVDB::buildFromGrid(*gdp, grid, nullptr, name.c_str());
    }

    std::string made_;
};

}  // namespace

void add_snow_rasterize(OP_OperatorTable* operators) {
    VerbSop<snow_rasterize_table, SnowRasterize, SOP_NodeVerb::COOK_GENERATOR>::add(operators);
}

}  // namespace firn
