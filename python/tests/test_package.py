# SPDX-License-Identifier: Apache-2.0
"""The package as a whole."""

import copy
import pickle
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import equinoise
from equinoise import (
    EquinoiseClassifier,
    EquinoiseRegressor,
    Ledger,
    Schema,
    Synthesizer,
    _tool,
    account,
    audit,
    compare,
    means,
    tables,
)
from equinoise.guarantee import Guarantee
from equinoise.reports import Report

SLOW = ("equinoise._core", "narwhals", "pandas", "polars", "pyarrow", "sklearn", "duckdb")


def test_what_is_exported_is_there() -> None:
    for name in equinoise.__all__:
        assert getattr(equinoise, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        equinoise.nothing  # noqa: B018


def test_the_version_is_that_of_the_tool() -> None:
    found = subprocess.run([_tool.path(), "--version"], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["equinoise", equinoise.__version__]


def test_functions_hide_their_modules() -> None:
    import equinoise.audit
    import equinoise.compare
    import equinoise.means

    assert callable(equinoise.audit)
    assert callable(equinoise.compare)
    assert callable(equinoise.means)


def test_importing_it_imports_nothing_slow() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "import equinoise, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not set(SLOW) & set(found)


# What leaves the process

_STEPS: dict[str, Any] = {"epsilon": 1, "delta": 1e-4, "steps": 20, "verbose": False}


def _clinic() -> pd.DataFrame:
    """613 identifiers that repeat, towns that occur once, gaps: a draft says so in its comments."""
    rng = np.random.default_rng(0)
    towns = np.where(np.arange(997) < 23, [f"town {i}" for i in range(997)], "a")
    age = np.where(np.arange(997) < 211, np.nan, rng.integers(18, 80, 997))
    ids = [f"p{i % 613:04d}" for i in range(997)]
    ill = rng.choice(["no", "yes"], 997)
    return pd.DataFrame({"pid": ids, "age": age, "town": towns, "ill": ill})


def _objects(folder: Path) -> Iterator[object]:
    """One object at least of each class, after a drafted schema and paid fits."""
    clinic = _clinic()
    draft = Schema.draft(clinic, target="ill", dataset="clinic")
    yield draft
    schema = Schema(draft.text).mark_reviewed(unit="row")
    ledger = Ledger(folder / "ledger").open("clinic", epsilon=30, delta=1e-3)
    paid: dict[str, Any] = {"schema": schema, "ledger": ledger}
    classifier = EquinoiseClassifier(**_STEPS, **paid, groups="town").fit(clinic)
    classifier.save(folder / "classifier")
    (folder / "classifier/schema.toml").unlink()
    reviewed = draft.text.replace("reviewed = false", "reviewed = true")
    by_hand = Schema(reviewed.replace('unit = ""', 'unit = "row"'))
    by_hand.save(folder / "classifier/schema.toml")
    facts: dict[str, Any] = {"bounds": (0, 1), "target_bounds": (0, 1), "num_records": 40}
    X = np.linspace(0, 1, 40).reshape(-1, 1)
    regressor = EquinoiseRegressor(**_STEPS, **facts, ledger=ledger, dataset="clinic").fit(
        X, X[:, 0]
    )
    rows = Synthesizer("mst", epsilon=1, delta=1e-4, **paid).fit(clinic)
    rows.save(folder / "rows")
    yield from (schema, ledger, ledger.show(), ledger.verify(), schema.check(clinic))
    yield from (classifier, classifier.report_, classifier.model_card_, classifier.privacy_)
    yield from (EquinoiseClassifier.load(folder / "classifier"), classifier.plan(), regressor)
    yield from (rows, rows.report_, rows.card_, rows.plan(), Synthesizer.load(folder / "rows"))
    yield from (rows.estimate(share={"town": "a"}), rows.evaluate(clinic, degree=1))
    yield means(clinic, "age", epsilon=1, delta=1e-4, **paid)
    yield tables(clinic, count=True, mean="age", epsilon=1, delta=1e-4, **paid)
    yield audit(clinic["ill"], classifier.predict(clinic), sensitive_features=clinic["town"])
    yield compare(clinic, methods="dpsgd", seeds=1, schema=schema, **_STEPS)
    yield account.compare(gaussian=2)


def _classes(parent: type) -> Iterator[type]:
    for child in parent.__subclasses__():
        if child.__module__.startswith("equinoise.") and not child.__name__.startswith("_"):
            yield from (child, *_classes(child))


def _held(value: object) -> Iterator[bytes]:
    """The bytes of everything that an object holds."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, (list, tuple, np.ndarray)):
        for one in value:
            yield from _held(one)
    elif isinstance(value, bytes):
        yield value
    else:
        yield str(value).encode()
        yield from _held(getattr(value, "__dict__", []))


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    folder = tmp_path_factory.mktemp("clinic")
    return folder, list(_objects(folder))


def _secrets(objects: list[Any]) -> list[bytes]:
    """What the draft has learnt, and exact figures of held-out records."""
    draft = objects[0]
    report = next(one for one in objects if isinstance(one, EquinoiseClassifier)).report_
    comments = re.findall(r"# *(.*?[0-9].*)", draft.text)
    assert any("613 distinct" in comment for comment in comments)
    assert any("left out: 23" in comment for comment in comments)
    rows = [report["overall"], *report["groups"]]
    exact = [row[name] for row in rows for name in row if f"{name}_interval" in row]
    figures = [one for one in exact if isinstance(one, float) and len(repr(one)) > 8]
    assert figures
    return [
        *(comment.encode() for comment in comments),
        *(repr(figure).encode() for figure in figures),
        *(struct.pack(order, figure) for figure in figures for order in ("<d", ">d")),
    ]


def _assert_none(secrets: list[bytes], data: bytes, what: object) -> None:
    assert not [secret for secret in secrets if secret in data], what


def test_every_class_is_among_them(released: tuple[Path, list[Any]]) -> None:
    exported = {getattr(equinoise, name) for name in equinoise.__all__}
    classes = {one for one in exported if isinstance(one, type) and not issubclass(one, Exception)}
    classes |= {Guarantee, Report, *_classes(Report)} - {equinoise.reports.PagedReport}
    assert classes <= {type(one) for one in released[1]}


def test_nothing_confidential_leaves_in_pickles_and_copies(
    released: tuple[Path, list[Any]], tmp_path: Path
) -> None:
    folder, objects = released
    secrets = _secrets(objects)
    refused = set()
    for one in objects:
        try:
            data = pickle.dumps(one)
        except TypeError as error:
            assert re.search("not pickled", str(error))
            refused.add(type(one).__name__)
            if not isinstance(one, (Ledger, Schema)):
                with pytest.raises(TypeError):
                    copy.deepcopy(one)
                assert isinstance(one, Synthesizer) or "NOT PRIVATE" in one.notice
            if isinstance(one, Schema):
                for copied in (copy.copy(one), copy.deepcopy(one)):
                    _assert_none(secrets, b"\n".join(_held(copied)), one)
            continue
        _assert_none(secrets, data, one)
        joblib.dump(one, tmp_path / "dumped", compress=("zlib", 3))
        _assert_none(secrets, zlib.decompress((tmp_path / "dumped").read_bytes()), one)
        for copied in (pickle.loads(data), copy.copy(one), copy.deepcopy(one)):
            _assert_none(secrets, b"\n".join(_held(copied)), one)
    exact = {"AuditReport", "CompareReport", "EvaluationReport", "SynthReport", "TrainingReport"}
    assert refused == {*exact, "Ledger", "Report", "Schema", "Synthesizer"}


def test_nothing_confidential_is_printed_without_a_notice(
    released: tuple[Path, list[Any]],
) -> None:
    secrets = _secrets(released[1])
    for one in released[1][1:]:  # a draft is shown for review
        shown = one._repr_html_() if hasattr(one, "_repr_html_") else ""
        for text in (repr(one), str(one), shown):
            if "NOT PRIVATE" not in text:
                _assert_none(secrets, text.encode(), one)


def test_nothing_confidential_is_saved_for_others(released: tuple[Path, list[Any]]) -> None:
    folder, objects = released
    secrets = _secrets(objects)
    for i, one in enumerate(objects):
        if isinstance(one, Schema):
            one.save(folder / f"schema{i}.toml")
        if hasattr(one, "save_html"):
            one.save_html(folder / f"page{i}.html")
        if isinstance(one, EquinoiseClassifier):
            pickle.loads(pickle.dumps(one)).save(folder / f"unpickled{i}")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        if path.stat().st_mode & 0o077:
            _assert_none(secrets, path.read_bytes(), path)


def test_a_pickled_estimator_says_where_its_report_is(
    released: tuple[Path, list[Any]],
) -> None:
    folder, objects = released
    model = next(one for one in objects if isinstance(one, EquinoiseClassifier))
    again = pickle.loads(pickle.dumps(model))
    assert again.privacy_ == model.privacy_
    for name in ("report_", "groups_"):
        assert not hasattr(again, name)
        with pytest.raises(AttributeError, match=r"EquinoiseClassifier\.load\(folder\)"):
            getattr(again, name)
    assert EquinoiseClassifier.load(folder / "classifier").groups_ == model.groups_
