// Feeds every file of a folder to a fuzz target, without libFuzzer; then, for so many seconds, files that are made from
// them by chance. It has no eye for which are new, as libFuzzer has, but runs in every build.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<char>;

void feed(const Bytes& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

/// One file with a few changes: bits, numbers, parts left out, and parts of another.
Bytes changed(const std::vector<Bytes>& corpus, std::mt19937& chance) {
    const auto below = [&](size_t limit) { return limit == 0 ? 0 : chance() % limit; };
    Bytes bytes = corpus[below(corpus.size())];
    for (size_t change = 0, changes = 1 + below(4); change < changes; ++change) {
        const size_t at = below(bytes.size() + 1);
        const size_t length = std::min<size_t>(bytes.size() - at, 1 + below(32));
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const Bytes& other = corpus[below(corpus.size())];
        const size_t from = below(other.size() + 1);
        switch (below(5)) {
            case 0:
                if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                bytes.resize(at);
                break;
            case 2:
                bytes.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
                break;
            case 3:
                std::fill_n(begin, length, static_cast<char>(below(2) ? 0xff : below(256)));
                break;
            default:
                bytes.insert(begin, other.begin() + static_cast<std::ptrdiff_t>(from),
                             other.begin() + static_cast<std::ptrdiff_t>(from + below(other.size() - from + 1)));
        }
    }
    bytes.resize(std::min<size_t>(bytes.size(), 1 << 20));
    return bytes;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3 || !std::filesystem::is_directory(argv[1])) {
        std::fprintf(stderr, "usage: %s FOLDER [SECONDS]\n", argv[0]);
        return 2;
    }
    std::vector<Bytes> corpus;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
        std::ifstream file(entry.path(), std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        feed(corpus.back());
    }
    std::printf("%zu files\n", corpus.size());
    if (corpus.empty()) return 1;  // a corpus that got lost must not pass
    // The same files in every run, in whatever order the folder lists them.
    std::sort(corpus.begin(), corpus.end());
    std::mt19937 chance(2020);
    size_t count = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(argc > 2 ? std::atoi(argv[2]) : 0);
    for (; std::chrono::steady_clock::now() < end; ++count) feed(changed(corpus, chance));
    std::printf("%zu changed files, no crash\n", count);
    return 0;
}
