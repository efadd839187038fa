#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that a wheel needs no library but its own and those of a bare Debian 12, and holds the licence of each library
# that it took from Debian.
# Usage: tools/check_wheel.sh WHEEL
set -euo pipefail
wheel="$(realpath "$1")"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
python3 -m zipfile -e "$wheel" "$scratch"
cd "$scratch"

# Of libc6, libgcc-s1, libstdc++6 and zlib1g, without which dpkg and apt do not run.
bare=" ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libgcc_s.so.1 libstdc++.so.6 libz.so.1 "
failed=0
found=0
while read -r file; do
  [ "$(head -c 4 "$file" | tr -d '\0')" = $'\x7fELF' ] || continue
  found=$((found + 1))
  for library in $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    [[ "$bare" != *" $library "* ]] || continue
    [ -n "$(find . -name "$library" -print -quit)" ] && continue
    echo "wheel: $file needs $library, which is neither in the wheel nor in a bare Debian 12" >&2
    failed=1
  done
done < <(find . -type f)
[ "$found" -ge 2 ] || { echo "wheel: no module and no tool in $wheel" >&2; failed=1; }

# auditwheel puts a hash into the names: libfmt-0a1b2c3d.so.9.1.0.
for library in equinoise.libs/*; do
  name="$(basename "$library" | sed -E 's/-[0-9a-f]{8}(\.so)/\1/')"
  case "$name" in
    libduckdb.so*) package=duckdb ;;
    *) package="$(dpkg -S "*/$name" | head -1 | cut -d: -f1)" ;;
  esac
  [ -s "equinoise/licenses/$package.txt" ] && continue
  echo "wheel: $name is in the wheel without equinoise/licenses/$package.txt" >&2
  failed=1
done
[ "$failed" = 0 ] && echo "wheel: $(basename "$wheel"), $(du -h "$wheel" | cut -f1): complete"
exit "$failed"
