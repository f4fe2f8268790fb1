// Snow of every kind rests.

#include "firn/materials.h"
#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Parameters;

class Rests : public testing::TestWithParam<const char*> {};

/// Limits on strains made a block of crust tremble at 3 cm/s and widen by a third in 5 s.
TEST_P(Rests, UnderItsOwnWeight) {
    for (const double dx : {0.05, 0.025}) {
        Parameters p = settings(dx);
        firn::apply(firn::find_preset(GetParam()).material, p);
        p.sleep_after = 0;  // what sleeps would rest anyhow
        Engine engine(p);
        engine.add_body(floor_body(12 * dx, dx));
        engine.upload(snow_at(lattice_box(10, 10, 10, dx, {-5 * dx, 0, -5 * dx})));
        const Particles early = run(engine, 10), late = run(engine, 1);
        double moved = 0;
        for (size_t i = 0; i < late.count(); ++i)
            moved = std::max(moved, length(wide(late.position[i]) - wide(early.position[i])));
        const std::string which = std::string(GetParam()) + " at " + std::to_string(dx) + " m: ";
        note(which + "fastest particle after 10 s, m/s", largest_speed(early));
        note(which + "farthest moved in the second after, m", moved);
        EXPECT_LT(largest_speed(early), 1e-3);  // issue 14
        EXPECT_LT(moved, 1e-3);
    }
}
INSTANTIATE_TEST_SUITE_P(Rest, Rests, testing::Values("powder", "dry", "wet", "packed", "slush", "crust", "ice"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
