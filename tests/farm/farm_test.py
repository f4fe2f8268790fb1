#!/usr/bin/env python3
"""`hython -m firn.farm` and the work items for PDG, in a fake Houdini."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
import threading
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hda"))

import houdini_session  # noqa: E402
import hou  # noqa: E402
from firn import farm, frame_range, new_file, recipes, tops  # noqa: E402
from firn.error import FirnError  # noqa: E402

SOLVER = "/obj/firn_snowball/snow_solver"


class FarmTest(houdini_session.HoudiniTest):
    def setUp(self) -> None:
        super().setUp()
        recipes.build(recipes.replace_spacing(recipes.find("snowball"), 0.05))
        hou.playbar.setFrameRange(1, 8)
        self.hip = str(self.home / "shot.hip")
        hou.hipFile.save(self.hip)

    def farm(self, *arguments: str, code: int = 0) -> str:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                result = farm.main(arguments)
            except SystemExit as usage:
                result = int(usage.code or 0)
        self.assertEqual(result, code, said.getvalue())
        return said.getvalue()

    def sim(self, out: str, *more: str, code: int = 0) -> str:
        return self.farm("sim", self.hip, SOLVER, "--out", str(self.home / out), *more, code=code)

    def volumes(self, out: str, *more: str, code: int = 0) -> str:
        return self.farm("volumes", self.hip, SOLVER, "--out", str(self.home / out), *more, code=code)

    def files(self, *names: str) -> dict[str, bytes]:
        folder = self.home.joinpath(*names)
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


class Simulation(FarmTest):
    def test_frames_are_those_of_the_asset(self) -> None:
        self.sim("run")
        made = self.files("run", "particles")
        self.assertEqual(list(made), [f"snow_solver.{frame:04d}.bgeo.sc" for frame in range(1, 9)])
        solver = self.sop(SOLVER)
        for frame, name in enumerate(made, 1):
            stored = json.loads(made[name])["attributes"]["P"]
            # Two networks, one physics: the asset's own feedback, and the farm's from file to file.
            self.assertEqual(tuple(stored), self.positions(solver, frame), f"frame {frame}")

    def test_it_goes_on_where_it_was(self) -> None:
        self.sim("whole")
        self.sim("cut", "--frames", "1-4")
        last = self.home / "cut/particles/snow_solver.0003.bgeo.sc"
        before = last.stat().st_mtime_ns
        said = self.sim("cut")
        self.assertEqual(said.count("is there"), 4)
        self.assertEqual(last.stat().st_mtime_ns, before)
        self.assertEqual(self.files("whole", "particles"), self.files("cut", "particles"))
        # A frame that was lost is made again from the one before.
        os.remove(last)
        self.sim("cut")
        self.assertEqual(self.files("whole", "particles"), self.files("cut", "particles"))

    def test_a_full_disk_leaves_no_half_frame(self) -> None:
        self.sim("whole")
        for writes in range(3):
            self.world.write_fails_after = writes
            self.assertIn("no space left", self.sim("full", code=1))
        self.world.write_fails_after = -1
        self.assertEqual([name for name in self.files("full", "particles") if ".part" in name], [])
        self.sim("full")
        self.assertEqual(self.files("whole", "particles"), self.files("full", "particles"))

    def test_wedges(self) -> None:
        wedges = self.home / "wedges.json"
        wedges.write_text(json.dumps([{"gravityy": -1.6}, {"gravityy": -3.7, "timescale": 0.5}]))
        for number in (0, 1):
            self.sim("wedged", "--wedges", str(wedges), "--wedge", str(number))
        self.sim("by_hand", "--set", "gravityy=-3.7", "--set", f"{SOLVER}/timescale=0.5")
        self.assertEqual(self.files("wedged", "wedge_0001", "particles"), self.files("by_hand", "particles"))
        self.assertNotEqual(self.files("wedged", "wedge_0000", "particles"), self.files("by_hand", "particles"))
        self.assertIn("0 to 1", self.sim("wedged", "--wedges", str(wedges), "--wedge", "2", code=1))

    def test_mistakes(self) -> None:
        self.assertIn("belong together", self.sim("x", "--wedge", "1", code=1))
        self.assertIn("no such parameter", self.sim("x", "--set", "stiffness=1", code=1))
        self.assertIn("NAME=VALUE", self.sim("x", "--set", "stiffness", code=1))
        self.assertIn("write it as", self.sim("x", "--frames", "8-1", code=1))
        self.assertIn("no node", self.farm("sim", self.hip, "/obj/nothing", "--out", "x", code=1))
        self.assertIn("give a firn::snow_solver", self.farm("sim", self.hip, "/obj/firn_snowball/all_snow", "--out", "x", code=1))
        self.assertIn("nothing.hip", self.farm("sim", "nothing.hip", SOLVER, "--out", "x", code=1))
        self.farm("dance", code=2)
        self.farm("sim", self.hip, code=2)


class Volumes(FarmTest):
    def test_any_frames_in_any_order(self) -> None:
        self.sim("run")
        self.volumes("run", "--frames", "1-8", "--chunk", "3", "--task", "2")
        self.assertEqual(list(self.files("run", "volumes")), ["snow_solver.0007.vdb", "snow_solver.0008.vdb"])
        self.volumes("run", "--frames", "1-6")
        said = self.volumes("run")
        self.assertEqual(said.count("is there"), 8)
        self.assertIn("0 to 2", self.volumes("run", "--chunk", "3", "--task", "3", code=1))

    def test_they_wait_for_the_simulation(self) -> None:
        self.sim("run", "--frames", "1-3")
        self.assertIn("no particles of frame 4, 5", self.volumes("run", "--frames", "2-5", code=1))
        self.assertEqual(list(self.files("run", "volumes")), ["snow_solver.0002.vdb", "snow_solver.0003.vdb"])

    def test_export(self) -> None:
        scene = self.home / "farm" / "snow.toml"
        self.farm("export", self.hip, SOLVER, str(scene), "--frames", "1-5", "--set", "gravityy=-1")
        text = scene.read_text(encoding="utf-8")
        self.assertIn("end = 5", text)
        self.assertIn("gravity = [0.0, -1.0, 0.0]", text)


class TwiceAtOnce(unittest.TestCase):
    def test_a_file_is_always_whole(self) -> None:
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "snow.0001.bgeo.sc"
            half_way = threading.Barrier(2)

            def write(letter: str) -> None:
                with new_file.new_file(path) as temporary:
                    self.assertTrue(temporary.name.endswith(".part.bgeo.sc"), temporary.name)
                    with open(temporary, "w") as file:
                        file.write(letter * 1000)
                        file.flush()
                        half_way.wait(10)  # both have begun
                        file.write(letter * 1000)
            threads = [threading.Thread(target=write, args=(letter,)) for letter in "ab"]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertIn(path.read_text(), ("a" * 2000, "b" * 2000))
            self.assertEqual(os.listdir(folder), [path.name])
            with self.assertRaises(RuntimeError):
                with new_file.new_file(path) as temporary:
                    temporary.write_text("half")
                    raise RuntimeError("killed")
            self.assertIn(path.read_text(), ("a" * 2000, "b" * 2000))
            self.assertEqual(os.listdir(folder), [path.name])


class Frames(unittest.TestCase):
    def test_ranges(self) -> None:
        self.assertEqual(list(frame_range.parse("3-7:2")), [3, 5, 7])
        self.assertEqual(list(frame_range.parse("12")), [12])
        self.assertEqual(list(frame_range.parse("-2--1")), [-2, -1])
        self.assertEqual(frame_range.text(frame_range.parse("1-48")), "1-48")
        for wrong in ("", "1-", "a-b", "1-4:0", "5-4"):
            with self.assertRaises(FirnError):
                frame_range.parse(wrong)
        # Every frame in just one chunk.
        frames = frame_range.parse("1-23")
        chunks = [list(frame_range.chunk(frames, 5, task)) for task in range(frame_range.chunk_count(frames, 5))]
        self.assertEqual(sum(chunks, []), list(frames))


class Item:
    def __init__(self, index: int, parent: Item | None) -> None:
        self.index, self.parent, self.command = index, parent, ""

    def setCommand(self, command_string: str) -> None:
        self.command = command_string


class Holder:
    """pdg.WorkItemHolder, of which only addWorkItem is used: sidefx.com/docs/houdini/tops/pdg/WorkItemHolder.html"""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def addWorkItem(self, **options: Any) -> Item:
        self.items.append(Item(options["index"], options.get("parent")))
        return self.items[-1]


class WorkItems(FarmTest):
    def test_a_graph(self) -> None:
        wedges = self.home / "wedges.json"
        wedges.write_text(json.dumps([{"gravityy": -1.6}, {"gravityy": -3.7}]))
        job = tops.Job(SOLVER, "$HIP/farm out", wedges="$HIP/wedges.json")
        simulations, volumes = Holder(), Holder()
        tops.add_simulations(simulations, job)
        tops.add_volumes(volumes, simulations.items, job, 3)
        self.assertEqual(len(simulations.items), 2)
        self.assertEqual(len(volumes.items), 6)
        self.assertEqual(sorted({item.index for item in volumes.items}), list(range(6)))
        for item in volumes.items:
            self.assertIs(item.parent, simulations.items[item.index // 3])
        # What the items say runs, in the order of their dependencies.
        for item in simulations.items + volumes.items:
            words = shlex.split(item.command)
            self.assertEqual(words[:3], ["hython", "-m", "firn.farm"])
            self.farm(*words[3:])
        for number in (0, 1):
            self.assertEqual(len(self.files("farm out", f"wedge_{number:04d}", "volumes")), 8)

    def test_one_simulation_without_wedges(self) -> None:
        holder = Holder()
        tops.add_simulations(holder, tops.Job(SOLVER, "$HIP/out", frames="1-4"))
        self.assertEqual(len(holder.items), 1)
        self.assertIn("--frames 1-4", holder.items[0].command)


if __name__ == "__main__":
    unittest.main(verbosity=2)
