#!/usr/bin/env python3
"""Houdini scenes as scene files: what a fake Houdini holds, exported, and read by the real `firn`."""

from __future__ import annotations

import math
import unittest

from export_session import ExportTest  # first: it finds the fake hou

import hou
import houdini_session
from firn import export, recipes, rigid, toml_text
from firn.error import FirnError
from firn.network import add
from firn.snow_solver import ASSET_NAME


class Recipes(ExportTest):
    def test_all_pass_firn_check(self) -> None:
        for recipe in recipes.RECIPES:
            with self.subTest(recipe=recipe.name):
                self.start()
                solver = self.recipe(recipe.name, 2 * recipe.spacing)
                text, warnings = self.export(solver)
                self.assertEqual(warnings, [])
                self.assertEqual(text.count("[[snow]]"), len(recipe.snow))
                self.assertEqual(text.count("[[collider]]"), len(recipe.colliders) + 1)

    def test_meshes_face_outward(self) -> None:
        self.export(self.recipe("wall_smash", 0.05))
        for name in ("wall_snow", "ball_collider"):
            said = self.firn("info", str(self.home / "shot" / "snow_geo" / f"{name}.obj"))
            self.assertIn("closed       yes", said)
            self.assertNotIn("inside out", said)

    def test_the_simulation_is_the_examples(self) -> None:
        # The plough: its scene in examples/ and the recipe have the same numbers, and were written by hand.
        self.export(self.recipe("plough", 0.05), last=4)
        example = houdini_session.ROOT / "examples" / "plough.toml"
        ours = self.simulate(out="ours")
        theirs = self.simulate("--frames", "1-4", "--set", "scene.spacing=0.05", "--set", "scene.resolution=1",
                               scene=str(example), out="theirs")
        self.assertEqual(ours["frame"], theirs["frame"])
        # One fills a mesh and the other a box: lattices may differ by a layer.
        self.assertAlmostEqual(ours["mass"] / theirs["mass"], 1, delta=0.15)
        self.assertAlmostEqual(ours["height_mean"], theirs["height_mean"], delta=0.025)


