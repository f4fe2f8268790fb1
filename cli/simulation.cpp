#include "simulation.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "checkpoint.h"
#include "colliders.h"
#include "firn/engine.h"
#include "firn/error.h"
#include "firn/new_file.h"
#include "firn/particle_file.h"
#include "firn/usd_stage.h"
#include "firn/volume_file.h"
#include "interrupt.h"
#include "lending.h"
#include "physics_text.h"
#include "placement.h"
#include "run_log.h"
#include "scene_counts.h"
#include "snow.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One run at a time in a folder. The system lets go of it when the program ends, however it ends.
class FolderLock {
public:
    explicit FolderLock(const RunFolder& folder) {
        std::error_code error;
        fs::create_directories(folder.path(), error);
        if (error) throw Error(folder.path() + ": can't make this folder: " + error.message());
        file_ = ::open(folder.lock().c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file_ < 0) throw Error(folder.lock() + ": can't be written: " + std::strerror(errno));
    }
    /// False while another has it. A file system that knows no locks has nobody to wait for.
    bool take() { return ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }
    ~FolderLock() { ::close(file_); }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int file_;
};

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

/// A copy that reads by itself: paths start where they did, and what --set changed stays changed.
void write_scene_copy(const std::string& path, const Scene& scene) {
    NewFile file(path);
    std::ofstream out(file.temporary(), std::ios::binary);
    out << "folder = " << quoted(fs::absolute(scene.folder.empty() ? "." : scene.folder).lexically_normal().string())
        << "\n";
    // The copy is called scene.toml, the run is not.
    std::vector<std::string> given = scene.overrides, set;
    given.push_back("scene.name=" + quoted(scene.name));
    // Of several changes of one key the last holds; a copy of a copy must not grow.
    for (size_t k = 0; k < given.size(); ++k) {
        const std::string key = given[k].substr(0, given[k].find('=') + 1);
        const bool again = std::any_of(given.begin() + static_cast<std::ptrdiff_t>(k) + 1, given.end(),
                                       [&](const std::string& later) { return later.rfind(key, 0) == 0; });
        if (!again) set.push_back(given[k]);
    }
    out << "set = [";
    for (size_t k = 0; k < set.size(); ++k) out << (k ? ", " : "") << quoted(set[k]);
    out << "]\n" << scene.text;
    out.close();
    if (!out) throw Error(path + ": can't be written; is the disk full, or the folder read-only?");
    file.commit();
}

/// The run as it is between two frames, or within one.
struct State {
    int frame = 0;      ///< the last whole one
    FrameStart into;    ///< how far the next is
    FrameRecord begun;  ///< what the next took so far
    int64_t next_id = 0;
    Particles particles;
};

class Run {
public:
    Run(const Scene& scene, const RunFolder& folder, const SimulationSettings& settings, ProgressView& view)
        : scene_(scene),
          folder_(folder),
          settings_(settings),
          view_(view),
          physics_(physics_text(scene)),
          placer_(scene),
          engine_(scene.parameters, scene.device, scene.method) {}

    int go() {
        const bool resumed = settings_.resume && restore();
        if (!resumed) clear_folder();
        for (const std::string& warning : scene_.warnings) view_.warn("warning: " + warning);
        if (resumed && state_.frame >= scene_.last_frame) {
            view_.say(folder_.path() + ": all frames to " + std::to_string(scene_.last_frame) + " are done");
            return 0;
        }
        if (!resumed) {
            view_.phase("counting particles");
            require_memory(count_scene(scene_), scene_, engine_);
            place_first();
        }
        make_bodies();
        engine_.upload(state_.particles);
        view_.say(engine_.device() + "; " + count_text(state_.particles.count()) + " snow and " +
                  count_text(boundary_count_) + " boundary particles; frames " + std::to_string(scene_.first_frame) +
                  " to " + std::to_string(scene_.last_frame) + " into " + folder_.path());
        write_scene_copy(folder_.scene(), scene_);
        if (!resumed || !fs::exists(folder_.log())) start_run_log(folder_.log(), header());
        view_.start(state_.frame, state_.particles.count());
        if (!resumed) {
            FrameRecord record = begin_record(scene_.first_frame);
            finish_frame(record);
            save();
        }
        const int stopped = run_frames();
        write_stage();
        return stopped;
    }

private:
    bool restore();
    void clear_folder();
    void make_bodies();
    void place_first();
    int run_frames();
    FrameReport advance(int frame);
    void add_what_appears(int frame);
    void finish_frame(FrameRecord&);
    FrameRecord begin_record(int frame) const;
    RunHeader header() const;
    std::vector<SolveName> solve_names() const;
    void write_files(FrameRecord&);
    void save();
    void write_stage();
    /// All but the particles.
    Checkpoint checkpoint() const;

