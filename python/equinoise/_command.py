# SPDX-License-Identifier: Apache-2.0
"""Commands of the tool, run in this process."""

import json
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from equinoise._options import described
from equinoise._scratch import in_messages
from equinoise.errors import EquinoiseError, RunWarning, UsageError
from equinoise.frames import Table

Report = dict[str, Any]
_Made = TypeVar("_Made")


class Progress(Protocol):
    """What is told of long work."""

    def note(self, text: str) -> None: ...
    def stage(self, text: str) -> None: ...
    def start(self, done: int, total: int) -> None: ...
    def step(self, done: int) -> None: ...
    def finish(self) -> None: ...


class _Warner:
    """Makes Python's warnings of those of the tool and passes on all else."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def note(self, text: str) -> None:
        text = in_messages(text)
        if text.startswith(("warning", "note: ")):
            _warn(text)
        elif self._progress is not None:
            self._progress.note(text)

    def stage(self, text: str) -> None:
        text = in_messages(text)
        if text.startswith("warning"):
            _warn(text)
        elif self._progress is not None and text.startswith("note: "):
            self._progress.note(text)
        elif self._progress is not None:
            self._progress.stage(text)

    def start(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress.start(done, total)

    def step(self, done: int) -> None:
        if self._progress is not None:
            self._progress.step(done)

    def finish(self) -> None:
        if self._progress is not None:
            self._progress.finish()


def _warn(text: str) -> None:
    """As an error it ends the run."""
    warnings.warn(text.strip(), RunWarning, stacklevel=2)


def words_of(options: Mapping[str, object], types: Mapping[str, str | None] = {}) -> list[str]:
    """The words of options as they are typed: `max_grad_norm=0.5` is `--max-grad-norm 0.5`.

    None, False and what is empty leave an option out, True is a flag; a list gives its values
    behind each other with commas; a dict repeats the option as `key=value`, and a list of lists or
    tuples repeats it. A key or text of a dict is one value, whatever it contains, and so is a name
    in a list of an option that takes names. `types`: of the options, None for a flag.

    Errors: UsageError for an empty text, and for a text with a comma in another list, which would
    be two; TypeError for a value that is no text, path, number or truth, and no list or dict of
    these.
    """
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if isinstance(value, (list, tuple, Mapping)) and not value:
            continue
        if value is True:
            if types.get(name) is not None:
                raise TypeError(f"[{name}] takes a value, not True")
            words.append(flag)
            continue
        if isinstance(value, Mapping):
            values: Sequence[object] = [{key: one} for key, one in value.items()]
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)):
            values = value
        else:
            values = [value]
        for one in values:
            # [[text], [text]] are texts as they are typed.
            if isinstance(one, (list, tuple)) and (len(one) > 1 or one is value):
                if _takes_names(name, types):
                    one = [_quoted(part) for part in one]
                else:
                    _refuse_commas(name, one)
            text = _text_of(name, one)
            if not text:
                raise UsageError(f"[{name}] an empty text is no value; leave it out")
            # As one word, so that a value may begin with "-".
            words.append(f"{flag}={text}")
    return words


def _takes_names(name: str, types: Mapping[str, str | None]) -> bool:
    return name == "groups" or (types.get(name) or "").startswith("NAME")


def _quoted(value: object, separators: str = ",") -> object:
    """A text in quotes, if the tool would find more in it than a name."""
    if not isinstance(value, str) or not value:
        return value
    if value[0] != "[" and not set(value) & {'"', *separators}:
        return value
    return '"' + value.replace('"', '""') + '"'


def _refuse_commas(name: str, values: Sequence[object]) -> None:
    for one in values:
        if isinstance(one, str) and "," in one:
            raise UsageError(
                f"[{name}] {one!r} has a comma, which separates values; rename the column, or give "
                "[[value], [value]] where the option may be repeated"
            )


def _text_of(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(
            f"{_text_of(name, _quoted(k, ',='))}={_text_of(name, _quoted(v))}"
            for k, v in value.items()
        )
    if isinstance(value, (list, tuple)):
        return ",".join(_text_of(name, one) for one in value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (str, int)):
        return str(value)
    raise TypeError(
        f"[{name}] a value must be a text, a path, a number or a truth value, or a list or dict of "
        f"these, not {type(value).__name__}"
    )


def in_python(text: str, types: Mapping[str, str | None]) -> str:
    """A message with options as parameters, `--max-loss` as `max_loss`, but for whole commands."""

    def parameter(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        return name if name in types else found[0]

    words, is_command, rest = text.partition("equinoise ")
    return re.sub(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)", parameter, words) + is_command + rest


def run(
    command: str,
    options: Mapping[str, object],
    *,
    tables: Mapping[str, Table] | None = None,
    progress: Progress | None = None,
    positionals: tuple[str, ...] = (),
) -> Report:
    """Runs `equinoise COMMAND --json` and returns what it prints.

    An option whose value is a key of `tables` reads that table. What the tool warns of is a
    RunWarning. Errors: those of `equinoise.errors`; KeyboardInterrupt, with the ledger consistent.
    """
    from equinoise import _core  # here, since its libraries take long to load

    declared = described()["commands"].get(command, {"options": ()})["options"]
    types = {o["name"]: o["type"] if o["takes_value"] else None for o in declared}
    words = [*command.split(), *positionals, "--json", *words_of(options, types)]
    try:
        exit_code, text = _core.run(words, dict(tables or {}), _Warner(progress))
    except BaseException as error:
        for one in (error, error.__cause__):
            if isinstance(one, EquinoiseError):
                one.args = (in_python(in_messages(str(one)), types),)
        raise
    report: Report = json.loads(in_messages(text))
    report["exit_code"] = exit_code  # 5: a threshold failed
    return report


def run_into(
    out: Path,
    keep: Callable[[Report | None], _Made],
    command: str,
    options: Mapping[str, object],
    *,
    tables: Mapping[str, Table],
    progress: Progress | None = None,
) -> _Made:
    """Runs a command that may spend and writes `out`, and returns what `keep` makes of that.

    `keep` gets what the command prints. An exception that comes when `out` is complete, as Ctrl-C
    may, goes on, with what `keep` makes of the files alone as its attribute `kept`.
    """
    try:
        report = run(command, {**options, "out": out}, tables=tables, progress=progress)
    except BaseException as error:
        if out.exists():
            vars(error)["kept"] = keep(None)
            error.add_note(
                f"{command} had finished: what it made, and paid for where it is private, is kept, "
                "as the attribute kept of this exception"
            )
        raise
    return keep(report)
