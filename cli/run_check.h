#pragma once

// Whether a run is whole: every file that it is to have, against the manifest.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "manifest.h"
#include "run_folder.h"

namespace firn {

struct RunFlaws {
    struct Flaw {
        std::string file, what;  ///< "run/particles/wall.0007.bgeo", "is not there"
    };
    std::vector<Flaw> list;
    std::set<int> particles, volumes, log;  ///< frames of which the file, or the line, must be made again
    bool scene = false, stage = false, whole_log = false;

    bool none() const { return list.empty(); }
};

/// Looks at the files of all frames to `last`, and reads them: minutes for hundreds of gigabytes. `volumes`, `stage`:
/// whether to look at these too. When `stop` says true, it returns what it found so far.
RunFlaws find_flaws(const RunFolder&, const Manifest&, const RunPlan&, int last, bool volumes, bool stage,
                    const std::function<bool()>& stop);

/// Frames that can't be made again from their particles: volumes and lines of the log can.
std::set<int> frames_to_simulate(const RunPlan&, const RunFlaws&);

/// "1-4, 7".
std::string frames_text(const std::set<int>& frames);

}  // namespace firn
