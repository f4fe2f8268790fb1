"""Looks at the stages that usd_stage_test.cpp writes with Pixar's USD (usd-core): its validators, then what they miss."""
import math
import os
import sys

from pxr import Gf, Sdf, Usd, UsdGeom, UsdLux, UsdShade, UsdUtils, UsdVol

folder = sys.argv[1]
failures = []


def expect(truth, what):
    if not truth:
        failures.append(what)


def near(a, b, tolerance=1e-6):
    return abs(a - b) <= tolerance


def validate(path):
    """USD's own checks; what they say is a failure. Newer versions have UsdValidation, older ones ComplianceChecker."""
    checks = 0
    try:
        from pxr import UsdValidation

        validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
        checks += len(validators)
        for error in UsdValidation.ValidationContext(validators).Validate(Usd.Stage.Open(path)):
            # usd-core comes without the shaders of MaterialX and of renderers; their names are looked at below.
            if error.GetName() == "MissingShaderIdInRegistry":
                continue
            failures.append(f"{path}: {error.GetName()}: {error.GetMessage()}")
    except ImportError:
        pass
    if hasattr(UsdUtils, "ComplianceChecker"):
        checker = UsdUtils.ComplianceChecker(skipARKitRootLayerCheck=True)
        checker.CheckCompliance(path)
        checks += 1
        for problem in checker.GetErrors() + checker.GetFailedChecks():
            failures.append(f"{path}: {problem}")
    expect(checks > 0, "this usd-core has no validator")


# The files that the stage names must be there to be resolved.
for name in [f"volumes/snow.000{i}.vdb" for i in (1, 2, 3)]:
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    open(os.path.join(folder, name), "wb").close()
os.makedirs(os.path.join(folder, "../elsewhere"), exist_ok=True)
open(os.path.join(folder, "../elsewhere/a@b.vdb"), "wb").close()

path = os.path.join(folder, "sample.usda")
validate(path)
validate(os.path.join(folder, "down.usda"))

