# SPDX-License-Identifier: Apache-2.0
"""The package as a whole."""

import subprocess
import sys

import pytest

import equinoise
from equinoise import _tool

SLOW = ("equinoise._core", "narwhals", "pandas", "polars", "pyarrow", "sklearn", "duckdb")


def test_what_is_exported_is_there() -> None:
    for name in equinoise.__all__:
        assert getattr(equinoise, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        equinoise.nothing  # noqa: B018


def test_the_version_is_that_of_the_tool() -> None:
    found = subprocess.run([_tool.path(), "--version"], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["equinoise", equinoise.__version__]


def test_functions_hide_their_modules() -> None:
    import equinoise.audit
    import equinoise.compare
    import equinoise.means

    assert callable(equinoise.audit)
    assert callable(equinoise.compare)
    assert callable(equinoise.means)


def test_importing_it_imports_nothing_slow() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "import equinoise, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not set(SLOW) & set(found)
