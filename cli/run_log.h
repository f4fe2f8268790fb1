#pragma once

// What a run leaves about itself, one JSON object per line in `run.jsonl`: first the run (a header), then every frame.
// Lines are appended and flushed, so that a killed run keeps all whole frames; a torn last line is passed over. Each
// line ends with its own checksum, "line_sum"; a line that was damaged since is passed over too.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "firn/body.h"
#include "firn/report.h"

namespace firn {

/// A solve of the method, as the log has it.
struct SolveName {
    std::string name;
    double tolerance = 0;  ///< of its residual
};

struct RunHeader {
    std::string scene;    ///< name or path of the scene file
    std::string device;   ///< Engine::device()
    std::string version;  ///< of Firn
    double fps = 24;
    int first_frame = 1, last_frame = 1;
    float spacing = 0;  ///< m
    uint64_t boundary_particles = 0;
    std::vector<SolveName> solves;
    std::vector<std::pair<std::string, std::string>> parameters;  ///< token and value of every parameter
};

/// What one solve took in a frame.
struct SolveFigures {
    double iterations = 0;  ///< mean over the substeps
    double residual = 0;    ///< largest over the substeps
};

/// What the snow did to a collider, mean over the frame.
struct ColliderLoad {
    std::string name;
    BodyLoad load;
};

/// Substeps of a frame that were limited by the same.
struct LimitRecord {
    std::string limit;  ///< limit_token()
    std::string body;   ///< by its motion or its surface; mostly empty
    int substeps = 0;
    double dt = 0;    ///< the shortest, s
    std::string who;  ///< limit_text() of that one
};

struct FrameRecord {
    int frame = 0;
    double time = 0;  ///< s, at the frame's end
    uint64_t particles = 0;
    int substeps = 0;
    double dt_min = 0, dt_max = 0;                            ///< s
    std::vector<SolveFigures> solves;                         ///< in the order of the header's
    double kinetic_energy = 0, potential_energy = 0;          ///< J
    double height_low = 0, height_mean = 0, height_high = 0;  ///< m
    double speed = 0;                                         ///< largest, m/s
    double mass = 0;                                          ///< kg
    uint64_t boundary_particles = 0;                          ///< that snow is near
    uint64_t asleep = 0;                                      ///< snow particles
    uint64_t bytes = 0;                                       ///< held by the engine
    uint64_t bytes_process = 0;                               ///< resident set
    /// Wall-clock seconds by phase: those of the method (neighbours, properties, ...), volumes, files.
    std::vector<std::pair<std::string, double>> seconds;
    double wall = 0;                  ///< s for the whole frame
    std::vector<ColliderLoad> loads;  ///< of every collider
    std::vector<LimitRecord> limits;  ///< what set the substeps, the most frequent first
    std::vector<std::string> warnings;
};

struct RunLog {
    RunHeader header;
    std::vector<FrameRecord> frames;  ///< by frame; of a frame that was run twice the later record holds
};

void start_run_log(const std::string& path, const RunHeader&);
/// `solves` as in the header.
void append_frame(const std::string& path, const FrameRecord&, const std::vector<SolveName>& solves);
/// Adds what the engine reports of a frame, or of a part of it: a frame that was interrupted is reported in parts.
void add_report(FrameRecord&, const FrameReport&);
/// Adds the mean load on a collider over `share` of the frame.
void add_load(FrameRecord&, const std::string& collider, const BodyLoad&, double share);
/// A frame as text and back, for a frame that is not whole yet. Throws Error for what is no frame.
std::string frame_record_text(const FrameRecord&, const std::vector<SolveName>& solves);
FrameRecord parse_frame_record(const std::string& text, const std::vector<SolveName>& solves);
/// Throws Error for a file that is none.
RunLog read_run_log(const std::string& path);

}  // namespace firn
