# SPDX-License-Identifier: Apache-2.0
import datetime
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from equinoise._inputs import features_of, labels_in, sensitive_columns, target_of
from equinoise.errors import InputError


def test_names_of_frames_and_arrays() -> None:
    frame = features_of(pd.DataFrame({"b": [1], "a": [2]}))
    assert (frame.names, frame.named, frame.num_records) == (["b", "a"], True, 1)
    array = features_of([[1, 2], [3, 4]])
    assert (array.names, array.named, array.num_records) == (["x0", "x1"], False, 2)
    numbered = features_of(pd.DataFrame([[1, 2]]))
    assert (numbered.names, numbered.named) == (["x0", "x1"], False)
    assert features_of(pl.LazyFrame({"a": [1]})).num_records is None


def test_objects_become_columns_of_one_type() -> None:
    columns = features_of(
        np.array([[1, "a", True, None], [None, None, None, None]], dtype=object)
    ).table
    assert list(columns["x0"]) == [1, None]
    assert list(columns["x1"]) == ["a", None]
    assert list(columns["x2"]) == ["true", None]
    assert list(columns["x3"]) == [None, None]


def test_gaps_in_lists_and_objects_are_no_texts() -> None:
    columns = features_of({"a": ["F", float("nan")], "b": np.array(["F", pd.NA], object)}).table
    assert [list(column) for column in columns.values()] == [["F", None], ["F", None]]
    with pytest.raises(ValueError, match="NaN"):
        target_of(["yes", float("nan")], 2)


def test_whole_numbers_of_objects_are_exact() -> None:
    columns = features_of(
        {
            "a": np.array([2**53 + 1, 1], object),
            "b": np.array([2**53 + 1, None], object),
            "c": np.array([2**64, 1], object),
        }
    ).table
    assert [list(c) for c in columns.values()] == [[2**53 + 1, 1], [2**53 + 1, None], [2**64, 1]]


def test_a_column_is_not_replaced_by_another() -> None:
    X = features_of(pd.DataFrame({"sex": [0, 1]}))
    same = X.with_columns({"sex": np.array(["0", "1"])})
    assert same.column_names == ["sex"]
    with pytest.raises(ValueError, match="'sex' with other values"):
        X.with_columns({"sex": np.array(["F", "M"])})


def test_messages_hold_no_values() -> None:
    with pytest.raises(TypeError) as error:
        features_of("secret")
    assert "secret" not in str(error.value)


def test_dates_are_read() -> None:
    days = pd.DataFrame({"day": [datetime.date(2020, 1, 1), None]})
    assert features_of(days).num_records == 2


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (sparse.csr_matrix(np.eye(2)), TypeError, "Sparse data"),
        (np.eye(2) * 1j, ValueError, "Complex data"),
        (np.arange(3), ValueError, "Reshape your data"),
        (np.zeros((0, 2)), ValueError, "0 sample"),
        (np.zeros((2, 0)), ValueError, r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        ({}, ValueError, "0 sample"),
        ({"a": [1], "b": [1, 2]}, ValueError, "different lengths"),
        ({"a": (x for x in [1, 2])}, InputError, "one dimension"),
        (7, TypeError, "a table must be"),
        ("people.csv", TypeError, "a table must be"),
        (pl.Series([1, 2]), ValueError, "Expected 2D"),
        (np.array([[{}]]), TypeError, "must be a string or a number"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "duplicate"),
        (pd.DataFrame([[1, 2]], columns=["a", 1]), TypeError, "string names"),
    ],
)
def test_what_is_no_table(X: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        features_of(X)


def test_targets_keep_their_type() -> None:
    series = pl.Series(["a", "b"])
    assert target_of(series, 2) is series
    assert target_of(np.array([1, 2], dtype=object), 2).dtype == np.int64
    assert target_of(np.array([True, False], dtype=object), 2).dtype == bool
    with pytest.warns(UserWarning, match="column-vector"):
        assert target_of(np.array([[1], [2]]), 2).shape == (2,)
    with pytest.raises(ValueError, match="infinity"):
        target_of([1.0, np.inf], 2)


def test_different_labels() -> None:
    assert sorted(labels_in(pl.Series([3, 1, None, 3]))) == [1, 3]
    assert list(labels_in(np.array(["b", None, "a", "b"], dtype=object))) == ["a", "b"]


@pytest.mark.parametrize(
    ("sensitive", "names"),
    [
        ("a", ["a"]),
        (["a", "b"], ["a", "b"]),
        (["F", "M"], ["g"]),
        (np.array(["F", "M"]), ["g"]),
        (np.array([["F", "x"], ["M", "y"]]), ["g", "sensitive_feature_1"]),
        (pd.Series(["F", "M"], name="sex"), ["sex"]),
        (nw.from_native(pl.Series("sex", ["F", "M"]), series_only=True), ["sex"]),
        (pl.Series(["F", "M"]), ["g"]),
        ([pd.Series([1, 2], name="sex"), np.array([1, 2])], ["sex", "sensitive_feature_1"]),
        (pl.DataFrame({"sex": [1, 2], "race": [1, 2]}), ["sex", "race"]),
        ({"sex": [1, 2]}, ["sex"]),
    ],
)
def test_sensitive_features_have_names(sensitive: Any, names: list[str]) -> None:
    X = features_of(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    found, columns = sensitive_columns(sensitive, X, ["g"])
    assert found == names
    assert list(columns) == ([] if names[0] == "a" else names)


def test_sensitive_features_of_another_length() -> None:
    with pytest.raises(ValueError, match="X has no column 'sx'"):
        sensitive_columns("sx", features_of({"sex": [1, 2]}), [])
    with pytest.raises(ValueError, match=r"\[2, 3\] \(X, sensitive_features\)"):
        sensitive_columns([1, 2, 3], features_of([[1], [2]]), [])
