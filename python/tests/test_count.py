# SPDX-License-Identifier: Apache-2.0
"""Frames of every engine give the counted table of their records, however these lie in parts."""

import bisect
import datetime
import importlib.util
import json
import math
import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from equinoise import InputError, Schema, Synthesizer, _codes, _core, count, means
from equinoise._command import run

NUM_PEOPLE = 60

SCHEMA = Schema("""\
schema = "equinoise/1"
dataset = "people"
public_bins = 8
missing_values = ["", "?", "-9", "9999-12-31"]
[columns.age]
type = "numeric"
bounds = [17, 90]
whole = true
[columns.income]
type = "numeric"
bounds = [0, 1000.5]
[columns.amount]
type = "numeric"
bounds = [0, 99.5]
[columns."sex.at.birth"]
type = "categorical"
values = ["F", "M"]
[columns.paid]
type = "categorical"
values = ["no", "yes"]
[columns.code]
type = "categorical"
values = ["1", "2", "0.5"]
[columns.day]
type = "date"
bounds = [2000-01-01, 2020-12-31]
[columns.at]
type = "timestamp"
format = "YYYY-MM-DD hh:mm"
bounds = ["2000-01-01 00:00", "2020-12-31 00:00"]
""")

VALUES: dict[str, list[Any]] = {
    "age": [17, 18, 90, 91, 200, 3, -9, None],
    "income": [
        0.0,
        -0.0,
        10.1,
        1000.5,
        1000.6,
        math.inf,
        -math.inf,
        math.nan,
        -9.0,
        None,
        20.0,
        500.25,
        7.5,
    ],
    "amount": [Decimal(t) for t in ("0.00", "99.50", "99.51", "1.55", "-9.00", "3.00")] + [None],
    "sex.at.birth": ["F", " M\t", "F ", "x", "?", "  ", "f", None],
    "paid": [True, False, None],
    "code": ["1", "01", " +2.0", "0.50", ".5", "3", "1.", "-1", "2", "1_0", None],
    "day": [*map(datetime.date.fromisoformat, ("2000-01-01", "2020-12-31", "9999-12-31"))]
    + [datetime.date(1990, 1, 1), datetime.date(2021, 1, 1), datetime.date(2012, 2, 29), None],
    "at": [
        datetime.datetime(2000, 1, 1),
        datetime.datetime(1999, 12, 31, 23, 59, 59),
        datetime.datetime(2020, 12, 31, 0, 0, 59),
        datetime.datetime(2020, 12, 31, 0, 1),
        datetime.datetime(1960, 1, 1, 1, 2, 3, 4),
        datetime.datetime(2010, 7, 1, 1, 2, 3),
        datetime.datetime(2001, 7, 1, 1, 2),
        datetime.datetime(2019, 7, 1),
        None,
    ],
}
TYPES = pa.schema(
    [
        ("age", pa.int32()),
        ("income", pa.float32()),
        ("amount", pa.decimal128(10, 2)),
        ("sex.at.birth", pa.string()),
        ("paid", pa.bool_()),
        ("code", pa.string()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us")),
    ]
)


def _people() -> pa.Table:
    draw = random.Random(1)
    columns = {name: draw.choices(values, k=NUM_PEOPLE) for name, values in VALUES.items()}
    return pa.table(columns, schema=TYPES)


PEOPLE = _people()


@pytest.fixture(scope="module")
def counted() -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = count(PEOPLE, SCHEMA).to_pydict()
    return table


def _columns(table: Any) -> dict[str, list[Any]]:
    """Of any frame, with None for what is missing."""
    if isinstance(table, duckdb.DuckDBPyRelation):
        table = table.to_arrow_table()
    if isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    if isinstance(table, pl.DataFrame):
        table = table.to_arrow()
    columns: dict[str, list[Any]] = table.to_pydict()
    return columns


FRAMES: dict[str, tuple[Callable[[pa.Table], Any], type]] = {
    "pandas": (lambda t: t.to_pandas(), pd.DataFrame),
    "pandas of arrow": (lambda t: t.to_pandas(types_mapper=pd.ArrowDtype), pd.DataFrame),
    "polars": (pl.from_arrow, pl.DataFrame),
    "lazy polars": (lambda t: pl.from_arrow(t).lazy(), pl.DataFrame),
    "polars of categories": (lambda t: _with_categories(pl.from_arrow(t)), pl.DataFrame),
    "duckdb": (duckdb.from_arrow, duckdb.DuckDBPyRelation),
    "ibis": (lambda t: _in_ibis(t), pa.Table),
}


def _in_ibis(table: pa.Table) -> Any:
    """A table of DuckDB behind Ibis, which makes the SQL."""
    _require("ibis", importlib.util.find_spec("ibis") is not None)
    import ibis

    connection = duckdb.connect()
    connection.register("frame", table)
    connection.sql("create table people as from frame")
    return ibis.duckdb.from_connection(connection).table("people")


def _with_categories(frame: Any) -> Any:
    codes = [code for code in VALUES["code"] if code]
    return frame.with_columns(
        pl.col("sex.at.birth").cast(pl.Categorical), pl.col("code").cast(pl.Enum(codes))
    )


@pytest.mark.parametrize("kind", FRAMES)
def test_each_kind_of_frame_gives_the_same_table(kind: str, counted: dict[str, list[Any]]) -> None:
    made, expected = FRAMES[kind]
    table = count(made(PEOPLE), SCHEMA)
    assert isinstance(table, expected)
    assert _columns(table) == counted


def test_a_counted_table_is_read_as_its_records(counted: dict[str, list[Any]]) -> None:
    assert sum(counted["equinoise_count_bins8"]) == NUM_PEOPLE
    rows = np.repeat(np.arange(len(counted["age"])), counted["equinoise_count_bins8"])
    again = pa.table(counted).take(rows).drop_columns("equinoise_count_bins8")
    ingest = _ingest(PEOPLE)
    assert len(ingest) > len(VALUES)
    assert _ingest(again) == ingest


def _ingest(table: pa.Table) -> list[str]:
    """How many cells of each column are missing, clamped, not listed."""
    sized = SCHEMA.text.replace(
        "[columns.age]", f"public.num_records = {NUM_PEOPLE}\n[columns.age]", 1
    )
    lines: list[str] = Schema("reviewed = true\n" + sized).check(table)["ingest"]
    told = re.compile("are missing|lie outside|does not list|contribute nothing")
    return [line for line in lines if told.search(line)]


def test_what_a_file_holds_gives_the_same_table(
    counted: dict[str, list[Any]], tmp_path: Path
) -> None:
    """As text: what the records' own file would hold, read by each engine's reader of CSV."""
    path = tmp_path / "people.csv"
    PEOPLE.to_pandas().to_csv(path, index=False)
    types = {"age": "INTEGER", "income": "FLOAT", "amount": "DECIMAL(10,2)", "code": "VARCHAR"}
    relation = duckdb.read_csv(str(path), dtype=types, na_values=[""])
    assert _columns(count(relation, SCHEMA)) == counted


def test_texts_in_memory_are_read_as_those_of_a_file(
    counted: dict[str, list[Any]], tmp_path: Path
) -> None:
    path = tmp_path / "people.csv"
    PEOPLE.to_pandas().to_csv(path, index=False)
    texts = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    assert _columns(count(texts, SCHEMA)) == counted


CELLS = ["1", " 2.5\t", "n/a", "7", "", None, "1e1", "99", "-Infinity", "nan", "1_0", "1", "0.1"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars objects", "pyarrow", "dict", "dask"])
@pytest.mark.parametrize("whole", [False, True])
def test_one_text_makes_a_column_of_numbers_no_other_column(
    kind: str, whole: bool, tmp_path: Path
) -> None:
    """As `equinoise count` reads a file of them, whatever holds the texts."""
    text = NUMBERS.format(lower=0, upper=10, bins=10) + f"whole = {str(whole).lower()}\n"
    text += 'malformed = "missing"\nmissing = "allowed"\n'
    schema, data, out = (tmp_path / name for name in ("schema.toml", "cells.csv", "counted.csv"))
    schema.write_text(text)
    data.write_text("x\n" + "".join(f'"{cell or ""}"\n' for cell in CELLS))
    run("count", {"schema": schema, "from": data, "out": out})
    by_file = pd.read_csv(out, dtype=str, keep_default_na=False)
    if kind == "dask":
        _require("dask", importlib.util.find_spec("dask") is not None)
        import dask.dataframe as dd

        frame: Any = dd.from_pandas(pd.DataFrame({"x": CELLS}), npartitions=3)
    else:
        mixed = pd.Series([float(c) if c == "1" else c for c in CELLS], dtype=object)
        frame = {
            "pandas": pd.DataFrame({"x": mixed}),
            "polars": pl.DataFrame({"x": CELLS}),
            "polars objects": pl.DataFrame({"x": pl.Series(list(mixed), dtype=pl.Object)}),
            "pyarrow": pa.table({"x": pa.array(CELLS).dictionary_encode()}),
            "dict": {"x": np.array(CELLS, dtype=object)},
        }[kind]
    table = count(frame, Schema(text))
    by_frame = {name: list(map(_text_of_cell, table[name])) for name in by_file}
    assert _rows(by_frame) == _rows(by_file)
    assert "(no number)" in by_frame["x"]


def _text_of_cell(cell: Any) -> str:
    cell = cell.as_py() if isinstance(cell, pa.Scalar) else cell
    return "" if cell is None or cell != cell else str(cell)


def _rows(table: Any) -> list[tuple[str, ...]]:
    return sorted(zip(*(list(table[name]) for name in table), strict=True))


def test_engines_read_no_texts() -> None:
    schema = Schema(NUMBERS.format(lower=0, upper=1, bins=4))
    table = pa.table({"x": ["1", "2"]})
    for frame in (pl.from_arrow(table).lazy(), duckdb.from_arrow(table), _in_ibis(table)):
        with pytest.raises(InputError, match="String, which holds no numbers; cast it to a number"):
            count(frame, schema)


NUMBERS = """\
schema = "equinoise/1"
dataset = "numbers"
public_bins = {bins}
missing_values = ["", "7"]
[columns.x]
type = "numeric"
bounds = [{lower}, {upper}]
"""


def _expected(values: list[Any], read: Callable[[Any], float], schema: Schema) -> Counter[Any]:
    """By what cells are read as, from the plan of the core."""
    with schema.file() as path:
        (column,) = _core.count_plan(path)["columns"]
    rows: Counter[Any] = Counter()
    for value in values:
        number = None if value is None else read(value)
        if number is None or math.isnan(number) or value == 7:
            rows[None] += 1
        elif number < column["edges"][0]:
            rows[-math.inf] += 1
        elif number >= column["edges"][-1]:
            rows[math.inf] += 1
        else:
            place = bisect.bisect_right(column["edges"], number) - 1
            rows[column["numbers"][place]] += 1
    return rows


def _around(edges: list[float], step: float) -> list[float]:
    near = [math.nextafter(edge, way) for edge in edges for way in (-math.inf, math.inf)]
    return [*edges, *near, *(edge + way * step for edge in edges for way in (-1, 1))]


EDGES = [i / 64 * 10 - 3 for i in range(65)]
LARGE = 2**53
CASES: dict[str, tuple[pa.DataType, list[Any], Callable[[Any], float], tuple[float, float]]] = {
    "double": (
        pa.float64(),
        [*_around(EDGES, 0.1), math.nan, math.inf, -math.inf, -0.0, 7.0, 1e300, 5e-324, None],
        float,
        (-3, 7.1),
    ),
    "single": (
        pa.float32(),
        [*_around(EDGES, 0.1), math.nan, math.inf, -math.inf, -0.0, 7.0, 0.1, 7.1, None],
        lambda value: float(str(np.float32(value))),
        (-3, 7.1),
    ),
    "decimal": (
        pa.decimal128(10, 2),
        [Decimal(i).scaleb(-2) for i in range(-310, 720)] + [None],
        float,
        (-3, 7.1),
    ),
    "long decimal": (
        pa.decimal128(38, 20),
        [
            Decimal(repr(x)).quantize(Decimal("1e-20")) + Decimal(i).scaleb(-20)
            for x in EDGES
            for i in (-20000, -40, -20, -1, 0, 1, 20)
        ],
        float,
        (-3, 7.1),
    ),
    "small integer": (pa.int8(), [*range(-128, 128), None], float, (-3, 7.1)),
    "byte": (pa.uint8(), [*range(256), None], float, (-3, 7.1)),
    "large integer": (
        pa.int64(),
        [LARGE + i for i in range(-40, 41)]
        + [LARGE + i for i in (2**20, 2**20 + 1, 2**20 + 2)]
        + [2**63 - 1, -(2**63), None],
        float,
        (float(LARGE - 2**20), float(LARGE + 2**20)),
    ),
    "unsigned integer": (
        pa.uint64(),
        [LARGE + i for i in range(-40, 41)] + [0, 2**63, 2**64 - 1, None],
        float,
        (float(LARGE - 2**20), float(LARGE + 2**20)),
    ),
}


@pytest.mark.parametrize("kind", ["pyarrow", "lazy polars", "duckdb", "pandas of arrow", "ibis"])
@pytest.mark.parametrize("case", CASES)
def test_numbers_are_compared_as_what_they_are_read_as(case: str, kind: str) -> None:
    dtype, values, read, (lower, upper) = CASES[case]
    schema = Schema(NUMBERS.format(lower=lower, upper=upper, bins=64))
    table = pa.table({"x": pa.array(values, dtype)})
    values = table["x"].to_pylist()
    frame = table if kind == "pyarrow" else FRAMES[kind][0](table)
    counted = _columns(count(frame, schema))
    found = dict(zip(counted["x"], counted["equinoise_count_bins64"], strict=True))
    assert found == _expected(values, read, schema)


def test_a_number_that_is_not_whole_is_none_of_a_whole_column() -> None:
    text = NUMBERS.format(lower=0, upper=100, bins=10) + "whole = true\n"
    counted = count({"x": [1.0, 1.5, 99.5, 100.0, 100.5]}, Schema(text))
    assert list(counted["x"]) == ["inf", "(no number)", "5", "100"]
    assert list(counted["equinoise_count_bins10"]) == [1, 2, 1, 1]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_with_a_zone_are_moments(unit: str, zone: str) -> None:
    schema = Schema(
        'schema = "equinoise/1"\ndataset = "times"\npublic_bins = 4\n[columns.x]\n'
        'type = "timestamp"\nformat = "YYYY-MM-DDThh:mm:ss+02:00"\n'
        'bounds = ["2020-10-25T00:00:00+02:00", "2020-11-01T12:00:00+02:00"]\n'
    )
    start = datetime.datetime(2020, 10, 24, 22, tzinfo=datetime.UTC)
    times = [start + datetime.timedelta(hours=i) for i in range(-1, 200)]
    expected = None
    for kind in ("pyarrow", "pandas", "lazy polars", "duckdb", "ibis"):
        if kind in ("duckdb", "ibis") and unit == "ns":  # which has no such type
            continue
        table = pa.table({"x": pa.array(times, pa.timestamp(unit, zone))})
        counted = _columns(count(table if kind == "pyarrow" else FRAMES[kind][0](table), schema))
        expected = expected or counted
        assert counted == expected
    assert expected is not None
    assert len(expected["x"]) == 8  # four bins, both bounds, and what is outside of either
    assert sum(expected["equinoise_count_bins4"]) == len(times)


TRUTHS = Schema("""\
schema = "equinoise/1"
dataset = "truths"
[columns.x]
type = "boolean"
values = ["no", "yes"]
""")


@pytest.mark.parametrize(
    "dtype",
    [pa.bool_(), pa.int8(), pa.float16(), pa.float32(), pa.float64(), pa.decimal128(5, 2)]
    + [pa.string(), pa.dictionary(pa.uint32(), pa.string_view())],
)
def test_one_and_zero_are_truths_in_each_type(dtype: pa.DataType) -> None:
    """As pandas has them where a column has gaps: 1.0 and 0.0."""
    values = pa.array([1, 0, None, 1], pa.int8())
    if pa.types.is_string(dtype) or pa.types.is_dictionary(dtype):
        values = pa.array(["1.0", "0.00", None, "yes"]).cast(pa.string_view())
        values = values.dictionary_encode() if pa.types.is_dictionary(dtype) else values
    table = pa.table({"x": values.cast(dtype)})
    expected = {"x": [None, "no", "yes"], "equinoise_count": [1, 1, 2]}
    frames = [table, pl.from_arrow(table)]
    if not pa.types.is_float16(dtype):  # DuckDB has no halves
        frames += [duckdb.from_arrow(table), _in_ibis(table)]
    for frame in frames:
        assert _columns(count(frame, TRUTHS)) == expected
    sized = Schema(TRUTHS.text.replace("[columns.x]", "[public]\nnum_records = 4\n[columns.x]"))
    notes = sized.check(table)["ingest"]
    assert not any("does not list" in note for note in notes)


def test_types_that_pyarrow_or_narwhals_lack_are_counted() -> None:
    schema = Schema(NUMBERS.format(lower=0, upper=10, bins=10))
    expected = {"x": [None, 1.5, 2.5], "equinoise_count_bins10": [1, 1, 1]}
    for dtype in (pl.Int128, pl.Float16):
        frame = pl.DataFrame({"x": [1, 2, None]}, schema={"x": dtype})
        assert _columns(count(frame, schema)) == expected
        assert _columns(count(frame.lazy(), schema)) == expected
    long = np.array([1, 2, np.nan], dtype=np.longdouble)
    sparse = pd.arrays.SparseArray([1, 2, np.nan])
    for data in ({"x": long}, pd.DataFrame({"x": long}), pd.DataFrame({"x": sparse})):
        table = count(data, schema)
        assert list(table["equinoise_count_bins10"]) == [1, 1, 1]
    nulls = pl.DataFrame({"x": [None, None]})
    for frame in (nulls, nulls.lazy(), nulls.to_arrow()):
        assert _columns(count(frame, schema)) == {"x": [None], "equinoise_count_bins10": [2]}
    days = Schema(
        'schema = "equinoise/1"\ndataset = "days"\npublic_bins = 4\n[columns.x]\n'
        'type = "date"\nbounds = [2020-01-01, 2020-01-08]\n'
    )
    table = pa.table({"x": pa.array([datetime.date(2020, 1, 1)], pa.date64())})
    assert count(table, days)["x"].to_pylist() == ["2020-01-01"]


ODD = [{"a": 1}, [2], None, "x", 1]


def test_columns_that_nobody_asks_for_may_hold_anything() -> None:
    schema = Schema(NUMBERS.format(lower=0, upper=10, bins=10))
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 4], "odd": ODD, "mixed": [1, "2", None, 1j, 3]})
    assert list(count(frame, schema)["equinoise_count_bins10"]) == [1, 1, 1, 2]
    for name in ("odd", "mixed"):
        with pytest.raises(InputError, match="column 'x' holds something other than text, numbers"):
            count(frame.drop(columns="x").rename(columns={name: "x"}), schema)


