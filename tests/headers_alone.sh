#!/usr/bin/env bash
# Every header compiles alone: it includes what it needs. Kernels (solver/particles, solver/snow) are compiled by whoever brings
# them an Execution and a lane width; here that is the CPU with one lane. Headers for nvcc are left out.
# usage: headers_alone.sh SOURCES COMPILER [INCLUDE_FOLDER_OF_A_LIBRARY...]
set -euo pipefail
cd "$1"
export compiler=$2
shift 2
export libraries=""
for folder in "$@"; do
    case $folder in /usr/include | "$PWD"*) ;; *) libraries+=" -isystem $folder" ;; esac
done

check() { # check HEADER
    local options=(-Isolver -Isolver/include) said
    case $1 in
        solver/particles/* | solver/snow/*)
            options+=(-DFIRN_LANES=lanes1 -DFIRN_LANE_WIDTH=1 -include solver/devices/cpu_execution.h) ;;
        solver/*) options+=(-DFIRN_LANES=lanes1 -DFIRN_LANE_WIDTH=1) ;;
        *) options+=(-Ivdb -Ivdb/include -Icli -Iplugin -Itests/hdk/include) ;;
    esac
    if ! said=$("$compiler" -std=c++17 -fsyntax-only -x c++ "${options[@]}" $libraries -include "$1" /dev/null 2>&1); then
        echo "headers_alone: $1 does not compile alone: $(grep -m1 error <<<"$said")"
        return 1
    fi
}
export -f check

# The build has proved it already of a header that is the first include of a source file.
proved() {
    local source room folder name
    while IFS=: read -r source name; do
        room=${source%%/*} folder=${source%/*}
        for header in "$folder/$name" "$room/$name" "$room/include/$name"; do
            if [ -f "$header" ]; then
                echo "$header"
                break
            fi
        done
    done < <(find solver vdb cli plugin -name '*.cpp' -print0 | xargs -0 grep -Hm1 '^#include' |
        sed -nE 's/^([^:]+):#include "([^"]+)".*/\1:\2/p')
}
find solver vdb cli plugin -name '*.h' ! -name 'cuda_*' | sort | comm -23 - <(proved | sort -u) |
    xargs -P "$(nproc 2>/dev/null || echo 2)" -I{} bash -c 'check {}'
