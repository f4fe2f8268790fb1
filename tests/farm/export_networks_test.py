#!/usr/bin/env python3
"""DOP networks and feedback loops as scene files: what a fake Houdini holds, exported, and read by the real `firn`."""

from __future__ import annotations

import contextlib
import io
import math
import unittest

from export_session import ExportTest  # first: it finds the fake hou

import hou
from firn import export, farm
from firn.error import FirnError
from firn.network import add


class NetworkTest(ExportTest):
    """Nodes of SOPs that both kinds of network take from."""

    def setUp(self) -> None:
        super().setUp()
        self.sops = self.node("/obj").createNode("geo", "shapes")
        block = add(self.sops, "box", "block")
        self.set(block, sizex=0.4, sizey=0.2, sizez=0.4)
        self.lifted = add(self.sops, "xform", "lifted", (block,))
        self.set(self.lifted, ty=0.5)
        self.snow = add(self.sops, "firn::snow_source", "snow", (self.lifted,))
        self.set(self.snow, spacing=0.05, preset="wet", rest_density=500.0)
        floor = add(self.sops, "box", "slab")
        self.set(floor, sizex=1.0, sizey=0.1, sizez=1.0)
        self.floor = add(self.sops, "xform", "floor", (floor,))
        self.set(self.floor, ty=-0.05)
        self.plough = add(self.sops, "box", "plough")
        self.set(self.plough, sizex=0.1, sizey=0.3, sizez=0.6)

    def refused(self, node: hou.OpNode, pattern: str) -> None:
        with self.assertRaisesRegex(FirnError, pattern) as caught:
            export.write_scene(node, self.home / "refused.toml", range(1, 4))
        self.assertEqual(len(str(caught.exception).splitlines()), 1)
        self.assertFalse((self.home / "refused.toml").exists())


