"""The recipes: networks that cook, with the numbers of the scenes in examples/."""

from __future__ import annotations

import contextlib
import io
import math
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import houdini_session
from houdini_session import FOLDER, ROOT, HoudiniTest

import hou
from firn import examples, presets, recipes
from firn.error import FirnError

try:
    import tomllib
except ImportError:  # Python 3.10: Ubuntu 22.04
    tomllib = None  # type: ignore[assignment]


class Recipes(HoudiniTest):
    def test_all_build_and_cook(self) -> None:
        for recipe in recipes.RECIPES:
            self.start()
            coarse = recipes.replace_spacing(recipe, 0.06)
            solver = recipes.build(coarse)
            counts = [len(self.positions(solver, frame)) for frame in (1, 3)]
            self.assertGreater(counts[0], 0, recipe.name)
            self.assertEqual(counts[0], counts[1], recipe.name)
            self.assertEqual(solver.errors(), ())
            home = solver.parent()
            assert home is not None
            shown = [node.name() for node in home.children() if isinstance(node, hou.SopNode) and node.isDisplayFlagSet()]
            self.assertEqual(shown, ["SNOW"], recipe.name)

    def test_into_a_network_of_ones_own(self) -> None:
        mine = self.node("/obj").createNode("geo", "mine")
        solver = recipes.build(recipes.find("snowball"), mine)
        self.assertEqual(solver.path(), "/obj/mine/snow_solver")

    def test_twice_in_one_scene(self) -> None:
        paths = [recipes.build(recipes.find("plough")).path() for _ in range(2)]
        self.assertEqual(len(set(paths)), 2)

    def test_unknown_recipe(self) -> None:
        with self.assertRaisesRegex(FirnError, "no recipe 'avalanche'; the recipes are snowball, footprints"):
            recipes.find("avalanche")

    def test_shelf_says_what_is_wrong(self) -> None:
        self.start(without=("firn::snow_step",))
        recipes.build_from_shelf("snowball")
        self.assertEqual(len(self.world.messages), 1)
        self.assertIn("does not know firn::snow_step", self.world.messages[0])

    def test_installed_meshes_are_found(self) -> None:
        """As `cmake --install` lays them out: packages/firn/houdini, with the examples' meshes in geo/."""
        folder = self.home / "packages" / "firn" / "houdini"
        shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
        path = f"{folder / 'scripts' / 'python'}{os.pathsep}{ROOT / 'tests' / 'hou'}"
        script = "from firn import recipes; print(recipes.mesh_file('boot.obj'))"
        found = subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
        )
        self.assertEqual(found.stdout.strip(), (folder / "geo" / "boot.obj").as_posix())

    def test_missing_mesh(self) -> None:
        with self.assertRaisesRegex(FirnError, "bobsleigh.obj is not in .*geo: install Firn again"):
            recipes.mesh_file("bobsleigh.obj")

    def test_moving_colliders_are_rigid(self) -> None:
        solver = recipes.build(recipes.find("wall_smash"))
        home = solver.parent()
        assert home is not None
        ball = self.node(f"{home.path()}/ball_collider")
        self.assertEqual(self.parm(ball, "motion").evalAsString(), "rigid")
        place = self.node(f"{home.path()}/ball_place")
        hou.setFrame(1 + 39 / 4)  # a quarter of the way, evenly
        self.assertAlmostEqual(self.parm(place, "tz").eval(), -0.9 + (4.87 + 0.9) / 4)

    def test_a_boot_starts_and_stops_gently(self) -> None:
        home = recipes.build(recipes.find("footprints")).parent()
        assert home is not None
        place = self.node(f"{home.path()}/boot_place")
        self.assertEqual({key.expression() for key in self.parm(place, "ty").keyframes()}, {"ease()"})

    def test_solver_settings(self) -> None:
        self.assertEqual(self.parm(recipes.build(recipes.find("snowball")), "surface_floor").eval(), 0.85)

    def test_each_source_has_its_snow(self) -> None:
        for recipe in recipes.RECIPES:
            self.start()
            home = recipes.build(recipe).parent()
            assert home is not None
            for snow in recipe.snow:
                source = self.node(f"{home.path()}/{snow.shape.name}_snow")
                self.assertEqual(self.parm(source, "preset").evalAsString(), snow.preset)
                self.assertEqual(self.parm(source, "velocityy").eval(), snow.velocity[1])
                self.assertEqual(self.parm(source, "noise_amplitude").eval(), snow.uneven)
                self.assertEqual(self.parm(source, "noise_scale").eval(), snow.lumps)
                self.assertEqual(self.parm(source, "spacing").eval(), recipe.spacing)

    @unittest.skipIf(tomllib is None, "this Python has no tomllib")
    def test_numbers_are_those_of_the_scenes(self) -> None:
        for recipe in recipes.RECIPES:
            with self.subTest(recipe.name):
                scene = tomllib.loads((ROOT / "examples" / recipe.scene).read_text(encoding="utf-8"))
                self.compare(recipe, scene)

    def compare(self, recipe: recipes.Recipe, scene: dict[str, Any]) -> None:
        self.assertEqual(recipe.spacing, scene["scene"]["spacing"])
        self.assertEqual(recipe.end, scene["time"]["end"])
        self.assertEqual(list(recipe.eye), scene["camera"]["eye"])
        self.assertEqual(list(recipe.target), scene["camera"]["target"])
        self.assertEqual(dict(recipe.solver), scene.get("solver", {}))
        self.assertEqual(len(recipe.snow), len(scene["snow"]))
        for snow, body in zip(recipe.snow, scene["snow"]):
            self.assertEqual(snow.preset, scene["material"]["preset"])
            self.assertEqual(list(snow.velocity), body.get("velocity", [0, 0, 0]))
            noise = {"amplitude": snow.uneven, "scale": snow.lumps} if snow.uneven else {}
            self.assertEqual(noise, scene["material"].get("noise", {}))
            self.same_shape(snow.shape, body)
        ground = scene["collider"][-1]
        self.assertEqual((ground["name"], ground["shape"]), ("ground", "plane"))
        self.assertEqual(recipe.ground_friction, ground["friction"])
        # The asset's ground lies around the origin and is square: it covers what the scene's covers.
        reach = max(ground["size"][0] / 2 + abs(ground.get("position", [0])[0]), ground["size"][2] / 2)
        self.assertGreaterEqual(recipe.ground_size / 2, min(reach, 4))
        self.assertEqual(len(recipe.colliders), len(scene["collider"]) - 1)
        for collider, body in zip(recipe.colliders, scene["collider"]):
            self.assertEqual(collider.friction, body["friction"])
            self.same_shape(collider.shape, body)
            keys = body.get("keys", [])
            self.assertEqual([key.frame for key in collider.keys], [key["frame"] for key in keys])
            rotation = [0, 0, 0]
            for mine, key in zip(collider.keys, keys):
                rotation = key.get("rotation", rotation)  # docs/scene.md: the key before
                self.assertEqual((list(mine.position), list(mine.rotation)), (key["position"], rotation))
            if keys:
                self.assertEqual(collider.ease, body.get("interpolation", "smooth") == "smooth")

    def same_shape(self, shape: recipes.Shape, body: dict[str, Any]) -> None:
        self.assertEqual((shape.name, shape.kind), (body["name"], body["shape"]))
        if shape.kind == "box":
            self.assertEqual(list(shape.size), body["size"])
        elif shape.kind == "sphere":
            self.assertEqual(shape.radius, body["radius"])
        else:
            self.assertEqual(f"meshes/{shape.file}", body["file"])
        if "keys" not in body:
            self.assertEqual(list(shape.position), body.get("position", [0, 0, 0]))
            self.assertEqual(list(shape.rotation), body.get("rotation", [0, 0, 0]))


