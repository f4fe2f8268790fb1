#include "dop_snow_solver.h"

#include <CH/CH_Manager.h>
#include <GU/GU_Detail.h>
#include <GU/GU_DetailHandle.h>
#include <PRM/PRM_TemplateBuilder.h>
#include <SIM/SIM_ColliderInfo.h>
#include <SIM/SIM_DataFactory.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_Error.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_GuidePerObject.h>
#include <SIM/SIM_GuideTimeDep.h>
#include <SIM/SIM_Names.h>
#include <SIM/SIM_Object.h>
#include <SIM/SIM_ObjectArray.h>
#include <SIM/SIM_Options.h>
#include <SIM/SIM_PhysicalParms.h>
#include <SIM/SIM_Time.h>
#include <SIM/SIM_Utils.h>
#include <UT/UT_Error.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

#include "appearing_snow.h"
#include "body_loads.h"
#include "body_transfer.h"
#include "cook_interrupt.h"
#include "cook_summary.h"
#include "dialog_script.h"
#include "dop_forces.h"
#include "dop_geometry.h"
#include "dop_snow_report.h"
#include "dop_snow_state.h"
#include "engine_cache.h"
#include "firn/error.h"
#include "firn/memory.h"
#include "geometry_pieces.h"
#include "node_messages.h"
#include "parameter_values.h"
#include "particle_transfer.h"

namespace firn {

/// One for each snow object, by its id.
struct SnowEngines {
    struct Kept {
        EngineCache cache;
        BoundaryCache boundaries;
    };
    std::mutex mutex;
    std::map<int, Kept> kept;
};

namespace {

/// When the step began, s: whole steps are counted, so that nothing piles up and the runner has the same bits.
double clock_of(const SIM_Engine& engine, double timestep) {
    const double end = engine.getSimulationTime(), steps = std::round(end / timestep);
    return std::abs(end / timestep - steps) < 1e-4 ? (steps - 1) * timestep : end - timestep;
}

/// The node's parameters: Houdini has evaluated them before the solver runs.
class OptionValues : public ParameterValues {
public:
    explicit OptionValues(const SIM_Options& options) : options_(options) {}

