#!/usr/bin/env bash
# usage: architectures.sh SOURCE_FOLDER SNOW.cu NVCC OPTION...
# The device compiles for every architecture of a release, without a warning, and no kernel of the step spills registers. (CUB's
# own sort and scan do, up to 24 bytes on sm_90 and newer: NVIDIA chose their tile sizes for each architecture.)
set -euo pipefail
source=$1 snow=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for code in "$snow" "$source/solver/devices/cuda_sort.cu"; do
    file=$(basename "$code" .cu)
    if ! "$@" -I"$source/solver" -I"$source/solver/include" -Xptxas -v -c "$code" \
        -o "$folder/$file.o" >"$folder/log" 2>&1; then
        cat "$folder/log"
        exit 1
    fi
    grep -oE "for 'sm_[0-9a-z]+'" "$folder/log" | sort | uniq -c
    if grep -E 'warning|error' "$folder/log"; then failed=1; fi
    spilled=$(grep -oE '[0-9]+ bytes spill' "$folder/log" | grep -cv '^0 ' || true)
    echo "$file: $spilled spills"
    if [ "$file" = cuda_snow ] && [ "$spilled" != 0 ]; then failed=1; fi
done
exit $failed
