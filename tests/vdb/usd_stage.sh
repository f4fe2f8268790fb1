#!/usr/bin/env bash
# usd_stage.sh TESTS FOLDER: stages written by the test program, looked at with usd-core from PyPI. The package goes into a
# venv in FOLDER, once. Without a network or pip it says so and counts as skipped (77).
set -euo pipefail
tests=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
python=$folder/venv/bin/python3
if ! "$python" -c 'import pxr.Usd' 2>/dev/null; then
    rm -rf "$folder/venv"
    mkdir -p "$folder"
    if ! { python3 -m venv "$folder/venv" && timeout 240 "$python" -m pip install --quiet --disable-pip-version-check usd-core; } \
        >"$folder/pip.log" 2>&1; then
        rm -rf "$folder/venv"
        echo "usd_stage: skipped, usd-core can't be installed here: $(tail -1 "$folder/pip.log")"
        exit 77
    fi
fi
rm -rf "$folder/stages"
mkdir -p "$folder/stages/run"
FIRN_USD_FOLDER=$folder/stages/run "$tests" --gtest_filter=UsdStage.SampleForUsdCore --gtest_brief=1
"$python" "$here/usd_stage.py" "$folder/stages/run"
