# SPDX-License-Identifier: Apache-2.0
"""Reports as texts and in notebooks."""

import stat
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import PEOPLE

from equinoise import Ledger, Schema, Synthesizer, audit, compare
from equinoise.reports import PagedReport, Report, cell, downward, upward


def test_what_is_undefined_is_no_number() -> None:
    assert [cell(v) for v in (None, float("nan"), [None, None], 0, 0.0)] == [
        "-",
        "-",
        "-",
        "0",
        "0",
    ]
    assert cell(12345.6) == "12,346"
    assert cell([None, 1.5]) == "[-, 1.5]"


def test_what_is_promised_is_never_rounded_in_our_favour() -> None:
    assert upward(0.92341) == upward(0.92349) == "0.9235"
    assert downward(2.07659) == "2.076"
    assert (upward(1.0), downward(3.0), upward(1 - 1e-12)) == ("1", "3", "1")


def test_texts_are_escaped() -> None:
    report = Report({"<b>": "<script>", "warnings": ["<i>"], "notice": "<u>"})
    shown = report._repr_html_()
    assert not any(tag in shown for tag in ("<b>", "<script>", "<i>", "<u>"))
    assert "&lt;script&gt;" in shown


def test_figures_that_are_not_private_say_so() -> None:
    for content in (
        {"status": "not private"},
        {"status": "insecure rng"},
        {"notice": "DO NOT PUBLISH"},
        {"not_private": {"notice": "DO NOT PUBLISH"}},
    ):
        assert "NOT PRIVATE" in repr(Report(content))
        assert "NOT PRIVATE" in Report(content)._repr_html_()
    assert "NOT PRIVATE" not in repr(Report({"status": "private"}))


def test_pages_are_for_their_owner(tmp_path: Path) -> None:
    report = PagedReport({}, '<p title="x">')
    report.save_html(tmp_path / "page.html")
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == 0o600
    assert (tmp_path / "page.html").read_text() == '<p title="x">'
    assert "&lt;p title=&quot;x&quot;&gt;" in report.as_iframe()


def test_a_report_is_a_mapping() -> None:
    report = Report({"a": 1, "b": None})
    assert dict(report) == {"a": 1, "b": None}
    assert len(report) == 2


def test_pages_name_no_folder_that_is_gone(
    schema: Schema, people: pd.DataFrame, ledger: Ledger, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tmp_path = tmp_path_factory.mktemp("pages")
    study: dict[str, Any] = {"epsilon": 1, "seeds": 1, "steps": 5, "groups": "sex"}
    compare(people, methods="dpsgd", schema=schema, **study).save_html(tmp_path / "compared.html")
    audit([1, 0], [1, 1], sensitive_features=["F", "M"]).save_html(tmp_path / "audit.html")
    rows = Synthesizer("mst", epsilon=2, schema=schema, insecure_test_rng=True, seed=1).fit(people)
    rows.evaluate(people, degree=1).save_html(tmp_path / "evaluation.html")
    for path in tmp_path.iterdir():
        assert tempfile.gettempdir() not in path.read_text()
    text = PEOPLE[: PEOPLE.index("[[public")] + PEOPLE[PEOPLE.index("# In years") :]
    sizes = Schema(text).sizes(people, "sex", epsilon=1, ledger=ledger)
    assert tempfile.gettempdir() not in sizes.text
