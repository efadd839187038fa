# SPDX-License-Identifier: Apache-2.0
"""Audits of predictions, also next to fairlearn."""

from pathlib import Path
from typing import Any

import fairlearn.metrics as fl
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.metrics as sk

from equinoise import InputError, ThresholdError, UsageError, audit

METRICS = {
    "accuracy": sk.accuracy_score,
    "selection_rate": fl.selection_rate,
    "true_positive_rate": fl.true_positive_rate,
    "false_positive_rate": fl.false_positive_rate,
    "false_negative_rate": fl.false_negative_rate,
    "precision": sk.precision_score,
}


@pytest.fixture
def decisions() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    sex = rng.choice(["F", "M"], 600)
    race = rng.choice(["a", "b", "c"], 600)
    y = rng.integers(0, 2, 600)
    score = np.clip(0.5 * y + 0.1 * (sex == "M") + rng.uniform(0, 0.5, 600), 0, 1)
    return pd.DataFrame(
        {"y": y, "hat": (score > 0.55).astype(int), "p": score, "sex": sex, "race": race}
    )


@pytest.mark.parametrize("features", [["sex"], ["sex", "race"]])
def test_figures_are_those_of_fairlearn(decisions: pd.DataFrame, features: list[str]) -> None:
    y, hat = decisions["y"], decisions["hat"]
    ours = audit(y, hat, sensitive_features=decisions[features])
    theirs = fl.MetricFrame(
        metrics=METRICS, y_true=y, y_pred=hat, sensitive_features=decisions[features]
    )
    by_group = ours.by_group.set_index(features).sort_index()
    assert (by_group["num_records"] > 0).all()
    for name in METRICS:
        np.testing.assert_allclose(by_group[name], theirs.by_group[name], rtol=1e-12)
        assert ours.overall[name][0] == pytest.approx(theirs.overall[name], rel=1e-12)
        for method in ("between_groups", "to_overall"):
            assert ours.difference(method)[name] == pytest.approx(
                theirs.difference(method=method)[name], rel=1e-9
            )
            assert ours.ratio(method)[name] == pytest.approx(
                theirs.ratio(method=method)[name], rel=1e-9
            )
        assert ours.group_min()[name] == pytest.approx(theirs.group_min()[name], rel=1e-12)
        assert ours.group_max()[name] == pytest.approx(theirs.group_max()[name], rel=1e-12)


def test_metrics_of_others_stand_next_to_ours(decisions: pd.DataFrame) -> None:
    own = {"own_" + name: metric for name, metric in METRICS.items()}
    report = audit(
        decisions["y"], decisions["hat"], sensitive_features=decisions["sex"], metrics=own
    )
    for name in METRICS:
        np.testing.assert_allclose(report.by_group["own_" + name], report.by_group[name])
        for method in ("between_groups", "to_overall"):
            for figures in (report.difference(method), report.ratio(method)):
                assert figures["own_" + name] == pytest.approx(figures[name], rel=1e-9)
        assert report.group_min()["own_" + name] == report.group_min()[name]
    assert "own_accuracy_lower" not in report.by_group
    assert "own_accuracy" in repr(report)


def test_a_rate_of_nobody_is_undefined() -> None:
    report = audit([1, 0, 0, 0], [1, 0, 0, 1], sensitive_features=["F", "F", "M", "M"])
    rates = report.by_group["true_positive_rate"]
    assert np.isnan(rates[1])
    assert rates[0] == 1
    assert report.difference()["true_positive_rate"] is None
    assert report.group_min()["true_positive_rate"] == 1
    frame = audit(
        pl.Series("y", [1, 0, 0, 0]),
        [1, 0, 0, 1],
        sensitive_features=["F", "F", "M", "M"],
        metrics={"nothing": lambda y, p: float("nan")},
    ).by_group
    assert frame["true_positive_rate"].to_list() == [1, None]
    assert frame["nothing"].to_list() == [None, None]


def test_gaps_are_groups_and_outcomes_without_a_value_are_left_out() -> None:
    report = audit(
        [1.0, 0.0, float("nan"), 1.0],
        [1, 0, 0, 0],
        sensitive_features=pd.Series([1, 2, 2, None], name="region"),
        metrics={"count": lambda y, p: len(y)},
    )
    groups = report.by_group
    assert groups["region"].tolist() == ["1", "2", "missing"]
    assert groups["num_records"].tolist() == groups["count"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1, 0, None, 1], dtype="Int64"),
        pd.Series([1, 0, None, 1]),
        pd.Series([True, False, None, True]),
        pl.Series([True, False, None, True]),
        pl.Series([1, 0, None, 1]),
        ["yes", "no", None, "yes"],
        pd.Series(["yes", "no", None, "yes"], dtype="category"),
    ],
)
def test_outcomes_of_every_type(values: Any) -> None:
    report = audit(values, values, sensitive_features=["a", "b", "a", "b"], metrics={"n": _count})
    assert report["overall"]["num_records"] == 3
    assert report.group_max()["n"] == 2
    assert report.overall["accuracy"][0] == 1


