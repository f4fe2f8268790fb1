// A method whose sleepers never stop waking: the engine makes a step again so often and no more, and says so.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "engine/methods.h"
#include "firn/engine.h"
#include "method_device.h"
#include "scenes/scenes.h"

namespace {

using namespace firn;
using namespace scenes;

int steps_made = 0;

/// Snow, in which every step wakes a body of sleepers.
class Restless : public MethodDevice {
public:
    explicit Restless(std::unique_ptr<MethodDevice> snow) : snow_(std::move(snow)) {}

    StepResult step(const Parameters& p, double dt, const BodyPlacement* next, uint32_t bodies, double* impulse,
                    const Interrupt& interrupt, double* seconds) override {
        StepResult result = snow_->step(p, dt, next, bodies, impulse, interrupt, seconds);
        result.wakes_body = true;
        ++steps_made;
        return result;
    }

    const DeviceLayout& layout() const override { return snow_->layout(); }
    int lanes() const override { return snow_->lanes(); }
    int threads() const override { return snow_->threads(); }
    void upload(const StateArrays& state, ParticleCounts counts) override { snow_->upload(state, counts); }
    void set_inputs(const float* const* inputs) override { snow_->set_inputs(inputs); }
    void download(const StateArrays& state) const override { snow_->download(state); }
    void set_others(bool others) override { snow_->set_others(others); }
    void positions(Float4* to, uint32_t first, uint32_t count) const override { snow_->positions(to, first, count); }
    void set_still(const BoundaryArrays& bodies, float spacing) override { snow_->set_still(bodies, spacing); }
    void set_moving(const BoundaryArrays& bodies) override { snow_->set_moving(bodies); }
    void set_air(const Air& air) override { snow_->set_air(air); }
    Speed prepare(const Parameters& p, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                  double duration, double* seconds) override {
        return snow_->prepare(p, now, later, bodies, duration, seconds);
    }
    Sweep sweep(const BodyPlacement* from, const BodyPlacement* to, uint32_t bodies, double begin, double duration,
                double free_path) override {
        return snow_->sweep(from, to, bodies, begin, duration, free_path);
    }
    void take_back(const Parameters& p) override { snow_->take_back(p); }
    Energy energy(const Parameters& p) override { return snow_->energy(p); }
    void note_speeds(const Parameters& p, double duration, double gain, const BodyPlacement* now, const float* speed,
                     uint32_t bodies) override {
        snow_->note_speeds(p, duration, gain, now, speed, bodies);
    }
    Thrown thrown(const Parameters& p, double allowance) override { return snow_->thrown(p, allowance); }
    double stored_energy(const Parameters& p) override { return snow_->stored_energy(p); }
    uint64_t bytes() const override { return snow_->bytes(); }
    uint64_t bytes_per_particle(uint32_t neighbours) const override { return snow_->bytes_per_particle(neighbours); }
    uint64_t memory_free() const override { return snow_->memory_free(); }

private:
    std::unique_ptr<MethodDevice> snow_;
};

const Method& restless() {
    static const Method added = [] {
        Method m = method("snow");
        m.info.name = "restless";
        m.make.lanes1 = m.make.lanes4 = m.make.lanes8 = [](int threads) -> std::unique_ptr<MethodDevice> {
            return std::make_unique<Restless>(method("snow").make.lanes1(threads));
        };
        return m;
    }();
    return added;
}

TEST(Restless, SnowThatNeverStopsWakingIsAWarning) {
    add_method(restless());
    const double dx = 0.05, frame = 1.0 / 50;
    Parameters p;
    p.spacing = static_cast<float>(dx);
    p.sleep_after = 0.1f;
    Engine engine(p, "cpu:1", "restless");
    engine.add_body(floor_body(4 * dx, dx));
    engine.upload(snow_at(lattice_box(3, 3, 3, dx, {-1.5 * dx, 0, -1.5 * dx})));
    std::string said;
    for (int k = 0; k < 60 && said.empty(); ++k) {
        steps_made = 0;
        const FrameReport report = engine.advance(frame);
        for (const std::string& warning : report.warnings) said += warning + "\n";
        if (!said.empty()) {
            EXPECT_GT(report.asleep, 0u);
        }
    }
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_NE(said.find("went on waking"), std::string::npos) << said;
    EXPECT_NE(said.find("sleep_after"), std::string::npos) << said;
    EXPECT_GT(steps_made, 100);
}

}  // namespace
