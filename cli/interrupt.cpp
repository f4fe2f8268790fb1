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
    // The first signal says why the program ends.
    action.sa_handler = [](int number) {
        int none = 0;
        came.compare_exchange_strong(none, number);
    };
    sigemptyset(&action.sa_mask);
    // The handler is gone after its first call, so that the next signal acts as ever.
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
    // These come again by themselves: both the shell and the system say that a terminal is gone, and every line that
    // nobody reads is another SIGPIPE. Who ignores them for us (nohup) wants the program to go on.
    action.sa_flags = SA_RESTART;
    for (const int number : {SIGHUP, SIGPIPE}) {
        struct sigaction before {};
        sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
    }
}

void report_file_limits() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, nullptr);
}

int interrupted_by() {
    return came.load();
}

}  // namespace firn
