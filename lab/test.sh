#!/usr/bin/env bash
# go test over everything. Prints one line a package, every failure in full, and at the
# end what was skipped and why. PERFCTL_REQUIRE=chromium,prometheus makes a missing part
# fail instead of skip.
set -uo pipefail
log=$(mktemp); trap 'rm -f "$log"' EXIT
race=-race
if ! command -v "${CC:-cc}" >/dev/null && ! command -v gcc >/dev/null; then
  race=
  echo "SKIPPED: the race detector (it needs a C compiler)"
fi
go test $race -v -timeout 20m "$@" ./... 2>&1 | tee "$log" | grep --line-buffered -E '^(ok  |FAIL|panic:)|^--- FAIL'
status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
  echo; echo "failures in full:"
  awk '/^=== (RUN|NAME|CONT|PAUSE)/ {next} /^--- (PASS|SKIP)|^ok  / {block=""; next} {block = block $0 "\n"} /^--- FAIL|^FAIL|^panic:/ {printf "%s", block; block=""}' "$log"
fi
skipped=$(awk '/^ *--- SKIP/ {print; if (why ~ /\.go:[0-9]+:/) print why} {why=$0}' "$log")
if [ -n "$skipped" ]; then
  echo; echo "SKIPPED (parts that are not here; .ci/run installs them):"; echo "$skipped"
fi
passed=$(grep -cE '^ *--- PASS' "$log"); failed=$(grep -cE '^ *--- FAIL' "$log"); left=$(grep -cE '^ *--- SKIP' "$log")
echo "$passed passed, $failed failed, $left skipped"
exit "$status"
