#pragma once

// What a Solver SOP does with firn::snow_step: the last frame goes in, this frame comes out, and every frame is kept.

#include <map>

#include "houdini.h"

class SolverLoop {
public:
    explicit SolverLoop(Houdini& houdini) : step(houdini.node("firn::snow_step")) {
        feedback_ = houdini.geometry([](GU_Detail&, double) {});
        step->setInput(0, feedback_);
    }

    /// Null after an error. Frames that are kept are not cooked again; those before are.
    GU_DetailHandle frame(int wanted) {
        auto last = kept_.upper_bound(wanted);
        if (last != kept_.begin() && std::prev(last)->first == wanted) return std::prev(last)->second;
        for (int f = last == kept_.begin() ? 1 : std::prev(last)->first + 1; f <= wanted; ++f) {
            const auto before = kept_.find(f - 1);
            const GU_DetailHandle state = before == kept_.end() ? GU_DetailHandle() : before->second;
            feedback_->set([state](GU_Detail& detail, double) {
                if (state.isValid()) detail.replaceWith(*state.gdp());
            });
            const GU_DetailHandle cooked = Houdini::cook(step, f);
            if (cooked.isNull()) return cooked;
            kept_[f] = cooked;
        }
        return kept_[wanted];
    }
    /// As if the cache were thrown away from this frame on.
    void forget_from(int frame) { kept_.erase(kept_.lower_bound(frame), kept_.end()); }
    /// Puts another state in a frame's place; what comes after it is simulated anew.
    void edit(int frame, const std::function<void(GU_Detail&)>& change) {
        GU_DetailHandle changed;
        changed.allocateAndSet(new GU_Detail);
        changed.gdpNC()->replaceWith(*kept_.at(frame).gdp());
        change(*changed.gdpNC());
        kept_[frame] = changed;
        forget_from(frame + 1);
    }

    OP_Node* step;

private:
    GeometryNode* feedback_;
    std::map<int, GU_DetailHandle> kept_;
};
