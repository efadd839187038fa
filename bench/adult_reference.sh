#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Test error of SGD and DP-SGD (epsilon 3, delta 1e-5, batch 512) on the complete rows of Adult over 5 splits; see
# repro/tables/adult.toml. Usage: bench/adult_reference.sh [path of equinoise]
set -euo pipefail
cd "$(dirname "$0")/.."
equinoise="${1:-build/release/bin/equinoise}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
zcat data/adult/adult.csv.gz | grep -v '?' >"$folder/complete.csv"
for seed in 0 1 2 3 4; do
  "$equinoise" ledger init --ledger "$folder/$seed.ledger" --dataset adult --epsilon 3 --delta 1e-5 >/dev/null
  "$equinoise" train --schema repro/tables/adult.toml --data "$folder/complete.csv" --epsilon 3 --delta 1e-5 \
    --reference --split-seed "$seed" --ledger "$folder/$seed.ledger" --json --quiet >"$folder/$seed.json"
  # The overall accuracy comes first in the report, that of the reference in its own object.
  grep -m1 -A2 '"overall"' "$folder/$seed.json" | awk -F'[:,]' '/"accuracy"/ {print "dpsgd", 100 - 100 * $2}'
  sed -n '/"reference"/,$p' "$folder/$seed.json" | awk -F'[:,]' '/"accuracy"/ {print "sgd", 100 - 100 * $2; exit}'
done | awk '
  { n[$1]++; sum[$1] += $2; squares[$1] += $2 * $2 }
  END {
    for (name in n) {
      mean = sum[name] / n[name]
      printf "%-6s test error %.2f %% (sd %.2f over %d splits)\n", name, mean,
        sqrt((squares[name] - n[name] * mean * mean) / (n[name] - 1)), n[name]
    }
  }'
