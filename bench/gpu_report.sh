#!/usr/bin/env bash
# Figures of the CUDA device: tables for docs/gpu.md on the screen, build/gpu_report.json. Needs nvcc, but no card; on a
# machine with a card, measured times stand beside the estimates. Some minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh test >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
build() {
    cmake --preset release -DFIRN_BENCH=ON -DFIRN_TESTS=ON >"$log" 2>&1 && cmake --build --preset release -j "$(nproc)" --target "$@" >"$log" 2>&1
}
build gpu_report gpu_measure || { tail -40 "$log" >&2; echo "gpu_report.sh: does not build; is nvcc there?" >&2; exit 1; }

# ptxas on the PTX that was run, for each of the cards' architectures: what a driver does with it too.
code=build/release/tests/firn_emulated_cuda.cuda
folder=build/gpu_report
mkdir -p "$folder"
nvcc=$(sed -n 's/^CUDAToolkit_NVCC_EXECUTABLE:[A-Z]*=//p' build/release/CMakeCache.txt)
ptxas=$(dirname "$(readlink -f "${nvcc:-$(command -v nvcc)}")")/ptxas
logs=()
for architecture in 75 80 86 89 90; do
    figures=$folder/sm_$architecture.log
    : >"$figures"
    for name in cuda_snow cuda_sort; do
        if "$ptxas" -arch=sm_$architecture -v "$code/$name/$name.ptx" -o /dev/null >>"$figures" 2>&1; then
            logs+=($architecture "$figures")
        else
            echo "gpu_report.sh: this ptxas knows no sm_$architecture; sm_75's figures stand for it" >&2
        fi
    done
done
build/release/bin/gpu_measure "$folder/measured.txt" >&2
build/release/bin/gpu_report build/gpu_report.json "$folder/measured.txt" "${logs[@]}"
