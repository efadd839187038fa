# SPDX-License-Identifier: Apache-2.0
"""What is shown of long work: a line on a terminal, a bar in a notebook, nothing elsewhere."""

import sys
import time
from typing import Any, TextIO

from equinoise._command import Progress

_MIN_INTERVAL = 0.1  # seconds between two drawings
_BAR_WIDTH = 28


def progress_of(verbose: bool | None) -> Progress | None:
    """What shows the progress. None: where somebody looks; True: always; False: never."""
    if verbose is False:
        return None
    if _in_notebook():
        return NotebookProgress()
    if verbose or (sys.stderr is not None and sys.stderr.isatty()):
        return LineProgress(sys.stderr)
    return None


class _Pace:
    """Where a stage stands, and when it is time to draw it again."""

    def __init__(self) -> None:
        self.text = ""
        self.running = False
        self._first = self.done = self.total = 0
        self._begun = self._drawn = 0.0

    def begin(self, done: int, total: int) -> None:
        self.running = True
        self._first, self.done, self.total = done, done, total
        self._begun, self._drawn = time.monotonic(), 0.0

    def due(self, done: int) -> bool:
        self.done = done
        now = time.monotonic()
        if now - self._drawn < _MIN_INTERVAL and done < self.total:
            return False
        self._drawn = now
        return True

    def figures(self) -> str:
        seconds = time.monotonic() - self._begun
        rate = (self.done - self._first) / seconds if seconds > 0 else 0.0
        left = f", {(self.total - self.done) / rate:.0f} s left" if rate > 0 else ""
        return f"{self.done}/{self.total} [{seconds:.1f} s{left}, {rate:,.0f}/s]"


class LineProgress:
    """One line that is drawn again, as tqdm does."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._pace = _Pace()

    def note(self, text: str) -> None:
        self._clear()
        print(text, file=self._stream, flush=True)
        if self._pace.running:
            self._draw()

    def stage(self, text: str) -> None:
        self._pace.text = text

    def start(self, done: int, total: int) -> None:
        self._pace.begin(done, total)
        self.step(done)

    def step(self, done: int) -> None:
        if self._pace.due(done):
            self._draw()

    def finish(self) -> None:
        if self._pace.running:
            self._draw()
            print(file=self._stream, flush=True)
        self._pace.running = False

    def _clear(self) -> None:
        if self._pace.running:
            self._stream.write("\r\x1b[K")

    def _draw(self) -> None:
        share = self._pace.done / self._pace.total if self._pace.total else 1.0
        bar = ("#" * int(share * _BAR_WIDTH)).ljust(_BAR_WIDTH)
        line = f"{self._pace.text}: {share:4.0%}|{bar}| {self._pace.figures()}"
        self._stream.write(f"\r{line}\x1b[K")
        self._stream.flush()


class NotebookProgress:
    """A bar below the cell of a notebook, by IPython alone."""

    def __init__(self) -> None:
        self._pace = _Pace()
        self._shown: Any = None

    def note(self, text: str) -> None:
        print(text)

    def stage(self, text: str) -> None:
        self._pace.text = text

    def start(self, done: int, total: int) -> None:
        self._pace.begin(done, total)
        self._shown = None
        self.step(done)

    def step(self, done: int) -> None:
        if self._pace.due(done):
            self._draw()

    def finish(self) -> None:
        if self._pace.running:
            self._draw()
        self._pace.running = False

    def _draw(self) -> None:
        display: Any = __import__("IPython.display", fromlist=["HTML", "display"])
        html = display.HTML(self.html())
        if self._shown is None:
            self._shown = display.display(html, display_id=True)
        else:
            self._shown.update(html)

    def html(self) -> str:
        """The bar as it stands."""
        text = self._pace.text.replace("&", "&amp;").replace("<", "&lt;")
        return (
            f'<label>{text} <progress value="{self._pace.done}" max="{self._pace.total}">'
            f"</progress> {self._pace.figures()}</label>"
        )


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
