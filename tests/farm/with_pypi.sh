#!/usr/bin/env bash
# with_pypi.sh FOLDER PACKAGE PROGRAM COMMAND...: runs the command with TOOL = PROGRAM of a package from PyPI. The package goes
# into a venv in FOLDER, once. Without a network or pip it says so and counts as skipped (77).
set -euo pipefail
folder=$1 package=$2 program=$3
shift 3
export TOOL=$folder/venv/bin/$program
if ! [ -x "$TOOL" ]; then
    rm -rf "$folder/venv"
    mkdir -p "$folder"
    if ! { python3 -m venv "$folder/venv" && timeout 240 "$folder/venv/bin/python3" -m pip install --quiet \
        --disable-pip-version-check "$package"; } >"$folder/pip.log" 2>&1; then
        rm -rf "$folder/venv"
        echo "skipped: $package can't be installed here: $(tail -1 "$folder/pip.log")"
        exit 77
    fi
fi
exec "$@"
