#!/usr/bin/env python3
"""Every example at half its resolution, against statistics kept in tests/data/examples.json.

    examples_test.py            compares
    examples_test.py --write [NAME...]    runs each (or those) five times and keeps what they gave: look at the pictures first

Lanes of 8, 4 and 1 round differently, and snow that breaks is chaotic: how far runs with other rounding, or with a hair
longer or shorter steps, lie apart says how much of a statistic is chance. A run may lie twice that far from the first, and
1 % of the statistic's scale more.
"""

import json
import os
import subprocess
import sys
import tempfile

import firn_runs

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
GOLDEN = os.path.join(HERE, "..", "data", "examples.json")

# Frames that show what the scene is about, not more.
FRAMES = {
    "boot_print": 30, "colliding_snowballs": 24, "compression": 60, "crack": 12, "edge": 20, "plough": 32, "roof_slide": 40, "saw_test": 20,
    "sledge": 30, "snow_angel": 32, "snowball_drop": 36, "snowball_wall": 16, "snowballs_on_inclines": 48, "snowfall": 60, "tyre": 36,
    "wall_smash": 24, "wall_smash_sticky": 24, "weak_layer": 48,
}
# The same scene, but for rounding.
VARIANTS = (["--device", "cpu:8"], ["--device", "cpu:4"], ["--device", "cpu:1"], ["--set", "cfl=0.1999"], ["--set", "cfl=0.2002"])
STATISTICS = ("height_mean", "height_high", "height_low", "potential_energy", "kinetic_energy")


def run(name, folder, *options):
    """The log's lines of a small run."""
    scene = os.path.join(EXAMPLES, name + ".toml")
    out = os.path.join(folder, name)
    subprocess.run([firn_runs.FIRN, "sim", scene, "--out", out, "--force", "--frames", f"1-{FRAMES[name]}", "--set",
                    "scene.resolution=0.5", "--set", "output.volumes=[]", *options],
                   check=True, timeout=600, stdout=subprocess.DEVNULL)
    with open(os.path.join(out, "run.jsonl")) as log:
        return [json.loads(line) for line in log][1:]


def write(names):
    with open(GOLDEN) as file:
        golden = json.load(file)
    for name in names or sorted(FRAMES):
        with tempfile.TemporaryDirectory() as folder:
            lasts = [run(name, folder, *variant)[-1] for variant in VARIANTS]
        first = lasts[0]
        golden[name] = {"particles": first["particles"], "mass": round(first["mass"], 4)}
        for key in STATISTICS:
            apart = max(abs(last[key] - first[key]) for last in lasts)
            # Energies are told in shares of all there is; heights of how high the snow is.
            scale = first["potential_energy"] + first["kinetic_energy"] if key.endswith("energy") else first["height_high"]
            golden[name][key] = {"value": round(first[key], 5), "within": round(2 * apart + 0.01 * abs(scale), 5)}
        print(name, golden[name])
    with open(GOLDEN, "w") as file:
        json.dump(dict(sorted(golden.items())), file, indent=1)
        file.write("\n")


class Examples(firn_runs.Runs):
    def test_every_example_is_kept(self):
        scenes = {name[:-5] for name in os.listdir(EXAMPLES) if name.endswith(".toml")}
        with open(GOLDEN) as file:
            self.assertEqual(scenes, set(json.load(file)))

    def check(self, name):
        with open(GOLDEN) as file:
            golden = json.load(file)[name]
        lines = run(name, self.folder)
        last = lines[-1]
        self.assertEqual(len(lines), FRAMES[name])
        self.assertEqual(last["particles"], golden["particles"])
        # What was there at first is there at the end; what a source adds, adds mass.
        self.assertAlmostEqual(last["mass"], golden["mass"], delta=1e-4 * golden["mass"])
        for key in STATISTICS:
            self.assertAlmostEqual(last[key], golden[key]["value"], delta=golden[key]["within"], msg=f"{name}: {key}")
        self.assertEqual(sum(len(line["warnings"]) for line in lines), 0, [line["warnings"] for line in lines])


for scene_name in FRAMES:
    setattr(Examples, "test_" + scene_name, lambda self, name=scene_name: self.check(name))

if __name__ == "__main__":
    if "--write" in sys.argv:
        write(sys.argv[sys.argv.index("--write") + 1:])
    else:
        firn_runs.main()
