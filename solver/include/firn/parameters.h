#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/vector.h"

namespace firn {

enum class Mode : int { standard, published };
enum class Solver : int { split, combined, explicit_step, joint };
enum class PressureModel : int { compressible, incompressible };
enum class FrictionModel : int { coulomb, viscous };
enum class Yield : int { stress, strain };
enum class DragLaw : int { linear, flakes };

/// All settings of the engine. The defaults come from parameter_table(), where each is declared with its label, unit,
/// range, help and source. SI units.
struct Parameters {
    Parameters();

    // Snow: one value for all particles; Particles may override each per particle.
    float young_modulus;
    float poisson_ratio;
    float hardening;
    float theta_c;
    float theta_s;
    float friction_angle;
    float collapse;
    float rest_density;

    // Scene.
    float spacing;
    Float3 gravity;

    // Time.
    int substeps;
    float cfl;
    float cfl_flight;
    float cfl_wave;
    float dt_min;
    float dt_max;
    float sleep_after;

    // Method.
    Mode mode;
    Solver solver;
    PressureModel pressure_model;
    float pressure_tolerance;
    int pressure_iterations_min;
    int pressure_iterations_max;
    float pressure_relaxation;
    bool pressure_warm_start;
    float shear_tolerance;
    int shear_iterations_max;
    bool shear_warm_start;

    // Remedies of what the published method does wrong. Mode::published turns them off.
    float surface_floor;
    float flatness;
    float filter_rate;
    float damping;
    bool contact;
    bool separation;
    bool objective;
    bool ballistic;
    bool symmetric;
    float look_ahead;
    FrictionModel friction_model;
    Yield yield;
    bool calibrated;
    float hourglass;
    float softening_length;
    float healing_time;

    // Boundaries.
    float boundary_volume;
    float boundary_pressure;

    // Air.
    Float3 wind;
    DragLaw drag_law;
    float drag;
    float flake_size;
    float flake_density;
    float gusts;
    float gust_size;
    float gust_period;
    int gust_seed;

    // Machine.
    int threads;
    float memory_limit;
};

enum class ParameterType { real, integer, toggle, choice, vector };

struct ParameterChoice {
    const char* token;
    const char* label;
    const char* help;
};

/// One row of the parameter table. Scene files, `firn params`, node dialogs and help pages are made from these rows.
struct ParameterInfo {
    const char* token;   ///< in scene files and as the node parameter's name
    const char* label;   ///< for people
    const char* unit;    ///< "" = none
    const char* folder;  ///< where a dialog shows it
    ParameterType type;
    double initial[3];  ///< the default; a choice's is its index
    double low, high;   ///< hard limits, both allowed
    double slider_low, slider_high;
    const char* help;    ///< one line
    const char* symbol;  ///< the paper's symbol, "" = none
    const char* source;  ///< paper and place, or "Firn"
    std::vector<ParameterChoice> choices;
    void* (*field)(Parameters&);
};

const std::vector<ParameterInfo>& parameter_table();

/// nullptr if there is no such token (aliases E, nu, xi, rho0, dx are known too).
const ParameterInfo* find_parameter(const std::string& token);

/// Sets one parameter from text ("140e3", "published", "0 -9.81 0", "on"). Throws Error with the range or the choices.
void set_parameter(Parameters&, const std::string& token, const std::string& value);

/// The value as text that set_parameter() reads back.
std::string parameter_text(const Parameters&, const ParameterInfo&);

/// Throws Error naming the first parameter outside its limits.
void validate(const Parameters&);

/// The settings that act: those given, or, in Mode::published, with every remedy off and cold starts (the paper's
/// choices).
Parameters effective(const Parameters&);

}  // namespace firn
