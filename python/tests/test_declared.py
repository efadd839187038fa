# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest

from equinoise import Schema
from equinoise._declared import facts_of, features_in, schema_text, with_num_records
from equinoise.errors import SchemaError

_FACTS: dict[str, Any] = {
    "dataset": "people",
    "num_records": 9,
    "reviewed": True,
    "unit": None,
    "features": ["age", 'odd "name".\\'],
    "bounds": {"age": (18, 90), 1: (np.float64(-1), np.inf)},
    "categories": None,
    "target": "paid",
    "target_facts": {"type": "categorical", "values": ["no", "?"]},
    "groups": {"sex": ["F", "M\x7f"]},
    "grouped_by": [],
}


def test_facts_are_written_as_they_are() -> None:
    schema = Schema(schema_text(**_FACTS))
    assert schema.reviewed
    assert schema.num_records == 9
    may_be: dict[str, Any] = {"missing": "allowed"}
    assert schema.columns == {
        "age": {"type": "numeric", "bounds": [18.0, 90.0], **may_be},
        'odd "name".\\': {"type": "numeric", "bounds": [-1.0, float("inf")], **may_be},
        "sex": {
            **{"type": "categorical", "values": ["F", "M\x7f"]},
            **{"missing": "drop", "feature": False},
        },
        "paid": {"type": "categorical", "values": ["no", "?"]},
    }


def test_the_tool_takes_it() -> None:
    facts = {**_FACTS, "bounds": (0, 1)}
    assert Schema(schema_text(**facts)).check()["num_records"] == 9


def test_categories_go_before_bounds_for_all() -> None:
    facts = {**_FACTS, "bounds": (0, 1), "categories": {"age": [1, 2.0, True]}}
    assert Schema(schema_text(**facts)).columns["age"]["values"] == ["1", "2", "true"]


def test_columns_that_nobody_declared_are_named() -> None:
    with pytest.raises(SchemaError, match="of age") as error:
        schema_text(**{**_FACTS, "bounds": None, "categories": {1: ["a"]}})
    assert error.value.field == "schema.columns"


def test_a_gap_is_a_category_where_it_makes_no_group_and_is_not_one_already() -> None:
    for values, grouped_by, missing in (
        (["F", "M"], [], "allowed"),
        (["F", "M"], ["age"], "drop"),
        (["F", "missing"], [], "drop"),
    ):
        facts = {"bounds": (0, 1), "categories": {"age": values}, "grouped_by": grouped_by}
        schema = Schema(schema_text(**{**_FACTS, **facts}))
        assert schema.columns["age"]["missing"] == missing
        assert schema.check()["num_records"] == 9


def test_features_are_inputs_of_a_model() -> None:
    facts = facts_of(
        '[columns.a]\ntype = "numeric"\n[columns.b]\ntype = "ignored"\n'
        '[columns.c]\ntype = "numeric"\nfeature = false\n[columns.y]\ntype = "numeric"\n'
    )
    assert features_in(facts, "y") == ["a"]
    assert features_in(facts_of('{"sex": 2, "income": 2}'), "income") == ["sex"]
    with pytest.raises(SchemaError, match="not valid TOML"):
        facts_of("columns = [")


def test_another_number_of_records() -> None:
    text = (
        '# num_records = 1\n[public]\n# ours\nnum_records = 1_000\n[columns.a]\ntype = "numeric"\n'
    )
    changed = with_num_records(text, 12)
    assert changed == text.replace("1_000", "12")
    assert with_num_records(text, 1000) == text
    with pytest.raises(SchemaError, match="needs"):
        with_num_records("[columns.a]\n", 12)
    with pytest.raises(SchemaError, match="sizes of groups"):
        with_num_records(text + "[[public.groups]]\nnum_records = 3\n", 12)
    units = 'unit = "pid"\n[public]\nnum_units = 7\n[columns.pid]\ntype = "ignored"\n'
    with pytest.raises(SchemaError, match="rows of one pid are one unit"):
        with_num_records(units, 12)
