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
#include <iterator>
#include <numeric>
#include <set>
#include <thread>

#include "checkpoint.h"
#include "colliders.h"
#include "directions.h"
#include "firn/engine.h"
#include "firn/error.h"
#include "firn/grain_file.h"
#include "firn/new_file.h"
#include "firn/particle_file.h"
#include "firn/usd_stage.h"
#include "firn/volume_file.h"
#include "float3.h"
#include "frame_statistics.h"
#include "interrupt.h"
#include "lending.h"
#include "manifest.h"
#include "physics_text.h"
#include "placement.h"
#include "preview.h"
#include "run_check.h"
#include "run_log.h"
#include "scene_copy.h"
#include "scene_counts.h"
#include "scene_slips.h"
#include "snow.h"
#include "volume_slips.h"
#include "wind_files.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// How the particles of a run are written.
struct ParticleOutput {
    const char* name;  ///< of output.particles
    const char* ending;
    ParticleFormat format;
};

/// Nothing for output.particles = "none".
const ParticleOutput* particle_output(const Scene& scene) {
    static const ParticleOutput table[] = {{"bgeo", "bgeo", ParticleFormat::bgeo},
                                           {"bgeo.sc", "bgeo.sc", ParticleFormat::bgeo_sc},
                                           {"bgeo.sc16", "bgeo.sc", ParticleFormat::bgeo_sc_16},
                                           {"bgeo.gz", "bgeo.gz", ParticleFormat::bgeo_gz},
                                           {"bgeo_classic", "bgeo", ParticleFormat::bgeo_classic},
                                           {"vdb", "vdb", ParticleFormat::vdb_points},
                                           {"vdb16", "vdb", ParticleFormat::vdb_points_16}};
    for (const ParticleOutput& output : table)
        if (scene.output.particles == output.name) return &output;
    return nullptr;
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

/// As they were placed, whatever a program that wrote the file made of it. Returns whether their order has changed.
bool sort_by_id(Particles& particles) {
    if (std::is_sorted(particles.id.begin(), particles.id.end())) return false;
    std::vector<size_t> order(particles.count());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return particles.id[a] < particles.id[b]; });
    for (const ParticleArray& array : particle_arrays()) {
        float* data = array.data(particles);
        if (!data) continue;
        const size_t width = static_cast<size_t>(array.components);
        const std::vector<float> before(data, data + order.size() * width);
        for (size_t k = 0; k < order.size(); ++k) std::copy_n(&before[order[k] * width], width, data + k * width);
    }
    std::sort(particles.id.begin(), particles.id.end());
    return true;
}

/// The run as it is between two frames, or within one.
struct State {
    int frame = 0;      ///< the last whole one
    FrameStart into;    ///< how far the next is
    FrameRecord begun;  ///< what the next took so far
    int64_t next_id = 0;
    Particles particles;
    GrainBirths births;  ///< none for a run that an older Firn began
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
          engine_(scene.parameters, scene.device, scene.method),
          manifest_(folder.path()) {}

