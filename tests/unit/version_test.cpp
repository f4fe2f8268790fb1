#include "firn/version.h"

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(Version, OfTheHeadersIsThatOfTheProject) {
    EXPECT_STREQ(firn::version(), FIRN_PROJECT_VERSION);
    EXPECT_EQ(std::to_string(FIRN_VERSION_MAJOR) + "." + std::to_string(FIRN_VERSION_MINOR) + "." +
                  std::to_string(FIRN_VERSION_PATCH),
              FIRN_PROJECT_VERSION);
}

}  // namespace