class Examples(HoudiniTest):
    def test_scene_files(self) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(examples.main([str(self.home / "hip")]), 0)
        files = [Path(line) for line in out.getvalue().splitlines()]
        self.assertEqual([file.name for file in files], [f"firn_{recipe.name}.hip" for recipe in recipes.RECIPES])
        for recipe, file in zip(recipes.RECIPES, files):
            hou.hipFile.load(str(file))
            self.node(f"/obj/firn_{recipe.name}/snow_solver")
        self.assertEqual(hou.playbar.frameRange(), (1, recipes.RECIPES[-1].end))

    def test_trouble_is_one_line(self) -> None:
        self.world.write_fails_after = 100  # the asset is built, a scene is not saved
        err = io.StringIO()
        with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()), mock.patch.object(hou.hipFile, "save", side_effect=hou.OperationFailed("Unable to save: disk full")):
            self.assertEqual(examples.main([str(self.home / "hip")]), 1)
        self.assertEqual(err.getvalue(), "firn: Unable to save: disk full\n")

    def test_camera_looks_at_the_target(self) -> None:
        for recipe in recipes.RECIPES:
            pitch, yaw = (math.radians(angle) for angle in examples.look_at(recipe.eye, recipe.target))
            # A camera looks along -z; turned about x, then y.
            along = (-math.sin(yaw) * math.cos(pitch), math.sin(pitch), -math.cos(yaw) * math.cos(pitch))
            wanted = [t - e for t, e in zip(recipe.target, recipe.eye)]
            length = math.hypot(*wanted)
            for mine, component in zip(along, wanted):
                self.assertAlmostEqual(mine, component / length)


class Presets(HoudiniTest):
    def test_solver_gets_what_ice_needs_and_loses_it_again(self) -> None:
        solver = recipes.build(recipes.find("snowball"))
        presets.apply(solver, "ice")
        self.assertEqual(self.parm(solver, "preset").evalAsString(), "ice")
        self.assertEqual((self.parm(solver, "damping").eval(), self.parm(solver, "cfl_wave").eval()), (0, 0.5))
        presets.apply(solver, "wet")
        self.assertEqual((self.parm(solver, "damping").eval(), self.parm(solver, "cfl_wave").eval()), (2e-3, 0))

    def test_source(self) -> None:
        solver = recipes.build(recipes.find("snowball"))
        home = solver.parent()
        assert home is not None
        source = self.node(f"{home.path()}/ball_snow")
        presets.apply(source, "slush")
        self.assertEqual(self.parm(source, "preset").evalAsString(), "slush")

    def test_mistakes(self) -> None:
        cube = self.node("/obj").createNode("geo").createNode("box")
        with self.assertRaisesRegex(FirnError, "has no snow preset: select"):
            presets.apply(cube, "wet")
        with self.assertRaisesRegex(FirnError, "no snow preset 'sleet'; the presets are crust"):
            presets.apply(recipes.build(recipes.find("snowball")), "sleet")

    def test_shelf(self) -> None:
        solver = recipes.build(recipes.find("snowball"))
        with mock.patch.object(hou.ui, "selectFromList", lambda *a, **k: (2,)):
            presets.from_shelf([solver])
            self.assertEqual(self.parm(solver, "preset").evalAsString(), "wet")
            presets.from_shelf([])
        self.assertIn("nothing is selected", self.world.messages[0])
        with mock.patch.object(hou.ui, "selectFromList", lambda *a, **k: ()):
            presets.from_shelf([])  # cancelled
        self.assertEqual(len(self.world.messages), 1)


if __name__ == "__main__":
    unittest.main()
