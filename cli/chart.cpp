#include "chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "html_text.h"

namespace firn {

namespace {

// In the units of the SVG's view box.
constexpr double width = 620, height = 250;
constexpr double left = 62, right = 12, top = 10, bottom = 40;
constexpr size_t hover_limit = 300;    ///< bands that answer the mouse; more frames share one
constexpr size_t detail_limit = 1200;  ///< points of a line; beyond, each stretch keeps its lowest and highest

std::string coordinate(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

std::string power_of_ten(int exponent) {
    static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = exponent < 0 ? "10⁻" : "10";
    for (const char digit : std::to_string(std::abs(exponent))) text += digits[digit - '0'];
    return text;
}

/// Where values and frames stand in the picture.
struct Axes {
    double x_low, x_high, y_low, y_high;
    bool log;

    double x(double value) const { return left + (value - x_low) / (x_high - x_low) * (width - left - right); }
    double y(double value) const {
        const double v = log ? std::log10(value) : value;
        return top + (y_high - v) / (y_high - y_low) * (height - top - bottom);
    }
    bool shows(double value) const { return std::isfinite(value) && (!log || value > 0); }
};

Axes make_axes(const Chart& chart) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const auto take = [&](double value) {
        if (!std::isfinite(value) || (chart.log_axis && value <= 0)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    };
    for (size_t i = 0; i < chart.x.size(); ++i) {
        double sum = 0;
        for (const ChartSeries& series : chart.series) {
            if (i >= series.values.size()) continue;
            if (chart.kind == Chart::Kind::stacked && std::isfinite(series.values[i]))
                take(sum += std::max(0.0, series.values[i]));
            if (chart.kind == Chart::Kind::lines) take(series.values[i]);
        }
    }
    for (const Chart::Reference& reference : chart.references) take(reference.value);
    Axes axes;
    axes.log = chart.log_axis;
    axes.x_low = chart.x.empty() ? 0 : chart.x.front() - 0.5;
    axes.x_high = chart.x.empty() ? 1 : chart.x.back() + 0.5;
    if (!(low <= high)) low = high = chart.log_axis ? 1 : 0;
    if (chart.log_axis) {
        axes.y_low = std::floor(std::log10(low) - 1e-9);
        axes.y_high = std::ceil(std::log10(high) + 1e-9);
        return axes;
    }
    // From zero, unless all lies in a narrow range far from it.
    if (low > -0.02 * high && low < 0.6 * high) low = 0;
    if (chart.kind == Chart::Kind::stacked) low = 0;
    if (high < 0 && high > 0.6 * low) high = 0;
    // Values that differ by rounding alone are one value.
    if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high))) {
        low = std::min(0.0, low);
        high = std::max(high, 0.0);
        if (high == low) high = 1;
    }
    const std::vector<double> ticks = round_ticks(low, high, 5);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : high - low;
    axes.y_low = std::floor(low / step + 1e-9) * step;
    axes.y_high = std::ceil(high / step - 1e-9) * step;
    return axes;
}

std::string line_path(const Chart& chart, const ChartSeries& series, const Axes& axes) {
    std::string path;
    bool pen_down = false;
    const auto to = [&](size_t i) {
        path += (pen_down ? "L" : "M") + coordinate(axes.x(chart.x[i])) + " " + coordinate(axes.y(series.values[i]));
        pen_down = true;
    };
    const size_t count = std::min(chart.x.size(), series.values.size());
    const size_t stretch = count > detail_limit ? (2 * count + detail_limit - 1) / detail_limit : 1;
    for (size_t begin = 0; begin < count; begin += stretch) {
        size_t least = count, most = count;
        for (size_t i = begin; i < std::min(count, begin + stretch); ++i) {
            if (!axes.shows(series.values[i])) continue;
            if (least == count || series.values[i] < series.values[least]) least = i;
            if (most == count || series.values[i] > series.values[most]) most = i;
        }
        if (least == count) {
            pen_down = false;
            continue;
        }
        to(std::min(least, most));
        if (least != most) to(std::max(least, most));
    }
    return path;
}

