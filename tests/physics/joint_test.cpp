// The joint solve: strength, contact and rotation that belong to the material, not to the step.

#include "firn/materials.h"
#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Parameters;

Parameters snow_of(const char* preset, double dx) {
    Parameters p = settings(dx);
    firn::apply(firn::find_preset(preset).material, p);
    p.solver = firn::Solver::joint;
    return p;
}

/// How a box can be filled with particles.
enum class Filling { lattice, turned, jittered, scattered };

const char* name_of(Filling filling) {
    constexpr const char* names[] = {"lattice", "turned lattice", "jitter 0.2", "jitter 0.5"};
    return names[static_cast<int>(filling)];
}

/// nx by ny by nz spacings around the origin.
std::vector<Float3> filled_box(Filling filling, int nx, int ny, int nz, double dx) {
    const Double3 half = {0.5 * nx * dx, 0.5 * ny * dx, 0.5 * nz * dx};
    std::vector<Float3> box = lattice_box(nx, ny, nz, dx, Double3{} - half);
    if (filling == Filling::jittered) jitter(box, 0.1 * dx);
    if (filling == Filling::scattered) jitter(box, 0.25 * dx);
    if (filling != Filling::turned) return box;
    std::vector<Float3> inside;
    const int n = 2 * std::max({nx, ny, nz});
    for (const Float3& x : lattice_box(n, n, n, dx, {-0.5 * n * dx + 0.013, -0.5 * n * dx + 0.007, -0.5 * n * dx})) {
        const Double3 turned = rotated(wide(x), {0.2, 0.5, 0.3});
        if (std::abs(turned.x) < half.x && std::abs(turned.y) < half.y && std::abs(turned.z) < half.z)
            inside.push_back(narrow(turned));
    }
    return inside;
}

/// Two halves of a bar of powder, 40 cm square, fly apart at 0.5 m/s: the largest stress between them in 5 ms, Pa.
double pulled_apart(double dx, float dt_max, Filling filling = Filling::lattice) {
    Parameters p = snow_of("powder", dx);
    p.gravity = {0, 0, 0};
    p.dt_max = dt_max;
    const int n = static_cast<int>(std::lround(0.4 / dx));
    Particles snow = snow_at(filled_box(filling, 2 * n, n, n, dx));
    std::vector<size_t> right;
    for (size_t i = 0; i < snow.count(); ++i) {
        if (snow.position[i].x > 0) right.push_back(i);
        snow.velocity.push_back({snow.position[i].x > 0 ? 0.25f : -0.25f, 0, 0});
    }
    Engine engine(p);
    engine.upload(snow);
    const double window = 0.005, area = 0.16;
    double momentum = 0.25 * particle_mass(p) * static_cast<double>(right.size()), largest = 0;
    for (int k = 0; k < 6; ++k) {
        engine.advance(window);
        engine.download(snow);
        double now = 0;
        for (const size_t i : right) now += particle_mass(p) * double(snow.velocity[i].x);
        largest = std::max(largest, (momentum - now) / window / area);
        momentum = now;
    }
    return largest;
}

/// Its strength is E theta_s = 120 Pa; solved apart from yield, it resisted with 1,100 Pa at 5 ms.
TEST(Joint, PowderPullsApartAtItsStrengthWhateverStepAndSpacing) {
    std::vector<double> stress;
    for (const float dt : {5e-3f, 1e-3f, 2e-4f}) stress.push_back(pulled_apart(0.04, dt));
    stress.push_back(pulled_apart(0.02, 5e-3f));
    for (const double s : stress) {
        note("largest stress, Pa", s);
        EXPECT_NEAR(s, stress[0], 0.15 * stress[0]);  // issue 14
        EXPECT_NEAR(s, 120, 0.2 * 120);               // a window of 5 ms holds the wave's front too
    }
}

