#!/usr/bin/env python3
"""Turns an Alembic or USD file into meshes that a scene's [[collider]] reads, one for each frame. Debian packages no library that reads
either; Blender from PyPI does.

    python3 -m venv venv && venv/bin/pip install bpy
    venv/bin/python scripts/collider_sequence.py car.abc 1-48 'meshes/car.$F4.obj' [--object NAME] [--fps 24]

    [[collider]]
    shape = "mesh"
    file = "meshes/car.$F4.obj"

All meshes of the file, or those whose name contains NAME, become one, in metres, y up. Firn sees by itself whether it moves rigidly.
"""
import argparse
import os
import re
import sys

import bpy


def frames_of(text):
    found = re.fullmatch(r"(-?\d+)(?:-(-?\d+))?", text)
    if not found:
        sys.exit(f"{text}: write the frames as 12 or 1-48")
    first, last = int(found.group(1)), int(found.group(2) or found.group(1))
    if last < first:
        sys.exit(f"{text}: the smaller number goes first")
    return range(first, last + 1)


def file_of(pattern, frame):
    """meshes/car.$F4.obj, car.####.obj and car.%04d.obj, as in scene files."""
    name = re.sub(r"\$F(\d?)", lambda found: f"{frame:0{found.group(1) or 1}d}", pattern)
    name = re.sub(r"#+", lambda found: f"{frame:0{len(found.group(0))}d}", name)
    return re.sub(r"%0?(\d*)d", lambda found: f"{frame:0{found.group(1) or 1}d}", name)


def read(path):
    kind = os.path.splitext(path)[1].lower()
    if not os.path.exists(path):
        sys.exit(f"{path} is not there")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if kind == ".abc":
        bpy.ops.wm.alembic_import(filepath=path, as_background_job=False)
    elif kind in (".usd", ".usda", ".usdc", ".usdz"):
        bpy.ops.wm.usd_import(filepath=path)
    else:
        sys.exit(f"{path}: give an Alembic (.abc) or USD (.usd, .usda, .usdc, .usdz) file")


def write(path, objects):
    """Blender has z up; scenes have y up."""
    graph = bpy.context.evaluated_depsgraph_get()
    points, faces = [], []
    for thing in objects:
        evaluated = thing.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        first = len(points) + 1
        for vertex in mesh.vertices:
            x, y, z = evaluated.matrix_world @ vertex.co
            points.append(f"v {x:.7g} {z:.7g} {-y:.7g}\n")
        for polygon in mesh.polygons:
            faces.append("f " + " ".join(str(first + corner) for corner in polygon.vertices) + "\n")
        evaluated.to_mesh_clear()
    temporary = path + ".part"
    with open(temporary, "w", encoding="ascii") as file:
        file.writelines(points)
        file.writelines(faces)
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description="An Alembic or USD file as meshes for a collider.")
    parser.add_argument("file")
    parser.add_argument("frames", help="12 or 1-48")
    parser.add_argument("meshes", help="name of the .obj files, with $F4, #### or %%04d for the frame")
    parser.add_argument("--object", default="", help="only meshes whose name contains this")
    parser.add_argument("--fps", type=float, default=24, help="frames per second of the shot")
    arguments = parser.parse_args()
    frames = frames_of(arguments.frames)
    if len(frames) > 1 and file_of(arguments.meshes, 1) == file_of(arguments.meshes, 2):
        sys.exit(f"{arguments.meshes}: write $F4, #### or %04d where the frame's number goes")
    read(arguments.file)
    scene = bpy.context.scene
    scene.render.fps = max(1, round(arguments.fps))
    scene.render.fps_base = scene.render.fps / arguments.fps
    objects = [thing for thing in scene.objects if thing.type == "MESH" and arguments.object in thing.name]
    if not objects:
        sys.exit(f"{arguments.file} has no mesh" + (f" whose name contains '{arguments.object}'" if arguments.object else ""))
    os.makedirs(os.path.dirname(arguments.meshes) or ".", exist_ok=True)
    for frame in frames:
        scene.frame_set(frame)
        write(file_of(arguments.meshes, frame), objects)
    print(f"{len(frames)} frames of {', '.join(sorted(thing.name for thing in objects))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
