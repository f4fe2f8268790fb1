"""Builds the firn::snow_solver asset file from the sources beside this module.

    hython -m firn.build [FOLDER]

The file's name carries a stamp of everything that it was made from, so a file that exists is current, versions of Firn and
of Houdini don't disturb each other, and a half-written file never has that name.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from pathlib import Path
from typing import cast

import hou

import firn
from firn import dialog, lock, network, tables
from firn.error import FirnError
from firn.snow_solver import ASSET_ICON, ASSET_LABEL, ASSET_NAME, INPUT_LABELS, OUTPUT_LABELS, Plan, make_plan

#: What the asset is made from, beside the tables.
SOURCES = ("build.py", "buttons.py", "dialog.py", "network.py", "snow_solver.py", "tables.py")

OLDEST_HOUDINI = (20, 0)

#: Houdini changes the ending of what it saves with an Indie or an Apprentice licence.
ENDINGS = (".hda", ".hdalc", ".hdanc")

_TOOL = """<?xml version="1.0" encoding="UTF-8"?>
<shelfDocument>
  <tool name="$HDA_DEFAULT_TOOL" label="$HDA_LABEL" icon="$HDA_ICON">
    <toolMenuContext name="viewer"><contextNetType>SOP</contextNetType></toolMenuContext>
    <toolMenuContext name="network"><contextOpType>$HDA_TABLE_AND_NAME</contextOpType></toolMenuContext>
    <toolSubmenu>Firn</toolSubmenu>
    <script scriptType="python"><![CDATA[import soptoolutils
soptoolutils.genericTool(kwargs, '$HDA_NAME')]]></script>
  </tool>
</shelfDocument>
"""


def houdini_release() -> str:
    """As in "21.0": assets of one release serve all its builds."""
    version = hou.applicationVersion()
    return f"{version[0]}.{version[1]}"


def check_houdini() -> None:
    if hou.applicationVersion()[:2] < OLDEST_HOUDINI:
        oldest = ".".join(str(number) for number in OLDEST_HOUDINI)
        raise FirnError(f"Houdini {hou.applicationVersionString()} is too old for Firn: use {oldest} or newer")


def stamp() -> str:
    """Twelve letters that change with Firn, its tables, the asset's sources and the release of Houdini."""
    digest = hashlib.sha256()
    digest.update(f"{firn.__version__} {houdini_release()}".encode())
    here = Path(__file__).parent
    for name in SOURCES:
        digest.update((here / name).read_bytes())
    digest.update(tables.table_file().read_bytes())
    return digest.hexdigest()[:12]


def asset_stem() -> str:
    """The file's name without its ending. By licence too: an asset that an Apprentice saved would turn the session of a
    commercial Houdini into an Apprentice's."""
    return f"firn_snow_solver-{houdini_release()}-{hou.licenseCategory().name().lower()}-{stamp()}"


def find_asset(folder: Path) -> Path | None:
    """The current asset file in `folder`, with whichever ending its licence gave it."""
    for ending in ENDINGS:
        path = folder / (asset_stem() + ending)
        if path.is_file():
            return path
    return None


def user_folder() -> Path:
    """Where a Houdini builds for itself. Not one of the folders that Houdini scans: without Firn's nodes the asset would
    only raise errors there."""
    return Path(hou.homeHoudiniDirectory()) / "firn"


def check_nodes(known: tables.Tables) -> None:
    """Are the plugin's nodes there?"""
    category = hou.sopNodeTypeCategory()
    missing = [
        node.name for node in known.nodes if node.table == "Sop" and hou.nodeType(category, node.name) is None
    ]
    if missing:
        raise FirnError(
            f"Houdini {hou.applicationVersionString()} does not know {', '.join(missing)}: Firn's plugin for this version was "
            "not loaded; start Houdini with HOUDINI_DSO_ERROR=2 to see why, and look for its folder beside firn.json"
        )


def labelled(dialog_script: str) -> str:
    """The dialog script with the names of the inputs and outputs."""
    lines = [line for line in dialog_script.splitlines() if not re.match(r"\s*(input|output)label\s", line)]
    named = [f'    inputlabel\t{index}\t"{label}"' for index, label in enumerate(INPUT_LABELS, 1)]
    named += [f'    outputlabel\t{index}\t"{label}"' for index, label in enumerate(OUTPUT_LABELS, 1)]
    for number, line in enumerate(lines):
        if re.match(r"\s*label\s", line):
            return "\n".join(lines[: number + 1] + named + lines[number + 1 :]) + "\n"
    return dialog_script


