// PRM: templates, and the part of DialogScript that the nodes write.

#include <PRM/PRM_Template.h>
#include <PRM/PRM_TemplateBuilder.h>

#include <cstdlib>
#include <stdexcept>

PRM_Template::PRM_Template(PRM_Type thetype, int thevectorsize, PRM_Name* thenameptr, PRM_Default* thedefaults,
                           PRM_ChoiceList* thechoicelistptr, PRM_Range* therangeptr, PRM_Callback, PRM_SpareData*, int,
                           const char* thehelptext, PRM_ConditionalBase*)
    : myType(thetype), mySize(thevectorsize), myHelp(thehelptext ? thehelptext : "") {
    if (thenameptr) myName = *thenameptr;
    for (int k = 0; thedefaults && k < thevectorsize; ++k) myDefaults.push_back(thedefaults[k]);
    if (thechoicelistptr) myChoices = std::make_shared<PRM_ChoiceList>(*thechoicelistptr);
    if (therangeptr) myRange = std::make_shared<PRM_Range>(*therangeptr);
}

const PRM_Default& PRM_Template::getDefault(int index) const {
    static const PRM_Default none;
    return static_cast<size_t>(index) < myDefaults.size() ? myDefaults[static_cast<size_t>(index)] : none;
}

namespace {

/// Words, quoted texts and braces.
class Script {
public:
    Script(const std::string& name, const std::string& text) : name_(name), text_(text) {}

    std::string next() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
            line_ += text_[at_++] == '\n';
        if (at_ >= text_.size()) fail("ends too early");
        if (text_[at_] == '{' || text_[at_] == '}') return std::string(1, text_[at_++]);
        std::string word;
        if (text_[at_] != '"') {
            while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) && text_[at_] != '{' &&
                   text_[at_] != '}')
                word += text_[at_++];
            return word;
        }
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\n') fail("a text goes over the end of its line");
            if (text_[at_] == '\\') ++at_;
            if (at_ < text_.size()) word += text_[at_];
        }
        if (at_ >= text_.size()) fail("a text has no end");
        ++at_;
        return word;
    }
    void expect(const std::string& wanted) {
        const std::string word = next();
        if (word != wanted) fail("has '" + word + "' where '" + wanted + "' belongs");
    }
    /// { word word ... }
    std::vector<std::string> list() {
        expect("{");
        std::vector<std::string> words;
        for (std::string word = next(); word != "}"; word = next()) words.push_back(word);
        return words;
    }
    bool done() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        return at_ >= text_.size();
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error("dialog script " + name_ + ", line " + std::to_string(line_) + ": " + what);
    }

private:
    std::string name_, text_;
    size_t at_ = 0;
    int line_ = 1;
};

double number(const Script& script, const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end) script.fail("'" + text + "' is not a number");
    return value;
}

PRM_Type type_of(const Script& script, const std::string& word) {
    if (word == "float" || word == "log") return PRM_FLT;
    if (word == "integer") return PRM_INT;
    if (word == "toggle") return PRM_TOGGLE;
    if (word == "ordinal") return PRM_ORD;
    if (word == "vector") return PRM_XYZ;
    if (word == "string" || word == "file") return PRM_STRING;
    if (word == "button") return PRM_CALLBACK;
    script.fail("there is no parameter type '" + word + "'");
}

