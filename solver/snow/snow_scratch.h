#pragma once

// The tables of snow on a device: stages of a step, scratch arrays with their lifetimes, and what there is to upload
// and to download.

#include "particles/method_step.h"

namespace firn::FIRN_LANES::snow {

/// The parts of a step, in order: between them scratch arrays come and go.
enum Stage : uint8_t {
    density_stage,
    properties_stage,
    pressure_source_stage,
    pressure_stage,
    shear_stage,
    contact_stage,
    strain_stage,
    integrate_stage,
    sort_stage,
    search_stage
};

enum Scratch : uint8_t {
    next_strain = common_scratch,
    next_pressure,
    next_shear_acceleration,
    next_filling,
    next_misfit,
    next_damage,
    next_calm,
    next_support,
    next_bearer,
    density,
    compaction,
    mass_position,
    correction,
    gradient_sum,
    boundary_sum,
    shear_modulus,
    first_lame,
    volume_strain,
    boundary_flux,
    lag,
    diagonal,
    predicted,
    guessed,
    source,
    pressure_position,
    pressure_gradient,
    pressed,
    stress,
    shear_lever,
    shear_scaling,
    direction,
    residual,
    product,
    blind,
    trial,
    surface_plane,
    hold,
    drag,
    line_start,
    line_direction,
    joint_impulse,
    joint_nearest,
    own_force,
    shadow,
    second_product,
    half,
    solved,
    boundary_stress,
    boundary_load,
    boundary_area,
    patch_area,
    load_share,
    impulse,
    nearest,
    rubbed,
    allowed,
    velocity_gradient,
    scratch_end
};

/// Arrays that only Bi-CGSTAB and viscous friction (`published`), or only the joint solve needs.
constexpr ScratchPool bicgstab_pool = ScratchPool::second, viscous_pool = ScratchPool::third,
                      joint_pool = ScratchPool::fourth;

constexpr ScratchArray own_scratch[] = {
    // name, words, first stage that writes it and last that reads it
    {"next_strain", 6, {strain_stage, sort_stage}},
    {"next_pressure", 1, {properties_stage, sort_stage}},
    {"next_shear_acceleration", 3, {properties_stage, sort_stage}},
    {"next_filling", 1, {properties_stage, sort_stage}},
    {"next_misfit", 3, {strain_stage, sort_stage}},
    {"next_damage", 1, {properties_stage, sort_stage}},
    {"next_calm", 1, {shear_stage, sort_stage}},
    {"next_support", 3, {integrate_stage, sort_stage}},
    {"next_bearer", 1, {integrate_stage, sort_stage}},
    {"density", 1, always},
    {"compaction", 1, always},
    {"mass_position", 4, {density_stage, density_stage}},
    {"correction", 6, {properties_stage, strain_stage}},
    {"gradient_sum", 3, {properties_stage, shear_stage}},
    {"boundary_sum", 3, {properties_stage, strain_stage}},
    {"shear_modulus", 1, {properties_stage, contact_stage}},
    {"first_lame", 1, {properties_stage, contact_stage}},
    {"volume_strain", 1, {properties_stage, pressure_stage}},
    {"boundary_flux", 1, {properties_stage, strain_stage}},
    {"lag", 1, {properties_stage, contact_stage}},
    {"diagonal", 1, {properties_stage, pressure_stage}},
    {"predicted", 4, {properties_stage, shear_stage}},
    {"guessed", 4, {pressure_source_stage, pressure_source_stage}},
    {"source", 1, {pressure_source_stage, pressure_stage}},
    {"pressure_position", 4, {pressure_source_stage, pressure_stage}},
    {"pressure_gradient", 4, {pressure_stage, pressure_stage}},
    {"pressed", 4, {pressure_stage, shear_stage}, predicted},
    {"stress", 12, {shear_stage, shear_stage}},
    {"shear_lever", 1, {shear_stage, shear_stage}},
    {"shear_scaling", 1, {shear_stage, shear_stage}},
    {"direction", 4, {shear_stage, shear_stage}},
    {"residual", 3, {shear_stage, shear_stage}},
    {"product", 3, {shear_stage, shear_stage}},
    {"blind", 6, {properties_stage, strain_stage}, -1, joint_pool},
    {"trial", 4, {shear_stage, contact_stage}, -1, joint_pool},
    {"surface_plane", 4, {shear_stage, contact_stage}, -1, joint_pool},
    {"hold", 1, {shear_stage, contact_stage}, -1, joint_pool},
    {"drag", 1, {shear_stage, contact_stage}, -1, joint_pool},
    {"line_start", 3, {shear_stage, shear_stage}, -1, joint_pool},
    {"line_direction", 3, {shear_stage, shear_stage}, -1, joint_pool},
    {"joint_impulse", 3, {shear_stage, integrate_stage}, -1, joint_pool},
    {"joint_nearest", 1, {shear_stage, integrate_stage}, -1, joint_pool},
    {"own_force", 3, {shear_stage, shear_stage}, -1, joint_pool},
    {"shadow", 3, {shear_stage, shear_stage}, -1, bicgstab_pool},
    {"second_product", 3, {shear_stage, shear_stage}, -1, bicgstab_pool},
    {"half", 4, {shear_stage, shear_stage}, -1, bicgstab_pool},
    {"solved", 4, {shear_stage, contact_stage}, pressed},
    {"boundary_stress", 1, {contact_stage, contact_stage}},
    {"boundary_load", 1, {contact_stage, contact_stage}},
    {"boundary_area", 1, {contact_stage, contact_stage}},
    {"patch_area", 1, {contact_stage, contact_stage}},
    {"load_share", 1, {contact_stage, contact_stage}},
    {"impulse", 3, {contact_stage, contact_stage}},
    {"nearest", 1, {contact_stage, contact_stage}},
    {"rubbed", 3, {properties_stage, contact_stage}, -1, viscous_pool},
    {"allowed", 4, {contact_stage, integrate_stage}, solved},
    {"velocity_gradient", 12, {strain_stage, integrate_stage}},
};
static_assert(scratch_end == common_scratch + sizeof own_scratch / sizeof *own_scratch, "one row for each name");

constexpr CommonStages common_stages{integrate_stage, sort_stage, search_stage};
inline constexpr ScratchTable scratch(common_stages, own_scratch);

constexpr ArrayLayout state_layout[] = {{"strain", 6},
                                        {"pressure", 1},
                                        {"shear_acceleration", 3},
                                        {"filling", 1},
                                        {"misfit", 3},
                                        {"damage", 1},
                                        {"calm", 1},
                                        {"support", 3},
                                        {"bearer", 1},
                                        {}};

enum Input : int {
    acceleration,
    air_velocity,
    young_modulus,
    poisson_ratio,
    hardening,
    theta_c,
    theta_s,
    friction_angle,
    collapse,
    rest_density
};
constexpr ArrayLayout input_layout[] = {{"acceleration", 3},
                                        {"air_velocity", 3},
                                        {"young_modulus", 1},
                                        {"poisson_ratio", 1},
                                        {"hardening", 1},
                                        {"theta_c", 1},
                                        {"theta_s", 1},
                                        {"friction_angle", 1},
                                        {"collapse", 1},
                                        {"rest_density", 1},
                                        {}};

constexpr ArrayLayout result_layout[] = {{"density", 1}, {"compaction", 1}, {}};
constexpr uint8_t result_rows[] = {density, compaction};

inline constexpr MethodTables tables{
    {state_layout, input_layout, result_layout}, result_rows, scratch.rows, scratch.count, common_stages};

/// Places in the method's tables of phases and of solves.
enum Phase : int { neighbours_phase, properties_phase, pressure_phase, shear_phase, integrate_phase };
enum Solve : int { pressure_solve, shear_solve };

}  // namespace firn::FIRN_LANES::snow
