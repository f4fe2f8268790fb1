// Fresh snow packs, heaps up and slides as snow does.

#include "firn/materials.h"
#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Parameters;

Parameters of_preset(const char* preset, double dx) {
    Parameters p = settings(dx);
    firn::apply(firn::find_preset(preset).material, p);
    return p;
}

/// Three sides and the bottom of a shoe: 24 cm wide, as long as the box.
Body shoe(int length, double dx, double height) {
    Body body;
    body.name = "shoe";
    body.motion = firn::Motion::rigid;
    body.friction = 0.3f;
    const int width = static_cast<int>(std::lround(0.24 / dx)), tall = static_cast<int>(std::lround(0.25 / dx));
    for (int j = 0; j < tall; ++j)
        for (int i = 0; i < width; ++i) {
            const bool side = i == 0 || i == width - 1;
            if (j > 0 && !side) continue;
            for (int k = 0; k < length; ++k) {
                body.position.push_back(
                    narrow({(i + 0.5 - 0.5 * width) * dx, height + (j + 0.5) * dx, (k + 0.5 - 0.5 * length) * dx}));
                body.normal.push_back(j == 0 ? Float3{0, -1, 0} : Float3{i ? 1.0f : -1.0f, 0, 0});
            }
        }
    return body;
}

/// 30 cm of powder between walls, pressed 20 cm deep over a third of its width.
TEST(Packing, AFootLeavesAPrintWithStandingWalls) {
    const double dx = 0.02, depth = 0.2, half = 0.12;
    const int nx = 40, ny = 15, nz = 8;
    const Parameters p = of_preset("powder", dx);
    Engine engine(p);
    Body box = open_box(nx, 3 * ny, nz, dx);
    box.friction = 0;
    engine.add_body(box);
    engine.upload(snow_at(lattice_box(nx, ny, nz, dx, {-0.5 * nx * dx, 0, -0.5 * nz * dx})));
    Particles snow = run(engine, 0.25);
    const double top = height(snow);
    const auto below = [&](const Particles& now, double under) {
        std::vector<double> found;
        for (size_t i = 0; i < now.count(); ++i)
            if (std::abs(now.position[i].x) < half - 2 * dx && now.position[i].y < under)
                found.push_back(now.density[i]);
        return percentile(found, 0.5);
    };
    const double before = below(snow, 0.5 * top);
    const uint32_t foot = engine.add_body(shoe(nz, dx, top + dx));
    const double way = depth + 0.5 * dx;
    for (int frame = 1; frame <= 12; ++frame) {
        engine.move_body(foot, turn({}, {0, -way * frame / 12, 0}));
        engine.advance(1.0 / 24);
    }
    for (int frame = 1; frame <= 8; ++frame) {
        engine.move_body(foot, turn({}, {0, -way + 0.5 * frame / 8, 0}));
        engine.advance(1.0 / 24);
    }
    snow = run(engine, 1);
    double beside = 0;
    int fallen = 0;
    for (const Float3& x : snow.position) {
        const double from_middle = std::abs(double(x.x));
        if (from_middle > half + 2 * dx) beside = std::max(beside, double(x.y));
        fallen += from_middle<half - 1.5 * dx&& double(x.y)> top - depth + 2 * dx;
    }
    const double packed = below(snow, top - depth - 0.5 * dx) / before;
    const int pressed = static_cast<int>(2 * half * depth * nz * dx / (dx * dx * dx));
    note("density below the print, of that before", packed);
    note("rise of the snow beside it, m", beside - top);
    note("fallen into it, of what was pressed", double(fallen) / pressed);
    EXPECT_GT(packed, 2);
    EXPECT_LT(packed, 4);
    // All that was pressed, heaped up beside it, would raise the rest by 8.6 cm.
    EXPECT_LT(beside - top, 0.03);
    EXPECT_LT(fallen, 0.05 * pressed);
}

/// Loose snow falls in a stream, a layer a frame, and heaps up. What a run leaves of it.
Particles poured(const Parameters& p, int count, uint64_t seed, double& fastest) {
    const double dx = p.spacing, radius = 0.07, gap = 1.35 * dx, speed = 1;
    Engine engine(p);
    Body floor = floor_body(0.9, dx);
    floor.friction = 1;
    engine.add_body(floor);
    std::mt19937_64 random(seed);
    const auto shift = [&] { return 0.35 * dx * (2 * std::generate_canonical<double, 53>(random) - 1); };
    Particles snow;
    fastest = 0;
    int made = 0;
    for (int rest = 0; rest < 24;) {
        if (made < count) {
            for (double x = -radius; x <= radius; x += gap)
                for (double z = -radius; z <= radius && made < count; z += gap) {
                    if (x * x + z * z > radius * radius) continue;
                    snow.position.push_back(narrow({x + shift(), 0.6 + shift(), z + shift()}));
                    snow.velocity.push_back({0, static_cast<float>(-speed), 0});
                    ++made;
                }
            grow_state(snow);
            engine.upload(snow);
        } else {
            ++rest;
        }
        engine.advance(1.0 / 24);
        engine.download(snow);
        fastest = std::max(fastest, largest_speed(snow));
    }
    return snow;
}

