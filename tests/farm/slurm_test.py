#!/usr/bin/env python3
"""The array jobs of farm/slurm on a real Slurm of three nodes on this host: 24 frames of volumes, a node killed half-way.
Skipped (77) with one line where Slurm is not installed or this is not root."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import farm_runs
import slurm_cluster
from farm_runs import files

SUBMIT = os.path.join(farm_runs.SOURCE, "farm", "slurm", "submit.sh")
SCENE = farm_runs.ball_scene(24, ["density", "surface"], ["powder", "ice"], 0.25)
FINE = ("--set", "output.voxel=0.005")  # a task must live long enough to be killed: half a second for each frame
FRAMES = [f"ball.{frame:04d}.vdb" for frame in range(1, 25)]


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="firn_slurm_")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        os.mkdir(os.path.join(cls.folder, "cluster"))
        os.chmod(cls.folder, 0o755)
        cls.scene = os.path.join(cls.folder, "ball.toml")
        with open(cls.scene, "w") as file:
            file.write(SCENE)
        cls.cluster = slurm_cluster.Cluster(os.path.join(cls.folder, "cluster"))
        cls.addClassCleanup(cls.cluster.stop)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def alone(self, name, *options):
        """What one machine makes, to compare with."""
        return farm_runs.volumes_alone(self.scene, self.path(name), *options)

    def submit(self, *arguments):
        out = self.cluster.run(SUBMIT, self.scene, *arguments, "--sim", "--cpus-per-task=1", "--volumes",
                               "--cpus-per-task=1")
        return out.splitlines()

    def logs(self, run):
        text = ""
        for name in sorted(os.listdir(self.path(run, "log"))):
            with open(self.path(run, "log", name)) as file:
                text += f"--- {name}\n{file.read()}"
        return text

    def wait_until_done(self, run, seconds=300):
        empty = 0

        def done():
            # Slurm holds what it puts back into the queue for two minutes; the test does not. While a job is on its way
            # back, the queue can look empty.
            nonlocal empty
            queue = self.cluster.queue()
            empty = 0 if queue else empty + 1
            for job, state, reason in queue:
                if state == "PENDING" and reason == "BeginTime":
                    self.cluster.run("scontrol", "update", f"JobId={job}", "StartTime=now")
            return empty == 10
        try:
            self.cluster.wait_for(done, seconds, "jobs did not end")
        except TimeoutError:
            self.fail(f"{self.cluster.queue()}\n{self.logs(run)}")

    def assert_whole(self, run, alone):
        """Every frame there once, and the same bytes as on one machine."""
        made = {name: data for name, data in files(self.path(run, "volumes")).items() if not name.endswith(".part")}
        self.assertEqual(sorted(made), FRAMES, self.logs(run) if os.path.exists(self.path(run, "log")) else "")
        for name in FRAMES:
            self.assertTrue(made[name] == alone[name], name)
        subprocess.run([farm_runs.FIRN, "info", *(self.path(run, "volumes", name) for name in FRAMES)], check=True,
                       timeout=120, stdout=subprocess.DEVNULL)

    def test_1_a_node_dies_half_way(self):
        jobs = self.submit(self.path("run"), "--chunk", "2", *FINE)
        self.assertEqual([line.split()[0] for line in jobs], ["simulation", "volumes"])
        volumes = self.path("run", "volumes")

        def half_way():
            made = os.listdir(volumes) if os.path.isdir(volumes) else []
            return len([name for name in made if name.endswith(".vdb")]) >= 8 and self.cluster.running_on("n2")
        self.cluster.wait_for(half_way, 240, "the volumes did not begin")
        lost = self.cluster.running_on("n2")
        self.cluster.kill_node("n2")
        made = [name for name in os.listdir(volumes) if name.endswith(".vdb")]
        self.assertLess(len(made), 24, "the node died too late to matter")
        # Its task comes back to the queue and to another node when Slurm has noticed.
        self.cluster.wait_for(lambda: "down" in " ".join(self.cluster.nodes()), 60, "the dead node was not noticed")
        self.wait_until_done("run")
        self.assert_whole("run", self.alone("alone", *FINE))
        logs = self.logs("run")
        self.assertRegex(logs, r"frame 24 \(")
        for job in lost:
            with open(self.path("run", "log", f"volumes.{job}.txt")) as file:
                text = file.read()
            # Slurm itself marks where it ran anew; both lives of the task write into one log.
            print(f"task {job} was on the node that died:\n{text}", file=sys.stderr)
        self.cluster.start_node("n2")
        self.cluster.wait_for(lambda: self.cluster.nodes().count("idle") == 3, 60, "the node did not come back")

    def test_2_a_simulation_is_requeued(self):
        larger = ("--set", "scene.resolution=2")  # it must live long enough to be stopped
        job = self.submit(self.path("again"), "--chunk", "24", *larger)[0].split()[1]
        log = self.path("again", "log", f"sim.{job}.txt")

        def begun():
            if not os.path.exists(log):
                return False
            with open(log) as file:
                return "frame 8/" in file.read()
        self.cluster.wait_for(begun, 120, "the simulation did not begin")
        # What Slurm sends before the time limit.
        self.cluster.run("scancel", "--batch", "--signal=USR1", job)
        self.cluster.wait_for(lambda: any(state == "PENDING" and one == job for one, state, _ in self.cluster.queue()), 60,
                              "the job was not put back into the queue")
        self.wait_until_done("again")
        self.assertIn("resuming after frame", self.logs("again"))
        self.assert_whole("again", self.alone("never_stopped", *larger))

    def test_3_wedges(self):
        jobs = self.submit(self.path("wedges"), "--wedges", "--chunk", "12")
        self.assertEqual(len(jobs), 3)
        self.wait_until_done("wedges")
        for number, preset in enumerate(("powder", "ice")):
            alone = self.alone(preset, "--set", f"material.preset={preset}")
            self.assert_whole(f"wedges/wedge_{number:04d}", alone)

    def test_4_mistakes_are_found_before_the_farm(self):
        for arguments, says in ((("nothing.toml", "x"), "nothing.toml"),
                                ((self.scene, self.path("x"), "--set", "material.E=stiff"), "stiff"),
                                ((self.scene, self.path("x"), "--chunk", "0"), "--chunk")):
            done = subprocess.run([SUBMIT, *arguments], env=self.cluster.environment, text=True, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stderr)
        self.assertEqual(self.cluster.queue(), [])


if __name__ == "__main__":
    reason = slurm_cluster.missing()
    if reason:
        print(f"slurm: skipped, {reason}")
        sys.exit(77)
    unittest.main(verbosity=2)
