#!/usr/bin/env bash
# usage: figures.sh LOG...
# What ptxas counted: no kernel spills registers, and none takes so many that a multiprocessor stands half empty.
set -euo pipefail
kernels=$(cat "$@" | grep -cE 'Used [0-9]+ registers')
spilled=$(cat "$@" | grep -oE '[0-9]+ bytes spill' | grep -cv '^0 ' || true)
most=$(grep -hoE 'Used [0-9]+ registers' "$1" | awk '{if ($2 > m) m = $2} END {print m}')
echo "$kernels kernels, at most $most registers in the step's, $spilled spill"
# 80 registers: six blocks of 128 threads, three quarters of what a multiprocessor of sm_75 holds.
[ "$kernels" -gt 40 ] && [ "$spilled" = 0 ] && [ "$most" -le 80 ]
