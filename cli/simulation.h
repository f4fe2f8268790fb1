#pragma once

#include <optional>

#include "frame_range.h"
#include "progress.h"
#include "run_folder.h"
#include "scene.h"

namespace firn {

struct SimulationSettings {
    bool resume = false;            ///< continue from the newest checkpoint, or start if there is no run yet
    std::optional<int> from_frame;  ///< with resume: continue from this frame's particles, not from a checkpoint
    bool force = false;             ///< replace a run that is there, and overwrite files of others
    bool wait = false;              ///< for another run in the folder to end, instead of an Error
    bool volumes = true;            ///< false = `firn volumes` makes them from the particles
    FrameSet frames;                ///< that have files
};

/// Runs the scene from its first to its last frame, into the folder. A resumed run also makes again whatever is missing
/// or damaged of the frames before. Returns 0 when all is done, or the signal that
/// stopped it; then a checkpoint holds the last whole substep, and a resumed run gives the same bits as one that was
/// never stopped. Throws Error.
int simulate(const Scene&, const RunFolder&, const SimulationSettings&, ProgressView&);

/// What an output section asks for, as vdb/ wants it.
struct VolumeSettings;
VolumeSettings volume_settings(const Scene&);

}  // namespace firn
