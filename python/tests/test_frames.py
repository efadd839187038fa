# SPDX-License-Identifier: Apache-2.0
"""Tables in and out, of every kind."""

from datetime import date
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from equinoise.frames import (
    Kind,
    by_column,
    column_of,
    in_kind,
    is_missing,
    kind_of,
    like,
    table_of,
    with_column,
)

from equinoise import InputError, Schema

PEOPLE: dict[str, list[Any]] = {"age": [20, 30, 40] * 10, "sex": ["F", None, "M"] * 10}


def _kinds() -> dict[str, Any]:
    frame = pd.DataFrame(PEOPLE)
    return {
        "pandas": frame,
        "polars": pl.DataFrame(PEOPLE),
        "pyarrow": pa.table(PEOPLE),
        "duckdb": duckdb.from_df(frame),
        "narwhals": nw.from_native(pl.DataFrame(PEOPLE)),
        "dictionary": {name: np.array(values) for name, values in PEOPLE.items()},
    }


@pytest.mark.parametrize("kind", _kinds())
def test_tables_come_back_as_what_they_were(kind: str) -> None:
    data = _kinds()[kind]
    columns = by_column(
        [
            {"name": "a", "mean": 1.5, "number": 1, "missing": None},
            {"name": None, "mean": None, "number": 2, "missing": None},
        ]
    )
    made = like(data, columns)
    assert type(made) is type(data)
    if isinstance(made, dict):
        assert made["name"].tolist() == ["a", None]
        assert np.isnan(made["mean"][1])
        return
    rows = nw.from_native(made)
    rows = rows.collect() if isinstance(rows, nw.LazyFrame) else rows
    assert rows["number"].to_list() == [1, 2]
    assert [v is None for v in rows["name"].to_list()] in ([False, True], [False, False])
    assert rows.select(nw.all().is_null()).rows() == [
        (False, False, False, True),
        (True, True, False, True),
    ]


@pytest.mark.parametrize("kind", _kinds())
def test_every_kind_of_table_is_read(kind: str) -> None:
    draft = Schema.draft(_kinds()[kind], dataset="people")
    assert list(draft.columns) == ["age", "sex"]
    assert draft.num_records == 30


@pytest.mark.parametrize("kind", _kinds())
def test_a_column_is_added_to_every_kind(kind: str) -> None:
    table = with_column(_kinds()[kind], "paid", ["no", "yes", "no"] * 10)
    draft = Schema.draft(table, dataset="people")
    assert list(draft.columns) == ["age", "sex", "paid"]


def test_arrays_have_names() -> None:
    assert list(table_of(np.zeros((2, 2)))) == ["x0", "x1"]
    assert list(table_of([[1, 2]], ["a", "b"])) == ["a", "b"]
    with pytest.raises(ValueError, match="2D"):
        table_of(np.zeros(2))


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(TypeError, match="a table must be"):
        table_of(3)


def test_a_column_of_several_types_is_refused_without_its_values() -> None:
    frame = pd.DataFrame({"secret": ["four", 2, {"x": 1}]})
    with pytest.raises(InputError, match="secret") as error:
        table_of(frame)
    assert "four" not in str(error.value)


def test_dates_of_arrays_are_texts() -> None:
    days = np.array(["2024-03-01", "NaT"], dtype="datetime64[D]")
    assert table_of({"day": days})["day"].tolist() == ["2024-03-01", None]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, None, 3], [1.0, None, 3.0]),
        ([1, 2], [1, 2]),
        ([2**60, None], [str(2**60), None]),
        ([True, None], ["true", None]),
        ([True, False], [True, False]),
        (["a", None, float("nan"), pd.NA, pd.NaT], ["a", None, None, None, None]),
        ([date(2024, 3, 1), None], ["2024-03-01", None]),
        ([None, None], [None, None]),
    ],
)
def test_columns_of_objects_have_one_type(values: list[Any], expected: list[Any]) -> None:
    column = column_of("x", np.array(values, dtype=object))
    assert [None if is_missing(v) else v for v in column.tolist()] == expected


def test_several_types_are_refused_without_their_values() -> None:
    with pytest.raises(InputError, match="column x") as error:
        table_of({"x": ["secret", 1, None]})
    assert "secret" not in str(error.value)


def test_pandas_is_read_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    table = table_of(pd.DataFrame(PEOPLE))
    assert table["age"].tolist() == PEOPLE["age"]
    assert table["sex"].tolist()[0] == "F"


def test_kinds_hold_no_records() -> None:
    assert kind_of(pl.Series([1])) == Kind("polars")
    assert kind_of([1]) == kind_of(np.zeros(1)) == kind_of(None) == Kind()
    assert isinstance(in_kind(Kind("pandas"), {"a": [1]}), pd.DataFrame)
