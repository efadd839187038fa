#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plants sources with and without a licence and checks that tools/check_licences.sh names those without.
# Usage: tests/licences/run.sh CHECK_LICENCES
set -euo pipefail
check="$1"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

fail() { echo "licences.planted: $*" >&2; exit 1; }

licence='SPDX-License-Identifier: Apache-2.0'
mkdir -p "$scratch/room" "$scratch/build" "$scratch/room/node_modules"
printf '// %s\n' "$licence" >"$scratch/room/good.cc"
printf '#!/bin/sh\n# %s\n' "$licence" >"$scratch/good.sh"
echo 'not a source' >"$scratch/notes.txt"
echo 'int built;' >"$scratch/build/generated.cc"
echo 'installed()' >"$scratch/room/node_modules/other.js"
"$check" "$scratch" || fail "sources with a licence are refused"

missing=(room/none.cc room/none.h room/none.inc none.py none.sh none.pl none.js none.mjs none.cmake CMakeLists.txt Makefile)
for file in "${missing[@]}"; do echo 'nothing' >"$scratch/$file"; done
printf '\n\n\n// %s\n' "$licence" >"$scratch/room/late.cc"
printf '// SPDX-License-Identifier: MIT\n' >"$scratch/room/other.cc"
missing+=(room/late.cc room/other.cc)
said="$("$check" "$scratch" 2>&1)" && fail "sources without a licence pass"
for file in "${missing[@]}"; do
  grep -qF "licences: ./$file " <<<"$said" || fail "$file is not named in: $said"
done
[ "$(wc -l <<<"$said")" -eq ${#missing[@]} ] || fail "more is named than what lacks a licence: $said"
echo "licences.planted: ${#missing[@]} sources without a licence are named"