def test_two_columns_of_one_name_are_named() -> None:
    schema = Schema(NUMBERS.format(lower=0, upper=10, bins=10))
    frame = pd.DataFrame([[1, 2]], columns=["x", "x"])
    for data in (frame, pa.table([pa.array([1]), pa.array([2])], ["x", "x"])):
        with pytest.raises(InputError, match="two columns 'x'; rename one"):
            count(data, schema)


def test_a_column_is_no_table() -> None:
    for data in (pl.Series("x", [1]), {"x": [1], "y": [1, 2]}):
        with pytest.raises(InputError, match="is no table of columns of one length"):
            count(data, Schema(NUMBERS.format(lower=0, upper=10, bins=10)))


def test_midnights_are_dates() -> None:
    schema = Schema(
        'schema = "equinoise/1"\ndataset = "days"\npublic_bins = 4\n[columns.x]\n'
        'type = "date"\nbounds = [2020-01-01, 2020-01-08]\n'
    )
    times = ["2020-01-01", "2020-01-02 00:00:00.000000001", "2020-01-09"]
    days = pd.to_datetime(times, format="ISO8601")
    counted = count(pd.DataFrame({"x": days}), schema)
    assert list(counted["x"]) == ["2020-01-09", "(no number)", "2020-01-01"]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ([True, False], "'x' is of type Boolean"),
        ([datetime.date(2020, 1, 1)], "'x' is of type Date"),
    ],
)
def test_a_type_that_holds_no_numbers_is_refused(values: list[Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        count(pa.table({"x": values}), Schema(NUMBERS.format(lower=0, upper=1, bins=4)))


def test_a_zone_that_the_format_does_not_name_is_refused() -> None:
    with_zone = PEOPLE.set_column(7, "at", PEOPLE["at"].cast(pa.timestamp("us", "UTC")))
    with pytest.raises(InputError, match="names a time zone, and the format"):
        count(with_zone, SCHEMA)


def test_a_frame_must_be_that_of_the_schema(schema: Schema, people: pd.DataFrame) -> None:
    assert sum(count(people, schema)["equinoise_count"]) == 400
    with pytest.raises(InputError, match=r"has 10 rows, .* = 400; .* only if it is public"):
        count(people.head(10), schema)
    with pytest.raises(InputError, match=r"has 0 rows"):
        count(people.head(0), schema)
    with pytest.raises(InputError, match=r"lacks column 'sex' of the schema; .* 'sexx'"):
        count(people.rename(columns={"sex": "sexx"}), schema)
    with pytest.raises(InputError, match="counted already"):
        count(count(people, schema), schema)


def test_nobody_is_counted_where_nobody_is() -> None:
    for made, _ in FRAMES.values():
        table = _columns(count(made(PEOPLE.slice(0, 0)), SCHEMA))
        assert list(table) == [*VALUES, "equinoise_count_bins8"]
        assert not table["age"]


def test_rows_of_units_are_not_counted_here() -> None:
    text = NUMBERS.format(lower=0, upper=1, bins=4).replace(
        "[columns.x]",
        'unit = "who"\nmax_records_per_unit = 2\n[columns.who]\ntype = "ignored"\n[columns.x]',
    )
    with pytest.raises(InputError, match="equinoise count"):
        count({"x": [1.0], "who": ["a"]}, Schema(text))


def _require(name: str, is_there: bool) -> None:
    """See run.sh for what the variable means."""
    if is_there:
        return
    if os.environ.get("EQUINOISE_REQUIRE_SHARED"):
        pytest.fail(f"{name} is missing: tools/setup.sh test installs it")
    pytest.skip(f"{name} is missing: tools/setup.sh test installs it")


@pytest.mark.parametrize("num_parts", [1, 3, 17])
def test_parts_of_dask_add_up(num_parts: int, counted: dict[str, list[Any]]) -> None:
    _require("dask", importlib.util.find_spec("dask") is not None)
    import dask
    import dask.dataframe as dd

    frame = PEOPLE.to_pandas(types_mapper=pd.ArrowDtype)
    with dask.config.set(scheduler="synchronous"):
        table = count(dd.from_pandas(frame, npartitions=num_parts), SCHEMA)
    assert isinstance(table, pa.Table)
    assert _columns(table) == counted


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster of two executors, each a process with its own memory, on this machine."""
    _require("pyspark", importlib.util.find_spec("pyspark") is not None)
    _require("java", shutil.which("java") is not None)
    import pyspark
    from pyspark.sql import SparkSession

    # Executors have their folders below the home of Spark, which not everybody may write to.
    home = tmp_path_factory.mktemp("spark")
    for entry in Path(pyspark.__file__).parent.iterdir():
        (home / entry.name).symlink_to(entry)
    compiles_little = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SPARK_HOME", str(home))
        environment.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = (
            SparkSession.builder.master("local-cluster[2,1,512]")
            .config("spark.ui.enabled", "false")
            .config("spark.scheduler.minRegisteredResourcesRatio", "1")
            .config("spark.scheduler.maxRegisteredResourcesWaitingTime", "120s")
            .config("spark.sql.shuffle.partitions", "3")
            .config("spark.sql.session.timeZone", "America/New_York")
            .config("spark.sql.timestampType", "TIMESTAMP_NTZ")
            .config("spark.driver.memory", "512m")
            .config("spark.executor.memory", "512m")
            # Compiling would take most of the tests' time.
            .config("spark.driver.extraJavaOptions", compiles_little)
            .config("spark.executor.extraJavaOptions", compiles_little)
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def _tasks_of_executors(spark: Any) -> dict[str, int]:
    """How many tasks each process of a cluster has done; of one without executors the driver."""
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(True)
    infos = [executors.apply(i) for i in range(executors.size())]
    return {info.id(): info.completedTasks() for info in infos}


def test_spark_gives_the_same_table(spark: Any, counted: dict[str, list[Any]]) -> None:
    table = count(spark.createDataFrame(PEOPLE).repartition(5), SCHEMA)
    assert isinstance(table, pa.Table)
    assert _columns(table) == counted


def test_executors_count_what_the_tool_counts_of_a_file(
    spark: Any, schema: Schema, people: pd.DataFrame, tmp_path: Path
) -> None:
    """Byte by byte."""
    people.to_csv(tmp_path / "people.csv", index=False)
    out = tmp_path / "counted.csv"
    with schema.file() as path:
        options = {"schema": str(path), "from": str(tmp_path / "people.csv"), "out": str(out)}
        run("count", options)
    frame = spark.createDataFrame(people)
    before = _tasks_of_executors(spark)
    for num_parts in (1, 3, 17):
        table = count(frame.repartition(num_parts), schema)
        assert table.to_pandas().to_csv(index=False).encode() == out.read_bytes()
    done = {name: num - before[name] for name, num in _tasks_of_executors(spark).items()}
    assert done.keys() == {"driver", "0", "1"}
    assert done["driver"] == 0
    assert min(done["0"], done["1"]) > 0


def test_spark_compares_numbers_as_others_do(spark: Any) -> None:
    """Of all types in one query, since each takes seconds."""
    cases = {name: CASES[name] for name in ("double", "single", "decimal", "large integer")}
    num_rows = max(len(values) for _, values, _, _ in cases.values())
    text = NUMBERS.format(lower=0, upper=1, bins=16).partition("[columns.x]")[0]
    columns = {}
    for name, (dtype, values, _, (lower, upper)) in cases.items():
        text += f'[columns."{name}"]\ntype = "numeric"\nbounds = [{lower}, {upper}]\n'
        columns[name] = pa.array(values + [None] * (num_rows - len(values)), dtype)
    text += '[columns.midnight]\ntype = "date"\nbounds = ["1950-01-01", "2020-12-31"]\n'
    start = datetime.datetime(1949, 12, 31)
    times = [start + datetime.timedelta(hours=12 * i) for i in range(num_rows)]
    columns["midnight"] = pa.array(times, pa.timestamp("us"))
    table = pa.table(columns)
    counted = count(spark.createDataFrame(table), Schema(text)).to_pydict()
    assert counted == count(table, Schema(text)).to_pydict()


STATEMENT = """\
schema = "equinoise/1"
dataset = "people"
public_bins = 8
missing_values = ["", "?", "-9"]
{units}
[columns.person]
type = "ignored"
[columns.age]
type = "numeric"
bounds = [17, 90]
whole = true
[columns.dose]
type = "numeric"
bounds = [-0.5, 2]
malformed = "missing"
[columns.born]
type = "date"
bounds = ["1950-01-01", "1952-01-01"]
[columns.seen]
type = "timestamp"
bounds = ["2024-01-01T00:00:00", "2024-12-31T23:59:59"]
[columns.sent]
type = "timestamp"
format = "YYYY-MM-DD hh:mm+02:00"
bounds = ["2024-01-01 00:00+02:00", "2024-12-31 23:59+02:00"]
[columns.city]
type = "categorical"
values = ["it's \\"here\\"", "back\\\\slash", " indented", "last\\nline", "Köln", "{{braces}}"]
unknown = "other"
[columns.ward]
type = "categorical"
values = {wards}
[columns.ill]
type = "categorical"
values = ["no", "yes"]
"""
WARDS = [f"{letter}{i}" for letter in "aBzé" for i in range(10)]


def _rows_of_statement(num_rows: int) -> pa.Table:
    draw = random.Random(3)
    moment, utc = datetime.datetime, datetime.UTC
    times = [moment(2024, 1, 1), moment(2023, 12, 31, 23, 59, 59, 999999), moment(2024, 7, 2)]
    times += [moment(2024, 12, 31, 22, 0), moment(2025, 1, 1), moment(2024, 3, 10, 2, 30)]
    cities = ['it\'s "here"', "back\\slash", " indented", "indented", "last\nline", " Köln\t"]
    values: dict[str, tuple[Any, list[Any]]] = {
        "person": (pa.string(), [f" p{i}" for i in range(num_rows // 8)] + ["", None]),
        "age": (pa.int64(), [16, 17, 18, 54, 90, 91, -9, 2**53 + 1]),
        "dose": (pa.float64(), [-0.5, -0.0, 0.125, 2.0, math.inf, -math.inf, math.nan, -9.0]),
        "born": (pa.date32(), [datetime.date(1950, 1, 1), datetime.date(1949, 12, 31)]),
        "seen": (pa.timestamp("us"), times),
        "sent": (pa.timestamp("us", "UTC"), [time.replace(tzinfo=utc) for time in times]),
        "city": (pa.string(), [*cities, "koln", "{braces}", " ? ", "-9", ""]),
        "ward": (pa.string(), [*WARDS, "A0", "\u00e9", "Z"]),
        "ill": (pa.string(), ["no", "yes", " YES ", "No", "true", "F", "maybe"]),
    }
    return pa.table(
        {n: pa.array(draw.choices([*v, None], k=num_rows), t) for n, (t, v) in values.items()}
    )


@pytest.mark.parametrize("units", ["", 'unit = "person"\nmax_records_per_unit = 2'])
def test_the_statement_for_spark_counts_what_that_for_duckdb_does(spark: Any, units: str) -> None:
    """But that NaN is no number, as it is everywhere but in DuckDB: here it is missing for both."""
    schema = Schema(STATEMENT.format(units=units, wards=json.dumps(WARDS)))
    people = _rows_of_statement(300)
    spark.createDataFrame(people).repartition(3).createOrReplaceTempView("people")
    engine = duckdb.connect()
    engine.register("people", people)
    texts = {}
    for dialect in ("spark", "duckdb"):
        with schema.file() as path:
            options = {"schema": str(path), "sql": True, "table": "people", "dialect": dialect}
            texts[dialect] = run("count", options)["statements"]
    assert len(texts["spark"]) == (2 if units else 1)
    for by_spark, by_duckdb in zip(texts["spark"], texts["duckdb"], strict=True):
        rows = sorted(tuple(row) for row in spark.sql(by_spark).collect())
        expected = sorted(engine.sql(by_duckdb).fetchall())
        if not units:  # codes of units are those after the rules
            place = by_spark.split(": dose")[0].rpartition("c")[2]
            rows = _with_missing_for_no_number(rows, int(place))
        assert rows == expected
    assert len(rows) > 50


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "trino"])
def test_ibis_asks_warehouses_in_their_sql(dialect: str) -> None:
    """sqlglot parses it; no warehouse runs it here."""
    _require("ibis", importlib.util.find_spec("ibis") is not None)
    import ibis
    import sqlglot

    statement = Schema(STATEMENT.format(units="", wards=json.dumps(WARDS)))
    for schema, columns in ((SCHEMA, TYPES), (statement, _rows_of_statement(0).schema)):
        with schema.file() as path:
            plan = _core.count_plan(path)
        table = ibis.table(ibis.Schema.from_pyarrow(columns), name="people")
        query = _codes.query(table, plan).to_native()
        parsed = sqlglot.parse_one(ibis.to_sql(query, dialect=dialect), dialect=dialect)
        (counted,) = [s for s in parsed.find_all(sqlglot.exp.Select) if s.args.get("group")]
        num_codes = len(plan["columns"])
        assert counted.named_selects == [*(f"code_{i}" for i in range(num_codes)), "records"]


def _with_missing_for_no_number(rows: list[tuple[int, ...]], column: int) -> list[tuple[int, ...]]:
    counts: Counter[tuple[int, ...]] = Counter()
    for *codes, num in rows:
        if codes[column] == -2:
            codes[column] = -1
        counts[tuple(codes)] += num
    return sorted((*codes, num) for codes, num in counts.items())


def test_what_is_released_from_counts_is_what_is_released_from_records(
    spark: Any, schema: Schema, people: pd.DataFrame
) -> None:
    def released(table: Any) -> tuple[Any, Any]:
        report = means(
            table, "age", by="sex", schema=schema, epsilon=1, insecure_test_rng=True, seed=3
        )
        rows = Synthesizer(schema=schema, method="mst", epsilon=1, insecure_test_rng=True, seed=3)
        return report["strata"], rows.fit(table).sample(50, seed=1).to_dict("list")

    expected = released(people)
    counted = count(spark.createDataFrame(people).repartition(5), schema)
    assert counted.num_rows < len(people)
    assert released(counted.to_pandas()) == expected
    assert released(count(people, schema)) == expected
