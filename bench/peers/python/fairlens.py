# SPDX-License-Identifier: Apache-2.0
"""A reading of FairLens that paper 001 does not print, on the Dutch census and on Adult.

Usage: PYTHONPATH=build/bench/python build/python-peers/bin/python bench/peers/python/fairlens.py
Models, records and rates are those of the items 001/table5 (linear, sigmoids of scores) and 001/table4 (two hidden
layers), with the softmax loss of the model's outputs. The boundary term is the mean over both sexes of the mean of
sum_j f_j (1 - f_j) over the records of one, f the outputs or their softmax. Below 0, its weight draws f to the
boundary; as printed it is 1. The clipping term is left out. As in the items, gradients with the term are clipped, noise
is 1 clip, and losses are those of batches in the last epoch before each step. NOT PRIVATE.
"""

import csv
import gzip
import statistics
import tomllib

import numpy as np
from tables import ROOT, SHARED

NUM_SEEDS = 5
EPOCHS = 20
NOISE = 1
FIGURES = ("loss M", "loss F", "accuracy M", "accuracy F")
# The item of a table, sizes of hidden layers, whether outputs are sigmoids of scores, the clip, the learning rate.
SETTINGS = {"dutch": ("table5", (), True, 0.1, 0.8), "adult": ("table4", (256, 256), False, 0.5, 0.01)}
READINGS = [
    ("dutch", "outputs", -0.55),
    ("dutch", "outputs", 1),
    ("adult", "outputs", -0.55),
    ("adult", "softmax", -0.55),
]


def rows_of(*names):
    rows = []
    for name in names:
        with gzip.open(SHARED / "data" / name, "rt") as file:
            rows += csv.DictReader(file)
    return rows


def one_hot(rows, categories):
    return [
        [float(row[name] == value) for row in rows]
        for name in categories.split()
        for value in sorted({row[name] for row in rows})
    ]


def dutch():
    """Features, labels and sexes."""
    rows = rows_of("dutch_census_2001.csv.gz")
    columns = [[float(row[name] == "2") for row in rows] for name in ("sex", "prev_residence_place")]
    columns += one_hot(
        rows,
        "age household_position household_size citizenship country_birth edu_level economic_status cur_eco_activity "
        "marital_status",
    )
    labels = np.array([int(row["occupation"]) for row in rows])
    return np.array(columns).T, labels, np.array([row["sex"] == "2" for row in rows], dtype=int)


def adult():
    """The same of complete records, with standardised numbers."""
    rows = [row for row in rows_of("adult_train.csv.gz", "adult_test.csv.gz") if "?" not in row.values()]
    columns = []
    for name in ("age", "education_num", "capital_gain", "capital_loss", "hours_per_week"):
        values = np.array([float(row[name]) for row in rows])
        columns.append((values - values.mean()) / values.std())
    columns += [[float(row["race"] != "White") for row in rows], [float(row["sex"] == "Female") for row in rows]]
    columns += one_hot(rows, "workclass education marital_status occupation relationship native_country")
    labels = np.array([int(row["income"] == ">50K") for row in rows])
    return np.array(columns).T, labels, np.array([row["sex"] == "Female" for row in rows], dtype=int)


def balanced(group, rng):
    """As many records of either sex on average; all where the sexes are nearly as many."""
    sizes = np.bincount(group)
    if sizes.min() > 0.95 * sizes.max():
        return np.arange(len(group))
    return np.flatnonzero(rng.random(len(group)) * sizes[group] < sizes.min())


def with_one(values):
    return np.column_stack([values, np.ones(len(values))])


def forward(features, layers):
    """The inputs of each layer, with a column of ones, and the scores."""
    inputs = [with_one(features)]
    for weights in layers[:-1]:
        inputs.append(with_one(np.tanh(inputs[-1] @ weights.T)))
    return inputs, inputs[-1] @ layers[-1].T


def outputs_of(scores, sigmoids):
    return 1 / (1 + np.exp(-scores)) if sigmoids else scores


def softmax(values):
    exponentials = np.exp(values - values.max(1, keepdims=True))
    return exponentials / exponentials.sum(1, keepdims=True)


