# SPDX-License-Identifier: Apache-2.0
"""Methods side by side."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from equinoise import Schema, SchemaError, UsageError, compare

STUDIES: dict[str, dict[str, Any]] = {
    "train": {"methods": ["dpsgd", "sgd"], "steps": 20, "groups": "sex"},
    "means": {"methods": "bounded,laplace", "columns": "age", "by": "sex"},
    "synth": {"methods": "mst", "by": "sex"},
}


@pytest.mark.parametrize("task", STUDIES)
def test_methods_are_compared(task: Any, schema: Schema, people: pd.DataFrame) -> None:
    report = compare(
        people, task=task, epsilon=[1, 2], seeds=2, schema=schema, public_data=True, **STUDIES[task]
    )
    frame = report.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert set(frame["method"]) == {row["method"] for row in report["rows"]}
    assert (frame["overall_lower"] <= frame["overall"]).all()
    assert set(report.by_group["group"]) == {"sex=F", "sex=M"}
    assert [one["epsilon"] for one in report.recommendations] == [1, 2]
    assert "Do not use these figures to choose" not in repr(report)


def test_the_page_is_shown_and_saved(schema: Schema, people: pd.DataFrame, tmp_path: Path) -> None:
    report = compare(people, epsilon=1, seeds=2, schema=schema, **STUDIES["train"])
    assert report.recommendations == []
    assert "NOT PRIVATE" in repr(report)
    assert "Do not use these figures to choose" in repr(report)
    assert report._repr_html_().startswith("<iframe srcdoc=")
    assert "<script>" not in report._repr_html_()  # it is escaped
    report.save_html(tmp_path / "page.html")
    assert "not private" in (tmp_path / "page.html").read_text()


def test_grids_and_mistakes(schema: Schema, people: pd.DataFrame) -> None:
    study = {**STUDIES["train"], "methods": "dpsgd", "epsilon": 1, "seeds": 1}
    report = compare(people, schema=schema, grid={"max_grad_norm": [0.5, 1]}, **study)
    assert report.to_frame()["options"].tolist() == ["max_grad_norm=0.5", "max_grad_norm=1"]
    with pytest.raises(SchemaError):
        compare(people, **study)
    with pytest.raises(UsageError):
        compare(people, schema=schema, grd={}, nonsense=3, **study)
    with pytest.raises(ValueError, match="task"):
        compare(people, task="trian", schema=schema)  # type: ignore[arg-type]
