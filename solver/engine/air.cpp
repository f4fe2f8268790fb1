#include "engine/air.h"

#include <cmath>

#include "firn/air.h"

namespace firn {

namespace {

constexpr double pi = 3.14159265358979323846;

/// Numbers from 0 to 1 that look random: splitmix64.
class Dice {
public:
    explicit Dice(uint64_t seed) : state_(seed) {}
    double roll() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

private:
    uint64_t state_;
};

/// Three sizes of swirls, each half as large as the one before, and six waves of each.
constexpr int octaves = 3, waves_of_octave = Air::most_waves / octaves;

/// As in turbulence, a swirl half as large is 2^(1/3) slower, and lasts 2^(2/3) less long.
void add_gusts(Air& air, const Parameters& p, double time) {
    Dice dice(static_cast<uint64_t>(p.gust_seed));
    double square = 0;
    for (int octave = 0; octave < octaves; ++octave) square += waves_of_octave * 0.5 * std::exp2(-2.0 / 3 * octave);
    for (int octave = 0; octave < octaves; ++octave) {
        const double amplitude = double(p.gusts) * std::exp2(-1.0 / 3 * octave) / std::sqrt(square);
        for (int n = 0; n < waves_of_octave; ++n) {
            const double z = 2 * dice.roll() - 1, around = 2 * pi * dice.roll(), turn = 2 * pi * dice.roll();
            const double spread = std::exp2(dice.roll() - 0.5), start = dice.roll(), way = dice.roll() < 0.5 ? -1 : 1;
            const double rim = std::sqrt(1 - z * z);
            // The direction of the wave, and two others at right angles to it and to each other.
            const double e[3] = {rim * std::cos(around), rim * std::sin(around), z};
            const double a[3] = {-std::sin(around), std::cos(around), 0};
            const double b[3] = {-z * std::cos(around), -z * std::sin(around), rim};
            const double cycles = spread * std::exp2(octave) / double(p.gust_size);
            const double rate = way * std::exp2(2.0 / 3 * octave) / double(p.gust_period);
            const double phase = start + rate * time;
            Air::Wave& wave = air.wave[air.waves++];
            for (int c = 0; c < 3; ++c) {
                wave.wave[c] = static_cast<float>(cycles * e[c]);
                wave.amplitude[c] = static_cast<float>(amplitude * (std::cos(turn) * a[c] + std::sin(turn) * b[c]));
            }
            wave.phase = static_cast<float>(phase - std::floor(phase));
        }
    }
}

}  // namespace

Air air_at(const Parameters& p, double time) {
    Air air;
    air.law = p.drag_law == DragLaw::flakes ? Air::flakes : p.drag > 0 ? Air::linear : Air::none;
    if (air.law == Air::none) return air;
    air.velocity[0] = p.wind.x;
    air.velocity[1] = p.wind.y;
    air.velocity[2] = p.wind.z;
    air.drag = p.drag;
    air.flake_size = p.flake_size;
    air.flake_density = p.flake_density;
    if (p.gusts > 0) add_gusts(air, p, time);
    return air;
}

double fastest_air(const Parameters& p, double local) {
    const Air air = air_at(p, 0);
    if (air.law == Air::none) return 0;
    double speed = local + std::hypot(double(air.velocity[0]), double(air.velocity[1]), double(air.velocity[2]));
    for (int k = 0; k < air.waves; ++k) {
        const float* a = air.wave[k].amplitude;
        speed += std::hypot(double(a[0]), double(a[1]), double(a[2]));
    }
    return speed;
}

bool has_air(const Parameters& p) {
    return air_at(p, 0).law != Air::none;
}

Float3 air_velocity(const Parameters& p, const Float3& at, double time) {
    const Air air = air_at(p, time);
    double u[3] = {air.velocity[0], air.velocity[1], air.velocity[2]};
    for (int k = 0; k < air.waves; ++k) {
        const Air::Wave& w = air.wave[k];
        const double cycles = double(w.wave[0]) * at.x + double(w.wave[1]) * at.y + double(w.wave[2]) * at.z + w.phase;
        for (int c = 0; c < 3; ++c) u[c] += std::cos(2 * pi * cycles) * double(w.amplitude[c]);
    }
    return {static_cast<float>(u[0]), static_cast<float>(u[1]), static_cast<float>(u[2])};
}

}  // namespace firn