def backward(inputs, layers, slopes):
    """For each layer the slopes of each record in the layer's sums, from those in the scores."""
    found = [slopes]
    for values, weights in zip(inputs[:0:-1], layers[:0:-1], strict=True):
        found.insert(0, (found[0] @ weights[:, :-1]) * (1 - values[:, :-1] ** 2))
    return found


def shares_of(group):
    """The weight of each record in the mean over groups of means over their records."""
    return 0.5 / np.bincount(group, minlength=2)[group]


def train(features, labels, group, settings, term_of, weight, rng):
    """The layers, and the mean losses of both groups in the last epoch."""
    _, hidden, sigmoids, clip, rate = settings
    num_records = len(features)
    num_batches = int(np.ceil(num_records / 256))
    sizes = (features.shape[1], *hidden, 2)
    layers = [
        rng.uniform(-1, 1, (below, above + 1)) / np.sqrt(above) for above, below in zip(sizes, sizes[1:], strict=False)
    ]
    losses = []
    for step in range(EPOCHS * num_batches):
        batch = rng.random(num_records) < 1 / num_batches
        y, sexes = np.eye(2)[labels[batch]], group[batch]
        inputs, scores = forward(features[batch], layers)
        outputs = outputs_of(scores, sigmoids)
        inner = outputs * (1 - outputs) if sigmoids else 1
        chances = softmax(outputs)
        if step >= (EPOCHS - 1) * num_batches:
            loss = -np.log((chances * y).sum(1))
            losses.append([loss[sexes == sex].mean() for sex in (0, 1)])
        if term_of == "outputs":
            slopes = (1 - 2 * outputs) * inner
        else:
            slopes = 1 - 2 * chances
            slopes = chances * (slopes - (chances * slopes).sum(1, keepdims=True)) * inner
        terms = [
            weight * slope.T @ values
            for slope, values in zip(backward(inputs, layers, slopes * shares_of(sexes)[:, None]), inputs, strict=True)
        ]
        gradients = backward(inputs, layers, (chances - y) * inner)
        squared = sum(
            (slope**2).sum(1) * (values**2).sum(1) + 2 * (slope * (values @ term.T)).sum(1) + (term**2).sum()
            for slope, values, term in zip(gradients, inputs, terms, strict=True)
        )
        factors = np.minimum(1, clip / np.sqrt(squared))
        for i, (slope, values, term) in enumerate(zip(gradients, inputs, terms, strict=True)):
            total = (slope * factors[:, None]).T @ values + factors.sum() * term
            total += NOISE * clip * rng.standard_normal(total.shape)
            layers[i] = layers[i] - rate * total * num_batches / num_records
    return layers, np.mean(losses, axis=0)


def figures(table, data, term_of, weight):
    """Of FIGURES the mean over seeds and its standard error."""
    features, labels, group = data
    settings = SETTINGS[table]
    found = []
    for seed in range(NUM_SEEDS):
        rng = np.random.default_rng(seed)
        kept = rng.permutation(balanced(group, rng))
        tested, trained = np.split(kept, [len(kept) // 5])
        trained.sort()
        layers, losses = train(features[trained], labels[trained], group[trained], settings, term_of, weight, rng)
        right = outputs_of(forward(features[tested], layers)[1], settings[2]).argmax(1) == labels[tested]
        found.append([*losses, *(100 * right[group[tested] == sex].mean() for sex in (0, 1))])
    return [(statistics.mean(values), statistics.stdev(values) / NUM_SEEDS**0.5) for values in zip(*found, strict=True)]


def main():
    tables = {"dutch": dutch(), "adult": adult()}
    print(f"| | {' | '.join(FIGURES)} |\n|---{'|---' * len(FIGURES)}|")
    shown = set()
    for table, term_of, weight in READINGS:
        if table not in shown:
            item = tomllib.loads((ROOT / f"repro/001/{SETTINGS[table][0]}.toml").read_text(encoding="utf-8"))
            published = item["methods"]["fairlens"]["published"]
            print(f"| {table}, published | {' | '.join(published[figure] for figure in FIGURES)} |")
            shown.add(table)
        cells = [f"{mean:.3f} +- {error:.3f}" for mean, error in figures(table, tables[table], term_of, weight)]
        print(f"| {table}, of {term_of}, weight {weight} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
