"""The fake hou against the stubs of the real one (types-houdini): every class, method and argument must exist there.

    fake_test.py STUBS      the folder hou-stubs
"""

from __future__ import annotations

import ast
import sys
import unittest
from pathlib import Path

FAKE = Path(__file__).resolve().parents[1] / "hou" / "hou"
#: Not hou's at all.
OWN_FILES = ("world.py", "builtin_types.py", "expression.py")

Functions = dict[str, list[ast.FunctionDef]]


def functions(body: list[ast.stmt]) -> Functions:
    found: Functions = {}
    for item in body:
        if isinstance(item, ast.FunctionDef):
            found.setdefault(item.name, []).append(item)
    return found


def arguments(function: ast.FunctionDef) -> list[str]:
    names = [argument.arg for argument in function.args.posonlyargs + function.args.args + function.args.kwonlyargs]
    return [name for name in names if name not in ("self", "cls")]


def any_arguments(function: ast.FunctionDef) -> bool:
    return function.args.vararg is not None or function.args.kwarg is not None


class Stubs:
    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        self.classes = {item.name: item for item in tree.body if isinstance(item, ast.ClassDef)}
        self.functions = functions(tree.body)

    def method(self, owner: str, name: str) -> list[ast.FunctionDef] | None:
        """Also from a class above."""
        item = self.classes.get(owner)
        if item is None:
            return None
        mine = functions(item.body).get(name)
        if mine is not None:
            return mine
        for base in item.bases:
            above = self.method(ast.unparse(base).rpartition(".")[2], name)
            if above is not None:
                return above
        return None

    def attribute(self, owner: str, name: str) -> bool:
        for item in self.classes[owner].body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and item.target.id == name:
                return True
            if isinstance(item, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in item.targets):
                return True
        return False


STUBS: Stubs


class Double(unittest.TestCase):
    def compare(self, where: str, mine: ast.FunctionDef, real: list[ast.FunctionDef] | None) -> None:
        self.assertIsNotNone(real, f"hou has no {where}")
        for candidate in real or []:
            if any_arguments(candidate):
                return
            names = arguments(candidate)
            if set(arguments(mine)) <= set(names):
                # Given by position, they must mean the same.
                needed = [name for name in names if name in arguments(mine)]
                self.assertEqual(arguments(mine), needed, where)
                return
        self.fail(f"{where}({', '.join(arguments(mine))}) is hou's {[arguments(c) for c in real or []]}")

    def test_functions(self) -> None:
        tree = ast.parse((FAKE / "__init__.py").read_text(encoding="utf-8"))
        mine = functions(tree.body)
        self.assertGreater(len(mine), 10)
        for name, found in mine.items():
            self.compare(f"hou.{name}", found[0], STUBS.functions.get(name))

    def test_classes(self) -> None:
        checked = 0
        for path in sorted(FAKE.glob("*.py")):
            if path.name in OWN_FILES:
                continue
            for item in ast.parse(path.read_text(encoding="utf-8")).body:
                if not isinstance(item, ast.ClassDef) or item.name.startswith("_"):
                    continue
                self.assertIn(item.name, STUBS.classes, f"hou has no class {item.name}")
                for name, found in functions(item.body).items():
                    if "_" in name and name != "__init__":
                        continue  # the fake's own: hou's methods have no underscores
                    if name == "__init__" and item.name not in CREATABLE:
                        continue  # only the fake makes these
                    with self.subTest(f"{item.name}.{name}"):
                        self.compare(f"hou.{item.name}.{name}", found[0], STUBS.method(item.name, name))
                    checked += 1
        self.assertGreater(checked, 120)

    def test_enumerations(self) -> None:
        for item in ast.parse((FAKE / "enums.py").read_text(encoding="utf-8")).body:
            if not isinstance(item, ast.ClassDef) or item.name == "EnumValue":
                continue
            for value in item.body:
                if isinstance(value, ast.Assign) and isinstance(value.targets[0], ast.Name):
                    name = value.targets[0].id
                    self.assertTrue(STUBS.attribute(item.name, name), f"hou has no {item.name}.{name}")


#: Classes that scripts make themselves, so that their arguments count.
CREATABLE = (
    "FloatParmTemplate", "IntParmTemplate", "StringParmTemplate", "ToggleParmTemplate", "MenuParmTemplate", "ButtonParmTemplate",
    "FolderParmTemplate", "ParmTemplateGroup", "Keyframe",
)

if __name__ == "__main__":
    STUBS = Stubs((Path(sys.argv.pop(1)) / "__init__.pyi").read_text(encoding="utf-8"))
    unittest.main()