    int go();

private:
    void check_folder();
    void start();
    bool resume();
    bool find_checkpoint();
    void refuse_files_in_the_way();
    void refuse_other_scene() const;
    [[noreturn]] void refuse_without_checkpoint() const;
    RunPlan plan() const;
    /// Of the frames to `reached_`.
    bool has_particles(int frame) const {
        return !plan_.particles.empty() && plan_.wants(frame) && flaws_.particles.count(frame) == 0;
    }
    int make_again();
    void write_scene();
    void make_colliders();
    void begin(State&&);
    State first_state();
    void settle(State&);
    State state_before(int frame);
    void warn_of_another_device(const std::string& began_on) const;
    bool load_checkpoint(int frame, State&);
    State load_particles(int frame);
    std::optional<int> next_frame() const;
    int run_frames();
    int advance_one();
    FrameReport advance(int frame);
    void add_what_appears(int frame, State&);
    void finish_frame(FrameRecord&);
    FrameRecord begin_record(int frame) const;
    RunHeader header() const;
    std::vector<SolveName> solve_names() const;
    void write_particle_file(int frame, double time);
    void write_volume_file(int frame, double time, const Particles&, const GrainBirths&);
    bool checkpoint_is_due(int frame) const {
        return (frame - scene_.first_frame) % scene_.output.checkpoint_every == 0 || frame == scene_.last_frame;
    }
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
    Manifest manifest_;
    RunPlan plan_;
    std::vector<CollidingBody> colliders_;
    std::vector<BodyId> body_ids_;
    uint64_t boundary_count_ = 0;
    int on_demand_ = 0;   ///< colliders that are sampled where snow comes near
    bool begun_ = false;  ///< the engine holds `state_`
    State state_;
    std::optional<State> newest_;  ///< that of the newest checkpoint, until it is needed
    int reached_ = 0;              ///< the last frame that a checkpoint, or the particles of --from-frame, stand for
    RunFlaws flaws_;               ///< of the frames to `reached_`
    std::set<int> again_;          ///< frames to `reached_` that must be simulated again
    size_t warnings_shown_ = 0;    ///< of the placer's warnings
    bool told_of_rounding_ = false;
};

int Run::go() {
    plan_ = plan();
    folder_.remove_leftovers(manifest_);
    const bool resumed = settings_.resume && manifest_.run();
    if (!resumed) check_folder();
    for (const std::string& warning : scene_.warnings) view_.warn("warning: " + warning);
    if (resumed && !resume()) {
        view_.say(folder_.path() + ": all frames to " + std::to_string(scene_.last_frame) + " are done");
        return 0;
    }
    if (interrupted_by() != 0) return interrupted_by();
    require_wind_files(scene_);
    if (!resumed) {
        view_.phase("counting particles");
        const SceneCounts counts = count_scene(scene_);
        require_memory(counts, scene_, engine_);
        if (plan_.volumes && settings_.volumes) require_volumes(scene_, counts);
        for (const std::string& slip : likely_slips(scene_, counts)) view_.warn("warning: " + slip);
    }
    make_colliders();
    if (!resumed)
        start();
    else if (const std::optional<int> frame = next_frame())
        begin(state_before(*frame));
    view_.say(engine_.device() + "; " + count_text(state_.particles.count()) + " snow and " +
              count_text(boundary_count_) + " boundary particles" +
              (on_demand_ > 0 ? " and " + std::to_string(on_demand_) + " ground" + (on_demand_ > 1 ? "s" : "") +
                                    " sampled where snow is near"
                              : "") +
              "; frames " + std::to_string(scene_.first_frame) + " to " + std::to_string(scene_.last_frame) + " into " +
              folder_.path());
    write_scene();
    if (!resumed || flaws_.whole_log) {
        manifest_.claim({folder_.log()}, settings_.force);
        start_run_log(folder_.log(), header());
    }
    view_.start(reached_, state_.particles.count());
    int stopped = make_again();
    if (stopped == 0) stopped = run_frames();
    write_stage();
    return stopped;
}

