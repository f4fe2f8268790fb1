// A stiff slab on a weak layer, undercut: it breaks off where a beam would, and the crack runs on as measured.

#include <memory>

#include "firn/materials.h"
#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Parameters;

constexpr double dx = 0.04;
constexpr int nz = 4, weak_layers = 2;
constexpr double weak_height = weak_layers * dx, weak_modulus = 1e5, density = 250;

/// What varies from test to test; SI.
struct Field {
    int nx, slab_layers;
    double weak_strength;  ///< against pressure
    double slope;          ///< degrees
    double dt_max;
    /// Of snow of 250 kg/m^3, as Bergfeld et al. 2023 measured it.
    double slab_modulus = 21e6;

    double slab_height() const { return slab_layers * dx; }
    double inclination() const { return slope * std::acos(-1.0) / 180; }
    /// Weight of the slab on the weak layer, Pa.
    double load() const { return density * gravity * slab_height() * std::cos(inclination()); }
    /// Bending stiffness of the slab, for each metre of width, N m.
    double bending() const { return slab_modulus * std::pow(slab_height(), 3) / 12; }

    /// The cut from which the weak layer gives way at the tip. The slab is a beam on an elastic foundation, free where
    /// it is undercut: the stress at the tip of a cut a is q (1 + b a)^2, with b^4 = k / 4 EI.
    double beams_cut() const {
        const double b = std::pow(weak_modulus / weak_height / (4 * bending()), 0.25);
        return (std::sqrt(weak_strength / load()) - 1) / b;
    }
};

/// The slab of a propagation saw test, on its weak layer, on ground that is frozen on.
struct SawTest {
    explicit SawTest(const Field& of) : field(of) {
        Parameters p = settings(dx);
        const double slope = field.inclination();
        p.gravity = {static_cast<float>(gravity * std::sin(slope)), static_cast<float>(-gravity * std::cos(slope)), 0};
        p.sleep_after = 0;
        engine = std::make_unique<Engine>(p);
        Body ground;
        ground.friction = 2;
        ground.sticky = 1;
        for (int i = -10; i < field.nx + 10; ++i)
            for (int k = -4; k < nz + 4; ++k) {
                ground.position.push_back(narrow({(i + 0.5) * dx, -0.5 * dx, (k + 0.5) * dx}));
                ground.normal.push_back({0, 1, 0});
            }
        engine->add_body(ground);
        snow = snow_at(lattice_box(field.nx, weak_layers + field.slab_layers, nz, dx));
        const firn::Material weak = {static_cast<float>(weak_modulus),
                                     0.1f,
                                     10,
                                     static_cast<float>(field.weak_strength / weak_modulus),
                                     static_cast<float>(0.4 * field.weak_strength / weak_modulus),
                                     30,
                                     0.95f,
                                     150};
        const firn::Material slab = {
            static_cast<float>(field.slab_modulus), 0.2f, 10, 0.01f, 0.005f, 50, 0, static_cast<float>(density)};
        for (const firn::MaterialQuantity& q : firn::material_table()) {
            auto& values = snow.*q.array;
            for (const Float3& x : snow.position) values.push_back((x.y < weak_height ? weak : slab).*q.value);
        }
        engine->upload(snow);
    }

    /// Takes the weak layer away up to x = `length`.
    void saw(double length) {
        engine->download(snow);
        std::vector<size_t> kept;
        for (size_t i = 0; i < snow.count(); ++i)
            if (snow.position[i].x > length || snow.position[i].y > weak_height) kept.push_back(i);
        Particles left;
        for (const firn::ParticleArray& array : firn::particle_arrays()) {
            if (array.components == 0 || array.size(snow) == 0) continue;
            array.resize(left, kept.size());
            const size_t n = static_cast<size_t>(array.components);
            for (size_t k = 0; k < kept.size(); ++k)
                std::copy_n(array.data(snow) + n * kept[k], n, array.data(left) + n * k);
        }
        for (const size_t i : kept) left.id.push_back(snow.id[i]);
        engine->upload(left);
        snow = left;
    }

