#include "engine/dormant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "engine/near_boundary.h"

namespace firn {

namespace {

/// As far as a particle's influence reaches, m: to the density of its neighbours' neighbours' neighbours, four supports
/// of two spacings, with room to move and to round.
double cube_width(const Parameters& p) {
    return 10.0 * double(p.spacing);
}

/// Space in cubes.
class Cubes {
public:
    Cubes(const std::vector<Float3>& position, double width) : width_(width), of_(position.size()) {
        for (size_t i = 0; i < position.size(); ++i) {
            const Cube cube = {at(position[i].x), at(position[i].y), at(position[i].z)};
            const auto known = number_.emplace(cube, static_cast<uint32_t>(place_.size()));
            if (known.second) place_.push_back(cube);
            of_[i] = known.first->second;
        }
        marked_.resize(place_.size());
    }
    void mark(size_t particle) { marked_[of_[particle]] = true; }
    void mark(const double low[3], const double high[3]) {
        for (size_t k = 0; k < place_.size(); ++k) {
            bool meets = true;
            for (size_t c = 0; c < 3; ++c)
                meets &= width_ * place_[k][c] <= high[c] && width_ * (place_[k][c] + 1.0) >= low[c];
            if (meets) marked_[k] = true;
        }
    }
    /// Particles in marked cubes and those around them, in their order.
    std::vector<uint32_t> near_marked() const {
        std::vector<bool> near(place_.size());
        for (size_t k = 0; k < place_.size(); ++k) {
            if (!marked_[k]) continue;
            for (int32_t around = 0; around < 27; ++around) {
                const Cube& c = place_[k];
                const auto other =
                    number_.find({c[0] + around % 3 - 1, c[1] + around / 3 % 3 - 1, c[2] + around / 9 - 1});
                if (other != number_.end()) near[other->second] = true;
            }
        }
        std::vector<uint32_t> found;
        for (size_t i = 0; i < of_.size(); ++i)
            if (near[of_[i]]) found.push_back(static_cast<uint32_t>(i));
        return found;
    }

private:
    using Cube = std::array<int32_t, 3>;
    struct Hash {
        size_t operator()(const Cube& c) const {
            uint64_t hash = 14695981039346656037ull;
            for (const int32_t part : c) hash = (hash ^ static_cast<uint32_t>(part)) * 1099511628211ull;
            return static_cast<size_t>(hash ^ hash >> 29);
        }
    };
    int32_t at(float x) const { return static_cast<int32_t>(std::clamp(std::floor(x / width_), -2e9, 2e9)); }

