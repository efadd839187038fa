# SPDX-License-Identifier: Apache-2.0
"""Methods side by side, under the same guarantee."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from equinoise._command import run
from equinoise._options import refuse_foreign
from equinoise._scratch import scratch_folder
from equinoise.frames import IN_MEMORY, Kind, by_column, in_kind, kind_of, table_of
from equinoise.progress import progress_of
from equinoise.reports import PagedReport, Table, cell, page_of, with_ends
from equinoise.schema import Schema, schema_file

_COMMANDS = {"train": "compare", "means": "compare means", "synth": "compare synth"}


class CompareReport(PagedReport):
    """A table of methods, what is recommended, and the page."""

    title = "Comparison"

    def __init__(self, content: dict[str, Any], page: str, kind: Kind) -> None:
        super().__init__(content, page)
        self._kind = kind

    @property
    def recommendations(self) -> list[dict[str, Any]]:
        """For each epsilon the method, None if none is clearly better, its options and the reason.

        Empty where the table is not public: such a choice would be a release that nobody paid for.
        """
        return list(self["recommendations"])

    def to_frame(self) -> Any:
        """A row for each method, options and epsilon, as a table of the kind that came in."""
        names = ("overall", "worst_group", "gap", "violation")
        rows = []
        for row in self["rows"]:
            figures: dict[str, Any] = {
                "method": row["method"],
                "options": _options(row),
                "epsilon": row["epsilon"],
            }
            for name in names:
                figures |= with_ends(name, row[name], row[f"{name}_interval"])
            figures |= {name: row[name] for name in ("weakest_privacy", "dominated", "seconds")}
            rows.append(figures)
        return in_kind(self._kind, by_column(rows))

    @property
    def by_group(self) -> Any:
        """A row for each method, options, epsilon and group, as the kind of table that came in."""
        rows = [
            {
                "method": row["method"],
                "options": _options(row),
                "epsilon": row["epsilon"],
                "group": ", ".join(f"{k}={v}" for k, v in group["group"].items()),
                **with_ends("error", group["error"], group["error_interval"]),
            }
            for row in self["rows"]
            for group in row["groups"]
        ]
        return in_kind(self._kind, by_column(rows))

    def tables(self) -> list[Table]:
        rows = [
            [
                row["method"],
                _options(row),
                *(cell(row[n]) for n in ("epsilon", "overall", "worst_group", "gap")),
                cell(row["weakest_privacy"]),
            ]
            for row in self["rows"]
        ]
        header = ["method", "options", "epsilon", "error", "worst group", "gap", "largest epsilon"]
        reasons = [[text] for text in self["recommended_reason"]]
        return [Table(self["error_definition"], header, rows), Table("", [""], reasons)]

    def _repr_html_(self) -> str:
        return self.as_iframe()


def compare(
    data: object,
    *,
    task: Literal["train", "means", "synth"] = "train",
    methods: str | Sequence[str] | None = None,
    epsilon: float | Sequence[float] | None = None,
    seeds: int | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    public_data: bool = False,
    verbose: bool | None = None,
    **options: object,
) -> CompareReport:
    """Runs methods under known seeds and compares errors, groups and privacy; NOT PRIVATE.

    Nothing is charged. A method is recommended only if `public_data` says that the table is public.
    `options` are those of `equinoise compare`, `compare means` or `compare synth`, such as
    `groups="sex"`, `columns="age"`, `by="sex"`, `grid={"max_grad_norm": [0.5, 1]}`. See
    docs/guide/comparing-methods.md.

    >>> from equinoise import compare
    >>> report = compare({"age": [20, 30]}, task="means", columns="age", methods="bounded",
    ...     epsilon=1, seeds=2, public_data=True, schema=Schema(
    ...     'schema = "equinoise/1"\\ndataset = "two"\\nreviewed = true\\npublic.num_records = 2\\n'
    ...     '[columns.age]\\ntype = "numeric"\\nbounds = [0, 99]'))
    >>> [row["method"] for row in report["rows"]]
    ['bounded']
    """
    if task not in _COMMANDS:
        raise ValueError(f"task must be one of {', '.join(_COMMANDS)}, got {task!r}")
    refuse_foreign("compare", _COMMANDS[task], options)
    with schema_file(schema) as path, scratch_folder() as folder:
        out = Path(folder) / "compared"
        content = run(
            _COMMANDS[task],
            {
                "schema": path,
                "data": IN_MEMORY,
                "methods": methods,
                "epsilon": epsilon,
                "seeds": seeds,
                "public_data": public_data,
                "out": out,
                **options,
            },
            tables={IN_MEMORY: table_of(data)},
            progress=progress_of(verbose),
        )
        return CompareReport(content, page_of(out), kind_of(data))


def _options(row: dict[str, Any]) -> str:
    return ", ".join(f"{name}={cell(value)}" for name, value in row["options"].items())
