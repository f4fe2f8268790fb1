// firn::snow_source: geometry -> snow particles with a material.

#include <GA/GA_Handle.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "cook_interrupt.h"
#include "firn/error.h"
#include "firn/flakes.h"
#include "firn/material_noise.h"
#include "firn/materials.h"
#include "firn/rigid_transform.h"
#include "geometry_pieces.h"
#include "nearest_point.h"
#include "particle_transfer.h"
#include "snow_sop.h"

namespace firn {

namespace {

std::vector<WantedValues> source_values() {
    std::vector<WantedValues> wanted = {{"v", 3}};
    for (const MaterialQuantity& q : material_table()) {
        wanted.push_back({q.token, 1});
        if (std::strcmp(q.token, q.symbol) != 0) wanted.push_back({q.symbol, 1});
    }
    return wanted;
}

/// Particles, and the point attributes that apply to them.
struct Placed {
    std::vector<Float3> position;     ///< m, world
    std::vector<PointValues> values;  ///< one for each position
    std::vector<float> worth = {};    ///< Filling::worth of each; empty = 1
};

void append(Placed& to, Placed more) {
    const size_t before = to.position.size(), added = more.position.size();
    to.worth.resize(before, 1);
    to.worth.insert(to.worth.end(), more.worth.begin(), more.worth.end());
    to.worth.resize(before + added, 1);
    to.position.insert(to.position.end(), more.position.begin(), more.position.end());
    // Values that only one of them has are NaN in the other.
    const auto resize = [&](PointValues& values, size_t count) {
        values.values.resize(count * static_cast<size_t>(values.components), std::nanf(""));
    };
    for (PointValues& theirs : more.values) {
        auto mine = std::find_if(to.values.begin(), to.values.end(),
                                 [&](const PointValues& v) { return v.name == theirs.name; });
        if (mine == to.values.end()) {
            to.values.push_back({theirs.name, theirs.components, {}});
            mine = to.values.end() - 1;
            resize(*mine, before);
        }
        mine->values.insert(mine->values.end(), theirs.values.begin(), theirs.values.end());
    }
    for (PointValues& values : to.values) resize(values, before + added);
}

const std::vector<float>* find(const Placed& placed, const char* name) {
    for (const PointValues& values : placed.values)
        if (values.name == name) return &values.values;
    return nullptr;
}

class SnowSource : public SnowSopCache {
public:
    SnowSource() : SnowSopCache(snow_source_table()) {}

private:
    void cook_snow() override {
        CookInterrupt interrupt("Filling with snow");
        const Parameters settings = engine_settings(table(), *this);
        const Material material = chosen_material(settings);
        gdp->clearAndDestroy();
        Placed placed = text("input_as") == "points" ? points() : shapes(settings);
        interrupt.require_uninterrupted();
        if (placed.position.empty())
            throw Error("the input is too small for one particle at a spacing of " + std::to_string(settings.spacing) +
                        " m, or has no inside; make it larger, or the spacing smaller");
        const bool continuous = text("emission") == "continuous";
        const double start = real("start_frame"), frame = real("frame");
        std::vector<int64_t> birth, flake;
        const size_t filled = placed.position.size();
        if (continuous) {
            const bool open = frame >= start && frame <= real("end_frame");
            placed = open ? flakes(placed, settings, material, frame - start) : Placed();
            birth.assign(placed.position.size(), std::llround(frame));
            // Flakes are numbered from 1: 0 means that a point is not a flake.
            for (size_t i = 0; i < placed.position.size(); ++i)
                flake.push_back(1 + static_cast<int64_t>(i) / flake_tries);
        } else {
            birth.assign(placed.position.size(), std::llround(start));
        }
        const double mass = write(placed, settings, material, birth, flake);
        set_info(continuous ? std::to_string(placed.position.size() / flake_tries) +
                                  " flakes this frame, in a shape of " + std::to_string(filled) + " particles\n"
                            : std::to_string(filled) + " snow particles, " + std::to_string(mass) + " kg\n");
    }

    Material chosen_material(const Parameters& p) const {
        const std::string preset = text("preset");
        if (preset == "custom") return material_of(p);
        if (preset == "measured") return measured_material(static_cast<float>(real("measured_density")));
        return find_preset(preset).material;
    }

    /// The same default as a scene file's noise.
    MaterialNoise noise() const {
        return {static_cast<float>(real("noise_amplitude")),
                static_cast<float>(real("noise_scale")),
                static_cast<uint32_t>(integer("noise_seed")),
                {"young_modulus", "theta_c", "theta_s"}};
    }

