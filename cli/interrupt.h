#pragma once

namespace firn {

/// From here on the first Ctrl-C or SIGTERM only leaves a note; the second ends the program at once.
void catch_interrupts();

/// The signal that came, 0 = none.
int interrupted_by();

}  // namespace firn
