// The ends of every range, with every implicit solver: a parameter is refused, or a warning names it, or the snow
// behaves.

#include <algorithm>
#include <iterator>
#include <tuple>

#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::FrameReport;
using firn::Parameters;

constexpr double frame = 1.0 / 24;  ///< s

/// What came of a small block that falls on a floor from five spacings.
struct Outcome {
    std::string error;
    std::vector<std::string> warnings;
    Particles snow;
    double gained = 0;  ///< energy that nothing gave it, of what it had, at worst
};

double mechanical_energy(const Particles& snow, const Parameters& p) {
    const double mass = particle_mass(p);
    double sum = kinetic_energy(snow, mass);
    for (const Float3& x : snow.position) sum -= mass * dot(wide(p.gravity), wide(x));
    return sum;
}

Outcome drop(const Parameters& p, firn::Body floor) {
    Outcome out;
    const double dx = p.spacing;
    try {
        Engine engine(p);
        engine.add_body(floor);
        out.snow = snow_at(lattice_box(5, 5, 5, dx, {-2.5 * dx, 5 * dx, -2.5 * dx}));
        engine.upload(out.snow);
        const double before = mechanical_energy(out.snow, p);
        // What it can fall: to the floor's middle plane; and what float positions leave over.
        double height = 0;
        for (const Float3& x : out.snow.position) height = std::max(height, std::abs(double(x.y)));
        const double scale = particle_mass(p) * 125 * length(wide(p.gravity)) * height;
        size_t left = 1500;
        for (int k = 0; k < 12 && left; ++k) {
            const FrameReport report = engine.advance(frame, [&](const firn::Progress& at) {
                if (at.iteration == 0 && left) --left;
                return left > 0;
            });
            out.warnings.insert(out.warnings.end(), report.warnings.begin(), report.warnings.end());
            engine.download(out.snow);
            out.gained = std::max(out.gained, (mechanical_energy(out.snow, p) - before) / scale);
        }
    } catch (const firn::Error& error) {
        out.error = error.what();
    }
    return out;
}

void expect_sense(const Outcome& out, const std::string& token, const Parameters& p) {
    if (!out.error.empty()) {
        EXPECT_NE(out.error.find(token), std::string::npos) << out.error;
        return;
    }
    for (const std::string& warning : out.warnings)
        if (warning.find(token) != std::string::npos) return;
    ASSERT_TRUE(finite(out.snow));
    double lowest = 0;
    for (const Float3& x : out.snow.position)
        if (std::abs(double(x.x)) < 15 * p.spacing && std::abs(double(x.z)) < 15 * p.spacing)
            lowest = std::min(lowest, x.y / double(p.spacing));
    EXPECT_GT(lowest, -0.5) << "spacings: through the floor";
    EXPECT_LT(out.gained, 0.1) << "of the energy of its fall: from nothing";
    for (const std::string& warning : out.warnings) ADD_FAILURE() << "names nothing: " << warning;
}

firn::Body floor_for(const Parameters& p) {
    return floor_body(20 * double(p.spacing), p.spacing);
}

class ParameterEnds : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

std::vector<std::string> solvers() {
    return {"joint", "split", "combined"};
}

std::vector<std::string> tokens() {
    std::vector<std::string> all;
    for (const firn::ParameterInfo& info : firn::parameter_table()) all.push_back(info.token);
    return all;
}

/// The ends, and what lies between: in equal parts, and in equal ratios where the range has no end to speak of.
std::vector<double> within(const firn::ParameterInfo& info) {
    std::vector<double> values = {info.low, info.high};
    const bool whole = info.type == firn::ParameterType::integer;
    for (int k = 1; k < 5 && info.type != firn::ParameterType::toggle; ++k) {
        const double linear = info.low + 0.2 * k * (info.high - info.low);
        values.push_back(whole ? std::round(linear) : linear);
        const double from = info.low > 0 ? info.low : info.high * 1e-5;
        if (!(info.high > 1000 * info.low) || !(info.high > 0)) continue;
        const double ratio = from * std::pow(info.high / from, 0.2 * k);
        values.push_back(whole ? std::round(ratio) : ratio);
    }
    return values;
}

TEST_P(ParameterEnds, AreRefusedOrNamedOrBehave) {
    const auto& [solver, token] = GetParam();
    const firn::ParameterInfo& info = *firn::find_parameter(token);
    std::vector<std::string> values;
    if (info.type == firn::ParameterType::choice) {
        for (const auto& each : info.choices) values.push_back(each.token);
    } else {
        for (const double value : within(info)) {
            char text[96];
            std::snprintf(text, sizeof text, info.type == firn::ParameterType::vector ? "0 %.9g 0" : "%.9g", value);
            values.push_back(text);
        }
    }
    for (const std::string& value : values) {
        SCOPED_TRACE(value);
        Parameters p;
        firn::set_parameter(p, "solver", solver);
        firn::set_parameter(p, info.token, value);
        expect_sense(drop(p, floor_for(p)), info.token, p);
    }
}

INSTANTIATE_TEST_SUITE_P(All, ParameterEnds,
                         ::testing::Combine(::testing::ValuesIn(solvers()), ::testing::ValuesIn(tokens())),
                         [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

class SurfaceEnds : public ::testing::TestWithParam<std::string> {};

TEST_P(SurfaceEnds, AreRefusedOrNamedOrBehave) {
    for (const firn::SurfaceQuantity& quantity : firn::surface_table()) {
        for (const float value : {0.0f, quantity.high}) {
            SCOPED_TRACE(quantity.token + std::string(" ") + std::to_string(value));
            Parameters p;
            firn::set_parameter(p, "solver", GetParam());
            firn::Body floor = floor_for(p);
            floor.*quantity.value = value;
            expect_sense(drop(p, floor), quantity.token, p);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, SurfaceEnds, ::testing::ValuesIn(solvers()), [](const auto& test) { return test.param; });

}  // namespace
