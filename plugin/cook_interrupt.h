#pragma once

// Esc and progress: one for each cook.

#include <UT/UT_Interrupt.h>

#include <functional>

#include "firn/engine.h"

namespace firn {

class CookInterrupt {
public:
    /// `title` is what Houdini shows while it waits.
    explicit CookInterrupt(const char* title) : interrupt_(title) {}

    /// For Engine::advance(): asks Houdini between substeps and between iterations, and tells it where the frame is.
    Observer observer();
    /// For the functions of vdb/.
    std::function<bool()> interrupted();
    bool was_interrupted() { return stopped_ = stopped_ || interrupt_.wasInterrupted(); }
    /// Throws Error if the user pressed Esc.
    void require_uninterrupted();

private:
    UT_AutoInterrupt interrupt_;
    int substep_ = -1;
    bool stopped_ = false;
};

}  // namespace firn