class Loops(NetworkTest):
    def setUp(self) -> None:
        super().setUp()
        self.hit = add(self.sops, "firn::snow_collider", "hit", (self.floor,))
        self.set(self.hit, spacing=0.05, friction=0.75)
        later = add(self.sops, "xform", "higher", (self.lifted,))
        self.set(later, ty=0.6)
        self.later = add(self.sops, "firn::snow_source", "later", (later,))
        self.set(self.later, spacing=0.05, start_frame=3.0)
        self.solver = add(self.sops, "solver", "loop", (self.snow, self.later, self.hit))
        inside = self.node("/obj/shapes/loop/d/s")
        inputs = [inside.node(name) for name in ("Prev_Frame", "Input_2", "Input_3", "Input_4")]
        self.step = add(inside, "firn::snow_step", "step", inputs)
        self.set(self.step, spacing=0.05, gravityy=-5.0, timescale=0.5, substeps_min=4)
        self.out = self.sop("/obj/shapes/loop/d/s/OUT")
        self.out.setInput(0, self.step)
        self.inside = inside

    def test_a_loop(self) -> None:
        text, warnings = self.export(self.solver)
        self.assertEqual(warnings, [])
        self.assertIn('shape = "mesh"', self.body(text, "snow"))
        self.assertIn('material = "wet"', self.body(text, "snow"))
        self.assertIn("start = 3", self.body(text, "later"))
        self.assertIn("friction = 0.75", self.body(text, "hit"))
        for line in ("spacing = 0.05", "gravity = [0.0, -5.0, 0.0]", "fps = 48.0", "dt_max = 0.005"):
            self.assertIn(line, text)
        done = self.simulate()
        self.assertEqual(done["frame"], 6)
        # Two blocks of 0.4 x 0.2 x 0.4 m: wet snow has 500 kg/m^3 and dry snow 400.
        self.assertAlmostEqual(done["mass"], 0.032 * 900, delta=0.2)

    def test_the_step_itself_and_nodes_that_change_nothing(self) -> None:
        before = add(self.inside, "null", "before", (self.inside.node("Prev_Frame"),))
        self.step.setInput(0, before)
        after = add(self.inside, "switch", "from_start", (before, self.step))
        self.out.setInput(0, after)
        self.assertEqual(self.export(self.step)[0].count("[[snow]]"), 2)

    def test_object_merges(self) -> None:
        merge = add(self.inside, "object_merge", "fetched")
        self.set(merge, objpath1="/obj/shapes/hit")
        self.step.setInput(2, merge)
        self.solver.setInput(2, None)
        self.assertIn("friction = 0.75", self.export(self.solver)[0])
        self.set(merge, xformtype=1)
        self.refused(self.solver, "fetched is inside the loop: put it outside")

    def test_first_snow_is_there_at_once(self) -> None:
        # A Solver SOP takes all of its first input, whenever the source opens.
        self.set(self.snow, start_frame=5.0)
        self.assertNotIn("start =", self.body(self.export(self.solver)[0], "snow"))

    def test_what_else_a_loop_does_is_refused(self) -> None:
        moved = add(self.inside, "xform", "push", (self.inside.node("Prev_Frame"),))
        self.step.setInput(0, moved)
        self.refused(self.solver, "step: its first input is not Prev_Frame alone.*use Houdini")
        self.step.setInput(0, self.inside.node("Prev_Frame"))
        after = add(self.inside, "xform", "after", (self.step,))
        self.out.setInput(0, after)
        self.refused(self.solver, "OUT: other nodes than step change the snow")
        self.out.setInput(0, self.step)
        wrong = add(self.inside, "box", "local")
        self.step.setInput(2, wrong)
        self.refused(self.solver, "local is inside the loop")

    def test_forces_are_reported(self) -> None:
        self.assertEqual(self.export(self.solver)[1], [])
        self.solver.setInput(3, add(self.sops, "box", "push"))
        self.assertRegex(self.export(self.solver)[1][0], "step: the forces of its fourth input can't be exported")

    def test_mistakes(self) -> None:
        self.set(self.step, start_frame=2.0)
        self.refused(self.solver, "starts at frame 1, but .*step at 2: give both the same")
        self.set(self.step, start_frame=1.0)
        self.solver.setInput(0, None)
        self.solver.setInput(1, None)
        self.refused(self.solver, "has no snow")
        self.refused(add(self.sops, "firn::snow_step", "alone", (self.snow,)), "not in the loop of a Solver SOP.*firn::snow_solver")
        add(self.inside, "firn::snow_step", "second")
        self.refused(self.solver, "has 2 firn::snow_step")
        self.refused(self.floor, "floor is a xform; give a firn::snow_solver, a Solver SOP .* or a DOP network")


