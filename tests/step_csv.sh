#!/usr/bin/env bash
# step_csv as a person meets it: what it writes, in which order, and what it says about bad input.
# usage: step_csv.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "step_csv: FAILED: $*"; exit 1; }

# A 4 x 4 x 4 block, last particle first, half a spacing above a floor.
{
    echo x,y,z,vx,vy,vz
    for i in 7 5 3 1; do for j in 7 5 3 1; do for k in 7 5 3 1; do echo "0.0$i,0.0$j,0.0$k,0,-0.5,0"; done; done; done
} >snow.csv
{
    echo x,y,z
    for i in $(seq -5 2 13); do for k in $(seq -5 2 13); do
        awk -v i="$i" -v k="$k" 'BEGIN { printf "%g,-0.01,%g\n", i / 100, k / 100 }'
    done; done
} >floor.csv

# The command of the documentation.
"$program" --snow snow.csv --boundary floor.csv --spacing 0.02 --dt 2e-4 --steps 50 --every 25 --mode published \
    --tolerance 1e-6 --set E=140e3 --out out_%04d.csv >log || fail "the documented command"
[ -f out_0025.csv ] && [ -f out_0050.csv ] || fail "out_0025.csv and out_0050.csv are not there"
[ "$(ls | grep -c part || true)" = 0 ] || fail "a temporary file is left"
[ "$(head -1 out_0050.csv)" = x,y,z,vx,vy,vz,density,pressure,Fxx,Fxy,Fxz,Fyy,Fyz,Fzz ] || fail "header"
[ "$(wc -l <out_0050.csv)" = 65 ] || fail "one line per particle"
grep -qiE 'nan|inf' out_0050.csv && fail "a value is not finite"
# In the input's order: after 10 ms no particle has left its place by more than a spacing.
paste -d, snow.csv out_0050.csv | awk -F, 'NR > 1 { for (k = 1; k <= 3; ++k) { d = $k - $(k + 6); if (d * d > 0.0004) exit 1 } }' ||
    fail "the order of the input"

# Free fall: semi-implicit Euler is exact in its own way, v = g t.
printf 'x,y,z\n0,10,0\n' >flake.csv
"$program" --snow flake.csv --spacing 0.02 --dt 1e-3 --steps 100 --out fall.csv >log || fail "one flake"
awk -F, 'NR == 2 { v = -0.981; if (($5 - v) ^ 2 > 1e-8) { print $0; exit 1 } }' fall.csv || fail "v after 0.1 s of free fall"

# Its own output is input again.
"$program" --snow out_0050.csv --boundary floor.csv --spacing 0.02 --dt 2e-4 --steps 1 --out again.csv >log ||
    fail "reading its own output"

# Twice the same bits.
"$program" --snow snow.csv --boundary floor.csv --spacing 0.02 --dt 2e-4 --steps 50 --mode published --tolerance 1e-6 \
    --set E=140e3 --out once_more.csv >log
cmp out_0050.csv once_more.csv || fail "the same run twice"

refused() { # refused EXPECTED_TEXT ARGUMENT...
    local expected=$1
    shift
    if "$program" --spacing 0.02 --dt 1e-3 --steps 1 --out bad_%04d.csv "$@" >out.txt 2>err.txt; then
        fail "took $*"
    else
        [ $? = 1 ] || fail "exit code for $*"
    fi
    [ "$(wc -l <err.txt)" = 1 ] || fail "not one line for $*: $(cat err.txt)"
    grep -qF -- "$expected" err.txt || fail "for $* it said: $(cat err.txt)"
    ls bad_* >/dev/null 2>&1 && fail "wrote a file for $*"
    return 0
}
printf 'x,y,z\n0,0,0\n0,zero,0\n' >word.csv
printf 'x,y,z\n0,0,0\n\n0,0\n' >short.csv
printf 'x,y,z\n0,0,nan\n' >nan.csv
printf 'x,y,z\n0,0,1e40\n' >huge.csv
printf 'x,y\n0,0\n' >flat.csv
printf 'x,y,z,vx,vy\n0,0,0,0,0\n' >sibling.csv
: >empty.csv
refused word.csv:3:2 --snow word.csv
refused short.csv:4:3 --snow short.csv
refused nan.csv:2:3 --snow nan.csv
refused huge.csv:2:3 --snow huge.csv
refused flat.csv:1 --snow flat.csv
refused sibling.csv:1 --snow sibling.csv
refused empty.csv:1:1 --snow empty.csv
refused missing.csv --snow missing.csv
refused word.csv:3:2 --snow snow.csv --boundary word.csv
refused stiffness --snow snow.csv --set stiffness=1
refused token=value --snow snow.csv --set E
refused --stepps --snow snow.csv --stepps 3
refused --friction --snow snow.csv --boundary floor.csv --friction slippery
refused dreamt --snow snow.csv --mode dreamt
"$program" --help | grep -q -- --tolerance || fail "--help"
echo "step_csv: all as documented"
