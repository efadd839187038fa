#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into an empty prefix, moves that away (nothing may depend on where it was), builds and runs the program
# in this folder against it, and runs the installed tool.
# Usage: tests/install/run.sh BUILD_DIRECTORY CMAKE CXX_COMPILER GENERATOR VERSION
set -euo pipefail
source_directory="$(cd "$(dirname "$0")" && pwd)"
build="$1" cmake="$2" compiler="$3" generator="$4" version="$5"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

fail() { echo "install: $*" >&2; exit 1; }

"$cmake" --install "$build" --prefix "$scratch/installed" >/dev/null
mv "$scratch/installed" "$scratch/prefix"

[ ! -e "$scratch/prefix/include/equinoise/reproduction" ] || fail "published experiments are installed with the library"
said="$("$scratch/prefix/bin/equinoise" --version)"
grep -qF "$version" <<<"$said" || fail "the installed tool says version '$said', not $version"

"$cmake" -S "$source_directory" -B "$scratch/user" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
"$cmake" --build "$scratch/user" >"$scratch/log" || { cat "$scratch/log"; fail "the user's program does not build"; }
said="$("$scratch/user/user")"
[[ "$said" =~ ^epsilon\ (2\.9|3\.0) ]] || fail "the user's program printed '$said', not an epsilon of about 3"
echo "install: $said, $("$scratch/prefix/bin/equinoise" --version)"