class Dops(NetworkTest):
    def setUp(self) -> None:
        super().setUp()
        self.network = self.node("/obj").createNode("dopnet", "dynamics")
        self.object = self.dop("emptyobject", "drift")
        self.shape = self.dop("sopgeo", "shape", self.object)
        self.set(self.shape, soppath=self.snow.path())
        self.solver = self.dop("firn_snowsolver", "snowsolver", self.shape)
        self.set(self.solver, spacing=0.05, friction=0.9, sticky=0.1)
        self.ground = self.dop("staticobject", "ground")
        self.set(self.ground, soppath=self.floor.path(), friction=0.35)
        self.blade = self.dop("staticobject", "blade")
        self.set(self.blade, soppath=self.plough.path(), ty=0.2)
        self.merge = self.dop("merge", "all", self.ground, self.blade, self.solver)
        self.gravity = self.dop("gravity", "down", self.merge)
        self.set(self.gravity, forcey=-3.0)
        self.end = self.dop("output", "output", self.gravity)

    def dop(self, kind: str, name: str, *inputs: hou.OpNode) -> hou.OpNode:
        made = self.network.createNode(kind, name)
        for index, above in enumerate(inputs):
            made.setInput(index, above)
        return made

    def test_a_network(self) -> None:
        text, warnings = self.export(self.network)
        self.assertEqual(warnings, [])
        for line in ("spacing = 0.05", "gravity = [0.0, -3.0, 0.0]", "fps = 24.0"):
            self.assertIn(line, text)
        self.assertIn('shape = "particles"', self.body(text, "drift"))
        # Its own friction, and the solver's for the rest.
        self.assertIn("friction = 0.35", self.body(text, "ground"))
        self.assertIn("sticky = 0.1", self.body(text, "ground"))
        # Placed by the object's transform: the box is 0.3 m high, its middle at 0.2 m.
        said = self.firn("info", str(self.home / "shot/snow_geo/blade.obj"))
        self.assertIn("bounds       -0.05 0.05 -0.3 to 0.05 0.35 0.3 m", said)
        done = self.simulate()
        self.assertEqual(done["frame"], 6)
        self.assertAlmostEqual(done["mass"], 0.032 * 500, delta=0.1)

    def test_from_the_command_line(self) -> None:
        hip, scene = str(self.home / "shot.hip"), self.home / "farm" / "drift.toml"
        hou.hipFile.save(hip)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = farm.main(["export", hip, "/obj/dynamics", str(scene), "--frames", "1-3", "--set", "timescale=0.5",
                              "--set", "/obj/dynamics/blade/ty=0.4"])
        self.assertEqual((code, said.getvalue()), (0, f"{scene}\n"))
        self.assertIn(": fine", self.firn("check", str(scene)))
        self.assertIn("fps = 48.0", scene.read_text(encoding="utf-8"))
        # Only an asset runs on a farm with Houdini.
        with contextlib.redirect_stderr(said):
            self.assertEqual(farm.main(["sim", hip, "/obj/dynamics", "--out", str(self.home / "run")]), 1)
        self.assertIn("/obj/dynamics is a dopnet; give a firn::snow_solver", said.getvalue())

    def test_the_snow_is_not_simulated(self) -> None:
        self.export(self.network, last=12)
        self.assertEqual(self.world.solved_frames, 0)
        solver = hou.node("/obj/dynamics/snowsolver")
        assert isinstance(solver, hou.DopNode)
        self.assertFalse(solver.isBypassed())

    def test_the_same_motion_as_of_a_scene_by_hand(self) -> None:
        # Free fall for 5 frames of 1/24 s from rest, at 3 m/s^2.
        self.merge.setInput(0, self.solver)
        self.merge.setInput(1, None)
        self.merge.setInput(2, None)
        for node in (self.ground, self.blade):
            node.destroy()
        self.export(self.network)
        time = 5 / 24
        # Snow of the fake stands on lattice points of its box.
        self.assertAlmostEqual(self.simulate()["height_mean"], 0.5 - 0.5 * 3 * time**2, delta=1e-4)

    def test_the_solver_itself(self) -> None:
        self.assertIn('name = "snowsolver"', self.export(self.solver)[0])

    def test_what_moves(self) -> None:
        self.parm(self.blade, "tx").setExpression("0.1 * $F")
        self.parm(self.blade, "ry").setExpression("10 * $F")
        text, warnings = self.export(self.network)
        self.assertEqual(warnings, [])
        keys = self.keys(text, "blade")
        self.assertEqual([key[0] for key in keys], list(range(1, 7)))
        for frame, position, rotation in keys:
            self.assertLess(math.dist(position, (0.1 * frame, 0.2, 0)), 1e-6)
            self.assertLess(math.dist(rotation, (0, 10 * (frame - 1), 0)), 1e-6)
        self.assertNotIn("keys", self.body(text, "ground"))

    def test_what_deforms(self) -> None:
        self.parm(self.plough, "sizex").setExpression("0.1 + 0.01 * $F")
        text, _ = self.export(self.network)
        self.assertIn("blade.%04d.obj", text)
        self.assertEqual(len(list((self.home / "shot/snow_geo").glob("blade.*.obj"))), 6)

    def test_time(self) -> None:
        self.set(self.network, startframe=3, timescale=0.25)
        text, _ = self.export(self.network, last=5)
        for line in ("fps = 96.0", "start = 3", "end = 5"):
            self.assertIn(line, text)

    def test_settings_of_the_solver(self) -> None:
        self.gravity.destroy()
        self.end.setInput(0, self.merge)
        self.set(self.solver, gravityy=-1.62, windx=4.0, drag=2.0, cfl=0.1, theta_c=0.04, mode="published")
        text, _ = self.export(self.network)
        for line in ("gravity = [0.0, -1.62, 0.0]", "[wind]\nwind = [4.0, 0.0, 0.0]\ndrag = 2.0", "cfl = 0.1",
                     "[material]\ntheta_c = 0.04", 'mode = "published"'):
            self.assertIn(line, text)

    def feed(self, **values: float | int | str) -> hou.SopNode:
        """A second object that gives snow to the first."""
        cube = add(self.sops, "box", "cube")
        self.set(cube, sizex=0.2, sizey=0.2, sizez=0.2)
        made = add(self.sops, "firn::snow_source", "more", (cube,))
        self.set(made, spacing=0.05, **values)
        giver = self.dop("sopgeo", "giver_shape", self.dop("emptyobject", "giver"))
        self.set(giver, soppath=made.path())
        feeding = self.dop("merge", "feeding", giver, self.solver)
        self.set(feeding, inputrel1="SIM_RelationshipSource")
        self.merge.setInput(2, feeding)
        return made

    def test_a_source_that_is_there_at_the_start(self) -> None:
        self.feed()
        text, _ = self.export(self.network)
        self.assertEqual(text.count("[[snow]]"), 1)
        self.assertAlmostEqual(self.simulate()["mass"], 0.032 * 500 + 0.008 * 400, delta=0.1)

    def test_a_source_that_opens_later(self) -> None:
        self.feed(start_frame=4.0)
        text, _ = self.export(self.network)
        self.assertIn("start = 4", self.body(text, "giver_4"))
        self.assertEqual(text.count("[[snow]]"), 2)
        self.assertAlmostEqual(self.simulate()["mass"], 0.032 * 500 + 0.008 * 400, delta=0.1)

    def test_points_of_two_times(self) -> None:
        made = self.feed(start_frame=3.0)
        other = add(self.sops, "firn::snow_source", "other", (self.sop("/obj/shapes/cube"),))
        self.set(other, spacing=0.05, start_frame=5.0)
        self.set(self.node("/obj/dynamics/giver_shape"), soppath=add(self.sops, "merge", "both", (made, other)).path())
        text, _ = self.export(self.network)
        for frame in (3, 5):
            self.assertIn(f"start = {frame}", self.body(text, f"giver_{frame}"))
            self.assertIn("particles: 64", self.firn("info", str(self.home / f"shot/snow_geo/giver_{frame}.bgeo")))

    def test_points_that_change_appear_again(self) -> None:
        self.feed()
        jump = add(self.sops, "xform", "jump", (self.sop("/obj/shapes/cube"),))
        self.parm(jump, "ty").setExpression("if($F < 4, 1, 2)")
        self.set(self.node("/obj/dynamics/giver_shape"), soppath=jump.path())
        text, _ = self.export(self.network)
        self.assertIn('shape = "mesh"', self.body(text, "giver_4"))
        self.assertEqual(text.count("[[snow]]"), 2)
        self.set(self.solver, emission="always")
        self.assertEqual(self.export(self.network)[0].count("[[snow]]"), 6)

    def test_flakes_are_refused(self) -> None:
        made = self.feed()
        original = made.type().cook

        def flakes(node: object, output: int) -> hou.Geometry:
            found = original(node, output)  # type: ignore[misc,arg-type]
            found.attributes["flake"] = [1.0] * found.point_count()
            return found
        made.type().cook = flakes
        self.addCleanup(setattr, made.type(), "cook", original)
        self.refused(self.network, "giver: a continuous Snow Source can't be exported.*Emission to Once")

    def second_drift(self) -> hou.OpNode:
        """Another object with snow, before its solver."""
        other = self.dop("sopgeo", "other_shape", self.dop("emptyobject", "other"))
        self.set(other, soppath=self.snow.path())
        return other

    def test_two_solvers(self) -> None:
        second = self.dop("firn_snowsolver", "second", self.second_drift())
        self.set(second, spacing=0.05, cfl=0.1)
        # Left of all others nothing affects it.
        for index, node in enumerate((second, self.ground, self.blade, self.solver)):
            self.merge.setInput(index, node)
        self.refused(self.network, "several snow solvers.*/obj/dynamics/snowsolver and /obj/dynamics/second")
        text, _ = self.export(second)
        self.assertIn("cfl = 0.1", text)
        self.assertIn('name = "other"', text)
        self.assertNotIn('name = "drift"', text)

    def test_two_objects_of_one_solver(self) -> None:
        both = self.dop("merge", "both", self.shape, self.second_drift())
        self.solver.setInput(0, both)
        text, warnings = self.export(self.network)
        self.assertRegex(warnings[0], "drift and other are each solved alone in Houdini")
        self.assertEqual(text.count("[[snow]]"), 2)

    def test_a_snow_object_that_is_moved(self) -> None:
        moved = self.dop("staticobject", "moved")
        self.set(moved, soppath=self.snow.path(), ty=1.0)
        self.solver.setInput(0, moved)
        self.object.destroy()
        self.shape.destroy()
        self.refused(self.network, "moved: the snow object has a position .* leave both at zero")

    def test_packed_colliders(self) -> None:
        packed = add(self.sops, "pack", "packed", (self.plough,))
        self.set(self.blade, soppath=packed.path())
        self.parm(self.blade, "tx").setExpression("0.1 * $F")
        text, _ = self.export(self.network)
        self.assertEqual(len(self.keys(text, "blade")), 6)

    def test_vdb_colliders(self) -> None:
        grids = add(self.sops, "firn::snow_surface", "grids", (self.snow,))
        self.set(self.blade, soppath=grids.path())
        self.refused(self.network, "blade: a VDB with a transform can't be exported: convert it to polygons")
        self.set(self.blade, ty=0.0)
        path = self.home / "vdb.toml"
        export.write_scene(self.network, path, range(1, 4))
        self.assertIn('shape = "vdb"', self.body(path.read_text(encoding="utf-8"), "blade"))
        self.parm(self.blade, "tx").setExpression("if($F > 2, 1, 0)")
        self.refused(self.network, "blade: a VDB that moves can't be exported")

    def test_points_of_polygons_are_snow_too(self) -> None:
        self.set(self.shape, soppath=self.lifted.path())
        self.export(self.network)
        self.assertIn("particles: 8", self.firn("info", str(self.home / "shot/snow_geo/drift.bgeo")))

    def test_other_forces_are_reported(self) -> None:
        drag = self.dop("drag", "air", self.gravity)
        self.end.setInput(0, drag)
        _, warnings = self.export(self.network)
        self.assertEqual(len(warnings), 1)
        self.assertRegex(warnings[0], "drift: the force Drag_air .*can't be exported; for wind set Wind and Air")

    def test_colliders_that_come_later_are_reported(self) -> None:
        self.set(self.blade, createframe=3.0)
        text, warnings = self.export(self.network)
        self.assertRegex(warnings[0], "blade: appears at frame 3; .* left out")
        self.assertNotIn('name = "blade"', text)

    def test_a_locked_solver_is_simulated_along(self) -> None:
        solver = hou.node("/obj/dynamics/snowsolver")
        assert isinstance(solver, hou.DopNode)

        def locked(on: bool) -> None:
            raise hou.PermissionError("locked")
        solver.bypass = locked  # type: ignore[method-assign]
        self.assertEqual(self.export(self.network)[1], [])
        self.assertGreater(self.world.solved_frames, 0)

    def test_mistakes(self) -> None:
        self.set(self.network, timescale=0.0)
        self.refused(self.network, "Time Scale of 0")
        self.set(self.network, timescale=1.0)
        hit = add(self.sops, "firn::snow_collider", "hit", (self.plough,))
        self.set(self.blade, soppath=hit.path())
        self.refused(self.network, "blade: collides by its points.*without a Snow Collider")
        self.set(self.blade, soppath=self.plough.path())
        assert isinstance(self.solver, hou.DopNode)
        self.solver.bypass(True)
        self.refused(self.network, "no object has the Firn Snow Solver at frame 1")


if __name__ == "__main__":
    unittest.main(verbosity=2)
