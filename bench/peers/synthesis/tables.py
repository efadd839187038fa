# SPDX-License-Identifier: Apache-2.0
"""The protocol's tables as codes 0 to k - 1, one coding for all programs.

Codes are taken from the tables, which are public; a private table would need them from a schema.
"""

import csv
import dataclasses
import gzip
import json
import os

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
DATA = os.path.join(os.environ.get("EQUINOISE_SHARED", os.path.join(ROOT, "../shared")), "data")
MOST_VALUES = 100  # a column of whole numbers within such a range keeps them
BINS = 32  # of other columns with more than MOST_CATEGORIES values
MOST_CATEGORIES = 40
TEST_SHARE = 0.2


@dataclasses.dataclass
class Source:
    file: str
    target: str
    numeric: tuple = ()  # columns that queries ask for by range
    domain: str = ""  # file of the numbers of codes, of a table that is coded already
    left_out: tuple = ()


SOURCES = {
    "adult": Source(
        "adult_pgm.csv.gz", "income>50K", domain="adult_pgm_domain.json",
        numeric=("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"),
    ),
    "heart": Source(
        "heart_brfss2015.csv.gz", "HeartDiseaseorAttack",
        numeric=("BMI", "GenHlth", "MentHlth", "PhysHlth", "Age", "Education", "Income"),
    ),
    "law": Source(
        "law_school_bar.csv.gz", "pass_bar", left_out=("ID",),
        numeric=("lsat", "ugpa", "zfygpa", "DOB_yr", "zgpa", "age", "index6040", "dnn_bar_pass_prediction", "gpa"),
    ),
}  # fmt: skip


@dataclasses.dataclass
class Table:
    sizes: dict  # number of codes of each column
    train: np.ndarray
    test: np.ndarray
    numeric: list  # positions
    target: int


def read_numbers(cells):
    """Numbers of cells that all are some or missing; None otherwise."""
    try:
        return np.array([float(cell) if cell.strip() else np.nan for cell in cells])
    except ValueError:
        return None


def code(cells):
    """Codes of a column and how many there are; missing cells have the last one."""
    numbers = read_numbers(cells)
    if numbers is None:
        values = sorted(set(cells))
        where = {value: i for i, value in enumerate(values)}
        return np.array([where[cell] for cell in cells]), len(values)
    missing = np.isnan(numbers)
    present = numbers[~missing]
    low, high = present.min(), present.max()
    if np.all(present == np.round(present)) and high - low < MOST_VALUES:
        size, codes = int(high - low) + 1, numbers - low
    elif len(values := np.unique(present)) <= MOST_CATEGORIES:
        size, codes = len(values), np.searchsorted(values, numbers)
    else:
        size, codes = BINS, np.minimum((numbers - low) * (BINS / (high - low)), BINS - 1)
    codes = np.where(missing, size, codes).astype(np.int64)
    return codes, size + int(missing.any())


def path_of(name):
    return os.path.join(DATA, name)


def missing_files(name):
    source = SOURCES[name]
    return [path for path in map(path_of, filter(None, (source.file, source.domain))) if not os.path.exists(path)]


def read(name, most_records=None):
    """A table with one fifth of its records, always the same, held out. Of most_records at random if given."""
    source = SOURCES[name]
    with gzip.open(path_of(source.file), "rt", encoding="utf-8") as file:
        head, *records = csv.reader(file)
    if source.domain:
        with open(path_of(source.domain), encoding="utf-8") as file:
            sizes = json.load(file)
        rows = np.array(records, dtype=np.int64)[:, [head.index(column) for column in sizes]]
    else:
        columns = [column for column in head if column not in source.left_out]
        coded = [code([record[head.index(column)] for record in records]) for column in columns]
        sizes = {column: size for column, (_, size) in zip(columns, coded)}
        rows = np.stack([codes for codes, _ in coded], axis=1)
    rows = rows[np.random.default_rng(0).permutation(len(rows))[:most_records]]
    num_test = int(len(rows) * TEST_SHARE)
    columns = list(sizes)
    numeric = [columns.index(column) for column in source.numeric]
    return Table(sizes, rows[num_test:], rows[:num_test], numeric, columns.index(source.target))
