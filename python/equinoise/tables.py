# SPDX-License-Identifier: Apache-2.0
"""Tables of counts, totals, means, medians, quantiles, shares and histograms, with noise."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

from equinoise.frames import Kind, by_column, in_kind
from equinoise.ledger import Ledger
from equinoise.means import release
from equinoise.reports import Report, Table, cell, guarantee_tables, with_ends
from equinoise.schema import Schema


class TablesReport(Report):
    """Released figures with intervals, and what was paid for them."""

    title = "Tables"

    def __init__(self, content: dict[str, Any], kind: Kind) -> None:
        super().__init__(content)
        self._kind = kind

    @property
    def figures(self) -> Any:
        """A row for each figure, as a table of the kind that came in.

        The columns of the groups come first; they are None where a figure is of all their values.
        """
        rows = [
            {
                **self._subject(row),
                "estimate": row.get("estimate"),
                **_ends(row.get("interval")),
                **{key: row.get(key) for key in ("noise_stddev", "predicted_half_width", "state")},
            }
            for row in self["figures"]
        ]
        return in_kind(self._kind, by_column(rows))

    @property
    def comparisons(self) -> Any:
        """A row for each difference between two groups, with the ratio of both."""
        rows = [
            {
                **self._subject(row),
                **{key: row[key] for key in ("between", "first", "second", "difference")},
                **_ends(row["interval"]),
                **with_ends("ratio", row["ratio"], row["ratio_interval"]),
            }
            for row in self.get("comparisons", [])
        ]
        return in_kind(self._kind, by_column(rows))

    @property
    def ranks(self) -> Any:
        """A row for each group that is ranked among others; 1 is the lowest figure."""
        rows = [
            {
                **self._subject(row),
                **{key: row[key] for key in ("among", "name", "lowest_rank", "highest_rank")},
            }
            for row in self.get("ranks", [])
        ]
        return in_kind(self._kind, by_column(rows))

    def tables(self) -> list[Table]:
        header = [*(self["by"] or ["records"]), "statistic", "of", "estimate", "95 % of noise"]
        rows = [
            [
                *([f["group"].get(c, "(all)") for c in self["by"]] or ["all"]),
                f["statistic"] + (f" {f['level']}" if "level" in f else ""),
                " = ".join(f[key] for key in ("column", "value") if key in f),
                cell(f.get("estimate")),
                cell(f.get("interval")),
            ]
            for f in self["figures"]
        ]
        return [Table("", header, rows), *guarantee_tables(self)]

    def _subject(self, row: dict[str, Any]) -> dict[str, Any]:
        """The columns of the groups and what the figure is."""
        groups = {column: row["group"].get(column) for column in self["by"]}
        return groups | {key: row.get(key) for key in ("statistic", "column", "level", "value")}


def tables(
    data: object,
    *,
    by: str | Sequence[str] | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    ledger: Ledger | str | PathLike[str] | None = None,
    epsilon: float | None = None,
    verbose: bool | None = None,
    **options: object,
) -> TablesReport:
    """Releases statistics of all records and of each group of `by`; the ledger pays once for all.

    `options` are those of `equinoise tables`, such as `count=True`, `mean=["income", "age"]`,
    `quantiles={"age": [0.1, 0.9]}`, `share="employed"`, `tolerance={"income": 500}` or
    `dry_run=True` to see the noise to expect alone. See docs/guide/published-tables.md.

    Errors: SchemaError without a reviewed schema, BudgetError, LedgerError; nothing is spent then.

    >>> from equinoise import tables
    >>> report = tables({"age": [20, 30]}, mean="age", median="age", epsilon=1, schema=Schema(
    ...     'schema = "equinoise/1"\\ndataset = "two"\\nreviewed = true\\npublic.num_records = 2\\n'
    ...     '[columns.age]\\ntype = "numeric"\\nbounds = [0, 99]'),
    ...     insecure_test_rng=True, seed=1)
    >>> [figure["statistic"] for figure in report["figures"]]
    ['mean', 'quantile']
    """
    return release(
        "tables",
        TablesReport,
        data,
        schema,
        {"by": by, "epsilon": epsilon, "ledger": ledger, **options},
        verbose,
    )


def _ends(interval: list[float] | None) -> dict[str, Any]:
    return dict(zip(("lower", "upper"), interval or (None, None), strict=True))
