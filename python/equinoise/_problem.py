# SPDX-License-Identifier: Apache-2.0
"""What an estimator is fitted to: one table, and a schema that says what is public about it."""

import operator
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from equinoise._declared import (
    Bounds,
    facts_of,
    features_in,
    no_schema,
    read_schema,
    refuse_unknown_columns,
    schema_text,
    with_num_records,
)
from equinoise._inputs import (
    Features,
    array_of,
    check_count,
    features_of,
    labels_in,
    sensitive_columns,
    target_of,
)
from equinoise._labels import class_texts, classes_in
from equinoise.errors import SchemaError, UsageError
from equinoise.frames import Table, floats
from equinoise.schema import Schema

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Problem:
    """A table with its schema. Without X, as plans may be, there is no table."""

    schema: str  # a path or, with line breaks, a text
    features: list[str]  # inputs of the model, in the order of X
    table: Table = None
    named: bool = True  # the features of X have names
    exact: bool = False  # X has these columns and no others
    labels: Array | None = None  # the different ones, of classes
    groups: list[str] = field(default_factory=list)  # columns of sensitive features
    options: Mapping[str, object] = field(default_factory=dict)  # that a domain.json needs


@dataclass(frozen=True)
class PublicFacts:
    """What an estimator was told that is public; its parameters of the same names.

    `task_facts` are classes, where it classifies, or bounds of the target.
    """

    owner: str
    classifies: bool
    pays: bool
    schema: Any
    bounds: Bounds | None
    categories: Mapping[Any, Sequence[object]] | None
    task_facts: Any
    num_records: Any
    unit: str | None
    target: str | None
    dataset: str | None
    public_data: bool | None
    groups: Any
    constraints: Any

    @property
    def task_parameter(self) -> str:
        """The parameter that holds the task's facts."""
        return "classes" if self.classifies else "target_bounds"

    def problem(self, X: Features | None, y: object, sensitive: object) -> Problem:
        """The problem of these data.

        Errors: SchemaError where something that must be public is not stated, UsageError where it
        is stated twice, TypeError and ValueError as scikit-learn has them.
        """
        counts = self.schema is None or self.num_records == "table"
        if X is not None and X.num_records is None and counts:
            X = features_of(X.collected())
        if X is not None and X.num_records == 1:
            raise ValueError("a model is not fitted to 1 sample")
        if self.schema is None:
            return self._declared(X, y, sensitive)
        if any(v is not None for v in (self.bounds, self.categories, self.task_facts, self.unit)):
            raise UsageError(
                "[schema] a schema says what is public; leave out bounds, categories, unit and "
                f"{self.task_parameter}"
            )
        return self._described(X, y, sensitive)

    def group_names(self) -> list[str]:
        """The columns of all groupings."""
        return _flat_names(self.groups)

    def _described(self, X: Features | None, y: object, sensitive: object) -> Problem:
        """The problem that a schema describes."""
        schema, text = _schema_and_text(self.schema)
        facts = facts_of(text)
        target = facts.get("target") or self.target
        if target is None:
            raise SchemaError("[schema.target] the schema names no target to learn")
        if self.num_records == "table":
            if X is None or X.num_records is None:
                raise UsageError('[num_records] "table" needs the table: give plan X')
            schema = with_num_records(text, X.num_records)
        options = {}
        if "schema" not in facts:  # a domain.json
            options = {
                "num_records": self.num_records,
                "target": self.target,
                "dataset": self.dataset,
            }
        inputs = features_in(facts, target)
        if X is None:
            return Problem(schema, inputs, options=options)
        if not X.named:
            check_count(len(inputs), X, "the schema")
            _refuse_numbers_in_other_order(inputs)
            X = X.renamed(inputs)
        table, labels, groups = self._joined(X, y, sensitive, target)
        place = {name: i for i, name in enumerate(X.names)}
        inputs = sorted(inputs, key=lambda name: place.get(name, len(place)))
        return Problem(schema, inputs, table, X.named, False, labels, groups, options)

    def _declared(self, X: Features | None, y: object, sensitive: object) -> Problem:
        """The problem that bounds, categories and the task's facts declare."""
        if self.bounds is None and self.categories is None:
            raise no_schema(self.task_parameter)
        if self.unit not in (None, "row"):
            raise SchemaError(
                f"[schema.unit] people with several rows need a schema: "
                f"Schema.draft(data, unit={self.unit!r}) writes one"
            )
        taken = () if X is None or y is None else X.names
        target = self.target or _free_name(taken)
        table: Table = None
        labels: Array | None = None
        groups: list[str] = []
        outside: dict[str, Any] = {}
        if X is not None:
            table, labels, groups = self._joined(X, y, sensitive, target)
            columns = sensitive_columns(sensitive, X, self.group_names())[1]
            outside = {name: one for name, one in columns.items() if name not in X.names}
            refuse_unknown_columns("bounds", self.bounds, X.names)
            refuse_unknown_columns("categories", self.categories, X.names, *outside)
        names = _declared_names(self.bounds, self.categories) if X is None else X.names
        features = [name for name in names if name != target]
        known = self.categories or {}
        schema = schema_text(
            dataset=self._dataset(),
            num_records=self._num_records(X),
            reviewed=not self.public_data,
            unit=self.unit,
            features=features,
            bounds=self.bounds,
            categories=self.categories,
            target=target,
            target_facts=self._target_facts(labels),
            groups={
                name: known[name] if name in known else self._public_values(name, column)
                for name, column in outside.items()
            },
            grouped_by={*groups, *self.group_names(), *_words_of(self.constraints)},
        )
        named = X is None or X.named
        return Problem(schema, features, table, named, target not in names, labels, groups)

    def _joined(
        self, X: Features, y: object, sensitive: object, target: str
    ) -> tuple[Table, Array | None, list[str]]:
        """One table of all, the different classes in y, and the names of the sensitive columns."""
        groups, columns = sensitive_columns(sensitive, X, self.group_names())
        if y is None:
            if target not in X.names:
                raise ValueError(f"{self.owner} requires y to be passed, but the target y is None")
            labels = X.labels(target) if self.classifies else None
            return X.with_columns(columns), labels, groups
        y = target_of(y, X.num_records)
        if self.classifies:
            return X.with_columns({**columns, target: y}), labels_in(y), groups
        if array_of(y).dtype.kind not in "iuf":
            y = floats("y", array_of(y))
        return X.with_columns({**columns, target: y}), None, groups

    def _num_records(self, X: Features | None) -> int:
        number = self.num_records
        if (number is None and self.public_data) or number == "table":
            number = X.num_records if X is not None else None
        if number is None:
            raise SchemaError(
                "[schema.public.num_records] the number of records must be public: give "
                'num_records=N, or num_records="table" if that of each table given to fit is'
            )
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            raise SchemaError("[schema.public.num_records] num_records must be a whole number")
        return operator.index(number)

    def _dataset(self) -> str:
        if self.dataset is None and self.pays:
            raise SchemaError("[schema.dataset] dataset= must name the ledger's account")
        return self.dataset or "data"

    def _target_facts(self, labels: Array | None) -> dict[str, object]:
        facts = self.task_facts
        if self.classifies and facts is None and self.public_data and labels is not None:
            facts = classes_in(labels)
        if facts is None:
            what = "classes=[...]" if self.classifies else "target_bounds=(low, high)"
            raise SchemaError(
                f"[schema.columns] what the target may be must be public: give {what}"
            )
        if self.classifies:
            return {"type": "categorical", "values": class_texts(facts)}
        return {"type": "numeric", "bounds": [float(v) for v in facts]}

    def _public_values(self, name: str, column: object) -> list[object]:
        if not self.public_data:
            raise SchemaError(
                f"[schema.columns.{name}] what the groups may be must be public: give "
                f"categories={{{name!r}: [...]}}"
            )
        return sorted(labels_in(column).tolist())


