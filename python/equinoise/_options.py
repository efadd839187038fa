# SPDX-License-Identifier: Apache-2.0
"""Options of the tool's commands as parameters of Python, from where they are declared."""

import difflib
import inspect
import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from equinoise.errors import UnknownOptionError

# Options of files, screens and exit codes, of which no call has a use: tables come and results go
# from memory, and what is told is told in Python.
_OF_FILES = {
    *("help", "help_all", "json", "quiet", "verbose", "config"),
    *("data", "labels", "out", "force", "strict"),
    *("delimiter", "decimal_comma", "decimal_point", "header", "no_header", "encoding"),
}

# Options that a call gives to its command itself.
_OWN = {
    "audit": (
        *("model", "predictions", "target", "prediction", "probability", "probabilities"),
        *("score", "weight_column", "groups", "positive", "favourable"),
        # Its report holds exact figures: what a ledger pays for is released by the tool alone.
        *("private", "epsilon", "delta", "ledger", "ledger_key", "dry_run"),
        *("insecure_test_rng", "seed"),
    ),
    "means": ("verbose",),
    "tables": ("verbose",),
    "schema check": ("schema",),
    "schema sizes": ("schema", "dry_run"),
    "synth": ("format", "dry_run", "verbose"),
    "synth evaluate": ("schema", "real", "synthetic"),
    "synth estimate": ("model",),
}


@dataclass(frozen=True)
class Option:
    """A parameter, `type` as the help of the tool names it; of a flag it is None."""

    name: str
    help: str
    type: str | None = None
    default: str | None = None
    values: tuple[str, ...] = ()
    group: str = "Options"
    of: tuple[str, ...] = ()


@cache
def described() -> dict[str, Any]:
    """What the tool says of its commands and methods."""
    from equinoise import _core  # here, since its libraries take long to load

    description: dict[str, Any] = json.loads(_core.describe())
    return description


def options_of(command: str) -> dict[str, Option]:
    """The options of a command by name that a call may give it.

    `--x` and `--no-x` together are x, which may be False.
    """
    declared = described()["commands"][command]["options"]
    names = {option["name"] for option in declared}
    return {
        o["name"]: Option(
            o["name"],
            o["help"],
            o["type"] if o["takes_value"] else None,
            o["default"] or None,
            tuple(o["values"] or ()),
            o["group"] or "Options",
            tuple(o["of"] or ()),
        )
        for o in declared
        if o["name"] not in _OF_FILES
        and o["name"] not in _OWN.get(command, ())
        and not (o["name"].startswith("no_") and o["name"][3:] in names)
    }


def is_private(task: str, method: str) -> bool:
    """Whether a method has a guarantee; unknown ones count as private."""
    return all(
        row["status"] == "private" for row in described()["methods"][task] if row["name"] == method
    )


def given(command: str, values: Mapping[str, object]) -> dict[str, object]:
    """Those of the values that the command takes and that are not None, as it takes them."""
    declared = options_of(command)
    options: dict[str, object] = {}
    for name, value in values.items():
        if value is None or name not in declared:
            continue
        if value is False and f"no_{name}" in _all_names(command):
            options[f"no_{name}"] = True
        else:
            options[name] = value
    return options


def signature_of(leading: str, parameters: Iterable[str]) -> inspect.Signature:
    """(self, leading, *, parameters), all None but the leading one, which is given as x=value."""
    name, _, value = leading.partition("=")
    return inspect.Signature(
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value),
            *(
                inspect.Parameter(p, inspect.Parameter.KEYWORD_ONLY, default=None)
                for p in parameters
            ),
        ]
    )


def docstring_of(head: str, options: Sequence[Option]) -> str:
    """The docstring of a class: what it is, then its parameters in their groups."""
    lines = [inspect.cleandoc(head), "", "Parameters", "----------"]
    group = "Options"
    for option in options:
        if option.group != group:
            group = option.group
            lines += ["", f"**{group}**", ""]
        lines.append(f"{option.name} : {type_of(option)}, optional")
        lines += textwrap.wrap(
            meaning_of(option) + ".", 96, initial_indent="    ", subsequent_indent="    "
        )
    return "\n".join(lines) + "\n"


def type_of(option: Option) -> str:
    """What may be given, "{sgd, adam}" or "float"."""
    if option.values:
        return "{" + ", ".join(option.values) + "}"
    names = {None: "bool", "FLOAT": "float", "INT": "int", "UINT": "int", "TEXT": "str"}
    return str(names.get(option.type, option.type))


def meaning_of(option: Option) -> str:
    """The help of the tool in Python's words, with the default and who has the option."""
    text = re.sub(r"--([a-z0-9-]+)", lambda m: m.group(1).replace("-", "_"), option.help)
    if option.default and option.default not in text:
        text += f" [{option.default}]"
    return text + (f". Of {', '.join(option.of)}" if option.of else "")


def refuse_unknown(owner: str, names: Iterable[str], known: Sequence[str]) -> None:
    """Errors: UnknownOptionError for the first name that is not known."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UnknownOptionError(f"{owner} has no parameter {name!r}{hint}")


def refuse_foreign(owner: str, command: str, options: Iterable[str]) -> None:
    """Errors: UnknownOptionError for an option that a call may not give to the command."""
    refuse_unknown(owner, [name.rstrip("_") for name in options], list(options_of(command)))


def _all_names(command: str) -> set[str]:
    return {option["name"] for option in described()["commands"][command]["options"]}
