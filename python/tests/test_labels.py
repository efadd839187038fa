# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest

from equinoise._labels import class_labels, class_texts, classes_in


def test_public_classes_are_sorted() -> None:
    assert classes_in(np.array(["b", "a", "b"])) == ["a", "b"]
    assert class_texts(classes_in(np.array([1.0, 0.0]))) == ["0", "1"]
    assert class_texts(classes_in(np.array([True, False]))) == ["false", "true"]


@pytest.mark.parametrize(
    ("y", "message"), [([0.5, 1.0], "continuous"), ([1, 1], "one class"), ([], "two classes")]
)
def test_what_has_no_classes(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        classes_in(np.array(y))


@pytest.mark.parametrize(
    ("names", "column", "y", "classes"),
    [
        (["0", "2"], {}, np.array([0], dtype=np.uint8), np.array([0, 2], dtype=np.uint8)),
        (["0", "9007199254740993"], {}, np.array([0]), np.array([0, 9007199254740993])),
        (["1", str(2**64 - 1)], {}, np.array([1], dtype=np.uint64), np.array([1, 2**64 - 1], "u8")),
        (["0", "300"], {}, np.array([0], dtype=np.uint8), np.array([0, 300])),
        (["false", "true"], {}, np.array([0, 1]), np.array([0, 1])),
        (["0.5", "1"], {}, np.array([1.0]), np.array([0.5, 1.0])),
        (["low", "1"], {}, np.array([1]), np.array(["low", "1"], dtype=object)),
        (["f", "t"], {}, np.array([True]), np.array([False, True])),
        (["a", "b"], {}, np.array([True]), np.array(["a", "b"])),
        (
            ["no", "yes"],
            {"values": ["0", "1"], "labels": {"0": "no", "1": "yes"}},
            np.array(["1"], dtype=object),
            np.array(["0", "1"], dtype=object),
        ),
        (["0", "1"], {}, None, np.array([0, 1])),
        (["00", "01"], {}, None, np.array(["00", "01"], dtype=object)),
        (["no", "yes"], {"type": "boolean", "values": ["no", "yes"]}, None, [False, True]),
        (["false", "Yes"], {"type": "boolean"}, None, np.array(["false", "Yes"], dtype=object)),
    ],
)
def test_classes_in_the_type_of_labels(names: Any, column: Any, y: Any, classes: Any) -> None:
    found = class_labels(names, column, y)
    assert found.dtype == np.asarray(classes).dtype
    assert list(found) == list(classes)
