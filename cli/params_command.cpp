#include <cstdio>

#include "key_reference.h"
#include "subcommands.h"

namespace firn {

namespace {

int run(const CommandLine& line) {
    if (line.has("--json") && line.has("--markdown")) throw UsageError("give --json or --markdown, not both");
    const std::string text = line.has("--json")       ? parameters_json()
                             : line.has("--markdown") ? parameters_markdown()
                                                      : parameters_text();
    std::fputs(text.c_str(), stdout);
    return exit_done;
}

}  // namespace

Subcommand params_command() {
    return {"params",
            "every parameter of the engine: unit, default, range, help, symbol",
            "firn params [--json | --markdown]",
            "Each can stand in a scene file in the section named, or be given as `--set NAME=VALUE`.\n",
            {{"--json", "", "for programs"}, {"--markdown", "", "for documents"}},
            run};
}

}  // namespace firn
