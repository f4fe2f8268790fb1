#!/usr/bin/env bash
# usage: kernels_for_cuda.sh NVCC SOURCE_FOLDER
# Compiles the step for sm_75 and looks at ptxas's figures: no warning, no spilled register.
set -euo pipefail
nvcc=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
log=$folder/log
if ! "$nvcc" -std=c++17 -O2 -arch=sm_75 -I"$source/solver" -I"$source/solver/include" -Xptxas -v \
    -c "$source/tests/kernels_for_cuda.cu" -o "$folder/kernels.o" >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
if grep -E 'warning|error' "$log"; then exit 1; fi
kernels=$(grep -cE 'Used [0-9]+ registers' "$log")
spilled=$(grep -oE '[0-9]+ bytes spill' "$log" | grep -cv '^0 ' || true)
most=$(grep -oE 'Used [0-9]+ registers' "$log" | awk '{if ($2 > m) m = $2} END {print m}')
echo "$kernels kernels, at most $most registers, $spilled of them spill"
[ "$kernels" -gt 30 ] && [ "$spilled" = 0 ]