    double width_;
    std::vector<uint32_t> of_;  ///< each particle's
    std::vector<Cube> place_;
    std::vector<bool> marked_;
    std::unordered_map<Cube, uint32_t, Hash> number_;
};

/// Copies the rows `which` of every array to the front of `to`.
void gather(const Method& method, const Particles& from, const std::vector<uint32_t>& which, Particles& to) {
    for (const ParticleArray& array : method.info.arrays) {
        const bool there = array.components > 0 && array.size(from) > 0 && array.role != ArrayRole::result;
        array.resize(to, there ? which.size() : 0);
        if (!there) continue;
        const size_t components = static_cast<size_t>(array.components);
        const float* source = array.data(from);
        float* target = array.data(to);
        for (size_t k = 0; k < which.size(); ++k)
            std::copy_n(source + which[k] * components, components, target + k * components);
    }
    to.id.clear();
    for (const uint32_t i : which) to.id.push_back(from.id[i]);
}

bool zero(const Float3& a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}

}  // namespace

bool Dormant::sleeps(size_t i) const {
    return sleep_after_ > 0 && whole_.calm[i] >= sleep_after_ && zero(whole_.velocity[i]) && !wake_all_ &&
           (whole_.acceleration.empty() || zero(whole_.acceleration[i]));
}

/// As the device does it.
void Dormant::wake(size_t i, const Parameters& p) {
    if (p.healing_time > 0)
        whole_.damage[i] *= std::exp(-std::max(whole_.calm[i] - p.sleep_after, 0.0f) / p.healing_time);
    whole_.calm[i] = 0;
    whole_.support[i] = {};
    whole_.bearer[i] = 0;
}

/// Whether somebody who slept is not among these any more.
bool Dormant::lacks_sleepers(const Particles& given) const {
    if (asleep_ == 0) return false;
    std::vector<int64_t> have = given.id;
    if (have.empty()) {
        have.resize(given.count());
        std::iota(have.begin(), have.end(), int64_t(0));
    }
    if (!std::is_sorted(have.begin(), have.end())) std::sort(have.begin(), have.end());
    for (size_t i = 0; i < whole_.count(); ++i)
        if (sleeps(i) && !std::binary_search(have.begin(), have.end(), whole_.id[i])) return true;
    return false;
}

void Dormant::take(const Particles& given, const Parameters& p) {
    // What they bore may fall.
    wake_all_ |= lacks_sleepers(given);
    sleep_after_ = p.sleep_after;
    split_ = false;
    held_.clear();
    loads_.clear();
    asleep_ = 0;
    const auto last = std::find_if(given.calm.rbegin(), given.calm.rend(), [](float calm) { return calm > 0; });
    const size_t sleepers_end = static_cast<size_t>(given.calm.rend() - last);
    some_asleep_ = sleepers_end > 0;
    // What the host has added since has none yet, and does not sleep.
    results_known_ = std::all_of(method_.info.arrays.begin(), method_.info.arrays.end(), [&](const ParticleArray& a) {
        return a.role != ArrayRole::result || a.size(given) >= sleepers_end;
    });
    whole_ = some_asleep_ && results_known_ ? given : Particles();
}

uint64_t Dormant::bytes() const {
    uint64_t sum = held_.size() * sizeof(uint32_t);
    for (const Particles* p : {&whole_, frame_start_ ? &*frame_start_ : nullptr}) {
        if (!p) continue;
        sum += p->id.size() * sizeof(int64_t);
        for (const ParticleArray& array : method_.info.arrays)
            sum += array.size(*p) * static_cast<uint64_t>(array.components) * sizeof(float);
    }
    return sum;
}

void Dormant::fetch(const DeviceOwner& owner, Particles& to) const {
    if (whole_.count() == 0) return owner.download(to);
    Particles held;
    owner.download(held);
    to = whole_;
    const size_t count = held.count();
    const auto host = [&](size_t k) { return split_ ? size_t(held_[k]) : k; };
    // Who has slept all the while has the results with which it fell asleep.
    std::vector<bool> slept(count);
    for (size_t k = 0; k < count; ++k)
        slept[k] = sleep_after_ > 0 && held.calm[k] >= sleep_after_ && held.calm[k] == whole_.calm[host(k)];
    for (const ParticleArray& array : method_.info.arrays) {
        if (array.components == 0) continue;
        const float* source = array.data(held);
        if (!source) continue;
        array.resize(to, whole_.count());
        float* target = array.data(to);
        const size_t components = static_cast<size_t>(array.components);
        for (size_t k = 0; k < count; ++k) {
            if (array.role == ArrayRole::result && slept[k]) continue;
            std::copy_n(source + k * components, components, target + host(k) * components);
        }
    }
    to.id.resize(whole_.count());
    for (size_t k = 0; k < count; ++k) to.id[host(k)] = held.id[k];
}

void Dormant::restore_frame_start(DeviceOwner& owner, const Parameters& p) {
    if (!frame_start_) return;
    take(*frame_start_, p);
    owner.keep(*frame_start_);
    frame_start_.reset();
}

void Dormant::begin_frame(DeviceOwner& owner, const Parameters& p, const std::vector<KnownBody>& bodies,
                          uint64_t boundary, double frame) {
    sleep_after_ = p.sleep_after;
    frame_start_.reset();
    if (!some_asleep_ && !split_) {
        wake_all_ = false;
        return;
    }
    // A frame in which the device holds all tells what they are like.
    if (!std::exchange(results_known_, true) && !wake_all_) return;
    Particles now;
    fetch(owner, now);
    if (owner.on_card()) frame_start_ = now;
    whole_ = std::move(now);
    bool changed = false;
    for (size_t i = 0; i < whole_.count(); ++i) {
        if (whole_.calm[i] < sleep_after_) continue;
        changed = true;
        if (sleeps(i))
            whole_.calm[i] += static_cast<float>(frame);
        else if (whole_.calm[i] > 0)
            wake(i, p);
    }
    wake_all_ = false;
    send(owner, p, bodies, boundary, changed);
}

void Dormant::update(DeviceOwner& owner, const Parameters& p, const std::vector<KnownBody>& bodies, uint64_t boundary,
                     bool wakes_body) {
    Particles now;
    fetch(owner, now);
    std::vector<bool> woken(now.count());
    bool any = false;
    for (size_t i = 0; wakes_body && i < now.count(); ++i) {
        woken[i] = whole_.calm[i] >= sleep_after_ && now.calm[i] < sleep_after_;
        any = any || woken[i];
    }
    whole_ = std::move(now);
    if (any) wake_around(woken, p);
    send(owner, p, bodies, boundary, any);
}

void Dormant::wake_around(const std::vector<bool>& woken, const Parameters& p) {
    Cubes cubes(whole_.position, cube_width(p));
    for (size_t i = 0; i < woken.size(); ++i)
        if (woken[i]) cubes.mark(i);
    for (const uint32_t i : cubes.near_marked())
        if (sleeps(i)) wake(i, p);
}

std::vector<uint32_t> Dormant::to_hold(const Parameters& p, const std::vector<KnownBody>& bodies,
                                       const std::vector<bool>& asleep) const {
    Cubes cubes(whole_.position, cube_width(p));
    for (size_t i = 0; i < asleep.size(); ++i)
        if (!asleep[i]) cubes.mark(i);
    for (const KnownBody& b : bodies) {
        if (b.body.motion == Motion::still) continue;
        const double distance = travel(b).distance;
        if (!(distance > 0)) continue;
        for_each_reach(b, distance + 2.1 * double(p.spacing),
                       [&](const double low[3], const double high[3]) { cubes.mark(low, high); });
    }
    return cubes.near_marked();
}

void Dormant::send(DeviceOwner& owner, const Parameters& p, const std::vector<KnownBody>& bodies, uint64_t boundary,
                   bool changed) {
    std::vector<bool> asleep(whole_.count());
    for (size_t i = 0; i < asleep.size(); ++i) asleep[i] = sleeps(i);
    asleep_ = static_cast<uint64_t>(std::count(asleep.begin(), asleep.end(), true));
    std::vector<uint32_t> hold = to_hold(p, bodies, asleep);
    const bool split = hold.size() < whole_.count();
    if (changed || split != split_ || hold != held_) {
        Particles part;
        if (split) gather(method_, whole_, hold, part);
        owner.upload(split ? part : whole_, boundary);
        owner.device()->set_others(split);
    }
    held_ = std::move(hold);
    split_ = split;
    loads_.assign(6 * bodies.size(), 0.0);
    if (split_) {
        std::vector<bool> left_out(whole_.count(), true);
        for (const uint32_t i : held_) left_out[i] = false;
        for (size_t i = 0; i < left_out.size(); ++i) {
            const size_t body = static_cast<size_t>(whole_.bearer[i]);
            if (!left_out[i] || body == 0 || body > bodies.size()) continue;
            const Float3 &x = whole_.position[i], &f = whole_.support[i];
            double* const load = &loads_[6 * (body - 1)];
            load[0] -= double(f.x);
            load[1] -= double(f.y);
            load[2] -= double(f.z);
            load[3] -= double(x.y) * f.z - double(x.z) * f.y;
            load[4] -= double(x.z) * f.x - double(x.x) * f.z;
            load[5] -= double(x.x) * f.y - double(x.y) * f.x;
        }
    }
    // Nobody sleeps: the device knows all.
    if (asleep_ == 0 && !split_) whole_ = Particles();
}

}  // namespace firn
