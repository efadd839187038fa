# SPDX-License-Identifier: Apache-2.0
"""Ledgers: accounts, budgets, no copies."""

import copy
import pickle
from pathlib import Path

import pandas as pd
import pytest

from equinoise import BudgetError, Ledger, LedgerError, Schema


def test_an_account_has_a_budget(tmp_path: Path) -> None:
    with Ledger(tmp_path / "x.ledger") as ledger:
        ledger.open("people", epsilon=2, delta=1e-7, accountant="zcdp")
        assert (ledger.spent(), ledger.left()) == (0, 2)
        report = ledger.show()
    assert report["budget"]["accountant"] == "zcdp"
    assert "epsilon 2 at delta 1e-07" in repr(report)
    assert "<table>" in ledger._repr_html_()


def test_a_budget_holds(schema: Schema, people: pd.DataFrame, ledger: Ledger) -> None:
    schema.sizes(people, "paid", epsilon=2, ledger=ledger)
    with pytest.raises(BudgetError):
        schema.sizes(people, "paid", epsilon=2, ledger=ledger)
    assert ledger.spent() == pytest.approx(2, rel=1e-3)
    assert len(ledger.show()["entries"]) == 1
    assert ledger.verify()["ok"] is True


def test_accounts_are_opened_once(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="already has an account"):
        ledger.open("people", epsilon=5)
    ledger.open("others", epsilon=1)
    assert ledger.left("others") == 1


def test_a_ledger_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(LedgerError) as error:
        Ledger(tmp_path / "none.ledger").show()
    assert error.value.field == "privacy.ledger"


def test_a_block_ends_with_a_check(ledger: Ledger) -> None:
    with pytest.raises(LedgerError), ledger:
        ledger.path.write_bytes(b"no ledger")


def test_groups_may_have_caps(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "x.ledger")
    ledger.open("people", epsilon=2, fixed_groups=True, group_caps={"sex=F": 0.5})
    assert ledger.show()["groups"]


def test_a_ledger_is_not_copied(ledger: Ledger) -> None:
    assert copy.deepcopy(ledger) is ledger
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(ledger)
