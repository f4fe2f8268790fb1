#!/usr/bin/env bash
# clang-tidy over every file of the release build, as .clang-tidy says. usage: tidy.sh [file...]
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/release/compile_commands.json ] || cmake --preset release
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(find solver tools tests bench vdb cli plugin -name '*.cpp' 2>/dev/null)
failed=0
for file in "${files[@]}"; do
    "${CLANG_TIDY:-clang-tidy}" -p build/release --quiet --warnings-as-errors='*' "$file" 2>/dev/null || failed=1
done
exit $failed
