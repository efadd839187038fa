# SPDX-License-Identifier: Apache-2.0
"""Options as words of the tool, and what it warns of."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from equinoise import (
    EquinoiseClassifier,
    Ledger,
    RunWarning,
    Schema,
    Synthesizer,
    UsageError,
    means,
    tables,
)
from equinoise._command import in_python, words_of


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
def test_a_text_with_a_comma_is_not_two(value: Any) -> None:
    with pytest.raises(UsageError, match=r"\[constraint\] 'a,b' has a comma"):
        words_of({"constraint": value})


def test_a_name_is_one_value_whatever_it_contains() -> None:
    types = {"columns": "NAME,...", "share": "TEXT"}
    assert words_of({"columns": ["age", "a, b", "[x]", 'q"']}, types) == [
        '--columns=age,"a, b","[x]","q"""'
    ]
    assert words_of({"share": {"a=b": "c, d"}}, types) == ['--share="a=b"="c, d"']
    assert words_of({"groups": [["a,b", "c"], ["d"]]}) == ['--groups="a,b",c', "--groups=d"]


def test_true_is_for_flags() -> None:
    with pytest.raises(TypeError, match=r"\[epsilon\] takes a value"):
        words_of({"epsilon": True}, {"epsilon": "FLOAT"})


def test_messages_name_parameters() -> None:
    types = {"epsilon": "FLOAT", "private_sizes": None, "ledger": "TEXT"}
    text = "give --epsilon or --private-sizes, not --x; try: equinoise ledger init --ledger l"
    assert in_python(text, types) == (
        "give epsilon or private_sizes, not --x; try: equinoise ledger init --ledger l"
    )


NAMES = ["a, b", "[x]", "e=f", 'q"q', "it's", "--h", "k:1", " lead", "é ü", "#h", "a.b", "x=1,y=2"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_reaches_the_tool(name: str, tmp_path: Path) -> None:
    number = np.linspace(0, 10, 600)
    cell = name.strip()  # blanks around a cell are none of it
    word = np.where(np.arange(600) % 3 == 0, cell, "v")
    numbers = pd.DataFrame({name: number, "g": word, "y": np.where(number > 4, "no", "yes")})
    words = pd.DataFrame({name: word, "n": number, "y": numbers["y"]})
    paid = {"epsilon": 1, "ledger": tmp_path / "ledger"}
    schemas = []
    for frame, dataset in ((numbers, "numbers"), (words, "words")):
        schemas.append(Schema.draft(frame, target="y", dataset=dataset).mark_reviewed(unit="row"))
        Ledger(paid["ledger"]).open(dataset, epsilon=20, delta=1e-6)
    means(numbers, [name], bounds={name: "0:10"}, schema=schemas[0], **paid)
    tables(numbers, quantiles={name: [0.5]}, mean=[name], by="g", schema=schemas[0], **paid)
    means(words, ["n"], by=[name], private_sizes=True, schema=schemas[1], **paid)
    tables(words, share=[name], mean="n", by=[name], compare=[name], schema=schemas[1], **paid)
    rows = Synthesizer("mst", schema=schemas[1], delta=1e-6, **paid).fit(words)
    assert list(rows.sample(3, given={name: cell})[name]) == [cell] * 3
    assert rows.estimate(share={name: cell}, by="y")["figures"]


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
