# SPDX-License-Identifier: Apache-2.0
"""Options as words of the tool, and what it warns of."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from equinoise import EquinoiseClassifier, Ledger, RunWarning, Schema, UsageError
from equinoise._command import words_of


def test_options_as_words() -> None:
    options = {
        "max_grad_norm": 0.5,
        "quiet": True,
        "seed": None,
        "groups": [["sex", "race"], ["age"]],
        "columns": ["age", "hours"],
        "min_ratio": {"accuracy": 0.8},
        "constraint": [("demographic_parity:sex,race:0.05",)],
        "na": "-",
    }
    assert words_of(options) == [
        "--max-grad-norm=0.5",
        "--quiet",
        "--groups=sex,race",
        "--groups=age",
        "--columns=age,hours",
        "--min-ratio=accuracy=0.8",
        "--constraint=demographic_parity:sex,race:0.05",
        "--na=-",
    ]


# An empty word would take the next option for its value.
@pytest.mark.parametrize("value", ["", [""], [("",)]])
def test_an_empty_text_is_no_value(value: Any) -> None:
    with pytest.raises(UsageError, match=r"\[ledger\] an empty text"):
        words_of({"ledger": value, "insecure_test_rng": True})


@pytest.mark.parametrize("value", [["a,b"], ["age", "a,b"], [["age", "a,b"]]])
def test_a_name_with_a_comma_is_not_two(value: Any) -> None:
    with pytest.raises(UsageError, match=r"\[columns\] 'a,b' has a comma"):
        words_of({"columns": value})


# Of a frame str() would quote cells.
@pytest.mark.parametrize("value", [pd.DataFrame({"a": ["secret"]}), ["a", object()], {"a": b"x"}])
def test_values_are_texts_and_numbers(value: Any) -> None:
    with pytest.raises(TypeError, match=r"\[metric\] a value must be") as error:
        words_of({"metric": value})
    assert "secret" not in str(error.value)
    assert words_of({"n": [np.float32(0.5), np.int64(2), True]}) == ["--n=0.5,2,True"]


def test_what_does_not_fit_is_warned_of_before_it_is_paid(
    schema: Schema, people: pd.DataFrame, ledger: Ledger
) -> None:
    model = EquinoiseClassifier(epsilon=1, schema=schema, ledger=ledger, steps=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        with pytest.raises(RunWarning, match="not private: column sex: 400 of 400 cells"):
            model.fit(people.assign(sex="f"))
    assert ledger.spent() == 0


def test_an_account_beside_others_is_warned_of(ledger: Ledger) -> None:
    with pytest.warns(RunWarning, match="also holds accounts for people"):
        ledger.open("the_same_people", epsilon=3)
