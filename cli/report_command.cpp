#include "firn/error.h"
#include "subcommands.h"

namespace firn {

namespace {

int run(const CommandLine&) {
    throw Error("not there yet");
}

}  // namespace

Subcommand report_command() {
    return {"report",
            "one self-contained HTML page about a run",
            "firn report RUN [options]",
            "",
            {{"RUN", "", "a run's folder"}},
            run};
}

}  // namespace firn
