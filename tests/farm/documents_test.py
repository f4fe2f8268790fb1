#!/usr/bin/env python3
"""docs/mpm.md and docs/td.md speak of parameters, options and files that exist."""

import json
import os
import re
import subprocess
import unittest

SOURCE = os.environ["FIRN_SOURCE"]
FIRN = os.environ["FIRN"]
PACKAGE = os.path.join(os.environ["FIRN_HOUDINI_FOLDER"], "scripts", "python", "firn")


def read(*names):
    with open(os.path.join(SOURCE, *names), encoding="utf-8") as file:
        return file.read()


class Documents(unittest.TestCase):
    def test_parameters_of_the_mpm_table(self):
        with open(os.path.join(PACKAGE, "node_tables.json"), encoding="utf-8") as file:
            nodes = json.load(file)["nodes"]
        known = {row["token"] for node in nodes for row in node["parameters"]}
        known |= {node["name"] for node in nodes}
        known |= {"firn::snow_solver"} | set(re.findall(r'Parameter\(\s*"(\w+)"', read(
            "hda", "houdini", "scripts", "python", "firn", "snow_solver.py")))
        known |= {"ground_friction", "ground_sticky"}  # made from the collider's rows
        particles = set(re.findall(r'\("(\w+)", "[^"]*", ArrayRole', read("solver", "particle_arrays.cpp")))
        grids = {"density_masked", "vel", "wind", "force", "E", "firn sim", "id", "pscale", "age"}
        cells = [row.split("|")[2] for row in read("docs", "mpm.md").splitlines() if row.startswith("|")]
        words = {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}
        self.assertGreater(len(words), 50)
        self.assertEqual({word for word in words if word not in known | particles | grids}, set())

    def test_options_of_the_guide(self):
        helped = ""
        for command in ("sim", "check", "volumes", "wedges", "preview", "report", "info"):
            helped += subprocess.run([FIRN, command, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout
        helped += read("farm", "slurm", "submit.sh") + read("farm", "slurm", "sim.sbatch")
        helped += read("hda", "houdini", "scripts", "python", "firn", "farm.py")
        foreign = {"--preset", "--build", "--install", "--prefix", "--step", "--run-dependencies", "--partition", "--mem",
                   "--cpus-per-task"}
        guide = read("docs", "td.md")
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", guide))
        self.assertGreater(len(options), 15)
        self.assertEqual({option for option in options - foreign if option not in helped}, set())
        for name in re.findall(r"share/firn/farm/([\w./]+\.\w+)", guide):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, "farm", name)), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
