# SPDX-License-Identifier: Apache-2.0
"""Predictions judged on each group, with intervals."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from equinoise._command import run
from equinoise._labels import TRUE
from equinoise._options import refuse_foreign
from equinoise._scratch import scratch_folder
from equinoise.errors import InputError, ThresholdError, UsageError
from equinoise.frames import (
    IN_MEMORY,
    Kind,
    as_array,
    by_column,
    floats,
    in_kind,
    is_missing,
    kind_of,
    text_of,
)
from equinoise.reports import PagedReport, Table, cell, group_name, page_of, with_ends

Array = npt.NDArray[Any]
Metric = Callable[..., float]
_LABELS = ("y_true", "y_pred")
_TOTAL = "all"  # the name of the row of all records

Against = Literal["between_groups", "to_overall"]


class AuditReport(PagedReport):
    """Exact figures of every group, which are NOT PRIVATE, with intervals."""

    title = "Audit"

    def __init__(
        self,
        content: dict[str, Any],
        page: str,
        kind: Kind,
        own: "OwnFigures",
    ) -> None:
        super().__init__(content, page)
        self._kind = kind
        self._own = own

    @property
    def overall(self) -> Any:
        """A row with the overall figures, as a table of the kind that came in."""
        row = {**_figures(self["overall"]), **self._own.overall}
        return in_kind(self._kind, by_column([row]))

    @property
    def by_group(self) -> Any:
        """A row for each group: `accuracy`, `accuracy_lower`, `accuracy_upper`, and so on.

        An undefined figure, as a rate of nobody, is missing. Metrics of your own have no intervals.
        """
        rows = [
            {**group["group"], **_figures(group), **own}
            for group, own in zip(self["groups"], self._own.by_group, strict=True)
        ]
        return in_kind(self._kind, by_column(rows))

    @property
    def by_class(self) -> Any:
        """Of more than two classes a row for each group and class, it against the rest."""
        rows = [
            {**group["group"], "class": one["class"], **_figures(one)}
            for group in self["groups"]
            for one in group.get("per_class", [])
        ]
        return in_kind(self._kind, by_column(rows))

    @property
    def disparities(self) -> Any:
        """A row for each metric: its extremes, their difference with its interval, ratios."""
        rows = [
            {
                "metric": _name(entry),
                **with_ends(
                    "difference",
                    entry["difference_between_groups"],
                    entry["difference_between_groups_interval"],
                ),
                "difference_to_overall": entry["difference_to_overall"],
                "ratio": entry["ratio_between_groups"],
                "ratio_to_overall": entry["ratio_to_overall"],
                "lowest": entry["lowest"] and group_name(entry["lowest"]),
                "highest": entry["highest"] and group_name(entry["highest"]),
            }
            for entry in self["disparities"]
        ]
        return in_kind(self._kind, by_column(rows))

    def difference(self, method: Against = "between_groups") -> dict[str, float | None]:
        """The largest difference of each metric between groups or to overall; None: undefined."""
        ours = {_name(entry): entry[f"difference_{method}"] for entry in self["disparities"]}
        return {**self._undefined(), **ours, **self._own.difference(method)}

    def ratio(self, method: Against = "between_groups") -> dict[str, float | None]:
        """The smallest ratio of each metric between groups or to overall; None: undefined."""
        ours = {_name(entry): entry[f"ratio_{method}"] for entry in self["disparities"]}
        return {**self._undefined(), **ours, **self._own.ratio(method)}

    def group_min(self) -> dict[str, float | None]:
        """The smallest value of each metric in any group that has it."""
        return {name: min(values, default=None) for name, values in self._values().items()}

    def group_max(self) -> dict[str, float | None]:
        """The largest value of each metric in any group that has it."""
        return {name: max(values, default=None) for name, values in self._values().items()}

    @property
    def passed(self) -> bool:
        """Whether every limit and constraint holds; one that is unclear does not."""
        return all(limit["verdict"] == "holds" for limit in self._limits())

    def require(self, strict: bool = False) -> None:
        """Ends in an error if a limit or constraint fails; if `strict`, unless all of them hold.

        Errors: ThresholdError.
        """
        if any(limit["verdict"] == "fails" for limit in self._limits()) or (
            strict and not self.passed
        ):
            raise ThresholdError("[audit] " + "; ".join(self["alarms"]))

    def tables(self) -> list[Table]:
        more = [*self._own.by_group, self._own.overall]
        limits = [
            [limit["name"], cell(limit["value"]), limit["verdict"]] for limit in self._limits()
        ]
        return [_groups_table(self, more), Table("", ["limit", "value", "verdict"], limits)]

    def _limits(self) -> list[dict[str, Any]]:
        return [*self["constraints"], *self.get("ratios", [])]

    def _undefined(self) -> dict[str, float | None]:
        """What one group alone has: it differs from nobody."""
        return {} if len(self["groups"]) > 1 else dict.fromkeys(_metrics(self["overall"]))

    def _values(self) -> dict[str, list[float]]:
        ours = {
            name: [g[name] for g in self["groups"] if g[name] is not None]
            for name in _metrics(self["overall"])
        }
        return {**ours, **self._own.values()}


class OwnFigures:
    """Metrics that somebody gave, overall and of each group; None where one is undefined."""

    def __init__(
        self, overall: dict[str, float | None], by_group: list[dict[str, float | None]]
    ) -> None:
        self.overall = overall
        self.by_group = by_group

    def values(self) -> dict[str, list[float]]:
        """The values of the groups that have the metric."""
        return {
            name: [v for group in self.by_group if (v := group[name]) is not None]
            for name in self.overall
        }

    def difference(self, method: Against) -> dict[str, float | None]:
        """As fairlearn defines it."""
        found: dict[str, float | None] = {}
        for name, values in self.values().items():
            whole = self.overall[name]
            if len(values) < 2 or (method == "to_overall" and whole is None):
                found[name] = None
            elif method == "between_groups" or whole is None:
                found[name] = max(values) - min(values)
            else:
                found[name] = max(abs(value - whole) for value in values)
        return found

    def ratio(self, method: Against) -> dict[str, float | None]:
        """As fairlearn defines it, of metrics that are never negative."""
        found: dict[str, float | None] = {}
        for name, values in self.values().items():
            whole = self.overall[name]
            is_defined = len(values) > 1 and min(values) >= 0 and any(values)
            if not is_defined or (method == "to_overall" and not whole):
                found[name] = None
            elif method == "between_groups" or not whole:
                found[name] = min(values) / max(values)
            else:
                found[name] = min(min(v, whole) / max(v, whole) for v in values)
        return found


def audit(
    y_true: object,
    y_pred: object = None,
    *,
    sensitive_features: object,
    y_score: object = None,
    y_proba: object = None,
    sample_weight: object = None,
    pos_label: object = None,
    favourable: object = None,
    classes: Sequence[object] | None = None,
    metrics: Mapping[str, Metric] | None = None,
    **options: object,
) -> AuditReport:
    """Judges predictions or decisions, whoever made them, on each group. It is NOT PRIVATE.

    `sensitive_features` is a column or a table of columns, whose combinations are the groups.
    `y_proba` holds probabilities of the positive class or, with a column each, of all `classes`
    (by default those of `y_true`, sorted): a frame or a dictionary by the names of its columns, an
    array in the order of the classes. `y_score` holds a score that is no probability. `pos_label`
    is the positive one of two classes; it is known of true, yes and 1. `favourable` is the class
    that is good for a person, of which the four-fifths rule is. `metrics` are further
    functions of (y_true, y_pred), such as fairlearn's and scikit-learn's; with weights they are
    called with `sample_weight=`. `options` are those of `equinoise audit`, such as
    `max_disparity={"accuracy": 0.1}`, `min_ratio={"selection_rate": 0.8}` and
    `target_type="number"` for a regression. See docs/guide/audit-predictions.md.

    >>> from equinoise import audit
    >>> report = audit([1, 0, 1, 0], [1, 0, 0, 0], sensitive_features=["F", "F", "M", "M"])
    >>> report.difference()["accuracy"]
    0.5
    """
    from equinoise._inputs import refuse_other_order  # here, since its libraries take long to load

    refuse_foreign("audit", "audit", options)
    refuse_other_order(
        y_true=y_true,
        y_pred=y_pred,
        y_score=y_score,
        y_proba=y_proba,
        sample_weight=sample_weight,
        sensitive_features=sensitive_features,
    )
    features = _features(sensitive_features)
    table: dict[str, Array] = {"y_true": _column("y_true", y_true)}
    columns: dict[str, object] = {}
    for name, option, values in (
        ("y_pred", "prediction", y_pred),
        ("y_score", "score", y_score),
        ("sample_weight", "weight_column", sample_weight),
    ):
        if values is not None:
            table[name] = _column(name, values)
            columns[option] = name
    if y_pred is None and y_proba is None and y_score is None:
        raise UsageError("[audit] there is nothing to judge: give y_pred, y_proba or y_score")
    if y_proba is not None:
        columns |= _add_probabilities(table, y_proba, classes, pos_label)
    table |= features
    lengths = {name: len(values) for name, values in table.items()}
    if len(set(lengths.values())) > 1:
        raise UsageError(f"[audit] columns differ in length: {lengths}")
    with scratch_folder() as folder:
        out = Path(folder) / "audit"
        content = run(
            "audit",
            {
                "predictions": IN_MEMORY,
                "target": "y_true",
                **columns,
                "groups": ",".join(features),
                "positive": None if pos_label is None else text_of(pos_label),
                "favourable": None if favourable is None else text_of(favourable),
                "out": out,
                **options,
            },
            tables={IN_MEMORY: table | {n: _labels(table[n]) for n in _LABELS if n in table}},
        )
        page = page_of(out)
    own = _own_figures(metrics or {}, table, features, content)
    kinds = [kind_of(values) for values in (sensitive_features, y_true, y_pred)]
    kind = next((kind for kind in kinds if kind.backend), Kind())
    return AuditReport(content, page, kind, own)


def _features(data: object) -> dict[str, Array]:
    """Columns of groups as texts, by name; fairlearn's names for those that have none."""
    from equinoise._inputs import columns_of  # here, since its libraries take long to load

    named = columns_of(data, ())
    for name in named:
        if not name or "," in name or name in ("y_true", "y_pred", "y_score", "sample_weight"):
            raise UsageError(f"[audit] a sensitive feature cannot be named {name!r}: rename it")
    return {name: _texts(_column(name, values)) for name, values in named.items()}


