#define FIRN_LANES cuda
#define FIRN_LANE_WIDTH 1

#include "devices/cuda_device.h"
#include "devices/cuda_execution.h"
#include "snow/step.h"

namespace firn {

namespace {

/// The step on one card: every call enters the card's stream first.
class CudaSnow final : public SnowDevice {
public:
    explicit CudaSnow(int device) : stream_(device) {
        const CudaStream::Entered here(stream_);
        step_.reset(new cuda::SnowStep(device));
    }
    ~CudaSnow() override {
        const CudaStream::Entered here(stream_);
        step_.reset();
    }

    int lanes() const override { return step_->lanes(); }
    int threads() const override { return step_->threads(); }
    void upload(const StateArrays& host, uint32_t count) override {
        const CudaStream::Entered here(stream_);
        step_->upload(host, count);
    }
    void set_inputs(const InputArrays& inputs) override {
        const CudaStream::Entered here(stream_);
        step_->set_inputs(inputs);
    }
    void download(const StateArrays& host) const override {
        const CudaStream::Entered here(stream_);
        step_->download(host);
    }
    void set_still(const BoundaryArrays& bodies, float spacing) override {
        const CudaStream::Entered here(stream_);
        step_->set_still(bodies, spacing);
    }
    void set_moving(const BoundaryArrays& bodies) override {
        const CudaStream::Entered here(stream_);
        step_->set_moving(bodies);
    }
    Speed prepare(const Parameters& parameters, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                  double seconds, PhaseTimes& times) override {
        const CudaStream::Entered here(stream_);
        return step_->prepare(parameters, now, later, bodies, seconds, times);
    }
    StepResult step(const Parameters& parameters, double dt, const BodyPlacement* next, uint32_t bodies,
                    double* impulse, const Interrupt& interrupt, PhaseTimes& times) override {
        const CudaStream::Entered here(stream_);
        return step_->step(parameters, dt, next, bodies, impulse, interrupt, times);
    }
    uint64_t bytes() const override { return step_->bytes(); }
    uint64_t bytes_per_particle(uint32_t neighbours) const override { return step_->bytes_per_particle(neighbours); }
    uint64_t memory_free() const override {
        const CudaStream::Entered here(stream_);
        return step_->memory_free();
    }

private:
    mutable CudaStream stream_;
    std::unique_ptr<cuda::SnowStep> step_;
};

}  // namespace

std::unique_ptr<SnowDevice> make_cuda(int device) {
    return std::unique_ptr<SnowDevice>(new CudaSnow(device));
}

}  // namespace firn
