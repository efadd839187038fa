# SPDX-License-Identifier: Apache-2.0
"""Tables as users have them: frames (pandas, polars, pyarrow, DuckDB), dictionaries, arrays.

They go in through the Arrow C stream or as NumPy columns, never through text, and come back as what
they were.
Narwhals, pandas and pyarrow are imported where they are used, so that `import equinoise` is fast.
"""

import datetime
import importlib.util
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from equinoise.errors import InputError

# The name of a table that commands read from memory, as messages show it.
IN_MEMORY = "table in memory"

# What the core reads: an object with __arrow_c_stream__, or NumPy columns by name.
Table = Any
Columns = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Kind:
    """What a table is, without its records."""

    backend: str | None = None  # "pandas", "polars", "pyarrow", "duckdb"; None: a dictionary
    in_narwhals: bool = False  # wrapped as a frame of Narwhals


_MADE_OF_VALUES = ("pandas", "polars", "pyarrow", "modin", "cudf", "duckdb")
_RESULTS = ("pandas", "polars", "pyarrow")


def kind_of(data: object, results: Sequence[str] = _RESULTS) -> Kind:
    """What a frame or a series is; of arrays, lists and dictionaries a dictionary.

    Frames on a cluster or of queries (Dask, Spark, Ibis), and what the core reads itself
    (input_of), have results in memory: frames of the first of `results` that is installed.
    """
    import narwhals
    import narwhals.stable.v2 as nw

    in_memory = next((one for one in results if importlib.util.find_spec(one)), None)
    if _is_dataset(data):
        return Kind("pyarrow")
    if isinstance(data, (str, os.PathLike)):
        return Kind(in_memory)
    frame = nw.from_native(data, pass_through=True, allow_series=True)
    if not hasattr(frame, "implementation"):
        return Kind()
    backend = str(frame.implementation.value)
    wrapped = isinstance(data, (narwhals.DataFrame, narwhals.LazyFrame, narwhals.Series))
    return Kind(backend if backend in _MADE_OF_VALUES else in_memory, wrapped)


def input_of(data: object) -> tuple[str, dict[str, Table]]:
    """The name under which a command finds a table, and the tables that it gets by name.

    A path, a folder of Parquet files or a database ("postgres://...#people",
    "duckdb:file#table") is read by the core itself. Errors: as table_of.
    """
    if isinstance(data, (str, os.PathLike)):
        return str(os.fspath(data)), {}
    return IN_MEMORY, {IN_MEMORY: table_of(data)}


def table_of(data: object, names: Sequence[str] | None = None) -> Table:
    """A frame or an array as the core reads it. `names`: of the columns of an array [x0, x1, ...].

    A column of a pandas frame that cannot be one gets a type that no cell has, so that it matters
    only to who reads it. Errors: TypeError for what is no table, or for a cell in a dictionary or
    an array that no file holds; InputError for two columns of one name.
    """
    if _package_of(data) == "narwhals":
        data = data.to_native()  # type: ignore[attr-defined]
    if hasattr(data, "to_frame") and not hasattr(data, "columns"):
        raise InputError(
            "[frames] a series is no table of columns of one length; give its to_frame()"
        )
    if isinstance(data, np.ndarray) or _is_nested_list(data):
        array = as_array(data)
        if array.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {array.ndim}D array instead. Reshape your data."
            )
        columns = list(names) if names is not None else [f"x{i}" for i in range(array.shape[1])]
        return {name: plain_column(name, array[:, i]) for i, name in enumerate(columns)}
    if isinstance(data, Mapping):
        return {str(name): plain_column(str(name), as_array(v)) for name, v in data.items()}
    if _package_of(data) == "pandas":
        return _table_of_pandas(data)
    if _package_of(data) == "polars" and hasattr(data, "get_columns"):
        return _table_of_polars(data)
    if _is_dataset(data):
        return data.to_table()  # type: ignore[attr-defined]
    if hasattr(data, "__arrow_c_stream__"):
        return data
    return _columns_of(data)


