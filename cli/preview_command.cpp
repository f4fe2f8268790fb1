#include "firn/error.h"
#include "subcommands.h"

namespace firn {

namespace {

int run(const CommandLine&) {
    throw Error("not there yet");
}

}  // namespace

Subcommand preview_command() {
    return {"preview",
            "render frames to PNG, a contact sheet and a video",
            "firn preview RUN [options]",
            "",
            {{"RUN", "", "a run's folder"}},
            run};
}

}  // namespace firn
