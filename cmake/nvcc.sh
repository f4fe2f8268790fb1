#!/usr/bin/env bash
# usage: nvcc.sh LOG COMMAND...: runs the compiler; what ptxas counts goes to LOG, everything is shown if it fails.
set -uo pipefail
log=$1
shift
if ! "$@" >"$log" 2>&1; then
    cat "$log"
    rm -f "$log"
    exit 1
fi
