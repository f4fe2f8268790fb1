// The answer must not depend on the step (physics-notes.md, 6). Finer clouds are in long/.

#include "scenes/step_convergence.h"

TEST(TimeStep, DroppedCubeIsTheSameAtAQuarter) {
    scenes::expect_same(scenes::drop_cube(10, 1), scenes::drop_cube(10, 0.25f));
}

TEST(TimeStep, SnowballIsTheSameAtAQuarter) {
    scenes::expect_same(scenes::throw_ball(0.0125, 1), scenes::throw_ball(0.0125, 0.25f));
}

TEST(TimeStep, FrameEndsAreOnTime) {
    // Ten frames are as long as one of ten times the length, whatever substeps the motion asks for.
    using namespace scenes;
    firn::Engine engine(settings(0.02));
    engine.upload(snow_at({{0, 0, 0}}, {3, 0, 0}));
    double time = 0;
    for (int frame = 0; frame < 24; ++frame) time += engine.advance(1.0 / 24).time;
    Particles snow;
    engine.download(snow);
    EXPECT_NEAR(time, 1, 1e-12);
    EXPECT_NEAR(snow.position[0].x, 3, 3e-5);  // some hundred additions of float
}
