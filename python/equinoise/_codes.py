# SPDX-License-Identifier: Apache-2.0
"""Cells as integer codes, in expressions that an engine evaluates, and the counts of these.

The engine compares values with constants: it casts and sums no value, and counts of parts add up
exactly. Which code a value has is decided by the core (data/codes/count_plan.h), so that a
counted table is read as the records themselves would be. Texts in a column of numbers or times are
read by the core itself, so in memory alone.
"""

import datetime
import difflib
import functools
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Self
from zoneinfo import ZoneInfo

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from equinoise.errors import InputError
from equinoise.frames import is_dask, refuse_repeated_names, table_of, time_text

# Codes of cells in no bin and no category: CellCode of the core.
MISSING, NO_NUMBER, BELOW, ABOVE, UNLISTED = -1, -2, -3, -4, -5

# What the core says of a schema and of a column of it (count_plan in python/src/count_plan.h).
Plan = dict[str, Any]
Column = dict[str, Any]
Codes = npt.NDArray[np.int64]

_RECORDS = "records"  # the column of counts next to those of codes

# A threshold that all values reach, or none.
_ALWAYS, _NEVER = object(), object()

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND = datetime.timedelta(microseconds=1)
_CALENDAR = (datetime.date.min, datetime.date.max)
# What 64 bits of nanoseconds hold; the calendar of Python, less a day for zones.
_TIMES_OF_NANOSECONDS = (-(2**63) // 1000 + 1, (2**63 - 1) // 1000)
_ALL_TIMES = (
    (datetime.datetime(1, 1, 2, tzinfo=datetime.UTC) - _EPOCH) // _MICROSECOND,
    (datetime.datetime(9999, 12, 31, tzinfo=datetime.UTC) - _EPOCH) // _MICROSECOND,
)


def counted_codes(data: object, plan: Plan) -> tuple[list[Codes], Codes]:
    """The different rows of codes of a frame, by column, and how many records have each.

    One query. Errors: InputError for a column that is missing or has a type which cannot hold what
    is said of it.
    """
    names = _code_names(plan)
    refuse_repeated_names(data)
    in_parts = is_dask(data)
    counted = _counted_in_parts(data, plan, names) if in_parts else query(data, plan).collect()
    found = [counted[name].to_numpy().astype(np.int64) for name in names]
    return found, counted[_RECORDS].to_numpy().astype(np.int64)


def query(data: object, plan: Plan) -> Any:
    """What an engine computes, as a lazy frame of Narwhals: rows of codes and their counts."""
    frame, names, codes = _frame_of(data, plan), _code_names(plan), []
    for column, name in zip(plan["columns"], names, strict=True):
        if _is_text(frame.dtypes[column["name"]]):
            frame = _with_bare_texts(column, frame)
        codes.append(_code(column, frame).alias(name))
    coded = frame.frame.select(*codes)
    return coded.group_by(*names).agg(nw.len().alias(_RECORDS))


def _code_names(plan: Plan) -> list[str]:
    return [f"code_{i}" for i in range(len(plan["columns"]))]


def _counted_in_parts(data: Any, plan: Plan, names: Sequence[str]) -> Any:
    """Of Dask, whose workers count their parts as tables in memory."""
    _check_names([str(name) for name in data.columns], plan["columns"])
    meta = dict.fromkeys([*names, _RECORDS], np.int64)
    parts = data.map_partitions(_count_part, plan, names, meta=meta).compute()
    return nw.from_native(parts).group_by(*names).agg(nw.col(_RECORDS).sum())


def _count_part(part: Any, plan: Plan, names: Sequence[str]) -> Any:
    import pandas as pd

    codes, records = counted_codes(part, plan)
    return pd.DataFrame({**dict(zip(names, codes, strict=True)), _RECORDS: records})


@dataclass(frozen=True)
class _Frame:
    """A frame whose columns can be named in expressions, which not all names of tables can be."""

    frame: Any
    dtypes: dict[str, Any]  # by the names of the table
    alias: dict[str, str]
    is_spark: bool
    empty: frozenset[str]  # names of columns whose type has nulls alone
    coded: frozenset[str]  # of those that hold codes already

    def with_column(self, name: str, values: Any) -> Self:
        """With one more: what many comparisons need is computed once."""
        return replace(self, frame=self.frame.with_columns(values.alias(name)))

    def literal(self, value: Any) -> Any:
        """Of Spark dates and times as texts of ISO: it takes Python's for those of its session."""
        if self.is_spark and isinstance(value, datetime.datetime) and value.tzinfo is None:
            return nw.lit(value.isoformat(sep=" ")).cast(nw.Datetime("us"))
        if self.is_spark and type(value) is datetime.date:
            return nw.lit(value.isoformat()).cast(nw.Date)
        return nw.lit(value)


def _frame_of(data: object, plan: Plan) -> _Frame:
    columns = plan["columns"]
    frame = nw.from_native(data, pass_through=True)
    coded: frozenset[str] = frozenset()
    if (
        isinstance(frame, nw.DataFrame)
        and frame.implementation.is_polars()
        and not _texts_to_read(columns, frame.schema)
    ):
        frame = frame.lazy()
    if not isinstance(frame, nw.LazyFrame):
        frame = _in_memory(data, columns)
        coded = _texts_to_read(columns, frame.collect_schema())
        frame = _with_codes_of_texts(frame, plan["schema"], coded)
    names = frame.collect_schema().names()
    _check_names(names, columns)
    empty = _names_of_nulls(frame)
    alias = {name: name for name in names}
    is_spark = frame.implementation.is_spark_like()
    if is_spark:  # which reads a dot in a name as a path
        alias = {name: f"column_{i}" for i, name in enumerate(names)}
        frame = nw.from_native(frame.to_native().toDF(*alias.values()))
    types = frame.collect_schema().dtypes()
    return _Frame(frame, dict(zip(names, types, strict=True)), alias, is_spark, empty, coded)


def _names_of_nulls(frame: Any) -> frozenset[str]:
    """Of columns whose type has nulls alone, which Narwhals does not know."""
    native = frame.to_native()
    if frame.implementation.is_polars():
        types = [(name, str(dtype)) for name, dtype in native.collect_schema().items()]
    elif frame.implementation.is_pyarrow():
        types = [(field.name, str(field.type)) for field in native.schema]
    elif frame.implementation.is_spark_like():
        types = [(field.name, field.dataType.typeName()) for field in native.schema]
    elif frame.implementation.is_ibis():
        types = [(name, str(dtype)) for name, dtype in native.schema().items()]
    else:
        types = []
    return frozenset(name for name, dtype in types if dtype in ("Null", "null", "void"))


def _check_names(names: Sequence[str], columns: Sequence[Column]) -> None:
    for name in names:
        if name.lower().startswith("equinoise_count"):
            raise InputError(f"[count] column {name!r} says that the table is counted already")
    for column in columns:
        name = column["name"]
        if name not in names:
            nearest = difflib.get_close_matches(name, names, n=1)
            hint = f"; the nearest name in it is {nearest[0]!r}" if nearest else ""
            raise InputError(f"[count] the frame lacks column {name!r} of the schema{hint}")


def _in_memory(data: object, columns: Sequence[Column]) -> Any:
    """As commands read it, without columns that nobody asks for: these may hold anything."""
    import pyarrow as pa

    table = table_of(data)
    if not isinstance(table, pa.Table):
        try:
            table = pa.table(table)
        except pa.ArrowException:
            raise InputError(
                f"[count] {type(data).__name__} is no table of columns of one length; give a frame"
            ) from None
    _check_names(table.schema.names, columns)
    table = table.select([column["name"] for column in columns])

    def plain(dtype: pa.DataType) -> pa.DataType:
        if pa.types.is_string_view(dtype):
            return pa.large_string()
        if pa.types.is_dictionary(dtype):
            return pa.dictionary(dtype.index_type, plain(dtype.value_type), dtype.ordered)
        return pa.date32() if pa.types.is_date64(dtype) else dtype

    fields = [field.with_type(plain(field.type)) for field in table.schema]
    return nw.from_native(table.cast(pa.schema(fields))).lazy()


def _texts_to_read(columns: Sequence[Column], types: Mapping[str, Any]) -> frozenset[str]:
    """Names of the columns of numbers or times that hold texts, or objects of Python."""
    numeric = [column["name"] for column in columns if column["is_numeric"]]
    held = {name: types.get(name) for name in numeric}
    return frozenset(n for n, dtype in held.items() if _is_text(dtype) or dtype == nw.Object)


def _with_codes_of_texts(frame: Any, schema: str, names: frozenset[str]) -> Any:
    """A table of pyarrow with codes in place of the texts of these columns, which the core reads:
    as those of a file, which may hold no number."""
    from equinoise import _core

    table = frame.collect().to_native()
    for name in names:
        cells = table[name].combine_chunks()
        if hasattr(cells, "dictionary"):
            cells = cells.dictionary_decode()
        cells = cells.cast("large_string").dictionary_encode()
        texts = cells.dictionary.to_pylist()
        codes = np.array([*_core.codes_of_texts(schema, name, texts), MISSING], dtype=np.int64)
        places = cells.indices.fill_null(len(texts)).to_numpy()
        table = table.set_column(table.schema.get_field_index(name), name, [codes[places]])
    return nw.from_native(table).lazy()


def _code(column: Column, frame: _Frame) -> Any:
    """What an engine makes of a column: an integer for each cell."""
    name = column["name"]
    dtype = frame.dtypes[name]
    cell = nw.col(frame.alias[name])
    if name in frame.coded:
        return cell
    if name in frame.empty:
        return nw.when(cell.is_null()).then(MISSING).otherwise(MISSING)
    if dtype == nw.List:
        raise InputError(
            f"[count] column {name!r} holds something other than text, numbers, dates or booleans, "
            "or several of these; make it one of them, or ignored in the schema"
        )
    if dtype == nw.Float16:
        cell, dtype = cell.cast(nw.Float32), nw.Float32()
    if column["is_numeric"]:
        code = _code_of_time if column["time"] else _code_of_number
    elif _is_text(dtype):
        code = _code_of_text
    else:
        code = _code_of_category
    return nw.when(cell.is_null()).then(MISSING).otherwise(code(column, frame, cell, dtype))


def _refuse(column: Column, dtype: Any, fix: str) -> InputError:
    return InputError(f"[count] column {column['name']!r} is of type {dtype}, {fix}")


# Categories.


def _is_text(dtype: Any) -> bool:
    return dtype == nw.String or dtype in (nw.Categorical, nw.Enum)


def _with_bare_texts(column: Column, frame: _Frame) -> _Frame:
    """With texts without blanks around them and, where they spell numbers, in one spelling."""
    if column["is_numeric"]:
        return frame
    name = frame.alias[column["name"]]
    bare, plain = nw.col(f"equinoise_bare_{name}"), nw.col(f"equinoise_plain_{name}")
    text = nw.col(name).cast(nw.String).str
    if frame.frame.implementation.is_ibis():  # which strips any white space, or none
        stripped = text.replace_all("^[ \t]+|[ \t]+$", "")
    else:
        stripped = text.strip_chars(" \t")
    frame = frame.with_column(f"equinoise_bare_{name}", stripped)
    if not column["values"]["numbers"]:
        return frame
    is_plain = bare.str.contains(r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$")
    spelled = nw.when(is_plain).then(bare).otherwise(nw.lit("no number"))
    frame = frame.with_column(f"equinoise_plain_{name}", spelled.str.replace_all(r"^\+", ""))
    frame = frame.with_column(f"equinoise_plain_{name}", plain.str.replace_all(r"\.0*$", ""))
    has_decimals = plain.str.contains(".", literal=True)
    rounded = nw.when(has_decimals).then(plain.str.replace_all(r"0+$", "")).otherwise(plain)
    frame = frame.with_column(f"equinoise_plain_{name}", rounded)
    plain = plain.str.replace_all(r"^0+", "").str.replace_all(r"^-0+", "-")
    return frame.with_column(f"equinoise_plain_{name}", plain.str.replace_all(r"^-$", ""))


def _code_of_text(column: Column, frame: _Frame, cell: Any, dtype: Any) -> Any:
    """Texts as they are, then without blanks around them, then as numbers where these are such."""
    name = frame.alias[column["name"]]
    texts: Mapping[str, int] = column["values"]["texts"]
    numbers = {_plain(text): code for text, code in column["values"]["numbers"].items()}
    code = _found(nw.col(f"equinoise_plain_{name}"), _by_code(numbers), nw.lit(UNLISTED))
    code = _found(nw.col(f"equinoise_bare_{name}"), _by_code(texts), code)
    with_blanks = {text: one for text, one in texts.items() if text.strip(" \t") != text}
    return _found(cell if dtype == nw.String else cell.cast(nw.String), _by_code(with_blanks), code)


def _plain(text: str) -> str:
    """A number without exponent and zeros at its ends: 1.50 as 1.5, 0.5 as .5, 0 as nothing."""
    digits = format(abs(Decimal(text)), "f")
    whole, _, decimals = digits.partition(".")
    decimals = decimals.rstrip("0")
    sign = "-" if Decimal(text) < 0 else ""
    return sign + whole.lstrip("0") + (f".{decimals}" if decimals else "")


def _code_of_category(column: Column, frame: _Frame, cell: Any, dtype: Any) -> Any:
    """Of values that are no text those whose text, or number, is that of a category."""
    fix = "which no category is compared with; cast it to text"
    values = _values_of(column, dtype, fix)
    literal = frame.literal if dtype == nw.Date else _number_literal(dtype)
    code = _found(cell, _by_code(values), nw.lit(UNLISTED), literal)
    return _without_nan(cell, dtype, code)


def _values_of(column: Column, dtype: Any, fix: str) -> Mapping[Any, int]:
    """The values of a type that have a code of their own: categories, marks of missing values."""
    values: Mapping[str, Mapping[Any, int]] = column["values"]
    if dtype == nw.Boolean:
        return {t == "true": code for t, code in values["texts"].items() if t in ("true", "false")}
    if dtype == nw.Float64:
        return values["doubles"]
    if dtype == nw.Float32:
        return values["singles"]
    if dtype.is_integer():
        return _exact_values(values, 0, dtype)
    if dtype == nw.Decimal:
        return _exact_values(values, dtype.scale, dtype)
    if dtype == nw.Date:
        parsed = {t: _date(t) for t in values["texts"]}
        return {day: values["texts"][t] for t, day in parsed.items() if day is not None}
    raise _refuse(column, dtype, fix)


def _exact_values(
    values: Mapping[str, Mapping[str, int]], scale: int, dtype: Any
) -> dict[Any, int]:
    """Of whole numbers and decimals: texts that such a value is written as, then numbers."""
    is_integer = dtype.is_integer()
    first, last = _range_of(dtype)
    found: dict[Any, int] = {}
    for kind in ("texts", "numbers"):
        for text, code in values[kind].items():
            if (
                kind == "texts"
                and not re.fullmatch(r"-?[0-9]*(\.[0-9]+)?", text)
                or not text.strip("-")
            ):
                continue
            value = Decimal(text)
            steps = value.scaleb(scale)
            if steps != steps.to_integral_value() or not first <= int(steps) <= last:
                continue
            bare = dtype.is_decimal() and dtype.precision == scale
            written = format(value, f".{scale}f")
            if kind == "texts" and text != (written.replace("0.", ".", 1) if bare else written):
                continue
            found.setdefault(int(value) if is_integer else value, code)
    return found


def _date(text: str) -> datetime.date | None:
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None


def _by_code(values: Mapping[Any, int]) -> dict[int, list[Any]]:
    by_code: dict[int, list[Any]] = {}
    for value, code in values.items():
        by_code.setdefault(code, []).append(value)
    return by_code


def _found(
    cell: Any,
    by_code: Mapping[int, Sequence[Any]],
    otherwise: Any,
    literal: Callable[[Any], Any] = nw.lit,
) -> Any:
    """The code of the values that a cell is one of, found by halves."""
    if not by_code:
        return otherwise
    codes = list(by_code)
    everything = [value for values in by_code.values() for value in values]

    def half(first: int, last: int) -> Any:
        if last - first == 1:
            return nw.lit(codes[first])
        middle = (first + last) // 2
        values = [value for code in codes[first:middle] for value in by_code[code]]
        return (
            nw.when(_is_any(cell, values, literal))
            .then(half(first, middle))
            .otherwise(half(middle, last))
        )

    return (
        nw.when(_is_any(cell, everything, literal)).then(half(0, len(codes))).otherwise(otherwise)
    )


def _is_any(cell: Any, values: Sequence[Any], literal: Callable[[Any], Any]) -> Any:
    if isinstance(values[0], str):
        return cell.is_in(list(values))
    return functools.reduce(operator.or_, (cell == literal(value) for value in values))


# Numbers.


def _without_nan(cell: Any, dtype: Any, code: Any) -> Any:
    """NaN is a missing value, as in all frames that are read."""
    if dtype not in (nw.Float64, nw.Float32):
        return code
    return nw.when(cell.is_nan()).then(MISSING).otherwise(code)


def _code_of_number(column: Column, frame: _Frame, cell: Any, dtype: Any) -> Any:
    fix = "which holds no numbers; cast it to a number, or correct the schema"
    if not dtype.is_numeric():
        raise _refuse(column, dtype, fix)
    marks = _values_of(column, dtype, fix)
    literal = _number_literal(dtype)
    code = _bin(cell, _thresholds(column, dtype), literal)
    if column["whole"] and not dtype.is_integer():
        has_part = (cell != cell.floor()) & (code != BELOW) & (code != ABOVE)
        code = nw.when(has_part).then(NO_NUMBER).otherwise(code)
    return _without_nan(cell, dtype, _found(cell, _by_code(marks), code, literal))


def _number_literal(dtype: Any) -> Callable[[Any], Any]:
    """Constants as whole numbers of 64 bits, but of types that hold more; decimals as such."""
    has_own = dtype in (nw.UInt64, nw.Int128, nw.UInt128, nw.Decimal)
    type_of_constant = dtype if has_own else None
    return lambda value: nw.lit(value, type_of_constant)


def _thresholds(column: Column, dtype: Any) -> list[Any]:
    """For each edge the least value of a type that is read as a number from there on."""
    if dtype == nw.Float64:
        return list(column["edges"])
    if dtype == nw.Float32:
        return list(column["single_edges"])
    scale = 0 if dtype.is_integer() else dtype.scale
    return [_within(_least_step(edge, scale), dtype, scale) for edge in column["edges"]]


def _least_step(edge: float, scale: int) -> int:
    """The least multiple of 10^-scale whose nearest double is at least the edge, in these steps."""
    power: int = 10**scale
    below = math.nextafter(edge, -math.inf).as_integer_ratio()
    numerator, denominator = edge.as_integer_ratio()
    # The middle between the edge and the double before it, rounded up.
    top: int = numerator * below[1] + below[0] * denominator
    bottom = 2 * denominator * below[1]
    step = -(-top * power // bottom)
    return step if step / power >= edge else step + 1


def _within(step: int, dtype: Any, scale: int) -> Any:
    first, last = _range_of(dtype)
    if step <= first:
        return _ALWAYS
    if step > last:
        return _NEVER
    return Decimal(step).scaleb(-scale) if dtype.is_decimal() else step


def _range_of(dtype: Any) -> tuple[int, int]:
    """The least and the largest value, of decimals in steps."""
    if dtype.is_decimal():
        return 1 - 10**dtype.precision, 10**dtype.precision - 1
    bits = int(re.sub(r"\D", "", str(dtype)))
    if dtype.is_unsigned_integer():
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _bin(cell: Any, thresholds: Sequence[Any], literal: Callable[[Any], Any]) -> Any:
    """The bin whose threshold a cell reaches and not that of the next one, found by halves."""
    codes = [BELOW, *range(len(thresholds) - 1), ABOVE]

    def half(first: int, last: int) -> Any:
        if first == last:
            return nw.lit(codes[first])
        middle = (first + last) // 2
        threshold = thresholds[middle]
        if threshold is _ALWAYS:
            return half(middle + 1, last)
        if threshold is _NEVER:
            return half(first, middle)
        lower, upper = half(first, middle), half(middle + 1, last)
        return nw.when(cell < literal(threshold)).then(lower).otherwise(upper)

    return half(0, len(codes) - 1)


# Dates and times.


def _code_of_time(column: Column, frame: _Frame, cell: Any, dtype: Any) -> Any:
    unit, offset = column["time"]["unit"], column["time"]["offset"]
    per_day = 86_400_000_000 // unit
    edges = [math.ceil(edge) for edge in column["edges"]]
    texts: Mapping[str, int] = column["values"]["texts"]
    if dtype == nw.Date:
        days = [-(-edge // per_day) for edge in edges]
        first, last = (one.toordinal() - _EPOCH.toordinal() for one in _CALENDAR)
        thresholds = [
            _ALWAYS if day <= first else _NEVER if day > last else _day(day) for day in days
        ]
        code = _bin(cell, thresholds, frame.literal)
        marks = {day: texts[t] for t in texts if (day := _date(t)) is not None}
        first_day, last_day = map(frame.literal, _CALENDAR)
        beyond = (cell < first_day) | (cell > last_day)
        code = nw.when(beyond).then(NO_NUMBER).otherwise(code)
        return _found(cell, _by_code(marks), code, frame.literal)
    if dtype != nw.Datetime:
        raise _refuse(column, dtype, "which holds no dates or times; cast it to one of these")
    zone = dtype.time_zone
    if (zone is None) != (offset is None):
        said = "names a time zone, and the format of the column names none"
        if zone is None:
            said = "names no time zone, and the format of the column names one"
        raise _refuse(column, dtype, f"which {said}; correct the format, or convert the column")

    def literal(time: datetime.datetime) -> Any:
        if zone is not None:
            time = time.replace(tzinfo=datetime.UTC).astimezone(ZoneInfo(zone))
        if dtype.time_unit == "ns":
            return nw.lit(time, nw.Datetime("ns", zone))
        return frame.literal(time)

    shift = 60_000_000 * (offset or 0)
    step = {"s": 1_000_000, "ms": 1_000}.get(dtype.time_unit, 1)
    first, last = _TIMES_OF_NANOSECONDS if dtype.time_unit == "ns" else _ALL_TIMES
    thresholds = []
    for edge in edges:
        time = -(-(edge * unit - shift) // step) * step
        thresholds.append(
            _ALWAYS if time <= first else _NEVER if time > last else _naive_time(time)
        )
    code = _bin(cell, thresholds, literal)
    if per_day == 1:  # a column of dates
        code = nw.when(_is_midnight(cell, dtype, frame)).then(code).otherwise(nw.lit(NO_NUMBER))
    times = {t: _time(t, zone is not None) for t in texts}
    written = {time: texts[t] for t, time in times.items() if time is not None}
    return _found(cell, _by_code(written), code, literal)


def _is_midnight(cell: Any, dtype: Any, frame: _Frame) -> Any:
    """Of a time without a zone."""
    if frame.is_spark:  # which knows no fractions of the seconds of such a time
        return cell == cell.cast(nw.Date).cast(dtype)
    parts = (cell.dt.hour(), cell.dt.minute(), cell.dt.second(), cell.dt.nanosecond())
    return functools.reduce(operator.and_, (part == 0 for part in parts))


def _day(day: int) -> datetime.date:
    return datetime.date.fromordinal(_EPOCH.toordinal() + day)


def _naive_time(microseconds: int) -> datetime.datetime:
    return (_EPOCH + microseconds * _MICROSECOND).replace(tzinfo=None)


def _time(text: str, has_zone: bool) -> datetime.datetime | None:
    """The time, in UTC where there is a zone, that is written so when it is read."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?(\+00)?", text):
        return None
    try:
        time = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    is_same = (time.tzinfo is not None) == has_zone and time_text(time) == text
    return time.replace(tzinfo=None) if is_same else None
