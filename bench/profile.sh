#!/usr/bin/env bash
# Where the time of a step goes, by kernel: one thread, 97,336 particles, the release build. With perf where it is installed
# (package linux-perf), else with callgrind (package valgrind), which counts instructions and takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh test
cmake --preset release -DFIRN_BENCH=ON >/dev/null
cmake --build --preset release --target firn_bench >/dev/null
program=(build/release/bin/firn_bench --benchmark_filter='step/lanes8_split/46')
if perf record -o build/profile.data "${program[@]}" >/dev/null 2>&1; then
    perf report -i build/profile.data --stdio --percent-limit 0.5 2>/dev/null | grep -v '^#' |
        sed -nE 's/^ *([0-9.]+%).*\[\.\] /\1  /p' | sed -E 's/firn::lanes8:://g; s/\(unsigned int.*//' | head -30
elif command -v valgrind >/dev/null; then
    valgrind --tool=callgrind --callgrind-out-file=build/profile.callgrind "${program[@]}" --benchmark_min_time=0.01 >/dev/null 2>&1
    callgrind_annotate build/profile.callgrind | head -40
else
    echo "profile.sh: neither perf nor valgrind is installed: apt-get install linux-perf" >&2
    exit 1
fi
