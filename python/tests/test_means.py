# SPDX-License-Identifier: Apache-2.0
"""Means of groups."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import PEOPLE

from equinoise import BudgetError, Ledger, Schema, SchemaError, UsageError, _core, means


def test_means_are_paid_for_and_cover_the_truth(
    schema: Schema, people: pd.DataFrame, ledger: Ledger
) -> None:
    report = means(people, "age", by="sex", schema=schema, ledger=ledger, epsilon=2)
    assert ledger.spent() == pytest.approx(2, rel=1e-3)
    assert report.notice is None
    groups = report.by_group
    assert isinstance(groups, pd.DataFrame)
    assert groups["sex"].tolist() == ["F", "M"]
    assert (groups["lower"] < groups["mean"]).all()
    overall = report.overall.iloc[0]
    assert overall["lower"] - 5 < people["age"].mean() < overall["upper"] + 5
    with pytest.raises(BudgetError):
        means(people, "age", schema=schema, ledger=ledger, epsilon=2)


def test_a_seeded_run_says_that_it_is_not_private(schema: Schema, people: pd.DataFrame) -> None:
    reports = [
        means(frame, ["age"], epsilon=1, schema=schema, insecure_test_rng=True, seed=7)
        for frame in (people, pl.from_pandas(people))
    ]
    assert reports[0]["overall"] == reports[1]["overall"]
    assert isinstance(reports[1].overall, pl.DataFrame)
    assert "NOT PRIVATE" in reports[0]._repr_html_()
    assert "NOT PRIVATE" in repr(reports[0])


def test_missing_cells_are_left_out_unless_they_are_to_be_filled(people: pd.DataFrame) -> None:
    known = Schema(PEOPLE.replace('missing = "none"', 'missing = "allowed"\nfill = 90', 1))
    table = people.astype({"age": float})
    table.loc[::4, "age"] = np.nan
    seeded: dict[str, Any] = {"epsilon": 50, "insecure_test_rng": True, "seed": 1}
    left_out = means(table, "age", schema=known, **seeded).overall.iloc[0]["mean"]
    filled = means(table, "age", schema=known, missing="fill", **seeded).overall.iloc[0]["mean"]
    assert left_out == pytest.approx(table["age"].mean(), abs=1)
    assert filled == pytest.approx(table["age"].fillna(90).mean(), abs=1)


def test_exact_figures_are_fenced(schema: Schema, people: pd.DataFrame, ledger: Ledger) -> None:
    report = means(people, "age", epsilon=1, schema=schema, ledger=ledger, explain=True)
    assert "NOT PRIVATE" in (report.notice or "")


def test_options_are_those_of_the_tool(schema: Schema, people: pd.DataFrame) -> None:
    report = means(
        people,
        "age",
        by="sex",
        rho=0.5,
        method="bounded",
        bounds={"age": "20:80"},
        weights={"F": 0.5, "M": 0.5},
        schema=schema,
        insecure_test_rng=True,
        seed=1,
    )
    assert report["columns"][0]["bounds"] == [20, 80]
    with pytest.raises(UsageError, match="did you mean"):
        means(people, "age", epsilon=1, schema=schema, metod="bounded")


def test_nothing_runs_without_a_reviewed_schema(people: pd.DataFrame, ledger: Ledger) -> None:
    with pytest.raises(SchemaError, match="never learnt in silence"):
        means(people, "age", epsilon=1, ledger=ledger)
    with pytest.raises(SchemaError, match="not reviewed"):
        means(people, "age", epsilon=1, ledger=ledger, schema=Schema.draft(people))


def test_a_dry_run_releases_nothing(schema: Schema, people: pd.DataFrame, ledger: Ledger) -> None:
    report = means(people, "age", epsilon=1, schema=schema, ledger=ledger, dry_run=True)
    assert len(report.overall) == len(report.by_group) == 0
    assert "Guarantee" in repr(report)
    assert ledger.spent() == 0


def test_means_that_are_paid_for_are_kept(
    schema: Schema, people: pd.DataFrame, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_sizes = PEOPLE[: PEOPLE.index("[[public")] + PEOPLE[PEOPLE.index("# In years") :]
    run = _core.run

    def stop_after(*arguments: Any) -> None:
        run(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(_core, "run", stop_after)
    with pytest.raises(KeyboardInterrupt) as caught:
        means(people, "age", by="sex", epsilon=1, schema=schema, ledger=ledger)
    kept = caught.value.kept  # type: ignore[attr-defined]
    assert kept.by_group["sex"].tolist() == ["F", "M"]
    with pytest.raises(KeyboardInterrupt) as caught:
        Schema(without_sizes).sizes(people, "sex", epsilon=1, ledger=ledger)
    assert isinstance(caught.value.kept, Schema)  # type: ignore[attr-defined]
