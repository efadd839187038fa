# SPDX-License-Identifier: Apache-2.0
"""Private means of 100 strata of 10 million records and 5 columns in NumPy, as an expert would write it, for bench/means.cc.

Bounded: clip, then a weighted bincount for each column. COINPRESS: three steps, each with bounds of its own for every stratum.
The noise is NumPy's own float Gaussian, neither secure nor exact. Prints milliseconds, the best of several rounds.
"""

import time

import numpy as np

RECORDS, COLUMNS, STRATA, ROUNDS, STEPS, RHO, STDDEV = 10_000_000, 5, 100, 3, 3, 0.5, 29.0
LOWER, UPPER = 0.0, 100.0

rng = np.random.default_rng(1)
strata = rng.integers(0, STRATA, RECORDS).astype(np.int64)  # the type that bincount does not have to convert
columns = [(rng.integers(0, 10_000, RECORDS) * 0.01).astype(np.float32) for _ in range(COLUMNS)]
sizes = np.full(STRATA, RECORDS / STRATA)


def bounded():
    middle = (LOWER + UPPER) / 2
    rho = RHO / COLUMNS
    for x in columns:
        clipped = np.clip(x, LOWER, UPPER)
        sums = np.bincount(strata, weights=clipped, minlength=STRATA) - middle * sizes
        scale = (UPPER - LOWER) / np.sqrt(2 * rho)
        yield middle + (sums + rng.normal(0, scale, STRATA)) / sizes


def coinpress():
    rho = RHO / COLUMNS
    budgets = [rho / 4 / (STEPS - 1)] * (STEPS - 1) + [3 * rho / 4]
    for x in columns:
        low, high = np.full(STRATA, LOWER), np.full(STRATA, UPPER)
        for budget in budgets:
            tail = STDDEV * np.sqrt(2 * np.log(2 * sizes / 0.0025))
            left, right = (low - tail).astype(np.float32), (high + tail).astype(np.float32)
            clipped = np.clip(x, left[strata], right[strata])
            sensitivity = (high - low + 2 * tail) / sizes
            deviation = sensitivity / np.sqrt(2 * budget)
            means = np.bincount(strata, weights=clipped, minlength=STRATA) / sizes
            means += rng.normal(0, 1, STRATA) * deviation
            half = np.sqrt(2 * (STDDEV**2 / sizes + deviation**2) * np.log(2 / 0.0025))
            low, high = np.clip(means - half, low, high), np.clip(means + half, low, high)
        yield means


print(f"NumPy {np.__version__}, one thread, {RECORDS} records, {COLUMNS} columns, {STRATA} strata")
for name, release in (("bounded", bounded), ("coinpress", coinpress)):
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in release():
            pass
        best = min(best, time.perf_counter() - start)
    print(f"{name:10} {1e3 * best:8.0f} ms")
