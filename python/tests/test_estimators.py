# SPDX-License-Identifier: Apache-2.0
import inspect
import json
import multiprocessing
import pickle
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import PEOPLE

from equinoise import Ledger, Schema, _core
from equinoise._options import options_of
from equinoise.errors import (
    BudgetError,
    InputError,
    PaidFitWarning,
    RunWarning,
    SchemaError,
    UnknownOptionError,
    UsageError,
)
from equinoise.estimators import EquinoiseClassifier, EquinoiseRegressor

_TEST: dict[str, Any] = {
    "epsilon": 2.0,
    "insecure_test_rng": True,
    "seed": 1,
    "steps": 60,
    "verbose": False,
}
_DECLARED: dict[str, Any] = {
    "bounds": {"age": (18, 90)},
    "categories": {"sex": ["F", "M"]},
    "classes": ["no", "yes"],
}


def _classifier(schema: Schema, **options: Any) -> EquinoiseClassifier:
    return EquinoiseClassifier(schema=schema, **{**_TEST, **options})


# Parameters


def test_parameters_are_those_of_the_tool() -> None:
    names = inspect.signature(EquinoiseClassifier).parameters
    assert "help" not in names
    for name in ("max_grad_norm", "learning_rate", "strict_bound", "hidden", "private_evaluation"):
        assert name in names
        assert names[name].default is None
    assert "classes" in names
    assert "target_bounds" not in names
    assert not {"data", "out", "no_private_evaluation", "delimiter"} & set(names)
    assert EquinoiseClassifier().get_params()["method"] == "auto"


def test_docstrings_come_from_the_declarations() -> None:
    text = " ".join((EquinoiseRegressor.__doc__ or "").split())
    assert " ".join(options_of("train")["batch_size"].help.split()) in text
    assert "target_bounds" in text


def test_an_unknown_parameter_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownOptionError, match="did you mean max_grad_norm") as error:
        EquinoiseClassifier(max_gradnorm=1)
    assert isinstance(error.value, TypeError)
    with pytest.raises(UsageError, match="did you mean epsilon"):
        EquinoiseClassifier().set_params(epsilom=1)


def test_an_option_that_the_method_ignores_is_refused(schema: Schema, people: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="strict_bound"):
        _classifier(schema, strict_bound=2.0).fit(people)


def test_values_reach_the_tool(schema: Schema) -> None:
    model = _classifier(
        schema,
        method="group_weighted",
        groups="sex",
        group_clip={"F": 0.5, "M": 0.7},
        optimizer="adam",
    )
    plan = model.plan()
    assert plan["options"]["optimizer"] == "adam"
    assert plan["method"] == "group_weighted"
    assert len(plan["groups"]) == 2


def test_false_is_the_opposite_of_a_flag(schema: Schema) -> None:
    options = {"method": "raco_dp", "constraints": "demographic_parity:sex:0.1"}
    events = _classifier(schema, **options).plan()["events"]
    without = _classifier(schema, private_evaluation=False, **options).plan()["events"]
    assert len(without) < len(events)


def test_constraints_are_lines_or_a_file(schema: Schema, tmp_path: Path) -> None:
    line = "demographic_parity:sex:0.1"
    lines = _classifier(schema, method="raco_dp", constraints=[line, "fnr:0.5"]).plan()
    assert len(lines["constraints"]) >= 2
    path = tmp_path / "constraints.toml"
    path.write_text('[[constraint]]\ntype = "demographic_parity"\nattr = "sex"\nslack = 0.1\n')
    one = _classifier(schema, method="raco_dp", constraints=line).plan()
    assert (
        one["constraints"]
        == _classifier(schema, method="raco_dp", constraints=path).plan()["constraints"]
    )


# What is public


def test_without_a_schema_the_error_shows_what_to_write(people: pd.DataFrame) -> None:
    with pytest.raises(SchemaError, match="never learnt in silence") as error:
        EquinoiseClassifier(epsilon=1).fit(people[["age"]], people["paid"])
    for text in ("Schema.draft(", "mark_reviewed()", "schema=schema", "classes=..."):
        assert text in str(error.value)


@pytest.mark.parametrize(
    ("left_out", "message"),
    [
        ("bounds", "of age"),
        ("categories", "of sex"),
        ("classes", r"classes=\[\.\.\.\]"),
        ("num_records", "num_records=N"),
        ("dataset", "dataset="),
    ],
)
def test_each_fact_must_be_declared(people: pd.DataFrame, left_out: str, message: str) -> None:
    facts = {**_DECLARED, "num_records": 400, "dataset": "people", "epsilon": 1.0}
    del facts[left_out]
    with pytest.raises(SchemaError, match=message):
        EquinoiseClassifier(**facts).fit(people[["age", "sex"]], people["paid"])


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"bounds": {"age": (18, 90), "agee": (0, 1)}}, r"bounds .*'agee'.* did you mean age\?"),
        ({"categories": {"sex": ["F", "M"], "race": ["a"]}}, "categories names a column 'race'"),
        ({"bounds": {0: (18, 90), 2: (0, 1)}}, "column 2"),
    ],
)
def test_facts_are_about_columns_that_are_there(
    people: pd.DataFrame, facts: dict[str, Any], message: str
) -> None:
    model = EquinoiseClassifier(**_TEST, **{**_DECLARED, "num_records": 400, **facts})
    with pytest.raises(SchemaError, match=message):
        model.fit(people[["age", "sex"]], people["paid"])


def test_facts_are_not_stated_twice(schema: Schema, people: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="leave out bounds"):
        _classifier(schema, bounds=(0, 1)).fit(people)


