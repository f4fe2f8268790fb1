// firn::snow_collider: geometry -> boundary particles. Not a verb: it cooks its input at other times
// too.

#include <CH/CH_Manager.h>
#include <GU/GU_Detail.h>
#include <OP/OP_AutoLockInputs.h>
#include <OP/OP_Context.h>
#include <OP/OP_Error.h>
#include <OP/OP_Network.h>
#include <OP/OP_Operator.h>
#include <SOP/SOP_Error.h>
#include <SOP/SOP_Node.h>
#include <UT/UT_Error.h>
#include <UT/UT_String.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "body_transfer.h"
#include "cook_interrupt.h"
#include "firn/collider.h"
#include "firn/error.h"
#include "firn/surface_sources.h"
#include "geometry_pieces.h"
#include "node_messages.h"
#include "snow_sop.h"

namespace firn {

namespace {

ColliderShape shape_of(const SurfacePiece& piece) {
    return {piece.mesh, {}, piece.packed};
}

/// The piece's point attributes override the node's parameters.
ColliderSurface surface_of(const SurfacePiece& piece, ColliderSurface surface) {
    for (size_t q = 0; q < surface_quantity_count; ++q)
        if (const std::vector<float>* values = surface_value(piece, q)) surface.at_points[q] = *values;
    return surface;
}

/// Two pieces of one input may have one name; two bodies may not.
void make_names_unique(std::vector<MovingBody>& bodies) {
    std::unordered_map<std::string, int> again;
    std::unordered_set<std::string> taken;
    for (MovingBody& moving : bodies) {
        const std::string name = moving.body.name;
        while (!taken.insert(moving.body.name).second)
            moving.body.name = name + "_" + std::to_string(++again[name] + 1);
    }
}

class SnowCollider : public SnowSop {
public:
    using SnowSop::SnowSop;

private:
    OP_ERROR cookMySop(OP_Context& context) override {
        const NodeMessages messages{[&](const std::string& text) { addError(SOP_MESSAGE, text.c_str()); },
                                    [&](const std::string& text) { addWarning(SOP_MESSAGE, text.c_str()); }};
        cook_reporting_errors(messages, [&] { cook_bodies(context); });
        return error();
    }

