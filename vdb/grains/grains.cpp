#include "firn/grains.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <unordered_map>

#include "firn/error.h"
#include "firn/scattered.h"
#include "grains/grain_pattern.h"
#include "grains/rest_neighbours.h"

namespace firn {

namespace {

// Lengths in spacings.
constexpr double grain_reach = 0.87;  ///< the corner of a lattice's cell
constexpr double kernel_reach = 1.25;
/// Of the kernel's sum at the particle, how much a grain must see: the snow ends half a spacing outside of its
/// outermost particles, and a lone particle's ball has its volume.
constexpr double inside_share = 0.57;

double kernel(double squared) {
    const double t = 1 - squared / (kernel_reach * kernel_reach);
    return t > 0 ? t * t : 0;
}

double smooth_step(double low, double high, double x) {
    const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

void check(const GrainSettings& s) {
    const auto within = [](const char* name, double value, double low, double high) {
        if (!(value >= low && value <= high))
            throw Error(std::string("grains: ") + name + " must be " + std::to_string(low) + " to " +
                        std::to_string(high) + ", not " + std::to_string(value));
    };
    if (!(s.spacing > 0) || !std::isfinite(s.spacing))
        throw Error("grains: the particles' spacing is not known; it must be above 0 m");
    if (s.per_particle < 1 || s.per_particle > 256)
        throw Error("grains: 1 to 256 for each particle, not " + std::to_string(s.per_particle));
    within("crumble", double(s.crumble), 0, 4);
    within("disperse", double(s.disperse), 0, 4);
    within("the spread of sizes", double(s.size_spread), 0, 1);
    within("the layer", double(s.layer), 0, 1e6);
}

}  // namespace

struct GrainField::Impl {
    struct Motion {
        std::array<float, 9> map, gradient;
        float loose = 0;
    };
    using Near = RestNeighbours::Near;

    GrainSettings settings;
    const GrainPattern* pattern = nullptr;
    double edge = 0;  ///< of the pattern, in spacings
    RestNeighbours snow;
    std::vector<Motion> motion;
    std::vector<uint32_t> parents;

    void find_motion(const std::vector<float>& density, const std::vector<float>& rest_density, LeafLoop& loop) {
        motion.resize(snow.count());
        loop.ranges(snow.count(), [&](size_t first, size_t last) {
            std::vector<Near> near;
            std::vector<RestNeighbour> scratch;
            for (size_t i = first; i < last; ++i) {
                const LocalMotion local = snow.motion(static_cast<uint32_t>(i), near, scratch);
                Motion& m = motion[i];
                for (size_t k = 0; k < 9; ++k) {
                    m.map[k] = static_cast<float>(local.map[k]);
                    m.gradient[k] = static_cast<float>(local.gradient[k]);
                }
                double dilute = 1;
                if (!density.empty()) {
                    const double full = rest_density.empty() ? double(settings.rest_density) : double(rest_density[i]);
                    dilute = 1 - smooth_step(0.35, 0.7, double(density[i]) / full);
                }
                m.loose = static_cast<float>(local.loose * local.loose * dilute);
            }
        });
    }

    /// Of the particles, those near the snow's surface as it is now.
    void find_layer(LeafLoop& loop) {
        const std::vector<Float3>& position = snow.position();
        parents.resize(position.size());
        std::iota(parents.begin(), parents.end(), 0u);
        if (settings.layer == 0) return;
        // A particle lies open when it has few neighbours, or most of them on one side.
        constexpr double reach = 1.5, least = 10, aside = 0.2;
        const double spacing = settings.spacing;
        Cells now;
        loop.within([&] { now = Cells(position, parents, reach * spacing, "particles"); });
        std::vector<uint8_t> open(position.size(), 0);
        loop.ranges(position.size(), [&](size_t first, size_t last) {
            for (size_t i = first; i < last; ++i) {
                double count = 0;
                Vec3 sum;
                now.around(position[i], [&](const uint32_t* begin, const uint32_t* end) {
                    for (; begin != end; ++begin) {
                        const Vec3 d = snow.between(position, i, *begin);
                        if (*begin == i || dot(d, d) > reach * reach) continue;
                        ++count;
                        sum = sum + d;
                    }
                });
                open[i] = count < least || length(sum) > aside * count;
            }
        });
        std::vector<uint32_t> outermost;
        for (const uint32_t i : parents)
            if (open[i]) outermost.push_back(i);
        const double depth = std::max(double(settings.layer), spacing);
        Cells shell;
        loop.within([&] { shell = Cells(position, outermost, depth, "particles"); });
        std::vector<uint8_t> wanted(position.size(), 0);
        loop.ranges(position.size(), [&](size_t first, size_t last) {
            for (size_t i = first; i < last; ++i) {
                bool near = open[i];
                if (!near)
                    shell.around(position[i], [&](const uint32_t* begin, const uint32_t* end) {
                        for (; begin != end && !near; ++begin)
                            near = length(snow.between(position, i, *begin)) * spacing <= double(settings.layer);
                    });
                wanted[i] = near;
            }
        });
        parents.erase(std::remove_if(parents.begin(), parents.end(), [&](uint32_t i) { return !wanted[i]; }),
                      parents.end());
    }