def test_declared_facts_are_a_schema(people: pd.DataFrame, schema: Schema) -> None:
    model = EquinoiseClassifier(**_DECLARED, num_records=400, **_TEST)
    model.fit(people[["age", "sex"]], people["paid"])
    schema.text = schema.text.replace('missing = "none"', 'missing = "allowed"', 2)
    described = _classifier(schema).fit(people)
    np.testing.assert_array_equal(
        model.predict_proba(people[["age", "sex"]]), described.predict_proba(people)
    )


def test_gaps_of_declared_columns_are_filled(people: pd.DataFrame) -> None:
    X = people[["age", "sex"]].astype({"age": float})
    X.loc[::4, "age"] = np.nan
    X.loc[1::4, "sex"] = None
    facts = {**_DECLARED, "num_records": 400}
    filled = EquinoiseClassifier(**facts, **_TEST).fit(X, people["paid"])
    assert not np.isnan(filled.predict_proba(X)).any()
    dropping = EquinoiseClassifier(**facts, drop_incomplete=True, **_TEST).fit(X, people["paid"])
    assert np.isnan(dropping.predict_proba(X)).any(axis=1).sum() == 200
    for options in ({"groups": "sex"}, {"constraints": ["demographic_parity:sex:0.1"]}):
        grouped = EquinoiseClassifier("raco_dp", **facts, **options, **_TEST)
        grouped.set_params(constraints=["demographic_parity:sex:0.1"]).fit(X, people["paid"])
        assert np.isnan(grouped.predict_proba(X)).any(axis=1).sum() == 100


def test_bounds_of_public_data_are_not_learnt(people: pd.DataFrame) -> None:
    with pytest.raises(SchemaError, match="of age"):
        EquinoiseClassifier(categories={"sex": ["F", "M"]}, public_data=True, **_TEST).fit(
            people[["age", "sex"]], people["paid"]
        )
    with pytest.raises(SchemaError, match="target_bounds"):
        EquinoiseRegressor(bounds=(0, 1), public_data=True, **_TEST).fit([[0.5]] * 9, [1.0] * 9)


def test_an_unreviewed_schema_is_refused(people: pd.DataFrame) -> None:
    with pytest.raises((SchemaError, UsageError), match="reviewed"):
        _classifier(Schema(PEOPLE.replace("reviewed = true", ""))).fit(people)


def test_sizes_of_groups_are_not_those_of_folds(schema: Schema, people: pd.DataFrame) -> None:
    with pytest.raises(SchemaError, match="sizes of groups"):
        _classifier(schema, num_records="table").fit(people[:300])
    text = PEOPLE[: PEOPLE.index("[[public")] + PEOPLE[PEOPLE.index("# In years") :]
    model = _classifier(Schema(text), num_records="table").fit(people[:300])
    assert model.report_["overall"]["public_size"] == 300
    with pytest.raises(InputError, match="300"):
        _classifier(Schema(text)).fit(people[:300])


# Tables


def _as_array(people: pd.DataFrame) -> Any:
    return people[["age", "sex"]].to_numpy(dtype=object)


_KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda people: people,
    "pandas, filtered": lambda people: pd.concat([people, people])[: len(people)],
    "polars": pl.from_pandas,
    "polars, lazy": lambda people: pl.from_pandas(people).lazy(),
    "Narwhals": lambda people: nw.from_native(people),
    "pyarrow": lambda people: pa.Table.from_pandas(people),
    "Arrow stream": lambda people: pa.Table.from_pandas(people).to_reader(),
    "DuckDB": lambda people: duckdb.from_df(people),
    "dictionary": lambda people: {name: people[name].to_numpy() for name in people},
    "dictionary of lists": lambda people: people.to_dict("list"),
}


def _model_of_the_tool(people: pd.DataFrame, folder: Path) -> bytes:
    """That of the command line, from a Parquet file."""
    pq.write_table(pa.Table.from_pandas(people, preserve_index=False), folder / "people.parquet")
    (folder / "people.toml").write_text(PEOPLE)
    words = "train --json --epsilon 2 --insecure-test-rng --seed 1 --steps 60 --schema"
    files = [str(folder / "people.toml"), "--data", str(folder / "people.parquet")]
    _core.run([*words.split(), *files, "--out", str(folder / "model")], {}, None)
    return (folder / "model" / "model.json").read_bytes()


@pytest.mark.parametrize("kind", _KINDS)
def test_every_kind_of_table_gives_the_model_of_the_tool(
    kind: str, schema: Schema, people: pd.DataFrame, tmp_path: Path
) -> None:
    expected = _model_of_the_tool(people, tmp_path)
    model = _classifier(schema).fit(_KINDS[kind](people))
    model.save(tmp_path / "saved")
    assert (tmp_path / "saved" / "model.json").read_bytes() == expected
    without_target = _KINDS[kind](people[["age", "sex"]])
    _classifier(schema).fit(without_target, people["paid"]).save(tmp_path / "with y")
    assert (tmp_path / "with y" / "model.json").read_bytes() == expected
    assert list(model.predict(_KINDS[kind](people))[:5]) == list(model.predict(people)[:5])


def test_an_array_holds_the_features_of_the_schema(
    schema: Schema, people: pd.DataFrame, tmp_path: Path
) -> None:
    model = _classifier(schema).fit(_as_array(people), people["paid"].to_numpy())
    model.save(tmp_path / "saved")
    expected = _model_of_the_tool(people, tmp_path)
    assert (tmp_path / "saved" / "model.json").read_bytes() == expected
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="3 features"):
        _classifier(schema).fit(np.zeros((400, 3)), people["paid"])


