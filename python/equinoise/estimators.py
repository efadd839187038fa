# SPDX-License-Identifier: Apache-2.0
"""Classifiers and regressions with privacy, as scikit-learn has estimators."""

import json
import os
import tempfile
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from equinoise import _core
from equinoise._command import run
from equinoise._declared import facts_of, features_in
from equinoise._inputs import Features, check_count, check_names, features_of, sensitive_columns
from equinoise._labels import class_labels
from equinoise._options import (
    Option,
    docstring_of,
    given,
    is_private,
    options_of,
    refuse_unknown,
    signature_of,
)
from equinoise._problem import Problem, PublicFacts
from equinoise._sklearn import BaseEstimator, ClassifierMixin, NotFittedError, RegressorMixin
from equinoise._training_reports import TrainingPlan, TrainingReport
from equinoise.errors import InputError, UsageError
from equinoise.frames import IN_MEMORY
from equinoise.progress import progress_of
from equinoise.reports import Report
from equinoise.schema import Schema

Array = npt.NDArray[Any]

# Options of `train` that a call from Python has no use for: data, folders and layouts of files.
_OPTIONS_OF_FILES = {
    *("json", "quiet", "config", "data", "labels", "out", "force", "dry_run", "constraint"),
    *("delimiter", "decimal_comma", "decimal_point", "header", "encoding", "na"),
}
_OWN = {
    "schema": "Schema, or the path of one: what is publicly known about the table. Without it "
    "bounds, categories and num_records declare that",
    "ledger": "Ledger, or its path: pays for every fit",
    "groups": 'columns whose intersections are the groups: "sex,race" or a list; a list of lists '
    "for several groupings. fit takes them from sensitive_features where they are not given",
    "constraints": "list of constraints as TYPE:ATTRIBUTES:SLACK, demographic_parity:sex:0.05, "
    "or of rates, fnr:0.1; or the path of a TOML or JSON file of constraints",
    "bounds": "without a schema: the public range of numeric columns, (low, high) for all of them "
    "or {column: (low, high)}, by name or position. Numbers outside become the nearest bound; a "
    "missing one drops its record",
    "categories": "without a schema: the public values of categorical columns, {column: [...]}",
    "classes": "without a schema: the public classes; of public data by default those of y",
    "target_bounds": "without a schema: the public range of the target, (low, high)",
    "num_records": 'the public number of records; "table": that of every table given to fit is '
    "public, as in cross-validation, which fits on parts of a table. Of public data by default "
    "that of X",
    "target": "without a schema: name of the target [that of y, else target]",
    "dataset": "without a schema: name of the ledger's account; needed where a fit is paid",
    "public_data": "the table itself is public, so that an unreviewed schema will do and classes "
    "and sizes may be those of the table, bounds never; what is made is NOT PRIVATE",
    "verbose": "whether to show progress [on a terminal and in a notebook]",
}
_FIRST = (
    *("epsilon", "delta", "schema", "ledger", "groups", "constraints", "model", "bounds"),
    *("categories", "classes", "target_bounds", "num_records", "target", "dataset", "public_data"),
)
_PRIVATE_FILES = ("report.json", "report.html")
_FILES = ("model.json", "model_card.json", "model_card.md", "run.toml", *_PRIVATE_FILES)


class PaidFitWarning(UserWarning):
    """A fit that is one of several is paid for; as an error it stops the fit before it spends."""


