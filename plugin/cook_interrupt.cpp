#include "cook_interrupt.h"

#include <string>

#include "firn/error.h"

namespace firn {

Observer CookInterrupt::observer() {
    return [this](const Progress& progress) {
        if (progress.substep != substep_) {
            substep_ = progress.substep;
            // A process may have no interrupter.
            if (UT_Interrupt* shown = interrupt_.getInterrupt())
                shown->setLongOpText(("Snow: substep " + std::to_string(progress.substep)).c_str());
        }
        stopped_ = stopped_ || interrupt_.wasInterrupted(static_cast<int>(100 * progress.fraction));
        return !stopped_;
    };
}

std::function<bool()> CookInterrupt::interrupted() {
    return [this] { return was_interrupted(); };
}

void CookInterrupt::require_uninterrupted() {
    if (was_interrupted()) throw Error("interrupted; cook again to go on");
}

}  // namespace firn
