#pragma once

#include <string>
#include <vector>

#include "firn/error.h"

/// A wrong command line, as opposed to a wrong file.
class UsageError : public firn::Error {
public:
    using firn::Error::Error;
};

/// An option that takes a value (`--dt 2e-4` or `--dt=2e-4`), or none when `value` is "" (`--quiet`). A name without
/// dashes (`SCENE`) is a place for an argument without an option; places are filled in their order, and one whose name
/// ends in `...` takes all the rest.
struct Option {
    const char* name;   ///< with its dashes
    const char* value;  ///< what --help calls the value; "" = a flag
    const char* help;   ///< one line
};

/// The options that a person gave, by the program's table of options. `--help` is always known.
class CommandLine {
public:
    /// Throws UsageError that names the argument when it is unknown, lacks its value, or is given twice although the
    /// option is not in `repeatable`.
    CommandLine(int argc, char** argv, std::vector<Option> options, const std::vector<std::string>& repeatable = {});

    bool has(const std::string& name) const;
    /// The value given, or `otherwise`.
    std::string text(const std::string& name, const std::string& otherwise) const;
    /// Throws UsageError when the option is missing.
    std::string required_text(const std::string& name) const;
    /// All values of a repeatable option, in the order given.
    std::vector<std::string> all(const std::string& name) const;
    /// Throw UsageError when the value is no number or outside low..high, both allowed.
    double number(const std::string& name, double otherwise, double low, double high) const;
    double required_number(const std::string& name, double low, double high) const;
    int integer(const std::string& name, int otherwise, int low, int high) const;

    /// Throws UsageError when a place is left empty.
    void require_places() const;

    bool help_wanted() const { return has("--help"); }
    /// The table of options as text, one line each.
    std::string option_help() const;

private:
    struct Given {
        std::string name, value;
    };

    void fill_place(const std::string& argument);

    std::vector<Option> options_;
    std::vector<Given> given_;
};
