// The table of parameters, the presets, and the table of per-particle arrays.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "firn/engine.h"
#include "firn/materials.h"
#include "firn/parameters.h"
#include "firn/particles.h"

namespace {

using firn::ParameterInfo;
using firn::Parameters;
using firn::ParameterType;

template <class Call>
std::string error_of(const Call& call) {
    try {
        call();
    } catch (const firn::Error& e) {
        return e.what();
    }
    return "";
}

void expect_says(const std::string& text, const std::vector<std::string>& words) {
    EXPECT_NE(text, "") << "nothing was refused";
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' in: " << text;
}

size_t size_of(ParameterType type) {
    switch (type) {
        case ParameterType::real:
            return sizeof(float);
        case ParameterType::integer:
        case ParameterType::choice:
            return sizeof(int);
        case ParameterType::toggle:
            return sizeof(bool);
        case ParameterType::vector:
            return sizeof(firn::Float3);
    }
    return 0;
}

double value_of(Parameters& p, const ParameterInfo& info) {
    void* field = info.field(p);
    switch (info.type) {
        case ParameterType::real:
            return *static_cast<float*>(field);
        case ParameterType::toggle:
            return *static_cast<bool*>(field);
        case ParameterType::vector:
            return static_cast<firn::Float3*>(field)->y;
        default:
            return *static_cast<int*>(field);
    }
}

TEST(Parameters, EveryByteIsInTheTableOnce) {
    Parameters p;
    const char* base = reinterpret_cast<const char*>(&p);
    std::vector<int> covered(sizeof(Parameters), 0);
    for (const ParameterInfo& info : firn::parameter_table()) {
        const size_t offset = static_cast<size_t>(static_cast<const char*>(info.field(p)) - base);
        ASSERT_LE(offset + size_of(info.type), sizeof(Parameters)) << info.token;
        for (size_t k = 0; k < size_of(info.type); ++k) ++covered[offset + k];
    }
    for (size_t k = 0; k < covered.size(); ++k) {
        EXPECT_LE(covered[k], 1) << "byte " << k << " belongs to two parameters";
        // What no parameter covers is padding: between a toggle and the next multiple of four.
        if (covered[k] == 0) {
            EXPECT_NE(k % 4, 0u) << "byte " << k << " belongs to no parameter";
            const size_t next = (k / 4 + 1) * 4;
            for (size_t rest = k; rest < next; ++rest)
                EXPECT_EQ(covered[rest], 0) << "a toggle is missing at byte " << k;
        }
    }
}

TEST(Parameters, EveryMemberOfTheHeaderIsInTheTableUnderItsName) {
    // The header itself: a toggle at the end of a row of toggles could hide in the padding.
    const std::string here = __FILE__;
    std::ifstream header(here.substr(0, here.rfind("tests/")) + "solver/include/firn/parameters.h");
    if (!header) GTEST_SKIP() << "the source is not where it was compiled";
    const std::map<std::string, ParameterType> types = {{"float", ParameterType::real},
                                                        {"int", ParameterType::integer},
                                                        {"bool", ParameterType::toggle},
                                                        {"Float3", ParameterType::vector}};
    std::vector<std::string> members;
    std::string line;
    bool inside = false;
    while (std::getline(header, line)) {
        if (line.rfind("struct Parameters {", 0) == 0) inside = true;
        if (inside && line.rfind("};", 0) == 0) break;
        std::istringstream words(line);
        std::string type_name, name;
        if (!inside || !(words >> type_name >> name) || name.back() != ';') continue;
        name.pop_back();
        members.push_back(name);
        const ParameterInfo* info = firn::find_parameter(name);
        ASSERT_NE(info, nullptr) << name << " is not in the table";
        const auto type = types.find(type_name);
        EXPECT_EQ(info->type, type == types.end() ? ParameterType::choice : type->second) << name;
    }
    std::vector<std::string> tokens;
    for (const ParameterInfo& info : firn::parameter_table()) tokens.push_back(info.token);
    std::sort(members.begin(), members.end());
    std::sort(tokens.begin(), tokens.end());
    EXPECT_EQ(members, tokens);
}

TEST(Parameters, RowsAreComplete) {
    std::set<std::string> tokens, labels;
    for (const ParameterInfo& info : firn::parameter_table()) {
        EXPECT_TRUE(tokens.insert(info.token).second) << info.token << " is there twice";
        EXPECT_TRUE(labels.insert(info.label).second) << info.label << " is there twice";
        EXPECT_EQ(std::strspn(info.token, "abcdefghijklmnopqrstuvwxyz_"), std::strlen(info.token)) << info.token;
        EXPECT_GT(std::strlen(info.label), 2u) << info.token;
        EXPECT_GT(std::strlen(info.help), 15u) << info.token;
        EXPECT_GT(std::strlen(info.source), 3u) << info.token;
        EXPECT_GT(std::strlen(info.folder), 2u) << info.token;
        EXPECT_NE(info.symbol, nullptr);
        EXPECT_NE(info.unit, nullptr);
        EXPECT_EQ(std::strchr(info.help, '\n'), nullptr) << info.token;
        EXPECT_LT(info.low, info.high) << info.token;
        EXPECT_LE(info.slider_low, info.slider_high) << info.token;
        EXPECT_GE(info.slider_low, info.low) << info.token;
        EXPECT_LE(info.slider_high, info.high) << info.token;
        const int components = info.type == ParameterType::vector ? 3 : 1;
        for (int k = 0; k < components; ++k) {
            EXPECT_GE(info.initial[k], info.low) << info.token;
            EXPECT_LE(info.initial[k], info.high) << info.token;
        }
        EXPECT_EQ(info.choices.empty(), info.type != ParameterType::choice) << info.token;
        if (info.type == ParameterType::choice) {
            EXPECT_EQ(info.high, static_cast<double>(info.choices.size()) - 1) << info.token;
        }
        for (const firn::ParameterChoice& c : info.choices) {
            EXPECT_GT(std::strlen(c.token), 2u);
            EXPECT_GT(std::strlen(c.help), 3u) << info.token << " " << c.token;
        }
    }
}

TEST(Parameters, StartWithTheTablesDefaults) {
    Parameters p;
    EXPECT_NO_THROW(firn::validate(p));
    for (const ParameterInfo& info : firn::parameter_table()) {
        const double expected = info.type == ParameterType::vector ? info.initial[1] : info.initial[0];
        EXPECT_FLOAT_EQ(static_cast<float>(value_of(p, info)), static_cast<float>(expected)) << info.token;
    }
    EXPECT_EQ(p.gravity.x, 0);
    EXPECT_FLOAT_EQ(p.gravity.y, -9.81f);
}

TEST(Parameters, TextGoesThereAndBack) {
    for (const ParameterInfo& info : firn::parameter_table()) {
        std::vector<std::string> texts;
        Parameters start;
        texts.push_back(firn::parameter_text(start, info));
        if (info.type == ParameterType::choice) {
            for (const firn::ParameterChoice& c : info.choices) texts.push_back(c.token);
        } else if (info.type == ParameterType::toggle) {
            texts.insert(texts.end(), {"on", "off"});
        } else if (info.type == ParameterType::vector) {
            texts.insert(texts.end(), {"1 -2 3.5", "0.1 0.2 0.3"});
        } else if (info.type == ParameterType::integer) {
            texts.push_back(std::to_string(static_cast<int>(info.high)));
            texts.push_back(std::to_string(static_cast<int>(info.low)));
        }
        for (const std::string& text : texts) {
            Parameters p;
            firn::set_parameter(p, info.token, text);
            const std::string back = firn::parameter_text(p, info);
            Parameters again;
            firn::set_parameter(again, info.token, back);
            EXPECT_EQ(std::memcmp(info.field(p), info.field(again), size_of(info.type)), 0)
                << info.token << " " << text;
            EXPECT_EQ(firn::parameter_text(again, info), back);
            if (info.type == ParameterType::choice || info.type == ParameterType::toggle) {
                EXPECT_EQ(back, text);
            }
        }
        if (info.type != ParameterType::real) continue;
        // Any float within the limits survives bit-exactly.
        for (const double share : {0.0, 1e-4, 0.1234567, 0.5, 0.99999, 1.0}) {
            Parameters p;
            float* field = static_cast<float*>(info.field(p));
            *field = static_cast<float>(info.low + share * (info.high - info.low));
            const float before = *field;
            firn::set_parameter(p, info.token, firn::parameter_text(p, info));
            EXPECT_EQ(*field, before) << info.token;
        }
    }
}

TEST(Parameters, SetOneAndNoOther) {
    for (const ParameterInfo& info : firn::parameter_table()) {
        Parameters p;
        const bool number = info.type == ParameterType::real || info.type == ParameterType::integer;
        if (number && (info.high < 1 || info.high > 1e6)) continue;  // not a number that the text below can say
        const std::string text = number                               ? std::to_string(static_cast<int>(info.high))
                                 : info.type == ParameterType::choice ? info.choices.back().token
                                 : info.type == ParameterType::vector ? "1 2 3"
                                                                      : "off";
        firn::set_parameter(p, info.token, text);
        Parameters untouched;
        for (const ParameterInfo& other : firn::parameter_table()) {
            if (&other == &info) continue;
            EXPECT_EQ(firn::parameter_text(p, other), firn::parameter_text(untouched, other))
                << info.token << " changed " << other.token;
        }
    }
}

TEST(Parameters, TheEnumsAreTheChoices) {
    Parameters p;
    firn::set_parameter(p, "mode", "published");
    EXPECT_EQ(p.mode, firn::Mode::published);
    firn::set_parameter(p, "solver", "combined");
    EXPECT_EQ(p.solver, firn::Solver::combined);
    firn::set_parameter(p, "solver", "explicit");
    EXPECT_EQ(p.solver, firn::Solver::explicit_step);
    firn::set_parameter(p, "pressure_model", "incompressible");
    EXPECT_EQ(p.pressure_model, firn::PressureModel::incompressible);
    firn::set_parameter(p, "friction_model", "viscous");
    EXPECT_EQ(p.friction_model, firn::FrictionModel::viscous);
}

TEST(Parameters, ThePapersSymbolsAreKnown) {
    Parameters p;
    const std::map<std::string, float*> aliases = {{"E", &p.young_modulus},
                                                   {"nu", &p.poisson_ratio},
                                                   {"xi", &p.hardening},
                                                   {"rho0", &p.rest_density},
                                                   {"dx", &p.spacing}};
    for (const auto& [alias, field] : aliases) {
        firn::set_parameter(p, alias, alias == "nu" ? "0.3" : "7");
        EXPECT_FLOAT_EQ(*field, alias == "nu" ? 0.3f : 7.0f) << alias;
    }
    firn::set_parameter(p, "E", "140e3");
    EXPECT_EQ(p.young_modulus, 140e3f);
}

TEST(Parameters, MistakesAreNamed) {
    Parameters p;
    const auto setting = [&](const std::string& token, const std::string& value) {
        return error_of([&] { firn::set_parameter(p, token, value); });
    };
    expect_says(setting("yuong_modulus", "1"), {"yuong_modulus"});
    expect_says(setting("young_modulos", "1"), {"young_modulos", "young_modulus"});
    expect_says(setting("surface_flor", "1"), {"surface_floor"});
    expect_says(setting("", "1"), {"no parameter"});
    expect_says(setting("solver", "fast"), {"solver", "fast", "split", "combined", "explicit"});
    expect_says(setting("mode", "Published"), {"standard", "published"});
    expect_says(setting("poisson_ratio", "0.6"), {"poisson_ratio", "0.6", "0", "0.49"});
    expect_says(setting("young_modulus", "-5"), {"young_modulus", "-5", "Pa"});
    expect_says(setting("young_modulus", "stiff"), {"young_modulus", "stiff", "number"});
    expect_says(setting("young_modulus", "5 kPa"), {"young_modulus", "5 kPa"});
    expect_says(setting("young_modulus", ""), {"young_modulus"});
    expect_says(setting("young_modulus", "nan"), {"young_modulus", "range"});
    expect_says(setting("young_modulus", "inf"), {"young_modulus", "range"});
    expect_says(setting("substeps", "2.5"), {"substeps", "whole"});
    expect_says(setting("substeps", "-1"), {"substeps", "range"});
    expect_says(setting("contact", "maybe"), {"contact", "maybe", "on", "off"});
    expect_says(setting("gravity", "1 2"), {"gravity", "three"});
    expect_says(setting("gravity", "1 2 3 4"), {"gravity", "three"});
    expect_says(setting("gravity", "1 2 z"), {"gravity", "z"});
    expect_says(setting("gravity", "1 2 1e9"), {"gravity", "range"});
    // Nothing was changed by any of them.
    for (const ParameterInfo& info : firn::parameter_table()) {
        EXPECT_EQ(firn::parameter_text(p, info), firn::parameter_text(Parameters(), info)) << info.token;
    }
}

TEST(Parameters, ValidationNamesTheFirstOneOutside) {
    for (const ParameterInfo& info : firn::parameter_table()) {
        if (info.type != ParameterType::real) continue;
        for (const double bad : {info.low - 1, info.high * 2 + 1, std::nan("")}) {
            Parameters p;
            *static_cast<float*>(info.field(p)) = static_cast<float>(bad);
            expect_says(error_of([&] { firn::validate(p); }), {info.token});
        }
        for (const double good : {info.low, info.high}) {
            if (std::string(info.token) == "dt_min" || std::string(info.token) == "dt_max") continue;
            Parameters p;
            *static_cast<float*>(info.field(p)) = static_cast<float>(good);
            EXPECT_EQ(error_of([&] { firn::validate(p); }), "") << info.token << " = " << good;
        }
    }
    Parameters p;
    p.dt_min = 0.1f;
    p.dt_max = 0.01f;
    expect_says(error_of([&] { firn::validate(p); }), {"dt_min", "dt_max"});
    p = {};
    p.mode = static_cast<firn::Mode>(7);
    expect_says(error_of([&] { firn::validate(p); }), {"mode"});
}

TEST(Parameters, PublishedTurnsEveryRemedyOff) {
    Parameters p;
    p.mode = firn::Mode::published;
    Parameters acting = firn::effective(p);
    // Every row in the folder of remedies says in its table that 0 or off is as published.
    size_t remedies = 0;
    for (const ParameterInfo& info : firn::parameter_table()) {
        if (std::string(info.folder) != "Remedies" || info.type == ParameterType::choice) continue;
        ++remedies;
        EXPECT_EQ(value_of(acting, info), 0) << info.token;
    }
    EXPECT_GE(remedies, 6u);
    EXPECT_EQ(acting.friction_model, firn::FrictionModel::viscous);
    EXPECT_FALSE(acting.pressure_warm_start);
    EXPECT_FALSE(acting.shear_warm_start);
    // What the paper leaves open stays as it is set.
    EXPECT_EQ(acting.young_modulus, p.young_modulus);
    EXPECT_EQ(acting.solver, firn::Solver::split);
    EXPECT_EQ(acting.boundary_pressure, p.boundary_pressure);

    const Parameters standard = firn::effective(Parameters());
    for (const ParameterInfo& info : firn::parameter_table()) {
        EXPECT_EQ(firn::parameter_text(standard, info), firn::parameter_text(Parameters(), info)) << info.token;
    }
}

// ---- presets

TEST(Materials, PresetsAreValidAndDifferent) {
    const std::vector<std::string> wanted = {"powder", "dry", "wet", "packed", "slush", "crust", "ice", "weak"};
    std::set<std::string> sentences;
    for (const std::string& token : wanted) {
        const firn::MaterialPreset& preset = firn::find_preset(token);
        EXPECT_EQ(token, preset.token);
        EXPECT_TRUE(sentences.insert(preset.sentence).second);
        EXPECT_GT(std::strlen(preset.sentence), 20u);
        Parameters p;
        firn::apply(preset.material, p);
        EXPECT_NO_THROW(firn::validate(p)) << token;
        EXPECT_EQ(p.young_modulus, preset.material.young_modulus);
        EXPECT_EQ(p.poisson_ratio, preset.material.poisson_ratio);
        EXPECT_EQ(p.hardening, preset.material.hardening);
        EXPECT_EQ(p.theta_c, preset.material.theta_c);
        EXPECT_EQ(p.theta_s, preset.material.theta_s);
        EXPECT_EQ(p.rest_density, preset.material.rest_density);
        // Snow is stronger in compression than in tension.
        EXPECT_GT(p.theta_c, p.theta_s) << token;
    }
    EXPECT_EQ(firn::material_presets().size(), wanted.size());
    expect_says(error_of([] { firn::find_preset("sleet"); }), {"sleet", "powder", "slush", "ice"});
}

TEST(Materials, MeasuredSnowFollowsTheField) {
    // Bergfeld 2023: 8, 48 and 169 MPa at 200, 300 and 400 kg/m^3 (shared/physics-notes.md), to the digits printed.
    EXPECT_NEAR(firn::measured_material(200).young_modulus, 8e6, 0.5e6);
    EXPECT_NEAR(firn::measured_material(300).young_modulus, 48e6, 0.5e6);
    EXPECT_NEAR(firn::measured_material(400).young_modulus, 169e6, 0.5e6);
    float last = 0;
    for (float rho = 50; rho <= 917; rho += 51) {
        const firn::Material m = firn::measured_material(rho);
        EXPECT_NEAR(m.young_modulus, 6.5e9 * std::pow(rho / 917.0, 4.4), 1e-5 * m.young_modulus);
        EXPECT_EQ(m.rest_density, rho);
        EXPECT_GT(m.young_modulus, last) << "denser is stiffer";
        last = m.young_modulus;
        EXPECT_GT(m.theta_c, m.theta_s);
        Parameters p;
        firn::apply(m, p);
        EXPECT_NO_THROW(firn::validate(p)) << rho;
    }
    for (const float bad : {49.0f, 918.0f, -1.0f, std::numeric_limits<float>::quiet_NaN()}) {
        expect_says(error_of([&] { firn::measured_material(bad); }), {"50", "917"});
    }
}

// ---- per-particle arrays

TEST(ParticleArrays, CoverAllOfParticles) {
    // Every member but the last is a vector of the same size in memory; each row resizes one of them, in the order of
    // the struct.
    const size_t members = (sizeof(firn::Particles) - sizeof(firn::Particles::other)) / sizeof(std::vector<float>);
    EXPECT_EQ(firn::particle_arrays().size(), members);
    std::set<std::string> names;
    size_t place = 0;
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        EXPECT_TRUE(names.insert(array.name).second) << array.name;
        firn::Particles p;
        EXPECT_EQ(array.data(p), nullptr);
        array.resize(p, 3);
        EXPECT_EQ(array.size(p), 3u);
        for (size_t k = 0; k < members; ++k) {
            const auto* one = reinterpret_cast<const std::vector<float>*>(&p) + k;
            EXPECT_EQ(!one->empty(), k == place) << array.name << " and member " << k;
        }
        if (array.components) {
            // The array's own element size: three particles hold 3 * components floats.
            const auto* one = reinterpret_cast<const std::vector<float>*>(&p) + place;
            EXPECT_EQ(one->size(), 3u * static_cast<size_t>(array.components)) << array.name;
            EXPECT_EQ(array.data(p), one->data());
        }
        EXPECT_GT(std::strlen(array.help), 5u);
        ++place;
    }
    EXPECT_EQ(names.count("P"), 1u);
    EXPECT_EQ(names.count("id"), 1u);
}

TEST(ParticleArrays, MaterialsCarryTheParametersName) {
    size_t materials = 0;
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        const std::string name = array.name;
        if (array.role != firn::ArrayRole::input || name == "acceleration" || name == "air_velocity") continue;
        const ParameterInfo* info = firn::find_parameter(array.name);
        ASSERT_NE(info, nullptr) << array.name;
        EXPECT_STREQ(info->unit, array.unit) << array.name;
        EXPECT_EQ(array.components, 1);
        ++materials;
    }
    EXPECT_EQ(materials, 8u);
}

}  // namespace
