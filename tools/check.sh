#!/usr/bin/env bash
# The checks beyond the tests: formatting, layers, clang-tidy, and the tests under address and undefined-behaviour sanitizers.
# Usage: tools/check.sh JOBS
set -euo pipefail
cd "$(dirname "$0")/.."
jobs="${1:-2}"
tools/setup.sh check

echo "check: formatting"
git ls-files '*.h' '*.cc' | xargs clang-format --dry-run --Werror

echo "check: layers"
tools/check_layers.sh

# Clang reads the compile commands of g++, so it must overlook what it does not know.
echo "check: clang-tidy"
cmake --preset dev >/dev/null
git ls-files 'equinoise/*.cc' 'cli/*.cc' | xargs -P "$jobs" -n 1 \
  clang-tidy -p build/dev --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null

echo "check: tests under sanitizers"
cmake --preset asan-ubsan >/dev/null
cmake --build --preset asan-ubsan -j "$jobs"
ctest --test-dir build/asan-ubsan --output-on-failure -j "$jobs" -LE 'slow|repro'
