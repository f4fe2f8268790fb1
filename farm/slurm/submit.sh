#!/usr/bin/env bash
# Sends a scene to Slurm: the simulation, and behind it its volumes as an array job; with wedges, all of each.
usage='usage: submit.sh SCENE OUT [options]
  --frames A-B          frames of the volumes (default: all of the scene)
  --chunk N             frames of a task of the volumes (default: 8)
  --wedges              every [[wedge]] of the scene, into OUT/wedge_0000 and so on
  --set KEY=VALUE       change a value of the scene; may be given often
  --sim OPTIONS         of sbatch, for the simulation: --sim "--partition=big --cpus-per-task=32"
  --volumes OPTIONS     of sbatch, for the volumes
Prints the numbers of the jobs. FIRN_PROGRAM names the program where it is not in the PATH of the nodes. SCENE and OUT must be on a
folder that all nodes share.'
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
firn=${FIRN_PROGRAM:-firn}

fail() { echo "submit.sh: $1" >&2; exit 2; }
scene= out= frames= chunk=8 wedges= sim_options=() volumes_options=() set_options=()
while [ $# -gt 0 ]; do
    case $1 in
        --frames | --chunk | --set | --sim | --volumes)
            [ $# -ge 2 ] || fail "$1 needs a value"
            case $1 in
                --frames) frames=$2 ;;
                --chunk) chunk=$2 ;;
                --set) set_options+=(--set "$2") ;;
                --sim) read -ra sim_options <<<"$2" ;;
                --volumes) read -ra volumes_options <<<"$2" ;;
            esac
            shift
            ;;
        --wedges) wedges=yes ;;
        -h | --help) echo "$usage"; exit 0 ;;
        -*) fail "unknown option $1; --help lists them" ;;
        *) if [ -z "$scene" ]; then scene=$1; elif [ -z "$out" ]; then out=$1; else fail "unexpected argument $1"; fi ;;
    esac
    shift
done
if [ -z "$out" ]; then echo "$usage" >&2; exit 2; fi
[[ $chunk =~ ^[1-9][0-9]*$ ]] || fail "--chunk $chunk: give a whole number of frames"

# Wrong scenes are found here, and not on the farm.
"$firn" check "$scene" "${set_options[@]}" >/dev/null
if [ -z "$frames" ]; then
    frames=$("$firn" info "$scene" | sed -nE 's/.* frames (-?[0-9]+) to (-?[0-9]+);.*/\1-\2/p')
fi
[[ $frames =~ ^(-?[0-9]+)-(-?[0-9]+)$ ]] || fail "--frames $frames: write FIRST-LAST, 1-48"
first=${BASH_REMATCH[1]} last=${BASH_REMATCH[2]}
tasks=$(((last - first) / chunk + 1))

scene=$(realpath "$scene")
mkdir -p "$out/log"
out=$(realpath "$out")
array=() count=0
if [ -n "$wedges" ]; then
    count=$("$firn" wedges "$scene" --count)
    [ "$count" -gt 0 ] || fail "$scene has no [[wedge]]"
    array=(--array="0-$((count - 1))")
fi

name=%A_%a
[ -n "$wedges" ] || name=%j
sim=$(sbatch --parsable --output="$out/log/sim.$name.txt" "${array[@]}" "${sim_options[@]}" "$here/sim.sbatch" \
    "$scene" "$out" --no-volumes "${set_options[@]}")
sim=${sim%%;*} # behind a ';' stands the cluster's name
echo "simulation $sim"
send_volumes() { # send_volumes RUN DEPENDENCY
    local job
    job=$(sbatch --parsable --output="$out/log/volumes.%A_%a.txt" --array="0-$((tasks - 1))" --dependency="afterok:$2" \
        --kill-on-invalid-dep=yes "${volumes_options[@]}" "$here/volumes.sbatch" "$1" "$first" "$last" "$chunk")
    echo "volumes ${job%%;*} of $1"
}
if [ -n "$wedges" ]; then
    for ((wedge = 0; wedge < count; ++wedge)); do
        send_volumes "$out/$(printf 'wedge_%04d' "$wedge")" "${sim}_$wedge"
    done
else
    send_volumes "$out" "$sim"
fi
