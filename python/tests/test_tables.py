# SPDX-License-Identifier: Apache-2.0
"""Tables of groups."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow.dataset
import pytest

from equinoise import BudgetError, Ledger, Schema, Synthesizer, UsageError, tables


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


def _frame(kind: str, people: pd.DataFrame, folder: Path) -> Any:
    if kind in ("dataset", "path"):
        people.to_parquet(folder / "people.parquet")
    if kind == "path":
        return folder / "people.parquet"
    if kind == "dataset":
        return pyarrow.dataset.dataset(folder / "people.parquet")
    if kind == "polars":
        return pl.from_pandas(people).lazy()
    package = pytest.importorskip("dask.dataframe" if kind == "dask" else kind)
    if kind == "dask":
        return package.from_pandas(people, npartitions=2)
    return package.memtable(people) if kind == "ibis" else package.sql("from people")


@pytest.mark.parametrize(
    ("kind", "package"),
    [
        ("dask", "pandas"),
        ("ibis", "pandas"),
        ("polars", "polars"),
        ("duckdb", "duckdb"),
        ("dataset", "pyarrow"),
        ("path", "pandas"),
    ],
)
def test_results_for_frames_of_queries_are_in_memory(
    kind: str, package: str, schema: Schema, people: pd.DataFrame, tmp_path: Path
) -> None:
    data = _frame(kind, people, tmp_path)
    test: dict[str, Any] = {"insecure_test_rng": True, "seed": 1, "schema": schema, "epsilon": 1}
    figures = tables(data, mean="age", by="sex", **test).figures
    rows = Synthesizer("mst", delta=1e-6, **test).fit(data).sample(3)
    for made in (figures, rows):
        assert type(made).__module__.split(".")[0] == package
