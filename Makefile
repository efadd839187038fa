# SPDX-License-Identifier: Apache-2.0
# Equinoise: every target sets up what it needs first (tools/setup.sh, idempotent).
JOBS ?= $(shell nproc)
EQUINOISE := build/release/bin/equinoise

.PHONY: build demo picture test test-all check bench zoo docs wheel setup clean

build: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS)

demo: build
	@tools/demo.sh $(EQUINOISE)

# docs/report.png, the picture of the README: a chart of the demo's report.
picture: demo
	@tools/setup.sh test
	@node tests/pages/picture.mjs build/demo/model/report.html docs/report.png

test:
	@tools/setup.sh test
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev -j $(JOBS)
	@ctest --test-dir build/dev --output-on-failure -j $(JOBS) -LE 'slow|repro'

test-all:
	@tools/setup.sh test
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev -j $(JOBS)
	@ctest --test-dir build/dev --output-on-failure -j $(JOBS)

# BASE=COMMIT checks only what changed since that commit.
check: setup
	@tools/check.sh $(JOBS) $(BASE)

bench: setup
	@tools/setup.sh bench
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench -j $(JOBS)
	@bench/run.sh build/bench/bin

# Every method at its defaults on the tables of bench/zoo; QUICK=1 takes a fifth of the time.
zoo: build
	@tools/setup.sh bench
	@bench/zoo/zoo.py --tool $(EQUINOISE) --jobs $(JOBS) $(if $(QUICK),--quick)

# All pages with search, and the reference of the C++ headers; nothing in them asks another host.
docs:
	@tools/setup.sh docs
	@rm -rf build/docs
	@build/docs-site/bin/sphinx-build -c docs/site -d build/docs-pages -b html -j auto -q -E -W --keep-going . build/docs
	@doxygen docs/Doxyfile
	@! grep -rlE --include='*.html' '<(script|link|img|iframe)[^>]*(src|href)="(https?:)?//' build/docs
	@echo "docs: build/docs/index.html"

# dist/*.whl, the Python package with the tool and every library that a bare Debian 12 lacks.
wheel:
	@tools/setup.sh test
	@tools/make_wheel.sh $(JOBS)

setup:
	@tools/setup.sh

clean:
	rm -rf build
