# SPDX-License-Identifier: Apache-2.0
"""One DP-SGD step of logistic regression in NumPy, as an expert would write it: no per-sample gradient is materialised.

Same shape as bench/training_step.cc (36,632 records, 107 features, expected batch 512, one thread). The noise is NumPy's own
float Gaussian, neither secure nor exact. Prints microseconds per step, the best of several rounds.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import time  # noqa: E402

import numpy as np  # noqa: E402

RECORDS, DENSE, FEATURES, BATCH, STEPS, ROUNDS = 36_632, 5, 107, 512, 500, 7
RATE, CLIP, NOISE_MULTIPLIER, LEARNING_RATE = BATCH / RECORDS, 1.0, 1.5, 0.7

rng = np.random.default_rng(1)
x = np.zeros((RECORDS, FEATURES + 1), dtype=np.float32)
x[:, :DENSE] = rng.random((RECORDS, DENSE))
offset = DENSE
for width in (9, 16, 7, 15, 6, 5, 42, 2):
    x[np.arange(RECORDS), offset + rng.integers(0, width, RECORDS)] = 1
    offset += width
x[:, -1] = 1
y = rng.integers(0, 2, RECORDS).astype(np.float32)
norms = np.sqrt((x.astype(np.float64) ** 2).sum(axis=1))


def poisson_naive():
    return np.nonzero(rng.random(RECORDS) < RATE)[0]


def poisson_skipping():
    gaps = rng.geometric(RATE, size=2 * BATCH)
    positions = np.cumsum(gaps) - 1
    return positions[positions < RECORDS]


def step(theta, batch, private):
    rows = x[batch]
    residual = 1 / (1 + np.exp(-(rows @ theta))) - y[batch]
    if private:
        residual = residual * np.minimum(1, CLIP / np.maximum(np.abs(residual) * norms[batch], 1e-30)).astype(np.float32)
    total = residual @ rows
    if private:
        total = total + rng.normal(0, NOISE_MULTIPLIER * CLIP, total.shape).astype(np.float32)
    return theta - np.float32(LEARNING_RATE / BATCH) * total


def measure(sample, private):
    best = float("inf")
    fixed = poisson_skipping()
    for _ in range(ROUNDS):
        theta = np.zeros(FEATURES + 1, dtype=np.float32)
        start = time.process_time()
        for _ in range(STEPS):
            theta = step(theta, fixed if sample is None else sample(), private)
        best = min(best, (time.process_time() - start) / STEPS)
    return best * 1e6


for name, sample, private in (
    ("sgd, one fixed batch", None, False),
    ("dpsgd, one fixed batch", None, True),
    ("dpsgd, Poisson by skipping", poisson_skipping, True),
    ("dpsgd, Poisson by one uniform per record", poisson_naive, True),
):
    print(f"NumPy {name:<42}{measure(sample, private):8.1f} us per step")
