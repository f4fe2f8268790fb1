"""What firn_node_tables prints is JSON with every key that dialogs and help pages need.

usage: node_tables.py PROGRAM
"""

import json
import subprocess
import sys

KEYS = {
    "token", "label", "unit", "folder", "type", "default", "expression", "low", "high", "slider_low", "slider_high", "help",
    "symbol", "source", "choices", "disable_when",
}
TYPES = {"real", "integer", "toggle", "choice", "vector", "string", "button"}


def main() -> int:
    text = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    nodes = json.loads(text)["nodes"]
    names = [node["name"] for node in nodes]
    for wanted in ("source", "collider", "step", "rasterize", "surface"):
        assert f"firn::snow_{wanted}" in names, names
    for node in nodes:
        assert node["table"] in ("Sop", "Dop") and node["label"] and node["icon"] and node["help"], node["name"]
        for parameter in node["parameters"]:
            where = f"{node['name']}: {parameter['token']}"
            assert set(parameter) == KEYS, where
            assert parameter["type"] in TYPES, where
            if parameter["type"] == "choice":
                assert parameter["default"] in [choice["token"] for choice in parameter["choices"]], where
    print(f"{len(nodes)} nodes, {sum(len(node['parameters']) for node in nodes)} parameters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
