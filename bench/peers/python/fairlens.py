# SPDX-License-Identifier: Apache-2.0
"""A reading of FairLens that paper 001 does not print, on the Dutch census.

Usage: PYTHONPATH=build/bench/python build/python-peers/bin/python bench/peers/python/fairlens.py [--weight -0.55]
The model, records and rates are those of the item 001/table5: two sigmoids o of scores, softmax loss of these. The
boundary term is the mean over both sexes of the mean of sum_j o_j (1 - o_j) over the records of one; its weight is
below 0, so that it draws outputs to the boundary. The clipping term is left out. As in the item, gradients with the
term are clipped to 0.1, noise is 1 clip, and losses are those of batches in the last epoch before each step.
NOT PRIVATE.
"""

import argparse
import csv
import gzip
import statistics

import numpy as np
from tables import SHARED

NUM_SEEDS = 5
EPOCHS = 20
CLIP, NOISE, RATE = 0.1, 1, 0.8
CATEGORIES = (
    "age household_position household_size citizenship country_birth edu_level economic_status cur_eco_activity "
    "marital_status"
).split()


def dutch():
    """Features, labels and sexes."""
    with gzip.open(SHARED / "data/dutch_census_2001.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    columns = [[float(row[name] == "2") for row in rows] for name in ("sex", "prev_residence_place")]
    for name in CATEGORIES:
        for value in sorted({row[name] for row in rows}):
            columns.append([float(row[name] == value) for row in rows])
    columns.append(np.ones(len(rows)))
    labels = np.array([int(row["occupation"]) for row in rows])
    return np.array(columns).T, labels, np.array([row["sex"] == "2" for row in rows], dtype=int)


def outputs_of(features, weights):
    return 1 / (1 + np.exp(-features @ weights.T))


def shares_of(group):
    """The weight of each record in the mean over groups of means over their records."""
    return 0.5 / np.bincount(group, minlength=2)[group]


def train(features, labels, group, weight, rng):
    """Weights, and the mean losses of both groups in the last epoch."""
    num_records, num_features = features.shape
    num_batches = int(np.ceil(num_records / 256))
    weights = rng.uniform(-1, 1, (2, num_features)) / np.sqrt(num_features - 1)
    losses = []
    for step in range(EPOCHS * num_batches):
        batch = rng.random(num_records) < 1 / num_batches
        x, y, sexes = features[batch], np.eye(2)[labels[batch]], group[batch]
        outputs = outputs_of(x, weights)
        inner = outputs * (1 - outputs)
        chances = np.exp(outputs) / np.exp(outputs).sum(1, keepdims=True)
        if step >= (EPOCHS - 1) * num_batches:
            loss = -np.log((chances * y).sum(1))
            losses.append([loss[sexes == sex].mean() for sex in (0, 1)])
        gradients = (chances - y) * inner
        term = weight * ((1 - 2 * outputs) * inner * shares_of(sexes)[:, None]).T @ x
        squared = (gradients**2).sum(1) * (x**2).sum(1) + 2 * (gradients * (x @ term.T)).sum(1) + (term**2).sum()
        factors = np.minimum(1, CLIP / np.sqrt(squared))
        total = (gradients * factors[:, None]).T @ x + factors.sum() * term
        total += NOISE * CLIP * rng.standard_normal(total.shape)
        weights = weights - RATE * total * num_batches / num_records
    return weights, np.mean(losses, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weight", type=float, default=-0.55, help="of the boundary term; as printed it is 1")
    weight = parser.parse_args().weight
    features, labels, group = dutch()
    found = []
    for seed in range(NUM_SEEDS):
        rng = np.random.default_rng(seed)
        tested = np.zeros(len(labels), dtype=bool)
        tested[rng.permutation(len(labels))[: len(labels) // 5]] = True
        weights, losses = train(features[~tested], labels[~tested], group[~tested], weight, rng)
        right = outputs_of(features[tested], weights).argmax(1) == labels[tested]
        found.append([*losses, *(100 * right[group[tested] == sex].mean() for sex in (0, 1))])
    names = ("loss M", "loss F", "accuracy M %", "accuracy F %")
    for name, values in zip(names, zip(*found, strict=True), strict=True):
        error = statistics.stdev(values) / NUM_SEEDS**0.5
        print(f"{name:<12}  {statistics.mean(values):7.3f} +- {error:.3f}")


if __name__ == "__main__":
    main()
