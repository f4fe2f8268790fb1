#!/usr/bin/env bash
# Feeds changed files to every reader for so many seconds each, and prints the table of docs/reliability.md:
#   tests/fuzz/figures.sh build/asan 120
# A sanitizer's report ends a reader; then the table says so, the report follows, and the exit code is 1.
set -euo pipefail
if [ $# != 2 ]; then
    sed -n '2,4s/^# \{0,1\}//p' "$0"
    exit 2
fi
build=$1 seconds=$2
corpus=$(dirname "$0")/corpus
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}
failed=()
echo "| reader | changed files tried | survived |"
echo "|---|---|---|"
for folder in "$corpus"/*/; do
    name=$(basename "$folder")
    if "$build/bin/${name}_fuzz" "$folder" "$seconds" >"$reports/$name" 2>&1; then
        tried=$(sed -nE 's/^([0-9]+) changed files, no crash$/\1/p' "$reports/$name")
        printf '| %s | %s | %s |\n' "$name" "$tried" "$tried"
    else
        printf '| %s | ended by a report | |\n' "$name"
        failed+=("$name")
    fi
done
for name in "${failed[@]}"; do
    echo "== $name"
    cat "$reports/$name"
done
[ ${#failed[@]} = 0 ]
