"""What the tests of the export share: a fake Houdini, the real `firn`, and scenes that go from one to the other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hda"))

import houdini_session  # noqa: E402
import hou  # noqa: E402
from firn import export, recipes  # noqa: E402

FIRN = os.environ.get("FIRN", "firn")


class ExportTest(houdini_session.HoudiniTest):
    def firn(self, *arguments: str) -> str:
        done = subprocess.run([FIRN, *arguments], cwd=self.home, text=True, timeout=120, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, f"firn {arguments}\n{done.stdout}")
        return done.stdout

    def simulate(self, *options: str, scene: str = "shot/snow.toml", out: str = "out") -> dict[str, float]:
        """Runs the exported scene; returns what the log says of the last frame."""
        self.firn("sim", scene, "--out", out, "--set", "output.volumes=[]", "--quiet", *options)
        line = (self.home / out / "run.jsonl").read_text(encoding="utf-8").splitlines()[-1]
        values: dict[str, float] = {}
        for key in ("frame", "particles", "mass", "height_mean"):
            found = re.search(rf'"{key}":\s*([-0-9.e+]+)', line)
            assert found is not None, f"{key} is not in {line}"
            values[key] = float(found[1])
        return values

    def recipe(self, name: str, spacing: float) -> hou.SopNode:
        solver = recipes.build(recipes.replace_spacing(recipes.find(name), spacing))
        self.set(solver, ground_size=2.0)  # what `firn check` spends its time on
        return solver

    def export(self, solver: hou.OpNode, last: int = 6) -> tuple[str, list[str]]:
        path = self.home / "shot" / "snow.toml"
        warnings = export.write_scene(solver, path, range(1, last + 1))
        self.assertIn(": fine", self.firn("check", str(path)))
        return path.read_text(encoding="utf-8"), warnings

    def body(self, text: str, name: str) -> str:
        """The section of one body."""
        return text[text.index(f'name = "{name}"'):].split("\n[[")[0]

    def keys(self, text: str, name: str) -> list[tuple[int, list[float], list[float]]]:
        """Frame, position and rotation of a body's keyframes."""
        found = re.findall(r"frame = (\d+), position = \[([^\]]*)\], rotation = \[([^\]]*)\]", self.body(text, name))
        return [(int(frame), [float(x) for x in p.split(",")], [float(x) for x in r.split(",")]) for frame, p, r in found]

    def source(self) -> hou.SopNode:
        return self.sop("/obj/firn_snowball/ball_snow")

    def set(self, node: hou.OpNode, **values: float | int | str) -> None:
        for name, value in values.items():
            self.parm(node, name).set(value)