    const Scene& scene_;
    const RunFolder& folder_;
    const SimulationSettings& settings_;
    ProgressView& view_;
    std::string physics_;
    SnowPlacer placer_;
    Engine engine_;
    std::vector<CollidingBody> colliders_;
    std::vector<BodyId> body_ids_;
    uint64_t boundary_count_ = 0;
    State state_;
    size_t warnings_shown_ = 0;  ///< of the placer's warnings
};

bool Run::restore() {
    folder_.remove_leftovers();
    std::vector<int> frames = folder_.checkpoint_frames();
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        const std::string path = folder_.checkpoint(*frame);
        Checkpoint c;
        try {
            c = read_checkpoint(path);
        } catch (const Error& error) {
            view_.warn(std::string("warning: ") + error.what());
            continue;
        }
        const std::string difference = physics_difference(c.physics, physics_);
        if (!difference.empty())
            throw Error("the scene has changed since the run in " + folder_.path() + " (" + difference +
                        "): undo the change, start again with --force, or start elsewhere with --out");
        if (c.arithmetic != engine_.arithmetic())
            view_.warn("warning: the run began on " + c.arithmetic + " and continues on " + engine_.arithmetic() +
                       ": the result will differ slightly from a run on one device");
        FrameRecord begun;
        if (!c.begun.empty()) begun = parse_frame_record(c.begun, solve_names());
        state_ = {c.frame, c.into, std::move(begun), c.next_id, std::move(c.particles)};
        view_.say("resuming after frame " + std::to_string(c.frame) +
                  (c.into.substeps > 0 ? " and " + std::to_string(c.into.substeps) + " substeps" : std::string()));
        return true;
    }
    // Its error says what to do; to start again from the first frame would throw the run away.
    if (const std::string former = folder_.former_checkpoint(); !former.empty()) read_checkpoint(former);
    if (folder_.holds_run()) {
        view_.say("no checkpoint yet in " + folder_.path() + ": beginning at the first frame");
    }
    return false;
}

void Run::clear_folder() {
    if (folder_.holds_run() && !settings_.force && !settings_.resume)
        throw Error(folder_.path() + " already holds a run; --resume continues it, --force replaces it, --out puts " +
                    "this one elsewhere");
    folder_.clear();
}

void Run::make_bodies() {
    view_.phase("sampling colliders");
    colliders_.reserve(scene_.colliders.size());
    for (size_t k = 0; k < scene_.colliders.size(); ++k) {
        colliders_.emplace_back(scene_, k);
        for (const std::string& warning : colliders_.back().warnings()) view_.warn("warning: " + warning);
        body_ids_.push_back(engine_.add_body(colliders_.back().body_at(state_.frame)));
        boundary_count_ += colliders_.back().count();
    }
}

void Run::place_first() {
    view_.phase("placing snow");
    state_ = {};
    state_.frame = scene_.first_frame;
    add_what_appears(scene_.first_frame);
    if (scene_.snow.empty()) view_.warn("warning: " + scene_.path + ": the scene has no [[snow]]");
}

void Run::add_what_appears(int frame) {
    placer_.place(frame, state_.particles, state_.next_id);
    for (; warnings_shown_ < placer_.warnings().size(); ++warnings_shown_)
        view_.warn("warning: " + placer_.warnings()[warnings_shown_]);
}

