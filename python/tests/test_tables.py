# SPDX-License-Identifier: Apache-2.0
"""Tables of groups."""

import pandas as pd
import polars as pl
import pytest

from equinoise import BudgetError, Ledger, Schema, UsageError, tables


def test_figures_are_paid_for_once_and_cover_the_truth(
    schema: Schema, people: pd.DataFrame, ledger: Ledger
) -> None:
    report = tables(
        people,
        by="sex",
        count=True,
        mean="age",
        quantiles={"age": [0.1, 0.9]},
        compare="sex",
        schema=schema,
        ledger=ledger,
        epsilon=2,
    )
    assert ledger.spent() == pytest.approx(2, rel=1e-3)
    assert report.notice is None
    figures = report.figures
    assert isinstance(figures, pd.DataFrame)
    assert list(figures["statistic"].unique()) == ["count", "mean", "quantile"]
    overall = figures[figures["sex"].isna() & (figures["statistic"] == "mean")].iloc[0]
    assert overall["lower"] - 5 < people["age"].mean() < overall["upper"] + 5
    assert set(report.comparisons["statistic"]) == {"mean", "quantile"}
    assert report.comparisons["lower"].le(report.comparisons["difference"]).all()
    assert "quantile 0.9" in report._repr_html_()
    with pytest.raises(BudgetError):
        tables(people, mean="age", schema=schema, ledger=ledger, epsilon=2)


def test_the_noise_to_expect_costs_nothing(
    schema: Schema, people: pd.DataFrame, ledger: Ledger
) -> None:
    plan = tables(
        pl.from_pandas(people),
        mean="age",
        tolerance={"age": "5%"},
        schema=schema,
        ledger=ledger,
        dry_run=True,
    )
    assert ledger.spent() == 0
    assert isinstance(plan.figures, pl.DataFrame)
    assert plan["privacy"]["epsilon"] > 0
    with pytest.raises(UsageError, match="at least one statistic"):
        tables(people, schema=schema, ledger=ledger, epsilon=1)
