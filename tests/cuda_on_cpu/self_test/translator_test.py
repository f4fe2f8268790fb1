#!/usr/bin/env python3
"""What the translator can't do fails, with the place and the reason; what it can do gives what was asked."""

import os
import subprocess
import sys
import tempfile
import unittest

TRANSLATOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptx_to_cpp.py")
KERNEL = """.version 8.0
.target sm_75
.address_size 64
.visible .entry kernel_k(.param .u64 p)
{
    .reg .pred %%p<4>;
    .reg .b32 %%r<9>;
    .reg .f32 %%f<9>;
    .reg .b64 %%rd<9>;
    %s
    ret;
}
"""


def translate(text, parts=1):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "in.ptx")
        with open(source, "w") as file:
            file.write(text)
        run = subprocess.run([sys.executable, TRANSLATOR, source, os.path.join(folder, "out"), str(parts)],
                             capture_output=True, text=True)
        outputs = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".cpp"):
                with open(os.path.join(folder, name)) as file:
                    outputs.append(file.read())
        return run, outputs


class Refusals(unittest.TestCase):
    def refuses(self, body, *words):
        run, outputs = translate(KERNEL % body)
        self.assertNotEqual(run.returncode, 0, body)
        self.assertEqual(outputs, [], "a file was left behind")
        for word in ("kernel_k", ":10:", body.rstrip(";")) + words:
            self.assertIn(word, run.stderr)
        self.assertNotIn("Traceback", run.stderr)

    def test_unknown_instruction(self):
        self.refuses("frobnicate.b32 %r1, %r2;", "instruction")
        self.refuses("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}];")
        self.refuses("wmma.load.a.sync.aligned.m16n16k16.global.row.f16 {%r1}, [%rd1];")

    def test_unknown_modifier(self):
        self.refuses("add.sat.u32 %r1, %r2, %r3;", ".sat")
        self.refuses("add.funny.f32 %f1, %f2, %f3;", ".funny")
        self.refuses("ld.global.strange.u32 %r1, [%rd1];", ".strange")
        self.refuses("setp.maybe.f32 %p1, %f1, %f2;")
        self.refuses("atom.global.average.u32 %r1, [%rd1], %r2;")

    def test_unknown_type(self):
        self.refuses("add.f16x2 %r1, %r2, %r3;", "f16x2")
        self.refuses("cvt.rn.bf16.f32 %r1, %f1;", "bf16")

    def test_unknown_operand(self):
        self.refuses("mov.u32 %r1, %envreg3;", "%envreg3")
        self.refuses("add.u32 %r1, %r2, %r99;", "%r99")
        self.refuses("bra nowhere;", "nowhere")
        self.refuses("call.uni vprintf, (p);", "vprintf")

    def test_every_place_is_named(self):
        run, _ = translate(KERNEL % "one.b32 %r1;\n two.b32 %r1;")
        self.assertIn("one.b32", run.stderr)
        self.assertIn("two.b32", run.stderr)


class Output(unittest.TestCase):
    def test_parts(self):
        text = KERNEL % "add.u32 %r1, %r2, 5;"
        second = text.replace("kernel_k", "kernel_2").split(".address_size 64\n")[1]
        run, outputs = translate(text + second, parts=2)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(outputs), 2)
        self.assertTrue(all(each.count("xr1 = ") == 1 for each in outputs))

    def test_scopes_keep_names_apart(self):
        run, outputs = translate(KERNEL % "{ .reg .b32 t; mov.u32 t, 1; { .reg .b32 t; mov.u32 t, 2; } mov.u32 %r1, t; }")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("xr1 = xt_1;", outputs[0])
        self.assertIn("xt_2 = u32(2ull);", outputs[0])

    def test_costs_of_a_block(self):
        body = "ld.global.v2.f32 {%f1, %f2}, [%rd1]; fma.rn.f32 %f3, %f1, %f2, %f1; st.global.f32 [%rd1], %f3;"
        run, outputs = translate(KERNEL % body)
        self.assertEqual(run.returncode, 0, run.stderr)
        # instructions, flops, special, double flops, loaded, stored, shared, atomics
        self.assertIn("{4, 2, 0, 0, 8, 4, 0, 0}", outputs[0])


if __name__ == "__main__":
    unittest.main()
