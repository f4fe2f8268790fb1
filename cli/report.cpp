#include "report.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "chart.h"
#include "firn/error.h"
#include "firn/new_file.h"
#include "firn/parameters.h"
#include "firn/regular_file.h"
#include "html_text.h"

namespace firn {

namespace {

const char* const style = R"(
:root { color-scheme: light dark; --back: #fbfbfa; --card: #ffffff; --text: #1c1f23; --soft: #5d6570; --rule: #dfe2e6;
  --mark: #fff3cd; --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b5478c; --c4: #c08a00; --c5: #4fa3d8; --c6: #6b5fb5;
  --c7: #7d8590; }
@media (prefers-color-scheme: dark) { :root { --back: #15181c; --card: #1e2227; --text: #e7e9ec; --soft: #a3abb5;
  --rule: #363c44; --mark: #4a3f17; --c0: #4aa8e0; --c1: #f28b45; --c2: #35c79b; --c3: #de83bb; --c4: #e3b53a; --c5: #8fcbf0;
  --c6: #a79df0; --c7: #9aa3ad; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1400px; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif; }
h1 { font-size: 26px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 36px 0 12px; }
p { margin: 4px 0; max-width: 75ch; }
.soft { color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 12px; margin: 20px 0 0; }
.tiles div { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 10px 14px; }
.tiles dt { color: var(--soft); font-size: 13px; }
.tiles dd { margin: 0; font-size: 19px; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tiles dd.long { font-size: 15px; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 520px), 1fr)); gap: 16px; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr)); gap: 14px; }
figure { margin: 0; }
.chart { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 12px 14px 8px; }
.chart figcaption { font-size: 13.5px; color: var(--soft); }
.chart figcaption b { color: var(--text); font-size: 15px; display: block; }
.legend { list-style: none; margin: 6px 0 2px; padding: 0; display: flex; flex-wrap: wrap; gap: 2px 16px; font-size: 13px; }
.swatch { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; background: var(--colour); }
svg { display: block; width: 100%; height: auto; }
.tick { font-size: 11.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
.grid { stroke: var(--rule); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.line { fill: none; stroke: var(--colour); stroke-width: 1.8; stroke-linejoin: round; }
.dot { fill: var(--colour); }
.area { fill: var(--colour); fill-opacity: 0.85; }
.reference { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 5 4; }
.hover { fill: transparent; }
.hover:hover { fill: var(--soft); fill-opacity: 0.18; }
.pictures img { display: block; width: 100%; height: auto; border-radius: 6px; }
.pictures figcaption { font-size: 13px; color: var(--soft); padding: 4px 2px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; width: 100%; background: var(--card); border: 1px solid var(--rule); }
th, td { text-align: left; padding: 5px 10px; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
tr.changed td { background: var(--mark); }
tr.folder th { padding-top: 14px; color: var(--text); }
.warnings { border-left: 4px solid var(--c1); margin: 0; padding: 6px 12px 6px 30px; background: var(--card); }
details { margin-top: 12px; } summary { cursor: pointer; }
.c0 { --colour: var(--c0); } .c1 { --colour: var(--c1); } .c2 { --colour: var(--c2); } .c3 { --colour: var(--c3); }
.c4 { --colour: var(--c4); } .c5 { --colour: var(--c5); } .c6 { --colour: var(--c6); } .c7 { --colour: var(--c7); }
@media print { :root { --back: #fff; } body { padding: 0; max-width: none; font-size: 12px; }
  .chart, .pictures figure, .tiles div, tr { break-inside: avoid; } .charts { grid-template-columns: 1fr 1fr; }
  .swatch, .area, tr.changed td { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)";

std::string duration_text(double seconds) {
    char text[48];
    if (!std::isfinite(seconds)) return "unknown";
    if (seconds < 60)
        std::snprintf(text, sizeof text, "%.3g s", seconds);
    else if (seconds < 3600)
        std::snprintf(text, sizeof text, "%d min %02d s", static_cast<int>(seconds) / 60,
                      static_cast<int>(seconds) % 60);
    else
        std::snprintf(text, sizeof text, "%.0f h %02d min", std::floor(seconds / 3600),
                      static_cast<int>(std::fmod(seconds, 3600)) / 60);
    return text;
}

std::string bytes_text(double bytes) {
    char text[48];
    const bool large = bytes >= 1e9;
    std::snprintf(text, sizeof text, "%.*f %s", large ? 2 : 0, bytes / (large ? 1e9 : 1e6), large ? "GB" : "MB");
    return text;
}

/// "3", "3 to 7", "3, 5, 9 and 12 more"
std::string frames_text(const std::vector<int>& frames) {
    if (frames.size() == 1) return "frame " + std::to_string(frames[0]);
    const bool together = frames.back() - frames.front() + 1 == static_cast<int>(frames.size());
    if (together) return "frames " + std::to_string(frames.front()) + " to " + std::to_string(frames.back());
    std::string text = "frames ";
    const size_t shown = std::min<size_t>(frames.size(), 8);
    for (size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + std::to_string(frames[i]);
    if (shown < frames.size()) text += " and " + std::to_string(frames.size() - shown) + " more";
    return text;
}

std::string base64(const std::string& bytes) {
    static const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](size_t n) {
            return i + n < bytes.size() ? static_cast<unsigned char>(bytes[i + n]) : 0u;
        };
        const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (size_t n = 0; n < 4; ++n) text += i + n <= bytes.size() ? digits[group >> (18 - 6 * n) & 63] : '=';
    }
    return text;
}

std::string read_picture(const std::string& path) {
    require_regular_file(path);
    std::ifstream in(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in.good() && !in.eof()) throw Error(path + ": can't be read");
    if (bytes.rfind("\x89PNG\r\n\x1a\n", 0) != 0) throw Error(path + ": not a PNG picture");
    return bytes;
}

/// parameter_text() writes as many digits as bring the same float back; people want the fewest that do.
std::string short_value(const std::string& value) {
    std::istringstream words(value);
    std::string text, word;
    while (words >> word) {
        float number = 0;
        const char* end = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), end, number);
        if (error == std::errc() && stop == end && std::isfinite(number)) {
            char digits[32];
            word.assign(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
        }
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

std::string capital(std::string text) {
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

class Page {
public:
    Page(const RunLog& log, const std::vector<ReportPicture>& pictures) : log_(log), pictures_(pictures) {}

    std::string html() const {
        return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
               // Whatever a name may contain, the page can't load or run anything.
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
               "style-src 'unsafe-inline'\"/>\n<title>" +
               html_text(std::filesystem::path(log_.header.scene).filename().string()) +
               ": a run of Firn</title>\n<style>" + style + "</style></head>\n<body>\n" + summary() + warnings() +
               pictures() + charts() + limits() + parameters() + frames() + "</body></html>\n";
    }

private:
    std::string summary() const {
        const RunHeader& header = log_.header;
        const int wanted = header.last_frame - header.first_frame + 1;
        std::string html = "<header><h1>" + html_text(std::filesystem::path(header.scene).filename().string()) +
                           "</h1>\n<p class=\"soft\">" + html_text(header.scene) + ", simulated with Firn " +
                           html_text(header.version) + ".</p>\n";
        if (log_.frames.empty()) {
            html += "<p><b>No frame is finished yet.</b></p>\n";
        } else if (log_.frames.back().frame < header.last_frame) {
            html += "<p><b>Not finished:</b> the last frame so far is " + std::to_string(log_.frames.back().frame) +
                    " of " + std::to_string(header.last_frame) + ".</p>\n";
        }
        double wall = 0, most_bytes = 0, most_resident = 0, slowest = 0;
        uint64_t particles = 0, substeps = 0;
        for (const FrameRecord& frame : log_.frames) {
            if (std::isfinite(frame.wall)) wall += frame.wall;
            slowest = std::max(slowest, frame.wall);
            most_bytes = std::max(most_bytes, static_cast<double>(frame.bytes));
            most_resident = std::max(most_resident, static_cast<double>(frame.bytes_process));
            particles = std::max(particles, frame.particles);
            substeps += static_cast<uint64_t>(std::max(0, frame.substeps));
        }
        html += "<dl class=\"tiles\">\n";
        const auto tile = [&](const char* name, const std::string& value, const char* kind = "") {
            html += std::string("<div><dt>") + name + "</dt><dd class=\"" + kind + "\">" +
                    html_text(short_value(value)) + "</dd></div>\n";
        };
        tile("Frames", number_text(static_cast<double>(log_.frames.size())) + " of " + number_text(wanted) + " at " +
                           number_text(header.fps) + " fps");
        tile("Snow particles", number_text(static_cast<double>(particles)));
        uint64_t near = header.boundary_particles;
        for (const FrameRecord& frame : log_.frames) near = std::max(near, frame.boundary_particles);
        tile("Boundary particles", number_text(static_cast<double>(near)));
        tile("Spacing", number_text(1000 * static_cast<double>(header.spacing)) + " mm");
        tile("Substeps", number_text(static_cast<double>(substeps)));
        tile("Total time", duration_text(wall));
        if (!log_.frames.empty()) {
            tile("Time per frame",
                 duration_text(wall / static_cast<double>(log_.frames.size())) + ", slowest " + duration_text(slowest));
            tile("Memory", bytes_text(most_bytes) + " engine, " + bytes_text(most_resident) + " in all");
        }
        tile("Device", header.device, "long");
        return html + "</dl></header>\n";
    }

    std::string warnings() const {
        std::vector<std::string> order;
        std::map<std::string, std::vector<int>> frames_of;
        for (const FrameRecord& frame : log_.frames)
            for (const std::string& warning : frame.warnings) {
                std::vector<int>& frames = frames_of[warning];
                if (frames.empty()) order.push_back(warning);
                if (frames.empty() || frames.back() != frame.frame) frames.push_back(frame.frame);
            }
        if (order.empty()) return log_.frames.empty() ? "" : "<h2>Warnings</h2>\n<p class=\"soft\">None.</p>\n";
        std::string html = "<h2>Warnings</h2>\n<ul class=\"warnings\">\n";
        for (const std::string& warning : order)
            html += "<li>" + html_text(warning) + " <span class=\"soft\">(" + frames_text(frames_of[warning]) +
                    ")</span></li>\n";
        return html + "</ul>\n";
    }

    std::string pictures() const {
        if (pictures_.empty()) return "";
        std::string html = "<h2>Pictures</h2>\n<div class=\"pictures\">\n";
        for (const ReportPicture& picture : pictures_) {
            const std::string caption = html_text(picture.caption);
            html += "<figure><img alt=\"" + caption + "\" src=\"data:image/png;base64," +
                    base64(picture.png.empty() ? read_picture(picture.path) : picture.png) + "\"/><figcaption>" +
                    caption + "</figcaption></figure>\n";
        }
        return html + "</div>\n";
    }

    template <typename Value>
    ChartSeries series(const char* name, Value value) const {
        ChartSeries one;
        one.name = name;
        for (const FrameRecord& frame : log_.frames) one.values.push_back(static_cast<double>(value(frame)));
        return one;
    }

    Chart make(const char* title, const char* unit, const char* description, std::vector<ChartSeries> all) const {
        Chart chart;
        chart.title = title;
        chart.unit = unit;
        chart.description = description;
        chart.series = std::move(all);
        for (const FrameRecord& frame : log_.frames) chart.x.push_back(frame.frame);
        return chart;
    }

    /// Iterations and residuals of the method's solves.
    void add_solves(std::vector<Chart>& all) const {
        const std::vector<SolveName>& solves = log_.header.solves;
        std::vector<ChartSeries> iterations, residuals;
        for (size_t k = 0; k < solves.size(); ++k) {
            const auto figures = [k](const FrameRecord& f) {
                return k < f.solves.size() ? f.solves[k] : SolveFigures{std::nan(""), std::nan("")};
            };
            iterations.push_back(series(solves[k].name.c_str(), [&](const FrameRecord& f) {
                return f.substeps ? figures(f).iterations : std::nan("");
            }));
            residuals.push_back(
                series(solves[k].name.c_str(), [&](const FrameRecord& f) { return figures(f).residual; }));
        }
        all.push_back(make("Iterations", "", "Of each solve, mean over the frame's substeps.", std::move(iterations)));
        all.push_back(make("Residuals", "", "Largest that a solve of the frame ended with; dashed: the tolerances.",
                           std::move(residuals)));
        all.back().log_axis = true;
        const bool same = std::all_of(solves.begin(), solves.end(),
                                      [&](const SolveName& s) { return s.tolerance == solves.front().tolerance; });
        for (const SolveName& solve : solves) {
            if (std::isfinite(solve.tolerance) && solve.tolerance > 0)
                all.back().references.push_back({same ? "tolerance" : solve.name + " tolerance", solve.tolerance});
            if (same) break;
        }
    }

    std::string charts() const {
        if (log_.frames.empty()) return "";
        using F = FrameRecord;
        std::vector<Chart> all;
        all.push_back(make("Substeps", "", "Steps that each frame took.",
                           {series("substeps", [](const F& f) { return f.substeps; })}));
        all.push_back(make("Step length", "ms", "Shortest and longest step of each frame.",
                           {series("shortest", [](const F& f) { return f.substeps ? 1e3 * f.dt_min : std::nan(""); }),
                            series("longest", [](const F& f) { return f.substeps ? 1e3 * f.dt_max : std::nan(""); })}));
        if (!log_.header.solves.empty()) add_solves(all);
        all.push_back(make("Energy", "J", "Of all snow; potential energy counts from height zero.",
                           {series("kinetic", [](const F& f) { return f.kinetic_energy; }),
                            series("potential", [](const F& f) { return f.potential_energy; })}));
        all.push_back(make("Height", "m", "Lowest, mean and highest particle.",
                           {series("highest", [](const F& f) { return f.height_high; }),
                            series("mean", [](const F& f) { return f.height_mean; }),
                            series("lowest", [](const F& f) { return f.height_low; })}));
        all.push_back(
            make("Speed", "m/s", "Of the fastest particle.", {series("fastest", [](const F& f) { return f.speed; })}));
        all.push_back(
            make("Memory", "MB", "Held by the engine, and by the whole process.",
                 {series("engine", [](const F& f) { return 1e-6 * static_cast<double>(f.bytes); }),
                  series("process", [](const F& f) { return 1e-6 * static_cast<double>(f.bytes_process); })}));
        all.push_back(phases());
        all.push_back(make("Particles", "",
                           "Snow particles in the scene, those asleep, and boundary particles near snow that is awake.",
                           {series("snow", [](const F& f) { return f.particles; }),
                            series("asleep", [](const F& f) { return f.asleep; }),
                            series("boundary", [](const F& f) { return f.boundary_particles; })}));
        std::string html =
            "<h2>Charts</h2>\n<p class=\"soft\">Hold the mouse over a frame for its numbers.</p>\n"
            "<div class=\"charts\">\n";
        for (size_t i = 0; i < all.size(); ++i) html += chart_html(all[i], "chart" + std::to_string(i));
        return html + "</div>\n";
    }

    /// What made substeps short, over the whole run: the most frequent first, each with its shortest substep.
    std::string limits() const {
        struct Total {
            LimitRecord worst;
            int frame = 0, substeps = 0;
        };
        std::vector<Total> all;
        int substeps = 0;
        for (const FrameRecord& frame : log_.frames) {
            for (const LimitRecord& each : frame.limits) {
                substeps += each.substeps;
                const auto same = [&](const Total& known) {
                    return known.worst.limit == each.limit && known.worst.body == each.body;
                };
                auto known = std::find_if(all.begin(), all.end(), same);
                if (known == all.end()) known = all.insert(known, {each, frame.frame, 0});
                known->substeps += each.substeps;
                if (each.dt < known->worst.dt) {
                    known->worst = each;
                    known->frame = frame.frame;
                }
            }
        }
        if (all.empty()) return "";
        std::stable_sort(all.begin(), all.end(),
                         [](const Total& a, const Total& b) { return a.substeps > b.substeps; });
        std::string html =
            "<h2>What set the substeps</h2>\n<p class=\"soft\">The criterion or parameter that forbade a longer "
            "substep, and who asked for the shortest.</p>\n<div class=\"wide\"><table>\n<tr><th>Criterion</th>"
            "<th>Collider</th><th class=\"number\">Substeps</th><th class=\"number\">Share</th>"
            "<th class=\"number\">Shortest, ms</th><th class=\"number\">Frame</th><th>Who</th></tr>\n";
        for (const Total& each : all)
            html += "<tr><td class=\"code\">" + html_text(each.worst.limit) + "</td><td>" + html_text(each.worst.body) +
                    "</td><td class=\"number\">" + number_text(each.substeps) + "</td><td class=\"number\">" +
                    number_text(std::round(100.0 * each.substeps / substeps)) + " %</td><td class=\"number\">" +
                    number_text(1e3 * each.worst.dt) + "</td><td class=\"number\">" + number_text(each.frame) +
                    "</td><td>" + html_text(each.worst.who) + "</td></tr>\n";
        return html + "</table></div>\n";
    }

    /// What of a frame's time no phase accounts for is shown too.
    Chart phases() const {
        // In the order of the frame that has the most of them: the first frame may only have written files.
        const FrameRecord& fullest = *std::max_element(
            log_.frames.begin(), log_.frames.end(),
            [](const FrameRecord& a, const FrameRecord& b) { return a.seconds.size() < b.seconds.size(); });
        std::vector<std::string> names;
        for (const auto& phase : fullest.seconds) names.push_back(phase.first);
        for (const FrameRecord& frame : log_.frames)
            for (const auto& phase : frame.seconds)
                if (std::find(names.begin(), names.end(), phase.first) == names.end()) names.push_back(phase.first);
        std::vector<ChartSeries> all;
        for (const std::string& name : names)
            all.push_back(series(name.c_str(), [&](const FrameRecord& f) { return phase_seconds(f, name); }));
        all.push_back(series("other", [&](const FrameRecord& f) {
            double rest = f.wall;
            for (const auto& phase : f.seconds) rest -= phase.second;
            return std::max(0.0, rest);
        }));
        Chart chart = make("Time by phase", "s", "Wall-clock time of each frame, phase upon phase.", std::move(all));
        chart.kind = Chart::Kind::stacked;
        return chart;
    }

    static double phase_seconds(const FrameRecord& frame, const std::string& name) {
        for (const auto& [phase, seconds] : frame.seconds)
            if (phase == name) return seconds;
        return 0;
    }

    std::string parameters() const {
        if (log_.header.parameters.empty()) return "";
        std::string html =
            "<h2>Parameters</h2>\n<p class=\"soft\">Marked: not the default.</p>\n<div class=\"wide\"><table>\n"
            "<tr><th>Parameter</th><th class=\"number\">Value</th><th>Unit</th><th class=\"number\">Default</th>"
            "<th>Token</th><th>What it does</th></tr>\n";
        const Parameters initial;
        std::string folder;
        for (const auto& [token, value] : log_.header.parameters) {
            const ParameterInfo* info = find_parameter(token);
            const std::string initial_value = info ? parameter_text(initial, *info) : "";
            if (info && folder != info->folder) {
                folder = info->folder;
                html += "<tr class=\"folder\"><th colspan=\"6\">" + html_text(folder) + "</th></tr>\n";
            }
            html += info && value != initial_value ? "<tr class=\"changed\">" : "<tr>";
            html += "<td>" + html_text(info ? info->label : token) + "</td><td class=\"number\">" +
                    html_text(short_value(value)) + "</td><td>" + html_text(info ? info->unit : "") +
                    "</td><td class=\"number\">" + html_text(short_value(initial_value)) + "</td><td class=\"code\">" +
                    html_text(token) + "</td><td>" + html_text(info ? info->help : "") + "</td></tr>\n";
        }
        return html + "</table></div>\n";
    }

    /// The charts as numbers, for who can't see them or wants to copy them.
    std::string frames() const {
        if (log_.frames.empty()) return "";
        std::string html =
            "<h2>Frames</h2>\n<details><summary>All numbers as a table</summary>\n<div class=\"wide\"><table>\n<tr>";
        std::vector<std::string> names = {"Frame", "Time, s", "Particles", "Substeps"};
        for (const SolveName& solve : log_.header.solves) names.push_back(capital(solve.name) + " iterations");
        for (const SolveName& solve : log_.header.solves) names.push_back(capital(solve.name) + " residual");
        for (const char* name : {"Kinetic energy, J", "Potential energy, J", "Mean height, m", "Fastest, m/s",
                                 "Mass, kg", "Engine, MB", "Wall clock, s"})
            names.push_back(name);
        for (const std::string& name : names) html += "<th class=\"number\">" + html_text(name) + "</th>";
        html += "</tr>\n";
        for (const FrameRecord& f : log_.frames) {
            std::vector<double> values = {double(f.frame), f.time, static_cast<double>(f.particles),
                                          double(f.substeps)};
            for (const SolveFigures& solve : f.solves) values.push_back(solve.iterations);
            for (const SolveFigures& solve : f.solves) values.push_back(solve.residual);
            for (const double value : {f.kinetic_energy, f.potential_energy, f.height_mean, f.speed, f.mass,
                                       1e-6 * static_cast<double>(f.bytes), f.wall})
                values.push_back(value);
            html += "<tr>";
            for (const double value : values) html += "<td class=\"number\">" + number_text(value) + "</td>";
            html += "</tr>\n";
        }
        return html + "</table></div></details>\n";
    }

    const RunLog& log_;
    const std::vector<ReportPicture>& pictures_;
};

}  // namespace

void write_report(const std::string& path, const RunLog& log, const std::vector<ReportPicture>& pictures) {
    const std::string html = Page(log, pictures).html();
    NewFile file(path);
    std::ofstream out(file.temporary(), std::ios::binary);
    out << html;
    out.close();
    if (!out) throw Error(path + ": can't be written; is the disk full, or the folder read-only?");
    file.commit();
}

}  // namespace firn