/// Whether a run can be started in this folder.
void Run::check_folder() {
    if (settings_.from_frame)
        throw Error(folder_.path() + " holds no run to continue from frame " + std::to_string(*settings_.from_frame));
    if (manifest_.run() && !settings_.force)
        throw Error(folder_.path() + " already holds a run; --resume continues it, --force replaces it, --out puts " +
                    "this one elsewhere");
    // A run names its copy of the scene, and only after itself. To start over would remove what it made.
    if (!manifest_.run() && manifest_.names(folder_.scene()) && !settings_.force)
        throw Error(manifest_.path() +
                    ": is damaged: it names files of a run, but what it says of the run itself can't " +
                    "be read; --force starts it over, --out puts this one elsewhere");
    std::error_code ignored;
    // Without a manifest nothing proves that frames and log are of this run, or that they are whole.
    const std::vector<int> frames = folder_.particle_frames();
    if (settings_.resume && !frames.empty() && fs::exists(folder_.log(), ignored))
        throw Error(folder_.path() + ": there are particle files of frames " +
                    frames_text(std::set<int>(frames.begin(), frames.end())) + ", but " + manifest_.path() +
                    ", which would tell what they belong to, is gone or says nothing of a run; put it back from a " +
                    "copy, start elsewhere with --out, or start over with --force instead of --resume");
    if (fs::equivalent(scene_.path, folder_.scene(), ignored) && !manifest_.names(folder_.scene()))
        throw Error(folder_.scene() + ": the run's copy of the scene would overwrite the scene itself; give another " +
                    "folder (--out)");
    reached_ = scene_.first_frame - 1;
    if (!settings_.force) refuse_files_in_the_way();
}

/// A run of its own, in a folder that has none or with --force.
void Run::start() {
    // Before anything is removed: it reads files, and may fail.
    begin(first_state());
    std::vector<std::string> former = manifest_.files();
    // The copy of the scene is replaced in one move: it may be the only one.
    former.erase(std::remove(former.begin(), former.end(), folder_.scene()), former.end());
    manifest_.begin(plan_, true);
    manifest_.remove(former);
}

/// Hours before they would be in the way.
void Run::refuse_files_in_the_way() {
    std::vector<std::string> files = {folder_.scene(), folder_.log()};
    if (plan_.usd) files.push_back(folder_.stage());
    for (int frame = reached_ + 1; frame <= scene_.last_frame; ++frame) {
        if (checkpoint_is_due(frame)) files.push_back(folder_.checkpoint(frame));
        if (!plan_.wants(frame)) continue;
        if (!plan_.particles.empty()) files.push_back(folder_.particles(frame, plan_.particles));
        if (plan_.volumes) files.push_back(folder_.volumes(frame));
    }
    manifest_.require_free(files);
}

/// What is left to do of the run that is there; false = nothing.
bool Run::resume() {
    refuse_other_scene();
    const bool continues = settings_.from_frame.has_value() || find_checkpoint();
    if (settings_.from_frame) {
        reached_ = *settings_.from_frame;
        if (!plan_.wants(reached_) || plan_.particles.empty() ||
            manifest_.look(folder_.particles(reached_, plan_.particles)) != FileState::whole)
            throw Error("--from-frame " + std::to_string(reached_) + ": " + folder_.path() +
                        " has no whole particle file of that frame; `firn verify` lists what is not whole");
    } else if (!continues) {
        reached_ = scene_.last_frame;
    }
    view_.phase("looking at the files");
    flaws_ = find_flaws(folder_, manifest_, plan_, std::min(reached_, scene_.last_frame), settings_.volumes,
                        reached_ >= scene_.last_frame, [] { return interrupted_by() != 0; });
    if (interrupted_by() != 0) return true;
    again_ = frames_to_simulate(plan_, flaws_);
    if (!continues && !again_.empty()) {
        if (manifest_.had_checkpoint()) refuse_without_checkpoint();
        // Killed before its first checkpoint.
        view_.say("no checkpoint yet in " + folder_.path() + ": beginning at the first frame");
        reached_ = scene_.first_frame - 1;
        flaws_ = find_flaws(folder_, manifest_, plan_, reached_, false, false, [] { return false; });
        again_.clear();
    }
    std::vector<std::string> wrong;
    for (const RunFlaws::Flaw& flaw : flaws_.list) {
        wrong.push_back(flaw.file);
        if (wrong.size() <= 8) view_.warn("warning: " + flaw.file + " " + flaw.what + ": making it again");
    }
    if (wrong.size() > 8)
        view_.warn("warning: and " + std::to_string(wrong.size() - 8) + " more; `firn verify` lists them all");
    manifest_.require_free(wrong);
    refuse_files_in_the_way();
    if (flaws_.none() && reached_ >= scene_.last_frame && manifest_.run_is_certain()) return false;
    if (settings_.from_frame) warn_of_another_device(manifest_.run()->arithmetic);
    // A run that is asked for fewer frames than it has keeps its end.
    if (reached_ <= scene_.last_frame) manifest_.begin(plan_, false);
    if (settings_.from_frame) {
        std::vector<std::string> later;
        for (const int frame : folder_.checkpoint_frames())
            if (frame > reached_) later.push_back(folder_.checkpoint(frame));
        manifest_.remove(later);
        view_.say("resuming from the particles of frame " + std::to_string(reached_));
    }
    return true;
}

