"""The materials of Firn Snow Look as a USD layer: MaterialX for Karma and Storm, UsdPreviewSurface for what knows only that.

    python3 look_materials.py FILE.usda

The build writes usd/firn_snow_look.usda with it. Needs no Houdini. Each material reads these of the points' or the mesh's
primvars, where they are there:

    compaction   1 as it was placed, above where it was pressed: darker, smoother, bluer
    age          s: snow turns from fresh to settled over its first `settles` seconds
    wetness      0 dry to 1 wet: darker, and it shines
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

Colour = tuple[float, float, float]

#: Where the materials stand in the layer, and in a stage that sublayers it.
SCOPE = "/firn_snow_look"


@dataclass(frozen=True)
class Look:
    """Colours are linear reflectances; lengths in metres."""

    name: str
    label: str
    about: str
    colour: Colour
    pressed_colour: Colour
    depth: float  #: how far light gets inside: the subsurface scale
    roughness: float
    pressed_roughness: float
    specular: float
    glints: float  #: the share of crystals that face the light
    coat: float = 0.0  #: a film of water or ice
    dirt: float = 0.0  #: specks of soot and soil: the share of the surface
    settles: float = 0.0  #: s until age has no effect any more; 0 = none


LOOKS = (
    Look("fresh", "Fresh", "powder of the night: matt, white, sparkling", (0.93, 0.95, 0.97), (0.84, 0.89, 0.95), 0.012, 0.6,
         0.4, 0.35, 0.012, settles=8.0),
    Look("packed", "Packed", "walked on, ploughed, rolled: smoother, a little grey", (0.86, 0.89, 0.93), (0.76, 0.83, 0.91),
         0.008, 0.45, 0.3, 0.45, 0.006),
    Look("wet", "Wet", "thawing: darker, with a film of water that shines", (0.78, 0.82, 0.87), (0.66, 0.74, 0.83), 0.015, 0.3,
         0.18, 0.6, 0.003, coat=0.35),
    Look("icy", "Icy", "frozen again: glassy, blue in its depth", (0.72, 0.82, 0.92), (0.55, 0.72, 0.88), 0.03, 0.16, 0.08, 0.8,
         0.002, coat=0.6),
    Look("dirty", "Dirty", "at the side of a road: grey, with specks", (0.62, 0.61, 0.59), (0.45, 0.44, 0.42), 0.005, 0.55, 0.4,
         0.35, 0.002, dirt=0.12),
)


def _number(value: float) -> str:
    return f"{value:.6g}"


def _colour(value: Colour) -> str:
    return f"({', '.join(_number(channel) for channel in value)})"


class _Material:
    """Shaders of one material, as text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []

    def shader(self, name: str, kind: str, output: str, **inputs: tuple[str, str]) -> str:
        """Adds one and returns its output's path. An input is its type and its value, or the path of another output."""
        self.lines += [f'        def Shader "{name}"', "        {", f'            uniform token info:id = "{kind}"']
        for key, (of, value) in sorted(inputs.items()):
            joint = ".connect = " if value.startswith("<") else " = "
            self.lines.append(f"            {of} inputs:{key}{joint}{value}")
        self.lines += [f"            {output} outputs:out", "        }"]
        return f"<{SCOPE}/{self.name}/{name}.outputs:out>"

    def primvar(self, name: str, default: float) -> str:
        return self.shader(name, "ND_geompropvalue_float", "float", geomprop=("string", f'"{name}"'),
                           default=("float", _number(default)))

    def ramp(self, name: str, value: str, low: float, high: float) -> str:
        """0 at low, 1 at high."""
        return self.shader(name, "ND_smoothstep_float", "float", **{
            "in": ("float", value), "low": ("float", _number(low)), "high": ("float", _number(high))})

    def mix(self, name: str, of: str, background: str, foreground: str, share: str) -> str:
        kind = {"color3f": "color3", "float": "float"}[of]
        return self.shader(name, f"ND_mix_{kind}", of, bg=(of, background), fg=(of, foreground), mix=("float", share))

    def specks(self, name: str, size: float, share: float) -> str:
        """1 in a share of cells of `size` metres, which stick to the object's own space."""
        position = self.shader(f"{name}_position", "ND_position_vector3", "float3", space=("string", '"object"'))
        scaled = self.shader(f"{name}_scaled", "ND_multiply_vector3FA", "float3", in1=("float3", position),
                             in2=("float", _number(1 / size)))
        chance = self.shader(f"{name}_chance", "ND_cellnoise3d_float", "float", position=("float3", scaled))
        return self.shader(name, "ND_ifgreater_float", "float", value1=("float", _number(share)), value2=("float", chance),
                           in1=("float", "1"), in2=("float", "0"))