def _add_probabilities(
    table: dict[str, Array], y_proba: object, classes: Sequence[object] | None, pos_label: object
) -> dict[str, object]:
    if classes is None:
        classes = sorted({one for one in table["y_true"].tolist() if not is_missing(one)})
    probabilities = floats("y_proba", _in_order_of(classes, y_proba))
    if probabilities.ndim == 1:
        _refuse_other_class(getattr(y_proba, "name", None), classes, pos_label)
        table["y_proba"] = probabilities
        return {"probability": "y_proba"}
    if probabilities.shape[1] != len(classes):
        raise UsageError(
            f"[audit] y_proba has {probabilities.shape[1]} columns for {len(classes)} classes: "
            "give classes="
        )
    if len(classes) == 2:
        table["y_proba"] = probabilities[:, _place_of_positive(classes, pos_label)]
        return {"probability": "y_proba"}
    names = {text_of(one): f"y_proba_{i}" for i, one in enumerate(classes)}
    table |= {name: probabilities[:, i] for i, name in enumerate(names.values())}
    return {"probabilities": names}


def _in_order_of(classes: Sequence[object], y_proba: object) -> object:
    """Probabilities whose columns have names, in the order of the classes; others as they are.

    Errors: UsageError where a column is called as no class, or a class has no column.
    """
    from equinoise._inputs import named_columns  # here, since its libraries take long to load

    named = named_columns(y_proba)
    if named is None:
        return y_proba
    columns = {text_of(name): column for name, column in named.items()}
    texts = [text_of(one) for one in classes]
    # Pandas numbers columns that have no names from 0 on.
    is_range = type(getattr(y_proba, "columns", None)).__name__ == "RangeIndex"
    if is_range and list(named) == list(range(len(named))) and set(columns) != set(texts):
        return y_proba
    advice = "name columns as classes, and give classes= where y_true lacks some"
    for name in columns:
        if name not in texts:
            raise UsageError(f"[audit] y_proba has a column {name!r}, which is no class: {advice}")
    if len(columns) < len(texts):
        raise UsageError(
            f"[audit] y_proba has columns of {len(columns)} of {len(texts)} classes: {advice}"
        )
    return np.column_stack([floats("y_proba", columns[text]) for text in texts])


