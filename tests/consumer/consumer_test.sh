#!/usr/bin/env bash
# Installs the build into an empty folder, builds a project against it that says find_package(firn), and runs what comes out.
# Also configures a project that says add_subdirectory: there, Firn brings no tests and makes no warning an error.
# usage: consumer_test.sh SOURCES BUILD WORK_FOLDER COMPILER VERSION
set -euo pipefail
sources=$1 build=$2 work=$3 compiler=$4 version=$5

fail() {
    echo "consumer: $*" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/firn" >"$work/log" 2>&1 || fail "$(tail -20 "$work/log")"

# The README's program is the block of C++ that has a main().
awk '/^```cpp$/ { inside = 1; text = ""; next }
     /^```$/ && inside { inside = 0; if (text ~ /int main/) printf "%s", text; next }
     inside { text = text $0 "\n" }' "$sources/README.md" >"$work/readme.cpp"
[ -s "$work/readme.cpp" ] || fail "README.md has no program with a main()"

cmake -S "$sources/tests/consumer" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$work/firn" -DWANTED="${version%.*}" -DREADME="$work/readme.cpp" >"$work/log" 2>&1 &&
    cmake --build "$work/build" >>"$work/log" 2>&1 || fail "$(tail -40 "$work/log")"

"$work/build/readme" || fail "the README's program failed"
said=$("$work/build/show_version")
[ "$said" = "firn $version" ] || fail "the library says '$said', the project is $version"
if [ -x "$work/build/save_snow" ]; then "$work/build/save_snow" "$work/snow.bgeo" || fail "firn::vdb did not save"; fi
if [ -x "$work/firn/bin/firn" ]; then
    [ "$("$work/firn/bin/firn" --version)" = "$said" ] || fail "the runner has another version than the library"
    for file in share/man/man1/firn.1 share/bash-completion/completions/firn share/firn/examples/wall_smash.toml \
        share/doc/firn/README.md share/doc/firn/docs/scene.md; do
        [ -f "$work/firn/$file" ] || fail "$file was not installed"
    done
    grep -q "\"Firn $version\"" "$work/firn/share/man/man1/firn.1" || fail "the manual page is not of Firn $version"
fi

# Nothing that was installed remembers where it was built.
if grep -rlF -e "$sources" -e "$build" "$work/firn/include" "$work/firn/lib" --include='*.cmake' --include='*.h'; then
    fail "the files above name a folder of the build"
fi
cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.21)
project(host LANGUAGES CXX)
add_subdirectory($sources firn)
add_executable(readme readme.cpp)
target_link_libraries(readme PRIVATE firn::solver)
CMAKE
cmake -S "$work" -B "$work/subproject" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DFIRN_VDB=OFF -DFIRN_CUDA=OFF \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$work/log" 2>&1 || fail "as a subproject: $(tail -20 "$work/log")"
if grep -q -e -Werror "$work/subproject/compile_commands.json"; then fail "as a subproject, warnings are errors"; fi
if grep -q -e "$sources/tests/" "$work/subproject/compile_commands.json"; then fail "as a subproject, Firn builds its tests"; fi
grep -q '^CMAKE_BUILD_TYPE:STRING=$' "$work/subproject/CMakeCache.txt" || fail "as a subproject, Firn chose the build type"

echo "consumer: find_package(firn ${version%.*}) works"