def _count(y_true: Any, y_pred: Any) -> float:
    return len(y_true)


def test_intervals_come_along(decisions: pd.DataFrame) -> None:
    report = audit(decisions["y"], decisions["hat"], sensitive_features=decisions["sex"])
    groups = report.by_group
    assert (groups["accuracy_lower"] < groups["accuracy"]).all()
    assert (groups["accuracy_upper"] > groups["accuracy"]).all()
    rows = report.disparities.set_index("metric")
    row = rows.loc["selection_rate"]
    assert row["difference_lower"] < row["difference"] < row["difference_upper"]
    assert {row["lowest"], row["highest"]} == {"F", "M"}


def test_scores_and_probabilities(decisions: pd.DataFrame) -> None:
    y, p, sex = decisions["y"], decisions["p"], decisions["sex"]
    auc = sk.roc_auc_score(y, p)
    assert audit(y, y_score=p, threshold=0.55, sensitive_features=sex).overall["auc"][
        0
    ] == pytest.approx(auc)
    by_probability = audit(y, y_proba=p, sensitive_features=sex)
    assert by_probability["overall"]["auc"] == pytest.approx(auc)
    both = np.column_stack([1 - p, p])
    assert audit(y, y_proba=both, sensitive_features=sex)["overall"] == by_probability["overall"]
    with pytest.raises(UsageError, match="classes="):
        audit(y, y_proba=np.ones((600, 3)) / 3, sensitive_features=sex)


def test_several_classes() -> None:
    rng = np.random.default_rng(4)
    y, sex = rng.choice(["a", "b", "c"], 300), rng.choice(["F", "M"], 300)
    proba = rng.dirichlet([1, 1, 1], 300)
    hat = np.array(["a", "b", "c"])[proba.argmax(axis=1)]
    report = audit(
        y, hat, y_proba=proba, sensitive_features={"sex": sex}, max_disparity={"accuracy": 0.9}
    )
    assert report.passed
    assert len(report.by_class["class"]) == 6
    recall = report.by_class["true_positive_rate"][0]
    assert recall == pytest.approx(
        sk.recall_score(y[sex == "F"], hat[sex == "F"], labels=["a"], average=None)[0]
    )
    assert "selection_rate:a" in report.difference()


def test_numbers_and_weights() -> None:
    rng = np.random.default_rng(5)
    y, sex, w = rng.normal(size=200), rng.choice(["F", "M"], 200), rng.uniform(1, 3, 200)
    hat = y + rng.normal(size=200)
    report = audit(
        y,
        hat,
        sensitive_features=sex,
        sample_weight=w,
        target_type="number",
        metrics={"mse": sk.mean_squared_error},
    )
    assert report.overall["mse"] == pytest.approx(report.overall["mean_squared_error"])


def test_thresholds_fail_when_they_are_required(decisions: pd.DataFrame) -> None:
    arguments: dict[str, Any] = {"sensitive_features": decisions["sex"]}
    report = audit(
        decisions["y"], decisions["hat"], max_disparity={"selection_rate": 0.001}, **arguments
    )
    assert not report.passed
    with pytest.raises(ThresholdError, match="selection rate"):
        report.require()
    audit(decisions["y"], decisions["hat"], **arguments).require()


def test_what_is_unclear_neither_passes_nor_fails() -> None:
    sex = ["F"] * 10 + ["M"] * 10
    hat = [1] * 10 + [0] + [1] * 9
    report = audit([1] * 20, hat, sensitive_features=sex, min_ratio={"accuracy": 0.8})
    assert report["ratios"][0]["verdict"] == "unclear"
    assert report["ratios"][0]["holds"] is None
    assert not report.passed
    report.require()
    with pytest.raises(ThresholdError, match="UNCLEAR"):
        report.require(strict=True)


def test_the_four_fifths_rule_is_of_the_favourable_class() -> None:
    sex = np.repeat(["F", "M"], 1000)
    default = np.concatenate([np.arange(1000) < 100, np.arange(1000) < 200]).astype(int)
    arguments: dict[str, Any] = {
        "sensitive_features": sex,
        "min_ratio": {"selection_rate": 0.8},
    }
    assert not audit(default, default, **arguments).passed
    report = audit(default, default, favourable=0, **arguments)
    assert report.passed
    assert report["ratios"][0]["class"] == report["favourable"] == "0"


