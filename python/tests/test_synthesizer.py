# SPDX-License-Identifier: Apache-2.0
"""Synthetic rows."""

import pickle
import tempfile
import warnings
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import PEOPLE

from equinoise import Ledger, Schema, SchemaError, Synthesizer, UsageError, _core


@pytest.fixture
def fitted(schema: Schema, people: pd.DataFrame) -> Synthesizer:
    return Synthesizer("mst", epsilon=2, schema=schema, insecure_test_rng=True, seed=1).fit(people)


def test_rows_are_drawn_as_often_as_one_likes(fitted: Synthesizer, people: pd.DataFrame) -> None:
    rows = fitted.sample()
    assert isinstance(rows, pd.DataFrame)
    assert rows.shape == people.shape
    assert rows["age"].between(18, 90).all()
    women = fitted.sample(20, given={"sex": "F", "age": (30, None)})
    assert len(women) == 20
    assert set(women["sex"]) == {"F"}
    assert (women["age"] >= 30).all()
    assert fitted.sample(50, seed=3).equals(fitted.sample(50, seed=3))
    assert isinstance(fitted.sample(5, backend="polars"), pl.DataFrame)


def test_a_fit_is_paid_for(schema: Schema, people: pd.DataFrame, ledger: Ledger) -> None:
    synthesizer = Synthesizer("mst", epsilon=2, schema=schema, ledger=ledger)
    plan = synthesizer.plan()
    assert plan["privacy"]["epsilon"] <= 2
    assert ledger.spent() == 0
    synthesizer.fit(pl.from_pandas(people))
    assert 0 < ledger.spent() <= 2.1
    assert synthesizer.privacy_.status == "private"
    assert synthesizer.privacy_.relation == "zero_out"
    assert "zero_out" in str(synthesizer.privacy_)
    assert isinstance(synthesizer.sample(3), pl.DataFrame)
    assert "NOT PRIVATE" in (synthesizer.report_.notice or "")
    assert synthesizer.card_.notice is None


def test_a_card_says_what_rows_keep(fitted: Synthesizer) -> None:
    assert str(fitted.card_).startswith("# Synthetic rows: people")
    assert "NOT PRIVATE" in fitted.card_._repr_html_()
    assert fitted.privacy_.epsilon is None
    assert "NOT PRIVATE" in str(fitted.privacy_)


def test_rows_are_compared_with_the_real_ones(fitted: Synthesizer, people: pd.DataFrame) -> None:
    report = fitted.evaluate(people, by="sex", degree=2)
    assert 0 < report["workload_error"] < 0.5
    assert "NOT PRIVATE" in repr(report)
    same = fitted.evaluate(people, synthetic=people, degree=2)
    assert same["workload_error"] == 0


def test_figures_of_the_records_have_intervals(fitted: Synthesizer) -> None:
    report = fitted.estimate(share={"sex": "F"})
    count = report["figures"][0]
    low, high = count["estimate_interval"]
    assert low <= 200 <= high
    assert "sex=F" in repr(report)


def test_a_model_is_saved_and_loaded(
    fitted: Synthesizer, schema: Schema, people: pd.DataFrame, tmp_path: Path
) -> None:
    folder = tmp_path / "rows"
    fitted.save(folder)
    with pytest.raises(FileExistsError):
        fitted.save(folder)
    loaded = Synthesizer.load(folder, schema=schema)
    rows = loaded.sample(50, seed=3)
    assert isinstance(rows["age"], np.ndarray)
    assert rows["age"].tolist() == fitted.sample(50, seed=3)["age"].tolist()
    assert loaded.evaluate(people, degree=1)["degree"] == 1
    assert "mst" in repr(loaded)


def test_gaps_stay_gaps_unless_another_use_is_asked_for(people: pd.DataFrame) -> None:
    def gaps_in_rows(rule: str, **options: Any) -> int:
        known = Schema(PEOPLE.replace('missing = "none"', f'missing = "{rule}"', 1))
        seeded = {"epsilon": 20, "insecure_test_rng": True, "seed": 1, **options}
        rows = Synthesizer("mst", schema=known, **seeded).fit(table).sample(400)
        return int(rows["age"].isna().sum())

    table = people.astype({"age": float})
    table.loc[::4, "age"] = np.nan
    assert 60 < gaps_in_rows("allowed") < 140
    assert gaps_in_rows("allowed", missing="fill") == 0
    assert gaps_in_rows("allowed", drop_incomplete=True) == 0
    with pytest.raises(UsageError, match="drop.incomplete"):
        gaps_in_rows("drop")
    assert gaps_in_rows("drop", drop_incomplete=True) == 0


def test_what_is_missing_is_said(people: pd.DataFrame) -> None:
    with pytest.raises(SchemaError, match="never learnt"):
        Synthesizer(epsilon=1).fit(people)
    with pytest.raises(UsageError, match="call fit"):
        Synthesizer(epsilon=1).sample()


def test_a_model_is_saved_and_not_pickled(fitted: Synthesizer, people: pd.DataFrame) -> None:
    folder = fitted.model_
    with pytest.raises(TypeError, match="save it"):
        pickle.dumps(fitted)
    fitted.fit(people)
    assert not folder.exists()
    folder = fitted.model_
    with pytest.raises(UsageError), warnings.catch_warnings():
        warnings.simplefilter("error")
        Synthesizer("mst", epsilon=1, schema=fitted.schema, degre=2).fit(people)
    assert folder.exists()


def test_a_saved_folder_repeats_its_run(
    fitted: Synthesizer, people: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted.save(tmp_path / "rows")
    people.to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path / "rows")
    for path in Path().iterdir():
        assert tempfile.gettempdir().encode() not in path.read_bytes()
    _core.run(
        ["synth", "--config", "run.toml", "--data", "../people.csv", "--out", "../again"], {}, None
    )
    assert (tmp_path / "again/model.json").read_bytes() == Path("model.json").read_bytes()
    assert Synthesizer.load(".").evaluate(people, degree=1)["degree"] == 1


def test_a_model_that_is_paid_for_is_kept(
    schema: Schema, people: pd.DataFrame, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    synthesizer = Synthesizer("mst", epsilon=1, schema=schema, ledger=ledger)
    run = _core.run

    def stop_after(*arguments: Any) -> None:
        run(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_core, "run", stop_after)
        with pytest.raises(KeyboardInterrupt) as caught:
            synthesizer.fit(people)
    assert "synth had finished" in caught.value.__notes__[0]
    assert len(synthesizer.sample(3)) == 3


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_rows_have_the_types_of_the_records(backend: str, tmp_path: Path) -> None:
    size = 600
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(size) % 300, unit="D")
    records = nw.from_native(
        pd.DataFrame(
            {
                "code": np.arange(size) % 7,
                "on": np.arange(size) % 2 == 0,
                "ward": pd.Categorical(np.where(np.arange(size) % 3 == 0, "a", "b")),
                "day": days,
                "share": np.linspace(0, 1, size),
                "y": np.where(np.arange(size) % 5 == 0, "no", "yes"),
            }
        )
    )
    frame = nw.from_dict(records.to_dict(), backend=backend)
    schema = Schema.draft(frame.to_native(), target="y").mark_reviewed(unit="row")
    rows = Synthesizer(
        "mst", epsilon=5, delta=1e-6, schema=schema, insecure_test_rng=True, seed=1
    ).fit(frame.to_native())
    drawn = nw.from_native(rows.sample(20))
    assert drawn.schema == frame.schema
    if backend != "pyarrow":  # which does not append dictionaries of other index types
        assert len(nw.concat([frame, drawn])) == size + 20
