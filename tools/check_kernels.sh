#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that what is compiled for wide registers is reached by way of its tables alone: a weak definition in kernels_v4.cc, an
# inline function say, could stand in for the same one of other sources on machines that cannot run it.
# Usage: tools/check_kernels.sh libequinoise.a
set -euo pipefail
for kernels in kernels_v4:kKernelsV4 kernels_v4_vnni:kKernelsV4Vnni; do
  source="${kernels%:*}.cc"
  symbols="$(nm -C --defined-only "$1" | awk -v object="$source.o:" '$0 == object {here = 1; next} /\.o:$/ {here = 0} here && NF')"
  if ! grep -q " [RD] equinoise::${kernels#*:}\$" <<<"$symbols"; then
    echo "kernels: $1 has no $source with its table" >&2
    exit 1
  fi
  if grep -E ' [WVuTB] ' <<<"$symbols" >&2; then
    echo "kernels: the definitions above, of $source, can be used from elsewhere" >&2
    exit 1
  fi
done
