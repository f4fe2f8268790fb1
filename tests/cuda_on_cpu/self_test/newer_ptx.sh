#!/usr/bin/env bash
# usage: newer_ptx.sh PYTHON NVCC SOURCE_FOLDER ARCHITECTURE...
# The PTX that nvcc makes of the CUDA device for newer architectures is translated too: nothing in it is unknown.
set -euo pipefail
python=$1 nvcc=$2 source=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for architecture in "$@"; do
    for name in cuda_snow cuda_sort; do
        "$nvcc" -std=c++17 -O3 -arch=compute_"$architecture" -I"$source/solver" -I"$source/solver/include" -ptx \
            "$source/solver/devices/$name.cu" -o "$folder/$name.ptx"
        "$python" "$source/tests/cuda_on_cpu/ptx_to_cpp.py" "$folder/$name.ptx" "$folder/$name" 1
        echo "compute_$architecture: $name.cu: $(grep -c '\.entry' "$folder/$name.ptx") kernels translated"
    done
done
