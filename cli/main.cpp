#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <system_error>

#include "subcommands.h"

namespace {

std::terminate_handler usual_end;

/// A thread that can't be started where nobody catches it: one line instead of a core dump. Anything else is a mistake
/// of ours, and stays what it was.
[[noreturn]] void end_without_threads() {
    try {
        if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::resource_unavailable_try_again) {
            std::fputs("firn: the system lets it start no more threads; raise the limit (ulimit -u)\n", stderr);
            ::_exit(1);
        }
    } catch (...) {
    }
    usual_end();
    std::abort();
}

// OpenVDB may bring log4cplus, which starts threads while it is loaded: only this runs before.
__attribute__((section(".preinit_array"), used)) void (*const before_libraries)() = [] {
    usual_end = std::set_terminate(end_without_threads);
};

}  // namespace

int main(int argc, char** argv) {
    return firn::run_firn(argc, argv);
}
