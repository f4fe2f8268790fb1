#include "firn/grains.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "firn/error.h"
#include "firn/grain_file.h"
#include "firn/scattered.h"
#include "own_file.h"
#include "vdb/grains/grain_pattern.h"
#include "vdb/grains/local_motion.h"
#include "vdb/snow_shapes.h"

namespace {

using firn::births_from;
using firn::Float3;
using firn::GrainBirths;
using firn::GrainField;
using firn::GrainSettings;
using firn::Particles;
using firn::RenderGrains;

constexpr float spacing = 0.02f;

GrainSettings settings(int per_particle = 32) {
    GrainSettings s;
    s.spacing = spacing;
    s.per_particle = per_particle;
    return s;
}

/// A block of snow with ids, at rest.
Particles block(int nx, int ny, int nz, const Float3& low = {}) {
    Particles p = firn_test::box(nx, ny, nz, spacing, low);
    for (size_t i = 0; i < p.count(); ++i) p.id.push_back(static_cast<int64_t>(i));
    p.velocity.assign(p.count(), {});
    return p;
}

RenderGrains grains(const Particles& now, const Particles& first, const GrainSettings& s) {
    return GrainField(now, births_from(first, now), s).all();
}

double distance(const Float3& a, const Float3& b) {
    return std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z);
}

/// Turned by `angle` about an axis through `centre` that is none of the lattice's, with the velocities of `rate` rad/s.
struct Turn {
    double angle, rate;
    Float3 centre{0.1f, 0.1f, 0.1f};

    firn::Vec3 axis() const { return firn::unit({1, 2, -0.5}); }
    firn::Vec3 turned(const Float3& p) const {
        const firn::Vec3 r = firn::wide(p) - firn::wide(centre), k = axis();
        return firn::wide(centre) + std::cos(angle) * r + std::sin(angle) * cross(k, r) +
               ((1 - std::cos(angle)) * dot(k, r)) * k;
    }
    firn::Vec3 velocity(const Float3& turned_point) const {
        return rate * cross(axis(), firn::wide(turned_point) - firn::wide(centre));
    }
    Particles operator()(Particles p) const {
        for (size_t i = 0; i < p.count(); ++i) {
            p.position[i] = firn::narrow(turned(p.position[i]));
            p.velocity[i] = firn::narrow(velocity(p.position[i]));
        }
        return p;
    }
};

TEST(GrainPattern, KeepsItsPointsApart) {
    const firn::GrainPattern pattern(3);
    ASSERT_EQ(pattern.points().size(), size_t{firn::GrainPattern::point_count});
    // The widest that so many points can all keep (a face-centred packing); random points come as close as nothing.
    const double widest = std::cbrt(std::sqrt(2.0) / firn::GrainPattern::point_count);
    double nearest = 1;
    size_t counted = 0;
    for (size_t i = 0; i < pattern.points().size(); i += 64) {
        const auto& p = pattern.points()[i];
        pattern.within(p, 2 * widest, 1.0, [&](double x, double y, double z) {
            const double d = std::hypot(x, y, z);
            if (d > 0) nearest = std::min(nearest, d);
            ++counted;
        });
    }
    EXPECT_GT(nearest, 0.45 * widest);
    // The cube of 4 widths around each holds 64 / sqrt(2) points in the mean: the pattern also repeats without a seam.
    const double looked = std::ceil(firn::GrainPattern::point_count / 64.0);
    EXPECT_NEAR(double(counted) / looked, 64 * std::sqrt(2.0), 1.5);
}

TEST(GrainPattern, RepeatsBelowZero) {
    const firn::GrainPattern pattern(0);
    std::vector<Float3> here, there;
    const auto into = [](std::vector<Float3>& list) {
        return [&list](double x, double y, double z) { list.push_back({float(x), float(y), float(z)}); };
    };
    pattern.within({0.3, 0.3, 0.3}, 0.05, 1.0, into(here));
    pattern.within({-0.7, -1.7, 2.3}, 0.05, 1.0, into(there));
    ASSERT_GT(here.size(), 10u);
    ASSERT_EQ(here.size(), there.size());
    for (size_t i = 0; i < here.size(); ++i) EXPECT_LT(distance(here[i], there[i]), 1e-6);
}

