# SPDX-License-Identifier: Apache-2.0
"""What estimators say of a plan and of a run."""

from collections.abc import Mapping
from typing import Any

from equinoise.reports import PagedReport, Report, Table, cell, facts_table, guarantee_tables

_FIGURES = (
    *("accuracy", "selection_rate", "true_positive_rate", "false_positive_rate"),
    *("rmse", "mean_error", "loss"),
)


class TrainingPlan(Report):
    """What a fit will cost and how noisy it will be."""

    def tables(self) -> list[Table]:
        settings = facts_table(self["settings"], "Settings")
        return [*guarantee_tables(self), settings]


class TrainingReport(PagedReport):
    """The fenced report of a fit, with figures of held-out records."""

    def tables(self) -> list[Table]:
        rows = [("overall", self["overall"]), *((_group(row), row) for row in self["groups"])]
        figures = [name for name in _FIGURES if name in self["overall"]]
        header = ["records", "tested", *(f"{name.replace('_', ' ')} [95 %]" for name in figures)]
        lines = [
            [who, cell(row["num_records"]), *(_with_interval(row, name) for name in figures)]
            for who, row in rows
        ]
        return [*guarantee_tables(self), Table("Held-out records", header, lines)]


def _group(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in row["group"].items())


def _with_interval(row: Mapping[str, Any], name: str) -> str:
    interval = row.get(f"{name}_interval")
    return f"{cell(row[name])} {cell(interval)}" if interval else cell(row[name])
