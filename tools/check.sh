#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The checks beyond `make test`, the quick ones first; the first failure ends it. Two hours on 2 cores from nothing, half of them
# clang-tidy. With BASE, a commit, clang-tidy reads only the sources that changed since then, only the unit tests are sanitized,
# and cppcheck, fuzzers and the other builds are left out.
# Usage: tools/check.sh [JOBS [BASE]]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs="${1:-2}"
base="${2:-}"
tools/setup.sh check

part() { printf '\ncheck: %s\n' "$*"; }

part "formatting: every source is as clang-format writes it"
git ls-files '*.h' '*.cc' | xargs clang-format --dry-run --Werror

part "layers: includes run one way only"
tools/check_layers.sh

part "licences: every source names its own"
tools/check_licences.sh

part "range-for: no loop over a part of a temporary"
tools/check_range_for.pl

# Clang reads the compile commands of g++, so it must overlook what it does not know. Each source is read alone, so a header
# that it forgets to include is found here.
tidy() {
  part "clang-tidy: bug patterns, narrowing conversions and the static analyzer"
  cmake --preset dev -B build/tidy -DEQUINOISE_UNITY=OFF >/dev/null
  xargs -r -P "$jobs" -n 1 clang-tidy -p build/tidy --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
}

# The sources that changed, and those of the headers that did.
changed_sources() {
  git diff --name-only --diff-filter=d "$base" -- 'equinoise/*.cc' 'equinoise/*.h' 'cli/*.cc' 'cli/*.h' |
    sed 's/\.h$/.cc/' | sort -u | while read -r source; do [ ! -f "$source" ] || echo "$source"; done
}

sanitize() {
  part "address and undefined-behaviour sanitizers: $1"
  cmake --preset asan-ubsan >/dev/null
  cmake --build --preset asan-ubsan -j "$jobs" ${2:+--target "$2"}
  ctest --test-dir build/asan-ubsan --output-on-failure -j "$jobs" ${2:+-R '^unit\.'} -LE 'slow|repro'
}

if [ -n "$base" ]; then
  changed_sources | tidy
  sanitize "the unit tests" unit_tests
  part "all passed"
  exit
fi

part "cppcheck: misuse of the standard library and of POSIX"
cppcheck --quiet --error-exitcode=1 -j "$jobs" --std=c++20 --language=c++ --library=posix --library=googletest \
  --enable=warning,performance,portability --suppressions-list=tools/cppcheck_suppressions.txt -I. \
  equinoise cli bench fuzz tests

part "fuzzers: whatever the bytes, schemas, tables, constraints, configurations and models give a result or an Error"
tools/fuzz.sh 10 "$jobs"

git ls-files 'equinoise/*.cc' 'cli/*.cc' | tidy

part "each source alone, with all warnings as errors"
cmake --build build/tidy -j "$jobs" --target equinoise_cli

sanitize "all tests but the slow ones"

# Left out: two tests of high-precision arithmetic that take a minute each and have no threads, and the detector of deadlocks,
# which ends the program where DuckDB's memory holds more than its 64 locks at a fork.
part "thread sanitizer: the unit tests, without TBB, whose library it cannot see into"
cmake --preset tsan >/dev/null
cmake --build --preset tsan -j "$jobs" --target unit_tests
TSAN_OPTIONS=detect_deadlocks=0 GTEST_FILTER='-*FractionalOrdersAgreeWithHighPrecision*:*EqualsTheWideReference*' \
  ctest --test-dir build/tsan --output-on-failure -j "$jobs" -L unit -E '^layers$|^compile_fail|^fuzz'

part "all passed"
