#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes dist/*.whl: the Python package for build/python's Python, with the tool and every library that a bare Debian 12 lacks.
# The build stays in build/wheel.
# Usage: tools/make_wheel.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
export CMAKE_BUILD_PARALLEL_LEVEL="${1:-2}" PATH="$PWD/build/python/bin:$PATH"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

pip wheel . --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$scratch" \
  --config-settings=build-dir=build/wheel
# The tag speaks of Debian's libc alone; the processor must be an x86-64-v3.
rm -rf dist
auditwheel repair --plat manylinux_2_36_x86_64 --only-plat --disable-isa-ext-check --wheel-dir dist "$scratch"/equinoise-*.whl
tools/check_wheel.sh dist/equinoise-*.whl
