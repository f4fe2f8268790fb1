#include "node_table.h"

namespace firn {

const NodeTable& snow_grains_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn::snow_grains",
                    "Firn Snow Grains",
                    "Sop",
                    "firn_snow_grains",
                    "Turns each snow particle into dozens of render grains that move and turn with the snow.",
                    {{"Particles", "snow of this frame, from the solver or a cache", true},
                     {"Rest",
                      "the same snow where it was born: the first frame, held by a Time Shift; not needed where "
                      "the particles have a point attribute rest",
                      false}},
                    {}};
        auto& p = t.parameters;
        const char* grains = "Grains";
        p.push_back(integer_row("per_particle", "Grains per Particle", "", grains, 32, 1, 256, 200,
                                "Higher values make finer snow: the mean number of grains for each particle."));
        p.push_back(real_row("layer", "Surface Layer", "m", grains, 0, 0, 1e6, 0, 0.5,
                             "Higher values make grains deeper below the snow's surface. 0 = everywhere."));
        p.push_back(real_row("crumble", "Crumble", "spacings", grains, 0.6, 0, 4, 0, 2,
                             "Higher values make fresh fracture faces rougher: how far their grains come loose."));
        p.push_back(real_row("disperse", "Disperse", "", grains, 1, 0, 4, 0, 2,
                             "Higher values spread the grains of loose particles wider. 0 = they stay together."));
        p.push_back(real_row("size_spread", "Size Variation", "", grains, 0.3, 0, 1, 0, 1,
                             "Higher values make grains more unequal. 0 = all of a particle's grains are alike."));
        p.push_back(integer_row("seed", "Seed", "", grains, 0, 0, 1000000, 100,
                                "Another number places the grains differently."));
        p.push_back(string_row("attributes", "Attributes", grains, "",
                               "Point attributes of the particles that their grains take over, such as compaction age "
                               "Cd."));
        p.push_back(real_row("spacing", "Particle Spacing", "m", grains, 0, 0, 100, 0, 0.2,
                             "Distance between the particles. 0 = twice their pscale."));
        p.push_back(engine_row("rest_density"));
        p.back().folder = grains;
        p.push_back(engine_row("threads"));
        return t;
    }();
    return table;
}

}  // namespace firn