def _refuse_other_class(name: object, classes: Sequence[object], pos_label: object) -> None:
    """Errors: UsageError for a series that is called as a class other than the positive one."""
    texts = [text_of(one) for one in classes]
    if not isinstance(name, str) or name not in texts or len(texts) != 2:
        return
    if name != texts[_place_of_positive(classes, pos_label)]:
        raise UsageError(
            f"[audit] y_proba is of class {name!r}, which is not the positive one; give the "
            "other one's, or pos_label="
        )


def _place_of_positive(classes: Sequence[object], pos_label: object) -> int:
    """Without a label the one that reads as true; the tool refuses where there is none."""
    if pos_label is None:
        is_positive = [text_of(one).lower() in TRUE for one in classes]
    else:
        is_positive = [text_of(one) == text_of(pos_label) for one in classes]
    if not any(is_positive) and pos_label is not None:
        raise UsageError("[audit] pos_label is none of the classes")
    return is_positive.index(True) if any(is_positive) else 1


def _own_figures(
    metrics: Mapping[str, Metric],
    table: Mapping[str, Array],
    features: Mapping[str, Array],
    report: Mapping[str, Any],
) -> OwnFigures:
    """Of the records that have an outcome; undefined where one of them has no prediction.

    Errors: UsageError where they are not the records of the report, as by other marks of missing
    values.
    """
    if not metrics:
        return OwnFigures({}, [{} for _ in report["groups"]])
    if "y_pred" not in table:
        raise UsageError("[audit] metrics need y_pred")
    counts = ~_missing(table["y_true"])
    if "sample_weight" in table:
        counts &= np.nan_to_num(floats("sample_weight", table["sample_weight"])) > 0

    def figures(of: Array, entry: Mapping[str, Any]) -> dict[str, float | None]:
        rows = of & counts
        if rows.sum() != entry["num_records"]:
            raise UsageError(
                "[audit] metrics need groups and outcomes as they stand in the columns: leave out "
                "the options that read them in another way, or metrics"
            )
        if not rows.any() or _missing(table["y_pred"][rows]).any():
            return dict.fromkeys(metrics)
        y_true, y_pred = _plain(table["y_true"][rows]), _plain(table["y_pred"][rows])
        weights = {n: table[n][rows] for n in ("sample_weight",) if n in table}
        values = {
            name: float(metric(y_true, y_pred, **weights)) for name, metric in metrics.items()
        }
        return {name: None if np.isnan(value) else value for name, value in values.items()}

    by_group = []
    for group in report["groups"]:
        of = np.ones(len(counts), dtype=bool)
        for name, value in group["group"].items():
            of &= np.where(_missing(features[name]), "missing", features[name]) == value
        by_group.append(figures(of, group))
    return OwnFigures(figures(np.ones(len(counts), dtype=bool), report["overall"]), by_group)


