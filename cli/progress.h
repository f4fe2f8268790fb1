#pragma once

// How a run tells what it does: a bar on a terminal, lines in a farm's log, nothing when it is to be quiet.

#include <chrono>
#include <cstdint>
#include <string>

#include "firn/report.h"
#include "run_log.h"

namespace firn {

class ProgressView {
public:
    enum class Style { bar, lines, quiet };
    /// Bar if standard error is a terminal, lines otherwise.
    static Style fitting(bool quiet);

    ProgressView(Style style, int first_frame, int last_frame);
    ~ProgressView();
    ProgressView(const ProgressView&) = delete;
    ProgressView& operator=(const ProgressView&) = delete;

    /// Also tells schedulers of Open Job Description, on standard output, how far it is.
    void tell_openjd() { openjd_ = true; }

    /// Also tells what set the length of each substep.
    void tell_substeps() { substeps_ = true; }
    /// The substeps of a frame, or of a part of it; those before it are `done`.
    void substeps(int frame, int done, const FrameReport&);

    /// Something to tell once.
    void say(const std::string& line);
    /// The same, also when quiet.
    void warn(const std::string& line);

    /// `done`: whole frames before this run began its own.
    void start(int frame_done, uint64_t particles);
    void within_frame(const Progress&);
    /// Another activity than simulating, shown in the bar.
    void phase(const std::string& what);
    void frame_done(const FrameRecord&);

private:
    using Clock = std::chrono::steady_clock;
    void draw(bool at_once);
    void erase();
    double seconds_left() const;

    Style style_;
    int first_frame_, last_frame_, started_at_ = 0, frame_ = 0;
    int substep_ = 0, iteration_ = 0;
    double fraction_ = 0;
    uint64_t particles_ = 0;
    std::string phase_;
    Clock::time_point began_, drawn_;
    bool bar_shown_ = false, openjd_ = false, substeps_ = false;
};

/// The two lines that schedulers of Open Job Description read: how much of `all` is done, and in words.
void print_openjd_progress(double done, double all, const std::string& status);

/// Resident memory of this process, bytes.
uint64_t resident_bytes();

/// "3:05", "2:07:09".
std::string clock_text(double seconds);
/// "1.2 GB".
std::string bytes_text(double bytes);
/// "97,336".
std::string count_text(uint64_t count);

}  // namespace firn