    void cook_bodies(OP_Context& context) {
        CookInterrupt interrupt("Sampling colliders");
        const NodeParameterValues values(*this, snow_collider_table(), context.getTime());
        BoundarySettings settings;
        settings.spacing = static_cast<float>(values.real("spacing"));
        settings.boundary_volume = static_cast<float>(values.real("boundary_volume"));
        settings.inverted = values.toggle("inverted");
        settings.two_sided = values.toggle("two_sided") && !settings.inverted;
        if (!(settings.spacing > 0)) throw Error("Particle Spacing has to be more than 0 m");
        const ColliderSurface surface = collider_surface(values);
        const auto motion = static_cast<Motion>(values.integer("motion"));
        const std::string pieces =
            values.text("pieces") == "attribute" ? values.text("piece_attribute") : std::string();
        flags().setTimeDep(motion != Motion::still);

        warnings_.clear();
        std::vector<MovingBody> bodies;
        if (motion == Motion::still) {
            const GeometryPieces here = at(context.getTime(), context, pieces);
            const bool plane = values.toggle("plane") && !settings.inverted && !settings.two_sided;
            for (size_t k = 0; k < here.surfaces.size(); ++k)
                bodies.push_back(plane ? plane_body(here.surfaces[k], values.real("plane_size"), settings, surface)
                                       : still_body(std::to_string(k), here.surfaces[k], settings, surface));
            add_heightfields(here, settings, surface, bodies);
        } else {
            const double frame = values.real("frame"), start = values.real("start_frame");
            // The current time comes last, so that the input stays cooked at the time that other nodes expect.
            const auto at_frame = [&](double f) { return at(CHgetManager()->getTime(f), context, pieces); };
            const GeometryPieces sampled = at_frame(start);
            const GeometryPieces before = at_frame(std::max(start, frame - 1));
            const GeometryPieces now = at(context.getTime(), context, pieces);
            const GeometryPieces& here = frame > start ? now : before;
            const size_t count = sampled.surfaces.size();
            if (before.surfaces.size() != count || here.surfaces.size() != count)
                throw Error("the input has " + std::to_string(here.surfaces.size()) + " pieces at this frame and " +
                            std::to_string(count) + " at the start frame; a body can't appear or vanish");
            for (size_t k = 0; k < count; ++k)
                bodies.push_back(moving_body_of(std::to_string(k), sampled.surfaces[k], before.surfaces[k],
                                                here.surfaces[k], motion, settings, surface));
            add_heightfields(here, settings, surface, bodies);
        }
        make_names_unique(bodies);
        boundaries_.drop_unused();
        interrupt.require_uninterrupted();
        for (const std::string& warning : warnings_) addWarning(SOP_MESSAGE, warning.c_str());
        if (bodies.empty())
            addWarning(SOP_MESSAGE,
                       "the input has no polygons, VDBs or height fields: there is nothing to collide with");
        UT_String path;
        getFullPath(path);
        gdp->clearAndDestroy();
        write_bodies(*gdp, bodies, path.toStdString(), settings.spacing, CHgetManager()->getSecsPerSample());
        size_t count = 0;
        for (const MovingBody& body : bodies) count += body.body.position.size();
        if (bodies.size() == 1 && bodies[0].body.source) {
            set_info("1 plane, with boundary particles where snow comes near\n");
            return;
        }
        set_info(std::to_string(bodies.size()) + (bodies.size() == 1 ? " body, " : " bodies, ") +
                 std::to_string(count) + " boundary particles\n");
    }

    const Boundary& boundary(const std::string& key, const std::string& name, const ColliderShape& shape,
                             const BoundarySettings& settings) {
        const Boundary& found = boundaries_.of(key, shape, settings, "collider '" + name + "'");
        warnings_.insert(warnings_.end(), found.warnings.begin(), found.warnings.end());
        return found;
    }

    MovingBody still_body(const std::string& key, const SurfacePiece& piece, const BoundarySettings& settings,
                          const ColliderSurface& surface) {
        const ColliderState state = first_seen(shape_of(piece), affine(piece.placement));
        return moving_body(piece.name, state, state, boundary(key, piece.name, state.rest, settings),
                           surface_of(piece, surface));
    }

    /// The plane in which the piece lies: through its middle, facing where its polygons face.
    static MovingBody plane_body(const SurfacePiece& piece, double size, const BoundarySettings& settings,
                                 const ColliderSurface& surface) {
        const Mesh mesh = placed_mesh(piece);
        double middle[3] = {0, 0, 0}, up[3] = {0, 0, 0};
        for (const Float3& p : mesh.points) {
            const double at[3] = {p.x, p.y, p.z};
            for (int c = 0; c < 3; ++c) middle[c] += at[c] / static_cast<double>(mesh.points.size());
        }
        for (const auto& [a, b, c] : mesh.triangles) {
            const Float3 &p = mesh.points[a], &q = mesh.points[b], &r = mesh.points[c];
            const double e[3] = {double(q.x) - p.x, double(q.y) - p.y, double(q.z) - p.z},
                         f[3] = {double(r.x) - p.x, double(r.y) - p.y, double(r.z) - p.z};
            for (int k = 0; k < 3; ++k) up[k] += e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
        }
        const double length = std::hypot(up[0], up[1], up[2]);
        if (!(length > 0)) throw Error("collider '" + piece.name + "' has no polygons that say where its plane faces");
        for (double& u : up) u /= length;
        Transform placement = turned_up(up);
        for (int c = 0; c < 3; ++c) placement.translation[c] = middle[c];
        MovingBody moving;
        moving.body.name = piece.name;
        moving.body.source = plane_source(size, size, placement, settings);
        surface.set_values(moving.body);
        return moving;
    }

