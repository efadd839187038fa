# SPDX-License-Identifier: Apache-2.0
"""Tables in and out, of every kind."""

import sys
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from equinoise import InputError, Schema, means
from equinoise.frames import (
    Kind,
    as_array,
    by_column,
    in_kind,
    kind_of,
    table_of,
    text_of,
    with_column,
)

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
    made = in_kind(kind_of(data), columns)
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
    with pytest.raises(InputError, match="column 'age' already"):
        with_column(_kinds()[kind], "age", [0] * 30)


def test_gaps_of_a_relation_stay_gaps() -> None:
    table = with_column(duckdb.from_df(pd.DataFrame(PEOPLE)), "paid", ["no"] * 30)
    assert table["sex"].tolist() == PEOPLE["sex"]
    assert table["age"].tolist() == PEOPLE["age"]


def test_arrays_have_names() -> None:
    assert list(table_of(np.zeros((2, 2)))) == ["x0", "x1"]
    assert list(table_of([[1, 2]], ["a", "b"])) == ["a", "b"]
    with pytest.raises(ValueError, match="2D"):
        table_of(np.zeros(2))


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(TypeError, match="a table must be"):
        table_of(3)


@pytest.mark.parametrize("values", [["four", 2, {"x": 1}], [1j, 2j, None]])
def test_what_no_column_can_hold_is_refused_where_it_is_read(values: list[Any]) -> None:
    frame = pd.DataFrame({"age": [20, 30, 30], "secret": values})
    text = 'schema = "equinoise/1"\ndataset = "d"\npublic.num_records = 3\n'
    text += '[columns.age]\ntype = "numeric"\nbounds = [0, 99]\n'
    assert Schema(text + '[columns.secret]\ntype = "ignored"').check(frame)["fits"]
    assert Schema.draft(frame).columns["secret"]["type"] == "ignored"
    with pytest.raises(InputError, match="does not declare column 'secret'"):
        Schema(text).check(frame)
    read = Schema(text + '[columns.secret]\ntype = "categorical"\nvalues = ["four", "2"]')
    with pytest.raises(InputError, match="column 'secret' holds something other than") as error:
        read.check(frame)
    assert "four" not in str(error.value)


def test_numbers_of_several_types_are_numbers() -> None:
    large = pd.DataFrame({"x": [1, 2**70, None], "odd": [1, "a", None]})
    assert table_of(large)["x"].to_pylist() == ["1", str(2**70), None]
    frame = pd.DataFrame({"x": pd.Series([1, 2.5, Decimal(4), pd.NA], dtype=object)})
    assert table_of(frame)["x"].to_pylist() == ["1", "2.5", "4", None]


def test_pandas_is_read_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    table = table_of(pd.DataFrame(PEOPLE))
    assert table["age"].tolist() == PEOPLE["age"]
    assert table["sex"].tolist()[0] == "F"


def test_polars_comes_back_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    columns = {"share": np.array([0.5, np.nan]), "sex": ["F", None]}
    assert in_kind(Kind("polars"), columns).rows() == [(0.5, "F"), (None, None)]


def test_kinds_hold_no_records() -> None:
    assert kind_of(pl.Series([1])) == Kind("polars")
    assert kind_of([1]) == kind_of(np.zeros(1)) == kind_of(None) == Kind()
    assert isinstance(in_kind(Kind("pandas"), {"a": [1]}), pd.DataFrame)


def test_lazy_frames_are_collected() -> None:
    draft = Schema.draft(pl.LazyFrame(PEOPLE), dataset="people")
    assert draft.num_records == 30


def test_duplicate_names_are_refused() -> None:
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(InputError, match="two columns 'a'; rename one of them"):
        table_of(frame)


def test_gaps_in_lists_are_no_texts() -> None:
    assert table_of({"sex": ["F", float("nan"), None]})["sex"].dtype == object
    assert as_array([1, None]).dtype == object
    assert as_array(["F", "M"]).tolist() == ["F", "M"]


def test_arrays_are_read_as_they_are() -> None:
    numbers = np.array([1, 2] * 20)
    for dtype in (">i8", ">i2", ">f4", ">f8"):
        draft = Schema.draft({"x": numbers.astype(dtype)}, dataset="numbers")
        assert [float(v) for v in draft.columns["x"]["values"]] == [1, 2]
    masked = np.ma.array([1.5, 2.5], mask=[False, True])
    assert np.isnan(table_of({"x": masked})["x"]).tolist() == [False, True]
    assert table_of(masked.reshape(1, 2))["x1"].tolist() == [None]


@pytest.mark.parametrize("values", [np.array([1], "m8[h]"), np.array([b"a"]), np.array(1)])
def test_columns_of_other_types_are_refused(values: Any) -> None:
    with pytest.raises(InputError, match="column 'x'"):
        table_of({"x": values})


