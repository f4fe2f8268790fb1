#pragma once

// Which files in a folder are Firn's own: OUT/manifest.jsonl. What it does not name is somebody else's, and is neither
// removed nor overwritten. Lines are only ever appended, so that tasks on many machines can share a folder:
//
//   {"firn_manifest":1}
//   {"run":{...}}                                                a run starts, or goes on with other settings
//   {"write":"particles/wall.0001.bgeo"}                         about to be written
//   {"made":"particles/wall.0001.bgeo","size":123,"sum":"..."}   it is whole: this size, this checksum
//   {"removed":"checkpoints/wall.0001.bgeo"}
//
// and each with a checksum of its own as "line_sum". A line that is no JSON was torn when its writer was killed, and is
// passed over, as is one whose checksum is wrong.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frame_range.h"

namespace firn {

/// What a run is to write, and from which scene.
struct RunPlan {
    std::string name;
    int first_frame = 1, last_frame = 1;
    FrameSet frames;        ///< which have files,
    int every = 1;          ///< and of these only every so many, counted from the first
    std::string particles;  ///< the files' ending; "" = none
    bool volumes = true;    ///< of `firn sim` or, later, of `firn volumes`
    bool usd = true;
    std::string physics;     ///< physics_text()
    std::string arithmetic;  ///< Engine::arithmetic()

    bool wants(int frame) const { return frames.has(frame, first_frame) && (frame - first_frame) % every == 0; }
};

enum class FileState {
    whole,
    missing,
    unfinished,  ///< begun, and never said to be whole
    damaged,     ///< another size or checksum
    foreign,     ///< there, but not named; or a link, or a folder
};

class Manifest {
public:
    /// Reads what is there; a folder without a manifest owns nothing. Throws Error for a file that is none.
    explicit Manifest(std::string folder);

    std::string path() const;

    // Paths are those of RunFolder, and begin with the folder.

    /// The run in this folder, as it was last started or resumed.
    const std::optional<RunPlan>& run() const { return run_; }
    /// False when a line that told of a run is broken, and none follows: what run() says may be out of date.
    bool run_is_certain() const { return run_is_certain_; }
    /// `anew`: not a run that goes on.
    void begin(const RunPlan&, bool anew);

    bool names(const std::string& path) const { return files_.count(name_of(path)) > 0; }
    std::vector<std::string> files() const;
    /// Reads the whole file.
    FileState look(const std::string& path) const;
    /// Whether a checkpoint was ever whole since the run was started.
    bool had_checkpoint() const { return had_checkpoint_; }

    /// Throws Error when one of them is there and is not ours.
    void require_free(const std::vector<std::string>& paths);
    /// Before files are written. Throws as require_free() does, unless `over_others`.
    void claim(const std::vector<std::string>& paths, bool over_others = false);
    /// After a file was written: reads it.
    void made(const std::string& path);
    /// claim(), `write`, made().
    template <class Write>
    void write(const std::string& path, bool over_others, const Write& write) {
        claim({path}, over_others);
        write();
        made(path);
    }
    /// Removes those that it names, and no folder. Throws Error when it can't.
    void remove(const std::vector<std::string>& paths);

private:
    struct File {
        bool whole = false;
        uint64_t size = 0;
        std::string sum;
    };

    std::string name_of(const std::string& path) const;
    void read();
    void read_line(const std::string& line);
    void append(const std::string& lines, bool durable);

    std::string folder_;
    std::optional<RunPlan> run_;
    std::map<std::string, File> files_;
    bool had_checkpoint_ = false, run_is_certain_ = true;
};

}  // namespace firn
