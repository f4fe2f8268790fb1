#!/usr/bin/env python3
"""Runs the GPU report and checks what it must hold. usage: gpu_report_test.py GPU_REPORT PTXAS_LOG_OF_SM_75..."""

import json
import os
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "report.json")
    arguments = [sys.argv[1], out, os.path.join(folder, "no_card")]
    for log in sys.argv[2:]:
        arguments += ["75", log]
    table = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    with open(out) as file:
        report = json.load(file)

cards = {"T4", "RTX 2060", "RTX 3090", "RTX 4090", "A100", "H100"}
assert set(report["roofline_ms_1m"]) == cards, report["roofline_ms_1m"]
assert all(card in table for card in cards), table
assert 30 < len(report["kernels"]) < 100, len(report["kernels"])
for kernel in report["kernels"]:
    assert kernel["name"] and kernel["registers"] > 0, kernel
    assert kernel["spill_bytes"] == 0, kernel
    assert set(kernel["occupancy"]) == cards and all(0 < x <= 1 for x in kernel["occupancy"].values()), kernel

# The goals: 50 ms on the RTX 2060, never bound by launches, no allocation, 420 bytes a particle (350 are wanted).
for key in ("roofline_ms_1m", "pessimistic_ms_1m"):
    assert report[key]["RTX 2060"] <= 50, report[key]
for card in cards:
    assert report["launch_bound_ms_1m"][card] < 0.05 * report["roofline_ms_1m"][card], card
assert report["launches_per_pressure_iteration"] <= 3, report["launches_per_pressure_iteration"]
assert report["host_syncs_per_pressure_iteration"] == 0 and report["host_syncs_per_shear_iteration"] == 0
assert report["allocations_per_step"] == 0
assert report["bytes_per_particle"] <= 420, report["bytes_per_particle"]

# A sum that can be known: each kernel that touches every particle once moves at least four bytes of it.
density = next(k for k in report["kernels"] if k["name"] == "Density")["per_particle"]
assert 20 < density["dram_bytes_read"] < density["bytes_loaded"], density
print(f"{len(report['kernels'])} kernels, {report['launches_per_step']} launches, {report['host_syncs_per_step']} waits, "
      f"{report['bytes_per_particle']:.0f} bytes a particle, {report['roofline_ms_1m']['RTX 2060']:.1f} ms on an RTX 2060")