def _column(name: str, values: object) -> Array:
    """Texts as the tool reads them: without blanks around them, None for its marks of missing."""
    column = as_array(values)
    if column.ndim != 1:
        raise UsageError(f"[audit] {name} must have one dimension, got {column.ndim}")
    if column.dtype.kind not in "OU":
        return column
    stripped = [v.strip() if isinstance(v, str) else v for v in column.tolist()]
    if len({isinstance(v, str) for v in stripped if not is_missing(v)}) > 1:
        raise InputError(f"[audit] {name} holds texts and other values; make it one type")
    plain = np.empty(len(stripped), dtype=object)
    plain[:] = [None if is_missing(v) or v in ("", "?") else v for v in stripped]
    return plain


def _plain(values: Array) -> Array:
    """Without the type of objects, which metrics of other packages do not take."""
    return np.array(values.tolist()) if values.dtype == object else values


def _missing(values: Array) -> npt.NDArray[np.bool_]:
    if values.dtype == object:
        return np.array([is_missing(value) for value in values], dtype=bool)
    if values.dtype.kind == "f":
        return np.isnan(values)
    return np.zeros(len(values), dtype=bool)


def _labels(values: Array) -> Array:
    """Whole numbers that are floating-point ones because of gaps, as the texts of whole numbers."""
    if values.dtype.kind != "f" or (np.nan_to_num(values) % 1).any():
        return values
    return _texts(values)


def _texts(values: Array) -> Array:
    return np.array([None if is_missing(v) else text_of(v) for v in values.tolist()], dtype=object)


def _metrics(figures: Mapping[str, Any]) -> list[str]:
    """The metrics in overall figures or in those of a group: those that have intervals."""
    return [name for name in figures if f"{name}_interval" in figures]


def _unlike_total(name: str) -> str:
    """The name of a group, in quotes where the total has it, or has it in quotes."""
    return f'"{name}"' if name.strip('"').lower() == _TOTAL else name


def _groups_table(
    report: Mapping[str, Any], more: Sequence[Mapping[str, float | None]] = ()
) -> Table:
    """Figures of each group and overall. `more`: further ones, without intervals, for each."""
    entries = [*report["groups"], report["overall"]]
    names = [n for n in _metrics(report["overall"]) if report["overall"][n] is not None]
    header = ["group", "records", *(f"{name.replace('_', ' ')} [95 %]" for name in names)]
    rows = [
        [
            _unlike_total(group_name(entry["group"])) if "group" in entry else _TOTAL,
            cell(entry["num_records"]),
            *(f"{cell(entry[name])} {cell(entry[f'{name}_interval'])}" for name in names),
        ]
        for entry in entries
    ]
    if more:
        header += list(more[0])
        rows = [[*row, *map(cell, own.values())] for row, own in zip(rows, more, strict=True)]
    return Table("", header, rows)


def _figures(entry: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"num_records": entry["num_records"]}
    for name in _metrics(entry):
        found |= with_ends(name, entry[name], entry[f"{name}_interval"])
    return found


def _name(entry: Mapping[str, Any]) -> str:
    return f"{entry['metric']}:{entry['class']}" if "class" in entry else str(entry["metric"])