@pytest.mark.parametrize("kind", ["polars, lazy", "DuckDB", "Arrow stream"])
def test_records_of_a_query_are_counted(kind: str, people: pd.DataFrame) -> None:
    model = EquinoiseClassifier(**_DECLARED, target="paid", num_records="table", **_TEST)
    model.fit(_KINDS[kind](people))
    assert model.report_["overall"]["public_size"] == 400


def test_names_may_come_and_go(people: pd.DataFrame) -> None:
    X = people[["age"]] / 100
    model = EquinoiseClassifier(bounds=(0, 1), public_data=True, **_TEST)
    model.fit(X.to_numpy(), people["paid"])
    with pytest.warns(UserWarning, match="fitted without feature names"):
        assert list(model.predict(X)) == list(model.predict(X.to_numpy()))
    model.fit(X, people["paid"])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert list(model.predict(X.to_numpy())) == list(model.predict(X))
    with pytest.raises(ValueError, match="unseen at fit time"):
        model.predict(X.assign(b=1))


def test_rows_are_joined_by_place_where_no_index_says_otherwise(
    schema: Schema, people: pd.DataFrame
) -> None:
    expected = _classifier(schema).fit(people).predict_proba(people)
    X, y = people[["age", "sex"]], people["paid"]
    numbers = np.random.default_rng(0).permutation(400)
    some, others = numbers + 7, numbers[::-1] + 7
    for rows_of_X, rows_of_y in ((X.set_axis(some), y.set_axis(some)), (X.set_axis(some), y)):
        model = _classifier(schema).fit(rows_of_X, rows_of_y)
        np.testing.assert_array_equal(model.predict_proba(people), expected)
    for rows_of_X, rows_of_y in (
        (X, y.set_axis(numbers)),  # the same labels in another order
        (X.set_axis(some), y.set_axis(others)),
        (X.set_axis(some), y.set_axis(numbers + 900)),  # other records
    ):
        with pytest.raises(ValueError, match="X and y have different indexes"):
            _classifier(schema).fit(rows_of_X, rows_of_y)
    with pytest.raises(ValueError, match="X and sensitive_features have"):
        model.predict(X, sensitive_features=people["sex"].set_axis(numbers))
    for several, named in (
        ([people["sex"].set_axis(numbers)], r"sensitive_features\[0\]"),
        ({"sex": people["sex"].set_axis(numbers)}, r"sensitive_features\['sex'\]"),
    ):
        with pytest.raises(ValueError, match=f"X and {named} have different indexes"):
            model.predict(X, sensitive_features=several)


def test_columns_that_numbers_call_are_not_taken_by_place(people: pd.DataFrame) -> None:
    X = people[["age", "age", "sex"]].set_axis([0, 1, 2], axis=1)
    facts: dict[str, Any] = {"classes": ["no", "yes"], "num_records": 400, **_TEST}
    model = EquinoiseClassifier(bounds=(0, 99), categories={2: ["F", "M"]}, **facts)
    model.fit(X, people["paid"])
    with pytest.raises(TypeError, match=r"X\.columns\.astype\(str\)"):
        model.predict(X[[2, 1, 0]])
    draft = Schema.draft(X[[2, 1, 0]], y=people["paid"], target="paid").mark_reviewed()
    with pytest.raises(ValueError, match="in the order 2, 1, 0"):
        _classifier(draft).fit(X, people["paid"])
    named = X.set_axis(X.columns.astype(str), axis=1)
    assert list(_classifier(draft).fit(named, people["paid"]).feature_names_in_) == ["0", "1", "2"]


def test_names_tell_columns_apart_and_others_are_ignored(
    schema: Schema, people: pd.DataFrame
) -> None:
    model = _classifier(schema).fit(people)
    assert list(model.feature_names_in_) == ["age", "sex"]
    turned = people[["paid", "sex", "age"]].assign(other=1)
    assert list(model.predict(turned)) == list(model.predict(people))
    with pytest.raises(InputError, match="age"):
        model.predict(people[["sex"]])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda t: t.iloc[:0], ValueError, "0 sample"),
        (lambda t: pd.concat([t, t["age"]], axis=1), ValueError, "duplicate"),
        (lambda t: t.assign(age=[1, "a"] * 200), InputError, "age"),
        (lambda t: t.assign(age=t["age"].astype(complex)), ValueError, "Complex data"),
        (lambda t: t.assign(extra=1), InputError, "extra"),
        (lambda t: t.drop(columns="sex"), InputError, "sex"),
        (lambda t: t.iloc[:10], InputError, "400"),
        (lambda t: t["age"], ValueError, "Expected 2D"),
    ],
)
def test_bad_tables(
    schema: Schema, people: pd.DataFrame, change: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        _classifier(schema).fit(change(people))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0] * 399 + [np.nan], "y contains NaN"),
        (["no"] * 399 + [None], "y contains NaN"),
        (["no"] * 399, "inconsistent numbers"),
        (pl.Series(["no"] * 399 + [None]), "y contains NaN"),
        (np.zeros((400, 2)), "1d array"),
    ],
)
def test_bad_targets(schema: Schema, people: pd.DataFrame, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _classifier(schema).fit(people[["age", "sex"]], y)


def test_a_level_that_the_schema_does_not_list_drops_its_record(
    schema: Schema, people: pd.DataFrame
) -> None:
    unseen = people.assign(sex=pd.Categorical(["X"] + ["M"] * 399))
    model = _classifier(schema).fit(people)
    with pytest.raises(InputError, match="1 of 400 records have no prediction"):
        model.predict(unseen)
    assert np.isnan(model.predict_proba(unseen)[0]).all()


# Classes


@pytest.mark.parametrize(
    ("values", "y", "classes"),
    [
        ('["0", "1"]', np.array([0, 1] * 200), np.array([0, 1])),
        ('["0", "1"]', np.array([0, 1] * 200, dtype=np.int8), np.array([0, 1], dtype=np.int8)),
        ('["0", "1"]', np.array([0.0, 1.0] * 200), np.array([0.0, 1.0])),
        ('["1", "0"]', np.array([0, 1] * 200), np.array([0, 1])),
        ('["false", "true"]', np.array([False, True] * 200), np.array([False, True])),
        ('["no", "yes"]', np.array([False, True] * 200), np.array([False, True])),
        ('["b", "a"]', np.array(["a", "b"] * 200), np.array(["a", "b"])),
        ('["b", "a"]', pl.Series(["a", "b"] * 200), np.array(["a", "b"], dtype=object)),
    ],
)
def test_classes_come_back_as_they_came_in(values: str, y: Any, classes: Any) -> None:
    text = PEOPLE[: PEOPLE.index("[[public")] + PEOPLE[PEOPLE.index("# In years") :]
    schema = Schema(text.replace('["no", "yes"]', values))
    X = pd.DataFrame({"age": [20, 80] * 200, "sex": ["F", "M"] * 200})
    model = _classifier(schema, epsilon=8.0).fit(X, y)
    assert model.classes_.dtype == classes.dtype
    assert list(model.classes_) == list(classes)
    predicted = model.predict(X)
    assert predicted.dtype == classes.dtype
    assert list(predicted[:2]) == list(y[:2])
    probabilities = model.predict_proba(X)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], predicted)
    odds = model.decision_function(X)
    np.testing.assert_allclose(odds, np.log(probabilities[:, 1] / probabilities[:, 0]))
    assert model.score(X, y) == 1