    double number(const char* token, int component) const override {
        if (parameter_of(snow_solver_table(), token).type == NodeParameterType::vector)
            return options_.getOptionV3(token)(component);
        // Whole numbers, toggles and menus are options of types of their own; this reads them all.
        fpreal64 value = 0;
        options_.importOption(token, value);
        return value;
    }
    std::string text(const char* token) const override {
        const NodeParameter& parameter = parameter_of(snow_solver_table(), token);
        if (parameter.type == NodeParameterType::choice)
            return parameter.choices.at(static_cast<size_t>(number(token, 0))).token;
        return options_.getOptionS(token).toStdString();
    }

private:
    const SIM_Options& options_;
};

/// What a source object offers.
struct Offer {
    int object;
    std::unique_ptr<GU_Detail> points;
    bool dated;    ///< the points have a birth_frame (firn::snow_source)
    int64_t hash;  ///< changes when the points do
};

std::vector<Offer> offers_of(const SIM_Object& object, const Parameters& parameters) {
    SIM_ConstObjectArray sources;
    object.getConstAffectors(sources, "SIM_RelationshipSource");
    std::vector<Offer> offers;
    for (exint k = 0; k < sources.entries(); ++k) {
        const SIM_Object& source = *sources(k);
        if (!source.getGeometry()) continue;
        const SIM_GeometryAutoReadLock lock(source.getGeometry());
        if (!lock.getGdp()) continue;
        UT_DMatrix4 placement;
        SIMgetGeometryTransform(placement, source);
        Offer offer{source.getObjectId(), std::make_unique<GU_Detail>(), false, 0};
        try {
            source_points(*lock.getGdp(), affine_of(placement), parameters, *offer.points);
        } catch (const Error& error) {
            throw Error("source '" + source.getName().toStdString() + "': " + error.what());
        }
        offer.dated = offer.points->findAttribute(GA_ATTRIB_POINT, "birth_frame") != nullptr;
        offer.hash = position_hash(*offer.points);
        offers.push_back(std::move(offer));
    }
    return offers;
}

BoundarySettings boundary_settings(const Parameters& parameters) {
    BoundarySettings settings;
    settings.spacing = parameters.spacing;
    settings.boundary_volume = parameters.boundary_volume;
    settings.memory_limit = allowed_bytes(parameters);
    return settings;
}

/// A collider over one frame, or one of its pieces.
struct ColliderMove {
    CollidingObject before, after;
    ColliderSurface surface;
    std::string name;
    std::vector<MovingBody> bodies;  ///< of points that describe their bodies; then the rest is empty
};

/// Colliders as they are at the end of this frame, beside what the state remembers of its beginning.
std::vector<ColliderMove> collider_moves(const SIM_Object& object, const std::vector<CollidingObject>& before,
                                         const ParameterValues& values, float spacing, const NodeMessages& messages) {
    SIM_ColliderInfoArray infos;
    object.getColliderInfo(infos);
    std::vector<ColliderMove> moves;
    for (exint k = 0; k < infos.entries(); ++k) {
        const SIM_Object* affector = infos(k).getAffector();
        if (!affector || affector->getObjectId() == object.getObjectId() || !affector->getGeometry()) continue;
        const SIM_GeometryAutoReadLock lock(affector->getGeometry());
        if (!lock.getGdp() || lock.getGdp()->getNumPoints() == 0) continue;
        UT_DMatrix4 placement;
        SIMgetGeometryTransform(placement, *affector);

        ColliderSurface surface = collider_surface(values);
        // Not its bounce: Houdini's objects come with one that is meant for hard bodies.
        if (const SIM_PhysicalParms* physical = affector->getPhysicalParms())
            surface.of(&Body::friction) = static_cast<float>(physical->getFriction());
        const int id = affector->getObjectId();
        std::string name = affector->getName().toStdString();
        try {
            if (holds_bodies(*lock.getGdp())) {
                ColliderMove move;
                move.name = name;
                move.bodies = read_bodies(*lock.getGdp());
                moves.push_back(std::move(move));
                continue;
            }
            std::vector<ColliderPart> parts = collider_parts(*lock.getGdp(), surface, affine_of(placement));
            for (ColliderPart& part : parts) {
                ColliderMove move;
                move.name = parts.size() == 1 ? name : name + "/" + (part.piece.empty() ? "mesh" : part.piece);
                move.surface = std::move(part.surface);
                const auto known = std::find_if(before.begin(), before.end(), [&](const CollidingObject& then) {
                    return then.object == id && then.piece == part.piece;
                });
                if (known == before.end()) {
                    move.before = move.after = {id, part.piece, first_seen(part.shape, part.placement)};
                } else {
                    move.before = *known;
                    move.after = {id, part.piece, followed(known->state, part.shape, part.placement, spacing)};
                    if (!same_topology(move.before.state.rest, move.after.state.rest)) {
                        messages.warning(
                            "collider '" + move.name +
                            "' has other polygons than a frame ago: it can't be followed and is treated as static for "
                            "this frame");
                        move.before = move.after;
                    }
                }
                moves.push_back(std::move(move));
            }
        } catch (const Error& error) {
            throw Error("collider '" + name + "': " + error.what());
        }
    }
    return moves;
}

std::vector<CollidingObject> at_frame_end(const std::vector<ColliderMove>& moves) {
    std::vector<CollidingObject> all;
    for (const ColliderMove& move : moves)
        if (move.bodies.empty()) all.push_back(move.after);
    return all;
}

std::vector<MovingBody> bodies_of(const std::vector<ColliderMove>& moves, const Parameters& parameters,
                                  BoundaryCache& boundaries, const NodeMessages& messages) {
    const BoundarySettings settings = boundary_settings(parameters);
    std::vector<MovingBody> bodies;
    for (const ColliderMove& move : moves) {
        bodies.insert(bodies.end(), move.bodies.begin(), move.bodies.end());
        if (!move.bodies.empty()) continue;
        const std::string key = std::to_string(move.after.object) + "/" + move.after.piece;
        const Boundary& boundary = boundaries.of(key, move.after.state.rest, settings, "collider '" + move.name + "'");
        bodies.push_back(moving_body(move.name, move.before.state, move.after.state, boundary, move.surface));
    }
    boundaries.drop_unused();
    for (const std::string& warning : boundaries.take_warnings()) messages.warning(warning);
    return bodies;
}

std::string start_message(const CookSummary& summary) {
    return "Device: " + summary.device + "; " + (summary.notice.empty() ? "" : summary.notice + "; ") +
           particles_and_memory(summary) + ". Substeps and iterations of each frame: the object's " +
           SIM_FirnSnowReport::data_name + " in the Geometry Spreadsheet";
}

void require_at_origin(const SIM_Object& object) {
    UT_DMatrix4 placement;
    SIMgetGeometryTransform(placement, object);
    if (!(affine_of(placement) == Affine()))
        throw Error("the snow object has a position or a transform of its own; leave both at zero and move its points");
}

}  // namespace

SIM_FirnSnowSolver::SIM_FirnSnowSolver(const SIM_DataFactory* factory)
    : BaseClass(factory), SIM_OptionsUser(this), engines_(std::make_shared<SnowEngines>()) {}
SIM_FirnSnowSolver::~SIM_FirnSnowSolver() = default;

const SIM_DopDescription* SIM_FirnSnowSolver::dop_description() {
    static const std::string dialog = dialog_script(snow_solver_table());
    static const std::string guide_dialog = dialog_script(snow_solver_guide_table());
    static PRM_TemplateBuilder templates("dop_snow_solver.cpp", dialog.c_str());
    static PRM_TemplateBuilder guide_templates("dop_snow_solver.cpp", guide_dialog.c_str());
    static SIM_DopDescription description(true, snow_solver_table().name, snow_solver_table().label,
                                          SIM_SOLVER_DATANAME, classname(), templates.templates());
    description.setGuideTemplates(guide_templates.templates());
    return &description;
}

void SIM_FirnSnowSolver::makeEqualSubclass(const SIM_Data* source) {
    BaseClass::makeEqualSubclass(source);
    if (const SIM_FirnSnowSolver* other = SIM_DATA_CASTCONST(source, SIM_FirnSnowSolver)) engines_ = other->engines_;
}

SIM_Guide* SIM_FirnSnowSolver::createGuideObjectSubclass() const {
    // Every snow object has its own colliders, and they move.
    return new SIM_GuideTimeDep<SIM_GuidePerObject>(this);
}

void SIM_FirnSnowSolver::buildGuideGeometrySubclass(const SIM_RootData& root, const SIM_Options& options,
                                                    const GU_DetailHandle& gdh, UT_DMatrix4* xform,
                                                    const SIM_Time&) const {
    if (xform) xform->identity();
    if (gdh.isNull() || !options.getOptionB("showguide")) return;
    const SIM_FirnSnowState* state = SIM_DATA_GETCONST(root, SIM_FirnSnowState::data_name, SIM_FirnSnowState);
    if (!state) return;
    const OptionValues values(getOptions());
    const NodeMessages messages{
        [&](const std::string& text) { addError(&root, SIM_MESSAGE, text.c_str(), UT_ERROR_WARNING); }, {}};
    cook_reporting_errors(messages, [&] {
        const Parameters parameters = engine_settings(snow_solver_table(), values);
        const GU_DetailHandleAutoWriteLock lock(gdh);
        const UT_Vector3D colour = options.getOptionV3("color");
        for (const CollidingObject& object : state->colliders()) {
            const Boundary boundary = boundary_of(object.state.rest, boundary_settings(parameters), "a collider");
            add_guide_points(*lock.getGdp(), boundary_positions(object.state, boundary), colour);
        }
    });
}

SIM_Solver::SIM_Result SIM_FirnSnowSolver::solveSingleObjectSubclass(SIM_Engine& engine, SIM_Object& object,
                                                                     SIM_ObjectArray&, const SIM_Time& timestep,
                                                                     bool newobject) {
    const NodeMessages messages{
        [&](const std::string& text) { addError(&object, SIM_MESSAGE, text.c_str(), UT_ERROR_ABORT); },
        [&](const std::string& text) { addError(&object, SIM_MESSAGE, text.c_str(), UT_ERROR_WARNING); }};
    bool whole = false;
    const bool without_error = cook_reporting_errors(messages, [&] {
        const OptionValues values(getOptions());
        Parameters parameters = engine_settings(snow_solver_table(), values);
        const ObjectForces forces = forces_of(object);
        if (forces.has_gravity) parameters.gravity = forces.gravity;
        require_at_origin(object);

        // Read everything first and write last, so that an error or Esc leaves the object as it was.
        const SIM_FirnSnowState* remembered =
            SIM_DATA_GETCONST(object, SIM_FirnSnowState::data_name, SIM_FirnSnowState);
        const std::vector<ColliderMove> moves =
            collider_moves(object, remembered ? remembered->colliders() : std::vector<CollidingObject>(), values,
                           parameters.spacing, messages);
        const std::vector<Offer> offers = offers_of(object, parameters);
        std::map<int, int64_t> emitted = remembered ? remembered->emitted() : std::map<int, int64_t>();

        const std::lock_guard<std::mutex> guard(engines_->mutex);
        SnowEngines::Kept& kept = engines_->kept[object.getObjectId()];
        EngineCache::Forces pushes;
        if (!forces.others.empty())
            pushes = [&](Particles& particles) {
                add_accelerations(object, forces.others, parameters, particles, particles.acceleration);
            };
        std::optional<CookSummary> moved;
        if (!newobject && object.getGeometry()) {
            const SIM_GeometryAutoReadLock lock(object.getGeometry());
            const GU_Detail* snow = lock.getGdp();
            if (snow && snow->getNumPoints() > 0) {
                kept.cache.prepare(parameters, values.text("device"));
                kept.cache.set_bodies(bodies_of(moves, parameters, kept.boundaries, messages));
                kept.cache.upload(*snow, point_blocks(*snow), pushes);
                CookInterrupt interrupt("Firn snow");
                const FrameReport report =
                    kept.cache.advance(timestep, clock_of(engine, timestep), interrupt.observer());
                if (report.interrupted) return;
                for (const std::string& warning : report.warnings) messages.warning(warning);
                moved = cook_summary(kept.cache, report);
            }
        }

        SIM_GeometryCopy* geometry = SIM_DATA_CREATE(object, SIM_GEOMETRY_DATANAME, SIM_GeometryCopy,
                                                     SIM_DATA_RETURN_EXISTING | SIM_DATA_ADOPT_EXISTING_ON_DELETE);
        SIM_FirnSnowState* state =
            SIM_DATA_CREATE(object, SIM_FirnSnowState::data_name, SIM_FirnSnowState, SIM_DATA_RETURN_EXISTING);
        SIM_FirnSnowReport* report =
            moved ? SIM_DATA_CREATE(object, SIM_FirnSnowReport::data_name, SIM_FirnSnowReport, SIM_DATA_RETURN_EXISTING)
                  : SIM_DATA_GET(object, SIM_FirnSnowReport::data_name, SIM_FirnSnowReport);
        if (!geometry || !state || (moved && !report)) throw Error("the object's data can't be written");
        {
            SIM_GeometryAutoWriteLock lock(geometry, SIM_DATA_ID_PRESERVE);
            GU_Detail& snow = lock.getGdp();
            if (moved) {
                kept.cache.write(snow, point_blocks(snow));
                write_loads(snow, kept.cache);
                // The engine still holds this frame's forces; the next frame has its own, or none.
                if (pushes) kept.cache.forget();
            }
            complete_snow(snow, parameters.spacing, moved ? static_cast<float>(timestep) : 0.0f);
            const double frame = CHgetManager()->getSample(engine.getGlobalTime(engine.getSimulationTime()));
            const bool always = values.text("emission") == "always";
            for (const Offer& offer : offers) {
                if (offer.dated) {
                    add_appearing_snow(snow, *offer.points, frame, newobject, parameters);
                    continue;
                }
                const auto before = emitted.find(offer.object);
                if (!always && before != emitted.end() && before->second == offer.hash) continue;
                emitted[offer.object] = offer.hash;
                add_appearing_snow(snow, *offer.points, 0, true, parameters);
            }
        }
        state->set_colliders(at_frame_end(moves));
        state->set_emitted(emitted);
        if (report) {
            // Messages of all steps pile up in the node's info window: one per simulation, not one per frame.
            if (moved && report->device() != moved->device)
                addError(&object, SIM_MESSAGE, start_message(*moved).c_str(), UT_ERROR_MESSAGE);
            report->set(moved.value_or(CookSummary()));
        }
        whole = true;
    });
    return without_error && whole ? SIM_SOLVER_SUCCESS : SIM_SOLVER_FAIL;
}

}  // namespace firn