    /// The shortest turn that takes +y there.
    static Transform turned_up(const double to[3]) {
        Transform t;
        const double c = to[1], x = to[2], z = -to[0];  // axis: y cross `to`
        const double square = x * x + z * z;
        if (square < 1e-20) {
            if (c < 0) t.rotation[4] = t.rotation[8] = -1;  // upside down: about x
            return t;
        }
        const double k = (1 - c) / square;
        const double r[9] = {c + k * x * x, -z, k * x * z, z, c, -x, k * x * z, x, c + k * z * z};
        std::copy(r, r + 9, t.rotation);
        return t;
    }

    void add_heightfields(const GeometryPieces& pieces, const BoundarySettings& settings,
                          const ColliderSurface& surface, std::vector<MovingBody>& bodies) {
        for (size_t k = 0; k < pieces.heightfields.size(); ++k) {
            MovingBody moving;
            Body& body = moving.body;
            body.name = "height" + std::to_string(k);
            surface.set_values(body);
            SurfaceSource::Particles all = all_particles(*heightfield_source(pieces.heightfields[k], settings));
            body.position = std::move(all.position);
            body.normal = std::move(all.normal);
            body.volume = std::move(all.volume);
            bodies.push_back(std::move(moving));
        }
    }

    /// As it is where it is sampled, where the frame begins, and where it ends.
    MovingBody moving_body_of(const std::string& key, const SurfacePiece& sampled, const SurfacePiece& from,
                              const SurfacePiece& to, Motion motion, const BoundarySettings& settings,
                              const ColliderSurface& surface) {
        const std::string what = "collider '" + sampled.name + "'";
        if (sampled.from_volume && !sampled.packed)
            throw Error(what +
                        " is a VDB, whose motion can't be followed from frame to frame; pack it and move the "
                        "packed primitive");
        // What deforms is sampled and followed in the world.
        const auto shape = [&](const SurfacePiece& piece) {
            return motion == Motion::rigid ? shape_of(piece) : ColliderShape{placed_mesh(piece), {}};
        };
        const auto placement = [&](const SurfacePiece& piece) {
            return motion == Motion::rigid ? affine(piece.placement) : Affine();
        };
        const ColliderState rest = first_seen(shape(sampled), placement(sampled), motion);
        const auto followed_to = [&](const SurfacePiece& piece) {
            ColliderState now = followed(rest, shape(piece), placement(piece), settings.spacing);
            require_same_topology(rest, now, what);
            if (now.motion != motion)
                throw Error(what + " changes its shape or its scale; set Motion to Animated Deforming");
            return now;
        };
        return moving_body(sampled.name, followed_to(from), followed_to(to),
                           boundary(key, sampled.name, rest.rest, settings), surface_of(sampled, surface));
    }

    /// The input, cooked at a time. Houdini gives the output that the wire comes from, which the node at its other end
    /// would not know.
    GeometryPieces at(fpreal time, const OP_Context& context, const std::string& pieces) {
        OP_Context then(context);
        then.setTime(time);
        OP_AutoLockInputs inputs(this);
        const GU_Detail* input = inputs.lock(then) < UT_ERROR_ABORT ? inputGeo(0) : nullptr;
        if (!input) throw Error("the input did not cook at frame " + std::to_string(CHgetManager()->getSample(time)));
        return geometry_pieces(*input, pieces, surface_values());
    }

    BoundaryCache boundaries_;
    std::vector<std::string> warnings_;
};

}  // namespace

void add_snow_collider(OP_OperatorTable* operators) {
    add_sop(operators, snow_collider_table(), [](OP_Network* net, const char* name, OP_Operator* entry) -> OP_Node* {
        return new SnowCollider(net, name, entry);
    });
}

}  // namespace firn
