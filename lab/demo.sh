#!/usr/bin/env bash
# Runs the main job and ends on its report. An answer that is no pass (worse, unclear)
# is still an answer: only a wrong call, a failed environment or a bug fails the demo.
#   demo.sh PERFCTL RESULTS_DIR
set -uo pipefail
perfctl=${1:?path of perfctl} out=${2:?folder for results}
"$perfctl" abtest community-vs-tpc --quick --out "$out"
code=$?
case $code in
  0) echo "exit code 0: answered and acceptable" ;;
  1) echo "exit code 1: answered, B is worse" ;;
  3) echo "exit code 3: no valid answer; the report says why" ;;
  *) exit $code ;;
esac
report=$(ls -td "$out"/abtest-community-vs-tpc-*/report.html | head -n 1)
echo "report: $report"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
  xdg-open "$report" >/dev/null 2>&1 || true
elif [ "$(uname)" = Darwin ]; then
  open "$report" || true
fi
