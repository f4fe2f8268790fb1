#include "thread_limit.h"

#include <tbb/global_control.h>
#include <tbb/info.h>

#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "firn/error.h"

namespace firn {

namespace {

/// Starts so many, this one among them, all at once, and lets them end.
void try_threads(int count) {
    std::mutex gate;
    std::unique_lock<std::mutex> closed(gate);
    std::vector<std::thread> started;
    int reason = 0;
    try {
        while (static_cast<int>(started.size()) < count - 1)
            started.emplace_back([&] { const std::lock_guard<std::mutex> pass(gate); });
    } catch (const std::system_error& error) {
        reason = error.code().value();
    }
    closed.unlock();
    for (std::thread& thread : started) thread.join();
    if (reason == 0) return;
    throw Error("the system lets firn start no more than " + std::to_string(started.size() + 1) + " of " +
                std::to_string(count) + " threads (" + std::strerror(reason) +
                "); raise the limit (ulimit -u), or ask for fewer with --threads");
}

}  // namespace

std::string limit_threads(int& threads) {
    const int cores = tbb::info::default_concurrency();
    std::string warning;
    if (threads > cores) {
        warning = std::to_string(threads) + " threads are more than the " + std::to_string(cores) +
                  (cores == 1 ? " core" : " cores") + " that firn may use; it runs on " + std::to_string(cores);
        threads = cores;
    }
    try_threads(threads > 0 ? threads : cores);
    if (threads > 0 && threads < cores) {
        // Never destroyed: TBB would then start the threads that it was denied.
        static const auto* const kept =
            new tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
        (void)kept;
    }
    return warning;
}

}  // namespace firn
