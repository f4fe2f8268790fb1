#include "report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "chart.h"
#include "firn/error.h"
#include "firn/parameters.h"
#include "html_text.h"
#include "picture.h"
#include "temporary_folder.h"

namespace firn {
namespace {

const char* const hostile = "</title><script>alert('1')</script>&amp;\"' onload=x ]]> <!-- %";

RunLog hostile_log(int frame_count) {
    RunLog log;
    log.header.scene = hostile;
    log.header.device = hostile;
    log.header.version = hostile;
    log.header.first_frame = 1;
    log.header.last_frame = 48;
    log.header.spacing = 0.02f;
    log.header.solves = {{hostile, 1e-3}, {"shear", 3e-4}};
    Parameters parameters;
    parameters.young_modulus = 2e5f;
    for (const ParameterInfo& info : parameter_table())
        log.header.parameters.emplace_back(info.token, parameter_text(parameters, info));
    log.header.parameters.emplace_back(hostile, hostile);
    for (int n = 1; n <= frame_count; ++n) {
        FrameRecord frame;
        frame.frame = n;
        frame.substeps = n;
        frame.solves = {{4, n % 3 == 0 ? std::nan("") : std::pow(10.0, -n)}, {8, n % 2 == 0 ? 0 : 1e-3}};
        frame.kinetic_energy = n == 2 ? HUGE_VAL : n;
        frame.potential_energy = -n;
        frame.seconds = {{hostile, 0.5}, {"shear", 0.25}};
        frame.wall = 1;
        frame.warnings = {hostile, std::string("control \x01\x02 \xff bytes")};
        log.frames.push_back(frame);
    }
    return log;
}

bool has_python() {
    return std::system("python3 -c 'import xml.etree.ElementTree' >/dev/null 2>&1") == 0;
}

std::string check(const TemporaryFolder& folder, const std::string& page) {
    const std::string command =
        std::string("python3 ") + FIRN_CLI_TESTS + "/check_report.py " + page + " >" + folder.file("found") + " 2>&1";
    const int status = std::system(command.c_str());
    const std::string found = read_text(folder.file("found"));
    EXPECT_EQ(status, 0) << found;
    return found;
}

TEST(Report, IsWellFormedAndHarmlessWhateverTheNames) {
    if (!has_python()) GTEST_SKIP() << "python3 is not installed";
    const TemporaryFolder folder;
    write_png(folder.file("a.png"), Picture(8, 5));
    for (const int frames : {0, 1, 2, 48, 3000}) {
        write_report(folder.file("report.html"), hostile_log(frames),
                     {{folder.file("a.png"), "", hostile}, {"", png_bytes(Picture(3, 3)), "two"}});
        const std::string found = check(folder, folder.file("report.html"));
        const std::string title = std::filesystem::path(hostile).filename().string();
        EXPECT_EQ(found, (frames ? "10" : "0") + std::string(" 2 young_modulus ") + title + "\n");
    }
    // Three thousand frames make a page that still opens: lines and hover text are thinned out.
    EXPECT_LT(std::filesystem::file_size(folder.file("report.html")), 4'000'000u);
}

TEST(Report, APictureThatIsNoneIsAnError) {
    const TemporaryFolder folder;
    write_text(folder.file("a.png"), "text");
    EXPECT_THROW(write_report(folder.file("r.html"), hostile_log(1), {{folder.file("a.png"), "", "a"}}), Error);
    EXPECT_THROW(write_report(folder.file("r.html"), hostile_log(1), {{folder.file("none.png"), "", "a"}}), Error);
    EXPECT_FALSE(std::filesystem::exists(folder.file("r.html")));
}

TEST(HtmlText, EscapesWhatMeansSomething) {
    EXPECT_EQ(html_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
    EXPECT_EQ(html_text("h\xc3\xa9 \xe2\x80\xaf \xf0\x9f\x8c\xa8"), "h\xc3\xa9 \xe2\x80\xaf \xf0\x9f\x8c\xa8");
    const std::string bad = "\xef\xbf\xbd";
    EXPECT_EQ(html_text("\x01"), bad);
    EXPECT_EQ(html_text(std::string(1, '\0')), bad);
    EXPECT_EQ(html_text("\xff"), bad);
    EXPECT_EQ(html_text("\xc3"), bad);                      // cut
    EXPECT_EQ(html_text("\xc0\xaf"), bad + bad);            // overlong
    EXPECT_EQ(html_text("\xed\xa0\x80"), bad + bad + bad);  // a surrogate
}

TEST(Chart, TicksAreRoundAndCover) {
    for (const auto& [low, high] : {std::pair{0.0, 1.0}, {0.0, 0.037}, {-3.0, 12.0}, {1e-9, 5e-9}, {0.0, 7.2e8}}) {
        const std::vector<double> ticks = round_ticks(low, high, 5);
        ASSERT_GE(ticks.size(), 3u);
        ASSERT_LE(ticks.size(), 11u);
        const double step = ticks[1] - ticks[0];
        const double digit = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
        EXPECT_TRUE(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 || std::abs(digit - 5) < 1e-6) << step;
        EXPECT_LT(ticks.front() - low, step);
        EXPECT_LT(high - ticks.back(), step);
        for (size_t i = 0; i < ticks.size(); ++i)
            EXPECT_NEAR(ticks[i] / step, std::round(ticks[i] / step), 1e-6);  // zero would be one of them
    }
    EXPECT_EQ(round_ticks(3, 3, 5).size(), 1u);
    EXPECT_EQ(round_ticks(0, HUGE_VAL, 5).size(), 1u);
    // Neighbours in double precision, as the means of a quantity that does not change.
    EXPECT_EQ(round_ticks(2.0, std::nextafter(2.0, 3.0), 5).size(), 1u);
    EXPECT_EQ(round_ticks(-1e300, std::nextafter(-1e300, 0.0), 5).size(), 1u);
}

/// The substeps of frames that were cut into equal ones.
TEST(Chart, ValuesThatDifferByRoundingAreOneValue) {
    for (const double sign : {1.0, -1.0}) {
        Chart chart;
        chart.x = {1, 2};
        chart.series = {{"a", {sign * 0.004166666666666666, sign * 0.004166666666666667}}};
        const std::string html = chart_html(chart, "c");
        EXPECT_EQ(html.find("nan"), std::string::npos) << html;
        EXPECT_NE(html.find(">0<"), std::string::npos) << html;  // a tick
    }
}

TEST(Chart, LinesGoThroughTheValues) {
    Chart chart;
    chart.x = {1, 2, 3};
    chart.series = {{"a", {0, 10, std::nan("")}}};
    const std::string html = chart_html(chart, "c");
    // The plot is 62..608 by 10..210: frames 0.5..3.5 across, values 0..10 up.
    EXPECT_NE(html.find("d=\"M153.0 210.0L335.0 10.0\""), std::string::npos) << html;
    EXPECT_NE(html.find("frame 3\na: none"), std::string::npos);
}

TEST(Chart, NumbersAreShort) {
    EXPECT_EQ(number_text(0), "0");
    EXPECT_EQ(number_text(0.1 + 0.2), "0.3");
    EXPECT_EQ(number_text(1234567), "1\u202f234\u202f567");
    EXPECT_EQ(number_text(-20000), "-20\u202f000");
    EXPECT_EQ(number_text(1.23456e-7), "1.235e-07");
    EXPECT_EQ(number_text(HUGE_VAL), "not finite");
}

}  // namespace
}  // namespace firn
