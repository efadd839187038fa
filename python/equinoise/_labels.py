# SPDX-License-Identifier: Apache-2.0
"""Classes as the user has them (1, True, "yes") and as a schema writes them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equinoise.frames import text_of

Array = npt.NDArray[Any]

TRUE = {"true", "t", "yes", "y", "on", "1"}
_FALSE = {"false", "f", "no", "n", "off", "0"}


def classes_in(y: Array) -> list[object]:
    """The classes of public labels, sorted; `y` holds each label at least once.

    Errors: ValueError where y is continuous or has one class alone.
    """
    if y.dtype.kind == "f" and (y != np.floor(y)).any():
        raise ValueError(
            "Unknown label type: continuous. Maybe you are trying to fit a classifier, which "
            "expects discrete classes, on a regression target with continuous values."
        )
    classes = list(np.unique(y))
    if len(classes) < 2:
        raise ValueError("a classifier needs two classes, and y has one class")
    return classes


def class_texts(classes: Sequence[object]) -> list[str]:
    """Declared classes as a schema has them."""
    return [text_of(one) for one in classes]


def class_labels(names: Sequence[str], column: Mapping[str, Any], y: Array | None) -> Array:
    """The classes `names` of a model in the type of the labels y, else in one that suits them all.

    `column` is that of the target in the schema, of which names are the values or their labels.
    """
    default = ["false", "true"] if column.get("type") == "boolean" else list(names)
    values = [str(one) for one in column.get("values", default)]
    if len(values) != len(names):
        values = list(names)
    if y is None:
        return _guessed(names, values, column)
    if y.dtype.kind == "b" and (truths := _truths(values)) is not None:
        return np.array(truths)
    if y.dtype.kind in "iuf":
        truths = _truths(values)
        try:
            numbers = [int(v) if v.lstrip("+-").isdigit() else float(v) for v in values]
        except ValueError:
            return np.array(names, dtype=object) if truths is None else _in_type(truths, y.dtype)
        return _in_type(numbers, y.dtype)
    written = values if not set(names) & set(y.tolist()) else list(names)
    return np.array(written, dtype=object if y.dtype == object else str)


def _in_type(classes: Sequence[float], dtype: np.dtype[Any]) -> Array:
    """In the type of the labels, unless it does not hold a class, which no label then has."""
    labels = np.array(classes, dtype=object)
    try:
        typed = labels.astype(dtype)
    except OverflowError:
        return np.array(classes)
    return typed if (typed == labels).all() else np.array(classes)


def _guessed(names: Sequence[str], values: list[str], column: Mapping[str, Any]) -> Array:
    if list(names) == values:
        if column.get("type") == "boolean" and (truths := _truths(values)) is not None:
            return np.array(truths)
        if all(v.lstrip("-").isdigit() and str(int(v)) == v for v in values):
            return np.array([int(v) for v in values])
    return np.array(names, dtype=object)


def _truths(values: Sequence[str]) -> list[bool] | None:
    lower = [v.lower() for v in values]
    return [v in TRUE for v in lower] if set(lower) <= TRUE | _FALSE else None