    struct Born {
        Vec3 offset;  ///< at birth, in spacings
        double gap;   ///< 0..1: how far the snow around it has opened
    };

    void find_grains(uint32_t i, const std::vector<Near>& near, std::vector<Born>& born) const {
        born.clear();
        double around = 1;
        for (const Near& n : near) around += kernel(dot(n.rest, n.rest));
        const double scale = 1 / double(settings.spacing);
        const Float3& rest = snow.rest()[i];
        const std::array<double, 3> centre{scale * double(rest.x), scale * double(rest.y), scale * double(rest.z)};
        const std::vector<int64_t>& id = snow.id();
        pattern->within(centre, grain_reach, edge, [&](double x, double y, double z) {
            const Vec3 d{x, y, z};
            const double own = dot(d, d);
            if (own > grain_reach * grain_reach) return;
            double sum = kernel(own), gap = 0;
            for (const Near& n : near) {
                const Vec3 to = d - n.rest;
                const double other = dot(to, to);
                if (other < own || (other == own && id[n.index] < id[i])) return;
                const double k = kernel(other);
                sum += k;
                gap += k * n.gap;
            }
            if (sum >= inside_share * around) born.push_back({d, gap / sum});
        });
        if (!born.empty()) return;
        // Another particle was born in the same place and has the grains; this one gets some of its own.
        std::array<double, 3> elsewhere;
        for (size_t axis = 0; axis < 3; ++axis)
            elsewhere[axis] = edge * scattered_unit(static_cast<uint64_t>(id[i]), 7, axis, settings.seed);
        pattern->within(elsewhere, grain_reach, edge, [&](double x, double y, double z) {
            const Vec3 d{x, y, z};
            if (kernel(dot(d, d)) >= inside_share) born.push_back({d, 0});
        });
        if (born.empty()) born.push_back({});
    }

