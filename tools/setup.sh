#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prepares a Debian 12 machine to build Equinoise. Says what it installs; does nothing the second time.
# Usage: tools/setup.sh [build|test|check|bench|docs|list]   (test adds, where they can be installed, Chromium and what drives it,
# for tests of pages, PostgreSQL's server, for tests that ask one, and a virtual environment in build/python, for the Python
# package and its tests, with Dask, and Spark on Debian's Java, for tests of clusters; check linters, clang and cppcheck; bench
# the same environment and what bench/peers needs: Debian's NumPy and virtual environments in build/peers and
# build/python-peers; docs Doxygen and Sphinx in build/docs-site; list only prints what a build needs from Debian)
set -euo pipefail
cd "$(dirname "$0")/.."
purpose="${1:-build}"

packages=(g++ cmake ninja-build pkg-config openssl ca-certificates
  libeigen3-dev libboost-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev
  libtbb-dev libssl-dev libsqlite3-dev zlib1g-dev libzstd-dev libjpeg-dev libpq-dev libgtest-dev libgmock-dev)
if [ "$purpose" = list ]; then
  echo "${packages[*]} npm"
  exit
fi

if [ "$(uname -m)" != x86_64 ] || ! grep -q -m1 avx2 /proc/cpuinfo; then
  echo "setup: Equinoise is built for x86-64-v3 (Intel Haswell, AMD Zen or newer); this machine is not one" >&2
  exit 1
fi

# Debian's packages, those that are missing.
install_from_debian() {
  local package status missing=() as_root=()
  for package in "$@"; do
    status="$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)"
    [ "$status" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "setup: installing from Debian: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: run as root or install sudo" >&2; return 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      "${missing[@]}" >/dev/null
}

# A virtual environment with what a lock names, each from the Python package index and checked against its hash.
make_environment() {
  local folder="$1" lock="$2" what="$3" stamp
  stamp="$folder/.complete-$(sha256sum <"$lock" | cut -c1-16)"
  [ ! -f "$stamp" ] || return 0
  echo "setup: installing $what into $folder through pip"
  /usr/bin/python3 -m venv --clear "$folder" &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r "$lock" &&
    touch "$stamp" || { rm -rf "$folder" && return 1; }
}

# The same in an environment that is there. Spark comes as an archive that setuptools of the environment unpacks.
add_to_environment() {
  local folder="$1" lock="$2" what="$3" stamp
  stamp="$folder/.complete-$(sha256sum <"$lock" | cut -c1-16)"
  [ ! -f "$stamp" ] || return 0
  echo "setup: installing $what into $folder through pip"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: --no-binary pyspark \
    --no-build-isolation --require-hashes -r "$lock" 2>/dev/null && touch "$stamp"
}

# The packages that the lock in a folder names, each checked against its integrity hash.
install_from_npm() {
  local folder="$1" lock stamp
  lock="$folder/package-lock.json"
  stamp="$folder/node_modules/.complete-$(sha256sum <"$lock" | cut -c1-16)"
  [ ! -f "$stamp" ] || return 0
  echo "setup: installing the packages of $lock through npm"
  (cd "$folder" && npm ci --loglevel=error --no-audit --no-fund >/dev/null) && touch "$stamp"
}

[ "$purpose" = check ] && packages+=(clang-format clang-tidy cppcheck clang libclang-rt-14-dev llvm)
[ "$purpose" = bench ] && packages+=(libbenchmark-dev python3 python3-numpy python3-venv)
[ "$purpose" = docs ] && packages+=(doxygen python3 python3-venv)
# Debian's npm conflicts with other builds of Node.js, so one that is on the PATH is used as it is.
command -v npm >/dev/null || packages+=(npm)
install_from_debian "${packages[@]}"

# DuckDB's shared library.
install_from_npm third_party

# DuckDB's C header and licence come from one archive that is not worth 119 dependencies in the lock.
duckdb=third_party/duckdb
header_package=duckdb@1.4.4
header_sha512=hEJJ5hyVF0VLj3dmOLpsWrQR0b3d4Ykqtygm6iUXjHJDDnSqg/USKxcb5qvNrOhFYPgktayU6dXCtgPqcmmpog==
stamp="$duckdb/.complete-$(cat third_party/package-lock.json - <<<"$header_sha512" | sha256sum | cut -c1-16)"
if [ ! -f "$stamp" ] || [ ! -f "$duckdb/libduckdb.so" ] || [ ! -f "$duckdb/duckdb.h" ]; then
  echo "setup: fetching DuckDB's header (1.4.4) through npm"
  rm -rf "$duckdb"
  mkdir -p "$duckdb"
  scratch="$(mktemp -d)"
  trap 'rm -rf "$scratch"' EXIT
  (cd third_party && npm pack --loglevel=error --pack-destination "$scratch" "$header_package" >/dev/null)
  archive="$scratch/duckdb-${header_package#*@}.tgz"
  actual="$(openssl dgst -sha512 -binary "$archive" | base64 -w0)"
  if [ "$actual" != "$header_sha512" ]; then
    echo "setup: $header_package does not have the expected sha512; refusing it" >&2
    exit 1
  fi
  tar -xzf "$archive" -C "$scratch" package/LICENSE package/src/duckdb/src/include/duckdb.h
  cp "$scratch/package/LICENSE" "$duckdb/LICENSE"
  cp "$scratch/package/src/duckdb/src/include/duckdb.h" "$duckdb/duckdb.h"
  cp third_party/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so "$duckdb/libduckdb.so"
  touch "$stamp"
fi

# Tests of pages need these and say so; all other tests run where they cannot be installed.
if [ "$purpose" = test ] && ! { install_from_debian chromium && install_from_npm tests/pages; }; then
  echo "setup: Chromium and playwright-core cannot be installed: going on without tests of pages" >&2
fi

# Tests that ask a server start one of their own and say that they skip without these.
if [ "$purpose" = test ] && ! install_from_debian postgresql; then
  echo "setup: PostgreSQL cannot be installed: going on without tests that ask a server" >&2
fi

# The Python package and its tests need these and say so; all else is built and tested where they cannot be installed.
if [[ "$purpose" =~ ^(test|bench)$ ]] && ! { install_from_debian python3-dev python3-venv &&
  make_environment build/python python/requirements.lock "what the Python package and its tests need (250 MB)"; }; then
  echo "setup: the Python environment cannot be made: going on without the Python package" >&2
fi

# Tests of clusters need these and say so.
if [ "$purpose" = test ] && [ -x build/python/bin/pip ] && ! { install_from_debian openjdk-17-jre-headless &&
  add_to_environment build/python python/engines.lock "Dask, Spark and Ibis (500 MB)"; }; then
  echo "setup: Dask, Spark and Ibis cannot be installed: going on without tests of clusters" >&2
fi

if [ "$purpose" = bench ]; then
  make_environment build/peers bench/peers/synthesis/requirements.lock \
    "mbi and scikit-learn for bench/peers/synthesis (700 MB)"
  make_environment build/python-peers bench/peers/python/requirements.lock \
    "Opacus, dp-accounting and fairlearn for bench/peers/python (1.5 GB)" ||
    echo "setup: going on without them; bench/peers/python/README.md says where pip finds torch's CPU build" >&2
fi

[ "$purpose" != docs ] || make_environment build/docs-site docs/site/requirements.lock "Sphinx, MyST and Furo (120 MB)"
