# SPDX-License-Identifier: Apache-2.0
"""Counted tables of frames that stay where they are: Spark, Dask, DuckDB, Ibis, lazy polars."""

from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from equinoise.errors import InputError
from equinoise.frames import IN_MEMORY, in_kind, kind_of
from equinoise.schema import Schema, schema_file


def count(data: object, schema: Schema | str | PathLike[str] | None) -> Any:
    """Counts the equal records of a frame, by the public codes of a schema: a counted table.

    It has the schema's columns and one that says how many records each row stands for, and every
    function takes it in place of the records. Frames of a cluster or a database are counted there,
    in one query, and give a table of pyarrow; others give what they are. Numbers become what stands
    for their public bin (`public_bins` of the schema). NOT PRIVATE: counts are exact.

    Errors: SchemaError; InputError for a column that is missing or has a type which cannot hold
    what the schema says, a schema with a column of units, and a number of records other than the
    schema's public one. See docs/guide/clusters.md.

    >>> from equinoise import Schema, count
    >>> count({"sex": ["F", "M", "F"]}, Schema(
    ...     'schema = "equinoise/1"\\ndataset = "three"\\npublic.num_records = 3\\n'
    ...     '[columns.sex]\\ntype = "categorical"\\nvalues = ["F", "M"]'))
    {'sex': array(['F', 'M'], dtype='<U1'), 'equinoise_count': array([2, 1])}
    """
    from equinoise import _codes, _core  # here, since these and Narwhals take long to load

    with schema_file(schema) as path:
        plan = _core.count_plan(path)
    columns, records = _codes.counted_codes(data, plan)
    _check_size(int(records.sum()), plan["num_records"], plan["other_size"])
    order = np.lexsort(columns[::-1])
    table = {
        column["name"]: _cells(column, codes[order])
        for column, codes in zip(plan["columns"], columns, strict=True)
    }
    return in_kind(kind_of(data, ["pyarrow"]), {**table, plan["count_column"]: records[order]})


def _check_size(num_records: int, declared: int, other_size: str) -> None:
    if declared > 0 and num_records != declared:
        raise InputError(
            f"[data.table] {IN_MEMORY}: has {num_records} rows, but the schema says num_records = "
            f"{declared}; {other_size}"
        )


def _cells(column: dict[str, Any], codes: npt.NDArray[np.int64]) -> Any:
    """What a table holds for codes: numbers where all are such, else texts."""
    from equinoise._codes import ABOVE, BELOW, MISSING, NO_NUMBER, UNLISTED

    if column["is_numeric"] and not column["time"] and not (codes == NO_NUMBER).any():
        # Codes below 0 are places from the end.
        held = np.array([*column["numbers"], np.inf, -np.inf, np.nan, np.nan])[codes]
        is_plain = column["whole"] and np.isfinite(held).all()
        return held.astype(np.int64) if is_plain else held
    outside = {
        MISSING: None,
        NO_NUMBER: column["neither"],
        BELOW: column["below"],
        ABOVE: column["above"],
        UNLISTED: column["neither"],
    }
    return [column["cells"][code] if code >= 0 else outside[code] for code in codes.tolist()]
