// firn::snow_collider: geometry -> boundary particles. Not a verb, because what moves is asked for at other times too.

#include <CH/CH_Manager.h>
#include <OP/OP_AutoLockInputs.h>

#include <algorithm>

#include "body_transfer.h"
#include "collider_bodies.h"
#include "cook_interrupt.h"
#include "firn/error.h"
#include "node_messages.h"
#include "snow_sop.h"

namespace firn {

namespace {

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
        ColliderSettings settings;
        settings.spacing = static_cast<float>(values.real("spacing"));
        settings.boundary_volume = static_cast<float>(values.real("boundary_volume"));
        settings.motion = static_cast<Motion>(values.integer("motion"));
        settings.inverted = values.toggle("inverted");
        settings.two_sided = values.toggle("two_sided") && !settings.inverted;
        settings.friction = static_cast<float>(values.real("friction"));
        settings.adhesion = static_cast<float>(values.real("adhesion"));
        settings.bounce = static_cast<float>(values.real("bounce"));
        settings.sticky = static_cast<float>(values.real("sticky"));
        if (!(settings.spacing > 0)) throw Error("Particle Spacing has to be more than 0 m");
        const std::string pieces =
            values.text("pieces") == "attribute" ? values.text("piece_attribute") : std::string();
        flags().setTimeDep(settings.motion != Motion::still);

        std::vector<MovingBody> bodies;
        if (settings.motion == Motion::still) {
            bodies = bodies_.still(now(context, pieces), settings);
        } else {
            const double frame = values.real("frame"), start = values.real("start_frame");
            // The current time comes last, so that the input stays as everybody else wants it.
            const GeometryPieces sampled = at(context, start, pieces);
            const GeometryPieces before = at(context, std::max(start, frame - 1), pieces);
            const GeometryPieces here = frame > start ? now(context, pieces) : before;
            bodies = bodies_.moving(sampled, before, here, settings);
            if (frame <= start) now(context, pieces);
        }
        interrupt.require_uninterrupted();
        for (const std::string& warning : bodies_.warnings()) addWarning(SOP_MESSAGE, warning.c_str());
        if (bodies.empty())
            addWarning(SOP_MESSAGE, "the input has no polygons, VDBs or height fields: there is nothing to run into");
        UT_String path;
        getFullPath(path);
        gdp->clearAndDestroy();
        write_bodies(*gdp, bodies, path.toStdString(), settings.spacing, CHgetManager()->getSecsPerSample());
        size_t count = 0;
        for (const MovingBody& body : bodies) count += body.body.position.size();
        set_info(std::to_string(bodies.size()) + (bodies.size() == 1 ? " body, " : " bodies, ") +
                 std::to_string(count) + " boundary particles\n");
    }

    GeometryPieces now(OP_Context& context, const std::string& pieces) {
        OP_AutoLockInputs inputs(this);
        if (inputs.lock(context) >= UT_ERROR_ABORT) throw Error("the input did not cook");
        return geometry_pieces(*inputGeo(0), pieces, collider_values());
    }

    GeometryPieces at(const OP_Context& context, double frame, const std::string& pieces) {
        OP_Context then(context);
        then.setTime(CHgetManager()->getTime(frame));
        SOP_Node* input = CAST_SOPNODE(getInput(0));
        const GU_DetailHandle handle = input ? input->getCookedGeoHandle(then) : GU_DetailHandle();
        if (handle.isNull()) throw Error("the input did not cook at frame " + std::to_string(frame));
        const GU_DetailHandleAutoReadLock detail(handle);
        return geometry_pieces(*detail.getGdp(), pieces, collider_values());
    }

    ColliderBodies bodies_;
};

}  // namespace

void add_snow_collider(OP_OperatorTable* operators) {
    add_sop(operators, snow_collider_table(), [](OP_Network* net, const char* name, OP_Operator* entry) -> OP_Node* {
        return new SnowCollider(net, name, entry);
    });
}

}  // namespace firn