def test_no_group_is_taken_for_the_total() -> None:
    report = audit([1, 0, 1], [1, 0, 0], sensitive_features=["all", "All", "b"])
    groups = [row[0] for row in report.tables()[0].rows]
    assert groups == ['"All"', '"all"', "b", "all"] or groups == ['"all"', '"All"', "b", "all"]
    assert audit([1, 0], [1, 0], sensitive_features=["a", "b"]).ratio()["accuracy"] == 1
    signed = audit(
        [1, 0], [1, 0], sensitive_features=["a", "b"], metrics={"gap": lambda y, p: y[0] - 0.5}
    )
    assert signed.ratio()["gap"] is None


def test_audits_are_fenced(decisions: pd.DataFrame, tmp_path: Path) -> None:
    report = audit(decisions["y"], decisions["hat"], sensitive_features=decisions["sex"])
    assert "NOT PRIVATE" in repr(report)
    assert "NOT PRIVATE" in report._repr_html_()
    report.save_html(tmp_path / "audit.html")
    assert "<html" in (tmp_path / "audit.html").read_text()


def test_mistakes_are_said() -> None:
    with pytest.raises(UsageError, match="length"):
        audit([1, 0], [1], sensitive_features=["a", "b"])
    with pytest.raises(UsageError, match="rename"):
        audit([1, 0], [1, 0], sensitive_features={"y_true": ["a", "b"]})
    with pytest.raises(UsageError, match="positive"):
        audit(["x", "y"], ["x", "y"], sensitive_features=["a", "b"])
    with pytest.raises(UsageError, match="y_pred"):
        audit([1, 0], y_proba=[1, 0], sensitive_features=["a", "b"], metrics={"x": max})
    with pytest.raises(InputError, match="sex holds texts and other values"):
        audit([1, 0], [1, 0], sensitive_features={"sex": np.array([1, "1"], dtype=object)})
    with pytest.raises(InputError, match="y_proba must hold numbers"):
        audit([1, 0], y_proba=["secret", 0.5], sensitive_features=["a", "b"])
    with pytest.raises(UsageError, match="nothing to judge"):
        audit([1, 0], sensitive_features=["a", "b"])
    assert audit(["x", "y"], ["x", "y"], sensitive_features=["a", "b"], pos_label="x").passed


def test_rows_of_other_records_are_refused(decisions: pd.DataFrame) -> None:
    y, hat, sex = (decisions[name] for name in ("y", "hat", "sex"))
    for other in (sex[::-1], sex.set_axis(np.arange(600) + 5)[::-1]):
        with pytest.raises(ValueError, match="y_true and sensitive_features have different"):
            audit(y.set_axis(other.index[::-1]), hat.to_numpy(), sensitive_features=other)
    shifted = sex.set_axis(np.arange(600) + 5)
    by_place = audit(y, hat, sensitive_features=shifted)
    assert by_place["groups"] == audit(y, hat, sensitive_features=sex)["groups"]


@pytest.mark.parametrize("yes", ["yes", "Yes"])
def test_probabilities_are_those_of_the_positive_class(yes: str) -> None:
    y_true = [yes, "no", yes, "no"]
    probability = np.array([0.9, 0.2, 0.8, 0.1])
    of_both = np.column_stack([probability, 1 - probability])
    for classes, columns in (([yes, "no"], of_both), (["no", yes], of_both[:, ::-1])):
        report = audit(y_true, y_proba=columns, classes=classes, sensitive_features=list("FFMM"))
        assert report.group_min()["accuracy"] == 1
    by_sorted_class = of_both if yes == "Yes" else of_both[:, ::-1]
    report = audit(y_true, y_proba=by_sorted_class, sensitive_features=list("FFMM"))
    assert report.group_min()["accuracy"] == 1


def test_truth_values_are_written_as_the_tool_does() -> None:
    y_true, y_pred = np.array([True, False] * 2), np.array([True, True, False, False])
    report = audit(
        y_true,
        y_pred,
        sensitive_features=pd.Series([True, True, False, False], name="member"),
        pos_label=True,
        metrics={"ours": _count},
    )
    assert report.by_group["member"].tolist() == ["false", "true"]
    assert report.by_group["ours"].tolist() == [2, 2]


def test_metrics_of_others_judge_the_same_records() -> None:
    sex = ["F", "F ", " F", "?", "", None]
    report = audit([1, 0] * 3, [1, 1] * 3, sensitive_features={"sex": sex}, metrics={"n": _count})
    assert report.by_group["sex"].tolist() == ["F", "missing"]
    assert report.by_group["n"].tolist() == report.by_group["num_records"].tolist() == [3, 3]
    weights = np.array([1, 0, np.nan, 1, 1, 1])
    report = audit(
        [1, 0] * 3,
        [1, 1] * 3,
        sensitive_features={"sex": sex},
        sample_weight=weights,
        metrics={"n": lambda y, _, sample_weight: sample_weight.sum()},
    )
    assert report.by_group["n"].tolist() == [1, 3]
    with pytest.raises(UsageError, match="metrics need groups and outcomes as they stand"):
        audit([1, 0], [1, 1], sensitive_features=["F", "-"], na="-", metrics={"n": _count})


