#!/usr/bin/env bash
# Lays out all C++ with clang-format 14. --check changes nothing and names the files that would change.
set -euo pipefail
cd "$(dirname "$0")/.."
clang_format=${CLANG_FORMAT:-clang-format}
mapfile -t files < <(find solver tools tests bench vdb cli plugin -type f \
    \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) 2>/dev/null | sort)
if [ "${1:-}" != --check ]; then
    "$clang_format" -i "${files[@]}"
    exit 0
fi
# A few files each: as many at a time as there are cores.
if ! printf '%s\0' "${files[@]}" | xargs -0 -n 16 -P "$(nproc 2>/dev/null || echo 2)" "$clang_format" --dry-run -Werror 2>&1 |
    sed -nE 's/^([^ :]+):.*clang-format-violations.*/layout: \1/p' | sort -u | { ! grep .; }; then
    echo "layout: scripts/format.sh lays these files out"
    exit 1
fi
