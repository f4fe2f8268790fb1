#include "command_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "firn/spelling.h"

namespace {

double parse_number(const std::string& name, const std::string& value, double low, double high) {
    double number = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    std::ostringstream range;
    range << low << " to " << high;
    if (error != std::errc() || stop != end || !std::isfinite(number))
        throw UsageError(name + " needs a number from " + range.str() + ", not '" + value + "'");
    if (number < low || number > high) throw UsageError(name + " " + value + " is out of range: give " + range.str());
    return number;
}

bool ends_in_dots(const std::string& name) {
    return name.size() > 3 && name.compare(name.size() - 3, 3, "...") == 0;
}

}  // namespace

CommandLine::CommandLine(int argc, char** argv, std::vector<Option> options, const std::vector<std::string>& repeatable)
    : options_(std::move(options)) {
    options_.push_back({"--help", "", "this text"});
    bool only_places = false;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (!only_places && argument == "--") {
            only_places = true;
            continue;
        }
        if (!only_places && argument == "-h") {
            given_.push_back({"--help", ""});
            continue;
        }
        if (only_places || argument.empty() || argument[0] != '-') {
            fill_place(argument);
            continue;
        }
        const size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const auto option =
            std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.name == name; });
        if (option == options_.end()) {
            std::vector<std::string> names;
            for (const Option& known : options_) names.push_back(known.name);
            throw UsageError("unknown option '" + argument + "'" + firn::did_you_mean(name, names) +
                             "; --help lists them all");
        }

        Given given{name, ""};
        const bool takes_value = *option->value != '\0';
        if (!takes_value && equals != std::string::npos) throw UsageError(name + " takes no value");
        if (takes_value && equals != std::string::npos) given.value = argument.substr(equals + 1);
        if (takes_value && equals == std::string::npos) {
            if (i + 1 == argc) throw UsageError(name + " needs a value, " + option->value);
            given.value = argv[++i];
        }
        const bool may_repeat = std::find(repeatable.begin(), repeatable.end(), name) != repeatable.end();
        if (!may_repeat && has(name)) throw UsageError(name + " is given twice");
        given_.push_back(given);
    }
}

void CommandLine::fill_place(const std::string& argument) {
    for (const Option& option : options_) {
        const bool takes_all = ends_in_dots(option.name);
        if (option.name[0] == '-' || (has(option.name) && !takes_all)) continue;
        given_.push_back({option.name, argument});
        return;
    }
    throw UsageError("unexpected argument '" + argument + "'; --help says what is expected");
}

void CommandLine::require_places() const {
    for (const Option& option : options_)
        if (option.name[0] != '-' && !has(option.name)) throw UsageError(std::string(option.name) + " is missing");
}

bool CommandLine::has(const std::string& name) const {
    return std::any_of(given_.begin(), given_.end(), [&](const Given& given) { return given.name == name; });
}

std::string CommandLine::text(const std::string& name, const std::string& otherwise) const {
    for (const Given& given : given_)
        if (given.name == name) return given.value;
    return otherwise;
}

std::string CommandLine::required_text(const std::string& name) const {
    if (!has(name)) throw UsageError(name + " is missing; --help says what it is");
    return text(name, "");
}

std::vector<std::string> CommandLine::all(const std::string& name) const {
    std::vector<std::string> values;
    for (const Given& given : given_)
        if (given.name == name) values.push_back(given.value);
    return values;
}

double CommandLine::number(const std::string& name, double otherwise, double low, double high) const {
    return has(name) ? parse_number(name, text(name, ""), low, high) : otherwise;
}

double CommandLine::required_number(const std::string& name, double low, double high) const {
    return parse_number(name, required_text(name), low, high);
}

int CommandLine::integer(const std::string& name, int otherwise, int low, int high) const {
    const double value = number(name, otherwise, low, high);
    if (value != std::floor(value)) throw UsageError(name + " needs a whole number, not '" + text(name, "") + "'");
    return static_cast<int>(value);
}

std::string CommandLine::option_help() const {
    size_t width = 0;
    for (const Option& option : options_)
        width = std::max(width, std::string(option.name).size() + 1 + std::string(option.value).size());
    std::string lines;
    for (const Option& option : options_) {
        std::string usage = std::string(option.name) + " " + option.value;
        usage.resize(width + 2, ' ');
        lines += "  " + usage + option.help + "\n";
    }
    return lines;
}
