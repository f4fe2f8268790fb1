"""hou's enumerations: classes whose attributes are EnumValue objects."""

from __future__ import annotations


class EnumValue:
    def __init__(self, owner: str, name: str) -> None:
        self._owner = owner
        self._name = name

    def name(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"{self._owner}.{self._name}"


class parmNamingScheme:
    Base1 = EnumValue("parmNamingScheme", "Base1")
    XYZW = EnumValue("parmNamingScheme", "XYZW")


class folderType:
    Tabs = EnumValue("folderType", "Tabs")
    Collapsible = EnumValue("folderType", "Collapsible")
    Simple = EnumValue("folderType", "Simple")


class scriptLanguage:
    Python = EnumValue("scriptLanguage", "Python")
    Hscript = EnumValue("scriptLanguage", "Hscript")


class exprLanguage:
    Python = EnumValue("exprLanguage", "Python")
    Hscript = EnumValue("exprLanguage", "Hscript")


class stringParmType:
    Regular = EnumValue("stringParmType", "Regular")
    FileReference = EnumValue("stringParmType", "FileReference")


class fileType:
    Any = EnumValue("fileType", "Any")
    Geometry = EnumValue("fileType", "Geometry")


class parmCondType:
    DisableWhen = EnumValue("parmCondType", "DisableWhen")
    HideWhen = EnumValue("parmCondType", "HideWhen")


class severityType:
    Message = EnumValue("severityType", "Message")
    Warning = EnumValue("severityType", "Warning")
    Error = EnumValue("severityType", "Error")


class parmTemplateType:
    Int = EnumValue("parmTemplateType", "Int")
    Float = EnumValue("parmTemplateType", "Float")
    String = EnumValue("parmTemplateType", "String")
    Toggle = EnumValue("parmTemplateType", "Toggle")
    Menu = EnumValue("parmTemplateType", "Menu")
    Button = EnumValue("parmTemplateType", "Button")
    FolderSet = EnumValue("parmTemplateType", "FolderSet")
    Folder = EnumValue("parmTemplateType", "Folder")
    Label = EnumValue("parmTemplateType", "Label")


class licenseCategoryType:
    Commercial = EnumValue("licenseCategoryType", "Commercial")
    Indie = EnumValue("licenseCategoryType", "Indie")
    Apprentice = EnumValue("licenseCategoryType", "Apprentice")


class primType:
    Polygon = EnumValue("primType", "Polygon")
    VDB = EnumValue("primType", "VDB")
    PackedGeometry = EnumValue("primType", "PackedGeometry")
    Volume = EnumValue("primType", "Volume")


class attribType:
    Prim = EnumValue("attribType", "Prim")


class vdbData:
    Float = EnumValue("vdbData", "Float")
    Vector3 = EnumValue("vdbData", "Vector3")
