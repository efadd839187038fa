# SPDX-License-Identifier: Apache-2.0
"""Tables as users have them: frames of pandas, polars, pyarrow or DuckDB, dictionaries, arrays.

They go in through the Arrow C stream or as NumPy columns, never through text, and come back as what
they were.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

# What the core reads: an object with __arrow_c_stream__, or NumPy columns by name.
Table = Any
Columns = dict[str, npt.NDArray[Any]]


def table_of(data: object, names: Sequence[str] | None = None) -> Table:
    """A frame or an array as the core reads it. `names`: of the columns of an array [x0, x1, ...].

    Errors: TypeError for what is no table.
    """
    if isinstance(data, np.ndarray) or _is_nested_list(data):
        array = np.asarray(data)
        if array.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {array.ndim}D array instead. Reshape your data."
            )
        columns = list(names) if names is not None else [f"x{i}" for i in range(array.shape[1])]
        return {name: np.ascontiguousarray(array[:, i]) for i, name in enumerate(columns)}
    if isinstance(data, Mapping):
        return {str(name): np.asarray(values) for name, values in data.items()}
    if hasattr(data, "__arrow_c_stream__"):
        return data
    try:
        frame = nw.from_native(data, eager_only=True)  # type: ignore[call-overload]
    except TypeError:
        raise TypeError(
            "a table must be a frame (pandas, polars, pyarrow, DuckDB, or any with "
            f"__arrow_c_stream__), a dictionary of columns or an array, got {type(data).__name__}"
        ) from None
    return {str(name): frame[name].to_numpy() for name in frame.columns}


def with_column(
    data: object, name: str, values: object, names: Sequence[str] | None = None
) -> Table:
    """The table with one more column, of the same length."""
    table = table_of(data, names)
    if isinstance(table, dict):
        return {**table, name: np.asarray(values)}
    frame = nw.from_native(table, eager_only=True)
    series = nw.new_series(name, np.asarray(values), backend=frame.implementation)
    return frame.with_columns(series).to_native()


def like(data: object, columns: Mapping[str, object]) -> Any:
    """Columns as a table of the kind that `data` is; a dictionary of arrays for arrays."""
    try:
        backend = nw.from_native(data, eager_only=True).implementation  # type: ignore[call-overload]
    except TypeError:
        return {name: np.asarray(values) for name, values in columns.items()}
    return nw.from_dict(dict(columns), backend=backend).to_native()


def _is_nested_list(data: object) -> bool:
    return isinstance(data, list) and bool(data) and isinstance(data[0], (list, tuple))
