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


class _Drawing:
    """Where a stage stands, drawn again from time to time."""

    def __init__(self) -> None:
        self._text = ""
        self._running = False
        self._first = self._done = self._total = 0
        self._begun = self._drawn = 0.0

    def stage(self, text: str) -> None:
        self._text = text

    def start(self, done: int, total: int) -> None:
        self._running = True
        self._first, self._done, self._total = done, done, total
        self._begun, self._drawn = time.monotonic(), 0.0
        self.step(done)

    def step(self, done: int) -> None:
        self._done = done
        now = time.monotonic()
        if now - self._drawn >= _MIN_INTERVAL or done >= self._total:
            self._drawn = now
            self._draw()

    def finish(self) -> None:
        if self._running:
            self._draw()
        self._running = False

    def _draw(self) -> None:
        raise NotImplementedError

    def _figures(self) -> str:
        seconds = time.monotonic() - self._begun
        rate = (self._done - self._first) / seconds if seconds > 0 else 0.0
        left = f", {(self._total - self._done) / rate:.0f} s left" if rate > 0 else ""
        return f"{self._done}/{self._total} [{seconds:.1f} s{left}, {rate:,.0f}/s]"


class LineProgress(_Drawing):
    """One line that is drawn again, as tqdm does."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def note(self, text: str) -> None:
        if self._running:
            self._stream.write("\r\x1b[K")
        print(text, file=self._stream, flush=True)
        if self._running:
            self._draw()

    def finish(self) -> None:
        was_running = self._running
        super().finish()
        if was_running:
            print(file=self._stream, flush=True)

    def _draw(self) -> None:
        share = self._done / self._total if self._total else 1.0
        bar = ("#" * int(share * _BAR_WIDTH)).ljust(_BAR_WIDTH)
        line = f"{self._text}: {share:4.0%}|{bar}| {self._figures()}"
        self._stream.write(f"\r{line}\x1b[K")
        self._stream.flush()


class NotebookProgress(_Drawing):
    """A bar below the cell of a notebook, by IPython alone."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: Any = None

    def note(self, text: str) -> None:
        print(text)

    def start(self, done: int, total: int) -> None:
        self._shown = None
        super().start(done, total)

    def _draw(self) -> None:
        display: Any = __import__("IPython.display", fromlist=["HTML", "display"])
        html = display.HTML(self.html())
        if self._shown is None:
            self._shown = display.display(html, display_id=True)
        else:
            self._shown.update(html)

    def html(self) -> str:
        """The bar as it stands."""
        text = self._text.replace("&", "&amp;").replace("<", "&lt;")
        return (
            f'<label>{text} <progress value="{self._done}" max="{self._total}">'
            f"</progress> {self._figures()}</label>"
        )


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