void Run::refuse_other_scene() const {
    const std::string difference = physics_difference(manifest_.run()->physics, physics_);
    if (!difference.empty())
        throw Error("the scene has changed since the run in " + folder_.path() + " (" + difference +
                    "): undo the change, start again with --force, or start elsewhere with --out");
}

bool Run::find_checkpoint() {
    std::vector<int> frames = folder_.checkpoint_frames();
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        State state;
        if (!load_checkpoint(*frame, state)) continue;
        reached_ = state.frame;
        if (reached_ >= scene_.last_frame) return true;
        view_.say(
            "resuming after frame " + std::to_string(reached_) +
            (state.into.substeps > 0 ? " and " + std::to_string(state.into.substeps) + " substeps" : std::string()));
        newest_ = std::move(state);
        return true;
    }
    // Its error says what to do; to start again from the first frame would throw the run away.
    if (const std::string former = folder_.former_checkpoint(); !former.empty()) read_checkpoint(former);
    return false;
}

void Run::refuse_without_checkpoint() const {
    std::set<int> whole;
    for (int frame = scene_.first_frame; frame <= scene_.last_frame; ++frame)
        if (has_particles(frame)) whole.insert(frame);
    throw Error(folder_.path() + ": its checkpoints are gone or damaged, " +
                (whole.empty()
                     ? std::string("and it has no whole particle file: --force starts it over")
                     : "but frames " + frames_text(whole) + " have whole particle files: --from-frame " +
                           std::to_string(*whole.rbegin()) + " continues from there, --force starts it over"));
}

RunPlan Run::plan() const {
    RunPlan plan;
    plan.name = scene_.name;
    plan.first_frame = scene_.first_frame;
    plan.last_frame = scene_.last_frame;
    plan.frames = settings_.frames;
    plan.every = scene_.output.every;
    const ParticleOutput* particles = particle_output(scene_);
    plan.particles = particles ? particles->ending : "";
    plan.volumes = !scene_.output.volumes.empty();
    plan.usd = scene_.output.usd;
    plan.physics = physics_;
    plan.arithmetic = engine_.arithmetic();
    return plan;
}

/// What can be made from the particles that are there: volumes, and lines of the log.
int Run::make_again() {
    std::set<int> frames = flaws_.volumes;
    frames.insert(flaws_.log.begin(), flaws_.log.end());
    for (const int frame : frames) {
        if (again_.count(frame) > 0) continue;
        if (interrupted_by() != 0) return interrupted_by();
        const State state = load_particles(frame);
        FrameRecord record = begin_record(frame);
        if (flaws_.volumes.count(frame) > 0) write_volume_file(frame, record.time, state.particles, state.births);
        if (flaws_.log.count(frame) == 0) continue;
        add_statistics(record, state.particles, scene_.parameters);
        record.warnings.push_back("this line was made again from the particles: substeps and times are not known");
        append_frame(folder_.log(), record, solve_names());
    }
    return 0;
}

