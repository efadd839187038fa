#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demonstration: a private model from the full UCI Adult, with per-group truth. Can be repeated any number of times:
# every run starts a new ledger under build/demo, whose budget is larger than the cost of the training. For real data a
# ledger is opened once and kept.
set -euo pipefail
cd "$(dirname "$0")/.."
equinoise="$1"
out=build/demo
rm -rf "$out"
mkdir -p "$out"

say() { printf '\n$ %s\n' "$*"; "$@"; }
say "$equinoise" schema check --schema data/adult/schema.toml --data data/adult/adult.csv.gz
say "$equinoise" ledger init --ledger "$out/adult.ledger" --dataset adult --epsilon 4 --delta 1e-6
say "$equinoise" train --schema data/adult/schema.toml --data data/adult/adult.csv.gz \
  --method dpsgd --groups sex,race --epsilon 3 --delta 1e-6 --reference \
  --ledger "$out/adult.ledger" --out "$out/model"
say "$equinoise" audit --model "$out/model" --data data/adult/adult.csv.gz --held-out --groups sex --out "$out/audit"
say "$equinoise" ledger show --ledger "$out/adult.ledger"
printf '\nTo look at, not to publish: %s and %s\nTo publish: %s\n' \
  "$out/model/report.html" "$out/audit/report.html" "$out/model/model_card.html"
