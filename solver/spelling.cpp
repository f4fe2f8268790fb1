#include "firn/spelling.h"

#include <algorithm>
#include <cctype>

namespace firn {

size_t edit_distance(const std::string& from, const std::string& to) {
    // Optimal string alignment, three rows of the table at a time.
    std::vector<size_t> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
    for (size_t k = 0; k <= to.size(); ++k) last[k] = k;
    for (size_t i = 1; i <= from.size(); ++i) {
        row[0] = i;
        for (size_t k = 1; k <= to.size(); ++k) {
            const size_t change = from[i - 1] == to[k - 1] ? 0 : 1;
            row[k] = std::min({last[k] + 1, row[k - 1] + 1, last[k - 1] + change});
            if (i > 1 && k > 1 && from[i - 1] == to[k - 2] && from[i - 2] == to[k - 1])
                row[k] = std::min(row[k], before[k - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[to.size()];
}

std::string nearest_word(const std::string& wanted, const std::vector<std::string>& known) {
    // A hostile file may have keys of a megabyte; nobody means a known word with those.
    constexpr size_t longest = 64;
    if (wanted.size() > longest) return "";
    const auto lower = [](std::string text) {
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(c == '-' ? '_' : std::tolower(c)); });
        return text;
    };
    std::string best;
    size_t least = 1 + wanted.size() / 3;  // one slip for each three letters
    const std::string plain = lower(wanted);
    for (const std::string& word : known) {
        size_t distance = edit_distance(plain, lower(word));
        // "rad" for "radius", "friction_coefficient" for "friction".
        const bool begins = plain.size() >= 3 && (word.rfind(plain, 0) == 0 || plain.rfind(word + "_", 0) == 0);
        if (begins) distance = std::min(distance, size_t(1));
        if (distance <= least && (best.empty() || distance < least)) {
            best = word;
            least = distance;
        }
    }
    return best;
}

std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& known) {
    const std::string word = nearest_word(wanted, known);
    return word.empty() ? "" : "; did you mean '" + word + "'?";
}

}  // namespace firn
