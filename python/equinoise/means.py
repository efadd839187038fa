# SPDX-License-Identifier: Apache-2.0
"""Means of columns, overall and by group, released with noise."""

import json
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from equinoise._command import run_into
from equinoise._options import refuse_foreign
from equinoise._scratch import scratch_folder
from equinoise.frames import Kind, by_column, in_kind, input_of, kind_of
from equinoise.ledger import Ledger
from equinoise.progress import progress_of
from equinoise.reports import Report, Table, cell, group_name, guarantee_tables
from equinoise.schema import Schema, schema_file

_Made = TypeVar("_Made")


class MeansReport(Report):
    """Released means with intervals, and what was paid for them."""

    title = "Means"

    def __init__(self, content: dict[str, Any], kind: Kind) -> None:
        super().__init__(content)
        self._kind = kind

    @property
    def overall(self) -> Any:
        """A row for each column, as a table of the kind that came in.

        `lower` and `upper` hold the mean of the records in 95 % of releases, as `interval_of` says.
        """
        rows = [_figures(entry) for entry in self.get("overall", [])]
        return in_kind(self._kind, by_column(rows))

    @property
    def by_group(self) -> Any:
        """A row for each group and column; the columns of the groups come first."""
        rows = [{**entry["stratum"], **_figures(entry)} for entry in self.get("strata", [])]
        return in_kind(self._kind, by_column(rows))

    def tables(self) -> list[Table]:
        released = self.get("strata", [])
        rows = [
            [
                group_name(entry.get("stratum", {})) or "overall",
                entry["column"],
                cell(entry["mean"]),
                cell(entry["ci"]),
                cell(entry.get("num_values")),
            ]
            for entry in [*(released if self["by"] else []), *self.get("overall", [])]
        ]
        header = ["group", "column", "mean", "95 % of noise", "values"]
        return [Table("", header, rows), *guarantee_tables(self)]


def means(
    data: object,
    columns: str | Sequence[str],
    *,
    by: str | Sequence[str] | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    ledger: Ledger | str | PathLike[str] | None = None,
    epsilon: float | None = None,
    verbose: bool | None = None,
    **options: object,
) -> MeansReport:
    """Releases the means of columns, overall and for each group of `by`; the ledger pays.

    `data` is a frame, or names a file, a folder of Parquet files or a database as `--data` does.
    `options` are those of `equinoise means`, such as `method="bounded"`, `delta=1e-7`,
    `private_sizes=True`, `dry_run=True` to see the guarantee alone, or `insecure_test_rng=True,
    seed=1` for a test that pays nothing. See docs/guide/means.md.

    Errors: SchemaError without a reviewed schema, BudgetError, LedgerError; nothing is spent then.

    >>> from equinoise import means
    >>> report = means({"age": [20, 30]}, "age", epsilon=1, schema=Schema(
    ...     'schema = "equinoise/1"\\ndataset = "two"\\nreviewed = true\\npublic.num_records = 2\\n'
    ...     '[columns.age]\\ntype = "numeric"\\nbounds = [0, 99]'),
    ...     insecure_test_rng=True, seed=1)
    >>> list(report.overall)
    ['column', 'mean', 'lower', 'upper', 'noise_stddev', 'num_values', 'interval_of']
    """
    return release(
        "means",
        MeansReport,
        data,
        schema,
        {"columns": columns, "by": by, "epsilon": epsilon, "ledger": ledger, **options},
        verbose,
    )


def release(
    command: str,
    made: Callable[[dict[str, Any], Kind], _Made],
    data: object,
    schema: Schema | str | PathLike[str] | None,
    options: dict[str, object],
    verbose: bool | None,
) -> _Made:
    """The report of a command that releases figures of a table: `means` or `tables`."""
    refuse_foreign(command, command, options)
    name, held = input_of(data)
    with schema_file(schema) as path, scratch_folder() as folder:
        out = Path(folder) / "figures.json"

        def keep(printed: dict[str, Any] | None) -> _Made:
            content = printed or {**json.loads(out.read_bytes()), "exit_code": 0}
            return made(content, kind_of(data))

        return run_into(
            out,
            keep,
            command,
            {"schema": path, "data": name, **options},
            tables=held,
            progress=progress_of(verbose),
        )


def _figures(entry: dict[str, Any]) -> dict[str, Any]:
    lower, upper = entry["ci"]
    return {
        "column": entry["column"],
        "mean": entry["mean"],
        "lower": lower,
        "upper": upper,
        "noise_stddev": entry["noise_stddev"],
        "num_values": entry.get("num_values"),
        "interval_of": entry["interval_of"],
    }