    Placed points() const {
        const GU_Detail& input = *inputGeo(0);
        const std::vector<PointBlock> blocks = point_blocks(input);
        Placed placed;
        placed.position.resize(point_count(blocks));
        if (placed.position.empty()) return placed;
        read_floats(input, blocks, "P", 3, &placed.position[0].x);
        for (const WantedValues& want : source_values()) {
            PointValues values{want.name, want.components, {}};
            values.values.resize(placed.position.size() * static_cast<size_t>(want.components));
            if (read_floats(input, blocks, want.name, want.components, values.values.data()))
                placed.values.push_back(std::move(values));
        }
        return placed;
    }

    Placed shapes(const Parameters& parameters) {
        const GeometryPieces pieces = geometry_pieces(*inputGeo(0), "", source_values());
        if (pieces.surfaces.empty() && pieces.heightfields.empty()) {
            if (inputGeo(0)->getNumPrimitives() > 0)
                throw Error(
                    "the input's primitives have no surface to fill: give it polygons, or set Input Is to Points");
            return points();
        }
        FillSettings settings;
        settings.spacing = parameters.spacing;
        settings.relaxed = text("filling") == "relaxed";
        settings.jitter = settings.relaxed ? 0.0f : static_cast<float>(real("jitter"));
        settings.seed = static_cast<uint32_t>(integer("seed"));
        Placed all;
        fillings_.resize(pieces.surfaces.size());
        for (size_t k = 0; k < pieces.surfaces.size(); ++k) {
            const SurfacePiece& piece = pieces.surfaces[k];
            const Filling& filling = fill(fillings_[k], piece, settings);
            for (const std::string& warning : filling.warnings) warn("'" + piece.name + "': " + warning);
            Placed placed;
            placed.position = filling.position;
            placed.worth.assign(placed.position.size(), filling.worth);
            if (!piece.values.empty() && !placed.position.empty())
                placed.values = nearest_values(piece, placed.position);
            if (piece.packed)
                for (Float3& p : placed.position) p = apply_transform(piece.placement, p);
            append(all, std::move(placed));
        }
        for (const Heightfield& field : pieces.heightfields) {
            Filling filling = fill_layer(field, static_cast<float>(real("thickness")), settings);
            for (const std::string& warning : filling.warnings) warn("height field: " + warning);
            const std::vector<float> worth(filling.position.size(), filling.worth);
            append(all, {std::move(filling.position), {}, worth});
        }
        return all;
    }

    /// Keeps the filling of a mesh for as long as mesh and settings stay the same: filling can take seconds.
    struct Filled {
        Mesh mesh;
        FillSettings settings;
        Filling filling;
        bool fits(const Mesh& other, const FillSettings& s) const {
            return settings.spacing == s.spacing && settings.relaxed == s.relaxed && settings.jitter == s.jitter &&
                   settings.seed == s.seed && mesh.points.size() == other.points.size() &&
                   mesh.triangles == other.triangles &&
                   (mesh.points.empty() ||
                    std::memcmp(mesh.points.data(), other.points.data(), mesh.points.size() * sizeof(Float3)) == 0);
        }
    };
    const Filling& fill(Filled& known, const SurfacePiece& piece, const FillSettings& settings) const {
        if (known.fits(piece.mesh, settings)) return known.filling;
        try {
            known = {piece.mesh, settings, fill_mesh(piece.mesh, settings)};
        } catch (const Error& error) {
            throw Error("'" + piece.name + "': " + error.what());
        }
        return known.filling;
    }

    static std::vector<PointValues> nearest_values(const SurfacePiece& piece, const std::vector<Float3>& positions) {
        const NearestPoint nearest(piece.mesh.points);
        std::vector<PointValues> out;
        for (const PointValues& values : piece.values) out.push_back({values.name, values.components, {}});
        for (const Float3& p : positions) {
            const size_t at = nearest.to(p);
            for (size_t k = 0; k < out.size(); ++k) {
                const auto components = static_cast<size_t>(out[k].components);
                for (size_t c = 0; c < components; ++c)
                    out[k].values.push_back(piece.values[k].values[at * components + c]);
            }
        }
        return out;
    }

    Placed flakes(const Placed& shape, const Parameters& parameters, const Material& material, double frames) const {
        const double spacing = parameters.spacing;
        const uint64_t wanted = flakes_in_frame(
            real("rate"), double(material.rest_density) * spacing * spacing * spacing, real("timestep"), frames);
        Placed tried;
        tried.position = flake_places(shape.position, wanted, static_cast<uint32_t>(integer("seed")),
                                      std::llround(real("frame")), parameters.spacing);
        if (shape.values.empty() || tried.position.empty()) return tried;
        SurfacePiece piece;
        piece.mesh.points = shape.position;
        piece.values = shape.values;
        tried.values = nearest_values(piece, tried.position);
        return tried;
    }

