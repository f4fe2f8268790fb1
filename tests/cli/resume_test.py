#!/usr/bin/env python3
"""A run that was killed or interrupted at any moment resumes bit-exactly."""

import os
import random
import signal
import time

import firn_runs


class Resume(firn_runs.Runs):
    def setUp(self):
        super().setUp()
        self.scene = self.write("fall.toml", firn_runs.FALL)
        began = time.monotonic()
        self.firn("sim", self.scene, "--out", "whole")
        self.seconds = time.monotonic() - began

    def test_killed_at_random_moments(self):
        chance = random.Random(20200714)
        kills = 0
        for attempt in range(6):
            run = self.start("sim", self.scene, "--out", "killed", "--resume", "--quiet")
            time.sleep(chance.uniform(0.05, 0.8) * self.seconds)
            if run.poll() is None:
                run.send_signal(signal.SIGKILL)
                kills += 1
            run.wait()
            run.stderr.close()
        self.assertGreater(kills, 0, "no run lived long enough to be killed")
        self.firn("sim", self.scene, "--out", "killed", "--resume")
        self.assert_same_particles("whole", "killed")
        self.assertEqual(self.leftovers("killed"), [])
        # The log has each frame, whatever the kills tore.
        self.assertLessEqual(set(range(1, 11)), set(self.log("killed")))

    def test_ctrl_c_saves_and_prints_how_to_continue(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(signal=number):
                name = f"stopped{code}"
                run = self.start("sim", self.scene, "--out", name)
                for line in run.stderr:
                    if line.startswith("frame 5/"):
                        break
                run.send_signal(number)
                rest = run.stderr.read()
                run.wait()
                run.stderr.close()
                self.assertEqual(run.returncode, code, rest)
                self.assertIn("--resume", rest)
                self.assertIn(f"--out {name}", rest)
                self.assertLess(len(self.particles(name)), 10, "it was not stopped at all")
                out, _ = self.firn("info", name)
                self.assertIn("checkpoints", out)
                self.firn("sim", self.scene, "--out", name, "--resume")
                self.assert_same_particles("whole", name)

    def test_a_terminal_or_a_reader_that_is_gone_saves(self):
        # The shell and the system both send SIGHUP; each line that nobody reads is another SIGPIPE.
        for number, code in ((signal.SIGHUP, 129), (signal.SIGPIPE, 141)):
            with self.subTest(signal=number):
                name = f"gone{code}"
                run = self.start("sim", self.scene, "--out", name)
                for line in run.stderr:
                    if line.startswith("frame 5/"):
                        break
                if number == signal.SIGPIPE:
                    run.stderr.close()
                else:
                    run.send_signal(number)
                    run.send_signal(number)
                    self.assertIn("--resume", run.stderr.read())
                    run.stderr.close()
                self.assertEqual(run.wait(), code)
                self.assertLess(len(self.particles(name)), 10, "it was not stopped at all")
                self.assertEqual(self.leftovers(name), [])
                _, said = self.firn("sim", self.scene, "--out", name, "--resume")
                self.assertRegex(said, "resuming after frame [5-9]")
                self.assert_same_particles("whole", name)

    def test_under_nohup_a_run_goes_on(self):
        run = self.start("sim", self.scene, "--out", "nohup",
                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        for line in run.stderr:
            if line.startswith("frame 3/"):
                break
        run.send_signal(signal.SIGHUP)
        run.stderr.read()
        run.stderr.close()
        self.assertEqual(run.wait(), 0)
        self.assert_same_particles("whole", "nohup")

    def test_the_log_of_an_interrupted_frame_covers_all_of_it(self):
        steps = ("--set", "substeps=40")
        self.firn("sim", self.scene, "--out", "steps", "--frames", "1-6", *steps)
        run = self.start("sim", self.scene, "--out", "parts", "--frames", "1-6", *steps)
        for line in run.stderr:
            if line.startswith("frame 3/"):
                break
        time.sleep(0.3 * self.log("steps")[4]["wall"])
        run.send_signal(signal.SIGTERM)
        run.stderr.read()
        run.stderr.close()
        self.assertEqual(run.wait(), 143)
        _, said = self.firn("sim", self.scene, "--out", "parts", "--frames", "1-6", "--resume", *steps)
        self.assertRegex(said, r"resuming after frame \d+ and \d+ substeps")
        self.assert_same_particles("steps", "parts")
        whole, parts = self.log("steps"), self.log("parts")
        self.assertEqual(sorted(whole), sorted(parts))
        for frame in whole:
            for name, value in whole[frame].items():
                if name in ("bytes", "bytes_process", "seconds", "wall", "line_sum"):
                    continue  # tests/cli/run_log_test.cpp adds up seconds
                if name == "loads":
                    # Means over the parts, added up: a different order of rounding, of 1e-16 each.
                    for one, other in zip(value, parts[frame][name], strict=True):
                        self.assertEqual(one["name"], other["name"])
                        for a, b in zip(one["force"] + one["torque"], other["force"] + other["torque"], strict=True):
                            self.assertAlmostEqual(a, b, delta=1e-9 * max(1, abs(a)), msg=f"frame {frame}: {one['name']}")
                elif name.endswith("_iterations"):
                    self.assertAlmostEqual(parts[frame][name], value, places=9, msg=f"frame {frame}: {name}")
                else:
                    self.assertEqual(parts[frame][name], value, f"frame {frame}: {name}")

    def test_a_folder_where_a_checkpoint_should_be(self):
        self.firn("sim", self.scene, "--out", "odd", "--frames", "1-8")
        os.mkdir(os.path.join(self.path("odd"), "checkpoints", "fall.0009.bgeo"))
        _, said = self.firn("sim", self.scene, "--out", "odd", "--resume")
        self.assertIn("fall.0009.bgeo: this checkpoint is a folder", said)
        self.assertIn("resuming after frame 8", said)
        self.assert_same_particles("whole", "odd")

    def test_threads_do_not_matter(self):
        self.firn("sim", self.scene, "--out", "one", "--threads", "1", "--frames", "1-5")
        self.firn("sim", self.scene, "--out", "one", "--threads", "2", "--resume")
        self.assert_same_particles("whole", "one")

    def test_more_frames_later(self):
        self.firn("sim", self.scene, "--out", "more", "--frames", "1-4")
        self.assertEqual(len(self.particles("more")), 4)
        _, said = self.firn("sim", self.scene, "--out", "more", "--resume")
        self.assertIn("resuming after frame 4", said)
        self.assert_same_particles("whole", "more")
        _, said = self.firn("sim", self.scene, "--out", "more", "--resume")
        self.assertIn("are done", said)

    def test_a_damaged_checkpoint_is_passed_over(self):
        self.firn("sim", self.scene, "--out", "bad", "--frames", "1-8")
        folder = os.path.join(self.path("bad"), "checkpoints")
        newest = os.path.join(folder, sorted(os.listdir(folder))[-1])
        with open(newest, "r+b") as file:
            file.seek(2000)
            file.write(b"\xff\x00\xff")
        _, said = self.firn("sim", self.scene, "--out", "bad", "--resume")
        self.assertIn("is damaged", said)
        self.assertIn("resuming after frame 7", said)
        self.assert_same_particles("whole", "bad")

    def test_checkpoints_of_the_former_format_are_refused_and_the_run_kept(self):
        folder = os.path.join(self.path("whole"), "checkpoints")
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        former = os.path.join(folder, "fall.0007.firn")
        with open(former, "wb") as file:
            file.write(b"FIRNCHK1" + bytes(100))
        before = self.particles("whole")
        error = self.fails("sim", self.scene, "--out", "whole", "--resume")
        self.assertIn("former format", error)
        self.assertIn("--force", error)
        self.assertEqual(self.particles("whole"), before)
        self.assertIn("former format", self.fails("info", former))
        self.firn("sim", self.scene, "--out", "whole", "--force", "--frames", "1-2")
        self.firn("sim", self.scene, "--out", "whole", "--resume")

    def test_the_runs_own_copy_of_the_scene_is_enough(self):
        self.firn("sim", self.scene, "--out", "copy", "--frames", "1-4", "--set", "time.end=10")
        self.firn("sim", "copy/scene.toml", "--out", "copy", "--resume", "--frames", "1-10")
        self.assert_same_particles("whole", "copy")

    def test_another_scene_is_refused(self):
        error = self.fails("sim", self.scene, "--out", "whole", "--resume", "--set", "snow.ball.velocity=[0,0,0]")
        self.assertIn("the scene has changed", error)
        self.assertIn("snow.ball.velocity", error)

    def test_a_run_is_not_overwritten(self):
        error = self.fails("sim", self.scene, "--out", "whole")
        self.assertIn("--resume", error)
        self.assertIn("--force", error)
        keep = os.path.join(self.path("whole"), "notes.txt")
        with open(keep, "w") as file:
            file.write("mine")
        self.firn("sim", self.scene, "--out", "whole", "--force", "--frames", "1-2")
        self.assertEqual(len(self.particles("whole")), 2)
        self.assertTrue(os.path.exists(keep), "--force removes only what a run made")

    def test_two_runs_at_once_in_one_folder(self):
        run = self.start("sim", self.scene, "--out", "busy")
        for line in run.stderr:
            if line.startswith("frame 1/"):
                break
        run.send_signal(signal.SIGSTOP)
        error = self.fails("sim", self.scene, "--out", "busy", "--resume")
        self.assertIn("another firn", error)
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stderr.close()


if __name__ == "__main__":
    firn_runs.main()
