#!/usr/bin/env bash
# node_tables.sh PROGRAM FILE: is FILE what the program prints?
set -euo pipefail
if ! "$1" | diff -u "$2" - | head -40; then
    echo "node_tables.json is not current: $1 > $2 && hda/make_help.py"
    exit 1
fi
