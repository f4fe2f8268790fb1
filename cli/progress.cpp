#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace firn {

uint64_t resident_bytes() {
    uint64_t total = 0, resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        unsigned long long a = 0, b = 0;
        if (std::fscanf(file, "%llu %llu", &a, &b) == 2) {
            total = a;
            resident = b;
        }
        std::fclose(file);
    }
    return total ? resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

std::string clock_text(double seconds) {
    const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
    char text[32];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
    return text;
}

std::string bytes_text(double bytes) {
    const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (bytes >= 1000 && unit < 5) {
        bytes /= 1000;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 || bytes >= 100 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
    return text;
}

std::string count_text(uint64_t count) {
    std::string digits = std::to_string(count);
    for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
}

ProgressView::Style ProgressView::fitting(bool quiet) {
    if (quiet) return Style::quiet;
    return ::isatty(STDERR_FILENO) ? Style::bar : Style::lines;
}

ProgressView::ProgressView(Style style, int first_frame, int last_frame)
    : style_(style), first_frame_(first_frame), last_frame_(last_frame), began_(Clock::now()), drawn_(began_) {}

ProgressView::~ProgressView() {
    erase();
}

void ProgressView::say(const std::string& line) {
    if (style_ != Style::quiet) warn(line);
}

void ProgressView::warn(const std::string& line) {
    erase();
    std::fprintf(stderr, "%s\n", line.c_str());
}

void ProgressView::start(int frame_done, uint64_t particles) {
    started_at_ = frame_ = frame_done;
    particles_ = particles;
    began_ = Clock::now();
    draw(true);
}

void ProgressView::within_frame(const Progress& progress) {
    fraction_ = progress.fraction;
    substep_ = progress.substep;
    iteration_ = progress.iteration;
    phase_.clear();
    draw(false);
}

void ProgressView::phase(const std::string& what) {
    phase_ = what;
    draw(true);
}

void ProgressView::substeps(int frame, int done, const FrameReport& report) {
    if (!substeps_) return;
    for (const SubstepReport& substep : report.substeps) {
        char text[64];
        std::snprintf(text, sizeof text, "frame %d  substep %d  %.3g ms  ", frame, ++done, 1e3 * substep.dt);
        say(text + limit_text(substep.limit));
    }
}

void ProgressView::frame_done(const FrameRecord& record) {
    frame_ = record.frame;
    fraction_ = 0;
    substep_ = iteration_ = 0;
    particles_ = record.particles;
    if (style_ == Style::lines) {
        std::string iterations;
        for (const SolveFigures& solve : record.solves) {
            char text[32];
            std::snprintf(text, sizeof text, "%s%.1f", iterations.empty() ? "  iterations " : " + ", solve.iterations);
            iterations += text;
        }
        std::string asleep;
        if (record.asleep > 0 && record.particles > 0)
            asleep = " (" + std::to_string(100 * record.asleep / record.particles) + " % asleep)";
        std::fprintf(stderr, "frame %d/%d  substeps %d%s  particles %llu%s  memory %s  %.1f s  left %s\n", record.frame,
                     last_frame_, record.substeps, iterations.c_str(),
                     static_cast<unsigned long long>(record.particles), asleep.c_str(),
                     bytes_text(static_cast<double>(record.bytes_process)).c_str(), record.wall,
                     clock_text(seconds_left()).c_str());
    }
    if (openjd_)
        print_openjd_progress(frame_ - first_frame_ + 1, last_frame_ - first_frame_ + 1,
                              "frame " + std::to_string(frame_) + " of " + std::to_string(last_frame_));
    draw(true);
}

void print_openjd_progress(double done, double all, const std::string& status) {
    std::printf("openjd_progress: %.1f\nopenjd_status: %s\n", 100 * done / all, status.c_str());
    std::fflush(stdout);
}

double ProgressView::seconds_left() const {
    const double done = frame_ - started_at_ + fraction_;
    if (done <= 0) return 0;
    const double passed = std::chrono::duration<double>(Clock::now() - began_).count();
    return passed / done * (last_frame_ - frame_ - fraction_);
}

void ProgressView::draw(bool at_once) {
    if (style_ != Style::bar) return;
    const Clock::time_point now = Clock::now();
    if (!at_once && now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;

    const int frames = std::max(1, last_frame_ - first_frame_);
    const double share = std::clamp((frame_ - first_frame_ + fraction_) / frames, 0.0, 1.0);
    constexpr int width = 24;
    const int full = static_cast<int>(share * width);
    std::string bar = std::string(static_cast<size_t>(full), '#') + std::string(static_cast<size_t>(width - full), '-');
    char text[256];
    const int shown = std::min(frame_ + 1, last_frame_);
    const std::string doing =
        phase_.empty() ? "substep " + std::to_string(substep_) + ", iteration " + std::to_string(iteration_) : phase_;
    std::snprintf(text, sizeof text, "[%s] %3.0f%%  frame %d/%d  %s  %s particles  %s  left %s", bar.c_str(),
                  100 * share, shown, last_frame_, doing.c_str(), count_text(particles_).c_str(),
                  bytes_text(static_cast<double>(resident_bytes())).c_str(),
                  frame_ + fraction_ > started_at_ ? clock_text(seconds_left()).c_str() : "?");
    // A line that wraps can't be drawn over.
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const std::string line = std::string(text).substr(0, known ? size.ws_col - 1u : 119u);
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    bar_shown_ = true;
}

void ProgressView::erase() {
    if (!bar_shown_) return;
    std::fputs("\r\033[K", stderr);
    bar_shown_ = false;
}

}  // namespace firn
