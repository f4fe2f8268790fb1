#pragma once

// Charts as inline SVG for the report: no script, colours from the page's style sheet.

#include <string>
#include <vector>

namespace firn {

struct ChartSeries {
    std::string name;
    std::vector<double> values;  ///< one per x; what is not finite leaves a gap
};

struct Chart {
    std::string title;
    std::string description;  ///< for who can't see it, and below the title
    std::string unit;         ///< of the values; "" = none
    enum class Kind { lines, stacked } kind = Kind::lines;
    bool log_axis = false;  ///< lines only; values of zero and below leave gaps
    std::vector<int> x;     ///< frames, ascending
    std::vector<ChartSeries> series;
    struct Reference {
        std::string name;
        double value;
    };
    std::vector<Reference> references;  ///< dashed levels
};

/// A <figure> with the chart, a legend, and the numbers of each frame as hover text. `id` is unique in the page.
std::string chart_html(const Chart&, const std::string& id);

/// About `count` round values that cover low..high, 1, 2 or 5 times a power of ten apart.
std::vector<double> round_ticks(double low, double high, int count);

/// For people: three or four digits, no needless zeros.
std::string number_text(double);

}  // namespace firn