stage = Usd.Stage.Open(path)
expect(stage.GetDefaultPrim().GetPath() == "/firn", "default prim")
expect(UsdGeom.GetStageMetersPerUnit(stage) == 1, "metres per unit")
expect(UsdGeom.GetStageUpAxis(stage) == "Y", "up axis")
expect((stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (1, 3), "frames")
expect((stage.GetTimeCodesPerSecond(), stage.GetFramesPerSecond()) == (25, 25), "frames per second")

# Volumes: every field finds its file at every frame.
volume = UsdVol.Volume(stage.GetPrimAtPath("/firn/volumes/snow"))
expect(volume, "the volume")
fields = volume.GetFieldPaths()
expect(sorted(fields) == ["compaction", "density", "surface", "vel"], f"fields {sorted(fields)}")
kinds = {"density": ("fogVolume", "float"), "vel": ("unknown", "float3"), "surface": ("levelSet", "float"), "compaction": ("unknown", "float")}
for name, target in fields.items():
    field = UsdVol.OpenVDBAsset(stage.GetPrimAtPath(target))
    expect(field, f"field {name}")
    expect(field.GetFieldNameAttr().Get() == name, f"name of {name}")
    expect((field.GetFieldClassAttr().Get(), field.GetFieldDataTypeAttr().Get()) == kinds[name], f"kind of {name}")
    for frame in (1, 2, 3):
        asset = field.GetFilePathAttr().Get(frame)
        wanted = os.path.realpath(os.path.join(folder, f"volumes/snow.000{frame}.vdb"))
        expect(asset.resolvedPath and os.path.realpath(asset.resolvedPath) == wanted, f"file of {name} at {frame}: {asset}")
expect(volume.GetExtentAttr().Get(2)[1] == Gf.Vec3f(1, 2, 1), "extent of the volume at frame 2")
others = [p for p in stage.GetPrimAtPath("/firn/volumes").GetChildren() if p.GetName() != "snow"]
expect(len(others) == 1 and others[0].GetName() == "_2nd_Schnee_", f"odd name {others}")
expect(others and others[0].GetCustomDataByKey("name") == '2nd "Schnee" \u00e4', "the name as given")
single = UsdVol.OpenVDBAsset(stage.GetPrimAtPath(others[0].GetPath().AppendChild("density")))
expect(single.GetFilePathAttr().Get().resolvedPath.endswith("a@b.vdb"), "a file name with an @")
expect(not single.GetFilePathAttr().ValueMightBeTimeVarying(), "a single file does not vary")

# Colliders: points in the world, frame by frame, against the same motion done here.
for frame in (1, 2, 3):
    plough = UsdGeom.Mesh(stage.GetPrimAtPath("/firn/colliders/plough"))
    world = plough.ComputeLocalToWorldTransform(frame)
    angle = 0.5 * (frame - 1)
    for point in plough.GetPointsAttr().Get(frame):
        x, y, z = point
        moved = Gf.Vec3d(math.cos(angle) * x + math.sin(angle) * z + frame, y + 0.25, -math.sin(angle) * x + math.cos(angle) * z)
        expect((world.Transform(Gf.Vec3d(point)) - moved).GetLength() < 1e-9, f"plough at frame {frame}")
    cloth = UsdGeom.Mesh(stage.GetPrimAtPath("/firn/colliders/plough_2"))
    expect(cloth.GetPointsAttr().Get(frame)[3][1] == 2 + frame, f"cloth at frame {frame}")
    expect(cloth.GetExtentAttr().Get(frame)[1] == Gf.Vec3f(1, 2 + frame, 1), f"extent of the cloth at frame {frame}")
    for mesh in (plough, cloth):
        computed = UsdGeom.Boundable.ComputeExtentFromPlugins(mesh, Usd.TimeCode(frame))
        expect(list(computed) == list(mesh.GetExtentAttr().Get(frame)), f"extent of {mesh.GetPath()} at frame {frame}")
        valid, reason = UsdGeom.Mesh.ValidateTopology(
            mesh.GetFaceVertexIndicesAttr().Get(), mesh.GetFaceVertexCountsAttr().Get(), len(mesh.GetPointsAttr().Get(frame)))
        expect(valid, f"topology of {mesh.GetPath()}: {reason}")

# The camera: looks at its target, upright, with the angle that was asked for.
camera = UsdGeom.Camera(stage.GetPrimAtPath("/firn/camera"))
view = camera.GetCamera(1)
frustum = view.frustum
eye, target = Gf.Vec3d(4, 3, 5), Gf.Vec3d(0.5, 0.25, -1)
expect((Gf.Vec3d(frustum.position) - eye).GetLength() < 1e-6, "the eye")
expect((frustum.ComputeViewDirection() - (target - eye).GetNormalized()).GetLength() < 1e-6, "the direction")
expect(frustum.ComputeUpVector()[1] > 0, "upright")
expect(near(frustum.ComputeViewDirection() * frustum.ComputeUpVector(), 0), "square")
expect(near(math.radians(view.GetFieldOfView(Gf.Camera.FOVVertical)), 0.6), "the angle")
expect(near(view.aspectRatio, 16 / 9), "the aspect")
expect(near(view.focusDistance, (target - eye).GetLength(), 1e-5), "the focus")
below = Usd.Stage.Open(os.path.join(folder, "down.usda"))  # a prim lives as long as its stage
down = UsdGeom.Camera(below.GetPrimAtPath("/firn/camera")).GetCamera(1).frustum
expect((down.ComputeViewDirection() - Gf.Vec3d(0, -1, 0)).GetLength() < 1e-6, "straight down")

# Materials: every shader is one that MaterialX 1.38, Arnold or USD has, connections lead somewhere, and all that is seen has one.
KNOWN = {"ND_geompropvalue_float", "ND_multiply_vector3FA", "ND_anisotropic_vdf", "ND_volume", "ND_standard_surface_surfaceshader",
         "UsdPreviewSurface", "arnold:standard_volume"}
for prim in stage.Traverse():
    if prim.IsA(UsdShade.Shader):
        expect(UsdShade.Shader(prim).GetIdAttr().Get() in KNOWN, f"shader {prim.GetPath()}")
    if prim.IsA(UsdShade.Shader) or prim.IsA(UsdShade.Material):
        for attribute in prim.GetAttributes():
            for source in attribute.GetConnections():
                expect(stage.GetPropertyAtPath(source), f"{attribute.GetPath()} is connected to nothing, {source}")
    if prim.IsA(UsdGeom.Mesh) or prim.IsA(UsdGeom.Points) or prim.IsA(UsdVol.Volume):
        bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        expect(bound, f"{prim.GetPath()} has no material")
medium = {name: Gf.Vec3f(stage.GetPrimAtPath(f"/firn/materials/snow_volume/{name}").GetAttribute("inputs:in1").Get())
          for name in ("scattering", "absorption")}
expect(near((medium["scattering"] + medium["absorption"])[1] * 400, 724, 1e-3), "724 1/m at 400 kg/m^3")
expect(near(medium["scattering"][0] / 1.81, 0.9), "an albedo of 0.9 in red")
floor = UsdShade.Shader(stage.GetPrimAtPath("/firn/colliders/_/material/preview"))
expect(floor.GetInput("diffuseColor").Get() == Gf.Vec3f(0.5, 0.25, 0.125), "the floor's colour")

# Grains: clips of the frames that are there, the velocities per second, held in between.
grains = UsdGeom.Points(stage.GetPrimAtPath("/firn/grains"))
first, last = grains.GetPointsAttr().Get(1), grains.GetPointsAttr().Get(3)
expect(first and last and len(first) == len(last) > 100, "grains of frames 1 and 3")
if first and last:
    moved = max((b - a - Gf.Vec3f(2 * 2 / 25, 0, 0)).GetLength() for a, b in zip(first, last))
    expect(moved < 1e-6, f"grains move with their snow: {moved}")
    expect(all((v - Gf.Vec3f(2, 0, 0)).GetLength() < 1e-5 for v in grains.GetVelocitiesAttr().Get(3)), "velocities of grains")
    expect(list(grains.GetIdsAttr().Get(1)) == list(grains.GetIdsAttr().Get(3)), "ids of grains")
    expect(len(grains.GetWidthsAttr().Get(3)) == len(last), "widths of grains")
    low, high = grains.GetExtentAttr().Get(3)
    computed = UsdGeom.Boundable.ComputeExtentFromPlugins(grains, Usd.TimeCode(3))
    expect((computed[0] - low).GetLength() < 1e-5 and (computed[1] - high).GetLength() < 1e-5, "extent of the grains")

# Lights: the sun shines from (3, 4, 12), whatever its size.
sun = UsdLux.DistantLight(stage.GetPrimAtPath("/firn/lights/sun"))
along = UsdGeom.Xformable(sun).ComputeLocalToWorldTransform(1).TransformDir(Gf.Vec3d(0, 0, -1))
expect((along + Gf.Vec3d(3, 4, 12) / 13).GetLength() < 1e-6, f"the sun shines along {along}")
expect(sun.GetNormalizeAttr().Get() is True, "the sun's strength does not depend on its size")
expect(UsdLux.DomeLight(stage.GetPrimAtPath("/firn/lights/sky")), "the sky")
expect((camera.GetShutterOpenAttr().Get(), camera.GetShutterCloseAttr().Get()) == (-0.25, 0.25), "the shutter")

for failure in failures:
    print("usd_stage:", failure)
print(f"usd_stage: USD {'.'.join(map(str, Usd.GetVersion()))}, {len(failures)} failures")
sys.exit(1 if failures else 0)