def _schema_and_text(schema: Any) -> tuple[str, str]:
    """A schema as `Problem` holds it, and its text."""
    if isinstance(schema, Schema):
        return schema.text, schema.text
    path = os.fspath(schema)
    return path, read_schema(path)


def _refuse_numbers_in_other_order(inputs: Sequence[str]) -> None:
    """Errors: ValueError where X without names could have these or be in their order."""
    numbers = [str(i) for i in range(len(inputs))]
    if set(inputs) == set(numbers) and list(inputs) != numbers:
        raise ValueError(
            f"the schema has its features in the order {', '.join(inputs)}; give X as a frame "
            "whose columns are called so, by texts"
        )


def _declared_names(bounds: Any, categories: Any) -> list[str]:
    names = [*(bounds if isinstance(bounds, Mapping) else ()), *(categories or ())]
    if not isinstance(bounds, Mapping) or not all(isinstance(name, str) for name in names):
        raise UsageError("[plan] give X, since bounds and categories do not name the columns")
    return names


def _flat_names(groups: Any) -> list[str]:
    if isinstance(groups, str):
        return groups.split(",")
    return [name for one in groups or () for name in _flat_names(one)]


def _words_of(constraints: Any) -> list[str]:
    """Names of columns in lines of constraints, among other words."""
    lines = [constraints] if isinstance(constraints, str) else constraints or ()
    return [word for line in lines for word in re.split("[:,]", line)]


def _free_name(names: Sequence[str]) -> str:
    """A name for y, whose own has no meaning: pandas gives that of a column to what follows it."""
    name = "target"
    while name in names:
        name += "_"
    return name