_ZONE = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2020, 1, 2, 1, 4, 5, tzinfo=_ZONE), "2020-01-01 23:04:05+00"),
        (datetime(2020, 1, 2, 3, 4, 5, 600, tzinfo=UTC), "2020-01-02 03:04:05.0006+00"),
        (pd.Timestamp("2020-01-02 03:04:05.50", tz="Asia/Tokyo"), "2020-01-01 18:04:05.5+00"),
        (datetime(2020, 1, 2, 3, 4, 5, 250_000), "2020-01-02 03:04:05.25"),
        (datetime(2020, 1, 2), "2020-01-02 00:00:00"),
        (date(2020, 1, 20), "2020-01-20"),
        (time(3, 4, 0), "03:04:00"),
        (time(3, 4, 5, 100), "03:04:05.0001"),
    ],
)
def test_times_are_texts_as_through_arrow(
    value: Any, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = Schema(
        'schema = "equinoise/1"\ndataset = "d"\npublic.num_records = 3\n'
        f'[columns.at]\ntype = "categorical"\nvalues = ["{text}", "never"]\n'
    )
    values = [value] * 3
    array = np.empty(3, dtype=object)
    array[:] = values
    frame = pd.DataFrame({"at": values})

    tables = [pa.table({"at": pa.array(values)}), {"at": array}, frame]
    assert [schema.check(table)["ingest"] for table in tables] == [[]] * 3
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert schema.check(frame)["ingest"] == []
    with pytest.raises(InputError):
        schema.check({"at": ["sometimes"] * 3})


_MIXED: list[Any] = [30, "secret", None, 2.5, True, date(2020, 1, 2), Decimal(7), 40] * 5
_TEXTS = ["30", "secret", None, "2.5", "true", "2020-01-02", "7", "40"] * 5


def _mixed_kinds() -> dict[str, Any]:
    return {
        "pandas": pd.DataFrame({"x": pd.Series(_MIXED, dtype=object)}),
        "polars": pl.DataFrame({"x": pl.Series(_MIXED, dtype=pl.Object)}),
        "lazy": pl.LazyFrame({"x": pl.Series(_MIXED, dtype=pl.Object)}),
        "list": {"x": _MIXED},
        "array": {"x": np.array(_MIXED, dtype=object)},
        "two dimensions": np.array([_MIXED], dtype=object).T,
    }


@pytest.mark.parametrize("malformed", ["stop", "drop", "missing"])
@pytest.mark.parametrize("kind", _mixed_kinds())
def test_objects_follow_the_rule_of_the_schema_as_files_do(kind: str, malformed: str) -> None:
    name = "x0" if kind == "two dimensions" else "x"
    schema = Schema(
        'schema = "equinoise/1"\ndataset = "d"\nreviewed = true\npublic.num_records = 40\n'
        f'[columns.{name}]\ntype = "numeric"\nbounds = [0, 50]\nmissing = "fill"\nfill = 9\n'
        f'malformed = "{malformed}"'
    )

    def release(table: Any) -> Any:
        return means(table, name, epsilon=1, schema=schema, insecure_test_rng=True, seed=1)

    texts, mixed = pa.table({name: _TEXTS}), _mixed_kinds()[kind]
    if malformed == "stop":
        for table in (texts, mixed):
            with pytest.raises(InputError, match=f"column '{name}' is not a number") as error:
                release(table)
            assert "secret" not in str(error.value)
    else:
        assert release(mixed)["overall"] == release(texts)["overall"]


@pytest.mark.parametrize("other", ["secret", None, 2.5, 2**70, True, Decimal("0.25")])
def test_no_object_changes_the_cell_of_another_one(other: Any) -> None:
    values = pd.Series([1, 1.5, other], dtype=object)
    whole = pd.Series([1, 2, other], dtype=object)
    for column in (values, whole):
        for table in (table_of({"x": column}), table_of(pd.DataFrame({"x": column}))):
            cells = [getattr(cell, "as_py", lambda c=cell: c)() for cell in table["x"]]
            assert [str(cell) for cell in cells][:2] == [str(value) for value in column[:2]]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *[(1, "1"), (1.0, "1"), (0.5, "0.5"), (True, "true"), (np.bool_(False), "false")],
        *[("1", "1"), (np.float32(0.1), "0.1"), (np.float32(1), "1"), (2.0**63, str(2**63))],
        *[(Decimal("1.0"), "1"), (Decimal("-0.00"), "0"), (Decimal("1.50"), "1.5")],
        *[(Decimal("1E+2"), "100"), (Decimal("1" + "0" * 29 + "1.0"), "1" + "0" * 29 + "1")],
    ],
)
def test_values_as_texts(value: object, text: str) -> None:
    assert text_of(value) == text


_ONE = [7, 7.0, np.float32(7), np.int8(7), Decimal(7), Decimal("7.00")]
_LARGE = [2**63, 2.0**63, np.float32(2**63), np.uint64(2**63), Decimal(2**63), Decimal(2.0**63)]


@pytest.mark.parametrize("one", [_ONE, _LARGE], ids=["small", "large"])
@pytest.mark.parametrize("other", ["a", 8, 8.5, 2**70, Decimal("8.5"), True])
def test_equal_numbers_are_one_unit(one: list[Any], other: Any) -> None:
    schema = Schema(
        'schema = "equinoise/1"\ndataset = "d"\nreviewed = true\nunit = "id"\n'
        "max_records_per_unit = 6\npublic.num_units = 2\n"
        '[columns.id]\ntype = "ignored"\n[columns.x]\ntype = "numeric"\nbounds = [0, 1]'
    )
    ids = np.array([*one, other], dtype=object)
    zeros = np.zeros(len(ids))
    for table in (
        pd.DataFrame({"id": ids, "x": zeros}),
        pl.DataFrame({"id": pl.Series(list(ids), dtype=pl.Object), "x": zeros}),
        {"id": ids, "x": zeros},
        {"id": ids[[0, 1, 6]], "x": zeros[:3]},
        {"id": ids[[4, 5, 6]], "x": zeros[:3]},
    ):
        assert schema.check(table)["fits"] is True


@pytest.mark.parametrize("series", [pd.Series([1, 2], name="a"), pl.Series("a", [1, 2])])
def test_a_series_is_no_table(series: Any) -> None:
    with pytest.raises(InputError, match="to_frame"):
        table_of(series)
