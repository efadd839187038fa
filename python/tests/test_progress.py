# SPDX-License-Identifier: Apache-2.0
import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from equinoise.progress import LineProgress, NotebookProgress, progress_of


def test_nobody_looks_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress_of(None) is None
    assert progress_of(False) is None
    assert isinstance(progress_of(True), LineProgress)


def test_a_terminal_has_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    progress = progress_of(None)
    assert progress is not None
    progress.stage("training")
    progress.start(0, 50)
    for step in range(1, 51):
        progress.step(step)
    progress.note("a note")
    progress.finish()
    shown = terminal.getvalue()
    assert "training: 100%" in shown
    assert "50/50" in shown
    assert "a note\n" in shown
    assert shown.endswith("\n")
    assert shown.count("\r") < 10  # drawn now and then, not at every step


def test_a_resumed_stage_counts_from_where_it_began() -> None:
    terminal = io.StringIO()
    progress = LineProgress(terminal)
    progress.stage("training")
    progress.start(25, 50)
    assert "50%" in terminal.getvalue()
    assert "25/50" in terminal.getvalue()


class _Display:
    """What is displayed, and how often it was drawn again."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def HTML(self, text: str) -> str:
        return text

    def display(self, text: str, display_id: bool) -> "_Display":
        self.shown.append(text)
        return self

    def update(self, text: str) -> None:
        self.shown.append(text)


def test_a_notebook_has_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(kernel=object())
    display: Any = _Display()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    progress = progress_of(None)
    assert isinstance(progress, NotebookProgress)
    progress.stage("reading <table>")
    progress.start(0, 4)
    progress.step(4)
    progress.finish()
    assert 'value="4" max="4"' in display.shown[-1]
    assert "&lt;table>" in display.shown[-1]
