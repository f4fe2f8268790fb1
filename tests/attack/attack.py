#!/usr/bin/env python3
"""Attacks firn and counts what it survives. A run that was killed, that met a full or broken disk, planted links or damaged files
must end in one line and exit code 1 at worst; --resume must then make every frame bit-exactly, and files of others must stay.

    tests/attack/attack.py --firn build/release/bin/firn --shim build/release/lib/libfailing_calls.so [--long | --minutes M] [--seed N]

prints how many attacks of each kind were tried and survived, and returns 1 if one was not."""

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
import firn_runs  # noqa: E402

SCENE = firn_runs.FALL
for long, short in (("spacing = 0.04", "spacing = 0.06"), ("end = 10", "end = 4"), ("volumes = []", 'volumes = ["density"]'),
                    ("checkpoint_every = 3", "checkpoint_every = 2")):
    SCENE = SCENE.replace(long, short)
PRODUCTS = [f"particles/fall.{frame:04d}.bgeo" for frame in range(1, 5)] + \
           [f"volumes/fall.{frame:04d}.vdb" for frame in range(1, 5)] + ["fall.usda"]
VERIFIED = PRODUCTS + ["run.jsonl", "scene.toml"]
OTHERS = {"run/notes.txt": "mine", "run/preview/mine.png": "mine", "run/particles/other.0001.bgeo": "mine",
          "run/checkpoints/fall.0099.txt": "mine", "secret": "mine"}
SIM = ("sim", "fall.toml", "--out", "run", "--resume", "--quiet")
PREVIEW = ("preview", "run", "--size", "32x32", "--samples", "1", "--frames", "1-2", "--contact-sheet")


class Lost(Exception):
    """An attack that was not survived."""


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Calls:
    """The calls of a command, from 1, in a random order: each is attacked before one is attacked again."""

    def __init__(self, chance, count):
        self.chance, self.count, self.left = chance, count, []

    def next(self):
        if not self.left:
            self.left = self.chance.sample(range(1, self.count + 1), self.count)
        return str(self.left.pop())