void Run::write_scene() {
    const std::string text = scene_copy(scene_);
    std::string there;
    std::error_code ignored;
    if (fs::is_regular_file(folder_.scene(), ignored)) {
        std::ifstream in(folder_.scene(), std::ios::binary);
        there.assign(std::istreambuf_iterator<char>(in), {});
    }
    // A run that is asked for fewer frames than it has keeps its scene.
    if (!flaws_.scene && manifest_.names(folder_.scene()) && (text == there || reached_ > scene_.last_frame)) return;
    manifest_.write(folder_.scene(), settings_.force, [&] {
        NewFile file(folder_.scene());
        std::ofstream out(file.temporary(), std::ios::binary);
        out << text;
        out.close();
        if (!out) throw Error(folder_.scene() + ": can't be written; is the disk full, or the folder read-only?");
        file.commit();
    });
}

void Run::warn_of_another_device(const std::string& began_on) const {
    if (began_on != engine_.arithmetic())
        view_.warn("warning: the run began on " + began_on + " and continues on " + engine_.arithmetic() +
                   ": the result will differ slightly from a run on one device");
}

bool Run::load_checkpoint(int frame, State& state) {
    Checkpoint c;
    try {
        c = read_checkpoint(folder_.checkpoint(frame));
    } catch (const Error& error) {
        view_.warn(std::string("warning: ") + error.what());
        return false;
    }
    if (const std::string difference = physics_difference(c.physics, physics_); !difference.empty()) {
        view_.warn("warning: " + folder_.checkpoint(frame) + " is of another scene (" + difference + ")");
        return false;
    }
    warn_of_another_device(c.arithmetic);
    FrameRecord begun;
    if (!c.begun.empty()) begun = parse_frame_record(c.begun, solve_names());
    state = {c.frame, c.into, std::move(begun), c.next_id, std::move(c.particles), std::move(c.births)};
    return true;
}

/// Everything that a step needs is in the particle file.
State Run::load_particles(int frame) {
    State state;
    state.frame = frame;
    const std::string path = folder_.particles(frame, plan_.particles);
    ParticleFile file = read_particles(path);
    if (file.rounded && !told_of_rounding_) {
        told_of_rounding_ = true;
        view_.warn("warning: " + path +
                   " has rounded positions (output.particles = \"vdb16\"): what is made from them, and simulated on "
                   "from them, is not bit-exact");
    }
    state.births = births_of(file);
    state.particles = std::move(file.particles);
    if (sort_by_id(state.particles)) state.births = {};
    if (!state.particles.id.empty()) state.next_id = state.particles.id.back() + 1;
    return state;
}

/// The latest one that is known, from which `frame` can be simulated.
State Run::state_before(int frame) {
    if (frame == reached_ + 1 && settings_.from_frame) return load_particles(reached_);
    if (frame == reached_ + 1 && newest_) {
        State state = std::move(*newest_);
        newest_.reset();
        return state;
    }
    const std::vector<int> checkpoints = folder_.checkpoint_frames();
    for (int before = frame - 1; before >= scene_.first_frame; --before) {
        State state;
        if (std::binary_search(checkpoints.begin(), checkpoints.end(), before) && load_checkpoint(before, state))
            return state;
        if (before <= reached_ && has_particles(before)) return load_particles(before);
    }
    return first_state();
}

void Run::begin(State&& state) {
    state_ = std::move(state);
    // Bodies keep their speeds: an engine that has run has others than one that begins here.
    if (begun_) engine_ = Engine(scene_.parameters, scene_.device, scene_.method);
    begun_ = true;
    body_ids_.clear();
    for (CollidingBody& collider : colliders_) body_ids_.push_back(engine_.add_body(collider.body_at(state_.frame)));
    engine_.upload(state_.particles);
}

void Run::make_colliders() {
    view_.phase("sampling colliders");
    colliders_.reserve(scene_.colliders.size());
    for (size_t k = 0; k < scene_.colliders.size(); ++k) {
        colliders_.emplace_back(scene_, k);
        for (const std::string& warning : colliders_.back().warnings()) view_.warn("warning: " + warning);
        boundary_count_ += colliders_.back().count();
        on_demand_ += colliders_.back().on_demand() ? 1 : 0;
    }
}

