"""The self-check: it passes, and it fails with the reason for everything that it promises to look at."""

from __future__ import annotations

import contextlib
import io
import unittest
from unittest import mock

import houdini_session
from houdini_session import HoudiniTest

import hou
from firn import build, farm, selfcheck


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
            self.assertRegex(last, r"^firn [\d.]+ self-check passed: 17 checks in [\d.]+ s$")

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
        self.assert_fails("package path", "19.0.720 is too old")

    def test_no_plugin_on_the_path(self) -> None:
        self.world.houdini_path = (str(self.home),)
        self.assert_fails("package path", "no folder of HOUDINI_PATH has dso/firn.so: firn.json has no plugin for Houdini 21.0.440")

    def test_two_plugins_on_the_path(self) -> None:
        self.world.houdini_path = (str(self.plugin), str(self.plugin))
        self.assert_fails("package path", "more than one plugin")

    def test_menus_that_are_read_as_real_numbers(self) -> None:
        self.world.menus_are_zero = True
        self.assert_fails("toggles and menus", "menu: filled")

    def test_toggles_that_do_nothing(self) -> None:
        sops = hou.sopNodeTypeCategory()
        kind = sops.nodeTypes()["firn::snow_rasterize"]

        def one(node: hou.OpNode, output: int) -> hou.Geometry:
            made = hou.Geometry()
            made.add_on_a_point(hou.VDB())
            return made

        sops.add_type(hou.OpNodeType(sops, "firn::snow_rasterize", kind.parmTemplateGroup(), cook=one))
        self.assert_fails("toggles and menus", "toggles: 1 and 1 volumes")

    def test_alembic_that_is_not_unpacked(self) -> None:
        self.world.packed_is_empty = True
        self.assert_fails("Alembic collider", "there is nothing to collide with")

    def test_fragments_that_stand_for_all(self) -> None:
        self.world.fragments_are_whole = True
        self.assert_fails("packed fragments", "two boxes have 16 boundary particles, as fragments 32 in 2 bodies")

    def test_sim_file_that_loses_something(self) -> None:
        self.world.sim_file_differs = True
        self.assert_fails(".sim file", "simulated from a file of frame 4, is another one")

    def test_dop_cache_that_grows(self) -> None:
        self.world.bytes_per_frame = 14_000_000
        self.assert_fails("memory of a DOP network", "a frame adds 14.0 MB")

    def test_farm_command_that_fails(self) -> None:
        with mock.patch.object(farm, "main", return_value=1):
            self.assert_fails("farm command", "code 1, 0 files")

    def test_other_checks_go_on_after_a_failure_and_the_report_has_them_all(self) -> None:
        self.world.sim_file_differs = True
        self.world.packed_is_empty = True
        lines: list[str] = []
        report = self.home / "report.txt"
        self.assertFalse(selfcheck.run(say=lines.append, report=report))
        self.assertEqual(len([line for line in lines if "(expected: " in line]), len(selfcheck.CHECKS))
        self.assertIn("(and 2 more)", lines[-1])
        self.assertEqual(lines[-2], f"  send us {report}")
        text = report.read_text(encoding="utf-8")
        for wanted in (*lines[:-2], lines[-1], "Houdini 21.0.440", "Traceback", "processors, Python"):
            self.assertIn(wanted, text)

    def test_report_that_can_not_be_written(self) -> None:
        lines: list[str] = []
        self.assertTrue(selfcheck.run(say=lines.append, report=self.home / "nowhere" / "report.txt"))
        self.assertIn("report.txt can't be written: No such file or directory", lines[-2])

    def test_houdini_whose_nodes_have_other_parameters(self) -> None:
        """What this can't know: it says what is missing and goes on."""
        sops = hou.sopNodeTypeCategory()
        sops.add_type(hou.OpNodeType(sops, "alembic", hou.ParmTemplateGroup(()), inputs=0))
        self.assert_fails("Alembic collider", "fileName")

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
        self.assert_fails("toggles and menus", "does not cook at frame 1: The mesh is open: close it")

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
            report = ["--report", str(self.home / "report.txt")]
            self.assertEqual(selfcheck.main(["--frames", "3", *report]), 0)
            with contextlib.redirect_stderr(out):
                self.assertEqual(selfcheck.main(["--frames", "no"]), 2)
                self.assertEqual(selfcheck.main(["--frames", "0"]), 2)
            self.assertEqual(selfcheck.main(["--help"]), 0)
            self.start(without=("firn::snow_step",))
            self.assertEqual(selfcheck.main(report), 1)
        self.assertIn("frames simulated: 3 frames", out.getvalue())
        self.assertIn("ok      package path", out.getvalue())

    def test_name_of_the_asset_file_is_said(self) -> None:
        lines: list[str] = []
        selfcheck.run(say=lines.append)
        self.assertTrue(any(f"asset built: {build.asset_stem()}.hda" in line for line in lines), lines)


if __name__ == "__main__":
    unittest.main()
