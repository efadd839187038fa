# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from equinoise import EquinoiseClassifier, Schema, Synthesizer, audit, compare, means, tables
from equinoise._options import (
    Option,
    docstring_of,
    given,
    is_private,
    options_of,
    refuse_unknown,
    signature_of,
)
from equinoise.errors import UnknownOptionError


def test_options_are_those_of_the_command() -> None:
    options = options_of("train")
    assert options["max_grad_norm"].type == "FLOAT"
    assert options["optimizer"].values == ("sgd", "momentum", "adam")
    assert options["insecure_test_rng"].type is None
    assert "dpsgd_global" in options["strict_bound"].of
    assert "no_private_evaluation" not in options
    assert "out" not in options_of("plan")


def test_what_is_given() -> None:
    values = {"steps": 3, "epsilon": None, "private_evaluation": False, "out": "x"}
    assert given("plan", values) == {"steps": 3, "no_private_evaluation": True}


def test_who_is_private() -> None:
    assert is_private("train", "dpsgd")
    assert not is_private("train", "sgd")
    assert is_private("train", "nobody knows")


def test_signatures() -> None:
    assert str(signature_of("method=dpsgd", ["a"])) == "(self, method='dpsgd', *, a=None)"


def test_docstrings() -> None:
    options = [
        Option("steps", "Number, with --max-grad-norm", "INT", "3"),
        Option("aim", "Whose losses", "TEXT", values=("a", "b"), group="Training", of=("x",)),
    ]
    assert docstring_of("A head.", options) == (
        "A head.\n\nParameters\n----------\nsteps : int, optional\n"
        "    Number, with max_grad_norm [3].\n\n**Training**\n\naim : {a, b}, optional\n"
        "    Whose losses. Of x.\n"
    )


def test_unknown_names() -> None:
    refuse_unknown("It", ["a"], ["a"])
    with pytest.raises(UnknownOptionError, match=r"^It has no parameter 'xyz'$"):
        refuse_unknown("It", ["a", "xyz"], ["a"])


def test_options_of_files_have_no_use(schema: Schema) -> None:
    calls: dict[str, Callable[..., Any]] = {
        "audit": partial(audit, [1], [1], sensitive_features=["F"]),
        "compare": partial(compare, {}, schema=schema),
        "means": partial(means, {}, "age", schema=schema),
        "tables": partial(tables, {}, schema=schema),
        "Synthesizer": Synthesizer,
        "EquinoiseClassifier": EquinoiseClassifier,
        "Schema.draft": partial(Schema.draft, {}),
        "Schema.check": partial(schema.check, {}),
        "Schema.sizes": partial(schema.sizes, {}, "sex", epsilon=1),
    }
    for owner, call in calls.items():
        for name in ("out", "json", "quiet", "config", "force", "delimiter"):
            with pytest.raises(UnknownOptionError, match=f"^{owner} has no parameter '{name}'"):
                call(**{name: True})
    with pytest.raises(UnknownOptionError, match="^Synthesizer has no parameter 'format'"):
        Synthesizer(format="csv")
    with pytest.raises(UnknownOptionError, match="did you mean min_ratio"):
        calls["audit"](min_ratios={"accuracy": 1})