State Run::first_state() {
    view_.phase("placing snow");
    State state;
    state.frame = scene_.first_frame;
    add_what_appears(scene_.first_frame, state);
    settle(state);
    return state;
}

/// Before the shot, the snow comes to rest among colliders that stand still. What it was born with, it starts with.
void Run::settle(State& state) {
    if (scene_.settle <= 0 || state.particles.count() == 0) return;
    Engine engine(scene_.parameters, scene_.device, scene_.method);
    for (CollidingBody& collider : colliders_) engine.add_body(collider.body_at(scene_.first_frame));
    std::vector<Float3> given(state.particles.count());
    state.particles.velocity.swap(given);
    engine.upload(state.particles);
    const int pieces = std::max(1, static_cast<int>(std::ceil(scene_.settle * scene_.fps)));
    for (int k = 0; k < pieces; ++k) {
        view_.phase("settling, " + std::to_string(k + 1) + " of " + std::to_string(pieces));
        const FrameReport report =
            engine.advance(scene_.settle / pieces, [](const Progress&) { return interrupted_by() == 0; });
        if (report.interrupted)
            throw Error(
                "stopped while the snow came to rest (time.settle); there is nothing to resume yet: start again");
    }
    engine.download(state.particles);
    state.particles.velocity = std::move(given);
    state.births.rest = state.particles.position;
}

void Run::add_what_appears(int frame, State& state) {
    const size_t before = state.particles.count();
    placer_.place(frame, state.particles, state.next_id);
    if (state.births.rest.size() == before) {
        state.births.rest.insert(state.births.rest.end(),
                                 state.particles.position.begin() + static_cast<std::ptrdiff_t>(before),
                                 state.particles.position.end());
        state.births.time.resize(state.particles.count(),
                                 static_cast<float>((frame - scene_.first_frame) / scene_.fps));
    }
    for (; warnings_shown_ < placer_.warnings().size(); ++warnings_shown_)
        view_.warn("warning: " + placer_.warnings()[warnings_shown_]);
}

