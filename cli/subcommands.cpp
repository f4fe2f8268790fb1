#include "subcommands.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "firn/error.h"
#include "firn/spelling.h"
#include "interrupt.h"

namespace firn {

const std::vector<Subcommand>& subcommands() {
    static const std::vector<Subcommand> all = {
        sim_command(),    check_command(), volumes_command(), grains_command(), verify_command(), preview_command(),
        report_command(), info_command(),  convert_command(), wedges_command(), params_command(), keys_command()};
    return all;
}

namespace {

void print_overview(std::FILE* to) {
    std::fputs(
        "firn: snow simulation, from a scene file to frames that open in Houdini and Blender\n"
        "\n"
        "usage: firn COMMAND [arguments]\n\n",
        to);
    for (const Subcommand& command : subcommands()) std::fprintf(to, "  %-9s %s\n", command.name, command.summary);
    std::fputs(
        "\n"
        "A first run:\n"
        "  firn check scene.toml         is the scene right, and how large is it?\n"
        "  firn sim scene.toml           simulate; Ctrl-C saves, --resume continues\n"
        "  firn preview out/scene --contact-sheet --video\n"
        "                                pictures of what it made\n"
        "  firn report out/scene         one page about the run\n"
        "\n"
        "`firn COMMAND --help` explains a command, `firn keys` lists everything that a scene file may hold, `firn "
        "--version` "
        "the\n"
        "version. Exit codes: 0 done, 1 error, 2 wrong usage, 130 (143) stopped by Ctrl-C (SIGTERM) with all saved.\n",
        to);
}

void print_help(const Subcommand& command, const CommandLine& line) {
    std::printf("firn %s: %s\n\nusage: %s\n\n%s", command.name, command.summary, command.usage,
                line.option_help().c_str());
    if (*command.details) std::printf("\n%s", command.details);
}

/// What was printed may not have arrived: a page of help on a full disk is no success.
int printed(const std::string& name, int code) {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
    if (code != exit_done) return code;
    std::fprintf(stderr, "%s: what it prints can't be written (%s); is the disk full?\n", name.c_str(),
                 std::strerror(errno));
    return exit_error;
}

int run(const Subcommand& command, int argc, char** argv) {
    std::vector<Option> options = command.options;
    try {
        const CommandLine line(argc, argv, std::move(options), command.repeatable);
        if (line.help_wanted()) {
            print_help(command, line);
            return exit_done;
        }
        line.require_places();
        return command.run(line);
    } catch (const UsageError& error) {
        std::fprintf(stderr, "firn %s: %s\nusage: %s\n", command.name, error.what(), command.usage);
        return exit_usage;
    } catch (const Error& error) {
        std::fprintf(stderr, "firn %s: %s\n", command.name, error.what());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "firn %s: out of memory; use a larger spacing or a smaller resolution\n", command.name);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "firn %s: %s\n", command.name, error.what());
    }
    return exit_error;
}

int run_any(int argc, char** argv) {
    const std::string wanted = argc > 1 ? argv[1] : "";
    if (wanted == "--help" || wanted == "-h" || wanted == "help") {
        if (argc == 2) {
            print_overview(stdout);
            return exit_done;
        }
        for (const Subcommand& command : subcommands()) {
            if (wanted == "help" && std::string(argv[2]) == command.name) {
                print_help(command, CommandLine(0, nullptr, command.options, command.repeatable));
                return exit_done;
            }
        }
    }
    if (wanted == "--version") {
        std::printf("firn %s\n", FIRN_VERSION);
        return exit_done;
    }
    std::vector<std::string> names;
    for (const Subcommand& command : subcommands()) {
        if (wanted == command.name) return run(command, argc - 1, argv + 1);
        names.push_back(command.name);
    }
    if (wanted.empty()) {
        print_overview(stderr);
        return exit_usage;
    }
    std::fprintf(stderr, "firn: there is no command '%s'%s; `firn --help` lists them\n", wanted.c_str(),
                 did_you_mean(wanted, names).c_str());
    return exit_usage;
}

}  // namespace

int run_firn(int argc, char** argv) {
    report_file_limits();
    return printed(argc > 1 ? "firn " + std::string(argv[1]) : "firn", run_any(argc, argv));
}

}  // namespace firn
