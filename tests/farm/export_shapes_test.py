#!/usr/bin/env python3
"""Packed geometry, VDBs and what is mixed, as sources and colliders of exported scenes; the real `firn` reads them."""

from __future__ import annotations

import math
import unittest
from pathlib import Path
from typing import Callable

from export_session import ExportTest  # first: it finds the fake hou

import hou
from firn import surfaces
from firn.error import FirnError
from firn.network import add
from hou import matrices

BALL = """
[scene]
name = "ball"
spacing = 0.05
[time]
end = 1
[output]
volumes = ["surface", "vel"]
[[snow]]
shape = "sphere"
radius = 0.2
position = [0, 0.3, 0]
"""


def box(size: float) -> hou.Geometry:
    made = hou.Geometry()
    for corners in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)):
        made.add_polygon(corners)
    for corner in range(8):
        made.attributes["P"] += [size * ((corner >> bit & 1) - 0.5) for bit in (2, 1, 0)]
    return made


class ShapesTest(ExportTest):
    def setUp(self) -> None:
        super().setUp()
        self.solver = self.recipe("snowball", 0.05)
        self.network = self.node("/obj/firn_snowball")
        self.set(self.solver, ground=0)

    def shape(self, name: str, cook: Callable[[], hou.Geometry]) -> hou.SopNode:
        """A node that makes what a test says, at each frame."""
        sops = self.world.categories["Sop"]
        sops.add_type(hou.OpNodeType(sops, name, hou.ParmTemplateGroup(), cook=lambda node, output: cook()))
        return add(self.network, name, name)

    def collider(self, cook: Callable[[], hou.Geometry], **values: float | int | str) -> hou.SopNode:
        made = add(self.network, "firn::snow_collider", "hit", (self.shape("thing", cook),))
        self.set(made, spacing=0.05, **values)
        self.solver.setInput(1, made)
        return made

    def fill(self, cook: Callable[[], hou.Geometry], **values: float | int | str) -> None:
        source = self.source()
        source.setInput(0, self.shape("thing", cook))
        self.set(source, velocityx=0.0, velocityy=0.0, **values)

    def bounds(self, file: str) -> tuple[list[float], list[float]]:
        lines = (self.home / "shot/snow_geo" / file).read_text(encoding="utf-8").splitlines()
        points = [[float(word) for word in line.split()[1:]] for line in lines if line.startswith("v ")]
        return [min(p[axis] for p in points) for axis in range(3)], [max(p[axis] for p in points) for axis in range(3)]

    def assert_bounds(self, file: str, low: list[float], high: list[float]) -> None:
        for found, wanted in zip(self.bounds(file), (low, high)):
            self.assertLess(math.dist(found, wanted), 1e-6, file)

    def vdb(self) -> Path:
        """Real grids of the real program: a level set, and velocities beside it."""
        scene = self.home / "ball.toml"
        scene.write_text(BALL, encoding="utf-8")
        self.firn("sim", str(scene), "--out", "ball", "--quiet")
        return self.home / "ball" / "volumes" / "ball.0001.vdb"

    def grids(self, file: Path, *names: str) -> hou.Geometry:
        made = hou.Geometry()
        for name in names:
            data = hou.vdbData.Vector3 if name == "vel" else hou.vdbData.Float
            made.add_on_a_point(hou.VDB(name, file, data))
        return made


