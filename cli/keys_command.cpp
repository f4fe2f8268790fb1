#include <cstdio>

#include "key_reference.h"
#include "subcommands.h"

namespace firn {

namespace {

int run(const CommandLine& line) {
    if (line.has("--json") && line.has("--markdown")) throw UsageError("give --json or --markdown, not both");
    const std::string text = line.has("--json") ? keys_json() : line.has("--markdown") ? keys_markdown() : keys_text();
    std::fputs(text.c_str(), stdout);
    return exit_done;
}

}  // namespace

Subcommand keys_command() {
    return {"keys",
            "everything that a scene file may hold",
            "firn keys [--json | --markdown]",
            "docs/scene.md is the output of `firn keys --markdown`.\n",
            {{"--json", "", "for programs"}, {"--markdown", "", "for documents"}},
            run};
}

}  // namespace firn
