# SPDX-License-Identifier: Apache-2.0
"""Classifiers and regressions with privacy, as scikit-learn has estimators."""

import json
import os
import tomllib
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from equinoise import _core
from equinoise._command import run, run_into
from equinoise._declared import facts_of, features_in
from equinoise._inputs import (
    Features,
    check_count,
    check_names,
    features_of,
    refuse_other_order,
    sensitive_columns,
)
from equinoise._labels import class_labels
from equinoise._options import given, is_private, refuse_unknown
from equinoise._parameters import with_parameters
from equinoise._problem import Problem, PublicFacts
from equinoise._scratch import DECLARED_FILE, SCHEMA_FILE, in_files, scratch_folder
from equinoise._sklearn import BaseEstimator, ClassifierMixin, NotFittedError, RegressorMixin
from equinoise._training_reports import TrainingPlan, TrainingReport
from equinoise.errors import InputError, PaidFitWarning, UsageError
from equinoise.frames import IN_MEMORY, in_kind, kind_of
from equinoise.guarantee import Guarantee
from equinoise.progress import progress_of
from equinoise.reports import Report
from equinoise.schema import Schema, without_comments

Array = npt.NDArray[Any]

_PRIVATE_FILES = ("report.json", "report.html")
_FILES = (
    *("model.json", "model_card.html", "model_card.json", "model_card.md", "run.toml", SCHEMA_FILE),
    *_PRIVATE_FILES,
)


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """What classifiers and regressions share. Parameters are those of `equinoise train`."""

    _task_parameter: ClassVar[str]

    _files: dict[str, bytes]
    n_features_in_: int

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
        table = None if X is None else features_of(X)
        problem = self._facts().problem(table, y, sensitive_features)
        with scratch_folder() as folder:
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

        Rows belong together by their places. Errors: ValueError where indexes of pandas say
        otherwise: two with the same labels in another order, or with other ones where neither just
        numbers the rows.
        """
        facts = self._facts()
        refuse_other_order(X=X, y=y, sensitive_features=sensitive_features)
        problem = facts.problem(features_of(X), y, sensitive_features)
        if facts.pays and self.__dict__.get("_may_repeat"):
            warnings.warn(
                "every fit is paid for: this estimator is a clone, as searches and "
                "cross-validation make them, or was fitted before, and each of its fits spends "
                "from the ledger again. Choosing among them by exact scores is not paid for, and "
                "the guarantee does not cover it: see docs/python/around-estimators.md",
                PaidFitWarning,
                stacklevel=2,
            )
        with scratch_folder() as folder:
            out = Path(folder, "model")
            return run_into(
                out,
                lambda _: self._keep(problem, out),
                "train",
                {**self._options("train", problem, folder), "data": IN_MEMORY},
                tables={IN_MEMORY: problem.table},
                progress=progress_of(self.verbose),
            )

    def _keep(self, problem: Problem, out: Path) -> Self:
        """Takes what a run wrote into `out`, and its schema where that has no file of its own."""
        files = {p.name: in_files(p.read_bytes()) for p in out.iterdir() if p.name in _FILES}
        if "\n" in problem.schema:
            files[SCHEMA_FILE] = without_comments(problem.schema).encode()
        self._files = files
        self._may_repeat = self._facts().pays or self.__dict__.get("_may_repeat", False)
        self._exact = problem.exact
        self._features = problem.features
        self._set_fitted(problem.features if problem.named else None, problem.labels)
        return self

    @property
    def report_(self) -> TrainingReport:
        """The fenced report with exact figures of held-out records, NOT PRIVATE: `report.json`.

        Pickles and copies have none: `load` reads it from the folder that the owner saved.
        """
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
        sentences = card["privacy_in_words"] or card["alarms"] or [f"{card['method']}: NOT PRIVATE"]
        return Guarantee.of(card["status"], card["privacy"], card["unit"], sentences)

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

    def explain(
        self, X: object = None, *, reasons: int = 3, sensitive_features: object = None
    ) -> Any:
        """Terms of an additive model (`dpgam`). Or reasons for X, of a linear or an additive one.

        Without X, columns of a frame with a row for each part of a column, the columns that add
        most first; publishable of a private run:

        column, part : a category or an interval of numbers.
        share : of people, by the released histogram; of a pair the product of its columns' shares.
        contribution : the mean over the part, as a difference to the mean record: log odds of the
            second class of the schema, units of a numeric target, or the score of a class.
        class : only with more than two classes; each part has a row for each.

        With X, a table of its kind, NOT PRIVATE: the prediction of each record and the values that
        speak most for it, as many as `reasons`, each with its contribution. None: no further one.

        Errors: UsageError without X for a model without histograms; with X for a network.
        """
        if X is None:
            return self._terms()
        columns, _ = self._predictions(X, sensitive_features, reasons)
        names = ("prediction", *(f"reason {k + 1}" for k in range(reasons)))
        return in_kind(kind_of(X), {name: columns[name] for name in names})

    def _terms(self) -> dict[str, list[Any]]:
        """The terms on the card, a row for each part and score."""
        card = self.model_card_
        if "terms" not in card:
            raise UsageError(
                f"[explain] {card['method']} releases no terms; train with method='dpgam', whose "
                "model is a sum over columns"
            )
        classes = card["classes"] if len(card["classes"]) > 2 else [None]
        rows = [
            {
                "column": ", ".join(term["columns"]),
                "part": ", ".join(part["values"]),
                **({"class": name} if name is not None else {}),
                "share": part["share"],
                "contribution": contribution,
            }
            for term in card["terms"]
            for part in term["parts"]
            for name, contribution in zip(classes, part["contributions"], strict=True)
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the files that `equinoise train --out FOLDER` does; the reports for you alone.

        A schema that was not given as a path is saved beside them, as schema.toml, without its
        comments. In that folder `equinoise train --config run.toml --data FILE --out FOLDER`
        repeats the run.

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

        Its parameters are those of the run, its schema is schema.toml or else that of the model.
        Classes are truth values of a boolean target, whole numbers where all of them are, else
        texts.
        """
        path = Path(folder)
        if not (path / "model.json").exists():
            raise InputError(f"[load] {path}: no model.json, which equinoise train writes")
        files = {n: (path / n).read_bytes() for n in _FILES if (path / n).exists()}
        model = json.loads(files["model.json"])
        if bool(model.get("classes")) != (cls._task_parameter == "classes"):
            raise UsageError(f"[load] {path} holds no model of {cls.__name__}")
        settings = _parameters_in(files.get("run.toml", b"").decode())
        known = {k: v for k, v in settings.items() if k in cls._get_param_names()}
        schema = model["table_schema"]
        if SCHEMA_FILE in files:
            schema = without_comments(files[SCHEMA_FILE].decode())
            files[SCHEMA_FILE] = schema.encode()
        known.update(method=model["method"], schema=Schema(schema))
        estimator = cls(**known)
        facts = facts_of(model["table_schema"])
        estimator._files = files
        estimator._exact = False
        estimator._may_repeat = model["status"] == "private"
        estimator._features = features_in(facts, model["target"])
        of_array = estimator._features == [f"x{i}" for i in range(len(estimator._features))]
        estimator._set_fitted(None if of_array else estimator._features, None)
        return estimator

    def _json(self, name: str) -> dict[str, Any]:
        self._check_fitted()
        if name not in self._files:
            raise AttributeError(
                f"the model came without {name}, which pickles and copies leave out: it is where "
                f"the owner saved the model; {type(self).__name__}.load(folder) reads it there"
            )
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
            name = DECLARED_FILE if self.schema is None else SCHEMA_FILE
            schema = str(Path(folder, name))
            Path(schema).write_text(problem.schema, encoding="utf-8")
        constraints = options.pop("constraints")
        if isinstance(constraints, str) and not constraints.endswith((".toml", ".json")):
            constraints = [constraints]
        if isinstance(constraints, (list, tuple)):
            options["constraint"] = [(one,) for one in constraints]
        else:
            options["constraints"] = constraints
        groups = options["groups"]
        options.update(num_records=None, unit=None, target=None, dataset=None, **problem.options)
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
            is_private("train", self.method) and not (self.insecure_test_rng or self.resume),
            self.schema,
            self.bounds,
            self.categories,
            getattr(self, self._task_parameter),
            self.num_records,
            self.unit,
            self.target,
            self.dataset,
            self.public_data,
            self.groups,
            self.constraints,
        )

    def _predictions(
        self, X: object, sensitive: object, reasons: int = 0
    ) -> tuple[Mapping[str, Any], list[str]]:
        """Columns of predictions, and the names of those of probabilities."""
        self._check_fitted()
        refuse_other_order(X=X, sensitive_features=sensitive)
        features = self._renamed(features_of(X))
        columns = sensitive_columns(sensitive, features, self._facts().group_names())[1]
        model = json.loads(self._files["model.json"])
        probabilities = [f"probability of {name}" for name in model.get("classes") or []]
        with scratch_folder() as folder:
            path, out = Path(folder, "model.json"), Path(folder, "predictions.csv")
            path.write_bytes(self._files["model.json"])
            run(
                "predict",
                {"model": path, "data": IN_MEMORY, "out": out, "reasons": reasons or None},
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
                check_names(known, features)
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
        """What pickles and copies hold: nothing but what may be published of a private run."""
        parent = getattr(super(), "__getstate__", None)
        state: dict[str, Any] = dict(parent() if parent is not None else self.__dict__)
        state["ledger"] = getattr(self.ledger, "path", self.ledger)  # a handle stays here
        if self.public_data and isinstance(self.schema, Schema):
            state["schema"] = self.schema._of_public_data()
        if self._is_fitted():
            state["_files"] = {n: f for n, f in self._files.items() if n not in _PRIVATE_FILES}
        return state

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """The attributes that notebooks show, without those that must not be published."""
        shown = super()._get_fitted_attr_html(doc_link)
        for name in ("groups_", "report_"):
            shown.pop(name, None)
        return shown

    def __sklearn_clone__(self) -> Self:
        clone: Self = super().__sklearn_clone__()
        clone._may_repeat = True
        return clone

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # by the schema's rules
        tags.non_deterministic = self.seed is None
        return tags


@with_parameters("A classifier with differential privacy and figures of each group.")
class EquinoiseClassifier(ClassifierMixin, _Estimator):  # type: ignore[misc]
    _task_parameter = "classes"

    classes_: Array

    def __init__(self, method: str = "auto", **options: Any) -> None:
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


@with_parameters("A regression with differential privacy and figures of each group.")
class EquinoiseRegressor(RegressorMixin, _Estimator):  # type: ignore[misc]
    _task_parameter = "target_bounds"

    def __init__(self, method: str = "auto", **options: Any) -> None:
        self._set_parameters(method, options)

    def predict(self, X: object, *, sensitive_features: object = None) -> Array:
        """The target of each record, within the public bounds.

        NaN: a record without a prediction, of which the schema drops a cell.
        """
        return np.asarray(self._predictions(X, sensitive_features)[0]["prediction"])


def _parameters_in(run_file: str) -> dict[str, Any]:
    """The options of a run file as parameters."""
    settings = tomllib.loads(run_file)
    lines = settings.pop("constraint", None)
    # A list of texts is an option that was repeated.
    repeated = {
        name: [[one] for one in value]
        for name, value in settings.items()
        if isinstance(value, list) and all(isinstance(one, str) for one in value)
    }
    return {**settings, **repeated, **({"constraints": lines} if lines else {})}
