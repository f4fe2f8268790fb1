// The DSO as Houdini meets it.

#include <gtest/gtest.h>

#include <SIM/SIM_Engine.h>

#include "houdini.h"

namespace {

TEST(Load, SymbolsThatHoudiniLooksFor) {
    void* dso = ::dlopen(FIRN_DSO, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(dso, nullptr) << ::dlerror();
    EXPECT_NE(::dlsym(dso, "newSopOperator"), nullptr);
    auto* version = reinterpret_cast<void (*)(const char**)>(::dlsym(dso, "HoudiniDSOVersion"));
    ASSERT_NE(version, nullptr);
    const char* text = nullptr;
    version(&text);
    EXPECT_STREQ(text, SYS_VERSION_RELEASE);
}

TEST(Load, AnotherHdkVersionSaysSoAndRegistersNothing) {
    sops();
    void* dso = ::dlopen(FIRN_DSO, RTLD_NOW | RTLD_LOCAL);
    auto* entry = reinterpret_cast<void (*)(OP_OperatorTable*)>(::dlsym(dso, "newSopOperator"));
    ::setenv("FIRN_HDK_FAKE_API_VERSION", "22000123", 1);
    ::testing::internal::CaptureStderr();
    OP_OperatorTable table;
    entry(&table);
    const std::string said = ::testing::internal::GetCapturedStderr();
    ::unsetenv("FIRN_HDK_FAKE_API_VERSION");
    EXPECT_TRUE(table.operators().empty());
    EXPECT_NE(said.find("HDK API 22000123"), std::string::npos) << said;
    EXPECT_NE(said.find("Install the Firn build"), std::string::npos) << said;
}

TEST(Load, AnotherHdkVersionRegistersNoDataTypes) {
    void* dso = ::dlopen(FIRN_DSO, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(dso, nullptr) << ::dlerror();
    auto* entry = reinterpret_cast<void (*)(void*)>(::dlsym(dso, "initializeSIM"));
    ASSERT_NE(entry, nullptr);
    const auto known = [] { return SIM_Engine(nullptr).getDopDescription("SIM_FirnSnowSolver") != nullptr; };
    // A data type stays registered for the rest of the process: this is about others, started anew.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const bool before = known();
            ::setenv("FIRN_HDK_FAKE_API_VERSION", "22000123", 1);
            entry(nullptr);
            ::_exit(known() == before ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
    EXPECT_EXIT(
        {
            entry(nullptr);
            ::_exit(known() ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
}

}  // namespace