/// Degrees, from the surface of a heap around the y axis.
double slope_of(const Particles& heap, double dx) {
    std::vector<std::vector<double>> rings(30);
    for (const Float3& x : heap.position) {
        const size_t ring = static_cast<size_t>(std::hypot(x.x, x.z) / (2 * dx));
        if (ring < rings.size()) rings[ring].push_back(x.y);
    }
    const double top = percentile(rings[0], 0.97);
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t k = 0; k < rings.size(); ++k) {
        const double x = (double(k) + 0.5) * 2 * dx, y = rings[k].size() < 8 ? 0 : percentile(rings[k], 0.97);
        if (y > 0.8 * top || y < std::max(0.2 * top, 2 * dx)) continue;
        n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return std::atan(-(n * sxy - sx * sy) / (n * sxx - sx * sx)) * 180 / 3.14159265358979;
}

TEST(Packing, PouredSnowHeapsUpByItsFriction) {
    // So small a heap slides in lumps: single ones differ by ten degrees.
    const double dx = 0.03;
    const uint64_t seeds = 3;
    double slope[2] = {0, 0};
    const float angles[2] = {30, 60};
    for (int k = 0; k < 2; ++k) {
        Parameters p = of_preset("powder", dx);
        p.friction_angle = angles[k];
        double fastest = 0, slow_at_end = 0;
        for (uint64_t seed = 3; seed < 3 + seeds; ++seed) {
            double of_this;
            const Particles heap = poured(p, 900, seed, of_this);
            slope[k] += slope_of(heap, dx) / double(seeds);
            fastest = std::max(fastest, of_this);
            std::vector<double> speeds;
            for (const Float3& v : heap.velocity) speeds.push_back(length(wide(v)));
            slow_at_end = std::max(slow_at_end, percentile(speeds, 0.95));
        }
        note(std::to_string(int(angles[k])) + " degrees: mean slope of three heaps", slope[k]);
        note("fastest grain on the way, m/s", fastest);
        note("19 of 20 grains are slower at the end, m/s", slow_at_end);
        // From 60 cm at 1 m/s: 3.6 m/s. Nothing is thrown. One lump may still slide a second after the last flake.
        EXPECT_LT(fastest, 4.5);
        EXPECT_LT(slow_at_end, 0.02);
    }
    EXPECT_GT(slope[0], 15);
    EXPECT_LT(slope[0], 32);
    EXPECT_GT(slope[1], slope[0] + 6);
    EXPECT_GT(slope[1], 32);
    EXPECT_LT(slope[1], 60);
}

/// Two and three grains that hang together fly and turn: nothing pushes them, so they keep momentum, spin and energy.
TEST(Packing, GrainsInFlightDoNotDriveThemselvesRound) {
    const double dx = 0.03;
    for (const int count : {2, 3}) {
        Parameters p = of_preset("packed", dx);
        p.gravity = {0, 0, 0};
        p.damping = 0;
        Engine engine(p);
        Particles snow;
        for (int k = 0; k < count; ++k) {
            const Double3 x = {k == 1 ? 0.9 * dx : 0.0, k == 2 ? 0.9 * dx : 0.0, 0};
            snow.position.push_back(narrow(x));
            snow.velocity.push_back(narrow(cross({0, 0, 20}, x) + Double3{0, 0, 1}));
            snow.strain.push_back({-0.003f, 0.002f, 0.001f, -0.004f, 0.002f, 0.001f});
        }
        snow.filling.assign(snow.count(), 0.8f);
        engine.upload(snow);
        const double mass = particle_mass(p), before = kinetic_energy(snow, mass);
        const Double3 spin = angular_momentum(snow, mass);
        const Particles later = run(engine, 0.5);
        note(std::to_string(count) + " grains: energy, of that before", kinetic_energy(later, mass) / before);
        note("spin, of that before", length(angular_momentum(later, mass)) / length(spin));
        // The strain that they start with gives them a little.
        EXPECT_LT(kinetic_energy(later, mass), 1.02 * before);
        EXPECT_LT(length(angular_momentum(later, mass) - spin), 0.01 * length(spin));
    }
}

}  // namespace