FrameReport Run::advance(int frame) {
    // A frame that was interrupted goes on in the air of its beginning, which the checkpoint holds.
    if (!scene_.wind.file.empty() && state_.into.substeps == 0) {
        view_.phase("reading the wind");
        set_wind_of_files(scene_, frame, state_.particles);
        engine_.upload(state_.particles);
    }
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

/// Frames that must be made again come first, then those that were never made.
std::optional<int> Run::next_frame() const {
    if (!again_.empty()) return *again_.begin();
    if (reached_ < scene_.last_frame) return reached_ + 1;
    return std::nullopt;
}

int Run::run_frames() {
    while (const std::optional<int> frame = next_frame()) {
        const bool placed = begun_ && *frame == scene_.first_frame && state_.frame == *frame;
        if (!placed && (!begun_ || state_.frame + 1 != *frame)) begin(state_before(*frame));
        if (*frame == scene_.first_frame) {
            FrameRecord record = begin_record(*frame);
            finish_frame(record);
            continue;
        }
        while (state_.frame < *frame)
            if (const int stopped = advance_one(); stopped != 0) return stopped;
    }
    return 0;
}

/// Returns the signal that stopped it, 0 = none. Only new frames are saved: of one that is made again nothing is lost.
int Run::advance_one() {
    const int frame = state_.frame + 1;
    const bool is_new = frame > reached_;
    if (interrupted_by() != 0) {
        if (is_new) save();
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
    view_.substeps(frame, record.substeps + unrecorded, report);
    add_report(record, report);
    for (size_t k = 0; k < colliders_.size(); ++k)
        add_load(record, scene_.colliders[k].name, engine_.body_load(body_ids_[k]),
                 (report.time - state_.into.time) * scene_.fps);
    record.substeps += unrecorded;
    record.wall = wall_before + seconds_since(start);
    if (report.interrupted) {
        state_.into = {report.time, record.substeps};
        state_.begun = std::move(record);
        if (is_new) save();
        return interrupted_by();
    }
    state_.frame = frame;
    state_.into = {};
    state_.begun = {};
    clear_wind_of_files(state_.particles);
    if (placer_.adds_at(frame)) {
        add_what_appears(frame, state_);
        engine_.upload(state_.particles);
    }

    record.wall = wall_before + seconds_since(start);
    for (const std::string& warning : record.warnings)
        view_.warn("warning: frame " + std::to_string(frame) + ": " + warning);
    finish_frame(record);
    return 0;
}

FrameRecord Run::begin_record(int frame) const {
    FrameRecord record;
    record.frame = frame;
    record.solves.resize(engine_.method().solves.size());
    record.time = (frame - scene_.first_frame) / scene_.fps;
    return record;
}

/// Statistics, files, the line in the log and the checkpoint of the frame that `state_` is at: all of a new frame, and
/// what is missing of one that was there.
void Run::finish_frame(FrameRecord& record) {
    const Clock::time_point start = Clock::now();
    const int frame = record.frame;
    const bool is_new = frame > reached_;
    add_statistics(record, state_.particles, scene_.parameters);
    const auto needs = [&](const std::set<int>& flawed) {
        return plan_.wants(frame) && (is_new || flawed.count(frame) > 0);
    };
    const bool particles = !plan_.particles.empty() && needs(flaws_.particles);
    const bool volumes = plan_.volumes && settings_.volumes && needs(flaws_.volumes);
    if (particles) {
        const Clock::time_point began = Clock::now();
        write_particle_file(frame, record.time);
        record.seconds.emplace_back("files", seconds_since(began));
    }
    if (volumes) {
        const Clock::time_point began = Clock::now();
        write_volume_file(frame, record.time, state_.particles, state_.births);
        record.seconds.emplace_back("volumes", seconds_since(began));
    }
    record.bytes_process = resident_bytes();
    record.wall += seconds_since(start);
    if (is_new || flaws_.log.count(frame) > 0) append_frame(folder_.log(), record, solve_names());
    view_.frame_done(record);
    again_.erase(frame);
    for (std::set<int>* flawed : {&flaws_.particles, &flaws_.volumes, &flaws_.log}) flawed->erase(frame);
    if (!is_new) return;
    reached_ = frame;
    if (checkpoint_is_due(frame)) save();
}

void Run::write_particle_file(int frame, double time) {
    view_.phase("writing particles");
    ParticleFile file;
    file.spacing = scene_.parameters.spacing;
    file.metadata = {{"frame", std::to_string(frame)},
                     {"time", std::to_string(time)},
                     {"fps", std::to_string(scene_.fps)},
                     {"scene", scene_.name}};
    if (!state_.births.rest.empty() && state_.births.rest.size() == state_.particles.count())
        add_births(file, state_.births);
    const std::string path = folder_.particles(frame, plan_.particles);
    manifest_.write(path, settings_.force, [&] {
        lend(state_.particles, file.particles, [&] { write_particles(path, file, particle_output(scene_)->format); });
    });
}

void Run::write_volume_file(int frame, double time, const Particles& particles, const GrainBirths& births) {
    view_.phase("writing volumes");
    const GrainBirths known = births.rest.size() == particles.count() ? births : GrainBirths{};
    const std::string path = folder_.volumes(frame);
    manifest_.write(path, settings_.force, [&] {
        write_volumes(path, particles, volume_settings(scene_), {frame, time, scene_.fps}, {}, known);
    });
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
    c.births = state_.births;
    return c;
}

void Run::save() {
    view_.phase("saving a checkpoint");
    Checkpoint c = checkpoint();
    const std::string path = folder_.checkpoint(state_.frame);
    manifest_.write(path, settings_.force,
                    [&] { lend(state_.particles, c.particles, [&] { write_checkpoint(path, c); }); });
    // Only older ones go: those of later frames, of a run that was resumed further back, are written again in time.
    std::vector<std::string> older;
    for (const int frame : folder_.checkpoint_frames())
        if (frame < state_.frame && manifest_.names(folder_.checkpoint(frame)))
            older.push_back(folder_.checkpoint(frame));
    const size_t keep = static_cast<size_t>(scene_.output.checkpoint_keep) - 1;
    older.resize(older.size() - std::min(keep, older.size()));
    manifest_.remove(older);
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
    stage.last_frame = std::max(scene_.first_frame, std::min(reached_, scene_.last_frame));
    UsdStage::Volume volume;
    volume.name = "snow";
    volume.fields = scene_.output.volumes;
    // Those that `firn volumes` is still to make are named already: then no task of a farm has to be the last.
    for (const int frame : settings_.volumes ? folder_.volume_frames() : folder_.particle_frames()) {
        if (frame > stage.last_frame) continue;
        UsdStage::Sample sample;
        sample.frame = frame;
        sample.path = "./volumes/" + fs::path(folder_.volumes(frame)).filename().string();
        if (manifest_.names(folder_.volumes(frame))) volume_bounds(folder_.volumes(frame), sample.low, sample.high);
        volume.files.push_back(std::move(sample));
    }
    if (!volume.files.empty() && !volume.fields.empty()) stage.volumes.push_back(std::move(volume));
    for (size_t k = 0; k < scene_.colliders.size(); ++k) {
        UsdStage::Collider collider;
        collider.name = scene_.colliders[k].name;
        collider.mesh = collider_mesh(scene_, k, scene_.first_frame);
        collider.colour = scene_.colliders[k].colour;
        if (collider_moves(scene_, k)) {
            const bool deforming = colliders_[k].motion() == Motion::deforming;
            const Transform first = colliders_[k].placement(scene_.first_frame);
            for (int frame = scene_.first_frame; frame <= stage.last_frame; ++frame) {
                if (deforming)
                    collider.deformed.push_back({double(frame), collider_mesh(scene_, k, frame).points});
                else
                    collider.placements.push_back(
                        {double(frame), motion_between(first, colliders_[k].placement(frame))});
            }
        }
        if (scene_.colliders[k].visible) stage.colliders.push_back(std::move(collider));
    }
    stage.has_grains = true;
    stage.grains = {"./grains", scene_.name, scene_.output.every, fs::path(folder_.stage()).filename().string()};
    stage.has_camera = scene_.camera.given;
    stage.camera.eye = scene_.camera.eye;
    stage.camera.target = scene_.camera.target;
    stage.camera.angle = scene_.camera.angle;
    stage.camera.aspect = static_cast<float>(scene_.camera.width) / static_cast<float>(scene_.camera.height);
    stage.camera.f_stop = scene_.camera.f_stop;
    stage.camera.focus = scene_.camera.focus;
    stage.camera.shutter = scene_.camera.shutter;
    if (stage.has_camera) {
        // As `firn preview` has it: from the side, however the camera looks.
        const Float3 at = PreviewSettings().to_sun;
        const Directions view = directions_around(normalized(stage.camera.target - stage.camera.eye), {0, 1, 0});
        stage.to_sun = at.x * view.right + Float3{0, at.y, 0} - at.z * view.forward;
    }
    manifest_.write(folder_.stage(), settings_.force, [&] { write_usda(folder_.stage(), stage); });
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
    settings.surface_kernels = output.surface_shape == "kernels";
    settings.surface_relief = output.surface_relief;
    settings.surface_relief_size = output.surface_relief_size;
    settings.density_grains = output.density_grains;
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
