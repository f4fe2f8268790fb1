#pragma once

// What a run leaves behind, and where. NAME is the scene's name.
//
//   OUT/manifest.jsonl                which of these files are Firn's own, their sizes and checksums (manifest.h)
//   OUT/scene.toml                    the scene as run: where its paths start and what --set changed stand on top
//   OUT/run.jsonl                     one line about the run, then one per frame (run_log.h)
//   OUT/particles/NAME.0001.bgeo      particles, every attribute (.bgeo, .bgeo.gz, .bgeo.sc or .vdb)
//   OUT/volumes/NAME.0001.vdb         density, velocity, surface, ...
//   OUT/grains/NAME.0001.vdb          render grains of `firn grains` (.vdb, .bgeo or .usda)
//   OUT/checkpoints/NAME.0001.bgeo    what --resume starts from
//   OUT/NAME.usda                     volumes, grains, colliders, camera and lights for Solaris and Blender
//   OUT/preview/0001.png              pictures
//   OUT/turntable/0001.png            pictures of a turntable; OUT/turntable.mp4
//   OUT/contact_sheet.png, OUT/preview.mp4, OUT/report.html

#include <string>
#include <vector>

namespace firn {

class Manifest;
struct Scene;

class RunFolder {
public:
    /// Only names paths; makes nothing.
    RunFolder(std::string folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}

    const std::string& path() const { return folder_; }
    const std::string& name() const { return name_; }

    std::string scene() const { return folder_ + "/scene.toml"; }
    std::string log() const { return folder_ + "/run.jsonl"; }
    std::string lock() const { return folder_ + "/.lock"; }
    /// `ending`: "bgeo", "bgeo.gz", "bgeo.sc" or "vdb".
    std::string particles(int frame, const std::string& ending) const;
    std::string volumes(int frame) const;
    /// `ending`: "vdb", "bgeo" or "usda".
    std::string grains(int frame, const std::string& ending) const;
    std::string checkpoint(int frame) const;
    std::string stage() const { return folder_ + "/" + name_ + ".usda"; }
    std::string picture(int frame) const;
    std::string turntable(int number) const;
    std::string turntable_video() const { return folder_ + "/turntable.mp4"; }
    std::string contact_sheet() const { return folder_ + "/contact_sheet.png"; }
    std::string video() const { return folder_ + "/preview.mp4"; }
    std::string report() const { return folder_ + "/report.html"; }

    /// Frames whose particle file is there, in order, whatever its format.
    std::vector<int> particle_frames() const;
    /// The particle file of a frame, "" = none.
    std::string find_particles(int frame) const;
    /// The grains of a frame as .vdb or .bgeo, "" = none.
    std::string find_grains(int frame) const;
    std::vector<int> volume_frames() const;
    std::vector<int> checkpoint_frames() const;
    /// The newest checkpoint in the format that Firn used before (NAME.0001.firn), "" = none.
    std::string former_checkpoint() const;
    std::vector<int> picture_frames() const;

    /// Removes files that a killed run left half written, and no file that is still being written, nor one that would
    /// have become a file that the manifest does not name.
    void remove_leftovers(const Manifest&) const;

private:
    std::string folder_, name_;
};

/// Where the scene's run goes when the command line does not say: out/NAME, or the scene's output.folder. Throws Error
/// for one outside the folder that firn was started in: a scene file may come from anywhere.
std::string folder_of_scene(const Scene&);

/// "0007"; longer where it must, "-003" below zero.
std::string frame_text(int frame);

}  // namespace firn
