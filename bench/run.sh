#!/usr/bin/env bash
# Builds the release and measures it: a table on the screen, build/bench.json for docs/speed.md. About six minutes on two
# cores; --quick leaves out the run with five million particles (4 GB).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh test
cmake --preset release -DFIRN_BENCH=ON > /dev/null
cmake --build --preset release --target firn_shots firn_volumes firn_scale firn > /dev/null
build/release/bin/firn_shots build/bench.json "$@"
build/release/bin/firn_volumes build/bench.json
build/release/bin/firn_scale build/bench.json examples
