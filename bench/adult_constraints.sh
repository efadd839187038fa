#!/usr/bin/env bash
# Test error and largest test gap of raco_dp and, beside it, of sgda on the complete rows of Adult over 5 splits, for several epsilons and
# slacks; see adult_reference.toml. Usage: bench/adult_constraints.sh [path of equinoise]
set -euo pipefail
cd "$(dirname "$0")/.."
equinoise="${1:-build/release/bin/equinoise}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
zcat data/adult/adult.csv.gz | grep -v '?' >"$folder/complete.csv"
run() { # constraint epsilon
  for seed in 0 1 2 3 4; do
    rm -f "$folder/ledger"
    "$equinoise" ledger init --ledger "$folder/ledger" --dataset adult --epsilon "$2" --delta 1e-5 >/dev/null
    "$equinoise" train --schema bench/adult_reference.toml --data "$folder/complete.csv" --method raco_dp --constraint "$1" \
      --epsilon "$2" --delta 1e-5 --reference --split-seed "$seed" --ledger "$folder/ledger" --json --quiet >"$folder/$seed.json"
  done
  /usr/bin/python3 - "$1" "$2" "$folder" <<'PYTHON'
import json, statistics, sys
constraint, epsilon, folder = sys.argv[1:]
reports = [json.load(open(f"{folder}/{seed}.json")) for seed in range(5)]
def told(errors, values):
    return f"error {statistics.mean(errors):5.2f} (sd {statistics.stdev(errors):.2f}), value {statistics.mean(values):.4f} (sd {statistics.stdev(values):.4f})"
private = told([100 * (1 - r["overall"]["accuracy"]) for r in reports], [max(c["value"] for c in r["constraints"]) for r in reports])
open_ = told([100 * (1 - r["reference"]["overall"]["accuracy"]) for r in reports], [max(c["reference"]["value"] for c in r["constraints"]) for r in reports])
print(f"{constraint:32} epsilon {epsilon}: {private}; sgda {open_}")
PYTHON
}
for slack in 0.2 0.15 0.1 0.05 0.02 0.01; do
  for epsilon in 1 3 9; do run "demographic_parity:sex:$slack" "$epsilon"; done
done
for bound in 0.05 0.1 0.2 0.3; do
  for epsilon in 1 3; do run "fnr:$bound" "$epsilon"; done
done
run demographic_parity:race:0.05 3

# Of small groups a quarter of the records says little: the largest gap of a group to the rest over all records, 20 splits.
for method in "raco_dp --constraint demographic_parity:race:0.05" dpsgd; do
  for seed in $(seq 0 19); do
    rm -f "$folder/ledger"
    "$equinoise" ledger init --ledger "$folder/ledger" --dataset adult --epsilon 3 --delta 1e-5 >/dev/null
    # shellcheck disable=SC2086
    "$equinoise" train --schema bench/adult_reference.toml --data "$folder/complete.csv" --method $method --epsilon 3 --delta 1e-5 \
      --split-seed "$seed" --ledger "$folder/ledger" --out "$folder/model" --force --quiet >/dev/null
    "$equinoise" audit --model "$folder/model" --data "$folder/complete.csv" --groups race --json --quiet >"$folder/$seed.json"
  done
  /usr/bin/python3 - "$method" "$folder" <<'PYTHON'
import json, statistics, sys
method, folder = sys.argv[1:]
def gap(report):
    rows = [(g["num_records"], g["selection_rate"]) for g in report["groups"]]
    records, positive = sum(n for n, _ in rows), sum(n * rate for n, rate in rows)
    return max(abs(rate - (positive - n * rate) / (records - n)) for n, rate in rows)
gaps = [gap(json.load(open(f"{folder}/{seed}.json"))) for seed in range(20)]
print(f"{method}, epsilon 3: gap by race over all records {statistics.mean(gaps):.4f}, at most {max(gaps):.4f}")
PYTHON
done
