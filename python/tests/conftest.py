# SPDX-License-Identifier: Apache-2.0
"""What tests share: small tables with a schema and a ledger of their own."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from equinoise import Ledger, Schema

ROOT = Path(__file__).parents[2]

PEOPLE = """\
schema = "equinoise/1"
dataset = "people"
reviewed = true
unit = "row"
target = "paid"

[public]
num_records = 400

[[public.groups]]
group = { sex = "F" }
num_records = 200
[[public.groups]]
group = { sex = "M" }
num_records = 200

# In years.
[columns.age]
type = "numeric"
bounds = [18, 90]
whole = true
missing = "none"

[columns.sex]
type = "categorical"
values = ["F", "M"]
missing = "none"

[columns.paid]
type = "categorical"
values = ["no", "yes"]
missing = "none"
"""


@pytest.fixture
def schema() -> Schema:
    return Schema(PEOPLE)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "people.ledger").open("people", epsilon=3, delta=1e-6)


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    sex = np.repeat(["F", "M"], 200)
    age = rng.integers(18, 91, 400)
    paid = np.where(age + 10 * (sex == "M") + rng.normal(0, 9, 400) > 55, "yes", "no")
    return pd.DataFrame({"age": age, "sex": sex, "paid": paid})
