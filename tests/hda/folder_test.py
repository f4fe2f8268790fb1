"""What lies in the folder that an artist drops in: package file, shelf, icons, help pages, dialogs. Without Houdini."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import dialog_script
import help_names
import houdini_session
import wiki
from houdini_session import FOLDER, ROOT, HoudiniTest
from package_file import evaluate, houdini_path

import firn
from firn import build, recipes, snow_solver, tables

PACKAGE = ROOT / "hda" / "package" / "firn.json"
MAKE_PACKAGE = ROOT / "hda" / "package" / "make_package.py"


class PackageFile(unittest.TestCase):
    """The package file of a folder with these plugins, as its script makes it."""

    BUILDS = (20000520, 20000596, 20050405, 20050557, 21000440)

    def setUp(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            packages = Path(name)
            for api in self.BUILDS:
                (packages / "firn" / f"hdk{api}" / "dso").mkdir(parents=True)
                (packages / "firn" / f"hdk{api}" / "dso" / "firn.so").touch()
            (packages / "firn" / "hdk20050999" / "dso").mkdir(parents=True)  # without a plugin
            made = subprocess.run([sys.executable, "-B", MAKE_PACKAGE, packages], capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertEqual(sorted(path.name for path in packages.iterdir()), ["firn", "firn.json"])
            self.package = json.loads((packages / "firn.json").read_text(encoding="utf-8"))

    def paths(self, version: str, system: str = "linux") -> list[str]:
        return houdini_path(self.package, {"houdini_version": version, "houdini_os": system}, "/opt/packages")

    def test_each_houdini_gets_the_plugin_of_its_hdk_and_no_other(self) -> None:
        for version, folder in (
            ("20.0.520", "hdk20000520"), ("20.0.595", "hdk20000520"), ("20.0.896", "hdk20000596"),
            ("20.5.405", "hdk20050405"), ("20.5.487", "hdk20050405"), ("20.5.556", "hdk20050405"),
            ("20.5.557", "hdk20050557"), ("20.5.684", "hdk20050557"), ("21.0.440", "hdk21000440"), ("21.0.999", "hdk21000440"),
        ):
            self.assertEqual(self.paths(version), ["/opt/packages/firn/houdini", f"/opt/packages/firn/{folder}"], version)

    def test_path_has_no_conditions_of_its_own(self) -> None:
        """Public package files have them at variables only."""
        self.assertTrue(all(isinstance(path, str) for path in self.package["hpath"]), self.package["hpath"])

    def test_old_houdini_is_left_alone(self) -> None:
        self.assertEqual(self.paths("19.5.805"), [])

    def test_houdini_without_a_plugin_still_has_the_start_up_hook_that_says_so(self) -> None:
        for version in ("20.0.100", "20.5.278", "21.5.1", "23.0.1"):
            self.assertEqual(self.paths(version), ["/opt/packages/firn/houdini"], version)

    def test_folder_without_plugins_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            made = subprocess.run([sys.executable, "-B", MAKE_PACKAGE, name], capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 1)
            self.assertIn("has no plugin", made.stderr)

    def test_keys_are_houdinis(self) -> None:
        self.assertLessEqual(set(self.package), {"enable", "load_package_once", "version", "env", "hpath"})

    def test_version_is_the_projects(self) -> None:
        found = re.search(r"project\(firn VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        assert found is not None
        self.assertEqual(self.package["version"], found.group(1))
        self.assertEqual(json.loads(PACKAGE.read_text(encoding="utf-8"))["version"], found.group(1))
        self.assertEqual(firn.__version__, found.group(1))

    def test_versions_compare_by_numbers(self) -> None:
        self.assertTrue(evaluate("houdini_version >= '20.5'", {"houdini_version": "20.10.1"}))


class Shelf(unittest.TestCase):
    def setUp(self) -> None:
        self.root = xml.parse(FOLDER / "toolbar" / "firn.shelf").getroot()

    def test_members_are_tools_and_all_of_them(self) -> None:
        self.assertEqual(self.root.tag, "shelfDocument")
        shelf = self.root.find("toolshelf")
        assert shelf is not None
        members = [member.get("name") for member in shelf.findall("memberTool")]
        self.assertEqual(members, [tool.get("name") for tool in self.root.findall("tool")])

    def test_every_recipe_has_a_tool(self) -> None:
        scripts = {str(tool.get("name")): tool for tool in self.root.findall("tool")}
        for recipe in recipes.RECIPES:
            tool = scripts[f"firn_recipe_{recipe.name}"]
            self.assertEqual(tool.get("label"), recipe.label)
            self.assertIn(f'recipes.build_from_shelf("{recipe.name}")', tool.findtext("script") or "")
            self.assertEqual(tool.findtext("helpText"), recipe.sentence)

    def test_scripts_are_python(self) -> None:
        for tool in self.root.findall("tool"):
            script = tool.find("script")
            assert script is not None and script.text is not None
            self.assertEqual(script.get("scriptType"), "python")
            compile(script.text, str(tool.get("name")), "exec")

    def test_the_assets_own_tool(self) -> None:
        tool = xml.fromstring(build._TOOL).find("tool")
        assert tool is not None
        self.assertEqual(tool.findtext("toolSubmenu"), "Firn")


class Icons(unittest.TestCase):
    folder = FOLDER / "config" / "Icons"

    def wanted(self) -> set[str]:
        shelf = xml.parse(FOLDER / "toolbar" / "firn.shelf").getroot()
        names = {str(tool.get("icon")) for tool in shelf.findall("tool")}
        return names | {node.icon for node in tables.load().nodes} | {snow_solver.ASSET_ICON}

    def test_each_is_there_and_used(self) -> None:
        self.assertEqual({path.stem for path in self.folder.glob("*.svg")}, self.wanted())

    def test_drawings(self) -> None:
        shapes = {"title", "rect", "circle", "ellipse", "path"}
        for path in self.folder.glob("*.svg"):
            root = xml.parse(path).getroot()
            space = "{http://www.w3.org/2000/svg}"
            self.assertEqual(root.tag, f"{space}svg", path)
            self.assertEqual(root.get("viewBox"), "0 0 48 48", path)
            tags = [child.tag.replace(space, "") for child in root]
            self.assertLessEqual(set(tags), shapes, path)  # Houdini draws no text, filters or scripts
            self.assertGreater(len(tags), 2, path)
            for child in root.iter(f"{space}path"):
                self.assertRegex(child.get("d", ""), r"^M[-\d.,\sMLHVCSAZazhvlcsm]+$", path)
            self.assertLess(path.stat().st_size, 4096, path)


class HelpPages(unittest.TestCase):
    folder = FOLDER / "help"
    #: Pages of Houdini's own help that Firn's pages link to.
    houdinis = {"dop/merge", "sop/merge", "sop/solver"}

    def pages(self) -> dict[str, wiki.Page]:
        found = {}
        for path in sorted(self.folder.glob("nodes/*/*.txt")):
            try:
                found[f"{path.parent.name}/{path.stem}"] = wiki.parse(path.read_text(encoding="utf-8"))
            except wiki.WikiError as trouble:
                self.fail(f"{path.name}: {trouble}")
        return found

    def test_every_node_and_the_asset_have_one(self) -> None:
        wanted = {f"{node.table.lower()}/{node.name.replace('::', '--')}" for node in tables.load().nodes}
        self.assertEqual(set(self.pages()), wanted | {"sop/firn--snow_solver"})

    def test_parameters_are_the_nodes_own(self) -> None:
        known = tables.load()
        pages = self.pages()
        for node in known.nodes:
            page = pages[f"{node.table.lower()}/{node.name.replace('::', '--')}"]
            self.assertEqual(sorted(page.ids), sorted(row.token for row in node.parameters), node.name)
        asset = [parameter.row.token for parameter in snow_solver.make_plan(known).parameters()]
        self.assertEqual(sorted(pages["sop/firn--snow_solver"].ids), sorted(asset))

    def test_heads(self) -> None:
        names = {f"{node.table.lower()}/{node.name.replace('::', '--')}": node for node in tables.load().nodes}
        for name, page in self.pages().items():
            context = name.split("/")[0]
            self.assertEqual(page.properties["type"], "node")
            self.assertEqual(page.properties["context"], context)
            self.assertEqual(page.properties["internal"].replace("::", "--"), name.split("/")[1])
            self.assertTrue((FOLDER / "config" / "Icons" / f"{page.properties['icon']}.svg").is_file(), name)
            if name in names:
                self.assertEqual(page.title, names[name].label)
                self.assertEqual(len(page.entries.get("inputs", [])), len(names[name].inputs), name)

    def test_links_lead_somewhere(self) -> None:
        pages = self.pages()
        for name, page in pages.items():
            self.assertTrue(page.links, name)
            for kind, target in page.links:
                self.assertEqual(kind, "Node", f"{name}: {target}")
                self.assertIn(target, set(pages) | self.houdinis, name)

    def test_the_prose_names_what_there_is(self) -> None:
        for path in sorted(help_names.PROSE.glob("*.txt")):
            self.assertEqual(help_names.mistakes(path.read_text(encoding="utf-8"), tables.load()), [], path.name)

    def test_names_from_memory_are_found(self) -> None:
        known = tables.load()
        good = "Set __Particle Spacing__ on [Firn Snow Source|Node:sop/firn--snow_source]; `pscale` is half of it."
        self.assertEqual(help_names.mistakes(good, known), [])
        for old, new in (
            ("__Particle Spacing__", "__Particle Size__"), ("__Particle Spacing__", "Particle Spacing"), ("Snow Source", "Snow Emitter"),
            ("`pscale`", "`radius`"), ("`pscale`", "`firn meld`"), ("`pscale`", "`hython -m firn.meld`"), ("`pscale`", '`object.option("device")`'),
            ("`pscale`", '`dopfield("../dopnet1", "snow", "SnowReport", "Options", 0, "steps")`'),
        ):
            self.assertNotEqual(help_names.mistakes(good.replace(old, new), known), [], new)

    def test_the_reader_finds_mistakes(self) -> None:
        good = '= T =\n\n#type: node\n\n"""S."""\n\n@parameters\n\nA:\n    #id: a\n    Text.\n'
        self.assertEqual(wiki.parse(good).ids, ["a"])
        for old, new in (
            ("= T =", "T"), ("#type", "#tipe"), ('"""S."""', '"""S."'), ("@parameters", "@parameter"), ("    Text.", "  Text."),
            ("Text.", "a_name."), ("Text.", "`code."), ("Text.", "Text. "), ("A:\n", ""), ("Text.", "Text [1]."), ("Text.", "*Text.*"), ("Text.", "a <b> c."),
            ("Text.", "    Text."), ("Text.", "a -> b."), ("Text.", "__UI."), ('"""S."""\n', ""), ("Text.", "= x ="),
        ):
            with self.assertRaises(wiki.WikiError, msg=f"{old!r} -> {new!r}"):
                wiki.parse(good.replace(old, new))