@dataclass(frozen=True)
class Guarantee:
    """What a model promises to the people it was trained on; None where it promises nothing."""

    status: str
    epsilon: float | None
    delta: float | None
    relation: str | None
    accountant: str | None
    unit: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """What classifiers and regressions share. Parameters are those of `equinoise train`."""

    _task_parameter: ClassVar[str]

    _files: dict[str, bytes]
    n_features_in_: int

    @classmethod
    def _parameters(cls) -> list[Option]:
        """Parameters but the method, in the order of the signature."""
        other = {"classes", "target_bounds"} - {cls._task_parameter}
        options = {k: o for k, o in options_of("train").items() if k not in _OPTIONS_OF_FILES}
        own = {name: Option(name, text, "object") for name, text in _OWN.items()}
        options = {**options, **own}
        ordered = [*_FIRST, *(name for name in options if name not in _FIRST)]
        return [options[name] for name in ordered if name not in other and name != "method"]

    def _set_parameters(self, method: str, options: Mapping[str, Any]) -> None:
        names = self._get_param_names()
        refuse_unknown(type(self).__name__, options, names)
        for name in names:
            setattr(self, name, method if name == "method" else options.get(name))

    def set_params(self, **params: Any) -> Self:
        """Sets parameters by name and returns the estimator."""
        own = [name for name in params if "__" not in name]
        refuse_unknown(type(self).__name__, own, self._get_param_names())
        super().set_params(**params)
        return self

    def plan(
        self, X: object = None, y: object = None, sensitive_features: object = None
    ) -> TrainingPlan:
        """What a fit will cost and how noisy it will be, from public facts alone.

        Nothing is read or spent. X is needed only where the facts are declared without names of
        columns or, of public data, without classes and num_records.
        """
        problem = self._facts().problem(
            None if X is None else features_of(X), y, sensitive_features
        )
        with tempfile.TemporaryDirectory() as folder:
            report = TrainingPlan(run("plan", self._options("plan", problem, folder)))
        report.title = f"Plan of {report['method']} for {report['dataset']}"
        return report

    def fit(self, X: object, y: object = None, sensitive_features: object = None) -> Self:
        """Trains a model, which is paid for from the ledger before anything is drawn.

        X : frame of pandas, polars, pyarrow or DuckDB, dictionary of columns, or array. With a
            schema, columns are known by name, those of an array are the schema's features in its
            order, and X may hold the target and group columns, too.
        y : the target; None where X has the column that the schema calls the target. A missing
            label is an error here, and in a column of X what the schema says. A label that is not
            among the classes drops its record.
        sensitive_features : columns of X by name, or arrays, series or a frame, by which groups are
            told apart; they need not be features. They are the groups where `groups` is not given.
        """
        facts = self._facts()
        problem = facts.problem(features_of(X), y, sensitive_features)
        if facts.pays and self.__dict__.get("_may_repeat"):
            warnings.warn(
                "every fit is paid for: this estimator is a clone, as searches and "
                "cross-validation make them, or was fitted before, and each of its fits spends "
                "from the ledger again",
                PaidFitWarning,
                stacklevel=2,
            )
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "model")
            options = {**self._options("train", problem, folder), "data": IN_MEMORY, "out": out}
            run(
                "train",
                options,
                tables={IN_MEMORY: problem.table},
                progress=progress_of(self.verbose),
            )
            files = {p.name: p.read_bytes() for p in out.iterdir() if p.name in _FILES}
        here = f"{folder}{os.sep}".encode()
        self._files = {name: data.replace(here, b"") for name, data in files.items()}
        self._may_repeat = facts.pays or self.__dict__.get("_may_repeat", False)
        self._exact = problem.exact
        self._features = problem.features
        self._set_fitted(problem.features if problem.named else None, problem.labels)
        return self

    @property
    def report_(self) -> TrainingReport:
        """The fenced report with exact figures of held-out records, NOT PRIVATE: `report.json`."""
        page = self._files.get("report.html", b"").decode() if self._is_fitted() else ""
        report = TrainingReport(self._json("report.json"), page)
        report.title = f"{report['method']} for {report['target']} of {report['dataset']}"
        return report

    @property
    def model_card_(self) -> Report:
        """The model card, publishable of a private run: `model_card.json`."""
        card = Report(self._json("model_card.json"))
        card.title = f"Model card of {card['target']} of {card['dataset']}"
        return card

    @property
    def privacy_(self) -> Guarantee:
        """The guarantee."""
        card = self.model_card_
        privacy = card["privacy"] or {}
        return Guarantee(
            card["status"],
            privacy.get("epsilon"),
            privacy.get("delta"),
            privacy.get("relation"),
            privacy.get("accountant"),
            card["unit"],
            tuple(card["privacy_in_words"] or card["alarms"] or [f"{card['method']}: NOT PRIVATE"]),
        )

    @property
    def groups_(self) -> dict[str, list[Any]]:
        """Figures of each group on held-out records as columns of a frame, NOT PRIVATE.

        None: undefined, as a rate of nobody.
        """
        rows = [
            {**row["group"], **{k: v for k, v in row.items() if k not in ("group", "privacy")}}
            for row in self.report_["groups"]
        ]
        columns = {name: None for row in rows for name in row}
        return {name: [row.get(name) for row in rows] for name in columns}

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the files that `equinoise train --out FOLDER` does; the reports for you alone.

        Errors: UsageError where the folder holds a model and force is not given.
        """
        self._check_fitted()
        path = Path(folder)
        if (path / "model.json").exists() and not force:
            raise UsageError(f"[save] {path} holds a model; give force=True to replace it")
        path.mkdir(parents=True, exist_ok=True)
        for name, data in self._files.items():
            mode = 0o600 if name in _PRIVATE_FILES else 0o666
            (path / name).unlink(missing_ok=True)
            with open(os.open(path / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as f:
                f.write(data)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """A model from what `save` or `equinoise train --out` wrote.

        Its parameters are those of the run, its schema that of the model. Classes are truth values
        of a boolean target, whole numbers where all of them are, else texts.
        """
        path = Path(folder)
        if not (path / "model.json").exists():
            raise InputError(f"[load] {path}: no model.json, which equinoise train writes")
        files = {n: (path / n).read_bytes() for n in _FILES if (path / n).exists()}
        model = json.loads(files["model.json"])
        if bool(model.get("classes")) != (cls._task_parameter == "classes"):
            raise UsageError(f"[load] {path} holds no model of {cls.__name__}")
        settings = tomllib.loads(files.get("run.toml", b"").decode())
        names = set(cls._get_param_names()) - set(_OWN) | {"groups", "public_data"}
        known = {name: value for name, value in settings.items() if name in names}
        estimator = cls(
            **{**known, "method": model["method"], "schema": Schema(model["table_schema"])}
        )
        facts = facts_of(model["table_schema"])
        estimator._files = files
        estimator._exact = False
        estimator._features = features_in(facts, model["target"])
        of_array = estimator._features == [f"x{i}" for i in range(len(estimator._features))]
        estimator._set_fitted(None if of_array else estimator._features, None)
        return estimator

    def _json(self, name: str) -> dict[str, Any]:
        self._check_fitted()
        if name not in self._files:
            raise AttributeError(f"the model came without {name}")
        content: dict[str, Any] = json.loads(self._files[name])
        return content

    def _is_fitted(self) -> bool:
        return "_files" in self.__dict__

    def _check_fitted(self) -> None:
        if not self._is_fitted():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )

    def _set_fitted(self, names: list[str] | None, labels: Array | None) -> None:
        """Sets what a fitted estimator tells. `names`: of features that have some."""
        self.n_features_in_ = len(self._features)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        else:
            self.__dict__.pop("feature_names_in_", None)

    def _options(self, command: str, problem: Problem, folder: str) -> dict[str, object]:
        """Options of the tool; a schema that has no file gets one in the folder."""
        options = self.get_params(deep=False)
        schema = problem.schema
        if "\n" in schema:
            schema = str(Path(folder, "schema.toml"))
            Path(schema).write_text(problem.schema, encoding="utf-8")
        constraints = options.pop("constraints")
        if isinstance(constraints, str) and not constraints.endswith((".toml", ".json")):
            constraints = [constraints]
        if isinstance(constraints, (list, tuple)):
            options["constraint"] = [(one,) for one in constraints]
        else:
            options["constraints"] = constraints
        groups = options["groups"]
        options.update(num_records=None, target=None, dataset=None, **problem.options)
        options.update(
            schema=schema,
            ledger=getattr(self.ledger, "path", self.ledger),
            groups=problem.groups or None if groups is None else groups,
        )
        return given(command, options)

    def _facts(self) -> PublicFacts:
        """The public facts among the parameters."""
        return PublicFacts(
            type(self).__name__,
            self._task_parameter == "classes",
            is_private("train", self.method) and not self.insecure_test_rng,
            self.schema,
            self.bounds,
            self.categories,
            getattr(self, self._task_parameter),
            self.num_records,
            self.target,
            self.dataset,
            self.public_data,
            self.groups,
        )

    def _predictions(self, X: object, sensitive: object) -> tuple[Mapping[str, Any], list[str]]:
        """Columns of predictions, and the names of those of probabilities."""
        self._check_fitted()
        features = self._renamed(features_of(X))
        columns = sensitive_columns(sensitive, features, self._facts().group_names())[1]
        model = json.loads(self._files["model.json"])
        probabilities = [f"probability of {name}" for name in model.get("classes") or []]
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder, "model.json"), Path(folder, "predictions.csv")
            path.write_bytes(self._files["model.json"])
            run(
                "predict",
                {"model": path, "data": IN_MEMORY, "out": out},
                tables={IN_MEMORY: features.with_columns(columns)},
            )
            numbers = probabilities or ["prediction"]
            return _core.read_columns(str(out), numbers), probabilities

    def _renamed(self, features: Features) -> Features:
        """The features of a table to predict under the names of `fit`."""
        owner = type(self).__name__
        known = self.__dict__.get("feature_names_in_")
        if known is None and features.named and self._exact:
            warnings.warn(
                f"X has feature names, but {owner} was fitted without feature names",
                UserWarning,
                stacklevel=4,
            )
        if features.named and known is not None:
            if self._exact:
                check_names(list(known), features, owner)
            return features
        if features.named and not self._exact:
            return features
        if known is not None:
            warnings.warn(
                f"X does not have valid feature names, but {owner} was fitted with feature names",
                UserWarning,
                stacklevel=4,
            )
        check_count(self.n_features_in_, features, owner)
        return features.renamed(self._features)

    def __getstate__(self) -> dict[str, Any]:
        parent = getattr(super(), "__getstate__", None)
        state: dict[str, Any] = dict(parent() if parent is not None else self.__dict__)
        state["ledger"] = getattr(self.ledger, "path", self.ledger)  # a handle stays here
        return state

    def __sklearn_clone__(self) -> Self:
        clone: Self = super().__sklearn_clone__()
        clone._may_repeat = True
        return clone

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # by the schema's rules
        tags.non_deterministic = self.seed is None
        return tags


class EquinoiseClassifier(ClassifierMixin, _Estimator):  # type: ignore[misc]
    __doc__ = ""  # from the declarations, below
    _task_parameter = "classes"

    classes_: Array

    def __init__(self, method: str = "dpsgd", **options: Any) -> None:
        self._set_parameters(method, options)

    def predict(self, X: object, *, sensitive_features: object = None) -> Array:
        """The most probable class of each record, in the type of the y of `fit`.

        sensitive_features : as of `fit`, where the model is one for each group.

        Errors: InputError where the schema drops a cell of a record, which then has no prediction;
        `predict_proba` gives NaN for it.
        """
        predictions, _ = self._predictions(X, sensitive_features)
        names = predictions["prediction"]
        missing = sum(name is None for name in names)
        if missing:
            raise InputError(
                f"[predict] {missing} of {len(names)} records have no prediction, since the schema "
                "drops a cell of theirs; leave them out, or use predict_proba, which has NaN there"
            )
        place = {name: i for i, name in enumerate(self._names)}
        classes: Array = self._labels[np.array([place[name] for name in names], dtype=int)]
        return classes

    def predict_proba(self, X: object, *, sensitive_features: object = None) -> Array:
        """The probability of each class, in the order of `classes_`.

        NaN: a record without a prediction, of which the schema drops a cell.
        """
        predictions, columns = self._predictions(X, sensitive_features)
        if self._model_kind == "hinge":
            raise UsageError("[predict_proba] a hinge model has no probabilities")
        table = np.column_stack([predictions[name] for name in columns])
        return table[:, self._order]

    def decision_function(self, X: object, *, sensitive_features: object = None) -> Array:
        """The log odds of `classes_[1]` with two classes, else the log probability of each class.

        NaN: a record without a prediction.
        """
        with np.errstate(divide="ignore"):
            logs = np.log(self.predict_proba(X, sensitive_features=sensitive_features))
        logs = np.maximum(logs, np.log(np.finfo(float).tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def _set_fitted(self, names: list[str] | None, labels: Array | None) -> None:
        super()._set_fitted(names, labels)
        model = json.loads(self._files["model.json"])
        column = facts_of(model["table_schema"])["columns"].get(model["target"], {})
        self._names: list[str] = model["classes"]
        self._model_kind: str = model["model"]
        self._labels = class_labels(self._names, column, labels)
        self._order = np.argsort(self._labels, kind="stable")
        self.classes_ = self._labels[self._order]


class EquinoiseRegressor(RegressorMixin, _Estimator):  # type: ignore[misc]
    __doc__ = ""  # from the declarations, below
    _task_parameter = "target_bounds"

    def __init__(self, method: str = "dpsgd", **options: Any) -> None:
        self._set_parameters(method, options)

    def predict(self, X: object, *, sensitive_features: object = None) -> Array:
        """The target of each record, within the public bounds.

        NaN: a record without a prediction, of which the schema drops a cell.
        """
        return np.asarray(self._predictions(X, sensitive_features)[0]["prediction"])


_FIGURES = """

    Fitted attributes: classes_ (of a classifier, sorted), n_features_in_, feature_names_in_,
    privacy_ (the guarantee), groups_ and report_ (exact figures, NOT PRIVATE), model_card_.

    Every fit with a private method is paid from the ledger, those of clones in searches and
    cross-validation, too; a PaidFitWarning says so. Only with insecure_test_rng=True and a seed
    is a fit reproducible, and then it is NOT PRIVATE.
    """

for _class, _head in (
    (EquinoiseClassifier, "A classifier with differential privacy and figures of each group."),
    (EquinoiseRegressor, "A regression with differential privacy and figures of each group."),
):
    _declared = _class._parameters()
    _init: Any = _class.__init__
    _init.__signature__ = signature_of("method=dpsgd", [option.name for option in _declared])
    _method = Option("method", "Training method (see equinoise methods)", "TEXT", "dpsgd")
    _class.__doc__ = docstring_of(_head + _FIGURES, [_method, *_declared])
