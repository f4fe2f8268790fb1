#!/usr/bin/env bash
# Builds Firn and runs its tests.
#   ./test.sh           release: everything but the long tests; then the fast tests under ASan + UBSan and under TSan. All by g++
#   ./test.sh --quick   release only, fast tests and the checks of the source
#   ./test.sh --long    all of the first, the long tests, a release by clang++, a Slurm of three nodes, and clang-tidy
set -euo pipefail
cd "$(dirname "$0")"

mode=normal
for argument in "$@"; do
    case $argument in
        --quick) mode=quick ;;
        --long) mode=long ;;
        -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "test.sh: unknown option $argument; --help lists them" >&2; exit 2 ;;
    esac
done

if [ $mode = long ]; then scripts/setup.sh long; else scripts/setup.sh test; fi
jobs=$(nproc 2>/dev/null || echo 2)
passed=0 failed=0 failures=()
report=$(mktemp)
trap 'rm -f "$report"' EXIT

build() { # build PRESET [CMAKE_OPTION...]
    local preset=$1
    shift
    echo "== building $preset"
    cmake --preset "$preset" "$@" >"$report" 2>&1 || { cat "$report"; exit 1; }
    cmake --build --preset "$preset" -j "$jobs" >"$report" 2>&1 || { tail -60 "$report"; echo "test.sh: $preset does not build"; exit 1; }
}

run() { # run NAME COMMAND...: counts what ctest says in its closing lines
    local name=$1
    shift
    echo "== testing $name"
    "$@" 2>&1 | tee "$report" || true
    local closing total bad
    closing=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$report" | tail -1 || true)
    if [ -z "$closing" ]; then
        echo "test.sh: $name did not finish"
        failed=$((failed + 1))
        failures+=("$name: did not finish")
        return
    fi
    bad=$(sed -E 's/.*passed, ([0-9]+) tests failed.*/\1/' <<<"$closing")
    total=$(sed -E 's/.*out of ([0-9]+).*/\1/' <<<"$closing")
    failed=$((failed + bad))
    passed=$((passed + total - bad))
    local test
    while read -r test; do failures+=("$name: $test"); done < <(sed -n '/^The following tests FAILED:/,/^$/s/^[[:space:]]*[0-9]* - //p' "$report")
}

in_folder() { # in_folder PRESET CTEST_OPTION...
    local preset=$1
    shift
    ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$jobs" "$@"
}

build release -DFIRN_TESTS=ON -DFIRN_BENCH=ON -DFIRN_TOOLS=ON
if [ $mode = quick ]; then
    run "release (quick)" in_folder release -L 'fast|source'
else
    run release in_folder release -LE 'long|soak|slurm'

    build asan
    export ASAN_OPTIONS=${ASAN_OPTIONS:-} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
    # Every width of lanes is the same source: the widest reads farthest, one lane takes the loops' ends.
    run "asan and ubsan" in_folder asan -L fast -E '/lanes4'

    build tsan
    # At its end a program of several threads would wait a second for reports; what a test says is said by then.
    export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:atexit_sleep_ms=0}
    # Newer kernels shuffle addresses more than this sanitizer's map of memory allows.
    still=()
    if setarch -R true 2>/dev/null; then still=(setarch -R); fi
    in_still_folder() { "${still[@]}" ctest --test-dir build/tsan --output-on-failure --no-tests=error -j "$jobs" "$@"; }
    # Threads share their work alike at every width.
    run tsan in_still_folder -L fast -E '/lanes[14]'
fi
if [ $mode = long ]; then
    run "release (long)" in_folder release -L 'long|soak|slurm'
    run "asan (long)" in_folder asan -L long
    if command -v clang++ >/dev/null; then
        build clang
        run "clang++" in_folder clang -L fast
    fi
    if command -v clang-tidy >/dev/null; then
        echo "== clang-tidy"
        if scripts/tidy.sh; then passed=$((passed + 1)); else failed=$((failed + 1)) failures+=("clang-tidy"); fi
    fi
fi

echo
# Whoever reads only the end of a long log sees what failed.
for test in ${failures[@]+"${failures[@]}"}; do echo "failed: $test"; done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
