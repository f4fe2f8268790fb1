// The nodes' tables, and the dialogs that Houdini gets from them.

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <sstream>

#include "dialog_script.h"
#include "houdini.h"
#include "node_table.h"

namespace {

const firn::NodeParameter* find(const firn::NodeTable& table, const std::string& token) {
    for (const firn::NodeParameter& p : table.parameters)
        if (token == p.token) return &p;
    return nullptr;
}

class Tables : public ::testing::TestWithParam<const firn::NodeTable*> {};

TEST_P(Tables, RowsAreWholeAndWithinTheirLimits) {
    std::set<std::string> tokens;
    for (const firn::NodeParameter& p : GetParam()->parameters) {
        SCOPED_TRACE(p.token);
        EXPECT_TRUE(tokens.insert(p.token).second);
        EXPECT_GT(std::strlen(p.label), 1u);
        EXPECT_GT(std::strlen(p.help), 5u);
        EXPECT_STRNE(p.folder, "");
        if (p.type == firn::NodeParameterType::string) continue;
        for (const double value : p.initial)
            EXPECT_TRUE(p.type == firn::NodeParameterType::real && value == 0 ? true
                                                                              : value >= p.low && value <= p.high)
                << value;
        EXPECT_LE(p.slider_low, p.slider_high);
        EXPECT_GE(p.slider_low, p.low);
        EXPECT_LE(p.slider_high, p.high);
        if (p.type == firn::NodeParameterType::choice) EXPECT_GT(p.choices.size(), 1u);
    }
}

TEST_P(Tables, ConditionsNameParametersAndChoicesThatExist) {
    for (const firn::NodeParameter& p : GetParam()->parameters) {
        std::istringstream condition(p.disable_when);
        for (std::string word; condition >> word;) {
            SCOPED_TRACE(std::string(p.token) + ": " + p.disable_when);
            ASSERT_EQ(word, "{");
            std::string token, comparison, value, end;
            condition >> token >> comparison >> value >> end;
            EXPECT_EQ(end, "}");
            const firn::NodeParameter* other = find(*GetParam(), token);
            ASSERT_NE(other, nullptr) << token;
            EXPECT_NE(token, p.token);
            if (other->choices.empty()) continue;
            bool known = false;
            for (const firn::ParameterChoice& choice : other->choices) known |= value == choice.token;
            EXPECT_TRUE(known) << value;
        }
    }
}

TEST_P(Tables, TheDialogHasEveryRowWithItsUnitRangeAndHelp) {
    const firn::NodeTable& table = *GetParam();
    if (std::strcmp(table.table, "Sop") != 0) GTEST_SKIP() << "not a SOP";
    const OP_Operator* op = sops().getOperator(table.name);
    ASSERT_NE(op, nullptr);
    EXPECT_EQ(op->getEnglish(), table.label);
    EXPECT_EQ(op->getIconName(), table.icon);
    EXPECT_EQ(op->maxSources(), table.inputs.size());
    ASSERT_EQ(op->inputLabels().size(), table.inputs.size());
    for (size_t k = 0; k < table.inputs.size(); ++k) EXPECT_EQ(op->inputLabels()[k], table.inputs[k].label);
    size_t count = 0;
    for (const PRM_Template* parm = op->templates(); parm->getType() != PRM_LIST_TERMINATOR; ++parm, ++count) {
        SCOPED_TRACE(parm->getToken());
        const firn::NodeParameter* row = find(table, parm->getToken());
        ASSERT_NE(row, nullptr);
        const std::string label = parm->getLabel();
        EXPECT_EQ(label.rfind(row->label, 0), 0u);
        if (*row->unit) EXPECT_NE(label.find("(" + std::string(row->unit) + ")"), std::string::npos);
        EXPECT_STREQ(parm->getHelpText(), row->help);
        EXPECT_EQ(parm->myFolder, row->folder);
        EXPECT_EQ(parm->myDisableWhen, row->disable_when);
        if (row->type == firn::NodeParameterType::choice)
            ASSERT_EQ(parm->getChoiceListPtr()->names().size(), row->choices.size());
        if (row->type == firn::NodeParameterType::real) {
            // An end that can't be passed is the limit.
            EXPECT_NEAR(parm->getRangePtr()->getUIMin(), row->slider_low, 1e-8 * std::abs(row->slider_low));
            if (parm->getRangePtr()->getMaxFlag() == PRM_RANGE_RESTRICTED) EXPECT_EQ(row->slider_high, row->high);
            if (*row->initial_text)
                EXPECT_STREQ(parm->getDefault(0).getString(), row->initial_text);
            else
                EXPECT_NEAR(parm->getDefault(0).getFloat(), row->initial[0], 1e-8 * std::abs(row->initial[0]));
        }
    }
    EXPECT_EQ(count, table.parameters.size());
}

INSTANTIATE_TEST_SUITE_P(All, Tables, ::testing::ValuesIn(firn::node_tables()), [](const auto& info) {
    std::string name = info.param->name;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
});

}  // namespace