/// A bar that is stretched along itself and let go: Young's modulus from how long it takes to turn round, Pa.
double modulus_of(Filling filling) {
    const double dx = 0.05, length_of_bar = 14 * dx;
    Parameters p = snow_of("dry", dx);
    p.gravity = {0, 0, 0};
    p.damping = 0;
    p.dt_max = 2e-4f;
    p.theta_c = p.theta_s = 0.1f;  // elastic
    const std::vector<Float3> rest = filled_box(filling, 6, 14, 6, dx);
    Particles snow = snow_at(rest);
    for (const Float3& x : rest) snow.velocity.push_back({0, -0.05f * x.y, 0});
    Engine engine(p);
    engine.upload(snow);
    const double window = 1e-3;
    double before = -1;
    for (double seconds = window; seconds < 0.1; seconds += window) {
        engine.advance(window);
        engine.download(snow);
        double growing = 0;
        for (size_t i = 0; i < snow.count(); ++i) growing += double(rest[i].y) * snow.velocity[i].y;
        if (growing >= 0) {
            // Half the time that a wave takes from end to end: L / (2 sqrt(E / rho)).
            const double turns = seconds - window * growing / (growing - before);
            return double(p.rest_density) * std::pow(0.5 * length_of_bar / turns, 2);
        }
        before = growing;
    }
    return 0;
}

TEST(Joint, StiffnessDoesNotDependOnTheFilling) {
    const double lattice = modulus_of(Filling::lattice);
    note("lattice: of E", lattice / 140e3);
    EXPECT_NEAR(lattice, 140e3, 0.06 * 140e3);  // fourteen particles see a wave this much longer
    for (const Filling filling : {Filling::turned, Filling::jittered, Filling::scattered}) {
        const double share = modulus_of(filling) / lattice;
        note(std::string(name_of(filling)) + ": of the lattice's modulus", share);
        // Issue 14 asks for 5 %; without hourglass stiffness they were 5, 5 and 23 % softer.
        EXPECT_NEAR(share, 1, filling == Filling::scattered ? 0.08 : 0.05);
    }
}

TEST(Joint, StrengthDoesNotDependOnTheFilling) {
    const double lattice = pulled_apart(0.04, 5e-3f);
    for (const Filling filling : {Filling::turned, Filling::jittered, Filling::scattered}) {
        const double share = pulled_apart(0.04, 5e-3f, filling) / lattice;
        note(std::string(name_of(filling)) + ": of the lattice's strength", share);
        EXPECT_NEAR(share, 1, filling == Filling::scattered ? 0.10 : 0.05);  // issue 14: 5 %
    }
}

TEST(Joint, ADroppedCubeDoesNotDependOnTheStep) {
    const auto dropped = [](const char* preset, float dt_max) {
        const double dx = 0.05;
        Parameters p = snow_of(preset, dx);
        p.dt_max = dt_max;
        Engine engine(p);
        engine.add_body(floor_body(0.8, dx));
        engine.upload(snow_at(lattice_box(10, 10, 10, dx, {-0.25, 0.02, -0.25}), {0, -5, 0}));
        const Particles after = run(engine, 1);
        const Double3 c = centre_of_mass(after);
        double width = 0;
        for (const Float3& x : after.position) width += std::pow(double(x.x) - c.x, 2) + std::pow(double(x.z) - c.z, 2);
        return std::pair(c.y, std::sqrt(width / (2.0 * static_cast<double>(after.count()))));
    };
    for (const char* preset : {"dry", "powder"}) {
        const auto [fine_height, fine_width] = dropped(preset, 2e-4f);
        for (const float dt_max : {5e-3f, 1e-3f}) {
            const auto [height, width] = dropped(preset, dt_max);
            const std::string name = preset + std::string(" at ") + (dt_max > 2e-3f ? "5" : "1") + " ms over 0.2 ms: ";
            note(name + "height", height / fine_height);
            note(name + "width", width / fine_width);
            EXPECT_NEAR(height, fine_height, 0.03 * fine_height);  // issue 14
            EXPECT_NEAR(width, fine_width, 0.05 * fine_width);
        }
    }
}

