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
    document = json.loads(text)
    nodes = document["nodes"]
    names = [node["name"] for node in nodes]
    for wanted in ("source", "collider", "step", "rasterize", "surface", "grains"):
        assert f"firn::snow_{wanted}" in names, names
    for node in nodes:
        assert node["table"] in ("Sop", "Dop") and node["label"] and node["icon"] and node["help"], node["name"]
        for parameter in node["parameters"]:
            where = f"{node['name']}: {parameter['token']}"
            assert set(parameter) == KEYS, where
            assert parameter["type"] in TYPES, where
            if parameter["type"] == "choice":
                assert parameter["default"] in [choice["token"] for choice in parameter["choices"]], where
    quantities = {quantity["token"]: quantity for quantity in document["materials"]["quantities"]}
    assert set(quantities) == {"young_modulus", "poisson_ratio", "hardening", "theta_c", "theta_s", "friction_angle", "collapse", "rest_density"}, quantities
    assert quantities["rest_density"]["symbol"] == "rho0" and not quantities["poisson_ratio"]["varies"], quantities
    presets = {preset["token"]: preset["values"] for preset in document["materials"]["presets"]}
    assert all(set(values) == set(quantities) for values in presets.values()), presets
    assert presets["dry"] == {  # Gissler 2020, 3.3
        "young_modulus": 140e3, "poisson_ratio": 0.2, "hardening": 10, "theta_c": 0.025, "theta_s": 0.0075, "friction_angle": 50, "collapse": 0, "rest_density": 400,
    }, presets["dry"]
    assert document["surface"] == ["friction", "adhesion", "bounce", "sticky"], document["surface"]
    print(f"{len(nodes)} nodes, {sum(len(node['parameters']) for node in nodes)} parameters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
