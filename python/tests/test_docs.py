# SPDX-License-Identifier: Apache-2.0
"""The Python of the pages and of docstrings runs."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from conftest import ROOT

import equinoise

# Pages that test_reference.py writes.
WRITTEN = ("api.md", "options.md")
NAMES = [path.name for path in (ROOT / "docs/python").iterdir() if path.name not in WRITTEN]
PAGES = ["README.md", *(f"docs/python/{name}" for name in NAMES)]


def _blocks(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_pages_run_from_top_to_bottom(page: str) -> None:
    blocks = _blocks(page)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_a_paid_model_takes_under_fifteen_lines() -> None:
    lines = [line for line in _blocks("README.md")[0].splitlines() if line.strip()]
    assert len(lines) < 15


@pytest.mark.parametrize(
    "name", [m.name for m in pkgutil.iter_modules(equinoise.__path__) if m.name != "_core"]
)
def test_docstrings_run(name: str) -> None:
    module = importlib.import_module(f"equinoise.{name}")
    assert doctest.testmod(module).failed == 0
