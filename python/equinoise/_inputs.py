# SPDX-License-Identifier: Apache-2.0
"""Features, targets and group columns as estimators take them, checked as scikit-learn does."""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals
import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from equinoise.frames import (
    Table,
    as_array,
    is_missing,
    plain_column,
    table_of,
    text_of,
    texts_of,
)

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Features:
    """A table of features. `named`: the columns have names of their own, not x0, x1, ..."""

    table: Table  # NumPy columns by name, or a frame
    names: list[str]
    num_records: int | None  # None: not known before it is read
    named: bool

    def labels(self, name: str) -> Array:
        """The different values of a column."""
        return labels_in(self._column(name))

    def _column(self, name: str) -> Any:
        if isinstance(self.table, dict):
            return self.table[name]
        return nw.from_native(self.collected(), eager_only=True).get_column(name).to_native()

    def collected(self) -> Table:
        """The table in memory."""
        if isinstance(self.table, dict):
            return self.table
        frame = nw.from_native(self.table)
        return (frame.collect() if isinstance(frame, nw.LazyFrame) else frame).to_native()

    def renamed(self, names: Sequence[str]) -> "Features":
        """The same columns under other names."""
        table = self.table
        if isinstance(table, dict):
            table = dict(zip(names, table.values(), strict=True))
        else:
            new_names = dict(zip(self.names, names, strict=True))
            table = nw.from_native(self.collected(), eager_only=True).rename(new_names).to_native()
        return Features(table, list(names), self.num_records, self.named)

    def with_columns(self, columns: Mapping[str, Any]) -> Table:
        """The table for the core, with further columns.

        Errors: ValueError for one that X has with other values.
        """
        for name in set(columns) & set(self.names):
            if not _same(self._column(name), columns[name]):
                raise ValueError(
                    f"X has a column {name!r} with other values than those given beside it; leave "
                    "one of them out, or rename it"
                )
        if not columns:
            streams = hasattr(self.table, "__arrow_c_stream__")
            return table_of(self.table if streams else self.collected())
        if isinstance(self.table, dict):
            arrays = {name: array_of(one) for name, one in columns.items()}
            return table_of({**self.table, **arrays})
        frame = nw.from_native(self.collected(), eager_only=True)
        return table_of(
            frame.with_columns(
                *(_series_like(frame, name, one) for name, one in columns.items())
            ).to_native()
        )


def features_of(X: object) -> Features:
    """X as a table.

    Errors: TypeError and ValueError with the messages of scikit-learn, for what is no table.
    """
    X = narwhals.to_native(X, pass_through=True)
    if hasattr(X, "tocsr"):
        raise TypeError("Sparse data was passed, but dense data is required. Use X.toarray().")
    if isinstance(X, Mapping):
        columns = table_of(X)
        sizes = {len(column) for column in columns.values()}
        if len(sizes) > 1:
            raise ValueError(f"the columns have different lengths: {sorted(sizes)}")
        return _checked(columns, list(columns), sizes.pop() if sizes else 0, named=True)
    frame = None if _native_series(X) is not None else _frame_of(X)
    return _features_of_array(X) if frame is None else _features_of_frame(frame)


def _frame_of(X: object) -> Any:
    """X as a narwhals frame; None where it is an array."""
    if nw.dependencies.is_pandas_dataframe(X) and not X.columns.is_unique:
        raise ValueError("the table has duplicate column names")
    try:
        return nw.from_native(X)
    except TypeError:
        if not hasattr(X, "__arrow_c_stream__"):
            return None
    for backend in ("pyarrow", "polars", "pandas"):
        try:
            return nw.from_arrow(X, backend=backend)
        except ImportError:
            continue
    raise TypeError("a stream of Arrow batches is read by pyarrow, polars or pandas; install one")


def _features_of_frame(frame: Any) -> Features:
    columns = frame.collect_schema().names()
    strings = {isinstance(name, str) for name in columns}
    if len(strings) == 2:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            "input has names of several types; convert them to strings: X.columns.astype(str)"
        )
    if False in strings and columns != list(range(len(columns))):
        raise TypeError(
            "X has columns that are called by numbers, and not by 0, 1, 2, ... in this order; call "
            "them by texts, which are matched by name: X.columns = X.columns.astype(str)"
        )
    native = frame.to_native()
    if isinstance(frame, nw.LazyFrame):
        return Features(native, columns, None, named=True)
    odd = [name for name, dtype in frame.schema.items() if dtype in (nw.Object, nw.Unknown)]
    if odd or False in strings:
        names = columns if True in strings else [f"x{i}" for i in range(len(columns))]
        plain = {
            name: plain_column(name, frame.get_column(column).to_numpy())
            for name, column in zip(names, columns, strict=True)
        }
        return _checked(plain, names, len(frame), named=True in strings)
    return _checked(native, columns, len(frame), named=True)


