#include "interrupt.h"

#include <signal.h>

#include <atomic>
#include <initializer_list>

namespace firn {

namespace {

// A signal handler can reach nothing but a global.
std::atomic<int> came{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

}  // namespace

void catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = [](int number) { came.store(number); };
    // The handler is gone after its first call, so that the next signal acts as ever.
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

int interrupted_by() {
    return came.load();
}

}  // namespace firn