class PackedColliders(ShapesTest):
    def two_boxes(self, *names: str) -> hou.Geometry:
        """One slides along x, the other turns about y, and both are twice as large as what they hold."""
        made = hou.Geometry()
        frame = hou.frame()
        places = (
            matrices.placement((0.1 * frame, 0.5, 0), (0, 0, 0), (2, 2, 2)),
            matrices.placement((0, 0.5, 2), (0, 15 * frame, 0), (2, 2, 2)),
        )
        for place, name in zip(places, names):
            made.add_on_a_point(hou.PackedGeometry(box(0.1), name, place))
        return made

    def test_each_is_a_body_where_it_stands(self) -> None:
        self.collider(lambda: self.two_boxes("left", "right"))
        text, warnings = self.export(self.solver, last=3)
        self.assertEqual(warnings, [])
        self.assert_bounds("hit_left.obj", [0.0, 0.4, -0.1], [0.2, 0.6, 0.1])
        self.assertIn('name = "hit_right"', text)
        for name in ("hit_left", "hit_right"):
            said = self.firn("info", str(self.home / f"shot/snow_geo/{name}.obj"))
            self.assertIn("closed       yes", said)
            self.assertNotIn("inside out", said)

    def test_each_moves_on_its_own(self) -> None:
        self.collider(lambda: self.two_boxes("left", "right"), motion="rigid")
        text, warnings = self.export(self.solver, last=3)
        # As one body they would not move as a whole.
        self.assertEqual(warnings, [])
        left, right = self.keys(text, "hit_left"), self.keys(text, "hit_right")
        self.assertEqual([key[0] for key in left], [1, 2, 3])
        for (frame, slid, still), (_, stays, turned) in zip(left, right):
            self.assertLess(math.dist(slid, (0.1 * frame, 0.5, 0)), 1e-6)
            self.assertLess(math.dist(still, (0, 0, 0)), 1e-6)
            self.assertLess(math.dist(stays, (0, 0.5, 2)), 1e-6)
            # Turned since the first frame, where the mesh is from.
            self.assertLess(math.dist(turned, (0, 15 * (frame - 1), 0)), 1e-6)

    def test_names_that_are_missing_or_the_same(self) -> None:
        self.collider(lambda: self.two_boxes("", ""))
        self.assertIn('name = "hit_packed0"', self.export(self.solver, last=2)[0])
        self.collider(lambda: self.two_boxes("same", "same"))
        text = self.export(self.solver, last=2)[0]
        for ending in ("_same", "_same_2"):
            self.assertRegex(text, f'name = "hit\\d*{ending}"')

    def test_beside_polygons_that_have_names(self) -> None:
        def mixed() -> hou.Geometry:
            made = box(0.2)
            made.name_polygons(["floor"] * 6)
            made.merge(self.two_boxes("left"))
            return made
        self.collider(mixed, pieces="attribute")
        text, warnings = self.export(self.solver, last=2)
        self.assertEqual(warnings, [])
        for name in ("hit_floor", "hit_left"):
            self.assertIn(f'name = "{name}"', text)
        self.assert_bounds("hit_floor.obj", [-0.1] * 3, [0.1] * 3)

    def test_an_attribute_that_is_not_there(self) -> None:
        self.collider(lambda: box(0.2), pieces="attribute", piece_attribute="part")
        with self.assertRaisesRegex(FirnError, "thing.*no primitive attribute 'part'"):
            self.export(self.solver)

    def test_a_curve_is_no_surface(self) -> None:
        def with_a_curve() -> hou.Geometry:
            made = box(0.2)
            made.add_polygon((0, 1, 2))
            curve = made.prims()[6]
            assert isinstance(curve, hou.Polygon)
            curve.setIsClosed(False)
            return made
        self.collider(with_a_curve)
        with self.assertRaisesRegex(FirnError, "thing: primitive 6 is a curve"):
            self.export(self.solver)


class PackedSnow(ShapesTest):
    def test_it_is_filled_where_it_stands(self) -> None:
        def packed() -> hou.Geometry:
            made = hou.Geometry()
            made.add_on_a_point(hou.PackedGeometry(box(0.2), "", matrices.placement((0, 1, 0), (0, 0, 45), (2, 1, 1))))
            return made
        self.fill(packed)
        text, warnings = self.export(self.solver, last=2)
        self.assertEqual(warnings, [])
        self.assertIn('shape = "mesh"', text)
        reach = 0.3 * math.sqrt(0.5)
        self.assert_bounds("ball_snow.obj", [-reach, 1 - reach, -0.1], [reach, 1 + reach, 0.1])
        # 0.4 x 0.2 x 0.2 m of powder, 200 kg/m^3; a turned lattice has steps at the rim.
        self.assertAlmostEqual(self.simulate()["mass"], 3.2, delta=0.8)

    def test_attributes_inside_make_particles(self) -> None:
        def packed() -> hou.Geometry:
            inner = box(0.2)
            inner.attributes["E"] = [1e5] * 8
            made = hou.Geometry()
            made.add_on_a_point(hou.PackedGeometry(inner))
            return made
        self.fill(packed)
        self.assertIn('shape = "particles"', self.export(self.solver, last=2)[0])

    def test_the_chain_of_nodes(self) -> None:
        # With the fake's own Pack and Transform nodes.
        block = add(self.network, "box", "block")
        self.set(block, sizex=0.3, sizey=0.2, sizez=0.1)
        packed = add(self.network, "pack", "packed", (block,))
        moved = add(self.network, "xform", "moved", (packed,))
        self.set(moved, ty=0.5)
        self.source().setInput(0, moved)
        self.export(self.solver, last=2)
        self.assert_bounds("ball_snow.obj", [-0.15, 0.4, -0.05], [0.15, 0.6, 0.05])


