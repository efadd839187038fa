# SPDX-License-Identifier: Apache-2.0
"""The notebooks run on the real table, in a folder of their own, and print what they promise."""

import runpy
from pathlib import Path

import pytest
from conftest import ROOT

PRINTED = {
    "first_model": ["48,842 people", "NOT PRIVATE", "Protected (zero_out)", "Female"],
    "constraints": ["constrained", "four-fifths", "train raco_dp"],
    "synthetic_rows": ["How to quote these rows", "records with", "Female"],
    "shared_budget": ["refused: [privacy.ledger]", "week 1", "train dpsgd"],
}


def test_every_notebook_is_run() -> None:
    assert {path.stem for path in (ROOT / "python" / "notebooks").glob("*.py")} == set(PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_notebooks_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "python" / "notebooks" / f"{name}.py"))
    printed = capsys.readouterr().out
    for text in PRINTED[name]:
        assert text in printed