def as_array(values: object) -> npt.NDArray[Any]:
    """Values as an array: what is masked is missing, NaN in a list of texts is no text."""
    if isinstance(values, np.ma.MaskedArray):
        return _without_mask(values)
    array = np.asarray(values)
    if array.dtype.kind == "U" and not hasattr(values, "dtype"):
        return np.asarray(values, dtype=object)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def floats(name: str, values: object) -> npt.NDArray[np.float64]:
    """Numbers as such. Errors: InputError, which does not quote what is none as NumPy's does."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"[frames] {name} must hold numbers") from None


def is_missing(value: object) -> bool:
    """None, NaN, or what pandas has for them."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def plain_column(name: str, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A column that the core reads, with None for what is missing.

    Objects are numbers of one type or have each the text that a file would have of it: what becomes
    of a text among numbers is for the schema to say, and equal numbers are one cell whatever else
    the column holds.
    Errors: TypeError for a value that no file holds, InputError for a type that no cell is of.
    """
    if np.iscomplexobj(column):
        raise ValueError("Complex data not supported")
    if column.ndim != 1:
        raise InputError(f"[frames] column {name!r} must hold values in one dimension")
    if column.dtype.kind not in "OUTbiufM":
        raise InputError(
            f"[frames] column {name!r} has the type {column.dtype}, of which no cell is"
        )
    if column.dtype == np.longdouble:
        column = column.astype(float)
    if column.dtype != object:
        return np.ascontiguousarray(column)
    missing = np.array([is_missing(value) for value in column], dtype=bool)
    held = [_plain(name, value) for value in column[~missing]]
    kinds = set(map(type, held))
    if kinds == {float}:
        numbers = np.full(len(column), np.nan)
        numbers[~missing] = held
        return numbers
    if kinds == {int} and not missing.any() and max(map(abs, held)) < 2**63:
        return np.array(held, dtype=np.int64)
    plain = np.empty(len(column), dtype=object)
    plain[~missing] = held if kinds in ({int}, {str}) else [text_of(value) for value in held]
    return plain


def text_of(value: object) -> str:
    """A value as cells have it: true, text, 1; of numbers that are equal, as 1 and 1.0, one."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and value.is_integer():
        return str(int(value))  # all digits, as of an integer of the same value
    if isinstance(value, Decimal) and value.is_finite():
        text = format(value or Decimal(0), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value)  # of a float32 the digits that it has


def _plain(name: str, value: Any) -> Any:
    """A text, a whole number, a floating-point one or a decimal."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, Decimal):
        return value
    if hasattr(value, "__float__") and not np.iscomplexobj(value):
        return float(value)
    is_time = isinstance(value, datetime.time) and value.tzinfo is None
    if is_time or isinstance(value, datetime.date):
        return time_text(value)
    raise TypeError(
        f"column {name!r}: argument must be a string or a number, not {type(value).__name__}"
    )


def texts_of(plain: npt.NDArray[Any]) -> list[str | None]:
    """A plain column of objects as texts: whole numbers may have more than 64 bits."""
    return [None if value is None else str(value) for value in plain]


def time_text(value: Any) -> str:
    """As Arrow's values are read: a time with a zone in UTC, fractions without zeros at the end."""
    if isinstance(value, datetime.datetime):
        zone = "" if value.tzinfo is None else "+00"
        utc = value if value.tzinfo is None else value.astimezone(datetime.UTC)
        return _without_zeros(utc.replace(tzinfo=None).isoformat(sep=" ")) + zone
    return _without_zeros(value.isoformat())


def _without_zeros(text: str) -> str:
    return text.rstrip("0") if "." in text else text