/// A block of every preset, so fast that it bears a quarter of its strength in the middle. Ice at one turn a second
/// used to gain 24 % of inertia in two seconds.
TEST(Joint, ASpinningBlockKeepsItsSizeAndItsEnergy) {
    const double dx = 0.05, pi = std::acos(-1.0);
    const int n = 6;
    const auto inertia = [](const Particles& q) {
        double sum = 0;
        for (const Float3& x : q.position) sum += double(x.x) * x.x + double(x.z) * x.z;
        return sum;
    };
    for (const firn::MaterialPreset& preset : firn::material_presets()) {
        Parameters p = snow_of(preset.token, dx);
        p.gravity = {0, 0, 0};
        const double half = 0.5 * n * dx, strength = double(p.young_modulus) * p.theta_s;
        // What a turning disc of this radius bears in its middle is about rho w^2 r^2 / 2.
        const double w = std::sqrt(0.25 * strength * 2 / (p.rest_density * half * half));
        Particles snow = snow_at(lattice_box(n, n, n, dx, {-half, -half, -half}));
        for (const Float3& x : snow.position) snow.velocity.push_back(narrow(cross({0, w, 0}, wide(x))));
        Engine engine(p);
        engine.upload(snow);
        const Particles after = run(engine, 10 * 2 * pi / w);
        const std::string name = preset.token;
        note(name + ": turns a second", w / (2 * pi));
        note(name + ": inertia after ten turns, of that before", inertia(after) / inertia(snow));
        note(name + ": energy after ten turns, of that before", kinetic_energy(after, 1) / kinetic_energy(snow, 1));
        EXPECT_NEAR(inertia(after), inertia(snow), 0.005 * inertia(snow)) << name;  // issue 14
        EXPECT_NEAR(kinetic_energy(after, 1), kinetic_energy(snow, 1), 0.02 * kinetic_energy(snow, 1)) << name;
    }
}

/// A slab of dry snow that hangs from a sticky ceiling: E theta_s / (rho g) is 0.268 m.
TEST(Joint, ASlabHangsAsLongAsItsStrengthSays) {
    for (const int layers : {5, 6}) {
        const double dx = 0.05;
        Engine engine(snow_of("dry", dx));
        Body ceiling = sheet_body({-0.3, 0.5 * dx, -0.3}, {dx, 0, 0}, 12, {0, 0, dx}, 12);
        for (Float3& n : ceiling.normal) n = {0, -1, 0};
        ceiling.sticky = 1;
        engine.add_body(ceiling);
        engine.upload(snow_at(lattice_box(8, layers, 8, dx, {-0.2, -layers * dx, -0.2})));
        const double sunk = -0.5 * layers * dx - centre_of_mass(run(engine, 1.5)).y;
        note(std::to_string(layers * dx) + " m: sunk by, m", sunk);
        if (layers * dx < 0.268)
            EXPECT_LT(sunk, 0.1 * dx);
        else
            EXPECT_GT(sunk, dx);
    }
}

TEST(Joint, CollidingBlocksKeepMomentum) {
    const double dx = 0.02;
    Parameters p = snow_of("dry", dx);
    p.gravity = {0, 0, 0};
    Particles snow = snow_at(lattice_box(6, 6, 6, dx, {-0.15, 0, 0}), {3, 0, 0});
    append(snow, snow_at(lattice_box(6, 6, 6, dx, {0.03, 0.05, 0}), {-2, 0, 0}));
    const double mass = particle_mass(p);
    const Double3 before = momentum(snow, mass), spin = angular_momentum(snow, mass);
    Engine engine(p);
    engine.upload(snow);
    const Particles after = run(engine, 0.2);
    const double whole = mass * static_cast<double>(snow.count()) * 3;
    note("drift of momentum, of what one block brings", length(momentum(after, mass) - before) / whole);
    // Forces in pairs: what is left is rounding. The first guess of each solve is the last one's result at new places,
    // and has a little spin that the solve leaves over.
    EXPECT_LT(length(momentum(after, mass) - before), 1e-5 * whole);
    EXPECT_LT(length(angular_momentum(after, mass) - spin), 5e-4 * whole * 0.1);
}

}  // namespace