    void append(uint32_t i, std::vector<Near>& near, std::vector<Born>& born, RenderGrains& out) const {
        snow.find(i, near);
        find_grains(i, near, born);
        const int64_t id = snow.id()[i];
        if (born.size() > static_cast<size_t>(grains_per_id)) born.resize(static_cast<size_t>(grains_per_id));

        const auto random = [&](size_t k, uint64_t purpose) {
            return scattered_unit(static_cast<uint64_t>(id), k, purpose, settings.seed);
        };
        // Log-normal, without the tails.
        std::array<double, grains_per_id> size;
        double volume = 0;
        for (size_t k = 0; k < born.size(); ++k) {
            const double normal = 2 * (random(k, 0) + random(k, 1) + random(k, 2) - 1.5);
            size[k] = std::exp(double(settings.size_spread) * normal);
            volume += size[k] * size[k] * size[k];
        }
        const double spacing = settings.spacing;
        const double scale = spacing * std::cbrt(grain_packing / (4.0 / 3 * 3.14159265358979323846 * volume));

        const Motion& m = motion[i];
        Matrix3 map, gradient;
        std::copy(m.map.begin(), m.map.end(), map.begin());
        std::copy(m.gradient.begin(), m.gradient.end(), gradient.begin());
        const Vec3 x = wide(snow.position()[i]), v = wide(snow.velocity()[i]);
        for (size_t k = 0; k < born.size(); ++k) {
            const double turn = 6.28318530717958648 * random(k, 3), up = 2 * random(k, 4) - 1;
            const double flat = std::sqrt(1 - up * up), far = std::cbrt(random(k, 5));
            const Vec3 astray{far * flat * std::cos(turn), far * up, far * flat * std::sin(turn)};
            // At a face half of what a grain saw is gone.
            const double off = std::min(1.0, 1.5 * born[k].gap);
            const Vec3 offset = (1 + double(settings.disperse) * double(m.loose)) * born[k].offset +
                                (double(settings.crumble) * off) * astray;
            const Vec3 now = spacing * (map * offset);
            out.position.push_back(narrow(x + now));
            out.velocity.push_back(narrow(v + gradient * now));
            out.id.push_back(id * grains_per_id + static_cast<int64_t>(k));
            out.radius.push_back(static_cast<float>(scale * size[k]));
            out.particle.push_back(i);
        }
    }
};

GrainField::GrainField(const Particles& particles, GrainBirths births, const GrainSettings& settings,
                       const std::function<bool()>& interrupted)
    : impl_(std::make_unique<Impl>()) {
    check(settings);
    Impl& field = *impl_;
    LeafLoop loop(settings.threads, interrupted);
    field.snow = RestNeighbours(particles, std::move(births), settings.spacing, loop);
    field.settings = settings;
    field.pattern = &grain_pattern(settings.seed);
    field.edge = std::cbrt(double(GrainPattern::point_count) / settings.per_particle);
    field.find_motion(particles.density, particles.rest_density, loop);
    field.find_layer(loop);
}

GrainField::~GrainField() = default;
GrainField::GrainField(GrainField&&) noexcept = default;
GrainField& GrainField::operator=(GrainField&&) noexcept = default;

const std::vector<uint32_t>& GrainField::parents() const {
    return impl_->parents;
}

void GrainField::append(size_t first, size_t last, RenderGrains& out) const {
    std::vector<Impl::Near> near;
    std::vector<Impl::Born> born;
    for (size_t k = first; k < last; ++k) impl_->append(impl_->parents[k], near, born, out);
}

void GrainField::append(const std::vector<uint32_t>& parents, RenderGrains& out) const {
    std::vector<Impl::Near> near;
    std::vector<Impl::Born> born;
    for (const uint32_t k : parents) impl_->append(impl_->parents[k], near, born, out);
}

RenderGrains GrainField::all() const {
    constexpr size_t piece = 1024;
    const size_t count = impl_->parents.size(), pieces = (count + piece - 1) / piece;
    std::vector<RenderGrains> made(pieces);
    const std::function<bool()> never;
    LeafLoop(impl_->settings.threads, never).chunks(pieces, [&](size_t k) {
        append(k * piece, std::min(count, (k + 1) * piece), made[k]);
    });
    RenderGrains all;
    const auto join = [&](auto array) {
        size_t total = 0;
        for (const RenderGrains& part : made) total += (part.*array).size();
        (all.*array).reserve(total);
        for (RenderGrains& part : made) {
            (all.*array).insert((all.*array).end(), (part.*array).begin(), (part.*array).end());
            (part.*array) = {};
        }
    };
    join(&RenderGrains::position);
    join(&RenderGrains::velocity);
    join(&RenderGrains::id);
    join(&RenderGrains::radius);
    join(&RenderGrains::particle);
    return all;
}

float GrainField::reach() const {
    const GrainSettings& s = impl_->settings;
    return 1.51f * s.spacing * (static_cast<float>(grain_reach) * (1 + s.disperse) + s.crumble);
}

const GrainSettings& GrainField::settings() const {
    return impl_->settings;
}

const Float3& GrainField::position(size_t parent) const {
    return impl_->snow.position()[impl_->parents[parent]];
}

int64_t GrainField::largest_id() const {
    const std::vector<int64_t>& id = impl_->snow.id();
    const auto last = std::max_element(id.begin(), id.end());
    return last == id.end() ? 0 : *last * grains_per_id + grains_per_id - 1;
}

double GrainField::expected_count() const {
    return double(impl_->settings.per_particle) * static_cast<double>(impl_->parents.size());
}

GrainBirths births_from(const Particles& first, const Particles& frame) {
    const auto id_of = [](const Particles& p, size_t i) { return p.id.empty() ? static_cast<int64_t>(i) : p.id[i]; };
    std::unordered_map<int64_t, size_t> place;
    place.reserve(first.count());
    for (size_t i = 0; i < first.count(); ++i) place.emplace(id_of(first, i), i);
    GrainBirths births;
    births.rest.reserve(frame.count());
    for (size_t i = 0; i < frame.count(); ++i) {
        const auto found = place.find(id_of(frame, i));
        if (found == place.end())
            throw Error("grains: particle " + std::to_string(id_of(frame, i)) + " is not in the frame of births");
        births.rest.push_back(first.position[found->second]);
    }
    return births;
}

}  // namespace firn
