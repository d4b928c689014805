#!/usr/bin/env bash
# Runs every fuzz target of the tree for the given time, one after the other.
#   fuzz.sh TIME
set -euo pipefail
time=${1:?time for each target, such as 20s}
grep -rlE '^func Fuzz' --include '*_test.go' . | xargs -n1 dirname | sort -u | while read -r pkg; do
  for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$pkg"/*_test.go | sed 's/^func //'); do
    echo "$pkg $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg"
  done
done