/// The band between the sum of the series below and that with this one, one step per frame.
std::string stack_path(const Chart& chart, const std::vector<double>& below, const std::vector<double>& above,
                       const Axes& axes) {
    std::string path;
    const auto edges = [&](size_t i) {
        const double before = i == 0 ? axes.x_low : 0.5 * (chart.x[i - 1] + chart.x[i]);
        const double after = i + 1 == chart.x.size() ? axes.x_high : 0.5 * (chart.x[i] + chart.x[i + 1]);
        return std::pair{axes.x(before), axes.x(after)};
    };
    for (size_t i = 0; i < chart.x.size(); ++i) {
        const auto [from, to] = edges(i);
        path += (i == 0 ? "M" : "L") + coordinate(from) + " " + coordinate(axes.y(above[i])) + "H" + coordinate(to);
    }
    for (size_t i = chart.x.size(); i-- > 0;) {
        const auto [from, to] = edges(i);
        path += "L" + coordinate(to) + " " + coordinate(axes.y(below[i])) + "H" + coordinate(from);
    }
    return path + "Z";
}

std::string with_unit(const std::string& number, const std::string& unit) {
    return unit.empty() ? number : number + " " + unit;
}

std::string grid(const Chart& chart, const Axes& axes) {
    std::string svg;
    const auto level = [&](double y, const std::string& label) {
        svg += "<line class=\"grid\" x1=\"" + coordinate(left) + "\" x2=\"" + coordinate(width - right) + "\" y1=\"" +
               coordinate(y) + "\" y2=\"" + coordinate(y) + "\"/><text class=\"tick\" text-anchor=\"end\" x=\"" +
               coordinate(left - 7) + "\" y=\"" + coordinate(y + 4) + "\">" + label + "</text>\n";
    };
    if (axes.log) {
        const int low = static_cast<int>(axes.y_low), high = static_cast<int>(axes.y_high);
        const int step = std::max(1, (high - low + 5) / 6);
        for (int e = low; e <= high; e += step) level(axes.y(std::pow(10.0, e)), power_of_ten(e));
    } else {
        for (const double tick : round_ticks(axes.y_low, axes.y_high, 5)) level(axes.y(tick), number_text(tick));
    }
    const double foot = height - bottom;
    svg += "<line class=\"axis\" x1=\"" + coordinate(left) + "\" x2=\"" + coordinate(width - right) + "\" y1=\"" +
           coordinate(foot) + "\" y2=\"" + coordinate(foot) + "\"/>\n";
    for (const double tick : round_ticks(axes.x_low, axes.x_high, 8)) {
        if (tick != std::floor(tick)) continue;  // there are no half frames
        const std::string x = coordinate(axes.x(tick));
        svg += "<line class=\"axis\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + coordinate(foot) + "\" y2=\"" +
               coordinate(foot + 4) + "\"/><text class=\"tick\" text-anchor=\"middle\" x=\"" + x + "\" y=\"" +
               coordinate(foot + 17) + "\">" + number_text(tick) + "</text>\n";
    }
    svg += "<text class=\"tick\" text-anchor=\"end\" x=\"" + coordinate(width - right) + "\" y=\"" +
           coordinate(height - 6) + "\">frame</text>\n";
    if (!chart.unit.empty())
        svg += "<text class=\"tick\" text-anchor=\"middle\" transform=\"translate(12 " +
               coordinate((top + height - bottom) / 2) + ") rotate(-90)\">" + html_text(chart.unit) + "</text>\n";
    return svg;
}

/// What the mouse finds: a band for each frame, with all of its numbers.
std::string hover_bands(const Chart& chart, const Axes& axes) {
    std::string svg;
    const size_t stretch = (chart.x.size() + hover_limit - 1) / hover_limit;
    for (size_t i = 0; i < chart.x.size(); i += stretch) {
        const size_t next = i + stretch;
        const double from = i == 0 ? axes.x_low : 0.5 * (chart.x[i - 1] + chart.x[i]);
        const double to = next >= chart.x.size() ? axes.x_high : 0.5 * (chart.x[next - 1] + chart.x[next]);
        std::string text = "frame " + std::to_string(chart.x[i]);
        for (const ChartSeries& series : chart.series)
            if (i < series.values.size())
                text +=
                    "\n" + series.name + ": " +
                    (std::isfinite(series.values[i]) ? with_unit(number_text(series.values[i]), chart.unit) : "none");
        svg += "<rect class=\"hover\" x=\"" + coordinate(axes.x(from)) + "\" y=\"" + coordinate(top) + "\" width=\"" +
               coordinate(axes.x(to) - axes.x(from)) + "\" height=\"" + coordinate(height - top - bottom) +
               "\"><title>" + html_text(text) + "</title></rect>\n";
    }
    return svg;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
    std::vector<double> ticks;
    const double rough = (high - low) / std::max(1, count);
    if (!(rough > 0) || !std::isfinite(rough)) return {low};
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double step = power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
    const double first = std::ceil(low / step - 1e-6), last = std::floor(high / step + 1e-6);
    // A range that is tiny beside its distance from zero has no round values in double precision: there, n + 1 is n.
    if (!(last - first < 1000) || std::max(std::abs(first), std::abs(last)) > 1e12) return {low};
    for (double n = first; n <= last; ++n) ticks.push_back(n == 0 ? 0.0 : n * step);
    return ticks;
}

