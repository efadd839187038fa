#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every benchmark and its peers in one go. Each program says on what machine it ran: compare ratios, not absolute times.
set -euo pipefail
cd "$(dirname "$0")/.."
binaries="$1"
for program in "$binaries"/bench_*; do
  echo
  echo "== ${program##*/}"
  "$program" --benchmark_repetitions=3 --benchmark_report_aggregates_only=false 2>&1 | grep -vE '_(mean|stddev|cv)'
done
# Debian's own Python, which has the NumPy that tools/setup.sh installs.
for peer in bench/peers/*.py; do
  echo
  echo "== $peer"
  /usr/bin/python3 "$peer"
done
echo
echo "== synthetic rows beside private-pgm's library (bench/peers/synthesis/protocol.py without --quick: hours)"
build/peers/bin/python bench/peers/synthesis/protocol.py --quick --methods aim mst "mbi mst" --tool "$binaries/equinoise" \
  --runs "$(mktemp -d)/runs.jsonl" || echo "did not run to its end: see above"
for peer in dpsgd audits accounts reductions overhead; do
  echo
  echo "== the Python package beside its peers (bench/peers/python/$peer.py)"
  [[ "$peer" =~ ^(reductions|overhead)$ ]] && options=(--tool "$binaries/equinoise") || options=()
  PYTHONPATH="$binaries/../python" build/python-peers/bin/python "bench/peers/python/$peer.py" "${options[@]}" ||
    echo "did not run to its end: see above"
done
echo
echo "== noisy histograms"
/usr/bin/python3 bench/histograms.py
echo
echo "== peak memory"
/usr/bin/python3 bench/memory.py "$binaries/equinoise"
echo
echo "== synthetic rows"
/usr/bin/python3 bench/synthesizers.py "$binaries/equinoise"
echo
echo "== accountants on 144 plans"
/usr/bin/python3 bench/accountants.py "$binaries/equinoise"