FrameReport Run::advance(int frame) {
    FrameStart start = state_.into;
    start.clock = (frame - 1 - scene_.first_frame) * (1.0 / scene_.fps);  // the nodes have the same bits
    for (size_t k = 0; k < colliders_.size(); ++k) {
        if (colliders_[k].motion() == Motion::rigid) engine_.move_body(body_ids_[k], colliders_[k].placement(frame));
        if (colliders_[k].motion() == Motion::deforming)
            engine_.move_body(body_ids_[k], colliders_[k].positions(frame));
    }
    return engine_.advance(
        1.0 / scene_.fps,
        [&](const Progress& progress) {
            view_.within_frame(progress);
            // Only between substeps: what a substep has done is not thrown away.
            return progress.solve >= 0 || interrupted_by() == 0;
        },
        start);
}

int Run::run_frames() {
    while (state_.frame < scene_.last_frame) {
        const int frame = state_.frame + 1;
        if (interrupted_by() != 0) {
            save();
            return interrupted_by();
        }
        FrameRecord record = state_.begun.substeps > 0 ? state_.begun : begin_record(frame);
        // Substeps before an interruption of which the checkpoint says nothing more.
        const int unrecorded = state_.into.substeps - record.substeps;
        const double wall_before = record.wall;
        const Clock::time_point start = Clock::now();
        FrameReport report;
        try {
            report = advance(frame);
        } catch (const Error& error) {
            throw Error("frame " + std::to_string(frame) + ": " + error.what());
        }
        engine_.download(state_.particles);
        add_report(record, report);
        for (size_t k = 0; k < colliders_.size(); ++k)
            add_load(record, scene_.colliders[k].name, engine_.body_load(body_ids_[k]),
                     (report.time - state_.into.time) * scene_.fps);
        record.substeps += unrecorded;
        record.wall = wall_before + seconds_since(start);
        if (report.interrupted) {
            state_.into = {report.time, record.substeps};
            state_.begun = std::move(record);
            save();
            return interrupted_by();
        }
        state_.frame = frame;
        state_.into = {};
        state_.begun = {};
        if (placer_.adds_at(frame)) {
            add_what_appears(frame);
            engine_.upload(state_.particles);
        }

        record.wall = wall_before + seconds_since(start);
        for (const std::string& warning : record.warnings)
            view_.warn("warning: frame " + std::to_string(frame) + ": " + warning);
        finish_frame(record);
        const bool due = (frame - scene_.first_frame) % scene_.output.checkpoint_every == 0;
        if (due || frame == scene_.last_frame) save();
    }
    return 0;
}

FrameRecord Run::begin_record(int frame) const {
    FrameRecord record;
    record.frame = frame;
    record.solves.resize(engine_.method().solves.size());
    record.time = (frame - scene_.first_frame) / scene_.fps;
    return record;
}

/// Statistics, files and the line in the log of the frame that `state_` is at.
void Run::finish_frame(FrameRecord& record) {
    const Clock::time_point start = Clock::now();
    const Particles& p = state_.particles;
    const Parameters& parameters = scene_.parameters;
    const double cell = double(parameters.spacing) * parameters.spacing * parameters.spacing;
    record.particles = p.count();
    record.height_low = p.count() ? p.position[0].y : 0;
    record.height_high = record.height_low;
    for (size_t i = 0; i < p.count(); ++i) {
        const double m = cell * (p.rest_density.empty() ? parameters.rest_density : p.rest_density[i]);
        const Float3& x = p.position[i];
        const Float3 v = p.velocity.empty() ? Float3{} : p.velocity[i];
        const double speed2 = double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z;
        const Float3& g = parameters.gravity;
        record.mass += m;
        record.kinetic_energy += 0.5 * m * speed2;
        record.potential_energy -= m * (double(g.x) * x.x + double(g.y) * x.y + double(g.z) * x.z);
        record.speed = std::max(record.speed, std::sqrt(speed2));
        record.height_low = std::min<double>(record.height_low, x.y);
        record.height_high = std::max<double>(record.height_high, x.y);
        record.height_mean += x.y / static_cast<double>(p.count());
    }
    const bool wanted = record.frame >= settings_.output_start.value_or(scene_.first_frame) &&
                        (record.frame - scene_.first_frame) % scene_.output.every == 0;
    if (wanted) write_files(record);
    record.bytes_process = resident_bytes();
    record.wall += seconds_since(start);
    append_frame(folder_.log(), record, solve_names());
    view_.frame_done(record);
}

