#pragma once

namespace firn {

/// From here on the first Ctrl-C or SIGTERM only leaves a note; the second ends the program at once. SIGHUP (the
/// terminal is gone) and SIGPIPE (nobody reads what the program prints) leave a note however often they come, unless
/// they were ignored when the program was started.
void catch_interrupts();

/// From here on a file that grows beyond the limit (ulimit -f) is an error of that write, not the program's end.
void report_file_limits();

/// The signal that came first, 0 = none.
int interrupted_by();

}  // namespace firn
