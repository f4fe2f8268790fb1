#pragma once

// The subcommands of `firn`. Each has a table of options, a text that teaches, and a function.

#include <string>
#include <vector>

#include "command_line.h"

namespace firn {

/// What the program returns to the shell; firn.1 documents them.
enum ExitCode : int {
    exit_done = 0,
    exit_error = 1,         ///< a bad file, a full disk, a run that can't continue
    exit_usage = 2,         ///< a wrong option
    exit_interrupted = 130  ///< Ctrl-C (143: SIGTERM, 129: SIGHUP, 141: SIGPIPE); all is saved, --resume continues
};

struct Subcommand {
    const char* name;
    const char* summary;  ///< one line
    const char* usage;    ///< "firn sim SCENE [options]"
    const char* details;  ///< paragraphs below the options
    std::vector<Option> options;
    int (*run)(const CommandLine&);
    std::vector<std::string> repeatable = {};
};

const std::vector<Subcommand>& subcommands();

Subcommand sim_command();
Subcommand check_command();
Subcommand params_command();
Subcommand keys_command();
Subcommand info_command();
Subcommand convert_command();
Subcommand volumes_command();
Subcommand grains_command();
Subcommand verify_command();
Subcommand wedges_command();
Subcommand preview_command();
Subcommand report_command();

/// All of `firn ARGUMENTS`; errors are printed, and the exit code returned.
int run_firn(int argc, char** argv);

}  // namespace firn
