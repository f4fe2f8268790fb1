// firn::snow_grains: snow particles -> render grains.

#include <sstream>

#include "cook_interrupt.h"
#include "firn/error.h"
#include "firn/grains.h"
#include "firn/memory.h"
#include "particle_transfer.h"
#include "snow_sop.h"
#include "surface_settings.h"

namespace firn {

namespace {

class SnowGrains : public SnowSopCache {
public:
    SnowGrains() : SnowSopCache(snow_grains_table()) {}

private:
    void cook_snow() override {
        CookInterrupt interrupt("Making grains");
        const GU_Detail& input = *inputGeo(0);
        const std::vector<PointBlock> blocks = point_blocks(input);
        const Particles particles = read_particles(input, blocks);
        const std::vector<Inherited> inherited = read_attributes(input, blocks, particles.count());
        RenderGrains grains;
        if (particles.count() > 0) {
            GrainBirths births = births_of(input, blocks, particles, inputGeo(1));
            if (births.rest.empty()) throw Error(no_births);
            const GrainField field(particles, std::move(births), settings(input), interrupt.interrupted());
            // 44 bytes a grain here, and as many in the detail.
            const double bytes = 88 * field.expected_count(), available = static_cast<double>(memory_available());
            if (bytes > available)
                throw Error("about " + std::to_string(static_cast<int64_t>(field.expected_count() / 1e6)) +
                            " million grains need " + std::to_string(static_cast<int64_t>(bytes / 1e9) + 1) + " GB, " +
                            std::to_string(static_cast<int64_t>(available / 1e9)) +
                            " GB are free; lower Grains per Particle, or set a Surface Layer");
            grains = field.all();
        }
        gdp->clearAndDestroy();
        const size_t count = grains.count();
        if (count) gdp->appendPointBlock(static_cast<GA_Size>(count));
        const std::vector<PointBlock> made = point_blocks(*gdp);
        write_floats(*gdp, made, "P", 3, count ? &grains.position[0].x : nullptr);
        write_floats(*gdp, made, "v", 3, count ? &grains.velocity[0].x : nullptr);
        write_integers(*gdp, made, "id", grains.id);
        write_floats(*gdp, made, "pscale", 1, grains.radius.data());
        for (const Inherited& attribute : inherited) {
            const size_t width = static_cast<size_t>(attribute.components);
            std::vector<float> values;
            values.reserve(count * width);
            for (const uint32_t particle : grains.particle)
                values.insert(values.end(), attribute.values.begin() + static_cast<std::ptrdiff_t>(particle * width),
                              attribute.values.begin() + static_cast<std::ptrdiff_t>((particle + 1) * width));
            write_floats(*gdp, made, attribute.name.c_str(), attribute.components, values.data());
        }
        set_info(std::to_string(count) + " grains of " + std::to_string(particles.count()) + " particles\n");
    }

    struct Inherited {
        std::string name;
        int components;
        std::vector<float> values;
    };

    std::vector<Inherited> read_attributes(const GU_Detail& input, const std::vector<PointBlock>& blocks,
                                           size_t count) const {
        std::vector<Inherited> all;
        std::istringstream names(text("attributes"));
        for (std::string name; names >> name;) {
            const GA_Attribute* attribute = input.findAttribute(GA_ATTRIB_POINT, name.c_str());
            if (!attribute || attribute->getStorageClass() == GA_STORECLASS_STRING)
                throw Error("the particles have no point attribute '" + name + "' of numbers; look at Attributes");
            Inherited one{name, attribute->getTupleSize(), {}};
            one.values.resize(count * static_cast<size_t>(one.components));
            if (count) read_floats(input, blocks, name.c_str(), one.components, one.values.data());
            all.push_back(std::move(one));
        }
        return all;
    }

    GrainSettings settings(const GU_Detail& input) const {
        GrainSettings s;
        s.spacing = static_cast<float>(real("spacing"));
        if (s.spacing <= 0) s.spacing = spacing_of(input);
        if (!(s.spacing > 0))
            throw Error("the particles have no pscale that their spacing could be taken from; set Particle Spacing");
        s.rest_density = static_cast<float>(real("rest_density"));
        s.per_particle = static_cast<int>(integer("per_particle"));
        s.layer = static_cast<float>(real("layer"));
        s.crumble = static_cast<float>(real("crumble"));
        s.disperse = static_cast<float>(real("disperse"));
        s.size_spread = static_cast<float>(real("size_spread"));
        s.seed = static_cast<uint32_t>(integer("seed"));
        s.threads = static_cast<int>(integer("threads"));
        return s;
    }
};

}  // namespace

void add_snow_grains(OP_OperatorTable* operators) {
    VerbSop<snow_grains_table, SnowGrains, SOP_NodeVerb::COOK_GENERATOR>::add(operators);
}

}  // namespace firn
