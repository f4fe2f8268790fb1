// The snowball of physics-notes.md at the smallest steps, where the published method evaporates most.

#include "scenes/snowball_drop.h"

TEST(Snowball, HoldsTogetherAtATenthOfAMillisecond) {
    scenes::expect_ball_holds(0.1e-3);
}

TEST(Snowball, HoldsTogetherAtAFifthOfAMillisecond) {
    scenes::expect_ball_holds(0.2e-3);
}
