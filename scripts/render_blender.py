#!/usr/bin/env python3
"""Renders a frame of a run's USD stage in Blender's Cycles: what artists get from the files.

    python3 -m venv venv && venv/bin/pip install bpy
    firn grains RUN --frames N --format usda
    venv/bin/python scripts/render_blender.py RUN/NAME.usda N picture.png [--size 1280x720] [--samples 64] [--show grains]

Needs nothing but bpy from PyPI. What Blender does not take from a stage is set here, and docs/look.md says the same for doing it by
hand: the materials (it reads UsdPreviewSurface, not MaterialX), the dome light, and motion blur by velocities.
"""
import argparse
import math
import sys

import bpy

DENSITY_TO_EXTINCTION = 1.81  # m^2/kg: 724 1/m at 400 kg/m^3, Stomakhin et al. 2013


def material(name, build):
    made = bpy.data.materials.new(name)
    if not made.node_tree:
        made.use_nodes = True  # before Blender 5
    tree = made.node_tree
    tree.nodes.clear()
    build(tree.nodes, tree.links, tree.nodes.new("ShaderNodeOutputMaterial"))
    return made


def snow_surface(nodes, links, output):
    """Grains: white, lit through by their neighbours, each with a glint of its own."""
    shader = nodes.new("ShaderNodeBsdfPrincipled")
    shader.inputs["Base Color"].default_value = (0.92, 0.95, 0.98, 1)
    shader.inputs["Roughness"].default_value = 0.4
    shader.inputs["IOR"].default_value = 1.31
    through = nodes.new("ShaderNodeBsdfTranslucent")
    through.inputs["Color"].default_value = (0.9, 0.96, 1.0, 1)
    mix = nodes.new("ShaderNodeMixShader")
    mix.inputs["Fac"].default_value = 0.4
    links.new(shader.outputs["BSDF"], mix.inputs[1])
    links.new(through.outputs["BSDF"], mix.inputs[2])
    links.new(mix.outputs["Shader"], output.inputs["Surface"])


def snow_volume(nodes, links, output):
    grid = nodes.new("ShaderNodeAttribute")
    grid.attribute_name = "density"
    scale = nodes.new("ShaderNodeMath")
    scale.operation = "MULTIPLY"
    scale.inputs[1].default_value = DENSITY_TO_EXTINCTION
    links.new(grid.outputs["Fac"], scale.inputs[0])
    shader = nodes.new("ShaderNodeVolumeScatter")
    shader.inputs["Color"].default_value = (0.9, 0.95, 1.0, 1)
    shader.inputs["Anisotropy"].default_value = 0.5
    links.new(scale.outputs[0], shader.inputs["Density"])
    links.new(shader.outputs[0], output.inputs["Volume"])


def has_fstop(stage):
    """Whether the stage's camera asks for depth of field: Blender takes its f-stop, and leaves the switch off."""
    with open(stage, encoding="utf-8") as text:
        return any("float fStop = " in line and not line.rstrip().endswith("= 0") for line in text)


def main():
    parser = argparse.ArgumentParser(description="A frame of a Firn stage in Cycles.")
    parser.add_argument("stage")
    parser.add_argument("frame", type=int)
    parser.add_argument("picture")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--show", choices=("grains", "volume", "both"), default="grains")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--motion-blur", action="store_true", help="by the velocities of grains and volumes, and the colliders' motion")
    parser.add_argument("--denoise", action="store_true", help="fewer samples will do, at the price of the finest grain")
    arguments = parser.parse_args()
    width, height = (int(n) for n in arguments.size.split("x"))

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_set(arguments.frame)
    bpy.ops.wm.usd_import(filepath=arguments.stage, scale=1.0, set_frame_range=True)
    scene.frame_set(arguments.frame)

    shown = set()
    for thing in list(scene.objects):
        if thing.type == "POINTCLOUD":
            thing.data.materials.clear()
            thing.data.materials.append(material("snow_surface", snow_surface))
            thing.hide_render = arguments.show == "volume"
            shown.add("grains" if len(thing.data.points) else "")
        elif thing.type == "VOLUME":
            thing.data.materials.clear()
            thing.data.materials.append(material("snow_volume", snow_volume))
            thing.data.velocity_grid = "vel"  # Blender looks for "velocity"
            thing.hide_render = arguments.show == "grains"
            shown.add("volume")
        elif thing.type == "CAMERA":
            scene.camera = thing
    print("imported:", sorted((thing.type, thing.name) for thing in scene.objects))
    wanted = {"grains", "volume"} if arguments.show == "both" else {arguments.show}
    if not wanted <= shown:
        sys.exit(f"{arguments.stage}: frame {arguments.frame} has no {' and no '.join(sorted(wanted - shown))}")
    if not scene.camera:
        sys.exit(f"{arguments.stage} has no camera: give the scene a [camera]")

    world = bpy.data.worlds.new("sky")
    if not world.node_tree:
        world.use_nodes = True  # before Blender 5
    sky = world.node_tree.nodes["Background"]
    sky.inputs["Color"].default_value = (0.62, 0.77, 1.0, 1)
    sky.inputs["Strength"].default_value = 0.7
    scene.world = world

    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = arguments.samples
    scene.cycles.use_denoising = arguments.denoise
    scene.cycles.max_bounces = 24
    scene.cycles.diffuse_bounces = 12
    scene.cycles.volume_bounces = 12
    scene.render.use_motion_blur = arguments.motion_blur
    if scene.camera.data.dof.aperture_fstop > 0 and has_fstop(arguments.stage):
        scene.camera.data.dof.use_dof = True
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.exposure = -0.35
    if arguments.threads:
        scene.render.threads_mode = "FIXED"
        scene.render.threads = arguments.threads
    scene.render.image_settings.file_format = "JPEG" if arguments.picture.endswith(".jpg") else "PNG"
    scene.render.image_settings.quality = 90
    scene.render.filepath = arguments.picture
    bpy.ops.render.render(write_still=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
