#pragma once

// Any method on a card.

#include "devices/cuda_execution.h"
#include "method_device.h"

namespace firn::FIRN_LANES {

/// A method's step on one card: every call enters the card's stream first.
template <class Step>
class OnCard final : public MethodDevice {
public:
    explicit OnCard(int device) : stream_(device) {
        const CudaStream::Entered here(stream_);
        step_.reset(new Step(device));
    }
    ~OnCard() override {
        const CudaStream::Entered here(stream_);
        step_.reset();
    }

    const DeviceLayout& layout() const override { return step_->layout(); }
    int lanes() const override { return step_->lanes(); }
    int threads() const override { return step_->threads(); }
    void upload(const StateArrays& host, ParticleCounts counts) override {
        const CudaStream::Entered here(stream_);
        step_->upload(host, counts);
    }
    void set_inputs(const float* const* inputs) override {
        const CudaStream::Entered here(stream_);
        step_->set_inputs(inputs);
    }
    void download(const StateArrays& host) const override {
        const CudaStream::Entered here(stream_);
        step_->download(host);
    }
    void positions(Float4* to, uint32_t first, uint32_t count) const override {
        const CudaStream::Entered here(stream_);
        step_->positions(to, first, count);
    }
    void set_still(const BoundaryArrays& bodies, float spacing) override {
        const CudaStream::Entered here(stream_);
        step_->set_still(bodies, spacing);
    }
    void set_moving(const BoundaryArrays& bodies) override {
        const CudaStream::Entered here(stream_);
        step_->set_moving(bodies);
    }
    void set_air(const Air& air) override { step_->set_air(air); }
    void set_others(bool some) override { step_->set_others(some); }
    void take_back(const Parameters& parameters) override {
        const CudaStream::Entered here(stream_);
        step_->take_back(parameters);
    }
    Speed prepare(const Parameters& parameters, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                  double duration, double* seconds) override {
        const CudaStream::Entered here(stream_);
        return step_->prepare(parameters, now, later, bodies, duration, seconds);
    }
    Sweep sweep(const BodyPlacement* from, const BodyPlacement* to, uint32_t bodies, double begin, double duration,
                double free_path) override {
        const CudaStream::Entered here(stream_);
        return step_->sweep(from, to, bodies, begin, duration, free_path);
    }
    StepResult step(const Parameters& parameters, double dt, const BodyPlacement* next, uint32_t bodies,
                    double* impulse, const Interrupt& interrupt, double* seconds) override {
        const CudaStream::Entered here(stream_);
        return step_->step(parameters, dt, next, bodies, impulse, interrupt, seconds);
    }
    Energy energy(const Parameters& parameters) override {
        const CudaStream::Entered here(stream_);
        return step_->energy(parameters);
    }
    void note_speeds(const Parameters& parameters, double duration, double gain, const BodyPlacement* now,
                     const float* speed, uint32_t bodies) override {
        const CudaStream::Entered here(stream_);
        step_->note_speeds(parameters, duration, gain, now, speed, bodies);
    }
    Thrown thrown(const Parameters& parameters, double allowance) override {
        const CudaStream::Entered here(stream_);
        return step_->thrown(parameters, allowance);
    }
    double stored_energy(const Parameters& parameters) override {
        const CudaStream::Entered here(stream_);
        return step_->stored_energy(parameters);
    }
    uint64_t bytes() const override { return step_->bytes(); }
    uint64_t bytes_per_particle(uint32_t neighbours) const override { return step_->bytes_per_particle(neighbours); }
    uint64_t memory_free() const override {
        const CudaStream::Entered here(stream_);
        return step_->memory_free();
    }

private:
    mutable CudaStream stream_;
    std::unique_ptr<Step> step_;
};

}  // namespace firn::FIRN_LANES