def _material(look: Look) -> list[str]:
    m = _Material(f"snow_{look.name}")
    pressed = m.ramp("pressed", m.primvar("compaction", 1), 1.05, 1.8)
    wet = m.ramp("wet", m.primvar("wetness", 0), 0, 1)
    if look.settles > 0:
        settled = m.ramp("settled", m.primvar("age", 0), 0, look.settles)
        half = m.shader("half_settled", "ND_multiply_float", "float", in1=("float", settled), in2=("float", "0.25"))
        pressed = m.shader("pressed_or_settled", "ND_max_float", "float", in1=("float", pressed), in2=("float", half))
    colour = m.mix("dry_colour", "color3f", _colour(look.colour), _colour(look.pressed_colour), pressed)
    soaked: Colour = (0.55 * look.colour[0], 0.62 * look.colour[1], 0.72 * look.colour[2])
    colour = m.mix("colour", "color3f", colour, _colour(soaked), wet)
    if look.dirt > 0:
        colour = m.mix("dirty_colour", "color3f", colour, "(0.06, 0.05, 0.04)", m.specks("dirt", 0.004, look.dirt))
    roughness = m.mix("dry_roughness", "float", _number(look.roughness), _number(look.pressed_roughness), pressed)
    roughness = m.mix("roughness", "float", roughness, "0.12", wet)
    # A crystal that faces the light mirrors it: a coat where chance has put one.
    glint = m.specks("glint", 0.0012, look.glints)
    film = m.mix("film", "float", _number(look.coat), "0.7", wet)
    coat = m.shader("coat", "ND_max_float", "float", in1=("float", glint), in2=("float", film))
    coat_roughness = m.mix("coat_roughness", "float", _number(0.15 if look.coat else 0.3), "0.04", glint)
    surface = m.shader(
        "surface", "ND_standard_surface_surfaceshader", "token", base=("float", "1"), base_color=("color3f", colour),
        diffuse_roughness=("float", "0.6"), specular=("float", _number(look.specular)), specular_IOR=("float", "1.31"),
        specular_roughness=("float", roughness), coat=("float", coat), coat_IOR=("float", "1.31"),
        coat_roughness=("float", coat_roughness), subsurface=("float", "0.6"), subsurface_color=("color3f", colour),
        subsurface_radius=("color3f", "(0.5, 0.7, 1)"), subsurface_scale=("float", _number(look.depth)))
    lines = [f'    def Material "snow_{look.name}" (', f'        displayName = "{look.label} snow"',
             f'        doc = "{look.about}"', "    )", "    {",
             f"        token outputs:mtlx:surface.connect = {surface}",
             f"        token outputs:surface.connect = <{SCOPE}/snow_{look.name}/preview.outputs:surface>"]
    lines += m.lines
    lines += ['        def Shader "preview"', "        {", '            uniform token info:id = "UsdPreviewSurface"',
              f"            color3f inputs:diffuseColor = {_colour(look.colour)}",
              f"            float inputs:clearcoat = {_number(look.coat)}", "            float inputs:ior = 1.31",
              f"            float inputs:roughness = {_number(look.roughness)}", "            token outputs:surface",
              "        }", "    }"]
    return lines


def layer() -> str:
    """The whole file."""
    lines = ["#usda 1.0", "(", f'    defaultPrim = "{SCOPE[1:]}"', '    doc = "Firn Snow Look: snow for Karma, Storm and '
             'others. Made by firn/look_materials.py."', "    metersPerUnit = 1", '    upAxis = "Y"', ")", "",
             f'def Scope "{SCOPE[1:]}"', "{"]
    for look in LOOKS:
        lines += _material(look)
    return "\n".join([*lines, "}"]) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(layer(), encoding="utf-8")
