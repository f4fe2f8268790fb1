#!/usr/bin/env bash
# usage: newer_ptx.sh PYTHON NVCC SOURCE_FOLDER SNOW.cu ARCHITECTURE...
# The PTX that nvcc makes of the CUDA device for newer architectures is translated too: nothing in it is unknown.
set -euo pipefail
python=$1 nvcc=$2 source=$3 snow=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for architecture in "$@"; do
    for code in "$snow" "$source/solver/devices/cuda_sort.cu"; do
        name=$(basename "$code" .cu)
        "$nvcc" -std=c++17 -O3 -arch=compute_"$architecture" -I"$source/solver" -I"$source/solver/include" -ptx \
            "$code" -o "$folder/$name.ptx"
        "$python" "$source/tests/cuda_on_cpu/ptx_to_cpp.py" "$folder/$name.ptx" "$folder/$name" 1
        echo "compute_$architecture: $name.cu: $(grep -c '\.entry' "$folder/$name.ptx") kernels translated"
    done
done