def test_labels_of_the_schema_or_its_values(people: pd.DataFrame) -> None:
    labelled = 'values = ["0", "1"]\nlabels = { "0" = "no", "1" = "yes" }'
    schema = Schema(PEOPLE.replace('values = ["no", "yes"]', labelled))
    assert list(_classifier(schema).fit(people).classes_) == ["no", "yes"]
    X = people[["age", "sex"]]
    ones = (people["paid"] == "yes").astype(int)
    assert list(_classifier(schema).fit(X, ones).classes_) == [0, 1]


def test_three_classes_have_log_probabilities() -> None:
    y = np.array([0, 1, 2] * 50)
    X = np.column_stack([y, y == 1]).astype(float)
    model = EquinoiseClassifier(bounds=(0, 2), public_data=True, **_TEST).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), np.log(model.predict_proba(X)))


def test_hinge_has_no_probabilities(schema: Schema, people: pd.DataFrame) -> None:
    model = _classifier(schema, model="hinge").fit(people)
    assert set(model.predict(people)) <= {"no", "yes"}
    with pytest.raises(UsageError, match="hinge"):
        model.predict_proba(people)


# Groups


@pytest.mark.parametrize(
    "sensitive",
    [
        lambda sex: "sex",
        lambda sex: ["sex"],
        lambda sex: sex,
        lambda sex: sex.to_frame(),
        lambda sex: [sex],
        lambda sex: {"sex": sex.to_numpy()},
        lambda sex: pl.Series("sex", sex.to_list()),
    ],
)
def test_sensitive_features_make_groups(
    schema: Schema, people: pd.DataFrame, sensitive: Any
) -> None:
    model = _classifier(schema).fit(people, sensitive_features=sensitive(people["sex"]))
    groups = pd.DataFrame(model.groups_)
    assert list(groups["sex"]) == ["F", "M"]
    assert list(groups["public_size"]) == [200, 200]
    assert "NOT PRIVATE" in (model.report_.notice or "")


def test_a_group_need_not_be_a_feature(people: pd.DataFrame) -> None:
    facts = {"bounds": (18, 90), "num_records": 400, "classes": ["no", "yes"], **_TEST}
    X = people[["age"]]
    model = EquinoiseClassifier(categories={"sex": ["F", "M"]}, **facts)
    model.fit(X, people["paid"], sensitive_features=people["sex"])
    assert model.n_features_in_ == 1
    assert model.groups_["sex"] == ["F", "M"]
    assert len(model.predict(X)) == 400
    with pytest.raises(SchemaError, match="categories"):
        EquinoiseClassifier(**facts).fit(X, people["paid"], sensitive_features=people["sex"])
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X, people["paid"], sensitive_features=people["sex"][:9])


def test_a_model_for_each_group_needs_groups_to_predict(
    schema: Schema, people: pd.DataFrame
) -> None:
    text = PEOPLE.replace('values = ["F", "M"]', 'values = ["F", "M"]\nfeature = false')
    model = _classifier(Schema(text), method="decoupled")
    model.fit(people[["age"]], people["paid"], sensitive_features=people["sex"])
    assert len(model.predict(people[["age"]], sensitive_features=people["sex"])) == 400
    with pytest.raises(UsageError, match="sex"):
        model.predict(people[["age"]])


# Privacy