def with_column(data: object, name: str, values: object) -> Table:
    """The table with one more column, of the same length, by position.

    Errors: InputError where it has one of that name.
    """
    import narwhals.stable.v2 as nw

    table = table_of(data)
    names = table if isinstance(table, dict) else nw.from_native(table).collect_schema().names()
    if name in names:
        raise InputError(
            f"[frames] the table has a column {name!r} already; leave out the one beside it, or "
            "rename it"
        )
    if isinstance(table, dict):
        return {**table, name: as_array(values)}
    kind = kind_of(table)
    if kind.backend == "duckdb":
        columns = {n: _without_mask(held) for n, held in table.fetchnumpy().items()}
        return {**columns, name: as_array(values)}
    frame = nw.from_native(table, eager_only=True)
    series = nw.new_series(name, as_array(values), backend=frame.implementation)
    return frame.with_columns(series).to_native()


def in_kind(kind: Kind, columns: Mapping[str, object]) -> Any:
    """Columns as a table of a kind.

    Arrays of floats have NaN, lists of texts None where nothing is known; frames have their own
    missing value there.
    """
    if kind.backend is None:
        return {name: _array(values) for name, values in columns.items()}
    if kind.backend == "duckdb":
        import duckdb

        rows_in_memory = {name: _array(values) for name, values in columns.items()}  # noqa: F841
        return duckdb.sql("from rows_in_memory")
    import narwhals
    import narwhals.stable.v2 as nw

    backend: Any = kind.backend
    series = {}
    for name, values in columns.items():
        empty = not isinstance(values, np.ndarray) and all(v is None for v in _list(values))
        one = nw.new_series(name, values, nw.String if empty else None, backend=backend)
        is_float = isinstance(values, np.ndarray) and values.dtype.kind == "f"
        # Native, since polars takes a series of Narwhals through pyarrow.
        series[name] = (one.fill_nan(None) if is_float else one).to_native()
    frame = nw.from_dict(series, backend=backend)
    native = frame.to_native()
    return narwhals.from_native(native) if kind.in_narwhals else native


def types_of(data: object) -> dict[str, Any]:
    """The types of a frame's columns, as those of Narwhals; of what is no frame none."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(data, pass_through=True)
    return dict(frame.collect_schema()) if hasattr(frame, "collect_schema") else {}


def in_types(data: Any, types: Mapping[str, Any]) -> Any:
    """A frame whose columns have these types, but for those that hold what no such type has."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(data, pass_through=True)
    if not types or not isinstance(frame, nw.DataFrame):
        return data
    series = [
        _in_type(frame[name], dtype)
        for name, dtype in types.items()
        if name in frame.columns and frame[name].dtype != dtype
    ]
    typed = frame.with_columns(series) if series else frame
    return typed if isinstance(data, type(frame)) else typed.to_native()


def _in_type(series: Any, dtype: Any) -> Any:
    """The cells of a model are numbers or texts: those of whole numbers, truths and times too."""
    import narwhals.stable.v2 as nw

    is_text = series.dtype == nw.String
    try:
        if dtype.is_integer() and series.dtype.is_float() and (series % 1 != 0).any():
            return series
        if dtype.is_integer() and series.is_null().any() and "pandas" in str(series.implementation):
            return series.cast(nw.Float64)  # which holds missing cells, as whole numbers do not
        if dtype.is_integer() and is_text:
            series = series.cast(nw.Int64)
        elif dtype == nw.Boolean and is_text:
            return series.replace_strict(["false", "true"], [False, True], return_dtype=nw.Boolean)
        elif dtype.is_temporal() and is_text:
            series = series.str.to_datetime()
        return series.cast(dtype)
    except Exception:  # each library has its own
        return series