std::string number_text(double value) {
    char text[40];
    if (!std::isfinite(value)) return "not finite";
    const double size = std::abs(value);
    if (size >= 1e4 && size < 1e15 && value == std::floor(value)) {
        // Whole and large: in groups of three, with thin spaces.
        std::snprintf(text, sizeof text, "%.0f", size);
        std::string digits = text;
        for (size_t i = digits.size(); i > 3;) digits.insert(i -= 3, "\u202f");
        return (value < 0 ? "-" : "") + digits;
    }
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string chart_html(const Chart& chart, const std::string& id) {
    const Axes axes = make_axes(chart);
    std::string legend, marks;
    std::vector<double> below(chart.x.size(), 0.0);
    for (size_t s = 0; s < chart.series.size(); ++s) {
        const ChartSeries& series = chart.series[s];
        const std::string colour = "c" + std::to_string(s % 8);
        legend += "<li><span class=\"swatch " + colour + "\"></span>" + html_text(series.name) + "</li>";
        if (chart.kind == Chart::Kind::stacked) {
            std::vector<double> above = below;
            for (size_t i = 0; i < above.size() && i < series.values.size(); ++i)
                if (std::isfinite(series.values[i])) above[i] += std::max(0.0, series.values[i]);
            if (!chart.x.empty())
                marks += "<path class=\"area " + colour + "\" d=\"" + stack_path(chart, below, above, axes) + "\"/>\n";
            below = std::move(above);
            continue;
        }
        const std::string path = line_path(chart, series, axes);
        if (!path.empty()) marks += "<path class=\"line " + colour + "\" d=\"" + path + "\"/>\n";
        // A few points are shown as points: one alone would make no line.
        if (chart.x.size() <= 60)
            for (size_t i = 0; i < std::min(chart.x.size(), series.values.size()); ++i)
                if (axes.shows(series.values[i]))
                    marks += "<circle class=\"dot " + colour + "\" r=\"2.2\" cx=\"" + coordinate(axes.x(chart.x[i])) +
                             "\" cy=\"" + coordinate(axes.y(series.values[i])) + "\"/>\n";
    }
    for (const Chart::Reference& reference : chart.references) {
        if (!axes.shows(reference.value)) continue;
        const double y = axes.y(reference.value);
        marks += "<line class=\"reference\" x1=\"" + coordinate(left) + "\" x2=\"" + coordinate(width - right) +
                 "\" y1=\"" + coordinate(y) + "\" y2=\"" + coordinate(y) +
                 "\"/><text class=\"tick\" text-anchor=\"end\" x=\"" + coordinate(width - right - 3) + "\" y=\"" +
                 coordinate(y - 4) + "\">" + html_text(reference.name) + "</text>\n";
    }
    return "<figure class=\"chart\"><figcaption id=\"" + id + "-title\"><b>" + html_text(chart.title) + "</b> " +
           html_text(chart.description) + "</figcaption>\n<ul class=\"legend\">" + legend +
           "</ul>\n<svg viewBox=\"0 0 " + coordinate(width) + " " + coordinate(height) +
           "\" role=\"img\" aria-labelledby=\"" + id + "-name " + id + "-desc\"><title id=\"" + id + "-name\">" +
           html_text(chart.title) + "</title><desc id=\"" + id + "-desc\">" + html_text(chart.description) +
           "</desc>\n" + grid(chart, axes) + marks + hover_bands(chart, axes) + "</svg></figure>\n";
}

}  // namespace firn