def _features_of_array(X: object) -> Features:
    array = as_array(X)
    if array.ndim == 0:
        raise TypeError(
            f"a table must be a frame, a dictionary of columns or an array, not {type(X).__name__}"
        )
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
            "contains a single sample."
        )
    if np.iscomplexobj(array):
        raise ValueError("Complex data not supported")
    columns = table_of(array)
    return _checked(columns, list(columns), len(array), named=False, shape=array.shape)


def _checked(
    table: Table,
    names: list[str],
    num_records: int,
    *,
    named: bool,
    shape: tuple[int, ...] | None = None,
) -> Features:
    shape = shape or (num_records, len(names))
    for count, what in ((shape[0], "sample"), (shape[1], "feature")):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
            )
    return Features(table, names, num_records, named)


def target_of(y: object, num_records: int | None) -> Any:
    """y as it came, if it is a series, else as an array of one dimension.

    Errors: ValueError with the messages of scikit-learn.
    """
    series = _native_series(y)
    if series is not None and series.dtype in (nw.String, nw.Categorical, nw.Enum):
        if series.null_count():
            raise ValueError("Input y contains NaN.")
        _check_length(len(series), num_records, "y")
        return y
    array = array_of(y)
    if array.ndim == 2 and array.shape[1] == 1:
        from equinoise._sklearn import DataConversionWarning  # here, for audits do without it

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        array, series = array.ravel(), None
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    if np.iscomplexobj(array):
        raise ValueError("Complex data not supported")
    _check_length(len(array), num_records, "y")
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise ValueError("Input y contains NaN.")
        if np.isinf(array).any():
            raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    if array.dtype == object:
        if any(is_missing(value) for value in plain_column("y", array)):
            raise ValueError("Input y contains NaN.")
        if not isinstance(array[0], str):
            return np.array(array.tolist())  # whole numbers stay whole
    return y if series is not None else array


def refuse_other_order(**given: object) -> None:
    """Errors: ValueError where indexes of pandas tell that rows of one are not those of another.

    Series in a list or a dictionary are looked at, too. An index that numbers the rows from 0 tells
    it only where the other one has the same labels.
    """
    indexes = {}
    for name, one in given.items():
        for part, held in _parts_of(name, one):
            held = narwhals.to_native(held, pass_through=True)
            if nw.dependencies.is_pandas_dataframe(held) or nw.dependencies.is_pandas_series(held):
                indexes[part] = held.index
    for (name, index), (other_name, other) in itertools.combinations(indexes.items(), 2):
        if len(index) != len(other) or index.equals(other):
            continue
        numbered = [list(i) == list(range(len(i))) for i in (index, other)]
        if not any(numbered) or set(index) == set(other):
            raise ValueError(
                f"{name} and {other_name} have different indexes, so that their rows may be of "
                f"different records; give {other_name}.loc[{name}.index], or both with "
                "reset_index(drop=True) if they are in one order"
            )


def _parts_of(name: str, given: object) -> list[tuple[str, Any]]:
    """What is given with its name: each array of several, as users would write it."""
    if isinstance(given, Mapping):
        return [(f"{name}[{key!r}]", one) for key, one in given.items()]
    if isinstance(given, (list, tuple)) and given and hasattr(given[0], "shape"):
        return [(f"{name}[{i}]", one) for i, one in enumerate(given)]
    return [(name, given)]


def sensitive_columns(
    sensitive: object, features: Features, names: Sequence[str]
) -> tuple[list[str], dict[str, Any]]:
    """Names of all columns of sensitive features, and those that are not in X.

    `names` are for what has no name of its own.
    Errors: ValueError for another length than that of X.
    """
    if sensitive is None:
        return [], {}
    if isinstance(sensitive, str):
        if sensitive not in features.names:
            raise ValueError(f"sensitive_features: X has no column {sensitive!r}")
        sensitive = [sensitive]
    if isinstance(sensitive, (list, tuple)) and set(map(_text_or_none, sensitive)) <= set(
        features.names
    ):
        return list(sensitive), {}
    columns = columns_of(sensitive, names)
    for column in columns.values():
        _check_length(len(column), features.num_records, "sensitive_features")
    return list(columns), columns