class Colliders(ExportTest):
    def test_what_moves_as_a_whole_gets_keys(self) -> None:
        text, _ = self.export(self.recipe("footprints", 0.03), last=20)
        keys = self.keys(text, "boot_collider")
        self.assertEqual([frame for frame, _, _ in keys], list(range(1, 21)))
        # Against the network itself: the points of the boot at each frame.
        place = self.sop("/obj/firn_footprints/boot_place")
        local = [tuple(float(word) for word in line.split()[1:])
                 for line in (self.home / "shot/snow_geo/boot_collider.obj").read_text().splitlines() if line[0] == "v"]
        for frame, position, rotation in keys:
            flat = self.positions(place, frame)
            wanted = list(zip(flat[0::3], flat[1::3], flat[2::3]))
            a, b, c = (math.radians(angle) for angle in rotation)
            for (x, y, z), goal in list(zip(local, wanted))[::50]:
                y, z = y * math.cos(a) - z * math.sin(a), y * math.sin(a) + z * math.cos(a)
                z, x = z * math.cos(b) - x * math.sin(b), z * math.sin(b) + x * math.cos(b)
                x, y = x * math.cos(c) - y * math.sin(c), x * math.sin(c) + y * math.cos(c)
                moved = (x + position[0], y + position[1], z + position[2])
                self.assertLess(math.dist(moved, goal), 1e-6, f"frame {frame}")

    def test_what_deforms_gets_a_mesh_for_each_frame(self) -> None:
        solver = self.recipe("wall_smash", 0.05)
        collider = self.sop("/obj/firn_wall_smash/ball_collider")
        self.set(collider, motion="deforming")
        text, warnings = self.export(solver)
        self.assertEqual(warnings, [])
        self.assertIn("ball_collider.%04d.obj", text)
        self.assertEqual(len(list((self.home / "shot/snow_geo").glob("ball_collider.*.obj"))), 6)

    def test_rigid_that_is_not_is_reported(self) -> None:
        solver = self.recipe("wall_smash", 0.05)
        box = self.sop("/obj/firn_wall_smash/ball_sphere")
        self.parm(box, "radx").setExpression("0.2 + 0.01 * $F")
        text, warnings = self.export(solver)
        self.assertEqual(len(warnings), 1)
        self.assertIn("does not move as a whole", warnings[0])
        self.assertIn("# warning:", text)
        self.assertIn("%04d", text)

    def test_pieces_become_bodies(self) -> None:
        solver = self.recipe("roof_slide", 0.05)
        collider = self.sop("/obj/firn_roof_slide/roof_collider")
        self.set(collider, pieces="attribute")
        place = self.sop("/obj/firn_roof_slide/roof_place")
        original = place.type().cook
        assert original is not None

        def named(node: object, output: int) -> object:
            made = original(node, output)  # type: ignore[arg-type]
            made.name_polygons(["left"] * 3 + ["right"] * 3)
            return made
        place.type().cook = named  # type: ignore[assignment]
        self.addCleanup(setattr, place.type(), "cook", original)
        text, _ = self.export(solver)
        for name in ("roof_collider_left", "roof_collider_right"):
            self.assertIn(f'name = "{name}"', text)
            self.assertIn("3 ", self.firn("info", str(self.home / f"shot/snow_geo/{name}.obj")))

    def test_a_heightfield_faces_up(self) -> None:
        solver = self.recipe("snowball", 0.05)
        home = self.node("/obj/firn_snowball")
        terrain = add(home, "box", "terrain")
        original = terrain.type().cook

        def hills(node: object, output: int) -> hou.Geometry:
            made = hou.Geometry()
            made.add_on_a_point(hou.Volume(5, 4, 0.5, tuple(0.1 * k for k in range(20))))
            return made
        terrain.type().cook = hills
        self.addCleanup(setattr, terrain.type(), "cook", original)
        solver.setInput(1, terrain)
        self.set(solver, ground=0)
        text, warnings = self.export(solver)
        self.assertEqual(warnings, [])
        self.assertIn('name = "terrain"', text)
        said = self.firn("info", str(self.home / "shot/snow_geo/terrain.obj"))
        self.assertIn("24 triangles over 20 points", said)
        self.assertIn("bounds       -1 0 -0.75 to 1 1.9 0.75 m", said)
        # Counter-clockwise from above: the first face's normal points up.
        lines = (self.home / "shot/snow_geo/terrain.obj").read_text(encoding="utf-8").splitlines()
        points = [[float(word) for word in line.split()[1:]] for line in lines if line[0] == "v"]
        a, b, c = (points[int(word) - 1] for word in next(line for line in lines if line[0] == "f").split()[1:4])
        up = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2])
        self.assertGreater(up, 0)

    def test_the_ground(self) -> None:
        solver = self.recipe("snowball", 0.05)
        self.set(solver, ground_height=-0.5, ground_friction=0.25, ground_size=3.0)
        text, _ = self.export(solver)
        for line in ('shape = "plane"', "size = [3.0, 1.0, 3.0]", "position = [0.0, -0.5, 0.0]", "friction = 0.25"):
            self.assertIn(line, text)
        self.set(solver, ground=0)
        text, _ = self.export(solver)
        self.assertNotIn("plane", text)


