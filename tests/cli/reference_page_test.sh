#!/usr/bin/env bash
# docs/scene.md is what `firn keys --markdown` prints, and the man page names every command and option.
# usage: reference_page_test.sh SOURCE_FOLDER   (FIRN is the program)
set -euo pipefail
failed=0
if ! diff -u "$1/docs/scene.md" <("$FIRN" keys --markdown); then
    echo "docs/scene.md is out of date: firn keys --markdown > docs/scene.md"
    failed=1
fi
for command in $("$FIRN" --help | awk '/^  [a-z]+ / && !/^  firn/ { print $1 }'); do
    grep -q "\\\\fBfirn $command\\\\fR" "$1/cli/firn.1" || { echo "firn.1 lacks the command $command"; failed=1; }
    for option in $("$FIRN" "$command" --help | awk '/^  --[a-z]/ { print $1 }'); do
        grep -qF -- "\\fB${option//-/\\-}\\fR" "$1/cli/firn.1" || { echo "firn.1 lacks $option of $command"; failed=1; }
    done
done
# Both machine-readable forms are JSON.
for command in params keys; do
    "$FIRN" $command --json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)) > 5' || failed=1
done
exit $failed
