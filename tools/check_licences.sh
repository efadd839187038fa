#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that every source says its licence within its first three lines. Names those that do not.
# Usage: tools/check_licences.sh [FOLDER]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

find . \( -path ./.git -o -path ./build -o -path ./third_party -o -name node_modules \) -prune -o -type f \
  \( -name '*.h' -o -name '*.cc' -o -name '*.inc' -o -name '*.py' -o -name '*.sh' -o -name '*.pl' \
  -o -name '*.js' -o -name '*.mjs' \
  -o -name '*.cmake' -o -name CMakeLists.txt -o -name Makefile -o -path ./.ci/run \) -print0 |
  sort -z | xargs -0 -r awk '
    FNR > 3 { nextfile }
    /^(\/\/|#) SPDX-License-Identifier: Apache-2\.0$/ { named[FILENAME] = 1 }
    END {
      for (i = 1; i < ARGC; ++i) {
        if (ARGV[i] in named) continue
        print "licences: " ARGV[i] " does not name Apache-2.0 by SPDX within its first three lines"
        failed = 1
      }
      exit failed
    }' >&2
