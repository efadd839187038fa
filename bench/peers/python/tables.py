# SPDX-License-Identifier: Apache-2.0
"""The tables of the comparisons: Adult of data/adult and, where the shared data lie, census incomes of New York."""

import os
import re
from pathlib import Path

import numpy as np
import polars as pl

from equinoise import Schema

ROOT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("EQUINOISE_SHARED", ROOT.parent / "shared"))


class Table:
    """Records and what is public about them. `train` and `test` are three quarters and the rest."""

    def __init__(self, name, frame, schema, groups):
        self.name, self.frame, self.schema, self.groups = name, frame, schema, groups
        order = np.random.default_rng(0).permutation(len(frame))
        num_train = len(frame) * 3 // 4 // 64 * 64  # a multiple of 64: sample rates of 1/64 have whole batches
        self.train, self.test = frame[order[:num_train]], frame[order[num_train:]]

    def features(self, part):
        return part.drop(self.schema.target)

    def outcomes(self, part):
        return part[self.schema.target].to_numpy()


def adult_schema():
    """Adult's schema for any number of its records: without the sizes of its groups."""
    text = (ROOT / "data/adult/schema.toml").read_text(encoding="utf-8")
    return Schema(re.sub(r"\[\[public\.groups\]\]\n(.+\n)+", "", text))


def adult():
    return Table("adult", pl.read_csv(ROOT / "data/adult/adult.csv.gz"), adult_schema(), ["sex", "race"])


def tables():
    found = [adult()]
    path = SHARED / "data/acs_income_2018_NY.csv.gz"
    if path.exists():
        frame = pl.read_csv(path)
        schema = Schema.draft(frame, target="PINCP", dataset="acs_income")
        found.append(Table("acs_income NY", frame, schema, ["SEX", "RAC1P"]))
    return found
