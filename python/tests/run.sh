#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests of the Python package, or checks of its types and style.
# Usage: python/tests/run.sh tests|style FOLDER   (FOLDER: of the build tree, with the package in it)
set -euo pipefail
cd "$(dirname "$0")/../.."
part="$1" package="$2"
programs="$PWD/build/python/bin"

# See tests/pages/browser.mjs for what the variable means.
if [ ! -x "$programs/pytest" ] || ! compgen -G "$package/equinoise/_core.*.so" >/dev/null; then
  echo "python: build/python or the package in $package is missing: tools/setup.sh test makes the one, a build the other" >&2
  [ -n "${EQUINOISE_REQUIRE_SHARED:-}" ] && exit 1
  exit 77
fi

case "$part" in
  tests)
    PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1 exec "$programs/pytest" -q -p no:cacheprovider python/tests
    ;;
  style)
    "$programs/ruff" check --no-cache python
    "$programs/ruff" format --no-cache --check python
    MYPYPATH="$package" "$programs/mypy" --cache-dir "$package/mypy_cache" -p equinoise
    ;;
esac