class Snow(ExportTest):
    def test_a_source_keeps_its_settings(self) -> None:
        solver = self.recipe("snowball", 0.05)
        self.set(self.source(), noise_amplitude=0.0, preset="custom", young_modulus=9e4, rest_density=350.0, jitter=0.5, seed=7)
        text, _ = self.export(solver)
        self.assertIn("young_modulus = 90000.0", text)
        self.assertIn("rest_density = 350.0", text)
        self.assertIn("jitter = 0.5", text)
        self.assertIn("seed = 7", text)
        self.assertIn("velocity = [2.0, -12.0, 0.0]", text)
        self.set(self.source(), preset="measured", measured_density=280.0)
        self.assertIn('material = { preset = "measured", rest_density = 280.0 }', self.export(solver)[0])

    def test_uneven_snow(self) -> None:
        solver = self.recipe("snowball", 0.05)
        self.assertIn('material = { preset = "powder", noise = { amplitude = 0.5, scale = 0.12 } }', self.export(solver)[0])
        uneven = self.simulate(out="uneven")
        self.set(self.source(), preset="measured", measured_density=280.0, noise_seed=4)
        self.assertIn('{ preset = "measured", rest_density = 280.0, noise = { amplitude = 0.5, scale = 0.12, seed = 4 } }',
                      self.export(solver)[0])
        self.set(self.source(), preset="powder", noise_amplitude=0.0)
        self.assertIn('material = "powder"\n', self.export(solver)[0])
        # It has hit the ground by frame 6, and breaks in another way.
        even = self.simulate(out="even")
        self.assertEqual(even["mass"], uneven["mass"])
        particles = [self.home / run / "particles" for run in ("even", "uneven")]
        first, last = ([sorted(folder.iterdir())[k].read_bytes() for folder in particles] for k in (0, -1))
        self.assertNotEqual(first[0], first[1])
        self.assertNotEqual(last[0], last[1])

    def test_a_continuous_source(self) -> None:
        solver = self.recipe("snowball", 0.05)
        self.set(self.source(), emission="continuous", rate=3.0, start_frame=2.0, end_frame=5.0)
        text, _ = self.export(solver)
        for line in ("rate = 3.0", "start = 2", "end = 5"):
            self.assertIn(line, text)

    def test_points_that_say_more_become_particles(self) -> None:
        solver = self.recipe("snowball", 0.05)
        self.set(self.source(), spinx=90.0)
        text, _ = self.export(solver)
        self.assertIn('shape = "particles"', text)
        said = self.firn("info", str(self.home / "shot/snow_geo/ball_snow.bgeo"))
        geometry = self.source().geometryAtFrame(1)
        assert geometry is not None
        self.assertIn(f"particles: {geometry.intrinsicValue('pointcount')}", said)
        self.assertIn("rest_density", said)

    def test_plain_geometry_is_filled_as_the_asset_says(self) -> None:
        home = self.node("/obj").createNode("geo", "plain")
        box = add(home, "box", "block")
        from firn import build
        build.ensure()
        solver = add(home, ASSET_NAME, "snow_solver", (box,))
        self.set(solver, spacing=0.1, preset="wet")
        text, _ = self.export(solver)
        self.assertIn('name = "block"', text)
        self.assertIn('material = "wet"', text)

    def test_two_nodes_of_one_name(self) -> None:
        solver = self.recipe("snowball", 0.05)
        other = self.node("/obj").createNode("geo", "other")
        second = add(other, "firn::snow_source", "ball_snow", (add(other, "box", "block"),))
        self.set(second, spacing=0.05)
        fetched = add(self.node("/obj/firn_snowball"), "object_merge", "fetched")
        self.set(fetched, objpath1=second.path())
        self.sop("/obj/firn_snowball/all_snow").setInput(1, fetched)
        text, warnings = self.export(solver)
        self.assertEqual(warnings, [])
        for name in ("ball_snow", "ball_snow_2"):
            self.assertIn(f"{name}.obj", self.body(text, name))

    def test_nodes_between_are_reported(self) -> None:
        solver = self.recipe("snowball", 0.05)
        home = self.node("/obj/firn_snowball")
        between = add(home, "xform", "shuffle", (self.source(),))
        self.sop("/obj/firn_snowball/all_snow").setInput(0, between)
        text, warnings = self.export(solver)
        self.assertIn('shape = "particles"', text)
        self.assertIn("shuffle", warnings[0])


