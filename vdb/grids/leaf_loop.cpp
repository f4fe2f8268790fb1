#include "leaf_loop.h"

#include <map>
#include <mutex>

namespace firn {

tbb::task_arena& arena_of(int threads) {
    // Never destroyed: at the program's end TBB may be gone before they are.
    static std::mutex& mutex = *new std::mutex;
    static std::map<int, tbb::task_arena>& arenas = *new std::map<int, tbb::task_arena>;
    const std::lock_guard<std::mutex> lock(mutex);
    const int key = threads > 0 ? threads : 0;
    const auto known = arenas.find(key);
    if (known != arenas.end()) return known->second;
    constexpr int all_cores = tbb::task_arena::automatic;
    return arenas.try_emplace(key, key > 0 ? key : all_cores).first->second;
}

}  // namespace firn
