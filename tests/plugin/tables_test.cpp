// The nodes' tables, and the dialogs that Houdini gets from them.

#include <PRM/PRM_Template.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstring>
#include <set>
#include <sstream>

#include "dialog_script.h"
#include "firn/body.h"
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
        const int components = p.type == firn::NodeParameterType::vector ? 3 : 1;
        for (int c = 0; c < components; ++c) {
            EXPECT_GE(p.initial[c], p.low);
            EXPECT_LE(p.initial[c], p.high);
        }
        EXPECT_LE(p.slider_low, p.slider_high);
        EXPECT_GE(p.slider_low, p.low);
        EXPECT_LE(p.slider_high, p.high);
        EXPECT_EQ(p.choices.size() > 1, p.type == firn::NodeParameterType::choice);
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
        const std::string unit = *row->unit ? " (" + std::string(row->unit) + ")" : "";
        EXPECT_EQ(parm->getLabel(), row->label + unit);
        EXPECT_STREQ(parm->getHelpText(), row->help);
        EXPECT_EQ(parm->myFolder, row->folder);
        EXPECT_EQ(parm->myDisableWhen, row->disable_when);
        const size_t choices = parm->getChoiceListPtr() ? parm->getChoiceListPtr()->names().size() : 0;
        EXPECT_EQ(choices, row->choices.size());
        if (row->type != firn::NodeParameterType::real) continue;
        // Of nine digits. An end of the slider that can't be passed is the limit.
        const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-8 * std::abs(b); };
        const PRM_Range& range = *parm->getRangePtr();
        EXPECT_TRUE(close(range.getUIMin(), row->slider_low) && close(range.getUIMax(), row->slider_high));
        EXPECT_EQ(range.getMinFlag() == PRM_RANGE_RESTRICTED, row->slider_low == row->low);
        EXPECT_EQ(range.getMaxFlag() == PRM_RANGE_RESTRICTED, row->slider_high == row->high);
        EXPECT_STREQ(parm->getDefault(0).getString(), row->initial_text);
        EXPECT_TRUE(*row->initial_text || close(parm->getDefault(0).getFloat(), row->initial[0]));
    }
    EXPECT_EQ(count, table.parameters.size());
}

TEST(ContactRows, EverySurfaceQuantityHasARowWithTheEnginesLimits) {
    for (const firn::NodeTable* table : {&firn::snow_collider_table(), &firn::snow_solver_table()}) {
        for (const firn::SurfaceQuantity& q : firn::surface_table()) {
            SCOPED_TRACE(std::string(table->name) + ": " + q.token);
            const firn::NodeParameter* row = find(*table, q.token);
            ASSERT_NE(row, nullptr);
            EXPECT_EQ(row->low, 0);
            EXPECT_EQ(row->high, q.high);
            EXPECT_EQ(row->initial[0], firn::Body().*q.value);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Tables, ::testing::ValuesIn(firn::node_tables()), [](const auto& table) {
    std::string name = table.param->name;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
});

}  // namespace