PRM_Template read_parm(Script& script, const std::string& folder) {
    PRM_Template parm;
    parm.myFolder = folder;
    std::string token, label;
    std::vector<std::string> defaults;
    script.expect("{");
    for (std::string key = script.next(); key != "}"; key = script.next()) {
        if (key == "name") {
            token = script.next();
        } else if (key == "label") {
            label = script.next();
        } else if (key == "type") {
            parm.myType = type_of(script, script.next());
        } else if (key == "size") {
            parm.mySize = static_cast<int>(number(script, script.next()));
        } else if (key == "default") {
            defaults = script.list();
        } else if (key == "help") {
            parm.myHelp = script.next();
        } else if (key == "disablewhen") {
            parm.myDisableWhen = script.next();
        } else if (key == "range") {
            const std::vector<std::string> ends = script.list();
            if (ends.size() != 2) script.fail("a range has two ends");
            PRM_RangeFlag flags[2];
            double values[2];
            for (size_t k = 0; k < 2; ++k) {
                const bool hard = ends[k].back() == '!';
                flags[k] = hard ? PRM_RANGE_RESTRICTED : PRM_RANGE_UI;
                values[k] = number(script, ends[k].substr(0, ends[k].size() - hard));
            }
            parm.myRange = std::make_shared<PRM_Range>(flags[0], values[0], flags[1], values[1]);
        } else if (key == "menu") {
            const std::vector<std::string> words = script.list();
            if (words.size() % 2) script.fail("a menu has pairs of token and label");
            std::vector<PRM_Name> names;
            for (size_t k = 0; k < words.size(); k += 2) names.emplace_back(words[k].c_str(), words[k + 1].c_str());
            parm.myChoices = std::make_shared<PRM_ChoiceList>(std::move(names));
        } else {
            script.fail("a parameter has no '" + key + "'");
        }
    }
    if (token.empty() || parm.myType == PRM_LIST_TERMINATOR) script.fail("a parameter needs a name and a type");
    for (const char c : token)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
            script.fail("'" + token + "' can't be a parameter's name");
    parm.myName = PRM_Name(token.c_str(), label.c_str());
    for (const std::string& text : defaults) {
        double value = 0;
        if (parm.myType == PRM_ORD) {
            // A menu's default is a token or an index.
            size_t index = 0;
            const auto& names = parm.myChoices ? parm.myChoices->names() : std::vector<PRM_Name>();
            while (index < names.size() && text != names[index].getToken()) ++index;
            value = index < names.size() ? static_cast<double>(index) : number(script, text);
            parm.myDefaults.emplace_back(value);
            continue;
        }
        char* end = nullptr;
        value = std::strtod(text.c_str(), &end);
        const bool plain = !text.empty() && *end == 0;
        parm.myDefaults.emplace_back(plain ? value : 0.0, plain && parm.myType != PRM_STRING ? nullptr : text.c_str());
    }
    return parm;
}

void read_group(Script& script, const std::string& folder, std::vector<PRM_Template>& parms) {
    std::string label = folder;
    script.expect("{");
    for (std::string key = script.next(); key != "}"; key = script.next()) {
        if (key == "name") {
            script.next();
        } else if (key == "label") {
            label = script.next();
        } else if (key == "parm") {
            parms.push_back(read_parm(script, label));
        } else if (key == "group") {
            read_group(script, label, parms);
        } else if (key == "grouptag") {
            script.list();
        } else {
            script.fail("a group has no '" + key + "'");
        }
    }
}

}  // namespace

PRM_TemplateBuilder::PRM_TemplateBuilder(const UT_StringHolder& name, const char* dstext, const char**, int)
    : myTemplates(std::make_unique<std::vector<PRM_Template>>()) {
    Script script(name.toStdString(), dstext);
    read_group(script, "", *myTemplates);
    if (!script.done()) script.fail("goes on after its end");
    for (size_t a = 0; a < myTemplates->size(); ++a)
        for (size_t b = 0; b < a; ++b)
            if (std::string((*myTemplates)[a].getToken()) == (*myTemplates)[b].getToken())
                script.fail(std::string("there are two parameters '") + (*myTemplates)[a].getToken() + "'");
    myTemplates->emplace_back();
}

PRM_TemplateBuilder::~PRM_TemplateBuilder() = default;

PRM_Template* PRM_TemplateBuilder::templates() const {
    return myTemplates->data();
}
int PRM_TemplateBuilder::templateLength() const {
    return static_cast<int>(myTemplates->size()) - 1;
}

bool PRM_TemplateBuilder::justBuilt() {
    const bool built = myJustBuilt;
    myJustBuilt = false;
    return built;
}
void PRM_TemplateBuilder::setCallback(const UT_StringRef&, PRM_Callback) {}
PRM_Template* PRM_TemplateBuilder::findTemplate(const UT_StringRef& name) {
    for (PRM_Template& parm : *myTemplates)
        if (name == parm.getToken()) return &parm;
    return nullptr;
}
