#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// Makes a material uneven: values are multiplied by exp(amplitude * n), n a smooth noise of -1..1 over space.
struct MaterialNoise {
    float amplitude = 0;  ///< 0 = even
    float scale = 0.1f;   ///< m, size of the lumps
    uint32_t seed = 0;
    std::vector<std::string> of;  ///< tokens: young_modulus, theta_c, theta_s, friction_angle, rest_density, hardening
};

/// Whether the value of a token (young_modulus, ...) varies.
bool varies(const MaterialNoise&, const char* token);

/// Multiplies the values of a token, one for each position (m), and keeps them within the parameter's range.
void apply_noise(const MaterialNoise&, const char* token, const std::vector<Float3>& position,
                 std::vector<float>& values);

/// Smooth over space, -1..1, with lumps of size 1 and finer ones of half the strength.
double smooth_noise(double x, double y, double z, uint32_t seed);

}  // namespace firn
