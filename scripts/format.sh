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
failed=0
for file in "${files[@]}"; do
    if ! "$clang_format" "$file" | cmp -s - "$file"; then
        echo "layout: $file"
        failed=1
    fi
done
[ $failed = 0 ] || echo "layout: scripts/format.sh lays these files out"
exit $failed
