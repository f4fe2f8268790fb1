#pragma once

// How the physics tests run a scene and what they read off it.

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <unordered_map>

#include "scenes/scenes.h"

namespace scenes {

/// The default settings. One thread: results do not depend on it, and ctest -j runs tests side by side.
inline firn::Parameters settings(double spacing, firn::Mode mode = firn::Mode::standard) {
    firn::Parameters p;
    p.spacing = static_cast<float>(spacing);
    p.threads = 1;
    p.mode = mode;
    // physics-notes.md, "What published means here".
    if (mode == firn::Mode::published) p.pressure_tolerance = p.shear_tolerance = 1e-3f;
    return p;
}

/// What a run of several frames cost.
struct RunCost {
    double substeps = 0, pressure_iterations = 0, shear_iterations = 0;
    struct {
        double neighbours = 0, properties = 0, pressure = 0, shear = 0, integrate = 0;
    } seconds;
    void add(const firn::FrameReport& report) {
        for (const firn::SubstepReport& s : report.substeps) {
            substeps += 1;
            pressure_iterations += s.solve("pressure").iterations;
            shear_iterations += s.solve("shear").iterations;
        }
        seconds.neighbours += report.seconds("neighbours");
        seconds.properties += report.seconds("properties");
        seconds.pressure += report.seconds("pressure");
        seconds.shear += report.seconds("shear");
        seconds.integrate += report.seconds("integrate");
    }
};

/// Advances by `seconds` in equal frames near 1/24 s, and gives the particles.
inline Particles run(firn::Engine& engine, double seconds, RunCost* cost = nullptr) {
    const int frames = std::max(1, static_cast<int>(std::lround(seconds * 24)));
    for (int frame = 0; frame < frames; ++frame) {
        const firn::FrameReport report = engine.advance(seconds / frames);
        if (cost) cost->add(report);
    }
    Particles p;
    engine.download(p);
    return p;
}

/// Advances by `seconds` in frames of ten fixed substeps of dt.
inline Particles run_fixed(firn::Engine& engine, double seconds, double dt, RunCost* cost = nullptr) {
    firn::Parameters p = engine.parameters();
    p.substeps = 10;
    engine.set_parameters(p);
    const int frames = static_cast<int>(std::lround(seconds / (10 * dt)));
    for (int frame = 0; frame < frames; ++frame) {
        const firn::FrameReport report = engine.advance(10 * dt);
        if (cost) cost->add(report);
    }
    Particles state;
    engine.download(state);
    return state;
}

/// A box open at the top, nx by ny by nz spacings inside, around the y axis with its floor's surface at y = 0.
inline Body open_box(int nx, int ny, int nz, double dx) {
    Body body;
    body.name = "box";
    for (int k = -1; k <= nz; ++k)
        for (int j = -1; j < ny; ++j)
            for (int i = -1; i <= nx; ++i) {
                const bool inside = i >= 0 && i < nx && k >= 0 && k < nz && j >= 0;
                if (!inside)
                    body.position.push_back(narrow(dx * Double3{i + 0.5 - 0.5 * nx, j + 0.5, k + 0.5 - 0.5 * nz}));
            }
    return body;
}

/// Which points are near each other. Shares nothing with the engine's search.
class NearPoints {
public:
    /// Keeps a reference to the positions.
    NearPoints(const std::vector<Float3>& position, double reach) : position_(position), reach_(reach) {
        for (size_t i = 0; i < position.size(); ++i) {
            const std::array<int64_t, 3> c = cell(position[i]);
            cells_[key(c[0], c[1], c[2])].push_back(i);
        }
    }
    /// Calls with every other point that is nearer than the reach.
    template <class Call>
    void each(size_t i, const Call& call) const {
        const std::array<int64_t, 3> c = cell(position_[i]);
        for (int64_t x = -1; x <= 1; ++x)
            for (int64_t y = -1; y <= 1; ++y)
                for (int64_t z = -1; z <= 1; ++z) {
                    const auto found = cells_.find(key(c[0] + x, c[1] + y, c[2] + z));
                    if (found == cells_.end()) continue;
                    for (size_t j : found->second)
                        if (j != i && length(wide(position_[j]) - wide(position_[i])) < reach_) call(j);
                }
    }

private:
    std::array<int64_t, 3> cell(const Float3& p) const {
        const auto at = [&](float a) { return static_cast<int64_t>(std::floor(double(a) / reach_)); };
        return {at(p.x), at(p.y), at(p.z)};
    }
    /// 21 bits for each coordinate: no two cells of a scene share a key.
    static int64_t key(int64_t x, int64_t y, int64_t z) {
        return ((x & 0x1fffff) << 42) | ((y & 0x1fffff) << 21) | (z & 0x1fffff);
    }

    const std::vector<Float3>& position_;
    double reach_;
    std::unordered_map<int64_t, std::vector<size_t>> cells_;
};

/// For each particle, how many others are nearer than `reach` (m).
inline std::vector<int> count_near(const std::vector<Float3>& position, double reach) {
    const NearPoints points(position, reach);
    std::vector<int> near(position.size(), 0);
    for (size_t i = 0; i < position.size(); ++i) points.each(i, [&](size_t) { ++near[i]; });
    return near;
}

/// Particles with no other within the support of two spacings: dust.
inline int lost_singles(const Particles& p, double spacing) {
    const std::vector<int> near = count_near(p.position, 2 * spacing);
    return static_cast<int>(std::count(near.begin(), near.end(), 0));
}

/// 99th percentile of |x|, m.
inline double spread(const Particles& p) {
    std::vector<double> x = component(p.position, 0);
    for (double& a : x) a = std::abs(a);
    return percentile(x, 0.99);
}

/// 99th percentile of y, m.
inline double height(const Particles& p) {
    return percentile(component(p.position, 1), 0.99);
}

/// The particles from `first` up to `last`: one of several bodies of snow that went in together.
inline Particles part(const Particles& p, size_t first, size_t last) {
    Particles some;
    const auto from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(last);
    some.position.assign(p.position.begin() + from, p.position.begin() + to);
    some.velocity.assign(p.velocity.begin() + from, p.velocity.begin() + to);
    return some;
}

/// Leaves a measured number in the log and in the test's report.
inline void note(const std::string& what, double value) {
    std::printf("    %-52s %.6g\n", what.c_str(), value);
    std::fflush(stdout);
    std::string key = what;
    for (char& c : key)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    testing::Test::RecordProperty(key, text);
}

inline const char* name(firn::Mode mode) {
    return mode == firn::Mode::published ? "published" : "default";
}

}  // namespace scenes
