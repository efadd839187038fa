# SPDX-License-Identifier: Apache-2.0
"""Reports: what a command says, as a mapping that notebooks show as tables."""

import html
import math
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from pathlib import Path
from typing import Any, NamedTuple

from equinoise._scratch import in_messages
from equinoise.errors import EquinoiseError

_NOTICES = {
    "not private": "NOT PRIVATE: computed from records without noise",
    "insecure rng": "NOT PRIVATE: the noise came from a known seed",
}


_UPWARD = Context(prec=4, rounding=ROUND_CEILING)
_DOWNWARD = Context(prec=4, rounding=ROUND_FLOOR)

# Entries that every object has, or that a report shows otherwise.
_UNSHOWN = ("schema", "version", "notice", "exit_code")


class Table(NamedTuple):
    """What a report shows; cells are texts already."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Report(Mapping[str, Any]):
    """A mapping over the JSON object of a command, shown as tables.

    >>> Report({"dataset": "adult", "fits": True})["fits"]
    True
    """

    title = "Report"

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = dict(content)

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    @property
    def notice(self) -> str | None:
        """Why figures of the report must not be published; None if they may."""
        notice: str | None = self.get("notice") or self.get("not_private", {}).get("notice")
        notice = notice or _NOTICES.get(str(self.get("status")))
        if notice and "NOT PRIVATE" not in notice:
            notice = "NOT PRIVATE: " + notice
        return notice

    def __getstate__(self) -> dict[str, Any]:
        if self.notice:
            raise TypeError(
                "a report that must not be published is not pickled or copied; dict(report) is for "
                "its owner alone"
            )
        return self.__dict__

    def tables(self) -> list[Table]:
        """What is shown; here every entry of the report that is a single value."""
        shown = {k: v for k, v in self.items() if k not in _UNSHOWN}
        return [facts_table({k: v for k, v in shown.items() if not isinstance(v, (dict, list))})]

    def __repr__(self) -> str:
        parts = [self.title]
        if self.notice:
            parts.append(self.notice)
        parts += [_in_text(table) for table in self.tables() if table.rows]
        parts += self._remarks()
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [f"<h4>{html.escape(self.title)}</h4>"]
        if self.notice:
            parts.append(f"<p><strong>{html.escape(self.notice)}</strong></p>")
        parts += [_in_html(table) for table in self.tables() if table.rows]
        parts += [f"<p>{html.escape(text)}</p>" for text in self._remarks()]
        return "<div>" + "".join(parts) + "</div>"

    def _remarks(self) -> list[str]:
        texts = (self.get("warnings") or []) + (self.get("owner_warnings") or [])
        warnings = [f"warning: {text}" for text in texts]
        if choice := self.get("notice_of_choice"):
            warnings.insert(0, choice)
        notes = self.get("ingest") or []
        return warnings + [f"not private: {text}" for text in notes]


class PagedReport(Report):
    """A report of which the tool makes a page: one HTML file that loads nothing."""

    def __init__(self, content: Mapping[str, Any], page: str) -> None:
        super().__init__(content)
        self._page = page

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, readable by its owner alone since figures in it may not be private."""
        write_for_owner(path, self._page)

    def as_iframe(self, height: int = 600) -> str:
        """The page within a page of HTML, as notebooks show it."""
        return (
            f'<iframe srcdoc="{html.escape(self._page)}" sandbox="allow-scripts" '
            f'style="width: 100%; height: {height}px; border: 0"></iframe>'
        )


def page_of(folder: str | os.PathLike[str]) -> str:
    """The page in an output folder of the tool.

    Errors: EquinoiseError if there is none.
    """
    try:
        return in_messages((Path(folder) / "report.html").read_text(encoding="utf-8"))
    except OSError as error:
        raise EquinoiseError(f"[reports] no page in the output: {error}") from error


def facts_table(facts: Mapping[str, Any], caption: str = "") -> Table:
    """A line for each fact."""
    rows = [[key.replace("_", " "), cell(value)] for key, value in facts.items()]
    return Table(caption, ["", ""], rows)


def guarantee_tables(report: Mapping[str, Any]) -> list[Table]:
    """What a release promises; nothing where that is nothing."""
    privacy = report["privacy"]
    if not privacy:
        return []
    names = ("epsilon", "delta", "relation", "accountant")
    row = [upward(privacy["epsilon"]), *(cell(privacy[name]) for name in names[1:])]
    return [Table("Guarantee", names, [row])]


def with_ends(name: str, value: object, interval: Sequence[object] | None) -> dict[str, Any]:
    """A figure as columns of a frame: itself and the ends of its interval, None without one."""
    low, high = interval or (None, None)
    return {name: value, f"{name}_lower": low, f"{name}_upper": high}


def group_name(group: Mapping[str, Any]) -> str:
    """The values of a group, "Female, White"."""
    return ", ".join(map(str, group.values()))


def cell(value: object) -> str:
    """A value as tables show it: what is undefined is "-", never 0."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        if all(one is None for one in value):
            return "-"
        return "[" + ", ".join(cell(one) for one in value) + "]"
    return str(value)


def upward(value: float) -> str:
    """A privacy loss in four digits, never less than it is."""
    return f"{float(_UPWARD.create_decimal(value)):.4g}"


def downward(value: float) -> str:
    """What is left of a budget in four digits, never more than it is."""
    return f"{float(_DOWNWARD.create_decimal(value)):.4g}"


def write_for_owner(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file that its owner alone can read, whoever could read what it replaces."""
    with open(path, "w", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o600)) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            os.fchmod(file.fileno(), 0o600)
        file.write(text)


def _in_text(table: Table) -> str:
    lines = [*([list(table.header)] if any(table.header) else []), *map(list, table.rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.header))]
    texts = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([table.caption, *texts] if table.caption else texts)


def _in_html(table: Table) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        inner = "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in cells)
        return f"<tr>{inner}</tr>"

    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    header = line(table.header, "th") if any(table.header) else ""
    return f"<table>{caption}{header}{''.join(line(row, 'td') for row in table.rows)}</table>"