TEST(LocalMotion, FindsTheRotationOfFlatAndTurnedNeighbourhoods) {
    for (const double angle : {0.3, 1.5, 3.0, 3.14159}) {
        const firn::Vec3 k = firn::unit({1, 1, 3});
        const auto turned = [&](const firn::Vec3& r) {
            return std::cos(angle) * r + std::sin(angle) * cross(k, r) + ((1 - std::cos(angle)) * dot(k, r)) * k;
        };
        std::vector<firn::RestNeighbour> sheet;
        for (const firn::Vec3& r : {firn::Vec3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {1, 1, 0}})
            sheet.push_back({r, turned(r), {}, 1, 1});
        const firn::LocalMotion motion = firn::local_motion(sheet);
        for (const firn::Vec3& r : {firn::Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
            EXPECT_LT(length(motion.map * r - turned(r)), 1e-9) << angle;
        EXPECT_EQ(motion.loose, 0);
    }
}

TEST(Grains, HaveTheMassOfTheirParticles) {
    Particles snow = block(9, 8, 7);
    for (size_t i = 0; i < snow.count(); ++i) snow.rest_density.push_back(i % 2 ? 100.0f : 500.0f);
    double mass = 0;
    for (const float rho : snow.rest_density) mass += double(rho) * spacing * spacing * spacing;
    for (const int per_particle : {1, 8, 32, 200}) {
        const RenderGrains all = grains(snow, snow, settings(per_particle));
        double sum = 0;
        for (size_t k = 0; k < all.count(); ++k)
            sum += 4.0 / 3 * M_PI * std::pow(double(all.radius[k]), 3) * double(snow.rest_density[all.particle[k]]) /
                   firn::grain_packing;
        EXPECT_NEAR(sum / mass, 1, 1e-3) << per_particle;
        // A particle at an edge has more room than one within: the mean is what was asked for, roughly.
        // (Of fewer than eight, many particles would have none: they get one of their own.)
        const double mean = double(all.count()) / (double(snow.count()) * per_particle);
        EXPECT_NEAR(mean, 1, per_particle < 8 ? 0.4 : 0.12) << per_particle;
    }
}

TEST(Grains, FillTheSnowEvenlyAndEndWhereItEnds) {
    const Particles snow = block(12, 12, 12);
    const RenderGrains all = grains(snow, snow, settings(64));
    // Counts in cubes of half a spacing that don't follow the lattice: by chance alone they would spread by sqrt(8).
    std::map<std::array<int, 3>, int> counts;
    double out = 0;
    for (const Float3& p : all.position) {
        counts[{int(std::floor(p.x / 0.011f)), int(std::floor(p.y / 0.011f)), int(std::floor(p.z / 0.011f))}]++;
        for (const float x : {p.x, p.y, p.z}) out = std::max({out, double(-x), double(x - 11 * spacing)});
    }
    EXPECT_LT(out, 0.8 * double(spacing));
    double sum = 0, squares = 0, cubes = 0;
    for (int i = 4; i < 16; ++i)
        for (int j = 4; j < 16; ++j)
            for (int k = 4; k < 16; ++k) {
                const double n = counts[{i, j, k}];
                sum += n;
                squares += n * n;
                ++cubes;
            }
    const double mean = sum / cubes, deviation = std::sqrt(squares / cubes - mean * mean);
    EXPECT_NEAR(mean, 64 * std::pow(0.011 / 0.02, 3), 0.05 * mean);
    EXPECT_LT(deviation, 0.65 * std::sqrt(mean));
}

TEST(Grains, StayInTheirChunkInARigidTurn) {
    const Particles first = block(8, 6, 7);
    const RenderGrains born = grains(first, first, settings());
    for (const double angle : {0.0, 0.4, 2.0, 3.14}) {
        const Turn turn{angle, 5.0};
        const Particles now = turn(first);
        const RenderGrains all = grains(now, first, settings());
        ASSERT_EQ(all.count(), born.count());
        double off = 0, slip = 0;
        for (size_t k = 0; k < all.count(); ++k) {
            ASSERT_EQ(all.id[k], born.id[k]);
            off = std::max(off, distance(all.position[k], firn::narrow(turn.turned(born.position[k]))));
            slip = std::max(slip, distance(all.velocity[k], firn::narrow(turn.velocity(all.position[k]))));
        }
        EXPECT_LT(off, 1e-4 * double(spacing)) << angle;  // float positions of a block of 0.16 m
        EXPECT_LT(slip, 0.01 * 5 * double(spacing)) << angle;
    }
}

TEST(Grains, DontPopWhenSnowBreaks) {
    // A block breaks in two; the halves part slowly and turn, and a corner particle flies off.
    const Particles first = block(10, 6, 6);
    const double dt = 1.0 / 24;
    const auto frame = [&](int n) {
        Particles now = first;
        const double t = n * dt;
        for (size_t i = 0; i < now.count(); ++i) {
            const bool right = first.position[i].x > 4.5f * spacing;
            Turn turn{(right ? 0.6 : -0.4) * t, right ? 0.6 : -0.4};
            const firn::Vec3 along{right ? 0.12 : -0.05, 0, 0}, p = turn.turned(first.position[i]);
            now.velocity[i] = firn::narrow(turn.velocity(firn::narrow(p)) + along);
            now.position[i] = firn::narrow(p + t * along);
            if (i == 0) {
                now.velocity[i] = {-0.3f, 0, 0};
                now.position[i].x = first.position[i].x - 0.3f * static_cast<float>(t);
            }
            now.density.push_back(i == 0 ? 60.0f : 400.0f);
        }
        return now;
    };
    RenderGrains before = grains(frame(0), first, settings());
    double worst = 0, crumbled = 0;
    for (int n = 1; n <= 12; ++n) {
        const RenderGrains now = grains(frame(n), first, settings());
        ASSERT_EQ(now.count(), before.count());
        for (size_t k = 0; k < now.count(); ++k) {
            ASSERT_EQ(now.id[k], before.id[k]);
            const Float3 &a = before.position[k], &v = before.velocity[k], &b = now.position[k];
            const float h = static_cast<float>(dt);
            worst = std::max(worst, distance(b, {a.x + h * v.x, a.y + h * v.y, a.z + h * v.z}));
        }
        before = now;
    }
    // The corner flies 0.62 spacings a frame and a crack opens over 3.67, up to 0.25 of it a frame where the step is
    // steepest: 1.5 * 0.25 of the 0.6 spacings of crumble, and 2 * 0.25 of the 0.87 that a grain is off its particle.
    EXPECT_LT(worst, 0.66 * double(spacing));
    GrainSettings firm = settings();
    firm.crumble = 0;
    const RenderGrains held = grains(frame(12), first, firm);
    for (size_t k = 0; k < held.count(); ++k)
        crumbled += distance(held.position[k], before.position[k]) > 0.1 * spacing;
    EXPECT_GT(crumbled, 50);                          // at the fracture ...
    EXPECT_LT(crumbled, 0.3 * double(held.count()));  // ... and only there
}

TEST(Grains, OfALoneParticleDisperse) {
    Particles first = block(5, 5, 5), now = first;
    now.position[0] = {-1, 0, 0};
    now.density.assign(now.count(), 400.0f);
    now.density[0] = 50;
    const auto width = [&](const GrainSettings& s) {
        double sum = 0, count = 0;
        const RenderGrains all = grains(now, first, s);
        for (size_t k = 0; k < all.count(); ++k)
            if (all.particle[k] == 0) {
                sum += distance(all.position[k], now.position[0]);
                ++count;
            }
        return sum / count;
    };
    GrainSettings still = settings();
    still.disperse = still.crumble = 0;
    GrainSettings wide = still;
    wide.disperse = 1;
    EXPECT_NEAR(width(wide) / width(still), 2, 1e-3);
    // In dense snow there is no room to disperse.
    now.density[0] = 400;
    EXPECT_NEAR(width(wide) / width(still), 1, 1e-3);
}

TEST(Grains, OfOtherBirthsAreStrangers) {
    // A source lets out the same block twice; the second lies on the first one's place of birth.
    Particles first = block(4, 4, 4), now = first;
    GrainBirths births{first.position, std::vector<float>(first.count(), 0.0f)};
    for (size_t i = 0; i < first.count(); ++i) {
        now.position.push_back({first.position[i].x, first.position[i].y + 1, first.position[i].z});
        now.velocity.push_back({});
        now.id.push_back(static_cast<int64_t>(first.count() + i));
        births.rest.push_back(first.position[i]);
        births.time.push_back(0.5f);
    }
    const RenderGrains both = GrainField(now, births, settings()).all(), one = grains(first, first, settings());
    ASSERT_EQ(both.count(), 2 * one.count());
    for (size_t k = 0; k < one.count(); ++k) EXPECT_EQ(0, std::memcmp(&both.position[k], &one.position[k], 12));
    // Without the times each particle has a twin that takes its grains, or was torn away from it.
    GrainBirths mixed = births;
    mixed.time.clear();
    EXPECT_NE(GrainField(now, mixed, settings()).all().count(), both.count());
}

TEST(Grains, OfParticlesBornInOnePlaceAreThere) {
    Particles twins;
    twins.position = {{0, 0, 0}, {0, 0, 0}};
    twins.id = {7, 9};
    const RenderGrains all = grains(twins, twins, settings());
    size_t of_second = 0;
    for (const uint32_t p : all.particle) of_second += p == 1;
    EXPECT_GT(of_second, 8u);
    EXPECT_GT(all.count() - of_second, 8u);
}

TEST(Grains, AreTheSameForAnyThreadsAndAnyOrder) {
    Particles first = block(12, 11, 13), now = Turn{0.7, 1}(first);
    for (size_t i = 0; i < now.count(); ++i) now.position[i].x += 0.01f * static_cast<float>(firn::scattered_unit(i));
    GrainSettings one = settings(), many = settings();
    one.threads = 1;
    many.threads = 3;
    const RenderGrains a = grains(now, first, one), b = grains(now, first, many);
    ASSERT_EQ(a.count(), b.count());
    EXPECT_EQ(0, std::memcmp(a.position.data(), b.position.data(), a.count() * sizeof(Float3)));
    EXPECT_EQ(0, std::memcmp(a.velocity.data(), b.velocity.data(), a.count() * sizeof(Float3)));
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.radius, b.radius);
    // Piece by piece, and the file's particles in another order.
    Particles turned = now;
    std::reverse(turned.position.begin(), turned.position.end());
    std::reverse(turned.velocity.begin(), turned.velocity.end());
    std::reverse(turned.id.begin(), turned.id.end());
    const GrainField field(turned, births_from(first, turned), one);
    std::map<int64_t, Float3> place;
    RenderGrains piece;
    for (size_t k = field.parents().size(); k > 0; --k) field.append(k - 1, k, piece);
    ASSERT_EQ(piece.count(), a.count());
    for (size_t k = 0; k < piece.count(); ++k) place[piece.id[k]] = piece.position[k];
    double worst = 0;
    for (size_t k = 0; k < a.count(); ++k) worst = std::max(worst, distance(place.at(a.id[k]), a.position[k]));
    EXPECT_EQ(worst, 0);
}

TEST(Grains, OfALayerAreThoseNearTheSurface) {
    const Particles snow = block(15, 15, 15);
    GrainSettings s = settings(8);
    s.layer = 1.5f * spacing;
    const GrainField field(snow, births_from(snow, snow), s);
    size_t expected = 0;
    for (const Float3& p : snow.position) {
        const float deep = std::min({p.x, p.y, p.z, 14 * spacing - p.x, 14 * spacing - p.y, 14 * spacing - p.z});
        expected += deep < 1.01f * spacing;  // the outermost particles, and those one spacing within
    }
    EXPECT_EQ(field.parents().size(), expected);
}

TEST(Grains, RefuseWhatTheyCantUse) {
    const Particles snow = block(2, 2, 2);
    const auto error_of = [&](const Particles& p, const GrainBirths& births, const GrainSettings& s) {
        try {
            GrainField(p, births, s);
        } catch (const firn::Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(error_of(snow, {}, settings()).find("births of 0"), std::string::npos);
    EXPECT_NE(error_of(snow, births_from(snow, snow), settings(1000)).find("1 to 256"), std::string::npos);
    GrainSettings unknown = settings();
    unknown.spacing = 0;
    EXPECT_NE(error_of(snow, births_from(snow, snow), unknown).find("spacing"), std::string::npos);
    Particles far = snow;
    far.position[3].y = INFINITY;
    EXPECT_NE(error_of(far, births_from(snow, snow), settings()).find("particle 3"), std::string::npos);
    Particles stranger = snow;
    stranger.id[2] = 77;
    EXPECT_THROW(births_from(snow, stranger), firn::Error);
    stranger.id[2] = -5;
    EXPECT_NE(error_of(stranger, births_from(stranger, stranger), settings()).find("-5"), std::string::npos);
}

TEST(GrainFile, KeepsWhatItSaysAndIsTheSameForAnyThreads) {
    const Particles snow = block(14, 9, 11, {-0.1f, -0.05f, 3.0f});
    firn::GrainFileSettings file;
    file.attributes = {{"compaction", std::vector<float>(snow.count(), 1.5f)}};
    for (const int bits : {8, 16, 32}) {
        file.bits = bits;
        std::string bytes[2];
        RenderGrains all;
        for (const int threads : {1, 3}) {
            GrainSettings s = settings(27);
            s.threads = threads;
            const GrainField field(snow, births_from(snow, snow), s);
            all = field.all();
            const std::string path = own_file("grains_" + std::to_string(threads) + ".vdb");
            const firn::GrainFileStatistics made = write_grains(path, field, snow, {5, 0.25, 24}, file);
            EXPECT_EQ(made.grains, all.count());
            EXPECT_NEAR(made.mass, double(snow.count()) * 400 * std::pow(double(spacing), 3), 1e-6);
            EXPECT_TRUE(grains_are_whole(path, s, file, {5, 0.25, 24}));
            EXPECT_FALSE(grains_are_whole(path, s, file, {6, 0.25, 24}));
            s.crumble = 0.1f;
            EXPECT_FALSE(grains_are_whole(path, s, file, {5, 0.25, 24}));
            std::FILE* in = std::fopen(path.c_str(), "rb");
            char buffer[65536];
            for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, in)) > 0;)
                bytes[threads == 1 ? 0 : 1].append(buffer, n);
            std::fclose(in);

            firn::ParticleFile back = firn::read_particles(path);
            ASSERT_EQ(back.particles.count(), all.count());
            EXPECT_EQ(back.metadata.at("frame"), "5");
            std::map<int64_t, size_t> place;
            for (size_t k = 0; k < all.count(); ++k) place[all.id[k]] = k;
            // Voxels are 0.015625 m here. 8 bits: half of 1/255; 16 bits: half of 1/65535, and the float's own error.
            const double allowed = bits == 8 ? 0.5 / 255 * 0.015625 : bits == 16 ? 0.5 / 65535 * 0.015625 : 0;
            double worst = 0;
            for (size_t k = 0; k < back.particles.count(); ++k) {
                const Float3 &p = back.particles.position[k], &q = all.position[place.at(back.particles.id[k])];
                worst = std::max(
                    {worst, std::abs(double(p.x) - q.x), std::abs(double(p.y) - q.y), std::abs(double(p.z) - q.z)});
            }
            EXPECT_LE(worst, allowed + 2.5e-7) << bits;
            for (const firn::ExtraAttribute& extra : back.extra)
                if (extra.name == "compaction") {
                    for (const float c : extra.floats) ASSERT_EQ(c, 1.5f);
                }
        }
        EXPECT_TRUE(bytes[0] == bytes[1]) << bits;
    }
}

TEST(GrainFile, BirthsComeBackFromParticleFiles) {
    firn::ParticleFile file;
    file.particles = block(3, 3, 3);
    GrainBirths births{file.particles.position, std::vector<float>(27, 0.5f)};
    births.rest[4].y = 9;
    add_births(file, births);
    const std::string path = own_file("births.bgeo");
    firn::write_particles(path, file);
    const GrainBirths back = births_of(firn::read_particles(path));
    ASSERT_EQ(back.rest.size(), 27u);
    EXPECT_EQ(back.rest[4].y, 9);
    EXPECT_EQ(back.time, births.time);
    file.extra.clear();
    EXPECT_TRUE(births_of(file).rest.empty());
}

}  // namespace