def columns_of(sensitive: object, names: Sequence[str], first: int = 0) -> dict[str, Any]:
    """Columns by name; `first` is the place of the first among all."""
    sensitive = narwhals.to_native(sensitive, pass_through=True)
    if (named := named_columns(sensitive)) is not None:
        return {str(name): one for name, one in named.items()}
    if (series := _native_series(sensitive)) is not None:
        has_name = isinstance(series.name, str) and series.name
        return {series.name if has_name else _name_at(first, names): sensitive}
    if isinstance(sensitive, (list, tuple)) and sensitive and hasattr(sensitive[0], "shape"):
        columns: dict[str, Any] = {}
        if sensitive[0].shape:  # several arrays or series, not a list of numbers of NumPy
            for one in sensitive:
                columns.update(columns_of(one, names, len(columns)))
            return columns
    array = as_array(sensitive)
    by_column = [array] if array.ndim == 1 else list(array.T)
    return {_name_at(first + i, names): column for i, column in enumerate(by_column)}


def named_columns(data: object) -> dict[Any, Any] | None:
    """The columns of a dictionary or a frame by name; None for all else."""
    data = narwhals.to_native(data, pass_through=True)
    if isinstance(data, Mapping):
        return dict(data)
    if isinstance(data, np.ndarray) or _native_series(data) is not None:
        return None
    frame = _frame_of(data)
    if frame is None:
        return None
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return {name: eager.get_column(name).to_native() for name in eager.columns}


def _name_at(i: int, names: Sequence[str]) -> str:
    return names[i] if i < len(names) else f"sensitive_feature_{i}"


def array_of(values: object) -> Array:
    """A series or a sequence as an array."""
    series = _native_series(values)
    if series is None:
        return as_array(values)
    array = np.asarray(series.to_numpy())
    return array if array.dtype.kind in "biufcM" else array.astype(object)


def labels_in(y: object) -> Array:
    """The different labels of a series or an array, in its type, without what is missing."""
    series = _native_series(y)
    if series is None:
        array = plain_column("y", np.asarray(y))
        return np.unique(array[[v is not None for v in array]] if array.dtype == object else array)
    return array_of(series.drop_nulls().unique())


def _same(one: object, other: object) -> bool:
    """Whether two columns have the same cells, of whatever types."""
    cells = ([None if is_missing(v) else text_of(v) for v in array_of(x)] for x in (one, other))
    return next(cells) == next(cells)


def check_names(fitted: Sequence[str], X: Features) -> None:
    """Errors: ValueError, worded as scikit-learn's, for other columns than those of `fit`."""
    fitted = list(fitted)
    if X.names == fitted:
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen = sorted(set(X.names) - set(fitted))
    missing = sorted(set(fitted) - set(X.names))
    if unseen:
        message += "Feature names unseen at fit time:\n" + "".join(f"- {n}\n" for n in unseen[:5])
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n"
        message += "".join(f"- {n}\n" for n in missing[:5])
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)


def check_count(expected: int, X: Features, owner: str) -> None:
    """Errors: ValueError, worded as scikit-learn's, for another number of columns."""
    if len(X.names) != expected:
        raise ValueError(
            f"X has {len(X.names)} features, but {owner} is expecting {expected} features as input"
        )


def _check_length(length: int, num_records: int | None, what: str) -> None:
    if num_records is not None and length != num_records:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[num_records, length]} (X, {what})"
        )


def _native_series(values: object) -> Any:
    values = narwhals.to_native(values, pass_through=True)
    try:
        return nw.from_native(values, series_only=True)
    except TypeError:
        return None


def _series_like(frame: Any, name: str, values: object) -> Any:
    series = _native_series(values)
    if series is not None and series.implementation == frame.implementation:
        return series.alias(name)
    plain: Any = plain_column(name, array_of(values))
    if plain.dtype == object:
        return nw.new_series(name, texts_of(plain), nw.String, backend=frame.implementation)
    return nw.new_series(name, plain, backend=frame.implementation)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