class Grids(ShapesTest):
    def test_a_level_set_is_filled(self) -> None:
        file = self.vdb()
        self.fill(lambda: self.grids(file, "surface"))
        text, warnings = self.export(self.solver, last=2)
        self.assertEqual(warnings, [])
        self.assertIn('shape = "vdb"\nfile = "snow_geo/ball_snow.vdb"', text)
        self.assertEqual((self.home / "shot/snow_geo/ball_snow.vdb").read_bytes(), file.read_bytes())
        ball = 4 / 3 * math.pi * 0.2**3 * 200
        # The level set is of particles, which reach half a spacing further.
        self.assertAlmostEqual(self.simulate()["mass"] / ball, 1.2, delta=0.35)

    def test_the_grid_that_is_a_shape_is_named(self) -> None:
        file = self.vdb()
        self.fill(lambda: self.grids(file, "vel", "surface"))
        self.assertIn('grid = "surface"', self.export(self.solver, last=2)[0])

    def test_several_shapes_become_particles(self) -> None:
        file = self.vdb()
        self.fill(lambda: self.grids(file, "surface", "other"))
        self.assertIn('shape = "particles"', self.export(self.solver, last=2)[0])
        self.set(self.source(), emission="continuous")
        with self.assertRaisesRegex(FirnError, "continuous source"):
            self.export(self.solver)

    def test_a_collider(self) -> None:
        file = self.vdb()
        collider = self.collider(lambda: self.grids(file, "surface", "vel"), friction=0.25)
        text, warnings = self.export(self.solver, last=3)
        self.assertEqual(warnings, [])
        body = text.split("[[collider]]")[1]
        for line in ('name = "hit"', 'shape = "vdb"', 'grid = "surface"', "friction = 0.25"):
            self.assertIn(line, body)
        self.assertEqual(self.simulate()["frame"], 3)
        self.set(collider, motion="rigid")
        with self.assertRaisesRegex(FirnError, "hit: a VDB that moves.*convert it to polygons"):
            self.export(self.solver)

    def test_a_packed_collider(self) -> None:
        file = self.vdb()

        def packed() -> hou.Geometry:
            made = hou.Geometry()
            made.add_on_a_point(hou.PackedGeometry(self.grids(file, "surface")))
            return made
        self.collider(packed)
        self.assertIn('shape = "vdb"', self.export(self.solver, last=2)[0].split("[[collider]]")[1])

    def test_a_collider_of_grids_and_polygons(self) -> None:
        file = self.vdb()

        def mixed() -> hou.Geometry:
            made = self.grids(file, "surface")
            made.merge(box(0.2))
            return made
        self.collider(mixed)
        text, warnings = self.export(self.solver, last=2)
        self.assertEqual(warnings, [])
        self.assertEqual(text.count("[[collider]]"), 2)
        self.assertIn('shape = "vdb"', text)
        # The grid's own point is no point of the mesh.
        self.assertIn("over 8 points", self.firn("info", str(self.home / "shot/snow_geo/hit_2.obj")))

    def test_names_of_grids(self) -> None:
        self.assertEqual(surfaces.scalar_grids(self.grids(Path("x.vdb"), "surface", "vel", "fog")), ["surface", "fog"])
        self.collider(lambda: self.grids(Path("x.vdb"), "surface", "surface"))
        with self.assertRaisesRegex(FirnError, "several VDBs of one name"):
            self.export(self.solver)


if __name__ == "__main__":
    unittest.main(verbosity=2)