def test_a_fit_is_paid_and_says_what_it_promises(
    schema: Schema, ledger: Ledger, people: pd.DataFrame
) -> None:
    model = EquinoiseClassifier(schema=schema, ledger=ledger, epsilon=1, steps=50, verbose=False)
    plan = model.plan()
    assert len(ledger.show("people")["entries"]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", PaidFitWarning)
        model.fit(people)
    assert len(ledger.show("people")["entries"]) == 1
    assert model.privacy_.epsilon == plan["privacy"]["epsilon"] <= 1
    assert model.privacy_.relation == "zero_out"
    assert model.privacy_.unit == "row"
    assert "zero_out" in str(model.privacy_)
    assert model.privacy_.status == "private"


def test_the_card_says_who_stated_whose_rows_these_are(
    schema: Schema, ledger: Ledger, people: pd.DataFrame
) -> None:
    fit: dict[str, Any] = {"ledger": ledger, "epsilon": 0.5, "steps": 5, "verbose": False}
    facts: dict[str, Any] = {**_DECLARED, "num_records": 400, "dataset": "people", **fit}
    reviewed = Schema.draft(people, target="paid", dataset="people").mark_reviewed()
    for silent in (EquinoiseClassifier(**facts), EquinoiseClassifier(schema=reviewed, **fit)):
        with pytest.warns(RunWarning, match="nobody has said whose rows these are"):
            silent.fit(people[["age", "sex"]], people["paid"])
        assert "nobody has said whose rows these are" in str(silent.privacy_)
        assert "states" not in str(silent.privacy_)
        with warnings.catch_warnings():
            warnings.simplefilter("error", RunWarning)
            with pytest.raises(RunWarning):
                silent.fit(people[["age", "sex"]], people["paid"])
    assert len(ledger.show("people")["entries"]) == 2
    reviewed.mark_reviewed(unit="row")
    for model in (
        EquinoiseClassifier(**facts, unit="row"),
        EquinoiseClassifier(schema=schema, **fit),
        EquinoiseClassifier(schema=reviewed, **fit),
    ):
        with warnings.catch_warnings(record=True) as caught:
            model.fit(people[["age", "sex"]], people["paid"])
        assert not [one for one in caught if "whose rows" in str(one.message)]
        assert "the owner states that no person has two rows" in str(model.privacy_)


def test_people_with_several_rows_need_a_schema(schema: Schema, people: pd.DataFrame) -> None:
    model = EquinoiseClassifier(**_DECLARED, num_records=400, unit="person", **_TEST)
    with pytest.raises(SchemaError, match=r"Schema\.draft\(data, unit='person'\)"):
        model.fit(people[["age", "sex"]], people["paid"])
    with pytest.raises(UsageError, match="leave out bounds, categories, unit"):
        _classifier(schema, unit="row").fit(people)


def test_a_second_fit_warns_and_can_be_stopped_before_it_spends(
    schema: Schema, ledger: Ledger, people: pd.DataFrame
) -> None:
    model = EquinoiseClassifier(schema=schema, ledger=ledger, epsilon=1, steps=50, verbose=False)
    model.fit(people)
    with pytest.warns(PaidFitWarning, match="spends from the ledger again"):
        model.fit(people)
    assert len(ledger.show("people")["entries"]) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error", PaidFitWarning)
        with pytest.raises(PaidFitWarning):
            model.fit(people)
    assert len(ledger.show("people")["entries"]) == 2


def test_a_budget_that_does_not_suffice(
    schema: Schema, ledger: Ledger, people: pd.DataFrame
) -> None:
    model = EquinoiseClassifier(schema=schema, ledger=ledger, epsilon=9, steps=50, verbose=False)
    with pytest.raises(BudgetError):
        model.fit(people)
    with pytest.raises(AttributeError):
        model.report_  # noqa: B018
    assert len(ledger.show("people")["entries"]) == 0


def test_a_fit_is_identical_under_a_seed_alone(
    schema: Schema, ledger: Ledger, people: pd.DataFrame
) -> None:
    one, two = (_classifier(schema).fit(people).predict_proba(people) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    secure = {"insecure_test_rng": None, "seed": None, "ledger": ledger, "epsilon": 1.0}
    one, two = (_classifier(schema, **secure).fit(people).predict_proba(people) for _ in range(2))
    assert (one != two).any()


def test_what_is_seeded_or_not_private_says_so(schema: Schema, people: pd.DataFrame) -> None:
    seeded = _classifier(schema).fit(people).privacy_
    assert seeded.epsilon is None
    assert "NOT PRIVATE" in str(seeded)
    plain = EquinoiseClassifier("sgd", schema=schema, steps=20, verbose=False).fit(people).privacy_
    assert plain.epsilon is None
    assert "NOT PRIVATE" in str(plain)


def test_noise_under_a_schema_that_nobody_reviewed_promises_nothing(
    ledger: Ledger, people: pd.DataFrame
) -> None:
    unreviewed = Schema(PEOPLE.replace("reviewed = true", "reviewed = false"))
    model = EquinoiseClassifier(
        schema=unreviewed, public_data=True, ledger=ledger, epsilon=1, steps=5, verbose=False
    ).fit(people)
    assert model.model_card_["privacy"]["epsilon"] <= 1
    assert model.privacy_.status == "not private"
    assert model.privacy_.epsilon is model.privacy_.delta is model.privacy_.unit is None
    assert "NOT PRIVATE as a whole" in str(model.privacy_)


# As scikit-learn's users work


def test_pipelines_and_clones(schema: Schema, people: pd.DataFrame) -> None:
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    model = clone(_classifier(schema, batch_size=100))
    assert model.get_params()["batch_size"] == 100
    pipeline = make_pipeline(FunctionTransformer(lambda t: t[["age", "sex"]]), model)
    pipeline.fit(people, people["paid"])
    assert pipeline.score(people, people["paid"]) > 0.5


def test_a_grid_search_is_told_that_every_fit_is_paid(tmp_path: Path, people: pd.DataFrame) -> None:
    from sklearn.model_selection import GridSearchCV

    ledger = Ledger(tmp_path / "people.ledger").open("people", epsilon=9, delta=1e-5)
    model = EquinoiseClassifier(
        **_DECLARED,
        num_records="table",
        dataset="people",
        ledger=ledger,
        epsilon=0.5,
        steps=20,
        verbose=False,
    )
    search = GridSearchCV(model, {"learning_rate": [0.1, 0.7]}, cv=2)
    with pytest.warns(PaidFitWarning, match="every fit is paid.*exact scores is not paid"):
        search.fit(people[["age", "sex"]], people["paid"])
    assert len(ledger.show("people")["entries"]) == 2 * 2 + 1  # and the best on all records
    assert "one of 5 paid fits for target" in repr(search.best_estimator_.model_card_)
    assert search.predict(people[["age", "sex"]]).shape == (400,)


def test_the_name_of_y_has_no_meaning(people: pd.DataFrame) -> None:
    X = people[["age", "sex"]].assign(target="F")
    facts = {**_DECLARED, "num_records": 400}
    facts["categories"] = {"sex": ["F", "M"], "target": ["F", "M"]}
    y = (people["age"] > 50).map({True: "yes", False: "no"})
    models = [
        EquinoiseClassifier(**_TEST, **facts).fit(X, named)
        for named in (y, y.rename("target"), y.rename(None), y.to_numpy())
    ]
    assert y.name == "age"
    for model in models:
        assert model.n_features_in_ == 3
        np.testing.assert_array_equal(model.predict_proba(X), models[0].predict_proba(X))


def test_fits_of_a_loop_are_a_choice(schema: Schema, ledger: Ledger, people: pd.DataFrame) -> None:
    facts = {"epsilon": 1, "schema": schema, "ledger": ledger, "verbose": False}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        single = EquinoiseClassifier(**facts, steps=5).fit(people)
    assert "paid fits" not in repr(single.model_card_)
    with pytest.warns(RunWarning, match="one of 2 paid fits for paid"):
        second = EquinoiseClassifier(**facts, steps=6).fit(people)
    assert "one of 2 paid fits for paid" in repr(second.model_card_)


def test_notebooks_show_no_exact_figures(schema: Schema, people: pd.DataFrame) -> None:
    from sklearn.pipeline import make_pipeline

    model = _classifier(schema, groups="sex").fit(people)
    for shown in (model, make_pipeline(model)):
        assert "n_features_in_" in shown._repr_html_()
        assert "groups_" not in shown._repr_html_()
        assert "report_" not in shown._repr_html_()


def test_searches_that_pay_nothing_do_not_warn(people: pd.DataFrame) -> None:
    from sklearn.model_selection import cross_val_score

    model = EquinoiseClassifier(**_DECLARED, num_records="table", **_TEST)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = cross_val_score(model, people[["age", "sex"]], people["paid"], cv=2)
    assert (scores > 0.4).all()


def test_pickles_hold_the_path_of_a_ledger(
    schema: Schema, ledger: Ledger, people: pd.DataFrame
) -> None:
    model = _classifier(schema, ledger=ledger).fit(people)
    again = pickle.loads(pickle.dumps(model))
    assert again.ledger == ledger.path
    assert model.ledger is ledger
    np.testing.assert_array_equal(again.predict(people), model.predict(people))


def test_two_threads_fit_at_once(schema: Schema, people: pd.DataFrame) -> None:
    models = [_classifier(schema, seed=seed) for seed in (1, 2)]
    threads = [threading.Thread(target=model.fit, args=(people,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for model in models:
        alone = _classifier(schema, seed=model.seed).fit(people)
        np.testing.assert_array_equal(model.predict_proba(people), alone.predict_proba(people))


def test_a_forked_process_fits(schema: Schema, people: pd.DataFrame, tmp_path: Path) -> None:
    model = _classifier(schema).fit(people)  # threads are there before the fork
    work = multiprocessing.get_context("fork").Process(
        target=lambda: _classifier(schema).fit(people).save(tmp_path / "model")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        work.start()
    work.join(60)
    if work.is_alive():
        work.kill()
    assert work.exitcode == 0
    model.save(tmp_path / "expected")
    paths = [tmp_path / name / "model.json" for name in ("model", "expected")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_metric_frames_of_fairlearn_take_predictions(schema: Schema, people: pd.DataFrame) -> None:
    from fairlearn.metrics import MetricFrame, selection_rate

    predicted = _classifier(schema).fit(people).predict(people)
    frame = MetricFrame(
        metrics={"rate": lambda y, p: selection_rate(y, p, pos_label="yes")},
        y_true=people["paid"],
        y_pred=predicted,
        sensitive_features=people["sex"],
    )
    assert frame.by_group["rate"]["F"] == np.mean(predicted[people["sex"] == "F"] == "yes")


def test_without_scikit_learn() -> None:
    script = """
import sys
sys.modules["sklearn"] = None
import numpy as np
from equinoise.estimators import EquinoiseClassifier, EquinoiseRegressor
X = np.linspace(-1, 1, 80).reshape(40, 2)
options = dict(bounds=(-1, 1), public_data=True, epsilon=8., delta=1e-3, seed=1, steps=200,
               insecure_test_rng=True)
model = EquinoiseClassifier(**options)
try:
    model.predict(X)
except ValueError as error:
    assert "not fitted" in str(error)
assert model.fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.8
assert "EquinoiseClassifier(bounds=" in repr(model)
assert model.set_params(steps=9).get_params()["steps"] == 9
number = EquinoiseRegressor(target_bounds=(-1, 1), **options).fit(X, X[:, 0])
assert number.score(X, X[:, 0]) > 0.3
"""
    subprocess.run([sys.executable, "-c", script], check=True)


# Files


def test_saved_files_are_those_of_the_tool(
    schema: Schema, people: pd.DataFrame, tmp_path: Path
) -> None:
    _model_of_the_tool(people, tmp_path)
    model = _classifier(schema).fit(people)
    model.save(tmp_path / "saved")
    names = {p.name for p in (tmp_path / "model").iterdir()}
    assert {p.name for p in (tmp_path / "saved").iterdir()} == names | {"schema.toml"}
    assert Schema.load(tmp_path / "saved" / "schema.toml").columns == schema.columns
    assert (tmp_path / "saved" / "report.json").stat().st_mode & 0o077 == 0
    assert json.loads((tmp_path / "saved" / "report.json").read_text()) == dict(model.report_)
    with pytest.raises(UsageError, match="force"):
        model.save(tmp_path / "saved")
    model.save(tmp_path / "saved", force=True)
    assert "<html" in model.report_.as_iframe() or "srcdoc" in model.report_.as_iframe()


@pytest.mark.parametrize("declared", [False, True])
def test_a_saved_folder_repeats_its_run(
    declared: bool,
    schema: Schema,
    people: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    facts = {**_DECLARED, "num_records": 400, "target": "paid"} if declared else {"schema": schema}
    model = EquinoiseClassifier(**_TEST, **facts).fit(people)
    model.save(tmp_path / "saved")
    for path in (tmp_path / "saved").iterdir():
        assert tempfile.gettempdir() not in path.read_text()
    people.to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path / "saved")
    _core.run(
        ["train", "--config", "run.toml", "--data", "../people.csv", "--out", "../again"], {}, None
    )
    assert (tmp_path / "again/model.json").read_bytes() == Path("model.json").read_bytes()
    loaded = EquinoiseClassifier.load(".")
    assert str(loaded.schema) == Path("schema.toml").read_text()


def test_messages_name_what_was_given(people: pd.DataFrame) -> None:
    wrong = {**_DECLARED, "bounds": (90, 18), "num_records": 400}
    with pytest.raises(SchemaError, match=r"^\[data.schema\] the declared facts: columns\.age"):
        EquinoiseClassifier(**_TEST, **wrong).fit(people[["age", "sex"]], people["paid"])
    with pytest.raises(SchemaError, match=r"^\[data.schema\] schema:20:10: columns\.age"):
        _classifier(Schema(PEOPLE.replace("[18, 90]", "[90, 18]"))).fit(people)


class _StopsAfter:
    """Interrupts a run that has written its files."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run = run

    def __call__(self, *arguments: Any) -> Any:
        self._run(*arguments)
        raise KeyboardInterrupt


def test_a_model_that_is_paid_for_is_kept(
    schema: Schema, ledger: Ledger, people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = EquinoiseClassifier(epsilon=1, schema=schema, ledger=ledger, steps=5, verbose=False)
    with monkeypatch.context() as patch:
        patch.setattr(_core, "run", _StopsAfter(_core.run))
        with pytest.raises(KeyboardInterrupt) as caught:
            model.fit(people)
    assert "train had finished" in caught.value.__notes__[0]
    assert caught.value.kept is model  # type: ignore[attr-defined]
    assert len(ledger.show("people")["entries"]) == 1
    assert len(model.predict(people)) == 400
    with pytest.warns(PaidFitWarning), pytest.raises(BudgetError) as refused:
        model.set_params(epsilon=9).fit(people)
    assert not hasattr(refused.value, "kept")


@pytest.mark.parametrize("folder", ["model", "saved"])
def test_a_model_is_loaded_from_either(
    folder: str, schema: Schema, people: pd.DataFrame, tmp_path: Path
) -> None:
    _model_of_the_tool(people, tmp_path)
    model = _classifier(schema).fit(people)
    model.save(tmp_path / "saved")
    loaded = EquinoiseClassifier.load(tmp_path / folder)
    np.testing.assert_array_equal(loaded.predict(people), model.predict(people))
    assert loaded.get_params()["epsilon"] == 2
    assert loaded.classes_.dtype == object
    again = loaded.fit(people)
    np.testing.assert_array_equal(again.predict_proba(people), model.predict_proba(people))
    with pytest.raises(UsageError, match="no model of EquinoiseRegressor"):
        EquinoiseRegressor.load(tmp_path / folder)
    with pytest.raises(InputError, match=r"no model\.json"):
        EquinoiseClassifier.load(tmp_path)


def test_a_loaded_model_has_the_options_of_its_run(
    schema: Schema, people: pd.DataFrame, tmp_path: Path
) -> None:
    options: dict[str, Any] = {
        "method": "group_weighted",
        "groups": [["sex"], ["paid", "sex"]],
        "group_clip": {"F": 0.5, "M": 0.7},
    }
    _classifier(schema, **options).fit(people).save(tmp_path / "weighted")
    loaded = EquinoiseClassifier.load(tmp_path / "weighted")
    before = dict(loaded.model_card_)
    assert loaded.fit(people).model_card_["groups"] == before["groups"]
    constrained = _classifier(schema, method="raco_dp", constraints="group_error:sex:0.4")
    constrained.fit(people).save(tmp_path / "constrained")
    loaded = EquinoiseClassifier.load(tmp_path / "constrained")
    assert loaded.constraints == ["group_error:sex:0.4"]


def test_a_regression_predicts_within_the_bounds(tmp_path: Path) -> None:
    X = np.linspace(0, 1, 100).reshape(-1, 1)
    model = EquinoiseRegressor(bounds=(0, 1), target_bounds=(0, 10), public_data=True, **_TEST)
    model.fit(X, 20 * X[:, 0] - 5)
    predicted = model.predict(X)
    assert predicted.dtype == float
    assert predicted.min() >= 0
    assert predicted.max() <= 10
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(EquinoiseRegressor.load(tmp_path / "model").predict(X), predicted)


def test_reports_show_in_notebooks(schema: Schema, people: pd.DataFrame) -> None:
    model = _classifier(schema, groups="sex").fit(people)
    assert "sex F" in model.report_._repr_html_()
    assert "NOT PRIVATE" in model.report_._repr_html_()
    assert "noise multiplier" in model.plan()._repr_html_()
    assert "people" in repr(model.model_card_)


def test_a_number_of_records_is_a_whole_one(people: pd.DataFrame) -> None:
    for number in (400.5, True, "400"):
        model = EquinoiseClassifier(**_TEST, **_DECLARED, num_records=number)
        with pytest.raises(SchemaError, match="whole number"):
            model.fit(people[["age", "sex"]], people["paid"])


def test_sensitive_features_may_be_columns_of_X_and_others(people: pd.DataFrame) -> None:
    categories = {**_DECLARED["categories"], "race": ["a", "b"]}
    facts = {**_DECLARED, "categories": categories, "num_records": 400}
    both = pd.DataFrame({"sex": people["sex"], "race": ["a", "b"] * 200})
    model = EquinoiseClassifier(**_TEST, **facts)
    model.fit(people[["age", "sex"]], people["paid"], sensitive_features=both)
    assert list(model.groups_)[:2] == ["sex", "race"]
    assert model.n_features_in_ == 2


@pytest.mark.parametrize("X", [pd.DataFrame({"x": range(40)}), pl.DataFrame({"x": range(40)})])
def test_messages_of_other_types_hold_no_cells(X: Any) -> None:
    facts = {"bounds": (0, 40), "target_bounds": (0, 1), "num_records": 40}
    regressor = EquinoiseRegressor(**_TEST, **facts)
    with pytest.raises(InputError, match="y must hold numbers") as error:
        regressor.fit(X, ["secret"] * 40)
    assert "secret" not in str(error.value)
    sex = pd.Series(["F", np.nan] * 20, name="sex")
    regressor = EquinoiseRegressor(**_TEST, **facts, categories={"sex": ["F"]})
    regressor.fit(X, np.array([True, False] * 20), sensitive_features=sex)
    assert regressor.groups_["sex"] == ["F"]
    mixed = pd.Series(["F", 7] * 20, name="sex")
    assert regressor.fit(X, np.zeros(40), sensitive_features=mixed).groups_["sex"] == ["F"]


# Explanations


def test_terms_are_columns_of_a_frame(schema: Schema, people: pd.DataFrame, tmp_path: Path) -> None:
    model = EquinoiseClassifier("dpgam", schema=schema, **{**_TEST, "steps": None}).fit(people)
    terms = pd.DataFrame(model.explain())
    assert list(terms) == ["column", "part", "share", "contribution"]
    assert set(terms["column"]) == {"age", "sex"}
    assert list(terms[terms["column"] == "sex"]["part"]) == ["F", "M"]
    sums = terms.assign(mean=terms["share"] * terms["contribution"]).groupby("column").sum()
    assert sums["share"].tolist() == pytest.approx([1, 1])
    assert sums["mean"].tolist() == pytest.approx([0, 0], abs=1e-9)
    model.save(tmp_path / "model")
    loaded = EquinoiseClassifier.load(tmp_path / "model")
    assert loaded.explain() == model.explain() == pickle.loads(pickle.dumps(model)).explain()


def test_reasons_are_a_table_of_the_kind_given(schema: Schema, people: pd.DataFrame) -> None:
    model = EquinoiseClassifier("gam", schema=schema, verbose=False).fit(people)
    found = model.explain(pl.from_pandas(people.head(20)), reasons=2)
    assert isinstance(found, pl.DataFrame)
    assert found.columns == ["prediction", "reason 1", "reason 2"]
    assert found["prediction"].to_list() == model.predict(people.head(20)).tolist()
    assert all(one is None or one.startswith(("age=", "sex=")) for one in found["reason 2"])
    linear = _classifier(schema).fit(people).explain(people, reasons=1)
    assert all(str(one).startswith(("age=", "sex=")) for one in linear["reason 1"].dropna())
    with pytest.raises(UsageError, match="reasons is for linear and additive models"):
        _classifier(schema, model="mlp").fit(people).explain(people)


def test_terms_of_a_number_are_in_its_units_and_of_classes_each_has_one(
    schema: Schema, people: pd.DataFrame
) -> None:
    X = people[["sex"]]
    facts: dict[str, Any] = {"categories": {"sex": ["F", "M"]}, "public_data": True}
    facts |= {"bounds": {}, "verbose": False, "method": "gam"}
    age = people["age"] + 20.0 * (people["sex"] == "M")
    number = EquinoiseRegressor(target_bounds=(0, 200), **facts).fit(X, age)
    terms = pd.DataFrame(number.explain()).set_index("part")["contribution"]
    predicted = number.predict(pd.DataFrame({"sex": ["F", "M"]}))
    assert terms["M"] - terms["F"] == pytest.approx(predicted[1] - predicted[0], rel=1e-4)
    bands = np.where(age < 50, "young", np.where(age < 70, "middle", "old"))
    model = EquinoiseClassifier(classes=["young", "middle", "old"], **facts).fit(X, bands)
    classes = pd.DataFrame(model.explain())
    assert list(classes) == ["column", "part", "class", "share", "contribution"]
    assert classes.groupby("part")["contribution"].sum().abs().max() < 1e-9


def test_models_that_are_no_sum_have_no_terms(schema: Schema, people: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="dpsgd releases no terms"):
        _classifier(schema).fit(people).explain()
