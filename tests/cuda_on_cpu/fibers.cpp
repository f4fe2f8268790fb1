#include "fibers.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

#if !defined(__x86_64__)
#error "cuda_on_cpu switches stacks with x86-64 instructions"
#endif

// Only what the calling convention keeps across a call has to be saved.
__asm__(R"(
    .text
    .globl firn_cuda_on_cpu_switch
    .type firn_cuda_on_cpu_switch, @function
firn_cuda_on_cpu_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size firn_cuda_on_cpu_switch, .-firn_cuda_on_cpu_switch
)");

namespace firn::cuda_on_cpu {
namespace {

constexpr std::size_t stack_bytes = 128 * 1024;
constexpr std::size_t stacks_per_slab = 64;
constexpr std::uint64_t canary = 0x5afe57ac4e9dull;

}  // namespace

FiberPool::~FiberPool() {
    for (Fiber* fiber : all_) delete fiber;
    for (unsigned char* slab : slabs_) munmap(slab, stack_bytes * stacks_per_slab);
}

Fiber* FiberPool::take(void (*entry)()) {
    if (free_.empty()) {
        void* const slab = mmap(nullptr, stack_bytes * stacks_per_slab, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (slab == MAP_FAILED) throw std::bad_alloc();
        slabs_.push_back(static_cast<unsigned char*>(slab));
        for (std::size_t k = stacks_per_slab; k-- > 0;) {
            all_.push_back(new Fiber{nullptr, slabs_.back() + k * stack_bytes});
            free_.push_back(all_.back());
        }
    }
    Fiber* const fiber = free_.back();
    free_.pop_back();
    std::memcpy(fiber->low, &canary, sizeof canary);
    // As the switch leaves a stack: six registers, then where to go on; 8 bytes off 16 there, as after a call.
    auto* top = reinterpret_cast<std::uintptr_t*>(fiber->low + stack_bytes) - 1;
    *--top = reinterpret_cast<std::uintptr_t>(entry);
    for (int k = 0; k < 6; ++k) *--top = 0;
    fiber->stack_pointer = top;
    return fiber;
}

void FiberPool::give_back(Fiber* fiber) {
    free_.push_back(fiber);
}

bool FiberPool::is_whole(const Fiber& fiber) {
    return std::memcmp(fiber.low, &canary, sizeof canary) == 0;
}

}  // namespace firn::cuda_on_cpu
