# SPDX-License-Identifier: Apache-2.0
"""A schema from public facts that are declared in Python."""

import difflib
import json
import math
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from equinoise.errors import SchemaError
from equinoise.frames import text_of
from equinoise.schema import NO_SCHEMA

Bounds = tuple[float, float] | Mapping[Any, tuple[float, float]]


def no_schema(task_parameter: str) -> SchemaError:
    """The error that shows how to state what is public."""
    return SchemaError(
        f"{NO_SCHEMA}\nand give schema=schema; or declare here what is public: "
        "bounds=(low, high) or {column: (low, high)}, categories={column: [...]}, "
        f'{task_parameter}=..., num_records=..., unit="row" if no person has two rows'
    )


def schema_text(
    *,
    dataset: str,
    num_records: int,
    reviewed: bool,
    unit: str | None,
    features: Sequence[str],
    bounds: Bounds | None,
    categories: Mapping[Any, Sequence[object]] | None,
    target: str,
    target_facts: Mapping[str, object],
    groups: Mapping[str, Sequence[object]],
    grouped_by: Collection[str],
) -> str:
    """The text of a schema. `groups` are columns with their categories that are no features.

    A gap in one of `grouped_by` drops its record: nobody has declared a group of it.

    Errors: SchemaError for columns of which neither bounds nor categories are declared.
    """
    lines = [
        'schema = "equinoise/1"',
        f"dataset = {_toml(dataset)}",
        f"reviewed = {_toml(reviewed)}",
        *([] if unit is None else [f"unit = {_toml(unit)}"]),
        f"target = {_toml(target)}",
        "missing_values = []",
        'malformed = "missing"',
        "[public]",
        f"num_records = {num_records}",
    ]
    undeclared = []
    for i, name in enumerate(features):
        values = _at(categories, i, name)
        limits = _at(bounds, i, name) if isinstance(bounds, Mapping) else bounds
        if values is not None:
            lines += _categories(name, values, name in grouped_by)
        elif limits is not None:
            pair = [float(v) for v in limits]
            lines += _column(name, type="numeric", bounds=pair, missing="allowed")
        else:
            undeclared.append(name)
    if undeclared:
        raise SchemaError(
            "[schema.columns] what these columns may hold must be public: give "
            "bounds={column: (low, high)} or categories={column: [...]} of "
            f"{', '.join(undeclared[:5])}"
        )
    for name, values in groups.items():
        lines += _categories(name, values, True, feature=False)
    lines += _column(target, **target_facts)
    return "\n".join(lines) + "\n"


def refuse_unknown_columns(
    parameter: str, facts: object, features: Sequence[str], *more: str
) -> None:
    """Errors: SchemaError for a fact about a column that is not there.

    `features` may be called by their places as well, `more` by name alone.
    """
    names = [*features, *more]
    for key in facts if isinstance(facts, Mapping) else ():
        if key not in names and key not in range(len(features)):
            near = difflib.get_close_matches(str(key), names, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise SchemaError(
                f"[schema.columns] {parameter} names a column {key!r}, which neither X nor "
                f"sensitive_features has{hint}"
            )


def facts_of(text: str) -> dict[str, Any]:
    """A schema as a dictionary: that of TOML, or of private-pgm's domain.json."""
    if text.lstrip().startswith("{"):
        names = json.loads(text)
        return {"columns": {name: {"type": "categorical"} for name in names}}
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"[data.schema] not valid TOML: {error}") from None


def features_in(facts: Mapping[str, Any], target: str | None) -> list[str]:
    """The columns that are inputs of a model, in the schema's order."""
    return [
        name
        for name, column in facts.get("columns", {}).items()
        if name != target and column.get("type") != "ignored" and column.get("feature", True)
    ]


def with_num_records(text: str, num_records: int) -> str:
    """The schema for another number of records.

    Errors: SchemaError where sizes of groups would then be wrong, or where it states no number.
    """
    facts = facts_of(text)
    if facts.get("unit", "row") != "row":
        raise SchemaError(
            f"[schema.unit] num_records counts rows, but rows of one {facts['unit']} are one unit; "
            "give a schema with num_units and leave num_records out"
        )
    public = facts.get("public", {})
    if public.get("num_records") == num_records:
        return text
    if public.get("groups"):
        raise SchemaError(
            "[schema.public.groups] sizes of groups are declared for the whole table, and these "
            'are other records; take them out of the schema to use num_records="table"'
        )
    changed, count = re.subn(
        r"(?m)^(\[public\][^\[]*?^\s*num_records\s*=\s*)[\d_]+", rf"\g<1>{num_records}", text
    )
    if count != 1:
        raise SchemaError('[schema.public] num_records="table" needs [public] with num_records')
    return changed


def read_schema(path: str) -> str:
    """Errors: SchemaError."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise SchemaError(f"[data.schema] {path}: {reason}") from None


def _categories(name: str, values: Sequence[object], is_group: bool, **facts: object) -> list[str]:
    texts = [text_of(value) for value in values]
    missing = "drop" if is_group or "missing" in texts else "allowed"
    return _column(name, type="categorical", values=texts, missing=missing, **facts)


def _column(name: str, **facts: object) -> list[str]:
    return [f"[columns.{_toml(name)}]", *(f"{key} = {_toml(v)}" for key, v in facts.items())]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _at(facts: Any, i: int, name: str) -> Any:
    if facts is None:
        return None
    return facts[name] if name in facts else facts.get(i)
