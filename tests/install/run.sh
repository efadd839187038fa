#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into an empty prefix, moves that away (nothing may depend on where it was), builds and runs the programs
# of examples/ against it, and runs the installed tool.
# Usage: tests/install/run.sh BUILD_DIRECTORY CMAKE CXX_COMPILER GENERATOR VERSION
set -euo pipefail
examples="$(cd "$(dirname "$0")/../../examples" && pwd)"
build="$1" cmake="$2" compiler="$3" generator="$4" version="$5"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

fail() { echo "install: $*" >&2; exit 1; }

"$cmake" --install "$build" --prefix "$scratch/installed" >/dev/null
mv "$scratch/installed" "$scratch/prefix"

[ ! -e "$scratch/prefix/include/equinoise/reproduction" ] || fail "published experiments are installed with the library"
empty="$(find "$scratch/prefix" -type d -empty)"
[ -z "$empty" ] || fail "folders without files are installed: $empty"
said="$("$scratch/prefix/bin/equinoise" --version)"
grep -qF "$version" <<<"$said" || fail "the installed tool says version '$said', not $version"

# What the installed tool says of itself is what was installed beside it.
while read -r file words; do
  # shellcheck disable=SC2086
  env -u EQUINOISE_SHARED "$scratch/prefix/bin/equinoise" $words | cmp - "$scratch/prefix/share/$file" ||
    fail "share/$file is not what 'equinoise $words' writes"
done <<'END'
man/man1/equinoise.1 manual
bash-completion/completions/equinoise completion bash
zsh/site-functions/_equinoise completion zsh
fish/vendor_completions.d/equinoise.fish completion fish
END

"$cmake" -S "$examples" -B "$scratch/examples" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
"$cmake" --build "$scratch/examples" >"$scratch/log" || { cat "$scratch/log"; fail "the examples do not build"; }

# Each runs in an empty folder and must leave it, and the one for temporary files, empty. A line that
# it must print is a regular expression.
mkdir "$scratch/here" "$scratch/tmp"
run_example() {
  local name="$1" line said
  shift
  said="$(cd "$scratch/here" && TMPDIR="$scratch/tmp" "$scratch/examples/$name" 2>&1)" ||
    fail "$name fails: $said"
  for line in "$@"; do
    grep -qE "^$line\$" <<<"$said" || fail "$name does not print '$line' but: $said"
  done
  [ -z "$(find "$scratch/here" "$scratch/tmp" -mindepth 1)" ] || fail "$name leaves files behind"
}

run_example plan_and_account 'pld: epsilon (1\.9[0-9]*|2\.0000)' 'zcdp: no answer, .*' \
  'entry [0-9]+ reserved, spent epsilon [0-9.]+ of 3' 'refused: .*budget.*'
# Intervals of 95 % may miss; these limits are 19 standard deviations of the noise away.
run_example private_means 'Female: mean 3[0-9]\.[0-9]+ \[.*' 'Male: mean (3[89]|4[0-2])\.[0-9]+ \[.*' \
  'overall: mean (3[6-9]|40)\.[0-9]+ \[.*' 'status: private, epsilon [0-9.]+ at delta 1e-06'
run_example own_method 'NOT PRIVATE: .*' 'smooth_dpsgd: accuracy 0\.9[0-9]+' 'dpsgd: accuracy 0\.9[0-9]+'
echo "install: $said, and the examples print what they should"
