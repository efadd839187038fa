#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzzer of fuzz/ for so long; an input that breaks its contract is kept in build/fuzz and named.
# Usage: tools/fuzz.sh SECONDS [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
export seconds="$1"
jobs="${2:-2}"
mapfile -t names < <(basename -s .cc fuzz/*.cc)

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "$jobs" --target "${names[@]/#/fuzz_}"

# New inputs are kept beside the seeds, so that the next run begins where this one ended.
mkdir -p "${names[@]/#/build/fuzz/corpus/}"
for table in fuzz/corpus/table/people.{csv,json}; do
  gzip -nc "$table" >"build/fuzz/corpus/table/${table##*/}.gz"
done
for seed in fuzz/corpus/*/*.base64; do
  base64 -d "$seed" >"build/${seed%.base64}"
done

run_one() {
  local name="$1" log="build/fuzz/$1.log"
  if ! "build/fuzz/bin/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=4096 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" "build/fuzz/corpus/$name" "fuzz/corpus/$name" >"$log" 2>&1
  then
    tail -n 60 "$log"
    echo "fuzz: $name broke its contract; all of it is in $log" >&2
    return 1
  fi
  echo "fuzz: $name: $(grep -oP 'number_of_executed_units: \K.*' "$log") inputs, no break of the contract"
}
export -f run_one
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -euo pipefail -c 'run_one {}'
