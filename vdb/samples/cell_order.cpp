#include "samples/cell_order.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>

namespace firn {

namespace {

constexpr size_t chunk_size = 65536, buckets = 512;

/// The keys that occur, ascending. Most things lie in the cell of one that came shortly before: those are left out
/// before anything is sorted.
std::vector<uint64_t> distinct(const std::vector<uint64_t>& key, size_t chunks) {
    std::vector<std::vector<uint64_t>> found(chunks);
    tbb::parallel_for(size_t(0), chunks, [&](size_t chunk) {
        constexpr size_t remembered = 4096;
        std::vector<uint64_t> last(remembered, ~uint64_t(0));
        const size_t end = std::min(key.size(), (chunk + 1) * chunk_size);
        for (size_t i = chunk * chunk_size; i < end; ++i) {
            uint64_t& seen = last[(key[i] * 0x9e3779b97f4a7c15ull) >> 52];
            if (seen == key[i]) continue;
            seen = key[i];
            found[chunk].push_back(key[i]);
        }
    });
    std::vector<uint64_t> keys;
    for (const std::vector<uint64_t>& list : found) keys.insert(keys.end(), list.begin(), list.end());
    tbb::parallel_sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

}  // namespace

CellOrder order_by_cell(const std::vector<uint64_t>& key) {
    const size_t count = key.size(), chunks = (count + chunk_size - 1) / chunk_size;
    CellOrder order;
    order.keys = distinct(key, chunks);
    order.table = CellTable(order.keys);
    const size_t cells = order.keys.size(), bucket_size = cells / buckets + 1;

    // First into buckets of some cells, chunk after chunk; then each bucket by cell, in the processor's cache.
    std::vector<uint32_t> number(count), at(chunks * buckets, 0);
    tbb::parallel_for(size_t(0), chunks, [&](size_t chunk) {
        const size_t end = std::min(count, (chunk + 1) * chunk_size);
        for (size_t i = chunk * chunk_size; i < end; ++i) {
            number[i] = order.table.find(key[i]);
            ++at[chunk * buckets + number[i] / bucket_size];
        }
    });
    std::vector<uint32_t> bucket_begin(buckets + 1, 0);
    uint32_t sum = 0;
    for (size_t bucket = 0; bucket < buckets; ++bucket) {
        bucket_begin[bucket] = sum;
        for (size_t chunk = 0; chunk < chunks; ++chunk) {
            const uint32_t here = at[chunk * buckets + bucket];
            at[chunk * buckets + bucket] = sum;
            sum += here;
        }
    }
    bucket_begin[buckets] = sum;
    std::vector<uint32_t> rough(count);
    tbb::parallel_for(size_t(0), chunks, [&](size_t chunk) {
        const size_t end = std::min(count, (chunk + 1) * chunk_size);
        for (size_t i = chunk * chunk_size; i < end; ++i) {
            rough[at[chunk * buckets + number[i] / bucket_size]++] = static_cast<uint32_t>(i);
        }
    });
    order.begin.assign(cells + 1, 0);
    order.begin[cells] = sum;
    order.item.resize(count);
    tbb::parallel_for(size_t(0), buckets, [&](size_t bucket) {
        const size_t first = bucket * bucket_size, last = std::min(cells, first + bucket_size);
        if (first >= last) return;
        std::vector<uint32_t> next(last - first, 0);
        for (uint32_t i = bucket_begin[bucket]; i < bucket_begin[bucket + 1]; ++i) ++next[number[rough[i]] - first];
        uint32_t place = bucket_begin[bucket];
        for (size_t cell = first; cell < last; ++cell) {
            order.begin[cell] = place;
            place += next[cell - first];
            next[cell - first] = order.begin[cell];
        }
        for (uint32_t i = bucket_begin[bucket]; i < bucket_begin[bucket + 1]; ++i) {
            order.item[next[number[rough[i]] - first]++] = rough[i];
        }
    });
    return order;
}

}  // namespace firn
