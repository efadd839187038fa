# SPDX-License-Identifier: Apache-2.0
"""The pages of reference say what the package declares; EQUINOISE_UPDATE_DOCS=1 writes them."""

import inspect
import os
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from conftest import ROOT

import equinoise
from equinoise import account, estimators
from equinoise._options import Option, meaning_of, options_of, type_of
from equinoise._parameters import parameters_of
from equinoise.guarantee import Guarantee
from equinoise.reports import Report

_CALLS = {
    "tables": "tables",
    "means": "means",
    "Synthesizer": "synth",
    "Synthesizer.evaluate": "synth evaluate",
    "Synthesizer.estimate": "synth estimate",
    "audit": "audit",
    "compare(task=means)": "compare means",
    "compare(task=synth)": "compare synth",
    "Schema.draft": "schema draft",
    "Schema.check": "schema check",
    "Schema.sizes": "schema sizes",
}


def _options_page() -> Iterator[str]:
    yield "# Options by call\n\n<!-- Written by python/tests/test_reference.py. -->\n"
    parameters = {o.name: o for task in ("classes", "target_bounds") for o in parameters_of(task)}
    yield "## EquinoiseClassifier and EquinoiseRegressor\n"
    yield from _tables(parameters.values())
    for call, command in (("their plan()", "plan"), ("compare(task=train)", "compare")):
        yield f"## {call}\n\nBesides those of the estimators:\n"
        shared = parameters.keys() & options_of("train").keys()
        yield from _tables(o for o in options_of(command).values() if o.name not in shared)
    for call, command in _CALLS.items():
        yield f"## {call}\n"
        yield from _tables(options_of(command).values())


def _tables(options: Iterable[Option]) -> Iterator[str]:
    by_group: dict[str, list[Option]] = {}
    for option in options:
        by_group.setdefault(option.group.partition(" (")[0], []).append(option)
    for group, ones in by_group.items():
        rows = [f"| `{o.name}` | {type_of(o)} | {meaning_of(o)} |" for o in ones]
        heading = [] if group == "Options" else [f"### {group}\n"]
        yield "\n".join([*heading, "| option | type | meaning |", "|---|---|---|", *rows, ""])


def _api_page() -> Iterator[str]:
    yield "# Classes and functions\n\n<!-- Written by python/tests/test_reference.py. -->\n"
    named = {name: getattr(equinoise, name) for name in equinoise.__all__ if name != "account"}
    named |= {
        f"account.{name}": one
        for name, one in vars(account).items()
        if inspect.isfunction(one) and one.__module__ == account.__name__ and name[0] != "_"
    }
    named |= {one.__name__: one for one in (Guarantee, Report, *_reports(Report))}
    for name, one in named.items():
        parts = [_described(name, one)]
        if inspect.isclass(one):
            members = {k: v for base in _bases(one) for k, v in vars(base).items()}
            for member, value in members.items():
                parts += _member(member, value)
        yield f"## {name}\n\n```text\n" + "\n\n".join(parts) + "\n```\n"


def _reports(parent: type) -> list[type]:
    """Those that a call returns, the parents first."""
    children = [c for c in parent.__subclasses__() if c.__module__.startswith("equinoise.")]
    by_name = sorted(children, key=lambda child: child.__name__)
    found = [one for child in by_name for one in (child, *_reports(child))]
    return [one for one in found if not one.__name__.startswith("_")]


def _bases(one: type) -> list[type]:
    """Itself and what it shares with others that has no page."""
    parents = [base for base in one.__mro__[1:] if base.__module__ == one.__module__]
    return [*(base for base in parents if base.__name__.startswith("_")), one]


def _member(name: str, value: Any) -> list[str]:
    if name.startswith("_"):
        return []
    if isinstance(value, property):
        return [textwrap.indent(f"{name}\n" + _doc(value.fget), "    ")]
    function = inspect.unwrap(getattr(value, "__func__", value))
    if not inspect.isfunction(function) or not function.__module__.startswith("equinoise"):
        return []
    return [textwrap.indent(_described(name, function), "    ")]


def _described(name: str, one: Callable[..., Any]) -> str:
    if not inspect.isclass(one):
        head = name + _signature(one)
    elif issubclass(one, estimators._Estimator):
        head = f"class {name}(method='auto', **options)"
    elif issubclass(one, (Report, Exception)):  # which nobody makes
        head = f"class {name}({one.__mro__[1].__name__})"
    else:
        head = f"class {name}{_signature(one)}".removesuffix(" -> None")
    return f"{head}\n{_doc(one)}"


def _signature(one: Callable[..., Any]) -> str:
    signature = inspect.signature(one)
    parameters = [p for n, p in signature.parameters.items() if n not in ("self", "cls")]
    text = str(signature.replace(parameters=parameters))
    if len(text) > 80:
        lines: list[str] = []
        for p in parameters:
            if p.kind == p.KEYWORD_ONLY and "*" not in lines:
                lines.append("*")
            lines.append(str(p))
        returned = text.rpartition(") -> ")[2]
        text = "(\n" + "".join(f"    {line},\n" for line in lines) + f") -> {returned}"
    text = re.sub(r"numpy\.ndarray\[.*\]", "Array", text)
    # Types without their modules and quotes.
    return re.sub(r"\b(?:\w+\.)+(?=[A-Z])|(?<=> )'|(?<=[a-z])'$", "", text)


def _doc(one: object) -> str:
    text = inspect.getdoc(one) or ""
    if inspect.isclass(one) and "\nParameters\n" in text:
        text = text.partition("\nParameters\n")[0] + "\nParameters: see options.md."
    return textwrap.indent(text.strip(), "    ")


@pytest.mark.parametrize(("page", "parts"), [("options", _options_page), ("api", _api_page)])
def test_a_page_is_what_is_declared(page: str, parts: Callable[[], Iterator[str]]) -> None:
    path = ROOT / f"docs/python/{page}.md"
    text = "\n".join(parts())
    if "EQUINOISE_UPDATE_DOCS" in os.environ:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "EQUINOISE_UPDATE_DOCS=1 writes it anew"
