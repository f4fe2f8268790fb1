#include "firn/parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "firn/error.h"
#include "firn/materials.h"
#include "firn/spelling.h"

namespace firn {

namespace {

template <auto Member>
void* field(Parameters& p) {
    return &(p.*Member);
}

using P = Parameters;
constexpr ParameterType real = ParameterType::real, integer = ParameterType::integer, toggle = ParameterType::toggle,
                        choice = ParameterType::choice, vector = ParameterType::vector;

std::vector<ParameterInfo> make_table() {
    const char* gissler = "Gissler 2020";
    // clang-format off
    return {
        // token, label, unit, folder, type, default, hard limits, slider, help, symbol, source, choices, field
        {"young_modulus", "Young's Modulus", "Pa", "Snow", real, {140e3}, 1, 1e10, 2e4, 1e7,
         "Stiffness. Raise it and the snow sags and squashes less and holds its shape; lower it and it sinks under its own "
         "weight. The papers use 20 to 600 kPa; measured snow is a hundred times stiffer, and costs little more time.",
         "E", "Gissler 2020, Eq. 22", {}, field<&P::young_modulus>},
        {"poisson_ratio", "Poisson's Ratio", "", "Snow", real, {0.2}, 0, 0.49, 0.05, 0.45,
         "Raise it and the snow bulges sideways more when it is pressed.", "nu", "Gissler 2020, Eq. 22", {}, field<&P::poisson_ratio>},
        {"hardening", "Hardening", "", "Snow", real, {10}, 0, 50, 0, 20,
         "Raise it and packed snow gets hard and brittle faster, and loose snow softer. 0 = stiffness does not change with "
         "packing.", "xi", "Gissler 2020, Eq. 22", {}, field<&P::hardening>},
        {"theta_c", "Critical Compression", "", "Snow", real, {0.025}, 2e-4, 0.9, 0.005, 0.06,
         "How far the snow can be compressed and still spring back. Raise it for springy snow; lower it for crumbly snow that "
         "packs for good.", "theta_c",
         "Gissler 2020, 3.3.1", {}, field<&P::theta_c>},
        {"theta_s", "Critical Stretch", "", "Snow", real, {0.0075}, 0, 0.9, 0.001, 0.02,
         "How far the snow can be stretched before it breaks. Raise it and the snow holds together in chunks; lower it and it "
         "falls apart into powder.", "theta_s",
         "Gissler 2020, 3.3.1", {}, field<&P::theta_s>},
        {"friction_angle", "Friction Angle", "degrees", "Snow", real, {50}, 0, 90, 20, 60,
         "How steep a heap of the loose snow can be, and how much harder snow is to shear where it is pressed; needs the joint solve. Lower it and broken snow "
         "runs out flat; 90 = it never shears.", "phi_s",
         "Firn; Mohr-Coulomb", {}, field<&P::friction_angle>},
        {"collapse", "Collapse", "", "Snow", real, {0}, 0, 0.99, 0, 0.99,
         "How much of its strength against pressure snow loses once it is crushed or sheared; needs the joint solve. Raise it to 0.9 for a weak layer that bears a slab until "
         "something disturbs it, and then falls in from there to the end of the slab; 0 = crushed snow bears more than before.", "",
         "Firn; Gaume 2018", {}, field<&P::collapse>},
        {"rest_density", "Density", "kg/m^3", "Snow", real, {400}, 1, 2000, 50, 700,
         "Density of the snow as it is placed. Raise it and the snow gets heavier: a particle weighs this times its spacing "
         "cubed.", "rho_0",
         "Gissler 2020, 4", {}, field<&P::rest_density>},

        {"spacing", "Particle Spacing", "m", "Scene", real, {0.02}, 1e-3, 100, 0.005, 0.2,
         "Distance between particles as they are placed. Lower it for finer detail: half the spacing means eight times as many "
         "particles and about sixteen times the work.", "h", "Gissler 2020, 3.4", {},
         field<&P::spacing>},
        {"gravity", "Gravity", "m/s^2", "Scene", vector, {0, -9.81, 0}, -500, 500, -20, 20, "Acceleration that acts on all snow.", "g",
         "Firn", {}, field<&P::gravity>},

        {"substeps", "Substeps", "", "Time", integer, {0}, 0, 1000000, 0, 100,
         "Steps per frame. 0 = as many as the motion needs; any other number is taken as it is, and a warning names what was too "
         "fast for it.", "", "Firn", {}, field<&P::substeps>},
        {"cfl", "CFL", "", "Time", real, {0.2}, 1e-3, 10, 0.05, 0.5,
         "How far, in spacings, snow may move against other snow or a boundary in one substep; with the joint solve, twice as far. Lower it for more accurate "
         "motion and more substeps.", "",
         "Firn", {}, field<&P::cfl>},
        {"cfl_flight", "CFL in Flight", "", "Time", real, {0.75}, 1e-3, 1.5, 0.1, 1,
         "How far, in spacings, a particle may fly, or a body on its way through snow may move, in one substep. Lower it for more "
         "substeps in fast shots; above 1, snow can pass through thin surfaces.", "", "Firn", {},
         field<&P::cfl_flight>},
        {"cfl_wave", "CFL of Sound", "", "Time", real, {0}, 0, 100, 0, 2,
         "How far, in spacings, sound may travel in one substep; 0 = no limit. Long steps damp bounce: set 0.5 where ice or "
         "crust must bounce. Lower values take more substeps.",
         "", "Firn", {}, field<&P::cfl_wave>},
        {"dt_min", "Shortest Substep", "s", "Time", real, {2e-5}, 1e-9, 1, 1e-5, 1e-3,
         "Substeps get no shorter than this, however fast the motion. Raise it to cap the cost of a violent frame; a warning names "
         "what was too fast for it.", "", "Firn", {}, field<&P::dt_min>},
        {"dt_max", "Longest Substep", "s", "Time", real, {5e-3}, 1e-8, 1, 1e-3, 1e-2,
         "Substeps get no longer than this, however still the snow; only snow in free fall and without strain may take longer "
         "ones. Lower it for more accurate slow motion.", "", "Firn", {}, field<&P::dt_max>},

        {"sleep_after", "Auto Sleep After", "s", "Time", real, {0.25}, 0, 1e3, 0, 2,
         "Snow that has rested for so long stands still and costs next to nothing, until moving snow, a body, a force or changed settings wake it. Raise it if snow "
         "that creeps slowly stops too soon. 0 = snow never sleeps.", "", "Firn; Goswami 2022", {}, field<&P::sleep_after>},

        {"mode", "Mode", "", "Method", choice, {0}, 0, 1, 0, 1,
         "Firn's own method, or the paper's, with its weaknesses, for comparison.", "", gissler,
         {{"standard", "Standard", "with the remedies below"},
          {"published", "Published", "Gissler 2020 to the letter: no remedies, no warm starts, viscous friction"}},
         field<&P::mode>},
        {"solver", "Solver", "", "Method", choice, {3}, 0, 3, 0, 3,
         "How the snow's forces are computed.", "", "Firn; Gissler 2020, 3.5; Chunnoo 2022, 3.2",
         {{"split", "Split", "as published: pressure solve, then shear solve; yield and contact afterwards, so that strength depends on the step"},
          {"combined", "Combined", "as published: one elastic solve; yield and contact afterwards"},
          {"explicit", "Explicit", "no solve; for comparison, needs tiny steps"},
          {"joint", "Joint", "stress, yield and contact in one solve: strength does not depend on step, spacing or filling, and chunks stay chunks"}},
         field<&P::solver>},
        {"pressure_model", "Pressure", "", "Method", choice, {0}, 0, 1, 0, 1, "Whether pressure allows the snow to be compressed.", "",
         "Gissler 2020, 4.1.2",
         {{"compressible", "Compressible", "snow packs"}, {"incompressible", "Incompressible", "the volume stays, as with IISPH"}},
         field<&P::pressure_model>},
        {"pressure_tolerance", "Pressure Tolerance", "", "Method", real, {1e-3}, 1e-7, 1, 1e-4, 1e-2,
         "With the split solve: the pressure solve stops when the density error, averaged over the snow that has one, falls below this fraction of the rest density. Lower it for more "
         "accurate compression, at the price of more iterations.", "eta",
         "Gissler 2020, 3.2.1", {}, field<&P::pressure_tolerance>},
        {"pressure_iterations_min", "Fewest Pressure Iterations", "", "Method", integer, {1}, 1, 10000, 1, 10,
         "With the split solve: the pressure solve takes at least this many iterations, even if the tolerance is met earlier.", "", "Firn", {}, field<&P::pressure_iterations_min>},
        {"pressure_iterations_max", "Most Pressure Iterations", "", "Method", integer, {200}, 1, 100000, 10, 1000,
         "With the split solve: the pressure solve stops here, with a warning if the error is more than ten times the tolerance. Raise it if that "
         "warning appears.", "", "Firn", {}, field<&P::pressure_iterations_max>},
        {"pressure_relaxation", "Pressure Relaxation", "", "Method", real, {0.5}, 0.01, 1, 0.1, 0.9,
         "With the split solve: fraction of each update that the pressure solve applies. Raise it for fewer iterations; too high, and the solve "
         "diverges.", "omega", "Gissler 2020, Alg. 2", {}, field<&P::pressure_relaxation>},
        {"pressure_warm_start", "Pressure Warm Start", "", "Method", toggle, {1}, 0, 1, 0, 1,
         "With the split solve: start the pressure solve from the last step's pressures: fewer iterations, nearly the same result.", "", "Firn", {}, field<&P::pressure_warm_start>},
        {"shear_tolerance", "Shear Tolerance", "", "Method", real, {3e-4}, 1e-7, 0.1, 1e-4, 1e-2,
         "How exact the solve is: of what a substep changes, and much finer as the snow comes to rest. Lower it if resting snow trembles or ice slides unevenly; it "
         "takes more iterations. With the split solve, the relative residual of the shear solve.", "", "Gissler 2020, 3.2.2", {}, field<&P::shear_tolerance>},
        {"shear_iterations_max", "Most Shear Iterations", "", "Method", integer, {200}, 1, 100000, 10, 1000,
         "The shear solve (or, after three times as many tries, the joint solve) stops here, with a warning if the error is still large. Raise it if that warning appears.", "", "Firn", {}, field<&P::shear_iterations_max>},
        {"shear_warm_start", "Shear Warm Start", "", "Method", toggle, {1}, 0, 1, 0, 1,
         "Start the shear solve from the last step's accelerations where snow touches a boundary: fewer iterations, nearly the "
         "same result.", "", "Firn", {}, field<&P::shear_warm_start>},

        {"surface_floor", "Surface Cohesion", "", "Remedies", real, {0.65}, 0, 1, 0, 1,
         "How loose the snow at a free surface may be taken for. Near 0.6 chunks hold together, near 0.85 they shed more powder "
         "and fallen snow packs denser. 0 = as published: every surface counts as loose snow, creeps and turns to dust.",
         "g", "Firn; Gissler 2020, Eq. 21", {}, field<&P::surface_floor>},
        {"flatness", "Thin Sheet Limit", "", "Remedies", real, {0.05}, 0, 0.5, 0, 0.2,
         "Treat a neighbourhood as a flat sheet when its thickness is below this fraction of its width. Raise it if flakes and "
         "crumbs tremble or need many shear iterations. 0 = as published: a flat layer resists bending as if it were ice.",
         "", "Firn; Gissler 2020, Eq. 15", {}, field<&P::flatness>},
        {"filter_rate", "Jitter Filter", "1/s", "Remedies", real, {100}, 0, 1e4, 0, 300,
         "With the split solve: how fast the fine jitter between neighbours, which the method can't see, dies out. Raise it if snow shimmers after an "
         "impact. Momentum, spin and shape are kept. 0 = as published.",
         "c", "Firn", {}, field<&P::filter_rate>},
        {"damping", "Damping", "s", "Remedies", real, {2e-3}, 0, 0.1, 0, 1e-2,
         "Raise it and vibrations die out sooner; the flow of breaking snow is not slowed. 0 = as published, where snow rings "
         "like rubber at small steps; set 0 where ice or crust must bounce.",
         "tau", "Firn", {}, field<&P::damping>},
        {"contact", "Hard Contact", "", "Remedies", toggle, {1}, 0, 1, 0, 1,
         "Stops snow half a spacing above the boundary particles, lets single flakes bounce, and applies Coulomb friction. Off = "
         "as published, where fast snow leaks through floors.",
         "", "Firn; Goswami 2022, 4.3", {}, field<&P::contact>},
        {"separation", "Clean Separation", "", "Remedies", toggle, {1}, 0, 1, 0, 1,
         "With the split solve: surfaces let go of the snow unless they are sticky, as they do in the joint solve; needs Hard Contact. Off = as published, where every lifted plate "
         "takes snow along.",
         "", "Firn", {}, field<&P::separation>},
        {"objective", "Strain Turns Along", "", "Remedies", toggle, {1}, 0, 1, 0, 1,
         "Elastic strain rotates with the snow. Off = as published, where it keeps its old direction as the snow turns.", "", "Firn; Gissler 2020, 3.3.1",
         {}, field<&P::objective>},
        {"ballistic", "Exact Flight", "", "Remedies", toggle, {1}, 0, 1, 0, 1,
         "Snow in free flight follows the exact parabola, whatever the substeps. Off = as published, where it is half a substep "
         "ahead.", "", "Firn",
         {}, field<&P::ballistic>},
        {"symmetric", "Symmetric Forces", "", "Remedies", toggle, {1}, 0, 1, 0, 1,
         "Derives the elastic forces from an energy, so that they can't add motion by themselves, and solves them in two thirds "
         "of the time. Off = as published.",
         "", "Firn; Gissler 2020, Eq. 19", {}, field<&P::symmetric>},
        {"look_ahead", "Pressure Looks Ahead", "", "Remedies", real, {0.5}, 0, 0.75, 0, 0.75,
         "With the split solve: how much of the last step's shear force the pressure solve takes into account. Raise it and the snow's stiffness "
         "depends less on the length of the substeps. 0 = as published.",
         "", "Firn", {}, field<&P::look_ahead>},
        {"friction_model", "Friction Model", "", "Remedies", choice, {0}, 0, 1, 0, 1, "What the friction of a body means.", "nu_b",
         "Gissler 2020, Eq. 24",
         {{"coulomb", "Coulomb", "friction is mu: at most mu times the normal force, along the surface only"},
          {"viscous", "Viscous", "friction is nu_b: as published, brakes all motion within two spacings"}},
         field<&P::friction_model>},
        {"yield", "Yield Limits", "", "Remedies", choice, {0}, 0, 1, 0, 1, "What theta_c and theta_s limit.", "",
         "Firn; Gissler 2020, 3.3.1",
         {{"stress", "Stress", "pressing yields at E theta_c and pulling at E theta_s, in every direction; snow rests under its own weight"},
          {"strain", "Strain", "as published: snow under load also yields where it only bulges, spreads and keeps moving"}},
         field<&P::yield>},
        {"hourglass", "Hourglass Stiffness", "", "Remedies", real, {5}, 0, 10, 0, 10,
         "With the joint solve: how much the snow resists motion between neighbours that strain can't see, as a share of its shear stiffness. Raise it if irregular "
         "fillings are softer than a lattice. 0 = as published: nothing resists such motion.",
         "zeta", "Firn; Ganzenmueller 2015", {}, field<&P::hourglass>},
        {"calibrated", "Filling Counts as Rest", "", "Remedies", toggle, {1}, 0, 1, 0, 1,
         "With the joint solve: snow is at rest as it was placed, whether on a lattice, jittered or relaxed. Off = as published: irregular fillings count as "
         "packed snow, and are several times as stiff.", "", "Firn; Gissler 2020, Eq. 21", {}, field<&P::calibrated>},
        {"softening_length", "Crack Opening", "m", "Remedies", real, {0.002}, 0, 1, 0, 0.02,
         "With the joint solve: how far a crack opens before the snow has lost most of its strength there. Raise it for tough snow that tears slowly, lower it "
         "for brittle snow. 0 = as published: it depends on the spacing.", "w_c", "Firn; Gissler 2020, Eq. 22", {},
         field<&P::softening_length>},
        {"healing_time", "Healing Time", "s", "Remedies", real, {60}, 0, 1e6, 0, 600,
         "With the joint solve: how long broken snow takes to grow together again (two thirds of its bonds). Pressing it heals it at once. Lower it for wet snow that "
         "freezes on; 0 = never.", "t_h", "Firn", {}, field<&P::healing_time>},

        {"boundary_volume", "Boundary Volume", "", "Boundaries", real, {0.8}, 0.01, 3, 0.1, 2,
         "Scale of the boundary particles' volumes. Raise it and surfaces act on the snow more strongly.", "phi", "Gissler 2020, 3.4", {}, field<&P::boundary_volume>},
        {"boundary_pressure", "Boundary Pressure", "", "Boundaries", real, {1.5}, 0.5, 5, 0.5, 3,
         "Scale of the pressure force at boundaries. Raise it if snow sinks into floors under load.", "psi", "Gissler 2020, Eq. 7", {}, field<&P::boundary_pressure>},

        {"wind", "Wind", "m/s", "Wind", vector, {0, 0, 0}, -1e3, 1e3, -20, 20,
         "Velocity of the air. Snow drifts with it when there is air: drag law flakes, or an air resistance above 0. The point "
         "attribute air_velocity is added to it.", "u", "Firn", {}, field<&P::wind>},
        {"drag_law", "Drag Law", "", "Wind", choice, {0}, 0, 1, 0, 1,
         "How the air brakes the snow.", "", "Gissler 2017",
         {{"linear", "Linear", "in proportion to the speed, by Air Resistance; 0 = no air"},
          {"flakes", "Flakes", "as measured: by size and density of the flakes, and less behind other snow; packed snow feels it only at its surface"}},
         field<&P::drag_law>},
        {"drag", "Air Resistance", "1/s", "Wind", real, {0}, 0, 1e6, 0, 10,
         "For the linear law. Raise it and single flakes follow the wind sooner and fall more slowly. Snow surrounded by snow is "
         "affected less, packed snow not at all. 0 = no air.", "", "Firn", {}, field<&P::drag>},
        {"flake_size", "Flake Size", "m", "Wind", real, {0.003}, 1e-5, 1, 0.001, 0.02,
         "For the law of flakes: diameter of the flakes that loose snow is made of. Raise it and they fall faster, 1.3 m/s at "
         "3 mm, and follow the wind more slowly.", "d", "Gissler 2017", {}, field<&P::flake_size>},
        {"flake_density", "Flake Density", "kg/m^3", "Wind", real, {40}, 0.1, 1000, 10, 200,
         "For the law of flakes: density of one flake. Raise it and flakes fall faster and follow the wind more slowly.",
         "rho_f", "Gissler 2020, 4.3.1", {}, field<&P::flake_density>},
        {"gusts", "Gusts", "m/s", "Wind", real, {0}, 0, 1e3, 0, 10,
         "How much the wind varies from place to place and in time, as a root mean square. Raise it for wilder swirls. 0 = an even wind.",
         "", "Firn", {}, field<&P::gusts>},
        {"gust_size", "Gust Size", "m", "Wind", real, {3}, 1e-3, 1e5, 0.2, 20,
         "Size of the largest swirls; smaller ones, down to a quarter of it, ride on them.", "", "Firn", {}, field<&P::gust_size>},
        {"gust_period", "Gust Period", "s", "Wind", real, {3}, 1e-3, 1e5, 0.2, 20,
         "How long the largest gusts last. Raise it for lazier swirls.", "", "Firn", {}, field<&P::gust_period>},
        {"gust_seed", "Gust Seed", "", "Wind", integer, {0}, 0, 1000000, 0, 100,
         "Each number gives other gusts of the same kind.", "", "Firn", {}, field<&P::gust_seed>},

        {"threads", "Threads", "", "Machine", integer, {0}, 0, 1024, 0, 64,
         "Threads of the CPU device. 0 = one for each core. Results do not depend on it.", "", "Firn", {}, field<&P::threads>},
        {"memory_limit", "Memory Limit", "GB", "Machine", real, {0}, 0, 1e6, 0, 256,
         "Refuse scenes that need more memory than this, to simulate them or to sample their geometry. 0 = what the machine has free.", "", "Firn", {}, field<&P::memory_limit>},
    };
    // clang-format on
}

void assign(Parameters& p, const ParameterInfo& info, const double value[3]) {
    void* to = info.field(p);
    switch (info.type) {
        case ParameterType::real:
            *static_cast<float*>(to) = static_cast<float>(value[0]);
            break;
        case ParameterType::integer:
        case ParameterType::choice:
            *static_cast<int*>(to) = static_cast<int>(value[0]);
            break;
        case ParameterType::toggle:
            *static_cast<bool*>(to) = value[0] != 0;
            break;
        case ParameterType::vector:
            *static_cast<Float3*>(to) = {static_cast<float>(value[0]), static_cast<float>(value[1]),
                                         static_cast<float>(value[2])};
            break;
    }
}

/// The value as up to three numbers; returns how many.
int values(const Parameters& p, const ParameterInfo& info, double value[3]) {
    const void* from = info.field(const_cast<Parameters&>(p));
    switch (info.type) {
        case ParameterType::real:
            value[0] = *static_cast<const float*>(from);
            return 1;
        case ParameterType::integer:
        case ParameterType::choice:
            value[0] = *static_cast<const int*>(from);
            return 1;
        case ParameterType::toggle:
            value[0] = *static_cast<const bool*>(from) ? 1 : 0;
            return 1;
        case ParameterType::vector:
            break;
    }
    const Float3& v = *static_cast<const Float3*>(from);
    value[0] = v.x;
    value[1] = v.y;
    value[2] = v.z;
    return 3;
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string range(const ParameterInfo& info) {
    return number(info.low) + " to " + number(info.high) + (*info.unit ? std::string(" ") + info.unit : "");
}

void check(const ParameterInfo& info, double value) {
    // Limits are compared as floats: 0.9f is a little more than 0.9.
    if (!(static_cast<float>(value) >= static_cast<float>(info.low) &&
          static_cast<float>(value) <= static_cast<float>(info.high))) {
        throw Error(std::string(info.token) + " = " + number(value) + " is out of range: use " + range(info));
    }
}

double parse_number(const ParameterInfo& info, const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end) {
        throw Error(std::string(info.token) + " = '" + text + "' is not a number: use " + range(info));
    }
    return value;
}

}  // namespace

const std::vector<ParameterInfo>& parameter_table() {
    static const std::vector<ParameterInfo> table = make_table();
    return table;
}

Parameters::Parameters() {
    for (const ParameterInfo& info : parameter_table()) assign(*this, info, info.initial);
}

const ParameterInfo* find_parameter(const std::string& token) {
    static const std::map<std::string, std::string> aliases = [] {
        std::map<std::string, std::string> known = {
            {"dx", "spacing"}, {"phi", "boundary_volume"}, {"psi", "boundary_pressure"}};
        for (const MaterialQuantity& q : material_table()) known[q.symbol] = q.token;
        return known;
    }();
    const auto alias = aliases.find(token);
    const std::string& name = alias == aliases.end() ? token : alias->second;
    for (const ParameterInfo& info : parameter_table()) {
        if (name == info.token) return &info;
    }
    return nullptr;
}

void set_parameter(Parameters& p, const std::string& token, const std::string& text) {
    const ParameterInfo* info = find_parameter(token);
    if (!info) {
        std::vector<std::string> known;
        for (const ParameterInfo& other : parameter_table()) known.push_back(other.token);
        throw Error("there is no parameter '" + token + "'" + did_you_mean(token, known));
    }
    double value[3] = {0, 0, 0};
    switch (info->type) {
        case ParameterType::choice: {
            int index = -1;
            std::string known;
            for (size_t k = 0; k < info->choices.size(); ++k) {
                known += (k ? ", " : "") + std::string(info->choices[k].token);
                if (text == info->choices[k].token) index = static_cast<int>(k);
            }
            if (index < 0) throw Error(std::string(info->token) + " = '" + text + "' is none of: " + known);
            value[0] = index;
            break;
        }
        case ParameterType::toggle:
            if (text != "on" && text != "off" && text != "1" && text != "0" && text != "true" && text != "false") {
                throw Error(std::string(info->token) + " = '" + text + "' is neither on nor off");
            }
            value[0] = text == "on" || text == "1" || text == "true";
            break;
        case ParameterType::vector: {
            std::istringstream in(text);
            std::string word;
            int n = 0;
            while (n < 3 && in >> word) {
                value[n] = parse_number(*info, word);
                check(*info, value[n++]);
            }
            if (n != 3 || in >> word) throw Error(std::string(info->token) + " = '" + text + "' needs three numbers");
            break;
        }
        case ParameterType::integer:
        case ParameterType::real:
            value[0] = parse_number(*info, text);
            check(*info, value[0]);
            if (info->type == ParameterType::integer && value[0] != std::floor(value[0])) {
                throw Error(std::string(info->token) + " = '" + text + "' is not a whole number");
            }
            break;
    }
    assign(p, *info, value);
}

std::string parameter_text(const Parameters& p, const ParameterInfo& info) {
    double value[3];
    const int count = values(p, info, value);
    if (info.type == ParameterType::choice) return info.choices.at(static_cast<size_t>(value[0])).token;
    if (info.type == ParameterType::toggle) return value[0] != 0 ? "on" : "off";
    std::string text;
    for (int k = 0; k < count; ++k) text += (k ? " " : "") + number(value[k]);
    return text;
}

void validate(const Parameters& p) {
    for (const ParameterInfo& info : parameter_table()) {
        double value[3];
        const int count = values(p, info, value);
        for (int k = 0; k < count; ++k) check(info, value[k]);
    }
    if (p.dt_min > p.dt_max) {
        throw Error("dt_min = " + number(p.dt_min) + " s is longer than dt_max = " + number(p.dt_max) + " s");
    }
}

Parameters effective(const Parameters& given) {
    Parameters p = given;
    if (p.mode == Mode::published) {
        p.surface_floor = 0;
        p.flatness = 0;
        p.filter_rate = 0;
        p.damping = 0;
        p.contact = false;
        p.separation = false;
        p.objective = false;
        p.ballistic = false;
        p.symmetric = false;
        p.look_ahead = 0;
        p.hourglass = 0;
        p.friction_model = FrictionModel::viscous;
        p.yield = Yield::strain;
        p.calibrated = false;
        p.softening_length = 0;
        p.healing_time = 0;
        p.sleep_after = 0;
        p.pressure_warm_start = false;
        p.shear_warm_start = false;
        if (p.solver == Solver::joint) p.solver = Solver::split;
    }
    // The joint solve stands on these; without them, what it does is not a minimum of anything.
    if (p.solver == Solver::joint &&
        (!p.symmetric || !p.contact || p.yield != Yield::stress || p.friction_model != FrictionModel::coulomb ||
         p.pressure_model != PressureModel::compressible))
        p.solver = Solver::split;
    // Only the joint solve lets snow bear a load without motion; and gusts reach snow anywhere, at any time.
    if (p.solver != Solver::joint || p.gusts > 0) p.sleep_after = 0;
    return p;
}

}  // namespace firn
