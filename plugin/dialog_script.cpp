#include "dialog_script.h"

#include <cctype>
#include <cstdio>

namespace firn {

namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

const char* type_word(NodeParameterType type) {
    static const char* const words[] = {"float", "integer", "toggle", "ordinal", "vector", "string", "button"};
    return words[static_cast<int>(type)];
}

/// "Particle Spacing (m)"
std::string label(const NodeParameter& p) {
    return std::string(p.label) + (*p.unit ? " (" + std::string(p.unit) + ")" : "");
}

std::string defaults(const NodeParameter& p) {
    if (*p.initial_text || p.type == NodeParameterType::string) return quoted(p.initial_text);
    if (p.type == NodeParameterType::choice) return quoted(p.choices.at(static_cast<size_t>(p.initial[0])).token);
    std::string out = quoted(number(p.initial[0]));
    if (p.type == NodeParameterType::vector)
        out += " " + quoted(number(p.initial[1])) + " " + quoted(number(p.initial[2]));
    return out;
}

/// An end of the slider that is also the limit can't be passed ("!").
std::string range(const NodeParameter& p) {
    return number(p.slider_low) + (p.slider_low <= p.low ? "! " : " ") + number(p.slider_high) +
           (p.slider_high >= p.high ? "!" : "");
}

std::string parm(const NodeParameter& p, const std::string& indent) {
    std::string out = indent + "parm {\n";
    const auto line = [&](const std::string& text) { out += indent + "    " + text + "\n"; };
    line("name " + quoted(p.token));
    line("label " + quoted(label(p)));
    line(std::string("type ") + type_word(p.type));
    if (p.type == NodeParameterType::vector) line("size 3");
    if (p.type != NodeParameterType::button) line("default { " + defaults(p) + " }");
    if (*p.help) line("help " + quoted(p.help));
    if (p.type == NodeParameterType::real || p.type == NodeParameterType::integer ||
        p.type == NodeParameterType::vector)
        line("range { " + range(p) + " }");
    if (!p.choices.empty()) {
        line("menu {");
        for (const ParameterChoice& choice : p.choices)
            line("    " + quoted(choice.token) + " " + quoted(choice.label));
        line("}");
    }
    if (*p.disable_when) line("disablewhen " + quoted(p.disable_when));
    return out + indent + "}\n";
}

std::string folder_token(const std::string& label) {
    std::string token = "folder_";
    for (const char c : label)
        token += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '_';
    return token;
}

}  // namespace

std::string dialog_script(const NodeTable& table) {
    std::vector<std::string> folders;
    for (const NodeParameter& p : table.parameters) {
        bool known = false;
        for (const std::string& folder : folders) known |= folder == p.folder;
        if (!known) folders.push_back(p.folder);
    }
    std::string out = "{\n    name parameters\n";
    for (const std::string& folder : folders) {
        out += "    group {\n        name " + quoted(folder_token(folder)) + "\n        label " + quoted(folder) + "\n";
        for (const NodeParameter& p : table.parameters)
            if (folder == p.folder) out += parm(p, "        ");
        out += "    }\n";
    }
    return out + "}\n";
}

}  // namespace firn