    /// How far the weak layer has broken, m.
    double front() {
        engine->download(snow);
        double farthest = 0;
        for (size_t i = 0; i < snow.count(); ++i)
            if (snow.position[i].y < weak_height && snow.damage[i] > 0.5f)
                farthest = std::max(farthest, double(snow.position[i].x));
        return farthest;
    }

    void longest_step(double dt) {
        Parameters p = engine->parameters();
        p.dt_max = dt;
        engine->set_parameters(p);
    }

    /// Saws on until the crack runs by itself, and gives the cut.
    double saw_until_it_runs() {
        longest_step(5e-3);
        engine->advance(0.2);
        longest_step(field.dt_max);
        for (double cut = 4 * dx; cut < 0.5 * field.nx * dx; cut += dx) {
            saw(cut);
            for (int k = 0; k < 10; ++k) {
                engine->advance(0.01);
                if (front() > cut + 6 * dx) return cut;
            }
        }
        return 1e9;
    }

    Field field;
    std::unique_ptr<Engine> engine;
    Particles snow;
};

/// 30 %: the solve smooths the stress at the tip over two spacings, a tenth of the cut, and bonds break over a way.
TEST(PropagationSaw, BreaksOffWhereABeamWould) {
    const std::vector<Field> fields = {
        {60, 6, 2e3, 0, 5e-4}, {60, 6, 1.5e3, 0, 5e-4}, {60, 6, 2e3, 37, 5e-4}, {60, 6, 2e3, 0, 5e-4, 5e6}};
    for (const Field& field : fields) {
        const double cut = SawTest(field).saw_until_it_runs(), expected = field.beams_cut();
        char text[80];
        std::snprintf(text, sizeof text, "%g Pa, slope %g, slab of %g MPa: cut, m", field.weak_strength, field.slope,
                      field.slab_modulus / 1e6);
        note(text, cut);
        note("    that of a beam", expected);
        EXPECT_NEAR(cut, expected, 0.3 * expected) << text;
    }
}

/// Saw tests in the field saw 20 to 50 m/s. A collapse runs below a slab as a bending wave does (Heierli 2005):
/// c^4 = g EI / (2 h rho D), where h is how far the slab sinks.
TEST(PropagationSaw, ACrackRunsAsMeasured) {
    const Field field = {90, 9, 2.5e3, 0, 1e-4};
    SawTest test(field);
    const double cut = test.saw_until_it_runs();
    std::vector<double> fronts = {test.front()};
    while (fronts.back() < (field.nx - 2) * dx && fronts.size() < 60) {
        test.engine->advance(0.005);
        fronts.push_back(test.front());
    }
    // Between the saw's surroundings and the free end.
    double fastest = 0;
    for (size_t k = 4; k < fronts.size(); ++k)
        if (fronts[k - 4] > 1.0 && fronts[k] < (field.nx - 6) * dx)
            fastest = std::max(fastest, (fronts[k] - fronts[k - 4]) / 0.02);
    test.engine->advance(0.2);
    test.engine->download(test.snow);
    std::vector<double> heights;
    for (const Float3& x : test.snow.position)
        if (std::abs(x.x - 0.5 * field.nx * dx) < 2 * dx) heights.push_back(x.y);
    const double sunk =
        weak_height + field.slab_height() - 0.5 * dx - *std::max_element(heights.begin(), heights.end());
    const double wave = std::pow(gravity * field.bending() / (2 * sunk * density * field.slab_height()), 0.25);
    note("cut, m", cut);
    note("the slab sinks by, m", sunk);
    note("speed of the crack, m/s", fastest);
    note("speed of a collapsing wave, m/s", wave);
    EXPECT_GT(fastest, 20);
    EXPECT_LT(fastest, 50);
    EXPECT_NEAR(fastest, wave, 0.3 * wave);
}

}  // namespace