def _write(plan: Plan, file: Path) -> Path:
    """Builds the asset in a corner of the scene, saves it and leaves the scene as it was. Returns `file`, or the same with
    the ending that Houdini preferred."""
    with hou.undos.disabler():
        corner = network.objects().createNode("geo", "firn_builds_its_asset", run_init_scripts=False)
        try:
            subnet = corner.createNode("subnet", "snow_solver")
            for node in subnet.children():
                node.destroy()
            templates = dialog.template_group(plan)
            subnet.setParmTemplateGroup(templates)
            network.build(subnet, plan)
            asset = subnet.createDigitalAsset(
                name=ASSET_NAME,
                hda_file_name=file.as_posix(),
                description=ASSET_LABEL,
                min_num_inputs=1,
                max_num_inputs=len(INPUT_LABELS),
                version=stamp(),
                ignore_external_references=True,
                create_backup=False,
            )
            definition = asset.type().definition()
            if definition is None:
                raise FirnError(f"Houdini made no definition of {ASSET_NAME} in {file}")
            definition.setParmTemplateGroup(templates, create_backup=False)
            definition.setMaxNumOutputs(len(OUTPUT_LABELS))
            definition.setIcon(ASSET_ICON)
            definition.setComment(f"Made by Firn {firn.__version__} for Houdini {houdini_release()}")
            definition.addSection("Tools.shelf", _TOOL)
            definition.save(definition.libraryFilePath(), create_backup=False)
            # Last: Houdini writes this section anew whenever the parameters change.
            script = definition.sections()["DialogScript"]
            script.setContents(labelled(script.contents()))
            return Path(definition.libraryFilePath())
        finally:
            corner.destroy()
            for ending in ENDINGS:
                _forget(file.with_suffix(ending))


def _forget(file: Path) -> None:
    """Houdini installs what it creates; under its temporary name nobody shall use it."""
    try:
        hou.hda.uninstallFile(file.as_posix(), change_oplibraries_file=False)
    except hou.Error:
        pass  # it was not created


def _remove_older(folder: Path, current: Path) -> None:
    """Files of this release of Houdini from another Firn. One that is in use stays."""
    for old in folder.glob(f"{asset_stem().rpartition('-')[0]}-*.hda*"):
        if old != current:
            try:
                old.unlink()
            except OSError:
                pass


def build(folder: Path) -> Path:
    """The asset file in `folder`, built unless it is there. Safe to call from many Houdinis at once."""
    check_houdini()
    present = find_asset(folder)
    if present is not None:
        return present
    known = tables.load()
    check_nodes(known)
    plan = make_plan(known)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as trouble:
        raise FirnError(f"{folder} can't be made ({trouble.strerror}): give a folder that is writable") from trouble
    with lock.held(folder / "firn_snow_solver.lock"):
        present = find_asset(folder)
        if present is not None:  # somebody else was faster
            return present
        # A name of our own, in the same folder, so that the last step is a rename.
        temporary = folder / f"building-{os.getpid()}-{asset_stem()}.hda"
        try:
            written = _write(plan, temporary)
            path = folder / (asset_stem() + written.suffix)
            os.replace(written, path)
        except (OSError, hou.Error) as trouble:
            raise FirnError(f"{asset_stem()} can't be built in {folder}: {describe(trouble)}") from trouble
        finally:
            for ending in ENDINGS:
                temporary.with_suffix(ending).unlink(missing_ok=True)
    _remove_older(folder, path)
    return path


def describe(trouble: Exception) -> str:
    """One line about an exception of Houdini or the system."""
    text = trouble.instanceMessage() if isinstance(trouble, hou.Error) else str(trouble)
    return " ".join(text.split()) or type(trouble).__name__


def current_definition() -> hou.HDADefinition | None:
    """The asset that Houdini would create now, if it is of this Firn."""
    kind = cast("hou.OpNodeType | None", hou.nodeType(hou.sopNodeTypeCategory(), ASSET_NAME))
    definition = kind.definition() if kind is not None else None
    if definition is not None and definition.version() == stamp():
        return definition
    return None


def ensure(folder: Path | None = None) -> hou.HDADefinition:
    """Makes the asset available in this session: as installed beside the plugin, or built for this user."""
    check_houdini()
    present = current_definition()
    if present is not None:
        return present
    path = build(folder if folder is not None else user_folder())
    try:
        hou.hda.installFile(path.as_posix(), change_oplibraries_file=False, force_use_assets=True)
    except hou.Error as trouble:
        raise FirnError(f"{path} can't be installed: {describe(trouble)}") from trouble
    installed = current_definition()
    if installed is None:
        raise FirnError(f"{ASSET_NAME} of {path} is hidden by another definition: remove the older asset file")
    return installed


def main(arguments: list[str]) -> int:
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0 if len(arguments) == 1 else 2
    try:
        print(build(Path(arguments[0]) if arguments else user_folder()))
    except FirnError as trouble:
        print(f"firn: {trouble}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