    /// Attributes of the input's points override the material.
    static void take_over(const char* token, const std::vector<float>& own, std::vector<float>& array) {
        const ParameterInfo& info = *find_parameter(token);
        for (size_t i = 0; i < array.size(); ++i) {
            if (std::isnan(own[i])) continue;
            if (own[i] < static_cast<float>(info.low) || own[i] > static_cast<float>(info.high))
                throw Error("point attribute " + std::string(token) + " = " + std::to_string(own[i]) +
                            " is out of range: use " + std::to_string(info.low) + " to " + std::to_string(info.high) +
                            " " + info.unit);
            array[i] = own[i];
        }
    }

    /// Returns the mass of all, kg.
    double write(const Placed& placed, const Parameters& parameters, const Material& material,
                 const std::vector<int64_t>& birth, const std::vector<int64_t>& flake) {
        const size_t count = placed.position.size();
        Particles particles;
        particles.position = placed.position;
        particles.velocity = velocities(placed);
        for (size_t i = 0; i < count; ++i) particles.id.push_back(static_cast<int64_t>(i));
        const MaterialNoise uneven = noise();
        for (const MaterialQuantity& q : material_table()) {
            std::vector<float>& array = particles.*q.array;
            array.assign(count, material.*q.value);
            const std::vector<float>* own = nullptr;
            if (toggle("overrides")) own = find(placed, q.token) ? find(placed, q.token) : find(placed, q.symbol);
            if (own) take_over(q.token, *own, array);
            apply_noise(uneven, q.token, placed.position, array);
        }
        // In the runner, too: a body has the mass that it was given, however many particles it was cut into.
        for (size_t i = 0; i < placed.worth.size(); ++i) particles.rest_density[i] *= placed.worth[i];
        if (count) gdp->appendPointBlock(static_cast<GA_Size>(count));
        const std::vector<PointBlock> blocks = point_blocks(*gdp);
        write_particles(*gdp, blocks, particles, parameters, {ArrayRole::required, ArrayRole::state, ArrayRole::input});
        const std::vector<float> radius(count, 0.5f * parameters.spacing), age(count, 0.0f);
        write_floats(*gdp, blocks, "pscale", 1, radius.data());
        write_floats(*gdp, blocks, "age", 1, age.data());
        write_integers(*gdp, blocks, "birth_frame", birth);
        if (!flake.empty()) write_integers(*gdp, blocks, "flake", flake);
        gdp->bumpDataIdsForAddOrRemove(true, false, false);
        const double cell = std::pow(double(parameters.spacing), 3);
        return cell * std::accumulate(particles.rest_density.begin(), particles.rest_density.end(), 0.0);
    }

    std::vector<Float3> velocities(const Placed& placed) const {
        const Float3 v = vector("velocity"), spin = vector("spin");
        constexpr float radians = 3.14159265358979f / 180;
        const Float3 w{spin.x * radians, spin.y * radians, spin.z * radians};
        Float3 low{}, high{};
        if (!placed.position.empty()) low = high = placed.position[0];
        for (const Float3& p : placed.position) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        }
        const Float3 c{0.5f * (low.x + high.x), 0.5f * (low.y + high.y), 0.5f * (low.z + high.z)};
        const std::vector<float>* own = find(placed, "v");
        std::vector<Float3> all;
        all.reserve(placed.position.size());
        for (size_t i = 0; i < placed.position.size(); ++i) {
            const Float3& p = placed.position[i];
            const Float3 r{p.x - c.x, p.y - c.y, p.z - c.z};
            Float3 u{v.x + w.y * r.z - w.z * r.y, v.y + w.z * r.x - w.x * r.z, v.z + w.x * r.y - w.y * r.x};
            if (own && !std::isnan((*own)[3 * i]))
                u = {u.x + (*own)[3 * i], u.y + (*own)[3 * i + 1], u.z + (*own)[3 * i + 2]};
            all.push_back(u);
        }
        return all;
    }

    std::vector<Filled> fillings_;
};

}  // namespace

void add_snow_source(OP_OperatorTable* operators) {
    VerbSop<snow_source_table, SnowSource, SOP_NodeVerb::COOK_GENERATOR>::add(operators);
}

}  // namespace firn
