# SPDX-License-Identifier: Apache-2.0
"""Commands of the tool, run in this process."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from equinoise.frames import Table

Report = dict[str, Any]


class Progress(Protocol):
    """What is told of long work."""

    def note(self, text: str) -> None: ...
    def stage(self, text: str) -> None: ...
    def start(self, done: int, total: int) -> None: ...
    def step(self, done: int) -> None: ...
    def finish(self) -> None: ...


def words_of(options: Mapping[str, object]) -> list[str]:
    """The words of options as they are typed: `max_grad_norm=0.5` is `--max-grad-norm 0.5`.

    None, False and what is empty leave an option out, True is a flag; a list gives its values
    behind each other with commas; a dict repeats the option as `key=value`, and a list of lists or
    tuples repeats it.
    """
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if isinstance(value, (list, tuple, Mapping)) and not value:
            continue
        if value is True:
            words.append(flag)
            continue
        if isinstance(value, Mapping):
            values: Sequence[object] = [{key: one} for key, one in value.items()]
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)):
            values = value
        else:
            values = [value]
        for one in values:
            # As one word, so that a value may begin with "-".
            words.append(f"{flag}={_text_of(one)}")
    return words


def _text_of(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_text_of(one)}" for key, one in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(_text_of(one) for one in value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    return repr(value) if isinstance(value, float) else str(value)


def run(
    command: str,
    options: Mapping[str, object],
    *,
    tables: Mapping[str, Table] | None = None,
    progress: Progress | None = None,
    positionals: tuple[str, ...] = (),
) -> Report:
    """Runs `equinoise COMMAND --json` and returns what it prints.

    An option whose value is a key of `tables` reads that table. Errors: those of
    `equinoise.errors`; KeyboardInterrupt, with the ledger consistent.
    """
    from equinoise import _core  # here, since its libraries take long to load

    words = [*command.split(), *positionals, "--json", *words_of(options)]
    exit_code, text = _core.run(words, dict(tables or {}), progress)
    report: Report = json.loads(text)
    report["exit_code"] = exit_code  # 5: a threshold failed
    return report
