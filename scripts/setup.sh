#!/usr/bin/env bash
# Makes sure that what a build needs is there, on Debian (12 or newer) and Ubuntu (22.04 or newer).
# usage: setup.sh demo|test|long
# Missing packages are installed when that is allowed (root, or sudo without a password); otherwise they are named, with the
# command that installs them, and the exit code is 1.
set -euo pipefail

# program:package, and packages that hold only headers and libraries
programs=(cmake:cmake ninja:ninja-build g++:g++)
libraries=(libtbb-dev libpng-dev libopenvdb-dev libboost-iostreams-dev libblosc-dev libembree-dev libtomlplusplus-dev
    nlohmann-json3-dev)
case ${1:-test} in test | long)
    libraries+=(libgtest-dev libbenchmark-dev python3-openvdb python3-venv libopenvdb-tools)
    programs+=(nm:binutils awk:mawk python3:python3)
    ;;
esac
# The second compiler; without it the long tests leave it out.
wanted=()
if [ "${1:-test}" = long ]; then wanted=(clang); fi
# The farm's test starts a Slurm of its own. On a machine with systemd its packages would also start theirs: there the test is
# skipped unless somebody has installed them.
if [ "${1:-test}" = long ] && [ ! -d /run/systemd/system ]; then
    libraries+=(slurmctld slurmd slurm-client munge)
fi

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

find_missing() {
    missing=()
    local entry package
    for entry in "${programs[@]}"; do
        command -v "${entry%%:*}" >/dev/null || missing+=("${entry##*:}")
    done
    command -v dpkg-query >/dev/null || return 0 # not Debian: CMake will say which library it can't find
    for package in "${libraries[@]}"; do
        installed "$package" || missing+=("$package")
    done
}

may_install() { command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; }
by_root=()
if [ "$(id -u)" != 0 ]; then by_root=(sudo -n); fi

find_missing
if [ ${#missing[@]} -gt 0 ]; then
    install=(apt-get install -y --no-install-recommends "${missing[@]}")
    if may_install; then
        echo "setup: installing ${missing[*]}"
        export DEBIAN_FRONTEND=noninteractive
        "${by_root[@]}" apt-get update -qq || true
        "${by_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" || true
        find_missing
    fi
fi
if [ ${#missing[@]} -gt 0 ]; then
    echo "setup: missing packages: ${missing[*]}" >&2
    echo "setup: install them with: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
fi

for package in "${wanted[@]}"; do
    if may_install && ! installed "$package"; then
        # Not every release has a package of that name.
        "${by_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package" >/dev/null 2>&1 || true
    fi
done

version=$(cmake --version | awk 'NR == 1 { print $3 }')
if [ "$(printf '%s\n3.21\n' "$version" | sort -V | head -1)" != 3.21 ]; then
    echo "setup: CMake $version is too old: 3.21 or newer is needed (Debian 12 and Ubuntu 22.04 have it)" >&2
    exit 1
fi
