#!/usr/bin/env bash
# types.sh FOLDER: every Python file of the Houdini side under `mypy --strict`, against the stubs of the real hou (types-houdini
# from PyPI), and the fake hou against the same stubs. The packages go into a venv in FOLDER, once. Without a network or
# pip it says so and counts as skipped (77).
set -euo pipefail
folder=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
python=$folder/venv/bin/python3
if ! "$python" -c 'import mypy' 2>/dev/null || [ ! -f "$folder/installed" ]; then
    rm -rf "$folder/venv"
    mkdir -p "$folder"
    if ! { python3 -m venv "$folder/venv" &&
        timeout 240 "$python" -m pip install --quiet --disable-pip-version-check 'mypy<3' 'types-houdini==21.0.*'; } \
        >"$folder/pip.log" 2>&1; then
        rm -rf "$folder/venv"
        echo "types: skipped, mypy and types-houdini can't be installed here: $(tail -1 "$folder/pip.log")"
        exit 77
    fi
    touch "$folder/installed"
fi
stubs=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib") + "/hou-stubs")')
check() { "$python" -m mypy --strict --no-error-summary --python-version 3.11 "$@"; }

# What artists get, against the real hou.
cd "$root/hda/houdini/scripts/python"
check --cache-dir "$folder/cache" -p firn
cd "$root"
for ready in hda/houdini/python*libs/ready.py; do
    MYPYPATH=hda/houdini/scripts/python check --cache-dir "$folder/cache" --follow-imports=silent "$ready"
done
# The fake, and the tests that use it.
MYPYPATH=tests/hou:tests/hda:tests/farm:hda/houdini/scripts/python check --cache-dir "$folder/cache_of_tests" --implicit-reexport \
    --follow-imports=silent tests/hou/hou tests/hda/*.py hda/make_help.py \
    tests/farm/export*.py tests/farm/farm_test.py
"$python" tests/hda/fake_hou_test.py "$stubs"