void Run::write_files(FrameRecord& record) {
    const SceneOutput& output = scene_.output;
    if (output.particles != "none") {
        view_.phase("writing particles");
        const Clock::time_point start = Clock::now();
        ParticleFile file;
        file.spacing = scene_.parameters.spacing;
        file.metadata = {{"frame", std::to_string(record.frame)},
                         {"time", std::to_string(record.time)},
                         {"fps", std::to_string(scene_.fps)},
                         {"scene", scene_.name}};
        const bool classic = output.particles == "bgeo_classic";
        const std::string path = folder_.particles(record.frame, classic ? "bgeo" : output.particles);
        lend(state_.particles, file.particles, [&] {
            if (classic)
                write_particles(path, file, ParticleFormat::bgeo_classic);
            else
                write_particles(path, file);
        });
        record.seconds.emplace_back("files", seconds_since(start));
    }
    if (!output.volumes.empty() && settings_.volumes) {
        view_.phase("writing volumes");
        const Clock::time_point start = Clock::now();
        write_volumes(folder_.volumes(record.frame), state_.particles, volume_settings(scene_),
                      {record.frame, record.time, scene_.fps});
        record.seconds.emplace_back("volumes", seconds_since(start));
    }
}

Checkpoint Run::checkpoint() const {
    Checkpoint c;
    c.version = FIRN_VERSION;
    c.arithmetic = engine_.arithmetic();
    c.physics = physics_;
    c.frame = state_.frame;
    c.into = state_.into;
    if (state_.begun.substeps > 0) c.begun = frame_record_text(state_.begun, solve_names());
    c.next_id = state_.next_id;
    c.spacing = scene_.parameters.spacing;
    return c;
}

void Run::save() {
    view_.phase("saving a checkpoint");
    Checkpoint c = checkpoint();
    lend(state_.particles, c.particles, [&] { write_checkpoint(folder_.checkpoint(state_.frame), c); });
    const std::vector<int> frames = folder_.checkpoint_frames();
    // Only older ones go: those of later frames, of a run that was resumed further back, are written again in time.
    std::vector<int> older;
    for (const int frame : frames)
        if (frame < state_.frame) older.push_back(frame);
    const size_t keep = static_cast<size_t>(scene_.output.checkpoint_keep) - 1;
    for (size_t k = 0; k + keep < older.size(); ++k) {
        std::error_code ignored;
        fs::remove(folder_.checkpoint(older[k]), ignored);
    }
}

std::vector<SolveName> Run::solve_names() const {
    std::vector<SolveName> names;
    for (const SolveInfo& solve : engine_.method().solves)
        names.push_back({solve.name, double(scene_.parameters.*solve.tolerance)});
    return names;
}

RunHeader Run::header() const {
    RunHeader header;
    header.scene = scene_.path;
    header.device = engine_.device();
    header.version = FIRN_VERSION;
    header.fps = scene_.fps;
    header.first_frame = scene_.first_frame;
    header.last_frame = scene_.last_frame;
    header.spacing = scene_.parameters.spacing;
    header.boundary_particles = boundary_count_;
    header.solves = solve_names();
    for (const ParameterInfo& info : parameter_table())
        header.parameters.emplace_back(info.token, parameter_text(scene_.parameters, info));
    return header;
}

