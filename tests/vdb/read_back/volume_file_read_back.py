#!/usr/bin/env python3
"""Reads volumes that Firn wrote with OpenVDB's own Python module and with vdb_print, and checks mass, bounds and metadata.
usage: volume_file_read_back.py WRITER     (the program write_sample_volumes)
Exit code 77 = skipped: the module is not installed."""
import math
import os
import subprocess
import sys
import tempfile

try:
    import pyopenvdb as vdb
except ImportError:
    try:
        import openvdb as vdb
    except ImportError:
        print("volume_file_read_back: skipped, python3-openvdb is not installed")
        sys.exit(77)

failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def near(a, b, tolerance):
    return abs(a - b) <= tolerance


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "snow.vdb")
    # A ball of radius 0.5 at (10, 2, -3), spacing 0.05, 350 kg/m^3, v = (1, 2, 3), frame 12 of 24 fps.
    count = int(subprocess.run([sys.argv[1], path], check=True, capture_output=True, text=True).stdout)
    mass = count * 350 * 0.05**3

    grids, file_metadata = vdb.readAll(path)
    by_name = {grid.name: grid for grid in grids}
    check(set(by_name) == {"density", "surface", "density_masked", "vel", "compaction"}, "grids: %s" % sorted(by_name))
    check(file_metadata.get("frame") == 12 and near(file_metadata.get("fps", 0), 24, 0), "file metadata %s" % file_metadata)

    density = by_name["density"]
    voxel = density.transform.voxelSize()
    check(all(near(v, 0.025, 1e-9) for v in voxel), "voxel size %s" % (voxel,))
    total = sum(item.value * item.count for item in density.citerOnValues()) * voxel[0] ** 3
    # Half floats are good to 1/2048 each, and err to both sides.
    check(near(total / mass, 1, 1e-3), "mass %g for %g" % (total, mass))
    low, high = density.evalActiveVoxelBoundingBox()
    low, high = density.transform.indexToWorld(low), density.transform.indexToWorld(high)
    for k, centre in enumerate((10, 2, -3)):
        check(near(low[k], centre - 0.6, 0.03) and near(high[k], centre + 0.6, 0.03), "bounds %s %s" % (low, high))
    check(density.gridClass == vdb.GridClass.FOG_VOLUME, "class of density: %s" % density.gridClass)
    check(density.saveFloatAsHalf, "density is saved as half floats")
    check(density.metadata.get("frame") == 12, "metadata %s" % density.metadata)

    surface = by_name["surface"]
    check(surface.gridClass == vdb.GridClass.LEVEL_SET, "class of surface: %s" % surface.gridClass)
    at = surface.getConstAccessor()
    centre = [int(round(c)) for c in surface.transform.worldToIndex((10, 2, -3))]
    check(near(at.getValue(tuple(centre)), -surface.background, 1e-4), "inside at the centre")
    for axis in range(3):
        place = list(centre)
        place[axis] += 20  # 0.5 m
        check(abs(at.getValue(tuple(place))) < 0.04, "the surface is at the radius: %g" % at.getValue(tuple(place)))

    velocity = by_name["vel"]
    check(velocity.vectorType == vdb.VectorType.CONTRAVARIANT_RELATIVE, "vector type %s" % velocity.vectorType)
    value = velocity.getConstAccessor().getValue(tuple(centre))
    check(all(near(v, e, 0.005) for v, e in zip(value, (1, 2, 3))), "velocity %s" % (value,))
    place = (centre[0] + 26, centre[1], centre[2])  # 0.15 m past the surface
    value = velocity.getConstAccessor().getValue(place)
    check(all(near(v, e, 0.005) for v, e in zip(value, (1, 2, 3))), "velocity past the surface %s" % (value,))

    compaction = by_name["compaction"].getConstAccessor().getValue(tuple(centre))
    check(near(compaction, 1.5, 0.002), "compaction %g" % compaction)

    try:
        listing = subprocess.run(["vdb_print", "-l", path], capture_output=True, text=True, check=True).stdout
        for name in by_name:
            check(name in listing, "vdb_print names %s" % name)
    except FileNotFoundError:
        print("volume_file_read_back: vdb_print is not installed (libopenvdb-tools)")

if failures == 0:
    print("volume_file_read_back: %d grids read back by pyopenvdb %s" % (len(grids), ".".join(map(str, vdb.LIBRARY_VERSION))))
sys.exit(1 if failures else 0)
