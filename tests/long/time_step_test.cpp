// The adaptive step at the sizes of the issue.

#include "scenes/step_convergence.h"

TEST(TimeStepFine, DroppedCubeIsTheSameAtAQuarter) {
    scenes::expect_same(scenes::drop_cube(16, 1), scenes::drop_cube(16, 0.25f));
}

TEST(TimeStepFine, SnowballIsTheSameAtAQuarter) {
    scenes::expect_same(scenes::throw_ball(0.01, 1), scenes::throw_ball(0.01, 0.25f));
}
