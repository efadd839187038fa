# SPDX-License-Identifier: Apache-2.0
"""How close rows come to real ones, by the protocol of arXiv 2504.14061: the same code for every program's rows."""

import itertools
import warnings

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

QUERIES = 1000
MOST_TRAINED_ON = 50_000  # rows that a classifier is trained on, to keep it short


def pair_error(real, rows, sizes):
    """The mean total variation of all pairs of columns."""
    found = []
    for a, b in itertools.combinations(range(len(sizes)), 2):
        shares = [
            np.bincount(table[:, a] * sizes[b] + table[:, b], minlength=sizes[a] * sizes[b]) / len(table)
            for table in (real, rows)
        ]
        found.append(np.abs(shares[0] - shares[1]).sum() / 2)
    return float(np.mean(found))


def query_error(real, rows, numeric):
    """The mean difference of shares over random queries of three columns: ranges of numbers, values of the others.

    Ends of ranges and values are drawn evenly from those of the real rows, the same for all programs.
    """
    rng, found = np.random.default_rng(0), []
    values = [np.unique(column) for column in real.T]
    for _ in range(QUERIES):
        inside = [np.ones(len(table), dtype=bool) for table in (real, rows)]
        for column in rng.choice(real.shape[1], 3, replace=False):
            low, high = values[column][0], values[column][-1]
            if column in numeric:
                low, high = sorted(rng.uniform(low, high, 2))
            else:
                low = high = rng.choice(values[column])
            for i, table in enumerate((real, rows)):
                inside[i] &= (table[:, column] >= low) & (table[:, column] <= high)
        found.append(abs(inside[0].mean() - inside[1].mean()))
    return float(np.mean(found))


def f1(real, rows, target):
    """Macro F1 on real rows of classifiers that are trained on `rows`: the mean of three."""
    rows = rows[np.random.default_rng(0).permutation(len(rows))[:MOST_TRAINED_ON]]
    if len(np.unique(rows[:, target])) < 2:
        return None  # nothing to learn: undefined
    features, labels = np.delete(rows, target, axis=1), rows[:, target]
    found = []
    for classifier in (
        HistGradientBoostingClassifier(random_state=0),
        RandomForestClassifier(100, min_samples_leaf=5, random_state=0),
        make_pipeline(StandardScaler(), MLPClassifier((64,), max_iter=15, random_state=0)),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # few epochs, on purpose
            classifier.fit(features, labels)
        found.append(f1_score(real[:, target], classifier.predict(np.delete(real, target, axis=1)), average="macro"))
    return float(np.mean(found))


def judge(table, rows):
    sizes = list(table.sizes.values())
    return {
        "pairs": pair_error(table.test, rows, sizes),
        "pairs_of_table": pair_error(table.train, rows, sizes),
        "queries": query_error(table.test, rows, table.numeric),
        "f1": f1(table.test, rows, table.target),
    }
