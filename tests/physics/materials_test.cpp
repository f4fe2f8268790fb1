// The presets differ as their sentences say, and material per particle is the same material.

#include "firn/materials.h"

#include <cstring>
#include <map>

#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Parameters;

constexpr double dx = 0.0125;

struct Splat {
    double height, spread;
    int lost;
    double compaction;  ///< of the centre of mass, against the ball at the start
};

/// A snowball of 10 cm at 5 m/s on a floor, half a second later.
Splat drop(const firn::Material& material) {
    Parameters p = settings(dx);
    firn::apply(material, p);
    Engine engine(p);
    engine.add_body(floor_body(0.7, dx));
    engine.upload(snow_at(lattice_ball(0.1, dx, {0, 0.1 + dx, 0}), {0, -5, 0}));
    const Particles snow = run(engine, 0.5);
    return {height(snow), spread(snow), lost_singles(snow, dx), centre_of_mass(snow).y};
}

TEST(Materials, PresetsDifferAsTheySay) {
    std::map<std::string, Splat> balls;
    for (const firn::MaterialPreset& preset : firn::material_presets()) {
        const Splat ball = drop(preset.material);
        balls[preset.token] = ball;
        const std::string name = preset.token;
        note(name + ": height, m", ball.height);
        note(name + ": spread, m", ball.spread);
        note(name + ": lost", ball.lost);
        note(name + ": centre of mass, m", ball.compaction);
    }
    // Slush slumps and spreads; wet snow sticks together.
    EXPECT_GT(balls["slush"].spread, balls["wet"].spread);
    EXPECT_LT(balls["slush"].height, balls["wet"].height);
    // Packed snow keeps more of its shape than dry snow, and dry snow more than powder.
    EXPECT_GT(balls["packed"].height, balls["dry"].height);
    EXPECT_GT(balls["dry"].height, balls["powder"].height);
    // Powder flattens and spreads further than dry and wet snow.
    EXPECT_GT(balls["powder"].spread, 1.05 * balls["dry"].spread);
    EXPECT_GT(balls["powder"].spread, 1.05 * balls["wet"].spread);
    // Crust and ice hardly dent.
    EXPECT_GT(balls["crust"].height, balls["packed"].height);
    EXPECT_GT(balls["ice"].height, balls["crust"].height);
}

TEST(Materials, MeasuredSnowStiffensWithDensity) {
    const Splat light = drop(firn::measured_material(100)), heavy = drop(firn::measured_material(400));
    note("100 kg/m^3: height, m", light.height);
    note("400 kg/m^3: height, m", heavy.height);
    EXPECT_GT(heavy.height, light.height);
}

TEST(Materials, PerParticleEqualToUniformGivesTheSameBits) {
    const Parameters p = settings(0.02);
    Particles results[2];
    for (const bool each : {false, true}) {
        Engine engine(p);
        engine.add_body(floor_body(0.4, 0.02));
        Particles snow = snow_at(lattice_ball(0.1, 0.02, {0, 0.12, 0}), {1, -5, 0});
        if (each) {
            snow.young_modulus.assign(snow.count(), p.young_modulus);
            snow.poisson_ratio.assign(snow.count(), p.poisson_ratio);
            snow.hardening.assign(snow.count(), p.hardening);
            snow.theta_c.assign(snow.count(), p.theta_c);
            snow.theta_s.assign(snow.count(), p.theta_s);
            snow.rest_density.assign(snow.count(), p.rest_density);
        }
        engine.upload(snow);
        results[each] = run(engine, 0.25);
    }
    const auto same = [](const std::vector<Float3>& a, const std::vector<Float3>& b) {
        return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Float3)) == 0;
    };
    EXPECT_TRUE(same(results[0].position, results[1].position));
    EXPECT_TRUE(same(results[0].velocity, results[1].velocity));
}

}  // namespace