def by_column(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows as columns for `in_kind`: numbers as arrays, in which None is NaN, all else as lists."""
    columns: dict[str, Any] = {}
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        present = [v for v in values if v is not None]
        if any(not isinstance(v, (int, float)) or isinstance(v, bool) for v in present):
            columns[name] = values
        elif present == values and all(isinstance(v, int) for v in present):
            columns[name] = np.array(values, dtype=np.int64)
        else:
            columns[name] = np.array([np.nan if v is None else v for v in values], dtype=float)
    return columns


def refuse_repeated_names(data: object) -> None:
    """Errors: InputError for two columns of one name, which only some kinds of frames can have."""
    names: Any = ()
    if _package_of(data) in ("dask", "pandas", "pyspark"):
        names = getattr(data, "columns", ())
    elif _package_of(data) == "pyarrow":
        names = getattr(getattr(data, "schema", None), "names", ())
    seen: set[str] = set()
    for name in map(str, names):
        if name in seen:
            raise InputError(f"[frames] the table has two columns {name!r}; rename one of them")
        seen.add(name)


def _table_of_pandas(data: Any) -> Table:
    """Without the index, which is no column."""
    refuse_repeated_names(data)
    if importlib.util.find_spec("pyarrow") is None:
        return _columns_of(data)
    import pyarrow as pa

    return pa.table({str(name): _arrow_column(str(name), data[name]) for name in data})


def _arrow_column(name: str, series: Any) -> Any:
    """Of what cannot be a column a type that no cell has: the core refuses it where it is read."""
    import pyarrow as pa

    try:
        column = pa.Array.from_pandas(series)
        # Objects may be whole numbers too, which then have the text of whole numbers.
        if series.dtype != object or not pa.types.is_floating(column.type):
            return column
    except (pa.ArrowException, OverflowError, TypeError):
        pass
    try:
        plain = plain_column(name, series.to_numpy(dtype=object))
    except (InputError, TypeError, ValueError):
        return pa.nulls(len(series), pa.list_(pa.null()))
    return pa.array(texts_of(plain) if plain.dtype == object else plain)


def _table_of_polars(data: Any) -> Table:
    """With texts or numbers for what polars holds as objects of Python."""
    import polars as pl

    return data.with_columns(
        pl.Series(series.name, texts_of(plain), pl.String)
        if plain.dtype == object
        else pl.Series(series.name, plain)
        for series in data.get_columns()
        if series.dtype == pl.Object
        for plain in [plain_column(series.name, series.to_numpy())]
    )


def _columns_of(data: Any) -> Table:
    """Of a lazy frame what it is when it is collected."""
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise TypeError(
            "a table must be a frame (pandas, polars, pyarrow, DuckDB, or any with "
            f"__arrow_c_stream__), a dictionary of columns or an array, got {type(data).__name__}"
        ) from None
    if isinstance(frame, nw.LazyFrame):
        return table_of(frame.collect().to_native())
    return {str(name): _column_of(str(name), frame[name]) for name in frame.columns}


def _column_of(name: str, series: Any) -> npt.NDArray[Any]:
    """NumPy has no times with a zone: they are read one by one."""
    if getattr(series.dtype, "time_zone", None) is None:
        return plain_column(name, series.to_numpy())
    return plain_column(name, np.array(series.to_list(), dtype=object))


def _without_mask(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """With None where a masked array has nothing."""
    mask = np.ma.getmaskarray(column)
    values = np.asarray(column)
    if mask.any():
        values = values.astype(object)
        values[mask] = None
    return values


def _array(values: object) -> npt.NDArray[Any]:
    """Texts as an array of objects, so that None stays None."""
    if isinstance(values, np.ndarray):
        return values
    listed = _list(values)
    return np.array(listed, dtype=object if any(v is None for v in listed) else None)


def _list(values: object) -> list[Any]:
    return list(values)  # type: ignore[call-overload, no-any-return]


def _package_of(data: object) -> str:
    return type(data).__module__.split(".")[0]


def _is_dataset(data: object) -> bool:
    """A dataset of pyarrow, of files that are not in memory yet."""
    return _package_of(data) == "pyarrow" and hasattr(data, "scanner")


def is_dask(data: object) -> bool:
    return _package_of(data) == "dask"


def _is_nested_list(data: object) -> bool:
    return isinstance(data, list) and bool(data) and isinstance(data[0], (list, tuple))
