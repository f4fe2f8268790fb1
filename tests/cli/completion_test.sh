#!/usr/bin/env bash
# Every command and every option of firn can be completed.
# usage: completion_test.sh SOURCE_FOLDER   (FIRN is the program)
set -euo pipefail
# shellcheck disable=SC1091
source "$1/cli/firn.bash-completion"
compopt() { :; }  # only works while bash completes
failed=0

complete_words() { # complete_words WORD...: what Tab offers for the last
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _firn
    printf '%s\n' "${COMPREPLY[@]}"
}

commands=$("$FIRN" --help | awk '/^  [a-z]+ / && !/^  firn/ { print $1 }')
[ "$(wc -w <<<"$commands")" -ge 8 ] || { echo "only these commands: $commands"; exit 1; }
for command in $commands; do
    grep -qx "$command" <<<"$(complete_words firn "")" || { echo "no completion of the command $command"; failed=1; }
    for option in $("$FIRN" "$command" --help | awk '/^  --[a-z]/ { print $1 }'); do
        # Not through a pipe: grep -q leaves at the first match, and the writer would die of that.
        grep -qx -- "$option" <<<"$(complete_words firn "$command" "--")" || { echo "no completion of $command $option"; failed=1; }
    done
done
PATH=$(dirname "$FIRN"):$PATH
grep -qx 'material.young_modulus=' <<<"$(complete_words firn sim --set material.young)" || { echo "no completion of --set"; failed=1; }
exit $failed
