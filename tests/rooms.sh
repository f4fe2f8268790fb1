#!/usr/bin/env bash
# Who may know whom: nothing in solver/ includes a room above it, only devices/cpu_threads.cpp knows TBB, and no public
# header names a type of TBB, CUDA, OpenVDB or Houdini, because each host brings a version of its own. Only plugin/ knows
# Houdini, and it does not know the runner. No two rooms define a type of the same name.
# usage: rooms.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
failed=0

refuse() { # refuse MESSAGE PATTERN FILE...
    local message=$1 pattern=$2
    shift 2
    if grep -nE "$pattern" "$@"; then
        echo "rooms: $message"
        failed=1
    fi
}

mapfile -t public < <(find solver/include -type f)
mapfile -t all < <(find solver -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \))
mapfile -t without_threads < <(printf '%s\n' "${all[@]}" | grep -v '^solver/devices/cpu_threads\.cpp$')

refuse 'a public header of solver/ may not show TBB, CUDA, OpenVDB or Houdini types' \
    '#[[:space:]]*include.*(tbb|cuda|cub/|openvdb|UT/|GU/|GA/|SOP/)|\b(tbb|oneapi|openvdb)::|\bcuda[A-Z_]|\bCU(stream|context|device)' \
    "${public[@]}"
refuse 'in solver/ only devices/cpu_threads.cpp may include TBB' '#[[:space:]]*include.*tbb/' "${without_threads[@]}"
mapfile -t without_cuda < <(printf '%s\n' "${all[@]}" | grep -v '^solver/devices/cuda_')
refuse 'in solver/ only devices/cuda_* may include CUDA' '#[[:space:]]*include.*(cuda_runtime|cub/)' "${without_cuda[@]}"
refuse 'physics may not ask which processor it is on' '__CUDA|FIRN_HAS_CUDA|FIRN_LANE_WIDTH' \
    $(printf '%s\n' "${all[@]}" | grep -E '^solver/(snow|particles)/' | grep -v 'particles/lane\.h$')
refuse 'solver/ may not include OpenVDB, Houdini or a room above it' \
    '#[[:space:]]*include.*(openvdb|UT/|GU/|GA/|SOP/|vdb/|cli/|plugin/|tools/)' "${all[@]}"
mapfile -t below < <(find vdb cli -type f \( -name '*.h' -o -name '*.cpp' \))
refuse 'only plugin/ may include Houdini' '#[[:space:]]*include[[:space:]]*<(UT|GA|GEO|GU|OP|PRM|SOP|SIM|DOP|CH)/' "${below[@]}"
if [ -d plugin ]; then
    mapfile -t nodes < <(find plugin -type f \( -name '*.h' -o -name '*.cpp' \))
    runner=$(find cli -name '*.h' -printf '%f|')
    refuse 'plugin/ may not include the runner' "#[[:space:]]*include[[:space:]]*\"(${runner%|})\"" "${nodes[@]}"
fi

# Two types of one name in namespace firn are one type to the linker, which keeps the functions of one of them: a name is
# defined in one room only. Types in a namespace without a name, or in one inside firn, are nobody else's business.
types_of() { # types_of ROOM: the names of what files define at the level of namespace firn
    find "$1" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -exec awk '
        FNR == 1 { inside = 0; hidden = 0 }
        /^namespace firn \{/ { inside = 1; next }
        /^namespace/ { hidden = 1; next }
        /^\}  \/\/ namespace firn$/ { inside = 0; next }
        /^\}  \/\/ namespace/ { hidden = 0; next }
        # A definition has its brace on this line or the next; without one, the line that ends here only declares.
        inside && !hidden && match($0, /^(struct|class|union|enum class|enum) [A-Za-z_0-9]+/) && (/\{/ || !/;[[:space:]]*$/) {
            split(substr($0, RSTART, RLENGTH), words, " ")
            print words[words[2] == "class" ? 3 : 2]
        }' {} + | sort -u
}
rooms=()
for room in solver vdb cli plugin; do
    [ -d "$room" ] && rooms+=("$room")
done
twice=$(for room in "${rooms[@]}"; do types_of "$room"; done | sort | uniq -d)
for name in $twice; do
    echo "rooms: firn::$name is defined in more than one room:"
    grep -rnE "^(struct|class|union|enum|enum class) $name\\b([^;]*$|.*\{)" "${rooms[@]}" --include='*.h' --include='*.cpp' || true
    failed=1
done
exit $failed