class RunTimeNames(ast.NodeVisitor):
    """The names of hou that running code asks for; annotations stay text."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d), *node.body]:
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id == "hou":
            self.found.add(node.attr)
        self.generic_visit(node)


class OlderHoudinis(unittest.TestCase):
    #: In the stubs of 21.0, and of unknown age: a Houdini 20.0 may not have them.
    YOUNG = {"OpNode", "OpNodeType"}

    def test_young_names_are_not_asked_for(self) -> None:
        for path in sorted((FOLDER / "scripts" / "python" / "firn").glob("*.py")):
            names = RunTimeNames()
            names.visit(ast.parse(path.read_text(encoding="utf-8")))
            self.assertEqual(names.found & self.YOUNG, set(), path.name)

    def test_the_test_sees_them(self) -> None:
        names = RunTimeNames()
        names.visit(ast.parse("def f(a: hou.OpNode) -> hou.OpNode:\n    return cast(hou.OpNodeType, a)"))
        self.assertEqual(names.found, {"OpNodeType"})


class Dialogs(HoudiniTest):
    def test_plugins_dialogs(self) -> None:
        document = json.loads(tables.table_file().read_text(encoding="utf-8"))
        for node in document["nodes"]:
            dialog = dialog_script.parse(node["dialog_script"])
            dialog_script.check(dialog)
            tokens = sorted(row["token"] for row in node["parameters"])
            self.assertEqual(sorted(parm.name for parm in dialog.all_parms()), tokens, node["name"])

    def test_assets_dialog(self) -> None:
        script = build.ensure().sections()["DialogScript"].contents()
        dialog = dialog_script.parse(script)
        dialog_script.check(dialog)
        plan = snow_solver.make_plan(tables.load())
        self.assertEqual({parm.name for parm in dialog.all_parms()}, {p.row.token for p in plan.parameters()})
        self.assertEqual([group.label for group in dialog.groups], [folder.label for folder in plan.folders])
        rows = {parameter.row.token: parameter.row for parameter in plan.parameters()}
        for parm in dialog.all_parms():
            self.assertTrue(parm.help, parm.name)
            self.assertEqual(parm.disable_when, rows[parm.name].disable_when)
            self.assertEqual([item for item, _ in parm.menu], [choice.token for choice in rows[parm.name].choices])

    def test_the_reader_finds_mistakes(self) -> None:
        good = (
            '{ name x group { name "f" label "F" parm { name "a" label "A" type float default { "1" } range { 0! 1 } '
            'help "h" } parm { name "m" label "M" type ordinal default { "one" } menu { "one" "One" } disablewhen "{ a == 0 }" } } }'
        )
        dialog_script.check(dialog_script.parse(good))
        for old, new in (
            ("float", "flaot"), ('"a" label', '"a b" label'), ('"m" label', '"a" label'), ('{ "1" }', '{ "1" "2" }'),
            ("0! 1", "1! 1"), ('"one" "One"', '"one"'), ('default { "one" }', 'default { "two" }'), ("{ a == 0 }", "{ b == 0 }"),
            ("{ a == 0 }", "a == 0"), ("help", "halp"), (" } } }", " } }"), ("menu {", "list {"), ('label "A"', ""),
        ):
            self.assertIn(old, good)
            with self.assertRaises((dialog_script.DialogError, ValueError), msg=f"{old!r} -> {new!r}"):
                dialog_script.check(dialog_script.parse(good.replace(old, new, 1)))


class ArtistsGuide(unittest.TestCase):
    text = (ROOT / "docs" / "artist.md").read_text(encoding="utf-8")

    def test_links_and_pictures_are_there(self) -> None:
        targets = re.findall(r"\]\(([^)#]+)\)", self.text)
        for recipe in recipes.RECIPES:
            self.assertIn(f"pictures/{recipe.name}.jpg", targets)
        for target in targets:
            self.assertTrue((ROOT / "docs" / target).is_file(), target)

    def test_names_are_those_of_the_dialog(self) -> None:
        rows = [parameter.row for parameter in snow_solver.make_plan(tables.load()).parameters()]
        rows += [row for node in tables.load().nodes for row in node.parameters]
        known = {row.label for row in rows} | {choice.label for row in rows for choice in row.choices}
        known |= {folder.label for folder in snow_solver.make_plan(tables.load()).folders} | {"Firn Snow", "Firn"}
        for name in re.findall(r"(?<!\*)\*([A-Z][^*\n]+)\*(?!\*)", self.text):
            self.assertIn(name, known)


class Tables(unittest.TestCase):
    def test_without_a_build_one_line_says_what_to_do(self) -> None:
        script = "from firn import tables\ntry: tables.load()\nexcept Exception as e: print(type(e).__name__, e)"
        folder = ROOT / "hda" / "houdini" / "scripts" / "python"
        said = subprocess.run([sys.executable, "-B", "-c", script], cwd=folder, capture_output=True, text=True, check=True).stdout
        self.assertRegex(said, r"^FirnError .*node_tables.json is missing: .* --target houdini_folder\) and use build/release/houdini\n$")

    def test_snow_has_its_eight_numbers_and_a_surface_its_four(self) -> None:
        known = tables.load()
        source = known.node("firn::snow_source")
        for quantity in known.materials:
            self.assertEqual(source.parameter(quantity.token).kind, "real")
        self.assertEqual(len(known.materials), 8)
        menu = [choice.token for choice in source.parameter("preset").choices]
        self.assertLessEqual({preset.token for preset in known.presets}, set(menu))
        for token in known.surface:
            self.assertEqual(known.node("firn::snow_collider").parameter(token).folder, "Surface")
        self.assertEqual(len(known.surface), 4)


class Python(unittest.TestCase):
    def test_old_pythons_can_read_it(self) -> None:
        """Houdini 20.0 has Python 3.10; what is left of 3.9 costs nothing."""
        for path in sorted(FOLDER.rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))
            for node in ast.walk(tree):
                self.assertNotIsInstance(node, getattr(ast, "Match", ()), path)

    def test_nothing_made_lies_about(self) -> None:
        self.assertFalse(list(FOLDER.glob("otls/*")), "assets are built, not kept")


if __name__ == "__main__":
    unittest.main()