void Run::write_stage() {
    if (!scene_.output.usd) return;
    view_.phase("writing the USD stage");
    UsdStage stage;
    stage.fps = scene_.fps;
    stage.first_frame = scene_.first_frame;
    stage.last_frame = std::max(scene_.first_frame, state_.frame);
    UsdStage::Volume volume;
    volume.name = "snow";
    volume.fields = scene_.output.volumes;
    // Those that `firn volumes` is still to make are named already: then no task of a farm has to be the last.
    for (const int frame : settings_.volumes ? folder_.volume_frames() : folder_.particle_frames()) {
        if (frame > state_.frame) continue;
        UsdStage::Sample sample;
        sample.frame = frame;
        sample.path = "./volumes/" + fs::path(folder_.volumes(frame)).filename().string();
        volume.files.push_back(std::move(sample));
    }
    if (!volume.files.empty() && !volume.fields.empty()) stage.volumes.push_back(std::move(volume));
    for (size_t k = 0; k < scene_.colliders.size(); ++k) {
        UsdStage::Collider collider;
        collider.name = scene_.colliders[k].name;
        collider.mesh = collider_mesh(scene_, k, scene_.first_frame);
        if (collider_moves(scene_, k)) {
            const bool deforming = colliders_[k].motion() == Motion::deforming;
            const Transform first = colliders_[k].placement(scene_.first_frame);
            for (int frame = scene_.first_frame; frame <= state_.frame; ++frame) {
                if (deforming)
                    collider.deformed.push_back({double(frame), collider_mesh(scene_, k, frame).points});
                else
                    collider.placements.push_back(
                        {double(frame), motion_between(first, colliders_[k].placement(frame))});
            }
        }
        if (scene_.colliders[k].visible) stage.colliders.push_back(std::move(collider));
    }
    stage.has_camera = scene_.camera.given;
    stage.camera.eye = scene_.camera.eye;
    stage.camera.target = scene_.camera.target;
    stage.camera.angle = scene_.camera.angle;
    stage.camera.aspect = static_cast<float>(scene_.camera.width) / static_cast<float>(scene_.camera.height);
    write_usda(folder_.stage(), stage);
}

}  // namespace

VolumeSettings volume_settings(const Scene& scene) {
    const SceneOutput& output = scene.output;
    VolumeSettings settings;
    settings.spacing = scene.parameters.spacing;
    settings.rest_density = scene.parameters.rest_density;
    settings.voxel = output.voxel;
    const auto wanted = [&](const char* name) {
        return std::find(output.volumes.begin(), output.volumes.end(), name) != output.volumes.end();
    };
    settings.density = wanted("density");
    settings.velocity = wanted("vel");
    settings.surface = wanted("surface");
    settings.masked_density = wanted("density_masked");
    for (const std::string& name : output.volumes)
        if (name != "density" && name != "vel" && name != "surface" && name != "density_masked")
            settings.attributes.push_back(name);
    settings.staggered_velocity = output.staggered;
    settings.velocity_extension = output.velocity_extension;
    settings.surface_radius = output.surface_radius;
    settings.surface_dilate = output.surface_dilate;
    settings.surface_erode = output.surface_erode;
    settings.surface_smooth = output.surface_smooth;
    settings.half_float = output.half_float;
    settings.compression = output.compression == "blosc" ? VolumeSettings::Compression::blosc
                           : output.compression == "zip" ? VolumeSettings::Compression::zip
                                                         : VolumeSettings::Compression::none;
    settings.threads = scene.parameters.threads;
    return settings;
}

int simulate(const Scene& scene, const RunFolder& folder, const SimulationSettings& settings, ProgressView& view) {
    FolderLock lock(folder);
    for (bool announced = false; !lock.take(); announced = true) {
        if (!settings.wait)
            throw Error(folder.path() + ": another firn is writing here; wait for it (--wait), or give --out");
        if (!announced) view.say(folder.path() + ": another firn is writing here; waiting for it to end");
        if (interrupted_by() != 0) return interrupted_by();
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    return Run(scene, folder, settings, view).go();
}

}  // namespace firn
