"""The self-check: it passes, and it fails with the reason for everything that it promises to look at."""

from __future__ import annotations

import contextlib
import io
import unittest
from unittest import mock

import houdini_session
from houdini_session import HoudiniTest

import hou
from firn import build, selfcheck


class SelfCheck(HoudiniTest):
    def verdict(self) -> tuple[bool, str]:
        lines: list[str] = []
        passed = selfcheck.run(say=lines.append)
        return passed, lines[-1]

    def assert_fails(self, at: str, reason: str) -> None:
        passed, last = self.verdict()
        self.assertFalse(passed)
        self.assertRegex(last, rf"^firn [\d.]+ self-check FAILED at '{at}': .*{reason}")

    def test_passes(self) -> None:
        for version in ((20, 0, 896), (20, 5, 684), (21, 0, 440), (22, 0, 100)):
            self.start(version)
            passed, last = self.verdict()
            self.assertTrue(passed, last)
            self.assertRegex(last, r"^firn [\d.]+ self-check passed: 11 checks in [\d.]+ s$")

    def test_either_kind_of_solver_sop(self) -> None:
        self.world.solver_steps_start_frame = False
        self.assertTrue(self.verdict()[0])

    def test_leaves_an_empty_scene_and_no_asset_of_the_users(self) -> None:
        self.verdict()
        self.assertEqual(self.node("/obj").children(), ())
        self.assertEqual(list(self.home.iterdir()), [])

    def test_leaves_an_artists_scene_alone(self) -> None:
        self.world.interface = True
        self.node("/obj").createNode("geo", "my_shot")
        passed, last = self.verdict()
        self.assertFalse(passed)
        self.assertIn("it clears the scene; run it with `hython", last)
        self.node("/obj/my_shot")

    def test_old_houdini(self) -> None:
        self.start((19, 0, 720))
        self.assert_fails("release", "19.0.720 is too old")

    def test_missing_sop(self) -> None:
        self.start(without=("firn::snow_rasterize",))
        self.assert_fails("nodes registered", "does not know firn::snow_rasterize")

    def test_missing_dop(self) -> None:
        self.start(without=("firn_snowsolver",))
        self.assert_fails("nodes registered", "firn_snowsolver is not registered")

    def test_plugin_of_another_version(self) -> None:
        sops = hou.sopNodeTypeCategory()
        step = sops.nodeTypes()["firn::snow_step"]
        fewer = [t for t in step.parmTemplateGroup().entries() if t.name() != "damping"]
        sops.add_type(hou.OpNodeType(sops, "firn::snow_step", hou.ParmTemplateGroup(fewer), inputs=4, cook=step.cook))
        self.assert_fails("parameters as in the tables", "firn::snow_step has no 'damping': the plugin is of another version")

    def test_no_licence(self) -> None:
        self.world.no_licence = True
        self.assert_fails("asset built", "This licence can't save digital assets")

    def test_lost_snow(self) -> None:
        self.world.lost_particles = 1
        self.assert_fails("mass kept", "the snow weighed .* kg and weighs .* kg")

    def test_snow_that_does_not_move(self) -> None:
        sops = hou.sopNodeTypeCategory()
        step = sops.nodeTypes()["firn::snow_step"]

        def still(node: hou.OpNode, output: int) -> hou.Geometry:
            if self.parm(node, "frame").eval() > self.parm(node, "start_frame").eval():
                return node.input_geometry(0) or hou.Geometry()
            assert step.cook is not None
            return step.cook(node, output)

        sops.add_type(hou.OpNodeType(sops, "firn::snow_step", step.parmTemplateGroup(), inputs=4, cook=still))
        self.assert_fails("frames simulated", "nothing moves it")

    def test_cook_error_is_reported(self) -> None:
        sops = hou.sopNodeTypeCategory()
        source = sops.nodeTypes()["firn::snow_source"]

        def fail(node: hou.OpNode, output: int) -> hou.Geometry:
            raise hou.OperationFailed("The mesh is open:\n close it")

        sops.add_type(hou.OpNodeType(sops, "firn::snow_source", source.parmTemplateGroup(), cook=fail))
        self.assert_fails("snow placed", "does not cook at frame 1: The mesh is open: close it")

    def test_scrubbing_that_gives_something_else(self) -> None:
        self.world.solver_forgets = True
        self.assert_fails("scrubbing", "frame 6 is not the same when it is looked at again")

    def test_start_frame_that_is_not_as_placed(self) -> None:
        self.world.solver_moves_start = True
        self.assert_fails("snow placed", "not where the source put it")

    def test_empty_volumes(self) -> None:
        sops = hou.sopNodeTypeCategory()
        kind = sops.nodeTypes()["firn::snow_surface"]
        sops.add_type(hou.OpNodeType(sops, "firn::snow_surface", kind.parmTemplateGroup(), cook=lambda node, output: hou.Geometry()))
        self.assert_fails("volumes and surface", "the surface at frame 11 are empty")

    def test_scene_that_is_not_saved(self) -> None:
        with mock.patch.object(hou.hipFile, "save", side_effect=hou.OperationFailed("Unable to save")):
            self.assert_fails("scene saved and loaded", "Unable to save")

    def test_scene_that_loses_its_nodes(self) -> None:
        def load(file_name: str, suppress_save_prompt: bool = False) -> None:
            houdini_session.world.clear()

        with mock.patch.object(hou.hipFile, "load", load):
            self.assert_fails("scene saved and loaded", "has no /obj/firn_snowball/snow_solver when it is loaded again")

    def test_program(self) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(selfcheck.main(["--frames", "3"]), 0)
            self.assertEqual(selfcheck.main(["--frames", "no"]), 2)
            self.assertEqual(selfcheck.main(["--help"]), 0)
            self.start(without=("firn::snow_step",))
            self.assertEqual(selfcheck.main([]), 1)
        self.assertIn("frames simulated: 3 frames", out.getvalue())

    def test_name_of_the_asset_file_is_said(self) -> None:
        lines: list[str] = []
        selfcheck.run(say=lines.append)
        self.assertIn(f"  asset built: {build.asset_stem()}.hda", lines)


if __name__ == "__main__":
    unittest.main()
