#pragma once

// Stacks that a thread of the CPU can switch between: each holds a thread of the emulated card that waits for others.

#include <cstddef>
#include <vector>

namespace firn::cuda_on_cpu {

struct Fiber {
    void* stack_pointer = nullptr;
    unsigned char* low = nullptr;  ///< the stack's lowest byte
};

/// Leaves the running stack, whose pointer goes to *from, for another.
extern "C" void firn_cuda_on_cpu_switch(void** from, void* to);

class FiberPool {
public:
    FiberPool() = default;
    ~FiberPool();
    FiberPool(const FiberPool&) = delete;
    FiberPool& operator=(const FiberPool&) = delete;

    /// A stack that will start at `entry`, which must never return.
    Fiber* take(void (*entry)());
    void give_back(Fiber*);
    /// False if the fiber has written past its stack's end.
    static bool is_whole(const Fiber&);

private:
    std::vector<unsigned char*> slabs_;
    std::vector<Fiber*> all_, free_;
};

}  // namespace firn::cuda_on_cpu
