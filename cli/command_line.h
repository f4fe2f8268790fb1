#pragma once

#include <string>
#include <vector>

/// An option that takes a value (`--dt 2e-4` or `--dt=2e-4`), or none when `value` is "" (`--quiet`).
struct Option {
    const char* name;   ///< with its dashes
    const char* value;  ///< what --help calls the value; "" = a flag
    const char* help;   ///< one line
};

/// The options that a person gave, by the program's table of options. `--help` is always known.
class CommandLine {
public:
    /// Throws firn::Error that names the argument when it is unknown, lacks its value, or is given twice although the
    /// option is not in `repeatable`.
    CommandLine(int argc, char** argv, std::vector<Option> options, const std::vector<std::string>& repeatable = {});

    bool has(const std::string& name) const;
    /// The value given, or `otherwise`.
    std::string text(const std::string& name, const std::string& otherwise) const;
    /// Throws firn::Error when the option is missing.
    std::string required_text(const std::string& name) const;
    /// All values of a repeatable option, in the order given.
    std::vector<std::string> all(const std::string& name) const;
    /// Throw firn::Error when the value is no number or outside low..high, both allowed.
    double number(const std::string& name, double otherwise, double low, double high) const;
    double required_number(const std::string& name, double low, double high) const;
    int integer(const std::string& name, int otherwise, int low, int high) const;

    bool help_wanted() const { return has("--help"); }
    /// The table of options as text, one line each.
    std::string option_help() const;

private:
    struct Given {
        std::string name, value;
    };

    std::vector<Option> options_;
    std::vector<Given> given_;
};