@pytest.mark.parametrize(
    "features",
    [
        pl.LazyFrame({"sex": ["F", "M"], "age": ["old", "young"]}),
        [pd.Series(["F", "M"], name="sex"), pl.Series("age", ["old", "young"])],
        {"sex": ["F", "M"], "age": ["old", "young"]},
    ],
)
def test_sensitive_features_of_every_kind(features: Any) -> None:
    report = audit([1, 0], [1, 1], sensitive_features=features)
    assert [group["group"] for group in report["groups"]] == [
        {"sex": sex, "age": age} for sex in "FM" for age in ("old", "young")
    ]
    assert [group["num_records"] for group in report["groups"]] == [1, 0, 0, 1]


def test_one_group_differs_from_nobody() -> None:
    report = audit([1, 0], [1, 1], sensitive_features=["F", "F"], min_ratio={"accuracy": 0.8})
    assert report.difference()["accuracy"] is None
    assert report.ratio()["accuracy"] is None
    assert not report.passed


def test_records_that_are_left_out_are_told() -> None:
    report = audit([1, None, 0], [1, 1, 1], sensitive_features=["F", "F", "M"])
    assert "not private: 1 of 3 records are left out" in repr(report)
    assert "not private: 1 of 3 records are left out" in report._repr_html_()


_CLASSES = np.array(["c", "a", "b"] * 100)
_NAMED = {name: np.where(name == _CLASSES, 0.98, 0.01) for name in "cab"}


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda t: nw.from_native(pl.DataFrame(t))]
)
def test_probabilities_are_known_by_the_names_of_their_columns(make: Any) -> None:
    sex = np.array(["F", "M", "M"] * 100)
    for order in ("cab", "abc", "bca"):
        proba = make({name: _NAMED[name] for name in order})
        report = audit(_CLASSES, y_proba=proba, sensitive_features=sex)
        assert report["overall"]["accuracy"] == 1
    binary = np.where(_CLASSES == "a", "yes", "no")
    for first in ("a", "b"):
        columns = {"yes": _NAMED["a"], "no": 1 - _NAMED["a"]}
        ordered = dict(sorted(columns.items(), reverse=first == "a"))
        report = audit(binary, y_proba=make(ordered), sensitive_features=sex)
        assert report["overall"]["accuracy"] == 1
        report = audit(binary, y_proba=make(ordered), sensitive_features=sex, pos_label="no")
        assert report["overall"]["accuracy"] == 1
    for wrong in ({**_NAMED, "d": _NAMED["a"]}, {"a": _NAMED["a"], "b": _NAMED["b"]}):
        with pytest.raises(UsageError, match="no class|columns of 2 of 3 classes"):
            audit(_CLASSES, y_proba=make(wrong), sensitive_features=sex)
    missing = make(_NAMED)
    with pytest.raises(UsageError, match="'c', which is no class"):
        audit(binary, y_proba=missing, sensitive_features=sex, classes=["a", "b", "yes"])


def test_numbers_name_classes_and_pandas_numbers_none() -> None:
    y = np.array([0, 1] * 50)
    right = np.column_stack([1 - y, y]) * 0.8 + 0.1
    sex = ["F", "M"] * 50
    for proba in (
        right,
        pd.DataFrame(right),
        pd.DataFrame(right).iloc[:, ::-1],
        pd.DataFrame({1: right[:, 1], 0: right[:, 0]}),
        pd.DataFrame(right[:, ::-1], columns=[1, 0]),
        pd.DataFrame(right[:, ::-1], columns=["1", "0"]),
    ):
        assert audit(y, y_proba=proba, sensitive_features=sex)["overall"]["accuracy"] == 1
    texts = np.array(["no", "yes"])[y]
    unnamed = pd.DataFrame(right)
    assert audit(texts, y_proba=unnamed, sensitive_features=sex)["overall"]["accuracy"] == 1


def test_a_series_of_another_class_is_not_that_of_the_positive_one() -> None:
    y, sex = np.array(["no", "yes"] * 50), ["F", "M"] * 50
    yes = pd.Series(np.where(y == "yes", 0.9, 0.1), name="yes")
    for name in ("yes", "p", None, 0):
        report = audit(y, y_proba=yes.rename(name), sensitive_features=sex)
        assert report["overall"]["accuracy"] == 1
    with pytest.raises(UsageError, match="class 'no', which is not the positive one"):
        audit(y, y_proba=yes.rename("no"), sensitive_features=sex)
