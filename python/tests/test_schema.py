# SPDX-License-Identifier: Apache-2.0
"""Schemas: drafts, files, review."""

import copy
import pickle
import stat
from pathlib import Path

import pandas as pd
import pytest
from sklearn.base import clone

from equinoise import EquinoiseClassifier, InputError, Ledger, Schema, SchemaError
from equinoise.schema import schema_file


def test_a_draft_is_not_reviewed_until_somebody_says_so(people: pd.DataFrame) -> None:
    draft = Schema.draft(people, target="paid", dataset="people")
    assert (draft.target, draft.dataset, draft.reviewed) == ("paid", "people", False)
    assert "NOT PRIVATE" in draft._repr_html_()
    assert draft.mark_reviewed() is draft
    assert draft.reviewed
    assert "NOT PRIVATE" not in draft._repr_html_()


def test_an_index_that_repeats_is_not_dropped_without_a_word(people: pd.DataFrame) -> None:
    visits = people.assign(patient=[str(i // 3) for i in range(len(people))])
    for names in ("patient", ["sex", "patient"]):
        indexed = visits.set_index(names)
        with pytest.raises(SchemaError, match="reset_index"):
            Schema.draft(indexed, target="paid")
        assert Schema.draft(indexed.reset_index(), target="paid").unit == ""
    assert Schema.draft(people.rename_axis("row"), target="paid").unit == "row"


def test_a_draft_knows_a_target_that_is_no_column(people: pd.DataFrame) -> None:
    features = people.drop(columns="paid")
    draft = Schema.draft(features, y=people["paid"], target="paid")
    assert draft.columns["paid"]["values"] == ["no", "yes"]
    with pytest.raises(SchemaError, match="target="):
        Schema.draft(features, y=people["paid"])


def test_an_index_is_no_column(people: pd.DataFrame) -> None:
    shuffled = people.sample(frac=1, random_state=1)
    assert list(Schema.draft(shuffled, target="paid").columns) == ["age", "sex", "paid"]


def test_review_and_comments_are_kept_in_files(schema: Schema, tmp_path: Path) -> None:
    path = tmp_path / "people.toml"
    schema.save(path)
    loaded = Schema.load(path)
    assert loaded == schema
    assert loaded.reviewed
    assert "# In years." in loaded.text


def test_a_draft_is_written_for_its_owner(people: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "draft.toml"
    path.touch(0o644)
    Schema.draft(people, target="paid").save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not Schema.load(path).reviewed


@pytest.mark.parametrize(
    "text",
    [
        'dataset = "x"',
        'reviewed = false\ndataset = "x"\n',
        'dataset = "x"\nmissing_values = [\n  "",\n]\n[columns.reviewed]\nreviewed = false\n',
    ],
)
def test_only_the_line_of_the_review_changes(text: str) -> None:
    schema = Schema(text).mark_reviewed()
    assert schema.reviewed
    assert schema.text.count("= true") == 1
    assert all(line in schema.text for line in text.splitlines() if "reviewed = f" not in line)


def test_changes_go_through_the_text(schema: Schema) -> None:
    schema.text = schema.text.replace("[18, 90]", "[0, 120]")
    assert schema.columns["age"]["bounds"] == [0, 120]
    with pytest.raises(SchemaError, match="TOML"):
        schema.text = "reviewed = "
    assert schema.columns["age"]["bounds"] == [0, 120]


def test_units_may_have_several_rows(schema: Schema) -> None:
    assert (schema.unit, schema.num_units) == ("row", None)
    visits = Schema('unit = "person_id"\nmax_records_per_unit = 5\n[public]\nnum_units = 100')
    assert (visits.unit, visits.num_units, visits.num_records) == ("person_id", 100, None)


def test_whose_the_rows_are_is_answered_before_a_review() -> None:
    visits = pd.DataFrame(
        {
            "patient_nbr": [100 + 7 * i for i in range(90) for _ in range(1 + i % 3)],
            "ill": ["no", "yes", "no"] * 60,
        }
    )
    draft = Schema.draft(visits, target="ill")
    assert draft.unit == ""
    with pytest.raises(SchemaError, match="whose rows these are") as error:
        draft.mark_reviewed()
    assert error.value.field == "schema.unit"
    assert not draft.reviewed
    draft.unit = "row"
    assert draft.mark_reviewed().check(visits)["unit_stated"] is True
    assert Schema.draft(visits, target="ill").mark_reviewed(unit="row").unit == "row"
    units = Schema.draft(visits, target="ill", unit="patient_nbr").mark_reviewed()
    assert (units.unit, units.num_units) == ("patient_nbr", 90)
    assert units.check(visits)["fits"] is True


def test_nobody_states_what_nobody_answered(people: pd.DataFrame) -> None:
    draft = Schema.draft(people, target="paid")  # whose column of people is gone
    for unit, is_stated in ((None, False), ("row", True)):
        reviewed = Schema(draft.text).mark_reviewed(unit=unit)
        assert reviewed.unit == "row"
        assert reviewed.check()["unit_stated"] is is_stated
    by_hand = Schema(draft.text.replace('# unit = "row"', 'unit = "row"'))
    assert by_hand.check()["unit_stated"] is True
    assert Schema.draft(people, unit="row").check()["unit_stated"] is True


def test_without_a_review_there_is_no_pickle(people: pd.DataFrame) -> None:
    draft = Schema.draft(people, target="paid")
    model = EquinoiseClassifier(schema=draft)
    for held in (draft, model, {"model": model}):
        with pytest.raises(TypeError, match=r"not pickled, .*save\(path\).*mark_reviewed\(\)"):
            pickle.dumps(held)
    assert copy.deepcopy(model).schema.columns == clone(model).schema.columns == draft.columns
    # What its owner calls public may be anywhere, but a draft alone still waits for a review.
    stated = pickle.loads(pickle.dumps(EquinoiseClassifier(schema=draft, public_data=True)))
    assert stated.schema.columns == draft.columns
    assert "#" in draft.text and "#" not in stated.schema.text
    with pytest.raises(TypeError, match=r"nor sent to other processes \(n_jobs\)"):
        pickle.dumps(draft)
    draft.mark_reviewed()
    assert pickle.loads(pickle.dumps(model)).schema == draft


def test_a_target_does_not_replace_a_column(people: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="column 'paid' already"):
        Schema.draft(people, y=people["sex"], target="paid")
    with pytest.raises(ValueError, match="data and y have different indexes"):
        Schema.draft(people, y=people["sex"][::-1], target="y")


def test_only_the_unit_of_the_table_is_set() -> None:
    schema = Schema('unit = ""  # whose?\n[columns.age]\nunit = "years"\n')
    schema.unit = 'the "id"'
    assert (schema.unit, schema.columns["age"]["unit"]) == ('the "id"', "years")
    schema = Schema('dataset = "x"\n[columns.age]\nunit = "years"\n')
    schema.unit = "row"
    assert (schema.unit, schema.columns["age"]["unit"]) == ("row", "years")
    assert 'unit = "row"' in schema.text


def test_a_changed_schema_is_not_that_of_its_file(schema: Schema, tmp_path: Path) -> None:
    path = tmp_path / "people.toml"
    schema.save(path)
    with schema.file() as used:
        assert Path(used) == path
    schema.text += "\n# more\n"
    with schema.file() as used:
        assert Path(used) != path
        assert Path(used).read_text() == schema.text
    assert not Path(used).exists()


def test_a_table_is_checked(schema: Schema, people: pd.DataFrame) -> None:
    assert schema.check()["data_checked"] is False
    report = schema.check(people)
    assert report["fits"] is True
    assert "NOT PRIVATE" in repr(report)
    with pytest.raises(InputError, match="rows"):
        schema.check(people.head(10))


def test_all_that_does_not_fit_is_in_the_error(schema: Schema, people: pd.DataFrame) -> None:
    odd = people.head(10).assign(age="old", sex="x")
    with pytest.raises(InputError, match="has 10 rows.*; column age: .*; column sex: "):
        schema.check(odd)


def test_sizes_are_paid_for(schema: Schema, people: pd.DataFrame, ledger: Ledger) -> None:
    sized = schema.sizes(people, "paid", epsilon=0.5, ledger=ledger)
    assert sized.text.count("num_records") == 5
    assert ledger.spent() == pytest.approx(0.5, rel=1e-3)


def test_without_a_schema_the_lines_to_write_are_shown() -> None:
    with pytest.raises(SchemaError, match=r"mark_reviewed\(\)") as error, schema_file(None):
        pass
    assert error.value.field == "schema"


def test_a_draft_runs_nothing_private(people: pd.DataFrame, ledger: Ledger) -> None:
    draft = Schema.draft(people, target="paid", dataset="people")
    with pytest.raises(SchemaError, match="not reviewed"):
        draft.sizes(people, "sex", epsilon=0.5, ledger=ledger)
    assert ledger.spent() == 0
