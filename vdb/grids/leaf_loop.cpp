#include "leaf_loop.h"

#include <map>
#include <mutex>

namespace firn {

tbb::task_arena& arena_of(int threads) {
    // Never destroyed: at the program's end TBB may be gone before they are.
    static std::mutex& mutex = *new std::mutex;
    static std::map<int, tbb::task_arena>& arenas = *new std::map<int, tbb::task_arena>;
    const std::lock_guard<std::mutex> lock(mutex);
    constexpr int all_cores = tbb::task_arena::automatic;
    tbb::task_arena& all = arenas.try_emplace(0, all_cores).first->second;
    all.initialize();
    // More than there are cores are slower, and TBB says so on the terminal.
    if (threads <= 0 || threads >= all.max_concurrency()) return all;
    return arenas.try_emplace(threads, threads).first->second;
}

}  // namespace firn
