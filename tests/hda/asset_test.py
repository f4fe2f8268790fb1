"""The firn::snow_solver asset: its dialog, its network and how it plays."""

from __future__ import annotations

import unittest

import houdini_session
from houdini_session import HoudiniTest

import hou
from firn import build, buttons, snow_solver, tables
from firn.error import FirnError
from firn.network import COLLIDER_MARKS, SNOW_MARKS


class Asset(HoudiniTest):
    def setUp(self) -> None:
        super().setUp()
        build.ensure()
        self.home_node = self.node("/obj").createNode("geo", "shot")
        box = self.home_node.createNode("box", "cube")
        for letter in "xyz":
            self.parm(box, f"size{letter}").set(0.2)
        lift = self.home_node.createNode("xform", "lift")
        lift.setInput(0, box)
        self.parm(lift, "ty").set(5.0)
        self.solver = self.home_node.createNode("firn::snow_solver", "solver")
        self.solver.setInput(0, lift)
        self.parm(self.solver, "spacing").set(0.05)
        self.sop_solver = self.sop("/obj/shot/solver")

    def inner(self, path: str) -> hou.OpNode:
        return self.node(f"/obj/shot/solver/{path}")

    def test_every_parameter_of_the_plan_is_in_the_dialog(self) -> None:
        plan = snow_solver.make_plan(tables.load())
        tokens = [parameter.row.token for parameter in plan.parameters()]
        self.assertEqual(len(tokens), len(set(tokens)))
        for token in tokens:
            self.assertIsNotNone(self.solver.parmTuple(token), token)

    def test_every_row_of_the_step_follows_the_asset_or_time(self) -> None:
        step = self.inner("solver/d/s/step")
        for row in tables.load().node("firn::snow_step").parameters:
            parm_tuple = step.parmTuple(row.token)
            assert parm_tuple is not None
            for parm in parm_tuple:
                self.assertRegex(parm.rawValue(), r"chs?\(\"\.\./\.\./\.\./\.\./|\$F", parm.path())

    def test_a_changed_value_reaches_the_node_inside(self) -> None:
        changes: dict[str, dict[str, float | str]] = {
            "source": {"young_modulus": 2e5, "preset": "wet", "velocityx": 1.5},
            "collider": {"friction": 0.9},
            "solver/d/s/step": {"cfl": 0.11, "gravityy": -1.62, "windz": 4.0, "solver": "combined", "spacing": 0.05},
        }
        for node, values in changes.items():
            for token, value in values.items():
                self.parm(self.solver, token).set(value)
                seen = self.parm(self.inner(node), token)
                self.assertEqual(seen.evalAsString() if isinstance(value, str) else seen.eval(), value, seen.path())

    def test_ground_is_sampled_as_all_colliders(self) -> None:
        self.parm(self.solver, "boundary_volume").set(0.5)
        self.parm(self.solver, "friction").set(0.9)
        self.parm(self.solver, "ground_friction").set(0.2)
        ground = self.inner("ground_collider")
        seen = [self.parm(ground, token).eval() for token in ("spacing", "boundary_volume", "friction")]
        self.assertEqual(seen, [0.05, 0.5, 0.2])

    def test_text_reaches_the_node_inside(self) -> None:
        self.parm(self.solver, "device").set("cpu")
        self.assertEqual(self.parm(self.inner("solver/d/s/step"), "device").evalAsString(), "cpu")
        self.parm(self.solver, "volume_attributes").set("compaction Cd")
        self.assertEqual(self.parm(self.inner("rasterize"), "attributes").evalAsString(), "compaction Cd")

    def test_surface_and_volumes_have_their_own_voxels(self) -> None:
        self.parm(self.solver, "surface_voxel").set(0.01)
        self.parm(self.solver, "volume_voxel").set(0.03)
        self.assertEqual(self.parm(self.inner("surface"), "voxel").eval(), 0.01)
        self.assertEqual(self.parm(self.inner("rasterize"), "voxel").eval(), 0.03)

    def test_conditions_speak_of_parameters_that_the_asset_has(self) -> None:
        plan = snow_solver.make_plan(tables.load())
        tokens = {parameter.row.token: parameter.row for parameter in plan.parameters()}
        for row in tokens.values():
            for condition in row.disable_when.strip("{} ").split("} {") if row.disable_when else ():
                word, sign, value = condition.split()
                self.assertIn(word, tokens, row.token)
                if tokens[word].kind == "choice":
                    self.assertIn(value, [choice.token for choice in tokens[word].choices], row.token)
                self.assertIn(sign, ("==", "!=", ">", "<", ">=", "<="))

    def test_start_frame_holds_the_snow_as_placed(self) -> None:
        for steps_at_start in (False, True):  # whichever way the Solver SOP does it
            self.world.solver_steps_start_frame = steps_at_start
            buttons.reset(self.solver)
            self.parm(self.solver, "start_frame").set(10.0)
            placed = self.positions(self.sop("/obj/shot/solver/source"), 10)
            self.assertEqual(len(placed), 3 * 4**3)
            self.assertEqual(self.positions(self.sop_solver, 10), placed)
            one = self.positions(self.sop_solver, 11)
            # Free fall for one frame with the step's own rule: g dt^2, and everything by as much.
            fallen = {round(before - after, 6) for before, after in zip(placed[1::3], one[1::3])}
            self.assertEqual(fallen, {round(9.81 / 24**2, 6)})

    def test_snow_appears_once(self) -> None:
        counts = [len(self.positions(self.sop_solver, frame)) // 3 for frame in (1, 2, 3, 7)]
        self.assertEqual(counts, [64] * 4)

    def test_a_later_source_appears_later(self) -> None:
        sources = self.home_node.createNode("merge", "both")
        for index, start in enumerate((1.0, 4.0)):
            source = self.home_node.createNode("firn::snow_source", f"source{index + 1}")
            source.setInput(0, self.node("/obj/shot/lift"))
            self.parm(source, "spacing").set(0.05)
            self.parm(source, "start_frame").set(start)
            sources.setInput(index, source)
        self.solver.setInput(0, sources)
        counts = [len(self.positions(self.sop_solver, frame)) // 3 for frame in (1, 3, 4, 5, 9)]
        self.assertEqual(counts, [64, 64, 128, 128, 128])

    def test_open_inputs_are_no_complaint(self) -> None:
        self.parm(self.solver, "ground").set(0)
        self.positions(self.sop_solver, 3)
        self.assertEqual(self.inner("collider").errors(), ())

    def test_time_scale_slows_the_fall(self) -> None:
        before = self.positions(self.sop_solver, 1)
        fast = self.positions(self.sop_solver, 2)
        self.parm(self.solver, "timescale").set(0.5)
        buttons.reset(self.solver)
        slow = self.positions(self.sop_solver, 2)
        # A step of half the time falls a quarter as far.
        self.assertAlmostEqual(4 * (before[1] - slow[1]), before[1] - fast[1], places=6)

    def test_reset_forgets(self) -> None:
        moved = self.positions(self.sop_solver, 5)
        self.parm(self.solver, "gravityy").set(-1.62)
        self.assertEqual(self.positions(self.sop_solver, 5), moved)  # the simulation's cache
        self.parm(self.solver, "resimulate").pressButton()
        self.assertGreater(self.positions(self.sop_solver, 5)[1], moved[1])

    def test_particles_of_a_source_are_taken_as_they_are(self) -> None:
        source = self.home_node.createNode("firn::snow_source", "mine")
        source.setInput(0, self.node("/obj/shot/lift"))
        self.parm(source, "spacing").set(0.04)
        self.solver.setInput(0, source)
        self.assertEqual(len(self.positions(self.sop_solver, 1)) // 3, 5**3)
        self.parm(self.solver, "snow_input").set("geometry")
        buttons.reset(self.solver)
        # Filled again, at 0.05 m: the particles reach over 0.16 m.
        self.assertEqual(len(self.positions(self.sop_solver, 1)) // 3, 3**3)

    def test_marks_are_attributes_that_the_nodes_document(self) -> None:
        for marks, page in ((SNOW_MARKS, "snow_source"), (COLLIDER_MARKS, "snow_collider")):
            text = (houdini_session.FOLDER / "help" / "nodes" / "sop" / f"firn--{page}.txt").read_text(encoding="utf-8")
            for mark in marks:
                self.assertIn(f"`{mark}`", text)

    def test_painted_mesh_is_filled(self) -> None:
        """It has an attribute of snow, and is none."""
        sops = hou.sopNodeTypeCategory()
        box = sops.nodeTypes()["box"]

        def painted(node: hou.OpNode, output: int) -> hou.Geometry:
            assert box.cook is not None
            made = box.cook(node, output)
            made.attributes["rest_density"] = made.attributes["pscale"] = [300.0] * 8
            return made

        sops.add_type(hou.OpNodeType(sops, "painted", box.parmTemplateGroup(), cook=painted))
        mesh = self.home_node.createNode("painted", "mesh")
        self.solver.setInput(0, mesh)
        self.parm(self.solver, "spacing").set(0.25)
        self.assertEqual(len(self.positions(self.sop_solver, 1)) // 3, 4**3)

    def test_ground_plane_holds_the_snow_and_can_be_left_out(self) -> None:
        self.parm(self.solver, "ground_height").set(4.8)
        self.assertGreaterEqual(min(self.positions(self.sop_solver, 30)[1::3]), 4.8)
        self.parm(self.solver, "ground").set(0)
        buttons.reset(self.solver)
        self.assertLess(min(self.positions(self.sop_solver, 30)[1::3]), 4.0)

    def test_colliders_come_out(self) -> None:
        self.assertEqual(len(self.positions(self.sop_solver, 1, output=3)) // 3, 8)  # the ground plane's corners, in the fake
        self.parm(self.solver, "ground").set(0)
        self.assertEqual(self.positions(self.sop_solver, 1, output=3), ())

    def test_volumes_and_surface_come_out(self) -> None:
        for output, count in ((1, 2), (2, 1)):  # density and velocity; the surface
            geometry = self.sop_solver.geometry(output)
            assert geometry is not None
            self.assertEqual(geometry.intrinsicValue("primitivecount"), count)

    def test_cache_is_written_and_read(self) -> None:
        self.parm(self.solver, "cache_file").set(f"{self.home.as_posix()}/cache/$OS.$F4.bgeo")
        for token, frame in (("cache_start", 1), ("cache_end", 4)):
            self.parm(self.solver, token).set(frame)
        simulated = [self.positions(self.sop_solver, frame) for frame in range(1, 5)]
        self.parm(self.solver, "cache_save").pressButton()
        self.assertEqual(len(list((self.home / "cache").glob("solver.000*.bgeo"))), 4)
        self.assertEqual(self.parm(self.solver, "cache_load").eval(), 1)
        self.parm(self.solver, "gravityy").set(0.0)
        buttons.reset(self.solver)
        self.assertEqual([self.positions(self.sop_solver, frame) for frame in range(1, 5)], simulated)

    def test_cache_range_follows_the_scene(self) -> None:
        hou.playbar.setFrameRange(5, 77)
        self.assertEqual(self.parm(self.solver, "cache_start").eval(), 5)
        self.assertEqual(self.parm(self.solver, "cache_end").eval(), 77)

    def test_asset_is_locked(self) -> None:
        with self.assertRaises(hou.PermissionError):
            self.solver.createNode("null")
        with self.assertRaises(hou.PermissionError):
            self.parm(self.inner("solver/d/s/step"), "cfl").set(1.0)

    def test_definition(self) -> None:
        definition = build.current_definition()
        assert definition is not None
        self.assertEqual((definition.minNumInputs(), definition.maxNumInputs(), definition.maxNumOutputs()), (1, 3, 4))
        self.assertEqual(definition.icon(), "firn_snow_solver")
        script = definition.sections()["DialogScript"].contents()
        for number, label in enumerate(snow_solver.INPUT_LABELS, 1):
            self.assertIn(f'inputlabel\t{number}\t"{label}"', script)
        self.assertIn("<toolSubmenu>Firn</toolSubmenu>", definition.sections()["Tools.shelf"].contents())


class ForeignHoudini(HoudiniTest):
    def test_missing_parameter_names_node_and_version(self) -> None:
        """A Houdini whose grid has no 'rows' any more."""
        sops = hou.sopNodeTypeCategory()
        grid = sops.nodeTypes()["grid"]
        sops.add_type(hou.OpNodeType(sops, "grid", hou.ParmTemplateGroup(), cook=grid.cook))
        with self.assertRaisesRegex(FirnError, r"ground_plane \(grid\) has no parameter 'sizex' in Houdini 21.0.440"):
            build.ensure()
        self.assertEqual(self.node("/obj").children(), ())


if __name__ == "__main__":
    unittest.main()
