# SPDX-License-Identifier: Apache-2.0
"""Figures of groups by equinoise.audit and by fairlearn's MetricFrame, on predictions of a private classifier.

Usage: PYTHONPATH=build/bench/python build/python-peers/bin/python bench/peers/python/audits.py
Prints the largest difference between any two figures, which may be no more than rounding, and fails if it is more or if
one alone is undefined. The classifier is seeded: NOT PRIVATE.
"""

import math
import sys
import time
from functools import partial

import fairlearn.metrics as fairlearn
import numpy as np
import tables
from sklearn.metrics import accuracy_score, precision_score

from equinoise import EquinoiseClassifier, audit

METRICS = {
    "accuracy": accuracy_score,
    "precision": partial(precision_score, zero_division=np.nan),
    "selection_rate": fairlearn.selection_rate,
    "true_positive_rate": fairlearn.true_positive_rate,
    "false_positive_rate": fairlearn.false_positive_rate,
    "false_negative_rate": fairlearn.false_negative_rate,
}
ROUNDING = 1e-12


def apart(mine, theirs):
    """None of ours is NaN of fairlearn's."""
    if mine is None or math.isnan(theirs):
        return 0.0 if mine is None and math.isnan(theirs) else math.inf
    return abs(mine - theirs)


def predictions(table):
    model = EquinoiseClassifier("dpsgd", schema=table.schema, num_records="table", public_data=True, test_fraction=0,
                                epsilon=1, insecure_test_rng=True, seed=1, verbose=False)  # fmt: skip
    model.fit(table.features(table.train), table.train[table.schema.target])
    return model.predict(table.features(table.test))


def pairs(report, frame, groups):
    """Of all figures, overall, by group and of disparities: ours, fairlearn's."""
    for name, theirs in frame.overall.items():
        yield report["overall"][name], theirs
    for row in report.by_group.iter_rows(named=True):
        key = tuple(row[group] for group in groups)
        theirs = frame.by_group.loc[key if len(groups) > 1 else key[0]]
        for name in METRICS:
            yield row[name], theirs[name]
    for method in ("between_groups", "to_overall"):
        for mine, theirs in (
            (report.difference(method), frame.difference(method=method)),
            (report.ratio(method), frame.ratio(method=method)),
        ):
            for name in METRICS:
                yield mine[name], theirs[name]


def main():
    worst = 0.0
    print("| table | groups | figures | undefined | largest difference | ms, with intervals | fairlearn, without |")
    print("|---|---|---|---|---|---|---|")
    for table in tables.tables():
        decisions, outcomes = predictions(table), table.outcomes(table.test)
        positive = sorted(set(outcomes))[1]
        for groups in ([table.groups[0]], table.groups):
            # Our audit knows groups as texts.
            features = table.test.select(table.groups).cast(str).select(groups)
            begin = time.process_time()
            report = audit(outcomes, decisions, sensitive_features=features, pos_label=positive)
            between = time.process_time()
            truths = [(values == positive).astype(int) for values in (outcomes, decisions)]
            frame = fairlearn.MetricFrame(metrics=METRICS, y_true=truths[0], y_pred=truths[1],
                                          sensitive_features=features.to_dict(as_series=False))  # fmt: skip
            found = list(pairs(report, frame, groups))
            took = between - begin, time.process_time() - between
            undefined = sum(mine is None for mine, _ in found)
            largest = max(apart(mine, theirs) for mine, theirs in found)
            worst = max(worst, largest)
            print(f"| {table.name} | {', '.join(groups)} | {len(found)} | {undefined} | {largest:.0e} |"
                  f" {took[0] * 1e3:.0f} | {took[1] * 1e3:.0f} |", flush=True)  # fmt: skip
    sys.exit(int(worst > ROUNDING))


if __name__ == "__main__":
    main()
