"""The asset's parameter dialog: rows of a plan as Houdini's parameter templates."""

from __future__ import annotations

import hou

from firn.snow_solver import AssetParameter, Folder, Plan
from firn.tables import Parameter


def tooltip(row: Parameter) -> str:
    """The row's help and its symbol in the papers, for somebody who hovers over the label."""
    return f"{row.help} Symbol: {row.symbol}." if row.symbol else row.help


def label(row: Parameter) -> str:
    """As the plugin's own dialogs show it: "Particle Spacing (m)"."""
    return f"{row.label} ({row.unit})" if row.unit else row.label


def _slider(row: Parameter) -> tuple[float, float]:
    if row.slider_low < row.slider_high:
        return row.slider_low, row.slider_high
    return row.low, max(row.high, row.low + 1)


def template(parameter: AssetParameter) -> hou.ParmTemplate:
    """One row. Sliders show the useful range; a limit is enforced where the slider ends at it."""
    row = parameter.row
    low, high = _slider(row)
    made: hou.ParmTemplate
    if row.kind in ("real", "vector"):
        made = hou.FloatParmTemplate(
            row.token,
            label(row),
            len(row.default),
            default_value=row.default,
            min=low,
            max=high,
            min_is_strict=low == row.low,
            max_is_strict=high == row.high,
            naming_scheme=hou.parmNamingScheme.XYZW if row.kind == "vector" else hou.parmNamingScheme.Base1,
        )
    elif row.kind == "integer":
        integer = hou.IntParmTemplate(
            row.token,
            label(row),
            1,
            default_value=(int(row.default[0]),),
            min=int(low),
            max=int(high),
            min_is_strict=low == row.low,
            max_is_strict=high == row.high,
        )
        if parameter.default_expressions:
            integer.setDefaultExpression(parameter.default_expressions)
            integer.setDefaultExpressionLanguage((hou.scriptLanguage.Hscript,))
        made = integer
    elif row.kind == "toggle":
        made = hou.ToggleParmTemplate(row.token, label(row), default_value=bool(row.default[0]))
    elif row.kind == "choice":
        made = hou.MenuParmTemplate(
            row.token,
            label(row),
            menu_items=tuple(choice.token for choice in row.choices),
            menu_labels=tuple(choice.label for choice in row.choices),
            default_value=int(row.default[0]),
        )
    elif row.kind == "string":
        made = hou.StringParmTemplate(row.token, label(row), 1, default_value=(str(row.default[0]),))
        if row.token.endswith("file"):
            made = hou.StringParmTemplate(
                row.token,
                label(row),
                1,
                default_value=(str(row.default[0]),),
                string_type=hou.stringParmType.FileReference,
                file_type=hou.fileType.Geometry,
            )
    else:
        made = hou.ButtonParmTemplate(row.token, label(row))
    made.setHelp(tooltip(row))
    if row.disable_when:
        made.setConditional(hou.parmCondType.DisableWhen, row.disable_when)
    if parameter.callback:
        made.setScriptCallback(parameter.callback)
        made.setScriptCallbackLanguage(hou.scriptLanguage.Python)
    return made


def _name(label: str) -> str:
    return "folder_" + label.lower().replace(" ", "_")


def _folder(folder: Folder, kind: hou.EnumValue, above: str = "") -> hou.FolderParmTemplate:
    name = f"{above}_{_name(folder.label)}" if above else _name(folder.label)
    templates = [template(parameter) for parameter in folder.parameters]
    templates += [_folder(sub, hou.folderType.Collapsible, name) for sub in folder.folders]
    return hou.FolderParmTemplate(name, folder.label, parm_templates=templates, folder_type=kind)


def template_group(plan: Plan) -> hou.ParmTemplateGroup:
    """One tab for each folder of the plan."""
    group = hou.ParmTemplateGroup()
    for folder in plan.folders:
        group.append(_folder(folder, hou.folderType.Tabs))
    return group