class Arena:
    """A fresh folder with the scene and files of others, and the program under attack."""

    def __init__(self, program, shim, folder):
        self.program, self.shim, self.folder = os.path.abspath(program), os.path.abspath(shim), folder
        self.reference = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def clean(self, start=None):
        """`start` is a folder to copy the run from."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        if start:
            shutil.copytree(start, self.path("run"))
        for name, text in {**OTHERS, "fall.toml": SCENE}.items():
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "w") as file:
                file.write(text)

    def firn(self, *arguments, **environment):
        """Its exit code. It never dies of a signal but SIGKILL, and its errors are one line."""
        if environment:
            environment["LD_PRELOAD"] = self.shim
        try:
            done = subprocess.run([self.program, *arguments], cwd=self.folder, env={**os.environ, **environment},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=120)
        except subprocess.TimeoutExpired as slow:
            raise Lost(f"{arguments} took more than two minutes") from slow
        if done.returncode not in (0, 1, -signal.SIGKILL):
            raise Lost(f"{arguments} returned {done.returncode}: {done.stderr}")
        lines = [line for line in done.stderr.splitlines() if line.startswith("firn")]
        if done.returncode == 1 and arguments[0] != "verify" and len(lines) != 1:
            raise Lost(f"{arguments} did not say in one line why it failed: {done.stderr}")
        self.said = done.stdout + done.stderr
        return done.returncode

    def must(self, *arguments):
        if self.firn(*arguments) != 0:
            raise Lost(f"{arguments} failed: {self.said}")

    def assert_others_stay(self):
        for name, text in OTHERS.items():
            with open(self.path(name)) as file:
                if file.read() != text:
                    raise Lost(f"{name} of somebody else was changed")

    def assert_frames(self):
        for name, content in self.reference.items():
            if not os.path.isfile(self.path(f"run/{name}")) or digest(self.path(f"run/{name}")) != content:
                raise Lost(f"{name} is not that of an undisturbed run")

    def assert_recovers(self):
        """The same command again makes everything whole."""
        self.must(*SIM)
        self.assert_frames()
        self.must("verify", "run")
        self.assert_others_stay()
        for where, _, names in os.walk(self.path("run")):
            if any(name.endswith(".part") for name in names):
                raise Lost(f"half files stay in {where}")

    def calls(self, *arguments):
        """How many calls of a command there are to attack."""
        count = self.path("count")
        self.firn(*arguments, FIRN_ATTACK_COUNT=count)
        with open(count) as file:
            return int(file.read())


def killed_at_a_call(arena, chance, calls):
    arena.clean()
    for _ in range(chance.choice((1, 1, 2))):  # sometimes also while it recovers
        arena.firn(*SIM, FIRN_ATTACK_AT=calls.next(), FIRN_ATTACK_HOW="KILL")
        arena.assert_others_stay()
    arena.assert_recovers()


def failed_call(arena, chance, calls, reason):
    arena.clean()
    stays = {"FIRN_ATTACK_STAYS": "1"} if chance.random() < 0.5 else {}
    code = arena.firn(*SIM, FIRN_ATTACK_AT=calls.next(), FIRN_ATTACK_HOW=reason, **stays)
    arena.assert_others_stay()
    if code == 0:
        arena.assert_frames()
    arena.assert_recovers()


def killed_at_a_time(arena, chance, seconds):
    arena.clean()
    for _ in range(2):
        run = subprocess.Popen([arena.program, *SIM], cwd=arena.folder, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, seconds))
        run.send_signal(signal.SIGKILL)
        run.wait()
    arena.assert_recovers()


def attacked_command(arena, chance, start, command, calls):
    """volumes, preview and report: killed or failed at a call, then run again."""
    arena.clean(start)
    if command[0] == "volumes":
        shutil.rmtree(arena.path("run/volumes"))
    arena.firn(*command, FIRN_ATTACK_AT=calls.next(), FIRN_ATTACK_HOW=chance.choice(("KILL", "ENOSPC", "EIO")))
    arena.must(*command)
    arena.assert_recovers()


def planted_link(arena, chance, start):
    """A link in the place of a file, to a file of somebody else, to a file that is not there, or to a folder."""
    arena.clean(start if chance.random() < 0.7 else None)
    name = chance.choice(PRODUCTS + ["run.jsonl", "scene.toml", "manifest.jsonl", ".lock", "preview/0001.png",
                                     "report.html", "contact_sheet.png", "checkpoints/fall.0004.bgeo"])
    path = arena.path(f"run/{name}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.remove(path)
    os.symlink(arena.path(chance.choice(("secret", "nowhere", "."))), path)
    for command in (SIM, ("volumes", "run", "--quiet"), PREVIEW, ("report", "run"), ("verify", "run")):
        arena.firn(*command)
        arena.assert_others_stay()
        if os.path.lexists(arena.path("nowhere")):
            raise Lost(f"{command} wrote through the link {name}")
    if os.path.islink(path):
        os.remove(path)
    if name != "manifest.jsonl":  # without one, nothing in the folder is known to be the run's
        arena.assert_recovers()


def mutate(chance, content):
    content = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(content) + 1)
        kind = chance.randrange(5)
        if kind == 0 and at < len(content):
            content[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del content[at:]
        elif kind == 2:
            del content[at:at + chance.randint(1, 64)]
        elif kind == 3:
            content[at:at] = chance.randbytes(chance.randint(1, 64))
        else:
            content[at:at + 8] = chance.choice((b"\xff" * 8, bytes(8), b"99999999", b"\x7f" + bytes(7)))
    return bytes(content)


def is_harmless(name, before, after):
    """A log keeps its meaning when only empty lines, or such as tell nothing, were added, or the end of its last line was lost."""
    return name == "run.jsonl" and set(before.splitlines()) <= set(after.splitlines())


def mutated_file(arena, chance, start):
    arena.clean(start)
    name = chance.choice(PRODUCTS + ["run.jsonl", "scene.toml", "manifest.jsonl", "checkpoints/fall.0003.bgeo",
                                     "checkpoints/fall.0004.bgeo"])
    path = arena.path(f"run/{name}")
    with open(path, "rb") as file:
        before = file.read()
    after = mutate(chance, before)
    with open(path, "wb") as file:
        file.write(after)
    if name in VERIFIED and after != before and arena.firn("verify", "run") == 0 and not is_harmless(name, before, after):
        raise Lost(f"verify does not see that {name} is damaged")
    for command in (("info", "run"), ("info", f"run/{name}"), ("report", "run")):
        if not (command[1] == f"run/{name}" and name.endswith((".jsonl", ".usda"))):
            arena.firn(*command)
    code = arena.firn(*SIM)
    if code == 0:
        arena.assert_frames()
    elif name != "manifest.jsonl":
        raise Lost(f"a damaged {name} could not be repaired: {arena.said}")
    arena.assert_others_stay()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--firn", required=True)
    parser.add_argument("--shim", required=True, help="failing_calls as a shared library")
    parser.add_argument("--long", action="store_true", help="seventeen times as many")
    parser.add_argument("--minutes", type=float, help="all kinds in turns, until this time is over, instead of a fixed number")
    parser.add_argument("--seed", type=int, default=2020)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="firn_attack_") as work:
        arena = Arena(given.firn, given.shim, os.path.join(work, "arena"))
        arena.clean()
        calls = arena.calls(*SIM)
        if calls < 50:
            sys.exit(f"attack: only {calls} calls were seen: the shim does not work")
        start = os.path.join(work, "start")
        shutil.copytree(arena.path("run"), start)
        for name in OTHERS:
            if name.startswith("run/"):
                os.remove(os.path.join(work, "start", name[4:]))
        arena.reference = {name: digest(arena.path(f"run/{name}")) for name in PRODUCTS}
        began = time.monotonic()
        arena.clean()
        arena.must(*SIM)
        seconds = time.monotonic() - began
        volumes = ("volumes", "run", "--quiet", "--force")
        commands = [(command, Calls(chance, arena.calls(*command))) for command in (volumes, PREVIEW, ("report", "run"))]
        print(f"{calls} system calls that change files, {seconds:.2f} s for a run; seed {given.seed}")

        kills, full, broken = (Calls(chance, calls) for _ in range(3))
        rounds = lambda short: 17 * short if given.long else short
        attacks = [
            ("killed at a system call", rounds(16), lambda: killed_at_a_call(arena, chance, kills)),
            ("killed at a moment", rounds(4), lambda: killed_at_a_time(arena, chance, seconds)),
            ("disk full at a system call (ENOSPC)", rounds(12), lambda: failed_call(arena, chance, full, "ENOSPC")),
            ("disk broken at a system call (EIO)", rounds(12), lambda: failed_call(arena, chance, broken, "EIO")),
            ("volumes, preview, report killed or failed", rounds(8),
             lambda: attacked_command(arena, chance, start, *chance.choice(commands))),
            ("planted links", rounds(8), lambda: planted_link(arena, chance, start)),
            ("damaged files", rounds(12), lambda: mutated_file(arena, chance, start)),
        ]
        tried, survived = [0] * len(attacks), [0] * len(attacks)

        def try_one(kind):
            title, _, attack = attacks[kind]
            try:
                attack()
                survived[kind] += 1
            except Lost as reason:
                print(f"LOST {title}, number {tried[kind]}: {reason}", flush=True)
            tried[kind] += 1

        if given.minutes:
            while time.monotonic() - began < 60 * given.minutes:
                try_one(sum(tried) % len(attacks))
        else:
            for kind, (_, count, _) in enumerate(attacks):
                for _ in range(count):
                    try_one(kind)
    print(f"{'attack':<45} {'tried':>6} {'survived':>9}")
    for (title, _, _), *counts in zip(attacks, tried, survived):
        print(f"{title:<45} {counts[0]:>6} {counts[1]:>9}")
    lost = sum(tried) - sum(survived)
    print(f"{'all':<45} {sum(tried):>6} {sum(survived):>9}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
