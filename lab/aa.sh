#!/usr/bin/env bash
# Quick A/A sessions: community against itself. Prints a line a session and the count of
# those that named a winner, which must be 0. Fails when one did.
#   aa.sh PERFCTL RESULTS_DIR SESSIONS
set -uo pipefail
perfctl=${1:?path of perfctl} out=${2:?folder for results} n=${3:?number of sessions}
winners=0 answered=0
for i in $(seq 1 "$n"); do
  json=$("$perfctl" abtest community-vs-tpc --a community --b community --quick --quiet --json --seed "$i" --out "$out")
  code=$?
  status=$(printf '%s' "$json" | sed -n 's/^    "status": "\(.*\)",$/\1/p' | head -n 1)
  sentence=$(printf '%s' "$json" | sed -n 's/^    "sentence": "\(.*\)",\{0,1\}$/\1/p' | head -n 1)
  printf '%2d  seed %-3d exit %d  %-15s %s\n' "$i" "$i" "$code" "$status" "$sentence"
  case $status in
    better|worse) winners=$((winners + 1)) ;;
    same|unclear) answered=$((answered + 1)) ;;
    *) echo "session $i gave no result (exit $code)"; exit 1 ;;
  esac
done
echo "$n sessions, $answered same or unclear, $winners named a winner"
[ "$winners" -eq 0 ]