class SolverSettings(ExportTest):
    def test_only_what_differs_is_written(self) -> None:
        solver = self.recipe("plough", 0.05)
        text, _ = self.export(solver)
        self.assertNotIn("[solver]", text)
        self.set(solver, gravityy=-1.62, mode="published", cfl=0.1, substeps_min=10, substeps_max=50, timescale=0.5)
        text, _ = self.export(solver)
        for line in ("gravity = [0.0, -1.62, 0.0]", 'mode = "published"', "cfl = 0.1", "fps = 48.0"):
            self.assertIn(line, text)
        # A frame takes 1/48 s now.
        self.assertIn(f"dt_max = {toml_text.value(1 / 48 / 10)}", text)
        self.assertIn(f"dt_min = {toml_text.value(1 / 48 / 50)}", text)

    def test_wind_and_volumes(self) -> None:
        solver = self.recipe("snowball", 0.05)
        self.set(solver, windx=3.0, drag=2.0, volume_attributes="compaction", volume_velocity=0, volume_voxel=0.03)
        text, _ = self.export(solver)
        self.assertIn("[wind]\nwind = [3.0, 0.0, 0.0]\ndrag = 2.0", text)
        self.assertIn('volumes = ["density", "surface", "compaction"]', text)
        self.assertIn("voxel = 0.03", text)

    def test_what_changes_over_time_is_reported(self) -> None:
        solver = self.recipe("snowball", 0.05)
        self.parm(solver, "gravityx").setExpression("0.1 * $F")
        text, warnings = self.export(solver)
        self.assertEqual(len(warnings), 1)
        self.assertIn("gravity changes over time", warnings[0])
        self.assertIn("gravity = [0.1, -9.81, 0.0]", text)

    def test_forces_are_reported(self) -> None:
        solver = self.recipe("snowball", 0.05)
        solver.setInput(2, add(self.node("/obj/firn_snowball"), "box", "push"))
        self.assertIn("forces", self.export(solver)[1][0])

    def test_mistakes(self) -> None:
        solver = self.recipe("snowball", 0.05)
        path = self.home / "x.toml"
        with self.assertRaisesRegex(FirnError, "give a firn::snow_solver"):
            export.write_scene(self.source(), path)
        self.set(solver, timescale=0.0)
        with self.assertRaisesRegex(FirnError, "Time Scale"):
            export.write_scene(solver, path)
        self.set(solver, timescale=1.0)
        self.world.write_fails_after = 0
        with self.assertRaises((FirnError, hou.Error)):
            self.set(self.source(), spinx=1.0)
            export.write_scene(solver, path)
        self.world.write_fails_after = -1
        solver.setInput(0, None)
        with self.assertRaisesRegex(FirnError, "no snow"):
            export.write_scene(solver, path)
        self.assertFalse(path.exists(), "a scene file without its geometry")


class Motion(unittest.TestCase):
    def test_angles_there_and_back(self) -> None:
        points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0), (1.0, 1.0, 1.0)]
        corners = rigid.far_corners(points)
        before = (0.0, 0.0, 0.0)
        for step in range(0, 720, 7):
            a, b, c = math.radians(step), math.radians(0.5 * step), math.radians(-2 * step)
            moved = []
            for x, y, z in points:
                y, z = y * math.cos(a) - z * math.sin(a), y * math.sin(a) + z * math.cos(a)
                z, x = z * math.cos(b) - x * math.sin(b), z * math.sin(b) + x * math.cos(b)
                x, y = x * math.cos(c) - y * math.sin(c), x * math.sin(c) + y * math.cos(c)
                moved.append((x + 5, y - 2, z))
            found = rigid.motion(points, moved, corners)
            assert found is not None
            self.assertLess(found.error, 1e-12)
            now = rigid.nearest_turn(rigid.angles(found.rotation), before)
            # Never the long way round: seven degrees about the fastest axis, twice that, and a little for both at once.
            self.assertLess(math.dist(now, before), 40, f"at {step}: {before} to {now}")
            before = now

    def test_what_is_not_rigid_has_an_error(self) -> None:
        points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
        corners = rigid.far_corners(points)
        stretched = [(2 * x, y, z) for x, y, z in points]
        found = rigid.motion(points, stretched, corners)
        assert found is not None
        self.assertGreater(found.error, 0.1)
        self.assertIsNone(rigid.motion(points, points[:3], corners))

    def test_toml_values(self) -> None:
        self.assertEqual(toml_text.value([1, 2.0, True, 'a "b"\\', {"x": 0.1}]), '[1, 2.0, true, "a \\"b\\"\\\\", { x = 0.1 }]')
        self.assertEqual(toml_text.value(1e-7), "1e-07")
        with self.assertRaises(FirnError):
            toml_text.value(math.nan)


if __name__ == "__main__":
    unittest.main(verbosity=2)
