"""Firn Snow Look: the layer of materials, and the LOPs that put them on a stage."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from houdini_session import FOLDER, HoudiniTest

import hou
from firn import look_materials, snow_look
from firn.error import FirnError


class Layer(unittest.TestCase):
    def setUp(self) -> None:
        self.text = (FOLDER / "usd" / "firn_snow_look.usda").read_text(encoding="utf-8")

    def test_is_what_the_sources_make(self) -> None:
        self.assertEqual(self.text, look_materials.layer())

    def test_has_the_five_looks(self) -> None:
        found = re.findall(r'def Material "snow_(\w+)"', self.text)
        self.assertEqual(found, ["fresh", "packed", "wet", "icy", "dirty"])

    def test_every_connection_leads_to_a_shader_of_the_same_type(self) -> None:
        """By a reading of its own: which outputs are there, and what type each input and output has."""
        outputs: dict[str, str] = {}
        wanted: list[tuple[str, str]] = []
        material = shader = ""
        for line in self.text.splitlines():
            if found := re.match(r'    def Material "(\w+)"', line):
                material = found[1]
            elif found := re.match(r'        def Shader "(\w+)"', line):
                shader = found[1]
            elif found := re.match(r"            (\w+) outputs:(\w+)$", line):
                outputs[f"/firn_snow_look/{material}/{shader}.outputs:{found[2]}"] = found[1]
            elif found := re.match(r"\s+(\w+) (?:inputs|outputs):[\w:]+\.connect = <(.+)>", line):
                wanted.append((found[1], found[2]))
        self.assertGreater(len(wanted), 100)
        for kind, path in wanted:
            self.assertIn(path, outputs)
            self.assertEqual(kind, outputs[path], path)

    def test_reads_the_attributes_of_the_snow(self) -> None:
        for name in ("compaction", "wetness", "age"):
            self.assertIn(f'string inputs:geomprop = "{name}"', self.text)

    def test_colours_are_reflectances_and_pressed_snow_is_darker(self) -> None:
        for look in look_materials.LOOKS:
            for fresh, pressed in zip(look.colour, look.pressed_colour):
                self.assertTrue(0 < pressed < fresh < 1, look.name)
            self.assertLess(look.pressed_roughness, look.roughness)

    def test_is_written_without_houdini(self) -> None:
        script = FOLDER / "scripts" / "python" / "firn" / "look_materials.py"
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "new" / "look.usda"
            subprocess.run([sys.executable, "-S", "-B", str(script), str(target)], check=True, env={})
            self.assertEqual(target.read_text(encoding="utf-8"), self.text)


class Nodes(HoudiniTest):
    def test_one_call_puts_a_look_on_the_snow(self) -> None:
        last = snow_look.build("wet")
        self.assertEqual(last.type().name(), "assignmaterial")
        self.assertEqual(self.parm(last, "matspecpath1").eval(), "/firn_snow_look/snow_wet")
        self.assertEqual(self.parm(last, "primpattern1").eval(), snow_look.SNOW)
        bring = last.inputs()[0]
        assert bring is not None
        self.assertTrue(Path(self.parm(bring, "filepath1").eval()).is_file())

    def test_behind_a_node(self) -> None:
        first = snow_look.build("fresh")
        second = snow_look.build("icy", "/geo/roof", first)
        bring = second.inputs()[0]
        assert bring is not None
        self.assertEqual(bring.inputs()[0], first)
        self.assertEqual(self.parm(second, "primpattern1").eval(), "/geo/roof")

    def test_unknown_look(self) -> None:
        with self.assertRaisesRegex(FirnError, "no snow look 'slushy'; there are fresh, packed, wet, icy, dirty"):
            snow_look.build("slushy")

    def test_without_the_built_folder(self) -> None:
        with mock.patch.object(Path, "is_file", return_value=False):
            with self.assertRaisesRegex(FirnError, "firn_snow_look.usda is not there"):
                snow_look.build("wet")

    def test_the_shelf_asks_and_says_what_is_wrong(self) -> None:
        with mock.patch.object(hou.ui, "selectFromList", return_value=(3,)):
            snow_look.from_shelf(())
        stage = hou.node("/stage")
        assert stage is not None
        self.assertEqual(sorted(node.name() for node in stage.children()), ["assign_icy", "snow_look_icy"])


if __name__ == "__main__":
    unittest.main()
