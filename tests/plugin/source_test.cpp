// firn::snow_source.

#include <GU/GU_PrimVolume.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "firn/flakes.h"
#include "firn/materials.h"
#include "firn/samples.h"
#include "snow_details.h"
#include "solver_loop.h"

namespace {

struct Source {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_source");

    explicit Source(const std::function<void(GU_Detail&)>& make) {
        node->setInput(0, houdini.geometry([make](GU_Detail& detail, double) { make(detail); }));
    }
    GU_DetailHandle cook(int frame = 1) {
        const GU_DetailHandle handle = Houdini::cook(node, frame);
        EXPECT_TRUE(handle.isValid()) << node->messageText(UT_ERROR_ABORT);
        return handle;
    }
    std::string error(int frame = 1) {
        EXPECT_TRUE(Houdini::cook(node, frame).isNull());
        return node->messageText(UT_ERROR_ABORT);
    }
};

void box(GU_Detail& detail) {
    add_mesh(detail, firn::box_mesh({0.2f, 0.1f, 0.3f}));
}

TEST(Source, FillsAMeshAsTheLibraryDoes) {
    Source source(box);
    const GU_DetailHandle snow = source.cook();
    const firn::Filling wanted = firn::fill_mesh(firn::box_mesh({0.2f, 0.1f, 0.3f}), {0.02f, false, 0, 0});
    const firn::Particles particles = snow_of(*snow.gdp());
    ASSERT_EQ(particles.count(), wanted.position.size());
    EXPECT_NEAR(double(particles.count()), 0.2 * 0.1 * 0.3 / 8e-6, 0.1 * 750);
    EXPECT_EQ(
        std::memcmp(particles.position.data(), wanted.position.data(), wanted.position.size() * sizeof(firn::Float3)),
        0);
    EXPECT_FLOAT_EQ(value(*snow.gdp(), "pscale", 0), 0.01f);
    EXPECT_EQ(value(*snow.gdp(), "age", 0), 0.0f);
}

TEST(Source, SnowHasTheMassOfItsShapeAtAnySpacing) {
    const firn::Mesh cube = firn::box_mesh({1, 1, 1}), ball = firn::sphere_mesh(0.5f, 4);
    for (const firn::Mesh& mesh : {cube, ball}) {
        Source source([&](GU_Detail& detail) { add_mesh(detail, mesh); });
        const double wanted = 400 * firn::examine(mesh).volume;
        for (const double spacing : {0.12, 0.08, 0.05}) {
            set(source.node, "spacing", spacing);
            const firn::Particles particles = snow_of(*source.cook().gdp());
            double mass = 0;
            for (const float density : particles.rest_density) mass += density * std::pow(spacing, 3);
            EXPECT_NEAR(mass, wanted, 0.002 * wanted) << spacing;
            const firn::Filling filling = firn::fill_mesh(mesh, {static_cast<float>(spacing), false, 0, 0});
            ASSERT_EQ(particles.count(), filling.position.size());
            EXPECT_EQ(particles.rest_density[0], 400 * filling.worth);
        }
    }
    // The point attribute is the density of the snow; points are particles and stay what they are.
    Source own([&](GU_Detail& detail) {
        add_mesh(detail, cube);
        const GA_RWHandleF density(detail.addFloatTuple(GA_ATTRIB_POINT, "rest_density", 1));
        for (GA_Iterator it(detail.getPointRange()); !it.atEnd(); ++it) density.set(*it, 250);
    });
    set(own.node, "spacing", 0.12);
    EXPECT_NEAR(snow_of(*own.cook().gdp()).rest_density[0] * 512 * std::pow(0.12, 3), 250, 0.1);
    set(own.node, "input_as", "points");
    EXPECT_EQ(snow_of(*own.cook().gdp()).rest_density[0], 250);
}

TEST(Source, PresetsSetTheSixNumbers) {
    Source source(box);
    set(source.node, "preset", "wet");
    const firn::Material wet = firn::find_preset("wet").material;
    firn::Particles particles = snow_of(*source.cook().gdp());
    EXPECT_EQ(particles.young_modulus[3], wet.young_modulus);
    EXPECT_EQ(particles.theta_s[3], wet.theta_s);
    EXPECT_EQ(particles.rest_density[3], wet.rest_density);
    set(source.node, "preset", "measured");
    set(source.node, "measured_density", 250);
    particles = snow_of(*source.cook().gdp());
    EXPECT_EQ(particles.young_modulus[0], firn::measured_material(250).young_modulus);
    set(source.node, "preset", "custom");
    set(source.node, "hardening", 7);
    particles = snow_of(*source.cook().gdp());
    EXPECT_EQ(particles.hardening[0], 7.0f);
    EXPECT_EQ(particles.young_modulus[0], 140e3f);
}

TEST(Source, PointAttributesGoBeforeThePreset) {
    Source source([](GU_Detail& detail) {
        box(detail);
        const GA_RWHandleF stiffness(detail.addFloatTuple(GA_ATTRIB_POINT, "E", 1));
        for (GA_Iterator it(detail.getPointRange()); !it.atEnd(); ++it)
            stiffness.set(*it, detail.getPos3(*it).x() < 0 ? 50e3f : 900e3f);
        const GA_RWHandleV3 v(detail.addFloatTuple(GA_ATTRIB_POINT, "v", 3));
        for (GA_Iterator it(detail.getPointRange()); !it.atEnd(); ++it) v.set(*it, UT_Vector3(1, 2, 3));
    });
    source.node->setFloat("velocity", 0, 0, 10);
    const firn::Particles particles = snow_of(*source.cook().gdp());
    for (size_t i = 0; i < particles.count(); ++i) {
        // Next to the middle both sides are equally near.
        if (std::abs(particles.position[i].x) < 0.001f) continue;
        ASSERT_EQ(particles.young_modulus[i], particles.position[i].x < 0 ? 50e3f : 900e3f) << particles.position[i].x;
        ASSERT_EQ(particles.velocity[i].x, 11.0f);
        ASSERT_EQ(particles.velocity[i].z, 3.0f);
    }
    EXPECT_EQ(particles.poisson_ratio[0], firn::find_preset("dry").material.poisson_ratio);
    set(source.node, "overrides", 0.0);
    EXPECT_EQ(snow_of(*source.cook().gdp()).young_modulus[0], 140e3f);
}

TEST(Source, NoiseMakesSnowUneven) {
    Source source(box);
    set(source.node, "noise_amplitude", 0.4);
    set(source.node, "noise_scale", 0.05);
    const firn::Material dry = firn::find_preset("dry").material;
    const firn::Particles particles = snow_of(*source.cook().gdp());
    float low = 1, high = 1;
    for (size_t i = 0; i < particles.count(); ++i) {
        // All three by one factor, of the place: strong lumps are strong in all ways.
        const float factor = particles.young_modulus[i] / dry.young_modulus;
        ASSERT_NEAR(particles.theta_c[i] / dry.theta_c, factor, 1e-5f);
        ASSERT_NEAR(particles.theta_s[i] / dry.theta_s, factor, 1e-5f);
        low = std::min(low, factor);
        high = std::max(high, factor);
    }
    EXPECT_GE(low, std::exp(-0.4f));
    EXPECT_LE(high, std::exp(0.4f));
    // A box of six lumps by two by four has some of both kinds.
    EXPECT_LT(low, 0.85f);
    EXPECT_GT(high, 1.15f);
    EXPECT_EQ(particles.rest_density[0], dry.rest_density);
    EXPECT_EQ(particles.hardening[0], dry.hardening);
    set(source.node, "noise_seed", 1);
    EXPECT_NE(snow_of(*source.cook().gdp()).young_modulus[0], particles.young_modulus[0]);
    set(source.node, "noise_amplitude", 0.0);
    EXPECT_EQ(snow_of(*source.cook().gdp()).young_modulus[0], dry.young_modulus);
}

TEST(Source, AnAttributeOutOfRangeIsAnError) {
    Source source([](GU_Detail& detail) {
        box(detail);
        const GA_RWHandleF nu(detail.addFloatTuple(GA_ATTRIB_POINT, "poisson_ratio", 1));
        for (GA_Iterator it(detail.getPointRange()); !it.atEnd(); ++it) nu.set(*it, 0.9f);
    });
    EXPECT_NE(source.error().find("poisson_ratio"), std::string::npos);
}

TEST(Source, PackedPrimitivesAreFilledWhereTheyAre) {
    const firn::Mesh mesh = firn::box_mesh({0.1f, 0.1f, 0.1f});
    firn::Transform aside;
    aside.translation[0] = 2;
    // A quarter turn about z, and twice as large.
    firn::Transform large;
    const double turn[9] = {0, -2, 0, 2, 0, 0, 0, 0, 2};
    std::copy(turn, turn + 9, large.rotation);
    large.translation[1] = 1;
    Source source([=](GU_Detail& detail) {
        add_packed(detail, mesh, aside);
        add_packed(detail, mesh, large);
    });
    const firn::Particles particles = snow_of(*source.cook().gdp());
    size_t small_box = 0, large_box = 0;
    for (const firn::Float3& p : particles.position) {
        small_box += std::abs(p.x - 2) < 0.051f && std::abs(p.y) < 0.051f && std::abs(p.z) < 0.051f;
        large_box += std::abs(p.x) < 0.101f && std::abs(p.y - 1) < 0.101f && std::abs(p.z) < 0.101f;
    }
    EXPECT_EQ(small_box, 125u);
    EXPECT_EQ(large_box, 1000u);
    EXPECT_EQ(particles.count(), 1125u);
}

TEST(Source, SnowOnAHeightField) {
    Source source([](GU_Detail& detail) {
        GEO_PrimVolume* field = GU_PrimVolume::build(&detail);
        field->setLattice({-1, 0.5f, -0.5f}, 0.1f, true);
        auto voxels = field->getVoxelWriteHandle();
        voxels->size(21, 11, 1);
        for (int j = 0; j < 11; ++j)
            for (int i = 0; i < 21; ++i) voxels->setValue(i, j, 0, 0.05f * static_cast<float>(i));
        GA_RWHandleS(detail.addStringTuple(GA_ATTRIB_PRIMITIVE, "name", 1)).set(field->getMapOffset(), "height");
    });
    set(source.node, "thickness", 0.1);
    set(source.node, "spacing", 0.05);
    const firn::Particles particles = snow_of(*source.cook().gdp());
    ASSERT_GT(particles.count(), 1000u);
    for (const firn::Float3& p : particles.position) {
        const float ground = 0.5f + 0.5f * (p.x + 1);
        ASSERT_GT(p.y, ground - 1e-4f);
        ASSERT_LT(p.y, ground + 0.1f + 1e-4f);
    }
}

TEST(Source, PointsAreTakenAsTheyAre) {
    const std::vector<firn::Float3> points = {{0, 0, 0}, {0.02f, 0, 0}, {0.5f, 1, 2}};
    Source source([&](GU_Detail& detail) { add_points(detail, points); });
    EXPECT_EQ(snow_of(*source.cook().gdp()).count(), 3u);
    set(source.node, "input_as", "points");
    const firn::Particles particles = snow_of(*source.cook().gdp());
    ASSERT_EQ(particles.count(), 3u);
    EXPECT_EQ(particles.position[2].z, 2.0f);
}

TEST(Source, ContinuousFlakesAppearAtTheRateAndNeverOnTopOfOthers) {
    Houdini houdini;
    SolverLoop loop(houdini);
    OP_Node* source = houdini.node("firn::snow_source");
    source->setInput(0, houdini.geometry([](GU_Detail& detail, double) {
        add_mesh(detail, firn::box_mesh({0.4f, 0.1f, 0.4f}));
    }));
    set(source, "emission", "continuous");
    // 400 kg/m^3 at 0.02 m: 3.2 g a flake; 240 flakes a second.
    set(source, "rate", 0.768);
    set(source, "start_frame", 2);
    set(source, "end_frame", 5);
    loop.step->setInput(1, source);
    std::vector<size_t> counts;
    for (int frame = 1; frame <= 7; ++frame) {
        const GU_DetailHandle snow = loop.frame(frame);
        ASSERT_TRUE(snow.isValid()) << loop.step->messageText(UT_ERROR_ABORT);
        counts.push_back(static_cast<size_t>(snow.gdp()->getNumPoints()));
        EXPECT_EQ(snow.gdp()->findAttribute(GA_ATTRIB_POINT, "flake"), nullptr);
    }
    EXPECT_EQ(counts, (std::vector<size_t>{0, 10, 20, 30, 40, 40, 40}));
    const firn::Particles last = snow_of(*loop.frame(7).gdp());
    EXPECT_EQ(last.id.back(), 39);
    // A jammed source: no two of all that appear in one frame are closer than 0.9 spacings.
    set(source, "rate", 1e6);
    loop.forget_from(1);
    const firn::Particles dense = snow_of(*loop.frame(2).gdp());
    ASSERT_GT(dense.count(), 500u);
    float nearest = 1;
    for (size_t a = 0; a < dense.count(); ++a)
        for (size_t b = 0; b < a; ++b) {
            const firn::Float3 &p = dense.position[a], &q = dense.position[b];
            nearest = std::min(nearest, std::hypot(p.x - q.x, p.y - q.y, p.z - q.z));
        }
    EXPECT_GE(nearest, 0.9f * 0.02f - 1e-6f);
}

TEST(Source, OnceAppearsOnceAndIdsGoOn) {
    Houdini houdini;
    SolverLoop loop(houdini);
    OP_Node *first = houdini.node("firn::snow_source"), *later = houdini.node("firn::snow_source");
    first->setInput(0, houdini.geometry([](GU_Detail& detail, double) { box(detail); }));
    later->setInput(0, houdini.geometry([](GU_Detail& detail, double) {
        firn::Transform up;
        up.translation[1] = 1;
        add_mesh(detail, firn::transformed(firn::box_mesh({0.1f, 0.1f, 0.1f}), up));
    }));
    set(later, "start_frame", 3);
    // A Merge SOP.
    GeometryNode* both = houdini.geometry([&](GU_Detail& detail, double time) {
        OP_Context context(time);
        for (OP_Node* node : {first, later})
            detail.merge(*dynamic_cast<SOP_Node&>(*node).getCookedGeoHandle(context).gdp());
    });
    loop.step->setInput(1, both);
    const GA_Size before = loop.frame(2).gdp()->getNumPoints();
    const GU_DetailHandle after = loop.frame(4);
    ASSERT_TRUE(after.isValid()) << loop.step->messageText(UT_ERROR_ABORT);
    EXPECT_EQ(after.gdp()->getNumPoints(), before + 125);
    const firn::Particles particles = snow_of(*after.gdp());
    const std::set<int64_t> ids(particles.id.begin(), particles.id.end());
    EXPECT_EQ(ids.size(), particles.count());
    EXPECT_EQ(*ids.rbegin(), static_cast<int64_t>(particles.count()) - 1);
    // Snow without a material takes the solver's, beside snow that has one: nothing is left at 0.
    EXPECT_GT(*std::min_element(particles.young_modulus.begin(), particles.young_modulus.end()), 1.0f);
}

TEST(Source, ErrorsSayWhatToDo) {
    Source nothing([](GU_Detail&) {});
    EXPECT_NE(nothing.error().find("too small"), std::string::npos) << nothing.node->messageText(UT_ERROR_ABORT);
    Source dense([](GU_Detail& detail) {
        GEO_PrimVolume* fog = GU_PrimVolume::build(&detail);
        fog->getVoxelWriteHandle()->size(4, 4, 4);
    });
    EXPECT_NE(dense.error().find("Convert VDB"), std::string::npos);
    Source broken([](GU_Detail& detail) {
        box(detail);
        detail.setPos3(0, {std::nanf(""), 0, 0});
    });
    EXPECT_NE(broken.error().find("repair the mesh"), std::string::npos) << broken.node->messageText(UT_ERROR_ABORT);
    Houdini houdini;
    OP_Node* alone = houdini.node("firn::snow_source");
    EXPECT_TRUE(Houdini::cook(alone, 1).isNull());
}

}  // namespace
